/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queries about one page or region. The module uses htmm_table_counts() only.
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
 * Return: its samples, halved by every cooling so far; 0 if the page is not tracked.
 */
u32 htmm_table_count(const struct htmm_table *table, u32 mm, u64 vpn);

/**
 * htmm_table_counts() - the counts of all pages of a region
 * @table: the table
 * @mm: its address space
 * @vpn: any of its pages
 * @count: array of HTMM_REGION_PAGES counts, each as returned by htmm_table_count()
 * @tracked: NULL, or a bitmap of HTMM_REGION_PAGES bits: set for each page that is tracked,
 *	also if its count has cooled to zero
 */
void htmm_table_counts(const struct htmm_table *table, u32 mm, u64 vpn,
		       u32 *count, u64 *tracked);

/**
 * htmm_table_region() - a region in detail
 * @table: the table
 * @mm: its address space
 * @vpn: any of its pages
 * @hot_bin: lowest bin of a hot base page
 * @info: set to the details if the region is tracked
 *
 * Return: true if the region is tracked.
 */
bool htmm_table_region(const struct htmm_table *table, u32 mm, u64 vpn,
		       unsigned int hot_bin, struct htmm_region_info *info);

#endif /* HTMM_CORE_QUERY_H */
