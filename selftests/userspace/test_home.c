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
typeof(fopen) __real_fopen, __wrap_fopen;

/*
 * Two sockets, of which the second has two nodes, as with sub-NUMA clusters: CPUs 0-3 on node 0, 4
 * and 5 on node 1, 6 and 7 on node 4. A third one is node 70, with the CPUs 66 and 67. Nodes 2, 8
 * and 9 have only memory. There are no others.
 */
static const struct {
	const char *path, *line;
} files[] = {
	{ "online", "0-2,4,8-9,70" },
	{ "node0/cpulist", "0-3" }, { "node0/distance", "10 21 14 21 24 14 30" },
	{ "node1/cpulist", "4-5" }, { "node1/distance", "21 10 24 12 14 24 30" },
	{ "node2/cpulist", "" }, { "node2/distance", "14 24 10 24 28 20 30" },
	{ "node4/cpulist", "6-7" }, { "node4/distance", "21 12 24 10 14 24 30" },
	{ "node8/cpulist", "" }, { "node8/distance", "24 14 28 14 10 28 30" },
	{ "node9/cpulist", "" }, { "node9/distance", "14 24 20 24 28 10 30" },
	{ "node70/cpulist", "66-67" }, { "node70/distance", "31 30 34 30 33 33 10" },
};

/* A file that is not there, or that is cut after so many bytes. */
static const char *missing = "", *cut = "";
static size_t cut_at;

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
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (strcmp(files[i].path, name + strlen(nodes)) || !strcmp(files[i].path, missing))
			continue;
		snprintf(line, strcmp(files[i].path, cut) ? size : cut_at + 1, "%s", files[i].line);
		return 0;
	}
	*line = '\0';
	return -ENOENT;
}

/* CPUs by thread: 0 to 63, and from 64 on; @gone: it exits before it is asked for. */
static struct thread {
	pid_t tid;
	unsigned long cpus[2];
	bool gone;
} threads[HOME_THREADS + 2];
static unsigned int nr_threads, asked;

static struct thread *thread_of(pid_t tid)
{
	unsigned int i;

	for (i = 0; i < nr_threads && threads[i].tid != tid; i++)
		;
	CHECK(i < nr_threads);
	return &threads[i];
}

int __wrap_sched_getaffinity(pid_t tid, size_t size, cpu_set_t *set)
{
	const struct thread *thread = thread_of(tid);

	CHECK(size == HTMM_CPUS_MAX / 8);
	asked++;
	memcpy(set, thread->cpus, sizeof(thread->cpus));
	errno = ESRCH;
	return thread->gone ? -1 : 0;
}

/* On which nodes this process may have memory. */
static const char everywhere[] = "Mems_allowed_list:\t0-127", *allowed = everywhere;

FILE *__wrap_fopen(const char *path, const char *mode)
{
	static char status[200];
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/status", getpid());
	if (strcmp(path, name))
		return __real_fopen(path, mode);
	snprintf(status, sizeof(status), "Name:\ttest\nMems_allowed:\t1\n%s\nThreads:\t1\n",
		 allowed);
	return fmemopen(status, strlen(status), "r");
}

static const struct tiers usual = {
	.fast = { .bits = { 1 << 0 | 1 << 1 | 1 << 4, 1 << 6 }, .size = 16 },
	.slow = { .bits = { 1 << 2 | 1 << 8 | 1 << 9 }, .size = 8 },
};

static struct homes make(unsigned long fast, unsigned long slow)
{
	const struct tiers tiers = {
		.fast = { .bits = { fast }, .size = 8 }, .slow = { .bits = { slow }, .size = 8 },
	};
	struct homes homes = {};

	homes_read(&homes, &tiers);
	return homes;
}

/* The first nodes at home of a process with one thread and these CPUs, which is this one. */
static unsigned long near_to(struct homes *homes, unsigned long cpus)
{
	nr_threads = 1;
	threads[0] = (struct thread) { .tid = getpid(), .cpus = { cpus } };
	homes_forget(homes);
	return home_of(homes, getpid())->bits[0];
}

static void test_sockets(void)
{
	struct homes homes = {};
	const struct htmm_cpus *home;

	homes_read(&homes, &usual);
	CHECK(homes.nr == 4);
	CHECK(near_to(&homes, 0x01) == (1 << 0 | 1 << 2 | 1 << 9));
	CHECK(near_to(&homes, 0x08) == (1 << 0 | 1 << 2 | 1 << 9));
	CHECK(near_to(&homes, 0x10) == (1 << 1 | 1 << 8));
	CHECK(near_to(&homes, 0xc0) == (1 << 4 | 1 << 8));
	CHECK(near_to(&homes, 0x30 | 0x40) == (1 << 1 | 1 << 4 | 1 << 8));
	home = &homes.home;
	CHECK(!home->bits[1]);
	threads[0].cpus[1] = 1 << 3;
	homes_forget(&homes);
	home = home_of(&homes, getpid());
	CHECK(home->bits[0] == (1 << 1 | 1 << 4 | 1 << 8 | 1 << 9) && home->bits[1] == 1 << 6);
	CHECK(home->size == 16);
	/* A CPU of none of these nodes. */
	CHECK(near_to(&homes, 0x100) == 0);
	homes_free(&homes);
	CHECK(!homes.nr && !homes.node);
	/* Not all nodes are used. */
	homes = make(1 << 0, 1 << 9);
	CHECK(near_to(&homes, 0x80) == (1 << 0 | 1 << 9));
	homes_free(&homes);
	homes = make(1 << 2, 1 << 0 | 1 << 4 | 1 << 8);
	CHECK(near_to(&homes, 0x10) == (1 << 2 | 1 << 4));
	homes_free(&homes);
}

