// SPDX-License-Identifier: GPL-2.0
/* Where pages are, as libhtmm reads it; against fake_device.c. */
#include <stdlib.h>
#include <unistd.h>
#include "test.h"

static int open_device(void)
{
	struct htmm_error err = {};
	int fd = htmm_device_open(NULL, &err);

	CHECK(fd >= 0);
	return fd;
}

static void test_nodes(void)
{
	struct htmm_placement_buf buf;
	struct htmm_error err = {};
	int fd = open_device();

	CHECK(!htmm_device_placement(fd, 0, &buf, &err));
	CHECK(buf.placement.nr_nodes == 2);
	CHECK(buf.nodes[0].node == 0);
	CHECK(buf.nodes[0].flags == HTMM_NODE_FAST);
	CHECK(buf.nodes[0].samples == 2000);
	CHECK(buf.nodes[1].node == 1);
	CHECK(buf.nodes[1].flags == 0);
	CHECK(buf.nodes[1].hot_pages == 450);
	CHECK(buf.nodes[1].bins[3] == 8);
	CHECK(buf.placement.unknown_samples == 500);
	htmm_placement_free(&buf);
	CHECK(!buf.nodes);

	CHECK(!htmm_device_placement(fd, 1, &buf, &err));
	CHECK(buf.nodes[1].huge_pages == 2 * 1536);
	htmm_placement_free(&buf);
	close(fd);
}

static void test_refused(void)
{
	const struct htmm_list_pages request = { .flags = HTMM_LIST_PLACEMENT };
	struct htmm_placement_buf buf;
	struct htmm_page_list list;
	struct htmm_error err = {};
	int fd = open_device();

	CHECK(refused(htmm_device_placement(fd, 9, &buf, &err), ENOENT, &err, "target 9"));
	setenv("FAKE_OLD", "1", 1);
	CHECK(refused(htmm_device_placement(fd, 0, &buf, &err), ENOTTY, &err, "where pages are"));
	CHECK(refused(htmm_device_list_pages(fd, &request, 0, &list, &err), EOPNOTSUPP, &err,
		      "where pages are"));
	unsetenv("FAKE_OLD");
	close(fd);
}

static void test_list(void)
{
	struct htmm_list_pages request = { .flags = HTMM_LIST_NODE, .node = 1 };
	struct htmm_page_list list;
	struct htmm_error err = {};
	int fd = open_device();
	size_t i, huge = 0;

	CHECK(!htmm_device_list_pages(fd, &request, 0, &list, &err));
	CHECK(list.nr == 5000 / 3 - 1);
	CHECK(list.skipped == 0);
	for (i = 0; i < list.nr; i++) {
		CHECK(list.pages[i].node == 1);
		huge += list.pages[i].mapping_shift == 21;
	}
	CHECK(huge == 416);
	htmm_pages_free(&list);

	/* Those that were never sampled come first. */
	setenv("FAKE_SKIPPED", "3", 1);
	request = (struct htmm_list_pages) {
		.flags = HTMM_LIST_RESIDENT, .order = HTMM_ORDER_COLDEST,
	};
	CHECK(!htmm_device_list_pages(fd, &request, 0, &list, &err));
	CHECK(list.nr == 5100);
	CHECK(list.skipped == 3);
	CHECK(list.pages[99].samples == 0);
	CHECK(list.pages[100].samples == 1);
	htmm_pages_free(&list);
	CHECK(list.skipped == 0);
	unsetenv("FAKE_SKIPPED");
	close(fd);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_nodes),
		TAP_TEST(test_refused),
		TAP_TEST(test_list),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
