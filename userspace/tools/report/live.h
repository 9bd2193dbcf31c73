/* SPDX-License-Identifier: GPL-2.0 */
/* The results of a session as input of a report. */
#ifndef REPORT_LIVE_H
#define REPORT_LIVE_H

#include <htmm/htmm.h>
#include "report.h"

/**
 * report_live_config() - copy capacity and limits from the session
 * @fd: the device
 * @config: members that are zero are filled
 * @err: says if there is no session
 *
 * Return: 0 or a negative errno.
 */
int report_live_config(int fd, struct report_config *config, struct htmm_error *err);

/**
 * report_live_feed() - read the histograms and all pages of the session
 * @fd: the device
 * @report: the report
 * @err: says what could not be read
 *
 * Return: 0 or a negative errno.
 */
int report_live_feed(int fd, struct report *report, struct htmm_error *err);

#endif /* REPORT_LIVE_H */
