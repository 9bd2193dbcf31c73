/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often to look, how much to list and how many samples to take: the more may be saved, the more
 * these may cost.
 */
#ifndef POLICY_PACE_H
#define POLICY_PACE_H

#include "rules.h"

/* The first look comes after this many samples. */
#define FIRST_SAMPLES	2000

/**
 * pace_plan() - set what to list, and how many samples to take, until the next look
 * @policy: the policy, of which @plan has the moves, and what these and later ones save
 * @look: what is known
 */
void pace_plan(struct policy *policy, const struct policy_look *look);

#endif /* POLICY_PACE_H */
