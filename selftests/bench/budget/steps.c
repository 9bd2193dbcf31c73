// SPDX-License-Identifier: GPL-2.0
/*
 * steps BUDGET_PPM INTERVAL_MS LOOKS: what sampling costs while a load steps.
 *
 * Samples its own stores under a budget while their rate steps up and down by tens,
 * and prints a line for each look that the module takes at its cost. Exit status 0
 * if, from the fifth adaptation to each step on, the cost was within 120 % of the
 * budget, and the period came down again with the load.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "access.h"

/* Stores in a second at 1x; 100x is within reach of an emulated CPU. */
#define RATE		40000
#define PAGES		50
#define SLICES		100
/* Adaptations that a step may take, and the cost allowed after them. */
#define ADAPTATIONS	5
#define TOLERANCE	120
#define POLLS		16
#define MIN_PERIOD	11
#define MAX_PERIOD	10000019

static const unsigned int loads[] = { 1, 10, 100, 10, 1, 100, 1 };
#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

/**
 * struct look - one look of the module at its cost
 * @time: when it was seen, in seconds
 * @count: accesses until then
 * @period: the period from then on
 * @cost: cost since the look before, in ppm
 */
struct look {
	double time;
	__u64 count;
	__u64 period;
	__u32 cost;
};

static struct source source;
static void *memory;
static unsigned int load;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void rest(double seconds)
{
	const struct timespec ts = {
		.tv_sec = seconds,
		.tv_nsec = (seconds - (long)seconds) * 1e9,
	};

	if (seconds > 0)
		nanosleep(&ts, NULL);
}

/* Stores at an even rate; what does not fit into a slice of time is left out. */
static void *work(void *unused)
{
	double due = now();

	for (;;) {
		unsigned int rate = RATE * __atomic_load_n(&load, __ATOMIC_RELAXED);

		access_pages(&source, memory, PAGES, rate / SLICES / PAGES);
		due += 1.0 / SLICES;
		if (due < now())
			due = now();
		rest(due - now());
	}
	return unused;
}

static void fail(const char *what, int ret)
{
	fprintf(stderr, "steps: %s: %s\n", what, strerror(-ret));
	exit(2);
}

static void look_read(int fd, struct look *look)
{
	struct stats stats;
	unsigned int i;
	int ret = stats_read(fd, &stats);

	if (ret)
		fail("statistics", ret);
	*look = (struct look) {
		.time = now(),
		.cost = stats.s.cost_ppm,
		.period = stats.channels[0].period,
	};
	for (i = 0; i < stats.s.nr_channels; i++)
		look->count += stats.channels[i].count;
	stats_free(&stats);
}

/* Waits for the next look, which all but surely finds another cost. */
static void look_wait(int fd, double interval, struct look *look)
{
	const __u32 last = look->cost;
	int i;

	for (i = 0; i < 2 * POLLS; i++) {
		struct htmm_stats stats = { .size = sizeof(stats) };
		int ret;

		rest(interval / POLLS);
		ret = device_ioctl(fd, HTMM_IOC_GET_STATS, &stats);
		if (ret)
			fail("statistics", ret);
		if (stats.cost_ppm != last)
			break;
	}
	look_read(fd, look);
}

/* Lets a load stand for @nr looks; returns how many of them cost too much. */
static int step(int fd, double interval, int nr, __u32 budget,
		struct look *look)
{
	int i, over = 0;

	for (i = 1; i <= nr; i++) {
		const struct look last = *look;
		bool bad;

		look_wait(fd, interval, look);
		/* What the fifth adaptation did is seen by the sixth look. */
		bad = i > ADAPTATIONS &&
		      look->cost * 100ULL > budget * (__u64)TOLERANCE;
		over += bad;
		printf("%8.2f %5ux %3d %12.0f %10llu %8.2f %8.2f%s\n",
		       look->time, load, i,
		       (look->count - last.count) / (look->time - last.time),
		       last.period, look->cost / 1e4, budget / 1e4,
		       bad ? "  over" : "");
		fflush(stdout);
	}
	return over;
}

static int start(__u32 budget, __u32 interval_ms)
{
	struct request req;
	int ret, fd = device_open();

	if (fd < 0)
		fail(DEVICE_PATH, fd);
	if (!source_find(&source, ACCESS_STORE))
		fail("no PMU here samples stores", -ENODEV);
	memory = access_map(PAGES);
	if (!memory)
		fail("memory", -ENOMEM);
	source.event.min_period = MIN_PERIOD;
	source.event.max_period = MAX_PERIOD;
	request_init(&req, &source.event);
	request_add_target(&req, getpid());
	req.arg.flags = HTMM_START_BUDGET;
	req.arg.budget_ppm = budget;
	req.arg.budget_interval_ms = interval_ms;
	ret = device_start(fd, &req);
	if (ret)
		fail(req.error, ret);
	return fd;
}

int main(int argc, char **argv)
{
	__u64 first = 0, most = 0;
	int fd, over = 0, nr;
	struct look look;
	__u32 budget, ms;
	pthread_t thread;
	unsigned int i;

	if (argc != 4) {
		fprintf(stderr, "usage: steps BUDGET_PPM INTERVAL_MS LOOKS\n");
		return 2;
	}
	budget = atoi(argv[1]);
	ms = atoi(argv[2]);
	nr = atoi(argv[3]);
	fd = start(budget, ms);
	load = loads[0];
	if (pthread_create(&thread, NULL, work, NULL))
		fail("a thread", -ENOMEM);

	printf("%8s %6s %3s %12s %10s %8s %8s\n", "seconds", "load", "n",
	       "accesses/s", "period", "cost %", "budget %");
	look_read(fd, &look);
	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		__atomic_store_n(&load, loads[i], __ATOMIC_RELAXED);
		over += step(fd, ms / 1e3, nr, budget, &look);
		if (!i)
			first = look.period;
		if (look.period > most)
			most = look.period;
	}
	printf("budget: over=%d looks=%zu period=%llu highest=%llu again=%llu\n",
	       over, ARRAY_SIZE(loads) * (nr - ADAPTATIONS), first, most, look.period);
	return over || look.period > 2 * first || most < 10 * first;
}
