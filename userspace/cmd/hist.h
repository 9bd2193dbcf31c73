/* SPDX-License-Identifier: GPL-2.0 */
/* A histogram as text and as JSON. */
#ifndef CMD_HIST_H
#define CMD_HIST_H

#include <json.h>
#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>

/**
 * hist_print() - draw a histogram
 * @file: where to
 * @hist: the histogram
 * @all: every bin; else the higher ones are one
 */
void hist_print(FILE *file, const struct htmm_hist_buf *hist, bool all);

/* The same as JSON; the object is the caller's. */
struct json_object *hist_json(const struct htmm_hist_buf *hist);

#endif /* CMD_HIST_H */
