/* SPDX-License-Identifier: GPL-2.0 */
/* The pages that are thought to be accessed most, sampled or not. */
#ifndef REPORT_RATES_H
#define REPORT_RATES_H

#include <linux/types.h>
#include "estimate/ranking.h"

struct report;

/**
 * report_rates() - estimate how often each page is accessed
 * @report: the report, with all samples
 * @most: pages to list; 0: all
 * @ranking: filled, its rates count in samples; for ranking_free()
 *
 * Return: 0 or -ENOMEM; free @ranking in both cases.
 */
int report_rates(struct report *report, __u32 most, struct ranking *ranking);

#endif /* REPORT_RATES_H */
