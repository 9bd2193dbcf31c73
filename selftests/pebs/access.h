/* SPDX-License-Identifier: GPL-2.0 */
/* Known numbers of memory accesses, and no others. */
#ifndef PEBS_ACCESS_H
#define PEBS_ACCESS_H

#include <linux/types.h>

#define ACCESS_PAGE	4096UL
#define ACCESS_WORDS	(ACCESS_PAGE / sizeof(__u64))

/**
 * access_store() - exactly @n stores of 8 bytes
 * @at: page-aligned memory
 * @pages: number of pages there; each store is to the next one's first word
 * @n: number of stores
 */
void access_store(__u64 *at, __u64 pages, __u64 n);

/**
 * access_load() - exactly @n loads of 8 bytes
 * @at: page-aligned memory
 * @pages: number of pages there; each load is from the next word
 * @n: number of loads
 */
void access_load(const __u64 *at, __u64 pages, __u64 n);

#endif /* PEBS_ACCESS_H */
