/* SPDX-License-Identifier: GPL-2.0 */
/* Every miss, in order of time. */
#ifndef PEBS_MISSES_H
#define PEBS_MISSES_H

#include <stdbool.h>
#include <linux/types.h>

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
 * misses_add() - write an access that missed the cache
 * @vcpu: where
 * @tgid: whose it is
 * @vaddr: its address
 * @store: it is a store
 *
 * A miss is a 64-bit word: bits 0 to 35 are the number of the page, bit 36 is set for a store, bits
 * 37 to 58 are the process. A word with bit 63 has the time instead, in nanoseconds since the first
 * miss: that of the misses before it, at most 1024 of them.
 *
 * Context: the vCPU thread.
 */
void misses_add(unsigned int vcpu, __u64 tgid, __u64 vaddr, bool store);

/**
 * misses_close() - write what is left
 *
 * Return: false if writing failed, with errno set.
 */
bool misses_close(void);

#endif /* PEBS_MISSES_H */
