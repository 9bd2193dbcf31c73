/* SPDX-License-Identifier: GPL-2.0 */
/* The children of processes that are targets, which are not targets by themselves. */
#ifndef TIER_CHILDREN_H
#define TIER_CHILDREN_H

#include <stdbool.h>
#include <linux/htmm.h>

/* How often they are looked for, in milliseconds: a process may have many threads. */
#define CHILDREN_WAIT_MS	1000

/**
 * struct children - what is known of them
 * @due: when to look for them again, in milliseconds; 0: now
 * @said: the user knows that not all of them are targets
 * @number: numbers of those that were added, as targets
 * @nr: how many there are: those that were there before, and new ones in their places
 */
struct children {
	__u64 due;
	bool said;
	__u32 number[2 * HTMM_MAX_TARGETS];
	unsigned int nr;
};

/**
 * children_add() - make targets of the children of all processes that are targets
 * @children: what is known of them
 * @fd: the device
 * @session: number of the session; nothing is done if the device has another one
 *
 * Looks for them once a second. One that begins and ends in between is not found, and neither are
 * its own children. Those that have ended make room for others. The user is told, once, if there
 * are more than a session can have.
 */
void children_add(struct children *children, int fd, __u64 session);

#endif /* TIER_CHILDREN_H */
