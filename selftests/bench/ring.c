// SPDX-License-Identifier: GPL-2.0
/*
 * Taking records out of a ring: a batch between one acquire and one release, as
 * ksampled does it, and beside it one record at a time with a full barrier for each.
 * With two threads, the other one writes all the time and a quarter of the ring is
 * waited for.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "ring.h"

#define SLOTS		4096
#define SLOT_BYTES	64
#define ROUNDS		64		/* quarters of the ring in one turn */
#define TURNS		31

struct writer {
	struct htmm_ring *ring;
	const cpu_set_t *cpus;
	bool stop;
};

static u64 sum;		/* so that what is read is needed */

static bool write_one(struct htmm_ring *ring)
{
	u64 *slot = htmm_ring_reserve(ring);
	u32 i;

	if (!slot)
		return false;
	for (i = 0; i < SLOT_BYTES / sizeof(*slot); i++)
		slot[i] = i;
	htmm_ring_commit(ring);
	return true;
}

/* Half a slot is what ksampled looks at. */
static inline void read_one(const u64 *slot)
{
	sum += slot[1] + slot[2] + slot[3] + slot[4];
}

static u32 drain_batch(struct htmm_ring *ring)
{
	void *first;
	u32 i, n = min_t(u32, htmm_ring_peek(ring, &first), BENCH_BATCH);

	for (i = 0; i < n; i++)
		read_one(first + i * SLOT_BYTES);
	htmm_ring_consume(ring, n);
	return n;
}

static u32 drain_single(struct htmm_ring *ring)
{
	void *first;

	/* Nothing is remembered of the writer's index. */
	ring->head_seen = ring->tail;
	if (!htmm_ring_peek(ring, &first))
		return 0;
	read_one(first);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	htmm_ring_consume(ring, 1);
	return 1;
}

/* A quarter of the ring, or more: CPU time per record. */
static double quarter(struct htmm_ring *ring, bool alone,
		      u32 (*drain)(struct htmm_ring *ring))
{
	double start;
	u32 n = 0, i;

	for (i = 0; alone && i < SLOTS / 4; i++)
		write_one(ring);
	while (htmm_ring_used(ring) < SLOTS / 4)
		sched_yield();
	start = bench_now();
	while (n < SLOTS / 4)
		n += drain(ring);
	return (bench_now() - start) / n;
}

static double turn(struct htmm_ring *ring, bool alone,
		   u32 (*drain)(struct htmm_ring *ring))
{
	double ns[ROUNDS];
	u32 i;

	for (i = 0; i < ROUNDS; i++)
		ns[i] = quarter(ring, alone, drain);
	return bench_quartile(ns, ROUNDS, 2);
}

/* Stay on the n-th CPU of those that the program may use. */
static void stay(const cpu_set_t *allowed, int n)
{
	cpu_set_t one;
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, allowed) || n--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void *writer(void *arg)
{
	struct writer *w = arg;

	stay(w->cpus, 1);

	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED)) {
		if (!write_one(w->ring))
			sched_yield();
	}
	return NULL;
}

static void compare(struct htmm_ring *ring, const char *how, bool alone)
{
	double ns[2][TURNS], ratio[2][TURNS];
	static const char *const names[] = { "ring-batch", "ring-single" };
	const struct bench_space space = { .pages = SLOTS, .one_in = 1, .spaces = 1 };
	const struct bench_load load = { .stream = how, .weight = 1 };
	struct bench_result result = { 0 };
	u32 i, unit;

	for (i = 0; i < TURNS; i++) {
		ns[0][i] = turn(ring, alone, drain_batch);
		ns[1][i] = turn(ring, alone, drain_single);
		ratio[0][i] = 1;
		ratio[1][i] = ns[1][i] / ns[0][i];
	}
	for (unit = 0; unit < 2; unit++) {
		result.turns = TURNS;
		result.ns = bench_quartile(ns[unit], TURNS, 2);
		result.bound = bench_quartile(ns[0], TURNS, 2);
		for (i = 0; i < 3; i++)
			result.ratio[i] = bench_quartile(ratio[unit], TURNS, i + 1);
		bench_report(names[unit], &space, &load, &result, SLOT_BYTES);
	}
}

static void compare_across(struct htmm_ring *ring)
{
	struct writer w = { .ring = ring };
	pthread_t thread;
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	if (CPU_COUNT(&cpus) < 2) {
		printf("# ring, two threads: skipped, there is one CPU\n");
		return;
	}
	w.cpus = &cpus;
	stay(&cpus, 0);
	pthread_create(&thread, NULL, writer, &w);
	compare(ring, "two-threads", false);
	__atomic_store_n(&w.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

void bench_ring(void)
{
	struct htmm_ring *ring = aligned_alloc(64, sizeof(*ring));
	void *mem = bench_alloc(SLOTS * SLOT_BYTES);

	htmm_ring_init(ring, mem, SLOTS * SLOT_BYTES, SLOT_BYTES);
	compare(ring, "one-thread", true);
	compare_across(ring);
	bench_free(mem, SLOTS * SLOT_BYTES);
	free(ring);
}
