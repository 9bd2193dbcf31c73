// SPDX-License-Identifier: GPL-2.0
/* Where the pages of a process are: HTMM_LIST_PLACEMENT, _NODE and _RESIDENT. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/mempolicy.h>
#include "locate.h"

#define HALF		(REGION_PAGES / 2)

/* Regions of this process: on node 0, on node 1, on both in turn, and half of it gone. */
static void mix(struct __test_metadata *_metadata, FIXTURE_DATA(locate) *self)
{
	void *addr[REGION_PAGES];
	int i, to[REGION_PAGES], status[REGION_PAGES];

	ASSERT_EQ(0, access_bind(self->mem, REGION, 0));
	ASSERT_EQ(0, access_bind(self->mem + REGION, REGION, 1));
	start(_metadata, self, getpid());
	access_pages(&self->source, self->mem, PAGES, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	for (i = 0; i < REGION_PAGES; i++) {
		addr[i] = self->mem + 2 * REGION + i * PAGE;
		to[i] = i % 2;
	}
	ASSERT_EQ(0, syscall(SYS_move_pages, 0, REGION_PAGES, addr, to, status, MPOL_MF_MOVE));
	ASSERT_EQ(0, madvise(self->mem + 3 * REGION, REGION / 2, MADV_DONTNEED));
	ASSERT_EQ(0, device_stop(self->fd));
}

TEST_F(locate, pages)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	size_t i, on[2];
	static struct pages list;

	mix(_metadata, self);
	for (request.order = 0; request.order <= HTMM_ORDER_TABLE; request.order++) {
		list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 700, &list);
		EXPECT_EQ(PAGES, list.nr);
		EXPECT_EQ(PAGES - REGION_PAGES / 2, check_nodes(_metadata, getpid(), &list));
		memset(on, 0, sizeof(on));
		for (i = 0; i < list.nr; i++) {
			const struct htmm_page *page = &list.page[i];

			EXPECT_EQ(page->node < 0 ? HTMM_MAPPING_UNKNOWN : 12, page->mapping_shift);
			if (page->node >= 0)
				on[page->node]++;
		}
		/* All of one region and half of another; the rest of the memory is on node 0. */
		EXPECT_LE(REGION_PAGES + REGION_PAGES / 2, on[1]);
		EXPECT_LE(REGION_PAGES + REGION_PAGES / 2, on[0]);
	}
}

/* A list of one node is what has that node in a list of all. */
TEST_F(locate, one_node)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	static struct pages all, some;
	size_t i, at;

	mix(_metadata, self);
	for (request.order = 0; request.order <= HTMM_ORDER_TABLE; request.order++) {
		for (request.node = 0; request.node < 2; request.node++) {
			int node = request.node;

			request.node = 0;
			request.flags = HTMM_LIST_PLACEMENT;
			list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 5000,
				  &all);
			request.node = node;
			request.flags = HTMM_LIST_NODE;
			list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 33, &some);
			for (at = 0, i = 0; i < all.nr; i++) {
				if (all.page[i].node != node)
					continue;
				ASSERT_LT(at, some.nr);
				EXPECT_EQ(0, memcmp(&all.page[i], &some.page[at],
						    sizeof(*all.page)));
				at++;
			}
			EXPECT_EQ(at, some.nr);
			EXPECT_LT(REGION_PAGES, at);
		}
	}
}

