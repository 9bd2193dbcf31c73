/* SPDX-License-Identifier: GPL-2.0 */
/* How much of the fast tier a group uses. */
#ifndef TIER_USED_H
#define TIER_USED_H

#include "tier.h"

/**
 * used_listed() - find it from the list of all pages
 * @tier: the loop
 * @group: the group, of which @pages was listed and @used is set
 * @err: the error
 *
 * Pages that several processes map are listed for each of them. How many these are is counted only
 * now and then, as that reads all page tables.
 *
 * Return: 0 or a negative errno.
 */
int used_listed(const struct tier *tier, struct group *group, struct htmm_error *err);

/**
 * used_unlisted() - find it for a large group, whose pages are not all listed
 * @tier: the loop
 * @group: the group, of which @used is set
 * @err: the error
 *
 * Return: 0 or a negative errno.
 */
int used_unlisted(const struct tier *tier, struct group *group, struct htmm_error *err);

#endif /* TIER_USED_H */
