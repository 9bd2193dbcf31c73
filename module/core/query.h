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

/**
 * htmm_hist_hit_ratio() - share of all samples that the hot pages get
 * @hist: the histogram
 * @hot: lowest bin of a hot page
 *
 * An estimate: each page is taken to have the mean count of its bin, (2^(b-1) +
 * 2^b - 1) / 2 for bin b >= 1, so
 *
 *	ratio = sum over b >= hot of bin[b] * (3 * 2^(b-1) - 1) /
 *	        sum over b >= 1   of bin[b] * (3 * 2^(b-1) - 1)
 *
 * A page's count lies between 2/3 and 4/3 of the mean, hence hot samples / other
 * samples is right within a factor of 2, and mostly much closer.
 *
 * Return: parts per million, 0..1000000; 0 if no page has a count.
 */
u32 htmm_hist_hit_ratio(const struct htmm_hist *hist, unsigned int hot);

#endif /* HTMM_CORE_QUERY_H */