/* All of one node, and of the other what the count chooses: as in a list of all. */
TEST_F(locate, others)
{
	struct htmm_list_pages request = { .order = HTMM_ORDER_TABLE };
	const size_t twice = 24, thrice = 10;
	static struct pages all, some;
	size_t i, at, chosen;
	int node;

	ASSERT_EQ(0, access_bind(self->mem, REGION, 0));
	ASSERT_EQ(0, access_bind(self->mem + REGION, REGION, 1));
	start(_metadata, self, getpid());
	access_pages(&self->source, self->mem, 2 * REGION_PAGES, 1);
	access_pages(&self->source, self->mem + REGION - twice / 2 * PAGE, twice, 1);
	access_pages(&self->source, self->mem + REGION - thrice / 2 * PAGE, thrice, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	for (node = 0; node < 2; node++) {
		request.flags = HTMM_LIST_RESIDENT;
		request.node = 0;
		request.min_samples = 0;
		request.max_samples = 0;
		list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 5000, &all);
		request.flags |= HTMM_LIST_NODE | HTMM_LIST_OTHERS;
		request.node = node;
		request.min_samples = 2;
		request.max_samples = 2;
		list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 33, &some);
		for (at = 0, chosen = 0, i = 0; i < all.nr; i++) {
			if (all.page[i].node != node && all.page[i].samples != 2)
				continue;
			ASSERT_LT(at, some.nr);
			EXPECT_EQ(0, memcmp(&all.page[i], &some.page[at], sizeof(*all.page)));
			chosen += all.page[i].node != node;
			at++;
		}
		EXPECT_EQ(2 * REGION_PAGES, all.nr);
		EXPECT_EQ(at, some.nr);
		EXPECT_EQ((twice - thrice) / 2, chosen);
		EXPECT_EQ(some.nr, check_nodes(_metadata, getpid(), &some));
	}
}

TEST_F(locate, regions)
{
	struct htmm_list_pages request = {
		.flags = HTMM_LIST_PLACEMENT,
		.unit = HTMM_UNIT_REGION,
		.order = HTMM_ORDER_TABLE,
	};
	int to[HALF], status[HALF];
	static struct pages list;
	void *addr[HALF];
	size_t i;

	mix(_metadata, self);
	/* Of those that are left, most are on node 1, but not the first and not the last ones. */
	ASSERT_EQ(0, madvise(self->mem + 2 * REGION, REGION / 2, MADV_DONTNEED));
	for (i = 0; i < HALF; i++) {
		addr[i] = self->mem + 2 * REGION + REGION / 2 + i * PAGE;
		to[i] = i >= 100 && i < 240;
	}
	ASSERT_EQ(0, syscall(SYS_move_pages, 0, HALF, addr, to, status, MPOL_MF_MOVE));
	list_area(_metadata, self->fd, request, self->mem, PAGES * PAGE, 3, &list);
	EXPECT_EQ(REGIONS, list.nr);
	for (i = 0; i < list.nr; i++) {
		EXPECT_EQ(12, list.page[i].mapping_shift);
		if (list.page[i].addr == (uintptr_t)self->mem)
			EXPECT_EQ(0, list.page[i].node);
		if (list.page[i].addr == (uintptr_t)self->mem + REGION)
			EXPECT_EQ(1, list.page[i].node);
		if (list.page[i].addr == (uintptr_t)self->mem + 2 * REGION)
			EXPECT_EQ(1, list.page[i].node);
	}
	/* Nothing of a region is left. */
	ASSERT_EQ(0, madvise(self->mem + 3 * REGION, REGION, MADV_DONTNEED));
	list_area(_metadata, self->fd, request, self->mem + 3 * REGION, REGION, 3, &list);
	ASSERT_EQ(1, list.nr);
	EXPECT_EQ(HTMM_NODE_UNKNOWN, list.page[0].node);
	EXPECT_EQ(HTMM_MAPPING_UNKNOWN, list.page[0].mapping_shift);
}

