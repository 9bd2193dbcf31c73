/* SPDX-License-Identifier: GPL-2.0 */
/* What the loop has seen and done, as JSON lines or for people. */
#ifndef TIER_LOG_H
#define TIER_LOG_H

#include "tier.h"

/**
 * log_look() - write one look as a line of JSON for each group
 * @file: where to
 * @tier: the loop, after its moves
 * @err: says why it could not be written
 *
 * Return: 0 or a negative errno.
 */
int log_look(FILE *file, const struct tier *tier, struct htmm_error *err);

/**
 * log_plan() - print what a look has decided, and why, for people
 * @file: where to
 * @tier: the loop, after a look
 * @err: says why it could not be printed
 *
 * Return: 0 or a negative errno.
 */
int log_plan(FILE *file, const struct tier *tier, struct htmm_error *err);

/**
 * log_plan_json() - print the same as one line of JSON, with all moves
 * @file: where to
 * @tier: the loop, after a look
 * @err: says why it could not be printed
 *
 * Return: 0 or a negative errno.
 */
int log_plan_json(FILE *file, const struct tier *tier, struct htmm_error *err);

/**
 * log_sums() - print what was done in all, in a few lines
 * @file: where to
 * @tier: the loop
 */
void log_sums(FILE *file, const struct tier *tier);

#endif /* TIER_LOG_H */
