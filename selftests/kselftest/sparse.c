// SPDX-License-Identifier: GPL-2.0
/* Where the pages of a sparse mapping are: all of them, in steps that its size does not add to. */
#include <sys/mman.h>
#include "check.h"
#include "child.h"
#include "probe.h"

#define MIB		(1UL << 20)
#define GIB		(1UL << 30)
#define TIB		(1UL << 40)
#define MOST_PAGES	8192

/**
 * struct sparse - a large mapping with few pages
 * @mem: the mapping
 * @bytes: its size
 * @shared: processes can share it
 * @page: numbers of the pages in it that are touched, in ascending order
 * @nr: how many there are
 */
struct sparse {
	char *mem;
	size_t bytes;
	bool shared;
	size_t page[MOST_PAGES];
	size_t nr;
};

FIXTURE(sparse) {
	int fd;
	struct source source;
	struct request req;
	struct sparse sparse;
};

FIXTURE_SETUP(sparse)
{
	ASSERT_LE(0, self->fd = device_open());
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(sparse) { check_closed(_metadata, self->fd); }

static void sparse_map(struct __test_metadata *_metadata, struct sparse *sparse, size_t bytes)
{
	sparse->bytes = bytes;
	sparse->nr = 0;
	ASSERT_NE(NULL, sparse->mem = access_reserve(bytes));
	if (!sparse->shared)
		return;
	ASSERT_EQ(sparse->mem, mmap(sparse->mem, bytes, PROT_READ | PROT_WRITE, MAP_FIXED |
				    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	madvise(sparse->mem, bytes, MADV_NOHUGEPAGE);
}

static void touch(void *arg)
{
	struct sparse *sparse = arg;
	size_t i;

	for (i = 0; i < sparse->nr; i++)
		sparse->mem[sparse->page[i] * PAGE] = 1;
}

/* A child that has touched the pages, and each of these was sampled once. */
static void sample(struct __test_metadata *_metadata, FIXTURE_DATA(sparse) *self,
		   struct child *child)
{
	ASSERT_EQ(0, child_worker(child, touch, &self->sparse));
	self->req.arg.nr_targets = 0;
	request_add_target(&self->req, child->pid);
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(child));
	ASSERT_EQ(0, device_stop(self->fd));
}

static int by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Pages around each place where a page table of any level begins or ends, and some others. */
static void scatter(struct sparse *sparse)
{
	static const size_t around[] = { 2 * MIB, GIB, 2 * GIB, 5 * GIB, 512 * GIB,
					 512 * GIB + GIB, TIB, TIB + 6 * MIB };
	uintptr_t begin = (uintptr_t)sparse->mem / PAGE, size = sparse->bytes / PAGE, place;
	size_t i, n = 0;
	int step;

	for (i = 0; i < ARRAY_SIZE(around); i++) {
		/* The addresses count, not the distances from the start of the mapping. */
		place = begin | (around[i] / PAGE - 1);
		for (step = -1; step <= 2; step++)
			if (place + step >= begin && place + step < begin + size)
				sparse->page[n++] = place + step - begin;
	}
	sparse->page[n++] = 0;
	sparse->page[n++] = size - 1;
	srandom(11);
	while (n < 200)
		sparse->page[n++] = (((size_t)random() << 31) | random()) % size;
	qsort(sparse->page, n, sizeof(sparse->page[0]), by_number);
	for (i = 0, sparse->nr = 0; i < n; i++)
		if (!i || sparse->page[i] != sparse->page[i - 1])
			sparse->page[sparse->nr++] = sparse->page[i];
}

/* The resident pages from number @first up to @end are those that were touched. */
static void check_pages(struct __test_metadata *_metadata, FIXTURE_DATA(sparse) *self,
			size_t first, size_t end)
{
	const struct sparse *sparse = &self->sparse;
	struct htmm_list_pages request = {
		.flags = HTMM_LIST_RESIDENT,
		.order = HTMM_ORDER_TABLE,
		.start = (uintptr_t)sparse->mem + first * PAGE,
		.end = (uintptr_t)sparse->mem + end * PAGE,
	};
	static struct pages list;
	size_t i, n = 0;

	ASSERT_EQ(0, pages_list(self->fd, &request, 7, &list));
	for (i = 0; i < sparse->nr; i++) {
		if (sparse->page[i] < first || sparse->page[i] >= end)
			continue;
		ASSERT_LT(n, list.nr);
		ASSERT_EQ((uintptr_t)sparse->mem + sparse->page[i] * PAGE, list.page[n].addr);
		EXPECT_EQ(1, list.page[n].samples);
		EXPECT_LE(0, list.page[n].node);
		n++;
	}
	EXPECT_EQ(n, list.nr);
}

TEST_F(sparse, every_page)
{
	struct sparse *sparse = &self->sparse;
	struct child child;
	size_t i, size = 3 * TIB / PAGE, step = kernel_checks_itself() ? 44 : 11;

	sparse_map(_metadata, sparse, 3 * TIB);
	scatter(sparse);
	sample(_metadata, self, &child);
	check_pages(_metadata, self, 0, size);
	/* Lists that begin and end at a page, beside it, and in a part that has none. */
	for (i = 3; i < sparse->nr - 3; i += step) {
		check_pages(_metadata, self, sparse->page[i], sparse->page[i + 2]);
		check_pages(_metadata, self, sparse->page[i] + 1, sparse->page[i + 2] + 1);
		check_pages(_metadata, self, (sparse->page[i] + sparse->page[i + 1]) / 2, size);
	}
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
}

/* Tells where all pages are. Returns how many steps that took, each with the lock taken. */
static long placement_steps(struct __test_metadata *_metadata, FIXTURE_DATA(sparse) *self)
{
	static struct placement placement;
	__u64 pages = 0;
	long steps;
	__u32 i;

	ASSERT_EQ(0, probe_begin("htmm_walker_next"));
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	steps = probe_calls();
	probe_end();
	EXPECT_EQ(1, placement.s.spaces);
	EXPECT_EQ(0, placement.s.skipped);
	for (i = 0; i < placement.s.nr_nodes; i++)
		pages += placement.nodes[i].tracked_pages;
	EXPECT_LE(self->sparse.nr, pages);
	return steps;
}

/* The steps for a mapping in which each @step bytes have a page, @nr in all. */
static long steps_of(struct __test_metadata *_metadata, FIXTURE_DATA(sparse) *self,
		     size_t bytes, size_t step, size_t nr)
{
	struct child child;
	long steps;

	sparse_map(_metadata, &self->sparse, bytes);
	for (self->sparse.nr = 0; self->sparse.nr < nr; self->sparse.nr++)
		self->sparse.page[self->sparse.nr] = self->sparse.nr * step / PAGE;
	sample(_metadata, self, &child);
	steps = placement_steps(_metadata, self);
	EXPECT_EQ(128 + SIGKILL, child_kill(&child));
	munmap(self->sparse.mem, bytes);
	TH_LOG("%zu GiB, %zu pages: %ld steps", bytes / GIB, nr, steps);
	return steps;
}

/* 16 pages at the start of a mapping. */
TEST_F(sparse, size_costs_nothing)
{
	long small[2], large;
	int shared;

	for (shared = 0; shared < 2; shared++) {
		self->sparse.shared = shared;
		small[shared] = steps_of(_metadata, self, GIB, PAGE, 16);
		large = steps_of(_metadata, self, 4 * TIB, PAGE, 16);
		EXPECT_LT(0, small[shared]);
		EXPECT_LT(large, 2 * small[shared]);
		EXPECT_LT(small[shared], 2 * large);
	}
	EXPECT_LT(small[1], 2 * small[0]);
}

/* Each page has page tables of its own, as many in a small mapping as in a large one. */
TEST_F(sparse, tables_cost)
{
	long small = steps_of(_metadata, self, 2 * GIB, 2 * MIB, 1024);
	long large = steps_of(_metadata, self, TIB, GIB, 1024);

	EXPECT_LE(1024, small);
	EXPECT_LT(large, 2 * small);
}
