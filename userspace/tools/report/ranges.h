/* SPDX-License-Identifier: GPL-2.0 */
/* Hot and cold ranges of anonymous memory and of heaps, which may have several arrays. */
#ifndef REPORT_RANGES_H
#define REPORT_RANGES_H

#include <linux/types.h>

struct report;

/**
 * report_ranges() - divide anonymous memory and heaps into ranges
 * @report: the report, with its mappings by name; sets @nr_ranges and @ranges of these
 * @most: mappings to divide, those with the most samples; 0: all, up to a limit
 *
 * Return: 0 or -ENOMEM.
 */
int report_ranges(struct report *report, __u32 most);

#endif /* REPORT_RANGES_H */
