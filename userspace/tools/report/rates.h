/* SPDX-License-Identifier: GPL-2.0 */
/* The pages that are thought to be accessed most, sampled or not. */
#ifndef REPORT_RATES_H
#define REPORT_RATES_H

#include <linux/types.h>

struct report;

/**
 * report_rates() - estimate how often each page is accessed
 * @report: the report; its rates are filled
 * @most: pages to keep; 0: all
 *
 * What lies between two sampled pages of a mapping is taken to be memory, too, if it is at most
 * 2 MiB.
 *
 * Return: 0 or -ENOMEM.
 */
int report_rates(struct report *report, __u32 most);

#endif /* REPORT_RATES_H */
