/* SPDX-License-Identifier: GPL-2.0 */
/* The option --share: how targets share the fast tier. */
#ifndef TIER_SHARES_H
#define TIER_SHARES_H

#include "htmmctl/session.h"
#include "tier.h"

/**
 * struct named_share - the share of a cgroup
 * @cgroup: the cgroup, an open file
 * @pages: most pages of the fast tier; 0: no limit
 * @weight: its part, if there are no limits
 * @target: number of the target that it is
 */
struct named_share {
	struct htmm_target cgroup;
	__u64 pages;
	__u32 weight;
	__u32 target;
};

/**
 * struct shares - how targets share the fast tier
 * @how: the word or the weights of all targets; NULL: none were given
 * @named: cgroups with shares of their own, or none
 * @nr: how many
 */
struct shares {
	const char *how;
	struct named_share named[TIER_GROUPS];
	unsigned int nr;
};

/**
 * shares_add() - read an argument of the option
 * @shares: struct shares, added to
 * @text: the argument
 * @err: says what is wrong
 *
 * Return: 0 or a negative errno.
 */
int shares_add(void *shares, const char *text, struct htmm_error *err);

/**
 * shares_join() - make targets of cgroups that have a share
 * @shares: the shares
 * @session: targets are added, but for cgroups that are targets already
 * @err: the error
 *
 * Return: 0 or a negative errno.
 */
int shares_join(struct shares *shares, struct session *session, struct htmm_error *err);

/**
 * shares_check() - do the limits fit the fast tier?
 * @shares: the shares
 * @pages: the size of the fast tier; 0: it is not known
 * @err: says that they do not
 *
 * Return: 0 or -ENOSPC.
 */
int shares_check(const struct shares *shares, __u64 pages, struct htmm_error *err);

/**
 * shares_make_groups() - make the groups that share the fast tier
 * @shares: the shares
 * @tier: gets the groups
 * @targets: number of targets of the session
 * @err: the error
 *
 * Return: 0 or a negative errno.
 */
int shares_make_groups(const struct shares *shares, struct tier *tier, unsigned int targets,
		       struct htmm_error *err);

#endif /* TIER_SHARES_H */
