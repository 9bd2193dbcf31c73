/* SPDX-License-Identifier: GPL-2.0 */
/* AMD's sampling unit in the mailbox: IBS of ops, without that of fetches. */
#ifndef PEBS_IBS_H
#define PEBS_IBS_H

#include <linux/types.h>

/* @ctl; the guest writes all of them, and the plugin sets EMU_IBS_VALID */
#define EMU_IBS_ENABLED		0x1	/* counts, and tags ops */
#define EMU_IBS_VALID		0x2	/* a sample is there; no count until it is taken */
#define EMU_IBS_OPS		0x4	/* counts ops, else cycles (IbsOpCntCtl) */
#define EMU_IBS_L3MISS		0x8	/* samples loads and stores that miss the L3 only */

/* @flags */
#define EMU_IBS_LOAD		0x1
#define EMU_IBS_STORE		0x2
#define EMU_IBS_L1_MISS		0x4
#define EMU_IBS_L2_MISS		0x8
#define EMU_IBS_L3_MISS		0x10
#define EMU_IBS_REMOTE		0x20	/* with EMU_IBS_L3_MISS: memory of another node */
#define EMU_IBS_SLOW		0x40	/* with EMU_IBS_L3_MISS: persistent or CXL memory */
#define EMU_IBS_ADDR		0x80	/* @addr is valid */
#define EMU_IBS_PHYS		0x100	/* @phys is valid */
#define EMU_IBS_RIP_INVALID	0x200	/* @rip is not */

/* Bits of the counter that the unit sets at random when it begins again. */
#define EMU_IBS_RANDOM		0x7f

/**
 * struct ibs_unit - the registers of one vCPU, and what became of the ops
 * @ctl: EMU_IBS_ENABLED and so on
 * @max: guest: ops or cycles from one tag to the next
 * @count: ops or cycles since the last tag. The plugin begins at a random number below 128
 *	again, the guest where it wants to
 * @rip: plugin: the instruction of the sample
 * @addr: plugin: virtual address of its data; where an op has none, that of an earlier op stays
 * @phys: plugin: guest-physical address of its data, likewise
 * @flags: plugin: what the op was
 * @nmis: plugin: samples written; an interrupt each
 * @tagged: plugin: ops tagged; each becomes a sample or is discarded when it has ended
 * @discarded: plugin: those that did not miss the L3, with EMU_IBS_L3MISS, or in which the
 *	guest stopped the unit
 *
 * Who writes when: as in struct pebs_slot.
 */
struct ibs_unit {
	__u64 ctl;
	__u64 max;
	__u64 count;
	__u64 rip;
	__u64 addr;
	__u64 phys;
	__u64 flags;
	__u64 nmis;
	__u64 tagged;
	__u64 discarded;
};

#endif /* PEBS_IBS_H */
