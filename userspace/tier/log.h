/* SPDX-License-Identifier: GPL-2.0 */
/* What the loop has seen and done, as JSON lines or for people. */
#ifndef TIER_LOG_H
#define TIER_LOG_H

#include "tier.h"

/**
 * log_look() - write one look as a line of JSON for each group
 * @file: where to
 * @tier: the loop, after its moves
 */
void log_look(FILE *file, const struct tier *tier);

/**
 * log_plan() - print what a look has decided, and why
 * @file: where to
 * @tier: the loop, after a look
 */
void log_plan(FILE *file, const struct tier *tier);

/**
 * log_sums() - print what was done in all, in a few lines
 * @file: where to
 * @tier: the loop
 */
void log_sums(FILE *file, const struct tier *tier);

#endif /* TIER_LOG_H */
