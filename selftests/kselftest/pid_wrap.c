// SPDX-License-Identifier: GPL-2.0
/* Pids that wrap around: samples of a process never count for a later one. */
#include "check.h"
#include "child.h"
#include "pids.h"

#define CHILDREN	100
/* Number of pids that are reused. */
#define PIDS		40

/*
 * Each child faults on one page of an area that no other child touches, so a sample's page
 * identifies its child.
 */
FIXTURE(pid_wrap) {
	int fd;
	int pid_max;
	struct source source;
	struct request req;
	char *mem;
	int nr;
	pid_t pids[CHILDREN];
};

FIXTURE_VARIANT(pid_wrap) {
	__u32 flags;
};

FIXTURE_VARIANT_ADD(pid_wrap, pages_leave) { 0 };
FIXTURE_VARIANT_ADD(pid_wrap, pages_stay) { HTMM_START_KEEP_EXITED };

FIXTURE_SETUP(pid_wrap)
{
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	self->req.arg.flags = variant->flags;
	/* Room for all faults of all children, even if ksampled is late. */
	self->req.arg.ring_pages = 256;
	ASSERT_NE(NULL, self->mem = access_map(CHILDREN));
	ASSERT_LE(0, self->fd = device_open());
	self->pid_max = pids_limit();
	ASSERT_LT(0, self->pid_max);
	ASSERT_EQ(0, pids_set_limit(FIRST_PID + PIDS));
	ASSERT_EQ(0, pids_skip_to(FIRST_PID));
}

FIXTURE_TEARDOWN(pid_wrap)
{
	EXPECT_EQ(0, pids_set_limit(self->pid_max));
	close(self->fd);
	check_idle(_metadata);
}

/* The child that faulted on a page; -1: the page is not in the area. */
static int child_of(const struct _test_data_pid_wrap *self, const struct htmm_page *page)
{
	__u64 i = (page->addr - (uintptr_t)self->mem) / PAGE;

	return page->addr >= (uintptr_t)self->mem && i < self->nr ? i : -1;
}

/* All pages of the area have the pid that touched them, and no two have the same space. */
static int check_pages(struct __test_metadata *_metadata, struct _test_data_pid_wrap *self)
{
	static struct pages pages;
	int found = 0;
	size_t i, j;

	ASSERT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < pages.nr; i++) {
		int child = child_of(self, &pages.page[i]);

		if (child < 0)
			continue;
		EXPECT_EQ(self->pids[child], pages.page[i].pid);
		EXPECT_EQ(1, pages.page[i].samples);
		for (j = 0; j < i; j++) {
			if (child_of(self, &pages.page[j]) < 0)
				continue;
			EXPECT_NE(pages.page[i].space, pages.page[j].space);
		}
		found++;
	}
	return found;
}

/* The pages listed for the running process @pid are not those of an earlier one. */
static void check_living(struct __test_metadata *_metadata, struct _test_data_pid_wrap *self,
			 pid_t pid)
{
	static struct pages pages;
	size_t i;

	ASSERT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < pages.nr; i++) {
		int child = child_of(self, &pages.page[i]);

		if (child >= 0 && pages.page[i].pid == pid &&
		    !(pages.page[i].flags & HTMM_PAGE_EXITED)) {
			EXPECT_EQ(self->nr - 1, child);
		}
	}
}

static int touch_one(int sock, void *arg)
{
	struct _test_data_pid_wrap *self = arg;

	access_pages(&self->source, self->mem + self->nr * PAGE, 1, 1);
	child_post(sock);
	child_await(sock);
	return 0;
}

static bool had_before(const struct _test_data_pid_wrap *self, pid_t pid)
{
	int i;

	for (i = 0; i < self->nr; i++)
		if (self->pids[i] == pid)
			return true;
	return false;
}

TEST_F(pid_wrap, no_page_is_inherited)
{
	struct child child;
	int again = 0, found;

	ASSERT_START(self);
	while (self->nr < CHILDREN) {
		bool known;

		ASSERT_EQ(0, child_start(&child, touch_one, self));
		ASSERT_EQ(0, child_await(child.sock));
		known = had_before(self, child.pid);
		self->pids[self->nr++] = child.pid;
		if (known && again++ % 16 == 0)
			check_living(_metadata, self, child.pid);
		ASSERT_EQ(0, child_post(child.sock));
		ASSERT_EQ(0, child_join(&child));
	}
	TH_LOG("%d of %d children had a pid of an earlier one", again, CHILDREN);
	EXPECT_LT(CHILDREN / 3, again);
	ASSERT_EQ(0, device_stop(self->fd));
	found = check_pages(_metadata, self);
	if (variant->flags) {
		EXPECT_EQ(CHILDREN, found);
	}
}
