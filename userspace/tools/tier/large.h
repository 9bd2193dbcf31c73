/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of a group that has too many pages to list all of them at each look. Its policy chooses
 * some regions, whose pages are all listed; besides these, the hottest of the slow tier.
 */
#ifndef TIER_LARGE_H
#define TIER_LARGE_H

#include "tier.h"

/**
 * large_list() - list pages of a large group
 * @tier: the loop
 * @group: the group, of which @regions is listed; @pages, @nr_slow are set
 * @look: as far as it is known before pages are listed
 * @err: the error
 *
 * Return: 0 or a negative errno.
 */
int large_list(const struct tier *tier, struct group *group, struct policy_look *look,
	       struct htmm_error *err);

#endif /* TIER_LARGE_H */