/* One fault brings a huge page; all its pages are resident, one is tracked. */
TEST_F(locate, huge_pages)
{
	struct htmm_list_pages request = {
		.flags = HTMM_LIST_RESIDENT,
		.order = HTMM_ORDER_COLDEST,
	};
	struct placement placement;
	static struct pages list;
	size_t i;

	ASSERT_EQ(0, madvise(self->mem, 2 * REGION, MADV_HUGEPAGE));
	ASSERT_EQ(0, access_bind(self->mem, REGION, 1));
	ASSERT_EQ(0, access_bind(self->mem + REGION, REGION, 0));
	start(_metadata, self, getpid());
	access_pages(&self->source, self->mem, 2 * REGION_PAGES, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	/* Its one page that is not like the others splits a mapping, not the page. */
	ASSERT_EQ(0, mprotect(self->mem + REGION, PAGE, PROT_READ));

	list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 100, &list);
	EXPECT_EQ(2 * REGION_PAGES, list.nr);
	EXPECT_EQ(2 * REGION_PAGES, check_nodes(_metadata, getpid(), &list));
	for (i = 0; i < list.nr; i++) {
		bool first = list.page[i].addr < (uintptr_t)self->mem + REGION;

		EXPECT_EQ(first, list.page[i].node);
		EXPECT_EQ(first ? 21 : 12, list.page[i].mapping_shift);
		EXPECT_EQ(i >= list.nr - 2, list.page[i].samples);
	}
	/* Each of its pages is a page of its own. */
	ASSERT_EQ(0, device_placement(self->fd, 0, &placement));
	EXPECT_EQ(REGION_PAGES, placement.nodes[1].huge_pages);
	EXPECT_LE(REGION_PAGES, placement.nodes[1].pages);
	request = (struct htmm_list_pages) {
		.flags = HTMM_LIST_PLACEMENT,
		.unit = HTMM_UNIT_REGION,
	};
	list_area(_metadata, self->fd, request, self->mem, REGION, 100, &list);
	ASSERT_EQ(1, list.nr);
	EXPECT_EQ(1, list.page[0].node);
	EXPECT_EQ(21, list.page[0].mapping_shift);
}

/* Pages of zeroes, huge and small, take no memory. */
TEST_F(locate, zeroes)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	volatile char *mem = self->mem;
	static struct pages list;

	ASSERT_EQ(0, madvise(self->mem + REGION, REGION, MADV_HUGEPAGE));
	start(_metadata, self, getpid());
	(void)mem[0];
	(void)mem[REGION];
	ASSERT_EQ(0, device_stop(self->fd));
	list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 10, &list);
	EXPECT_EQ(2, list.nr);
	EXPECT_EQ(0, check_nodes(_metadata, getpid(), &list));
	request.flags = HTMM_LIST_RESIDENT;
	request.order = HTMM_ORDER_TABLE;
	list_area(_metadata, self->fd, request, self->mem, 2 * REGION, 10, &list);
	EXPECT_EQ(0, list.nr);
}

/* Pages of hugetlbfs: one of two is there. */
TEST_F(locate, hugetlb)
{
	static const char pool[] =
		"/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages";
	struct htmm_list_pages request = { .flags = HTMM_LIST_RESIDENT, .order = HTMM_ORDER_TABLE };
	static struct pages list;
	char *mem;
	size_t i;

	ASSERT_EQ(0, file_write(pool, "2"));
	mem = mmap(NULL, 2 * REGION, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	EXPECT_NE(MAP_FAILED, mem);
	start(_metadata, self, getpid());
	mem[REGION] = 1;
	ASSERT_EQ(0, device_stop(self->fd));
	list_area(_metadata, self->fd, request, mem, 2 * REGION, 100, &list);
	EXPECT_EQ(REGION_PAGES, list.nr);
	EXPECT_EQ(REGION_PAGES, check_nodes(_metadata, getpid(), &list));
	for (i = 0; i < list.nr; i++) {
		EXPECT_EQ(1, list.page[i].node);
		EXPECT_EQ(21, list.page[i].mapping_shift);
		EXPECT_EQ((uintptr_t)mem + REGION + i * PAGE, list.page[i].addr);
	}
	munmap(mem, 2 * REGION);
	EXPECT_EQ(0, file_write(pool, "0"));
}

/* Maps a page of a PCI device. */
static void *device_map(void)
{
	static const char devices[] = "/sys/bus/pci/devices";
	DIR *dir = opendir(devices);
	struct dirent *entry;
	void *mem = MAP_FAILED;
	char path[400];
	int bar, fd;

	while (dir && mem == MAP_FAILED && (entry = readdir(dir))) {
		for (bar = 0; bar < 6 && mem == MAP_FAILED; bar++) {
			snprintf(path, sizeof(path), "%s/%s/resource%d", devices,
				 entry->d_name, bar);
			fd = open(path, O_RDWR);
			if (fd < 0)
				continue;
			mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			close(fd);
		}
	}
	if (dir)
		closedir(dir);
	return mem;
}

/* What has no page of memory, or cannot be read, is unknown, and no error. */
TEST_F(locate, unknown)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	char *device = device_map();
	static struct pages list;

	ASSERT_NE(MAP_FAILED, device);
	start(_metadata, self, getpid());
	access_pages(&self->source, self->mem, 5, 1);
	ASSERT_EQ(0, device_stop(self->fd));
	list_area(_metadata, self->fd, request, self->mem, 5 * PAGE, 10, &list);
	EXPECT_EQ(5, list.nr);
	EXPECT_EQ(5, check_nodes(_metadata, getpid(), &list));
	ASSERT_EQ(0, mprotect(self->mem, 2 * PAGE, PROT_NONE));
	ASSERT_EQ(0, munmap(self->mem + 2 * PAGE, PAGE));
	list_area(_metadata, self->fd, request, self->mem, 3 * PAGE, 10, &list);
	ASSERT_EQ(3, list.nr);
	EXPECT_EQ(HTMM_NODE_UNKNOWN, list.page[0].node);
	EXPECT_EQ(HTMM_NODE_UNKNOWN, list.page[1].node);
	EXPECT_EQ(HTMM_NODE_UNKNOWN, list.page[2].node);
	list_area(_metadata, self->fd, request, self->mem + 3 * PAGE, 2 * PAGE, 10, &list);
	EXPECT_EQ(2, list.nr);
	EXPECT_EQ(2, check_nodes(_metadata, getpid(), &list));
	request.flags = HTMM_LIST_RESIDENT;
	request.order = HTMM_ORDER_TABLE;
	list_area(_metadata, self->fd, request, device, PAGE, 10, &list);
	EXPECT_EQ(0, list.nr);
	munmap(device, PAGE);
}

