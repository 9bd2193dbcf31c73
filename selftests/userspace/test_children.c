// SPDX-License-Identifier: GPL-2.0
/* The children of processes that are targets of a made-up session. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "htmmctl/session.h"
#include "tier/children.h"

#define SESSION		5
/* The process that the user has named, and another one that has ended. */
#define PARENT		1000
#define NAMED		900
/* Numbers are given in the order in which targets come. */
#define MANY		4096

/**
 * struct process - a process that is a target
 * @pid: its number
 * @number: of the target
 * @dead: it has ended
 */
struct process {
	pid_t pid;
	u32 number;
	bool dead;
};

static struct {
	u64 session;
	struct process target[HTMM_MAX_TARGETS];
	u32 nr;
	u32 last;
	pid_t child[MANY];
	u32 nr_children;
	u32 calls;
} now;

static void target_add(pid_t pid, bool dead)
{
	now.target[now.nr++] = (struct process) {
		.pid = pid, .number = ++now.last, .dead = dead,
	};
}

int __wrap_htmm_device_info(int fd, struct htmm_info *info, size_t size, struct htmm_error *err);
int __wrap_htmm_device_info(int fd, struct htmm_info *info, size_t size, struct htmm_error *err)
{
	*info = (struct htmm_info) { .session = now.session };
	return 0;
}

int __wrap_htmm_device_targets(int fd, struct htmm_target_list *list, struct htmm_error *err);
int __wrap_htmm_device_targets(int fd, struct htmm_target_list *list, struct htmm_error *err)
{
	u32 i;

	now.calls++;
	list->nr = now.nr;
	list->target = calloc(now.nr, sizeof(*list->target));
	CHECK(list->target);
	for (i = 0; i < now.nr; i++) {
		list->target[i].number = now.target[i].number;
		list->target[i].type = HTMM_TARGET_TGID;
		list->target[i].id = now.target[i].pid;
		list->target[i].flags = now.target[i].dead ? HTMM_TARGET_INFO_DEAD : 0;
	}
	return 0;
}

int __wrap_htmm_device_add_target(int fd, const struct htmm_target *target, __u32 *number,
				  struct htmm_error *err);
int __wrap_htmm_device_add_target(int fd, const struct htmm_target *target, __u32 *number,
				  struct htmm_error *err)
{
	if (now.nr == HTMM_MAX_TARGETS)
		return -ENOSPC;
	target_add(target->id, false);
	*number = now.last;
	return 0;
}

int __wrap_htmm_device_remove_target(int fd, __u32 number, struct htmm_error *err);
int __wrap_htmm_device_remove_target(int fd, __u32 number, struct htmm_error *err)
{
	u32 i;

	for (i = 0; i < now.nr && now.target[i].number != number; i++)
		;
	CHECK(i < now.nr && now.target[i].dead);
	now.nr--;
	memmove(&now.target[i], &now.target[i + 1], (now.nr - i) * sizeof(*now.target));
	return 0;
}

unsigned int __wrap_children_of(pid_t pid, pid_t children[CHILDREN_MOST]);
unsigned int __wrap_children_of(pid_t pid, pid_t children[CHILDREN_MOST])
{
	if (pid != PARENT)
		return 0;
	CHECK(now.nr_children <= CHILDREN_MOST);
	memcpy(children, now.child, now.nr_children * sizeof(*children));
	return now.nr_children;
}

/* A session of two processes that the user has named. */
static void begin(void)
{
	memset(&now, 0, sizeof(now));
	now.session = SESSION;
	target_add(NAMED, true);
	target_add(PARENT, false);
}

/* A second passes. */
static void look(struct children *children)
{
	children->due = 0;
	children_add(children, 3, SESSION);
}

/* The parent has so many children, from @first on; all others have ended. */
static void have(pid_t first, u32 nr)
{
	u32 i;

	for (now.nr_children = 0; now.nr_children < nr; now.nr_children++)
		now.child[now.nr_children] = first + now.nr_children;
	for (i = 0; i < now.nr; i++)
		if (now.target[i].pid > PARENT &&
		    (now.target[i].pid < first || now.target[i].pid >= first + (pid_t)nr))
			now.target[i].dead = true;
}

static u32 living(void)
{
	u32 nr = 0, i;

	for (i = 0; i < now.nr; i++)
		nr += !now.target[i].dead;
	return nr;
}

static void test_found(void)
{
	struct children children = {};

	begin();
	have(2000, 3);
	look(&children);
	CHECK(now.nr == 5 && children.nr == 3 && now.target[4].pid == 2002);
	/* Not again, and not before a second has passed. */
	look(&children);
	CHECK(now.nr == 5 && children.nr == 3 && now.calls == 2);
	children_add(&children, 3, SESSION);
	CHECK(now.calls == 2);
}

/* The device has somebody else's session. */
static void test_other_session(void)
{
	struct children children = {};

	begin();
	have(2000, 3);
	now.session++;
	look(&children);
	CHECK(now.nr == 2 && !now.calls);
}

/* A server that begins a process for each request. */
static void test_turnover(void)
{
	struct children children = {};
	u32 round;

	begin();
	for (round = 0; round < 40; round++) {
		have(2000 + 10 * round, 10);
		look(&children);
		CHECK(living() == 11 && now.nr <= HTMM_MAX_TARGETS);
	}
	CHECK(!children.said && now.last == 2 + 400);
	/* What the user has named stays; those that have ended do as long as there is room. */
	CHECK(now.target[0].pid == NAMED && now.target[1].pid == PARENT);
	CHECK(now.nr > 12);
}

/* All places are taken by those that live, and by one that the user has named. */
static void test_too_many(void)
{
	struct children children = {};

	begin();
	have(2000, 70);
	look(&children);
	CHECK(now.nr == HTMM_MAX_TARGETS && children.said);
	CHECK(now.target[0].pid == NAMED);
	/* One more ends. */
	have(2000, 69);
	now.target[10].dead = true;
	look(&children);
	CHECK(now.nr == HTMM_MAX_TARGETS && living() == HTMM_MAX_TARGETS - 1);
}

/* Someone else has removed one, and added another one that has ended. */
static void test_others(void)
{
	struct children children = {};

	begin();
	have(2000, 62);
	look(&children);
	CHECK(now.nr == HTMM_MAX_TARGETS && children.nr == 62);
	now.nr--;
	target_add(800, true);
	have(2000, 61);
	now.child[0] = 4000;
	look(&children);
	CHECK(children.said && children.nr == 61 && now.target[63].pid == 800);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_found),
		TAP_TEST(test_other_session),
		TAP_TEST(test_turnover),
		TAP_TEST(test_too_many),
		TAP_TEST(test_others),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
