// SPDX-License-Identifier: GPL-2.0
/* Which nodes are fast, from a made-up sysfs. */
#include <stdlib.h>
#include <unistd.h>
#include "test.h"

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
		TAP_TEST(test_tiers),
	};
	int ret = tap_main(tests, ARRAY_SIZE(tests));

	remove_sysfs();
	return ret;
}
