/* SPDX-License-Identifier: GPL-2.0 */
/* A number for each target of a session. */
#ifndef POLICY_BY_TARGET_H
#define POLICY_BY_TARGET_H

#include <linux/htmm.h>

/**
 * struct by_target - a value for each target
 * @nr: how many targets there are
 * @number: their numbers, ascending: targets that have gone leave gaps
 * @value: the values
 */
struct by_target {
	unsigned int nr;
	__u32 number[HTMM_MAX_TARGETS];
	__u64 value[HTMM_MAX_TARGETS];
};

/**
 * by_target_add() - add a target
 * @values: added to; emptied by a @nr of 0
 * @number: higher than all that are there
 * @value: its value
 *
 * A session has no more targets than there is room for.
 */
void by_target_add(struct by_target *values, __u32 number, __u64 value);

/**
 * by_target_get() - find the value of a target
 * @values: where to look
 * @number: of the target
 *
 * Return: the value; 0 if the target is not there.
 */
__u64 by_target_get(const struct by_target *values, __u32 number);

/**
 * by_target_since() - by how much values have grown
 * @growth: set to the growth of those that are in both
 * @now: present values
 * @old: previous ones
 */
void by_target_since(struct by_target *growth, const struct by_target *now,
		     const struct by_target *old);

#endif /* POLICY_BY_TARGET_H */
