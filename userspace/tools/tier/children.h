/* SPDX-License-Identifier: GPL-2.0 */
/* The children of processes that are targets, which are not targets by themselves. */
#ifndef TIER_CHILDREN_H
#define TIER_CHILDREN_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct children - what is known of them
 * @due: when to look for them again, in milliseconds; 0: now
 * @said: the user knows that not all of them are targets
 */
struct children {
	__u64 due;
	bool said;
};

/**
 * children_add() - make targets of the children of all processes that are targets
 * @children: what is known of them
 * @fd: the device
 *
 * Looks for them once a second, as a process may have many threads. One that begins and ends in
 * between is not found, and neither are its own children. The user is told, once, if there are more
 * than a session can have.
 */
void children_add(struct children *children, int fd);

#endif /* TIER_CHILDREN_H */
