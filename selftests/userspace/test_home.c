// SPDX-License-Identifier: GPL-2.0
/* What is near to a process, from made-up nodes and made-up CPUs of the threads of this one. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>
#include <htmm/text.h>
#include "tier/home.h"

typeof(htmm_read_line) __wrap_htmm_read_line;
typeof(sched_getaffinity) __wrap_sched_getaffinity;

/*
 * Two sockets, of which the second has two nodes, as with sub-NUMA clusters: CPUs 0-3 on node 0, 4
 * and 5 on node 1, 6 and 7 on node 4. Nodes 2, 8 and 9 have only memory. There are no others.
 */
static const struct {
	const char *path, *line;
} files[] = {
	{ "online", "0-2,4,8-9" },
	{ "node0/cpulist", "0-3" }, { "node0/distance", "10 21 14 21 24 14" },
	{ "node1/cpulist", "4-5" }, { "node1/distance", "21 10 24 12 14 24" },
	{ "node2/cpulist", "" }, { "node2/distance", "14 24 10 24 28 20" },
	{ "node4/cpulist", "6-7" }, { "node4/distance", "21 12 24 10 14 24" },
	{ "node8/cpulist", "" }, { "node8/distance", "24 14 28 14 10 28" },
	{ "node9/cpulist", "" }, { "node9/distance", "14 24 20 24 28 10" },
};

/* A file that is not there. */
static const char *missing = "";

int __wrap_htmm_read_line(char *line, size_t size, const char *path, ...)
{
	static const char nodes[] = "/sys/devices/system/node/";
	char name[128];
	va_list args;
	size_t i;

	va_start(args, path);
	vsnprintf(name, sizeof(name), path, args);
	va_end(args);
	CHECK(!strncmp(name, nodes, strlen(nodes)));
	*line = '\0';
	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(files[i].path, name + strlen(nodes)) &&
		    strcmp(files[i].path, missing))
			snprintf(line, size, "%s", files[i].line);
	return *line ? 0 : -ENOENT;
}

/* CPUs of the main thread, and of all others. */
static unsigned long main_cpus, other_cpus;
static unsigned int asked;

int __wrap_sched_getaffinity(pid_t tid, size_t size, cpu_set_t *set)
{
	unsigned long *cpus = (unsigned long *)set;

	CHECK(size == HTMM_CPUS_MAX / 8);
	asked++;
	*cpus = tid == getpid() ? main_cpus : other_cpus;
	errno = ESRCH;
	return *cpus ? 0 : -1;
}

static struct homes make(unsigned long fast, unsigned long slow)
{
	const struct tiers tiers = {
		.fast = { .bits = { fast }, .size = 8 }, .slow = { .bits = { slow }, .size = 8 },
	};
	struct homes homes = {};

	homes_read(&homes, &tiers);
	return homes;
}

/* The nodes at home of a process with these CPUs, which is this one. */
static unsigned long near_to(struct homes *homes, unsigned long cpus)
{
	const struct htmm_cpus *home;

	main_cpus = cpus;
	other_cpus = cpus;
	homes_forget(homes);
	home = home_of(homes, getpid());
	CHECK(home->size <= 8);
	return home->bits[0];
}

static void test_sockets(void)
{
	struct homes homes = make(1 << 0 | 1 << 1 | 1 << 4, 1 << 2 | 1 << 8 | 1 << 9);

	CHECK(homes.nr == 3);
	CHECK(near_to(&homes, 0x01) == (1 << 0 | 1 << 2 | 1 << 9));
	CHECK(near_to(&homes, 0x08) == (1 << 0 | 1 << 2 | 1 << 9));
	CHECK(near_to(&homes, 0x10) == (1 << 1 | 1 << 8));
	CHECK(near_to(&homes, 0xc0) == (1 << 4 | 1 << 8));
	CHECK(near_to(&homes, 0x30 | 0x40) == (1 << 1 | 1 << 4 | 1 << 8));
	/* Anywhere. */
	CHECK(near_to(&homes, 0xff) == 0x317);
	/* A CPU of none of these nodes, or of a process that is gone. */
	CHECK(near_to(&homes, 0x100) == 0);
	CHECK(near_to(&homes, 0) == 0);
	homes_free(&homes);
	/* Not all nodes are used. */
	homes = make(1 << 0, 1 << 9);
	CHECK(near_to(&homes, 0x80) == (1 << 0 | 1 << 9));
	homes_free(&homes);
	homes = make(1 << 2, 1 << 0 | 1 << 4 | 1 << 8);
	CHECK(near_to(&homes, 0x10) == (1 << 2 | 1 << 4));
	homes_free(&homes);
}

static pthread_barrier_t barrier;

static void *stay(void *arg)
{
	pthread_barrier_wait(&barrier);
	return arg;
}

/* Each thread counts, and a process is looked up again only when it is time. */
static void test_threads(void)
{
	struct homes homes = make(1 << 0 | 1 << 1 | 1 << 4, 1 << 2 | 1 << 8 | 1 << 9);
	pthread_t thread;

	CHECK(near_to(&homes, 0x01) == (1 << 0 | 1 << 2 | 1 << 9));
	CHECK(!pthread_barrier_init(&barrier, NULL, 2));
	CHECK(!pthread_create(&thread, NULL, stay, NULL));
	other_cpus = 0x20;
	CHECK(home_of(&homes, getpid())->bits[0] == (1 << 0 | 1 << 2 | 1 << 9));
	homes_forget(&homes);
	CHECK(home_of(&homes, getpid())->bits[0] == (1 << 0 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 9));
	/* The others need not be asked. */
	asked = 0;
	CHECK(near_to(&homes, 0xff) == 0x317 && asked == 1);
	CHECK(home_of(&homes, INT_MAX)->bits[0] == 0);
	pthread_barrier_wait(&barrier);
	CHECK(!pthread_join(thread, NULL));
	main_cpus = 0x40;
	CHECK(home_of(&homes, getpid())->bits[0] & 1 << 4);
	homes_free(&homes);
}

/* Where the kernel does not tell, nothing is near. */
static void test_missing(void)
{
	struct homes homes;

	missing = "online";
	homes = make(1 << 0 | 1 << 1 | 1 << 4, 1 << 2 | 1 << 8 | 1 << 9);
	CHECK(!homes.nr && !near_to(&homes, 0xff));
	homes_free(&homes);
	missing = "node1/distance";
	homes = make(1 << 0 | 1 << 1 | 1 << 4, 1 << 2 | 1 << 8 | 1 << 9);
	CHECK(homes.nr == 2 && !near_to(&homes, 0x30));
	CHECK(near_to(&homes, 0x11) == (1 << 0 | 1 << 2 | 1 << 9));
	homes_free(&homes);
	missing = "";
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_sockets),
		TAP_TEST(test_threads),
		TAP_TEST(test_missing),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
