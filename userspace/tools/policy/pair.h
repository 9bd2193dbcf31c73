/* SPDX-License-Identifier: GPL-2.0 */
/* Pairs the best pages of the slow tier with the worst of the fast tier: these trade places. */
#ifndef POLICY_PAIR_H
#define POLICY_PAIR_H

#include "rules.h"

/**
 * pair_up() - choose the moves
 * @policy: the policy, which knows what each page is worth; its @plan gets the moves
 * @look: what is known
 */
void pair_up(struct policy *policy, const struct policy_look *look);

#endif /* POLICY_PAIR_H */
