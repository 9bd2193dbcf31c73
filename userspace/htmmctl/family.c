// SPDX-License-Identifier: GPL-2.0
#include "family.h"
#include "say.h"

/* Of so many processes at most, since reading of all may take long, and is sampled itself. */
#define EACH_MOST	64

int family_join(struct family *family, struct session *session, pid_t pid,
		struct htmm_error *err)
{
	struct htmm_target target = { .type = HTMM_TARGET_TGID, .id = pid };
	struct htmm_error *why = &family->alone;

	family->pid = pid;
	if (!pid || session->all || session->nr_targets)
		return 0;
	if (cgroup_make(&family->cgroup, why) || cgroup_enter(&family->cgroup, pid, why) ||
	    htmm_target_cgroup(&target, family->cgroup.path, why))
		cgroup_remove(&family->cgroup);
	return session_add_target(session, &target, err);
}

void family_say(const struct family *family)
{
	if (family->alone.code)
		notice("sampling process %d alone, not its children: %s", family->pid,
		       family->alone.what);
	else if (*family->cgroup.path && verbosity.verbose)
		notice("sampling process %d and all its children, in the cgroup %s", family->pid,
		       family->cgroup.path);
}

void family_each(const struct family *family, void (*call)(void *value, pid_t pid),
		 void *value)
{
	if (*family->cgroup.path)
		cgroup_each(&family->cgroup, EACH_MOST, call, value);
	else
		call(value, family->pid);
}

void family_leave(struct family *family)
{
	cgroup_remove(&family->cgroup);
}
