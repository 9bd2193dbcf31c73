/* SPDX-License-Identifier: GPL-2.0 */
/* Every miss of the cache, and each store that missed the STLB, in order of time. */
#ifndef PEBS_MISSES_H
#define PEBS_MISSES_H

#include <stdbool.h>
#include <linux/types.h>

#include "../mailbox.h"

/**
 * misses_open() - create the file
 * @path: where
 *
 * Return: false, with the reason on stderr.
 */
bool misses_open(const char *path);

/**
 * misses_start() - find the machine's clock
 *
 * Context: the vCPU thread. Does not return without -icount, as series_start().
 */
void misses_start(void);

/**
 * misses_want() - must an access be written?
 * @kind: what it was
 *
 * Return: true if it missed the cache, or is a store that missed the STLB.
 */
static inline bool misses_want(enum pebs_kind kind)
{
	return kind != PEBS_LOAD_HIT && kind != PEBS_STORE_HIT;
}

/**
 * misses_add() - write an access
 * @vcpu: where
 * @tgid: whose it is
 * @vaddr: its address
 * @kind: what it was, see misses_want()
 *
 * An access is a 64-bit word: bits 0 to 35 are the number of the page, bit 36 is set for a store,
 * bits 37 to 58 are the process, bit 59 is set for a store that missed the STLB, and bit 60 if the
 * cache had its data. A word with bit 63 has the time instead, in nanoseconds since the first
 * access: that of the accesses before it, at most 1024 of them.
 *
 * Context: the vCPU thread.
 */
void misses_add(unsigned int vcpu, __u64 tgid, __u64 vaddr, enum pebs_kind kind);

/**
 * misses_close() - write what is left
 *
 * Return: false if writing failed, with errno set.
 */
bool misses_close(void);

#endif /* PEBS_MISSES_H */
