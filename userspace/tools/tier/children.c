// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <htmm/htmm.h>
#include "children.h"
#include "htmmctl/clock.h"
#include "htmmctl/session.h"

#define WAIT_MS	1000

/**
 * struct family - processes that are targets
 * @pid: those that live; their children are looked for in this order
 * @nr: how many there are
 */
struct family {
	pid_t pid[2 * HTMM_MAX_TARGETS];
	unsigned int nr;
};

static bool is_member(const struct family *family, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < family->nr; i++)
		if (family->pid[i] == pid)
			return true;
	return false;
}

static int read_family(struct family *family, int fd)
{
	struct htmm_target_list list;
	int ret = htmm_device_targets(fd, &list, NULL);
	size_t i;

	if (ret)
		return ret;
	for (i = 0; i < list.nr && family->nr < HTMM_MAX_TARGETS; i++)
		if (list.target[i].type == HTMM_TARGET_TGID &&
		    !(list.target[i].flags & HTMM_TARGET_INFO_DEAD))
			family->pid[family->nr++] = list.target[i].id;
	htmm_targets_free(&list);
	return 0;
}

/* Returns a negative errno if no other child can be added, either. */
static int add(struct family *family, int fd, pid_t pid, struct htmm_error *err)
{
	const struct htmm_target target = { .type = HTMM_TARGET_TGID, .id = pid };
	__u32 number;
	int ret = htmm_device_add_target(fd, &target, &number, err);

	if (!ret)
		family->pid[family->nr++] = pid;
	/* It has ended. */
	return ret == -ESRCH ? 0 : ret;
}

/* Those that are added are looked at, too. */
static int add_all(struct family *family, int fd, struct htmm_error *err)
{
	pid_t child[CHILDREN_MOST];
	unsigned int i, j, nr;
	int ret = 0;

	for (i = 0; i < family->nr && !ret; i++) {
		nr = children_of(family->pid[i], child);
		for (j = 0; j < nr && !ret; j++)
			if (!is_member(family, child[j]))
				ret = add(family, fd, child[j], err);
	}
	return ret;
}

void children_add(struct children *children, int fd)
{
	struct family family = {};
	struct htmm_error err = {};
	const __u64 now = now_ms();
	int ret;

	if (now < children->due)
		return;
	children->due = now + WAIT_MS;
	if (read_family(&family, fd))
		return;
	ret = add_all(&family, fd, &err);
	if (!ret || children->said)
		return;
	children->said = true;
	notice("not all children are looked at: %s; give their cgroup",
	       ret == -ENOSPC ? "they are too many" : err.what);
}
