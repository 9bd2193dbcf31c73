// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the machine's clock where memory takes time (selftests/vm --latency). Prints
 * TAP. The arguments are what that option was given: LOCAL REMOTE HIT
 * ASSIST, in nanoseconds.
 *
 * The cost of the instructions is measured with accesses that the cache serves: the loop
 * has the same number of instructions for any memory, and each instruction takes the same
 * time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/mempolicy.h>
#include <time.h>
#include <unistd.h>

#include "access.h"
#include "sampler.h"
#include "system.h"

#define L3_MISS		0x20d1
#define LINE		64UL
#define SMALL		(256UL << 10)	/* an eighth of the cache */
#define LARGE		(32UL << 20)	/* 16 times the cache */
#define LOADS		400000UL
#define TOLERANCE	0.03
#define PERIOD		199

static double latency[2], hit, assist;

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* In assembly, so that the compiler keeps it although the result is not used. */
static void **load(void **at)
{
	asm volatile("movq (%1), %0" : "=r" (at) : "r" (at) : "memory");
	return at;
}

/* Links the lines in a random cycle: each load waits for the previous one. */
static void **make_cycle(unsigned long bytes, int node)
{
	unsigned long mask = 1UL << node, lines = bytes / LINE;
	unsigned long *order = malloc(lines * sizeof(*order));
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!order || map == MAP_FAILED)
		bail_out("map", "memory");
	if (syscall(SYS_mbind, map, bytes, MPOL_BIND, &mask, 32, 0))
		bail_out("bind", "memory to a node");
	for (unsigned long i = 0; i < lines; i++)
		order[i] = i * LINE;
	for (unsigned long i = lines - 1; i; i--) {
		unsigned long j = random() % i, swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
	for (unsigned long i = 0; i < lines; i++)
		*(void **)(map + order[i]) = map + order[(i + 1) % lines];
	free(order);
	return (void **)map;
}

/*
 * Nanoseconds for each load, and the share of loads that missed the cache, counted by an
 * event of this period; 0: without samples.
 */
static double walk(void **at, __u64 period, double *missed)
{
	struct perf_event_attr attr = sampler_attr(L3_MISS, period);
	struct sampler s;
	double start, ns;

	for (unsigned long i = 0; i < LOADS; i++)
		at = load(at);
	if (sampler_open(&s, &attr, 0, NULL))
		bail_out("open", "an event");
	sampler_enable(&s);
	start = now(CLOCK_MONOTONIC);
	for (unsigned long i = 0; i < LOADS; i++)
		at = load(at);
	ns = now(CLOCK_MONOTONIC) - start;
	sampler_disable(&s);
	*missed = (double)sampler_count(&s) / LOADS;
	sampler_close(&s);
	return ns / LOADS;
}

static bool near(double got, double want, const char *what)
{
	printf("# %s: %.1f ns, expected %.1f\n", what, got, want);
	return fabs(got - want) <= want * TOLERANCE || fail("off by more than 3 %%");
}

static bool test_cost(int node)
{
	double none, some, small, large;

	small = walk(make_cycle(SMALL, node), 0, &none);
	large = walk(make_cycle(LARGE, node), 0, &some);
	printf("# %.4f and %.4f of the loads missed\n", none, some);
	if (none > 0.01 || some < 0.9)
		return fail("the cache does not do what the test takes for granted");
	return near(large - small, (some - none) * (latency[node] - hit),
		    node ? "remote" : "local");
}

static bool test_local(void) { return test_cost(0); }
static bool test_remote(void) { return test_cost(1); }

/* A sample costs its record, and some thousand instructions of its NMI. */
static bool test_assist(void)
{
	void **at = make_cycle(LARGE, 0);
	double missed, alone = walk(at, 0, &missed), sampled = walk(at, PERIOD, &missed);
	double cost = (sampled - alone) * PERIOD / missed;

	printf("# %.0f ns a sample, of which %.0f are the record's\n", cost, assist);
	return (cost >= assist && cost <= assist + 10000) || fail("not what a record takes");
}

static atomic_bool stop;

static void *burn(void *arg)
{
	void **at = arg;

	pin(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	while (!atomic_load(&stop))
		for (int i = 0; i < 1000; i++)
			at = load(at);
	return at;
}

/* One thread sleeps beside one that only waits for memory, on another CPU if there is one. */
static bool test_sleep(void)
{
	static const long naps[] = { 1000000, 10000000, 200000000 };
	pthread_t thread;
	bool good = true;

	if (pthread_create(&thread, NULL, burn, make_cycle(LARGE, 1)))
		bail_out("start", "a thread");
	for (int i = 0; i < 3; i++) {
		double worst = 0;

		for (int n = 0; n < 5; n++) {
			struct timespec nap = { .tv_nsec = naps[i] };
			double start = now(CLOCK_MONOTONIC_RAW), late;

			nanosleep(&nap, NULL);
			late = now(CLOCK_MONOTONIC_RAW) - start - naps[i];
			if (late < 0)
				good = fail("woke up %.0f ns early", -late);
			if (late > worst)
				worst = late;
		}
		printf("# %ld ms: at most %.3f ms late\n", naps[i] / 1000000, worst / 1e6);
		/* The two vCPUs take turns, and a turn is long while one sleeps. */
		if (worst > 2e6)
			good = fail("late by more than 2 ms");
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	return good;
}

/* The scheduler charges the time that passed, measured just outside. */
static bool test_tick(void)
{
	double cpu, start = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
	double missed, past;

	walk(make_cycle(LARGE, 1), 0, &missed);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - used;
	past = now(CLOCK_MONOTONIC) - start;
	printf("# %.1f ms of CPU time in %.1f ms\n", cpu / 1e6, past / 1e6);
	return (cpu <= past && cpu >= past * 0.9) || fail("the clocks do not agree");
}

static const struct {
	const char *name;
	bool (*run)(void);
} tests[] = {
	{ "a miss to the first node takes what it was given", test_local },
	{ "a miss to the other node takes what it was given", test_remote },
	{ "a record takes what it was given", test_assist },
	{ "sleeps end in time beside a thread that waits for memory", test_sleep },
	{ "the time is charged to the program that waits", test_tick },
};

int main(int argc, char **argv)
{
	const int n = sizeof(tests) / sizeof(*tests);
	int failed = 0;

	if (argc != 5)
		bail_out("take", "these arguments: they are LOCAL REMOTE HIT ASSIST");
	latency[0] = atof(argv[1]);
	latency[1] = atof(argv[2]);
	hit = atof(argv[3]);
	assist = atof(argv[4]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%d\n", n);
	pin(0);
	set_max_rate(1000000);
	for (int i = 0; i < n; i++) {
		bool good = tests[i].run();

		failed += !good;
		printf("%sok %d %s\n", good ? "" : "not ", i + 1, tests[i].name);
	}
	return failed != 0;
}
