// SPDX-License-Identifier: GPL-2.0
/* Where pages are: the nodes of one's own pages and of others'. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <htmm/nodes.h>
#include "test.h"

#define PAGE	4096UL
/* More than libhtmm asks for at once. */
#define PAGES	2500UL

static char *map_pages(void)
{
	char *map = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(map != MAP_FAILED);
	madvise(map, PAGES * PAGE, MADV_NOHUGEPAGE);
	return map;
}

static struct htmm_page page_of(pid_t pid, const char *at)
{
	return (struct htmm_page) { .pid = pid, .addr = (uintptr_t)at };
}

/* A child that has the parent's pages until it is killed. */
static pid_t make_child(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	while (!pid)
		pause();
	return pid;
}

/* The node that this kernel gives the page when asked by another way; -1: it is not there. */
static int node_of(const char *at)
{
	int node = -1;

	if (syscall(SYS_get_mempolicy, &node, NULL, 0, at, 3 /* MPOL_F_NODE | MPOL_F_ADDR */))
		return -1;
	return node;
}

/* Pages of two processes in turn; every other page was written. */
static void test_processes(void)
{
	static struct htmm_page pages[2 * PAGES];
	static int nodes[2 * PAGES];
	const struct htmm_page_list list = { .pages = pages, .nr = 2 * PAGES };
	char *map = map_pages();
	pid_t child;
	size_t i;

	for (i = 0; i < PAGES; i += 2)
		map[i * PAGE] = 1;
	child = make_child();
	for (i = 0; i < list.nr; i++)
		pages[i] = page_of(i % 2 ? child : getpid(), map + i / 2 * PAGE);
	CHECK(!htmm_page_nodes(&list, nodes));
	for (i = 0; i < list.nr; i++) {
		if (i / 2 % 2)
			CHECK(nodes[i] == -ENOENT);
		else
			CHECK(nodes[i] >= 0 && nodes[i] == node_of(map + i / 2 * PAGE));
	}
	kill(child, SIGKILL);
	CHECK(waitpid(child, NULL, 0) == child);
	munmap(map, PAGES * PAGE);
}

/* Neither another process with that pid nor the caller is asked in their place. */
static void test_gone(void)
{
	static char written[PAGE] = { 1 };
	struct htmm_page pages[4];
	const struct htmm_page_list list = { .pages = pages, .nr = ARRAY_SIZE(pages) };
	pid_t dead = fork();
	int nodes[4];

	if (!dead)
		_exit(0);
	CHECK(waitpid(dead, NULL, 0) == dead);
	pages[0] = page_of(dead, written);
	pages[1] = page_of(0, written);
	pages[2] = page_of(getpid(), written);
	pages[2].flags = HTMM_PAGE_EXITED;
	pages[3] = page_of(getpid(), written);
	CHECK(!htmm_page_nodes(&list, nodes));
	CHECK(nodes[0] == -ESRCH);
	CHECK(nodes[1] == -ESRCH);
	CHECK(nodes[2] == -ESRCH);
	CHECK(nodes[3] >= 0);
}

static void test_nothing_mapped(void)
{
	struct htmm_page page = page_of(getpid(), (const char *)PAGE);
	const struct htmm_page_list none = {}, list = { .pages = &page, .nr = 1 };
	int node = 7;

	CHECK(!htmm_page_nodes(&none, NULL));
	CHECK(!htmm_page_nodes(&list, &node));
	CHECK(node == -EFAULT);
}

/* Others' memory is theirs. */
static void test_not_allowed(void)
{
	static char written[PAGE] = { 1 };
	struct htmm_page page = page_of(1, written);
	const struct htmm_page_list list = { .pages = &page, .nr = 1 };
	int node = 0, status;
	pid_t child = fork();

	if (!child)
		_exit((!getuid() && setuid(65534)) || htmm_page_nodes(&list, &node) ||
		      node != -EPERM);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(!status);
}

/* A sysfs of one's own. */
static char sysfs[32];

