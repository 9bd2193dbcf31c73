/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Questions that the module does not ask, and that are no part of it: reports of
 * user space do, and tests.
 */
#ifndef HTMM_CORE_QUERY_H
#define HTMM_CORE_QUERY_H

#include "table.h"

/**
 * htmm_table_count() - a page's count
 * @table: the table
 * @mm: its address space
 * @vpn: its number
 *
 * Return: samples, halved by every cooling so far; 0 if it is not tracked.
 */
u32 htmm_table_count(const struct htmm_table *table, u32 mm, u64 vpn);

/**
 * htmm_table_counts() - the counts of all pages of a region
 * @table: the table
 * @mm: its address space
 * @vpn: any of its pages
 * @count: HTMM_REGION_PAGES of them, each as of htmm_table_count()
 */
void htmm_table_counts(const struct htmm_table *table, u32 mm, u64 vpn,
		       u32 *count);

/**
 * htmm_table_region() - a region in detail
 * @table: the table
 * @mm: its address space
 * @vpn: any of its pages
 * @hot_bin: lowest bin of a hot base page
 * @info: set if the region is tracked
 *
 * Return: true if the region is tracked.
 */
bool htmm_table_region(const struct htmm_table *table, u32 mm, u64 vpn,
		       unsigned int hot_bin, struct htmm_region_info *info);

#endif /* HTMM_CORE_QUERY_H */