/* Where a cpuset allows no memory, there is no home. */
static void test_allowed(void)
{
	struct homes homes = {};

	homes_read(&homes, &usual);
	allowed = "Mems_allowed_list:\t1,9";
	CHECK(near_to(&homes, 0x01) == 1 << 9);
	CHECK(near_to(&homes, 0x10) == 1 << 1);
	allowed = "Mems_allowed_list:\t1-4";
	CHECK(near_to(&homes, 0x01) == 1 << 2);
	allowed = "Mems_allowed_list:\tnone";
	CHECK(near_to(&homes, 0x01) == (1 << 0 | 1 << 2 | 1 << 9));
	allowed = "";
	CHECK(near_to(&homes, 0x01) == (1 << 0 | 1 << 2 | 1 << 9));
	allowed = everywhere;
	homes_free(&homes);
}

static pthread_barrier_t barrier;

static void *stay(void *cpus)
{
	threads[nr_threads] = (struct thread) { .tid = gettid(), .cpus = { (unsigned long)cpus } };
	__atomic_store_n(&nr_threads, nr_threads + 1, __ATOMIC_RELEASE);
	pthread_barrier_wait(&barrier);
	return NULL;
}

/* Starts so many threads, each with these CPUs. */
static void begin(pthread_t *thread, unsigned int nr, unsigned long cpus)
{
	unsigned int i;

	CHECK(!pthread_barrier_init(&barrier, NULL, nr + 1));
	/* One by one: the kernel tells of them in the order in which they were created. */
	for (i = 0; i < nr; i++) {
		CHECK(!pthread_create(&thread[i], NULL, stay, (void *)cpus));
		while (__atomic_load_n(&nr_threads, __ATOMIC_ACQUIRE) < i + 2)
			usleep(100);
	}
}

static void end(pthread_t *thread, unsigned int nr)
{
	pthread_barrier_wait(&barrier);
	while (nr)
		CHECK(!pthread_join(thread[--nr], NULL));
}

/* The nodes of all threads count, and no more threads are asked than have to be. */
static void test_threads(void)
{
	const unsigned long all = usual.fast.bits[0] | usual.slow.bits[0];
	struct homes homes = {};
	pthread_t thread[3];

	homes_read(&homes, &usual);
	CHECK(near_to(&homes, 0x01) == (1 << 0 | 1 << 2 | 1 << 9));
	begin(thread, ARRAY_SIZE(thread), 0x01);
	threads[2].cpus[0] = 0x20;
	/* It is not looked up again before it is time. */
	CHECK(home_of(&homes, getpid())->bits[0] == (1 << 0 | 1 << 2 | 1 << 9));
	homes_forget(&homes);
	asked = 0;
	CHECK(home_of(&homes, getpid())->bits[0] == (1 << 0 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 9));
	CHECK(asked == 4);
	/* One that has exited meanwhile has no CPUs; the others have. */
	threads[1].gone = true;
	threads[1].cpus[0] = 0x80;
	homes_forget(&homes);
	CHECK(home_of(&homes, getpid())->bits[0] == (1 << 0 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 9));
	/* Three of four nodes are not all; all four are. */
	threads[1].gone = false;
	homes_forget(&homes);
	asked = 0;
	CHECK(home_of(&homes, getpid())->bits[0] == all && !homes.home.bits[1] && asked == 4);
	threads[2].cpus[1] = 1 << 2;
	homes_forget(&homes);
	asked = 0;
	CHECK(home_of(&homes, getpid())->bits[0] == all && homes.home.bits[1] == 1 << 6);
	CHECK(asked == 3);
	/* Another process is, also if there is none. */
	CHECK(home_of(&homes, INT_MAX)->bits[0] == 0);
	CHECK(home_of(&homes, getpid())->bits[0] == all && asked == 6);
	end(thread, ARRAY_SIZE(thread));
	homes_free(&homes);
}

/* Of thousands of threads, only the first are looked at. */
static void test_many_threads(void)
{
	struct homes homes = {};
	pthread_t thread[HOME_THREADS + 1];

	homes_read(&homes, &usual);
	near_to(&homes, 0x01);
	begin(thread, ARRAY_SIZE(thread), 0x02);
	threads[HOME_THREADS - 1].cpus[0] = 0x10;
	threads[HOME_THREADS].cpus[0] = 0x40;
	asked = 0;
	homes_forget(&homes);
	CHECK(home_of(&homes, getpid())->bits[0] == (1 << 0 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 9));
	CHECK(asked == HOME_THREADS);
	end(thread, ARRAY_SIZE(thread));
	homes_free(&homes);
}

/* Where the kernel does not tell all, nothing is near. */
static void test_missing(void)
{
	static const char *const files_needed[] = {
		"online", "node1/cpulist", "node2/cpulist", "node1/distance", "node70/distance",
	};
	struct homes homes = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files_needed); i++) {
		missing = files_needed[i];
		homes_read(&homes, &usual);
		CHECK(!homes.nr && !homes.node && !near_to(&homes, 0xff));
	}
	missing = "";
	/* Distances of the first three nodes: what is behind them is not near, nor far. */
	cut = "node1/distance";
	cut_at = strlen("21 10 24");
	homes_read(&homes, &usual);
	CHECK(homes.nr == 4 && near_to(&homes, 0x10) == (1 << 1 | 1 << 2));
	homes_free(&homes);
	cut_at = 2;
	homes_read(&homes, &usual);
	CHECK(homes.nr == 4 && near_to(&homes, 0x10) == 1 << 0);
	homes_free(&homes);
	cut = "";
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_sockets),
		TAP_TEST(test_allowed),
		TAP_TEST(test_threads),
		TAP_TEST(test_many_threads),
		TAP_TEST(test_missing),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
