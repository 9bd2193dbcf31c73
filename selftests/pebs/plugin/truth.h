/* SPDX-License-Identifier: GPL-2.0 */
/* Ground truth: what was really accessed, page by page. */
#ifndef PEBS_TRUTH_H
#define PEBS_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <stdio.h>

/**
 * struct truth_page - accesses of one process to one virtual page
 * @key: tgid and page number, see truth_key()
 * @loads: loads
 * @stores: stores
 * @load_misses: loads that missed the last-level cache
 * @store_misses: stores that missed it
 * @remote_load_misses: those of @load_misses that the remote node's memory served
 * @remote_store_misses: the same for @store_misses
 */
struct truth_page {
	__u64 key;
	__u64 loads;
	__u64 stores;
	__u64 load_misses;
	__u64 store_misses;
	__u64 remote_load_misses;
	__u64 remote_store_misses;
};

/**
 * struct truth - hash table of pages; one for each vCPU, so without locks
 * @pages: open addressing, a power of two of them
 * @size: number of @pages
 * @used: number of them in use, at most half
 */
struct truth {
	struct truth_page *pages;
	size_t size;
	size_t used;
};

/**
 * truth_page() - find the counts of a page, or add them as zero
 * @truth: the vCPU's table
 * @tgid: process
 * @vaddr: user address in the page
 *
 * Return: the counts, valid until the next call.
 */
struct truth_page *truth_page(struct truth *truth, __u64 tgid,
			      __u64 vaddr);

/**
 * truth_write() - merge tables and write them as CSV, by tgid and page
 * @file: where to
 * @truths: the tables; all are merged into the first
 * @count: number of tables, at least 1
 *
 * Return: false if writing failed, with errno set.
 */
bool truth_write(FILE *file, struct truth *truths, size_t count);

#endif /* PEBS_TRUTH_H */
