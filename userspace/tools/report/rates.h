/* SPDX-License-Identifier: GPL-2.0 */
/* The pages that are thought to be accessed most, sampled or not. */
#ifndef REPORT_RATES_H
#define REPORT_RATES_H

#include <linux/types.h>
#include "estimate/estimate.h"

struct report;

/**
 * report_rates() - estimate how often each page is accessed
 * @report: the report, with all samples
 * @most: pages to list; 0: all
 * @page: set to the pages with the highest rates, for free(); they count in samples
 * @nr: set to how many there are
 *
 * What lies between two sampled pages of a mapping is taken to be memory, too, if it is at most
 * 2 MiB.
 *
 * Return: 0 or -ENOMEM; free @page in both cases.
 */
int report_rates(struct report *report, __u32 most, struct estimate_page **page, size_t *nr);

#endif /* REPORT_RATES_H */
