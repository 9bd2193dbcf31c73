/* SPDX-License-Identifier: GPL-2.0 */
/* A command and all its children, as what is to be sampled. */
#ifndef HTMMCTL_FAMILY_H
#define HTMMCTL_FAMILY_H

#include "cgroup.h"
#include "session.h"

/**
 * struct family - a command's processes
 * @pid: the command
 * @cgroup: the cgroup that they have to themselves; empty: they have none
 * @alone: why the command is sampled without its children; empty if it is not
 */
struct family {
	pid_t pid;
	struct cgroup cgroup;
	struct htmm_error alone;
};

/**
 * family_join() - have a command sampled, unless the user has named someone else
 * @family: filled
 * @session: the session, not started
 * @pid: the command, which has not begun; nothing is done for 0
 * @err: the error
 *
 * Makes a cgroup for it where that can be, so that its children are sampled, too.
 *
 * Return: 0 or a negative errno; family_leave() is for both.
 */
int family_join(struct family *family, struct session *session, pid_t pid,
		struct htmm_error *err);

/**
 * family_say() - tell the user who is sampled, as far as it is worth knowing
 * @family: the family
 */
void family_say(const struct family *family);

/**
 * family_each() - look at its processes that are there now, not too many
 * @family: the family
 * @call: called for each
 * @value: handed on to @call
 */
void family_each(const struct family *family, void (*call)(void *value, pid_t pid),
		 void *value);

/**
 * family_leave() - remove the cgroup; whoever lives goes to the one above
 * @family: the family; may be all zero
 */
void family_leave(struct family *family);

#endif /* HTMMCTL_FAMILY_H */