TEST_F(locate, bad_arguments)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_NODE, .node = 2 };
	struct placement placement;
	static struct pages list;
	struct htmm_page page;

	EXPECT_EQ(-ENODATA, device_placement(self->fd, 0, &placement));
	start(_metadata, self, getpid());
	EXPECT_EQ(-ENOENT, device_placement(self->fd, 99, &placement));
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request.node = -1;
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request.node = 1 << 20;
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request = (struct htmm_list_pages) { .node = 1 };
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request = (struct htmm_list_pages) { .flags = 2 * HTMM_LIST_OTHERS };
	EXPECT_EQ(-EOPNOTSUPP, pages_list(self->fd, &request, 10, &list));
	request = (struct htmm_list_pages) { .flags = HTMM_LIST_RESIDENT };
	EXPECT_EQ(-EOPNOTSUPP, pages_list(self->fd, &request, 10, &list));
	request.order = HTMM_ORDER_TABLE;
	request.unit = HTMM_UNIT_REGION;
	EXPECT_EQ(-EOPNOTSUPP, pages_list(self->fd, &request, 10, &list));
	request = (struct htmm_list_pages) {
		.flags = HTMM_LIST_RESIDENT | HTMM_LIST_NODE | HTMM_LIST_OTHERS,
		.order = HTMM_ORDER_COLDEST,
	};
	EXPECT_EQ(-EOPNOTSUPP, pages_list(self->fd, &request, 10, &list));
	request.order = HTMM_ORDER_TABLE;
	request.flags = HTMM_LIST_RESIDENT | HTMM_LIST_OTHERS;
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	request.flags = HTMM_LIST_NODE | HTMM_LIST_OTHERS;
	EXPECT_EQ(-EINVAL, pages_list(self->fd, &request, 10, &list));
	/* A cursor of a list of resident pages is none of another. */
	request = (struct htmm_list_pages) {
		LIST_ROOM(&page, 1), .flags = HTMM_LIST_RESIDENT, .order = HTMM_ORDER_COLDEST,
	};
	access_pages(&self->source, self->mem, 10, 1);
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &request));
	EXPECT_EQ(1, request.nr_pages);
	request.flags = 0;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &request));
}
