/* SPDX-License-Identifier: GPL-2.0 */
/* How groups of pages share the fast tier: by weights, or with limits. */
#ifndef POLICY_SHARE_H
#define POLICY_SHARE_H

#include <linux/types.h>

/**
 * struct share - what one group gets of the fast tier
 * @weight: without a limit: its part, relative to the weights of the others without one
 * @limit: most pages that it may use; 0: no limit
 * @wanted: pages that it uses, and those that it would use if it could
 * @capacity: set: pages that it may use
 */
struct share {
	__u32 weight;
	__u64 limit;
	__u64 wanted;
	__u64 capacity;
};

/**
 * share_divide() - divide the fast tier
 * @share: the groups
 * @nr: how many
 * @room: pages of the fast tier
 *
 * A group with a limit may use so much at any time. What it does not want is lent to groups without
 * a limit, which give it back when it is wanted. Limits that are more than there is shrink in
 * proportion, but no group keeps others from what it does not want.
 */
void share_divide(struct share *share, unsigned int nr, __u64 room);

#endif /* POLICY_SHARE_H */
