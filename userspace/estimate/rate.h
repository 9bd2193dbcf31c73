/* SPDX-License-Identifier: GPL-2.0 */
/* Rates of pages, for the programs that estimate them. */
#ifndef HTMMCTL_RATE_H
#define HTMMCTL_RATE_H

struct json_object;

/* Room for rate_text(). */
#define RATE_TEXT	16

/* A rate in three digits, so that lines fit a terminal. Returns @text. */
const char *rate_text(char text[RATE_TEXT], double rate);

/* Adds a rate and its bounds, in millionths of a sample. */
void rate_json(struct json_object *obj, double rate, double low, double high);

#endif /* HTMMCTL_RATE_H */
