// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <htmm/htmm.h>
#include "children.h"
#include "htmmctl/clock.h"
#include "htmmctl/session.h"

/**
 * struct family - processes that are targets
 * @pid: those that live; their children are looked for in this order
 * @nr: how many there are
 * @dead: numbers of children that were added, and have ended, the oldest first
 * @nr_dead: how many there are
 * @removed: how many of them have made room
 */
struct family {
	pid_t pid[2 * HTMM_MAX_TARGETS];
	unsigned int nr;
	__u32 dead[HTMM_MAX_TARGETS];
	unsigned int nr_dead;
	unsigned int removed;
};

static bool is_member(const struct family *family, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < family->nr; i++)
		if (family->pid[i] == pid)
			return true;
	return false;
}

static bool was_added(const struct children *children, __u32 number)
{
	unsigned int i;

	for (i = 0; i < children->nr; i++)
		if (children->number[i] == number)
			return true;
	return false;
}

static int read_family(struct family *family, struct children *children, int fd)
{
	struct htmm_target_list list;
	int ret = htmm_device_targets(fd, &list, NULL);
	__u32 added[HTMM_MAX_TARGETS];
	unsigned int nr = 0;
	size_t i;

	if (ret)
		return ret;
	for (i = 0; i < list.nr && i < HTMM_MAX_TARGETS; i++) {
		const struct htmm_target_info *target = &list.target[i];
		const bool child = was_added(children, target->number);

		if (child)
			added[nr++] = target->number;
		if (target->type == HTMM_TARGET_TGID && !(target->flags & HTMM_TARGET_INFO_DEAD))
			family->pid[family->nr++] = target->id;
		else if (child)
			family->dead[family->nr_dead++] = target->number;
	}
	htmm_targets_free(&list);
	memcpy(children->number, added, nr * sizeof(*added));
	children->nr = nr;
	return 0;
}

/*
 * A child that has ended makes room for another one, with all that was counted for it: not before
 * there is need of it. What the user has named stays.
 */
static bool make_room(struct family *family, int fd)
{
	struct htmm_error ignored;

	while (family->removed < family->nr_dead)
		if (!htmm_device_remove_target(fd, family->dead[family->removed++], &ignored))
			return true;
	return false;
}

/* There are 64 already, or their tables would be larger than memory allows. */
static bool is_full(int ret)
{
	return ret == -ENOSPC || ret == -ERANGE;
}

/* Returns a negative errno if no other child can be added, either. */
static int add(struct family *family, struct children *children, int fd, pid_t pid,
	       struct htmm_error *err)
{
	const struct htmm_target target = { .type = HTMM_TARGET_TGID, .id = pid };
	__u32 number;
	int ret;

	/* If others remove some meanwhile, the rest of them are added next time. */
	if (family->nr == ARRAY_SIZE(family->pid) || children->nr == ARRAY_SIZE(children->number))
		return 0;
	do
		ret = htmm_device_add_target(fd, &target, &number, err);
	while (is_full(ret) && make_room(family, fd));
	if (!ret) {
		family->pid[family->nr++] = pid;
		children->number[children->nr++] = number;
	}
	/* It has ended, or somebody else has added it. */
	return ret == -ESRCH || ret == -EEXIST ? 0 : ret;
}

/* Those that are added are looked at, too. */
static int add_all(struct family *family, struct children *children, int fd,
		   struct htmm_error *err)
{
	pid_t child[CHILDREN_MOST];
	unsigned int i, j, nr;
	int ret = 0;

	for (i = 0; i < family->nr && !ret; i++) {
		nr = children_of(family->pid[i], child);
		for (j = 0; j < nr && !ret; j++)
			if (!is_member(family, child[j]))
				ret = add(family, children, fd, child[j], err);
	}
	return ret;
}

void children_add(struct children *children, int fd, __u64 session)
{
	struct family family = {};
	struct htmm_error err = {};
	struct htmm_info info;
	const __u64 now = now_ms();
	int ret;

	if (now < children->due)
		return;
	children->due = now + CHILDREN_WAIT_MS;
	if (htmm_device_info(fd, &info, NULL) || info.session != session ||
	    read_family(&family, children, fd))
		return;
	ret = add_all(&family, children, fd, &err);
	if (!ret || children->said)
		return;
	children->said = true;
	notice("not all children are looked at: %s; give their cgroup",
	       is_full(ret) ? "they are too many" : err.what);
}