static void put(const char *dir, const char *file, const char *text)
{
	char command[256], path[256];
	FILE *to;

	snprintf(command, sizeof(command), "mkdir -p %s/devices/%s", sysfs, dir);
	CHECK(!system(command));
	snprintf(path, sizeof(path), "%s/devices/%s/%s", sysfs, dir, file);
	to = fopen(path, "w");
	CHECK(to);
	CHECK(fputs(text, to) >= 0 && !fclose(to));
}

static void test_tiers(void)
{
	struct htmm_error err = {};
	struct htmm_cpus fast, memory;
	struct htmm_tiers tiers;

	snprintf(sysfs, sizeof(sysfs), "/tmp/htmm-sysfs-XXXXXX");
	CHECK(mkdtemp(sysfs));
	CHECK(refused(htmm_tiers_read(&tiers, sysfs, &err), ENOENT, &err, "memory"));
	CHECK(strstr(err.todo, "--capacity"));

	/* One node: there is no slow tier. */
	put("system/node", "has_memory", "0\n");
	put("system/node", "has_cpu", "0\n");
	put("system/node/node0", "meminfo",
	    "Node 0 MemTotal:        1000 kB\nNode 0 MemFree:  7 kB\n");
	put("virtual/memory_tiering/memory_tier4", "nodelist", "0\n");
	CHECK(!htmm_tiers_read(&tiers, sysfs, &err));
	CHECK(!tiers.ranked && tiers.fast_bytes == 1000 << 10);
	CHECK(tiers.total_bytes == tiers.fast_bytes);

	/* A node without CPUs that the kernel does not rank, and one without memory. */
	put("system/node", "has_memory", "0,10\n");
	put("system/node", "has_cpu", "0,11\n");
	put("system/node/node10", "meminfo", "Node 10 MemTotal: 3000 kB\n");
	put("system/node/node11", "meminfo", "Node 11 MemTotal: 77 kB\n");
	CHECK(!htmm_tiers_read(&tiers, sysfs, &err));
	CHECK(!tiers.ranked && tiers.fast_bytes == 1000 << 10);
	CHECK(tiers.total_bytes == 4000 << 10);

	/* A tier that has lost its nodes is none. */
	put("virtual/memory_tiering/memory_tier22", "nodelist", "\n");
	CHECK(!htmm_tiers_read(&tiers, sysfs, &err) && !tiers.ranked);

	/* The kernel knows better than who has CPUs: 22 comes before 112, and after 4. */
	put("system/node", "has_memory", "0,2,10\n");
	put("system/node/node2", "meminfo", "Node 2 MemTotal: 200 kB\n");
	put("virtual/memory_tiering/memory_tier4", "nodelist", "2\n");
	put("virtual/memory_tiering/memory_tier22", "nodelist", "0\n");
	put("virtual/memory_tiering/memory_tier112", "nodelist", "10\n");
	CHECK(!htmm_tiers_read(&tiers, sysfs, &err));
	CHECK(tiers.ranked && tiers.fast_bytes == 200 << 10);
	CHECK(tiers.total_bytes == 4200 << 10);
	put("virtual/memory_tiering/memory_tier4", "nodelist", "0,2\n");
	CHECK(!htmm_tiers_read(&tiers, sysfs, &err) && tiers.fast_bytes == 1200 << 10);
	CHECK(htmm_tiers_nodes(&fast, &memory, sysfs));
	CHECK(fast.bits[0] == (1 << 0 | 1 << 2));
	CHECK(memory.bits[0] == (1 << 0 | 1 << 2 | 1 << 10));

	/* This machine's own. */
	CHECK(!htmm_tiers_read(&tiers, NULL, &err));
	CHECK(tiers.fast_bytes && tiers.fast_bytes <= tiers.total_bytes);
}

static void remove_sysfs(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", sysfs);
	CHECK(!system(command));
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_processes),
		TAP_TEST(test_gone),
		TAP_TEST(test_nothing_mapped),
		TAP_TEST(test_not_allowed),
		TAP_TEST(test_tiers),
	};
	int ret = tap_main(tests, ARRAY_SIZE(tests));

	remove_sysfs();
	return ret;
}
