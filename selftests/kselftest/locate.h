/* SPDX-License-Identifier: GPL-2.0 */
/* What all tests of where pages are begin with. */
#ifndef KSFT_LOCATE_H
#define KSFT_LOCATE_H

#include "check.h"
#include "child.h"
#include "files.h"
#include "nodes.h"

#define REGIONS		4
#define PAGES		(REGIONS * REGION_PAGES)

#define BALANCING	"/proc/sys/kernel/numa_balancing"

FIXTURE(locate) {
	int fd;
	int balancing;	/* as it was */
	struct source source;
	struct request req;
	char *mem;	/* start of a region; PAGES pages */
};

FIXTURE_SETUP(locate)
{
	struct htmm_info info = {};

	ASSERT_LE(0, self->fd = device_open());
	ASSERT_EQ(0, device_info(self->fd, &info));
	ASSERT_TRUE(info.features & HTMM_FEATURE_PLACEMENT);
	ASSERT_EQ(0, access("/sys/devices/system/node/node1", F_OK));
	/* It makes pages inaccessible, which move_pages(2) of 6.1 does not find. */
	self->balancing = file_number(BALANCING);
	ASSERT_LE(0, self->balancing);
	ASSERT_EQ(0, file_write(BALANCING, "0"));
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	/* Every fault counts: a ring holds all, even if ksampled gets no CPU meanwhile. */
	self->req.arg.ring_pages = 256;
	ASSERT_NE(NULL, self->mem = access_reserve(PAGES * PAGE));
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(locate)
{
	char number[2] = { '0' + self->balancing };

	file_write(BALANCING, number);
	close(self->fd);
	check_idle(_metadata);
}

static inline void start(struct __test_metadata *_metadata, FIXTURE_DATA(locate) *self, pid_t pid)
{
	request_add_target(&self->req, pid);
	ASSERT_START(self);
}

/* Every page of a list is where move_pages(2) finds it. Returns how many are resident. */
static inline size_t check_nodes(struct __test_metadata *_metadata, pid_t pid,
				 const struct pages *list)
{
	int *node = calloc(list->nr + 1, sizeof(*node));
	size_t i, resident = 0, wrong = 0;

	ASSERT_NE(NULL, node);
	ASSERT_EQ(0, nodes_of(pid, list, node));
	for (i = 0; i < list->nr; i++) {
		int seen = list->page[i].node, want = node[i] < 0 ? HTMM_NODE_UNKNOWN : node[i];

		resident += want >= 0;
		if (seen == want)
			continue;
		if (wrong++ < 5)
			TH_LOG("page %llx is on node %d, listed on %d",
			       list->page[i].addr, node[i], seen);
	}
	free(node);
	EXPECT_EQ(0, wrong);
	return resident;
}

/* The requested list in an area. */
static inline void list_area(struct __test_metadata *_metadata, int fd,
			     struct htmm_list_pages request, const void *mem, size_t bytes,
			     __u32 a_time, struct pages *list)
{
	request.start = (uintptr_t)mem;
	request.end = (uintptr_t)mem + bytes;
	ASSERT_EQ(0, pages_list(fd, &request, a_time, list));
}

#endif /* KSFT_LOCATE_H */
