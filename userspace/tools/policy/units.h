/* SPDX-License-Identifier: GPL-2.0 */
/* What can be moved, as of one look: pages, and huge pages as a whole. */
#ifndef POLICY_UNITS_H
#define POLICY_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/htmm.h>

/* Pages of 4 KiB in the largest page that can be moved. */
#define UNIT_LARGEST	(1U << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT))

/**
 * struct unit - a page, or a huge page
 * @addr: its address
 * @samples: samples of all of it
 * @gain: samples that it has gained since the previous look
 * @recent: what it has gained lately, old gains counting less; see policy_look()
 * @pid: its process
 * @space: its address space
 * @target: its target
 * @pages: its size, in pages of 4 KiB
 * @used: how many of these have samples
 * @node: where it is
 * @class: see predict.h
 * @old: its number in the previous look, plus one; 0: it was not there
 * @fast: in the fast tier
 * @before: it was in the list of the same tier at the previous look
 * @seen: it is in the next look, too
 * @fresh: it was not there at the previous look, neither in a list nor beyond its end
 * @promoted: the plan promotes it
 */
struct unit {
	__u64 addr;
	__u32 samples;
	__u32 gain;
	float recent;
	__u32 pid;
	__u32 space;
	__u32 target;
	__u32 pages;
	__u32 used;
	__s16 node;
	__u16 class;
	__u32 old;
	bool fast;
	bool before;
	bool seen;
	bool fresh;
	bool promoted;
};

/**
 * struct units - the units of one look
 * @unit: the units, those of the slow tier first, in the order of the lists
 * @nr: how many there are
 * @nr_slow: how many of them are in the slow tier
 * @index: private: finds a unit by its place; 0: none, else the number of a unit, plus one
 * @mask: private: the size of @index, less one
 * @room: private: room in @unit
 */
struct units {
	struct unit *unit;
	size_t nr;
	size_t nr_slow;
	__u32 *index;
	size_t mask;
	size_t room;
};

/**
 * units_reset() - begin a new look
 * @units: emptied
 * @pages: the most pages that will be added
 *
 * Return: 0 or -ENOMEM.
 */
int units_reset(struct units *units, size_t pages);

/**
 * units_add() - add pages of one tier
 * @units: added to
 * @pages: the pages; pages of one huge page become one unit
 * @nr: how many there are
 * @fast: of the fast tier
 */
void units_add(struct units *units, const struct htmm_page *pages, size_t nr, bool fast);

/**
 * units_find() - find the unit that is at the same place as another one
 * @units: where to look
 * @like: the other one
 *
 * Return: the unit, or NULL.
 */
struct unit *units_find(const struct units *units, const struct unit *like);

/**
 * units_free() - free the memory
 * @units: may be all zero
 */
void units_free(struct units *units);

/**
 * unit_hash() - spread places over numbers
 * @unit: the unit
 */
__u64 unit_hash(const struct unit *unit);

#endif /* POLICY_UNITS_H */
