// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "evict.h"
#include "shard.h"

/* Dense pages with some in planes, entries, and the directory. */
#define BYTES_PER_PAGE	3

/* In huge pages, as the kernel's own memory is. */
static void *alloc(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED) {
		fprintf(stderr, "no memory for %zu bytes\n", bytes);
		exit(1);
	}
	madvise(mem, bytes, MADV_HUGEPAGE);
	return mem;
}

void shard_open(struct shard *shard, u64 pages)
{
	const struct htmm_table_config config = {
		.max_bytes = pages * BYTES_PER_PAGE + (1 << 20),
	};

	memset(shard, 0, sizeof(*shard));
	shard->dir = alloc(htmm_table_dir_bytes(&config));
	shard->arena = alloc(config.max_bytes);
	if (htmm_table_init(&shard->table, &config, shard->dir, &shard->pool)) {
		fprintf(stderr, "the table refuses its limits\n");
		exit(1);
	}
}

/* Looks at the lock before whoever has it must be thought to have lost its CPU. */
#define LOOKS	10000

static bool shard_trylock(struct shard *shard)
{
	return !atomic_exchange_explicit(&shard->locked, true,
					 memory_order_acquire);
}

void shard_lock(struct shard *shard, u64 *waited)
{
	u64 start;
	u32 looks;

	if (shard_trylock(shard))
		return;
	start = wall_ns();
	do {
		for (looks = LOOKS; atomic_load(&shard->locked); ) {
			if (looks && looks--)
				__builtin_ia32_pause();
			else
				sched_yield();
		}
	} while (!shard_trylock(shard));
	*waited += wall_ns() - start;
}

void shard_unlock(struct shard *shard)
{
	atomic_store_explicit(&shard->locked, false, memory_order_release);
}

static void shard_refill(struct shard *shard, u32 n, u64 *waited)
{
	u32 need;

	shard_lock(shard, waited);
	need = htmm_table_need(&shard->table, n);
	shard_unlock(shard);
	if (!need)
		return;
	shard_lock(shard, waited);
	for (; need; need--)
		htmm_pool_put(&shard->pool,
			      &shard->arena[HTMM_POOL_PAGE_SIZE * shard->given++]);
	shard_unlock(shard);
}

void shard_add(struct shard *shard, const struct htmm_table_sample *s, u32 n,
	       u64 *waited)
{
	u32 dropped[BENCH_BATCH];

	shard_refill(shard, n, waited);
	shard_lock(shard, waited);
	if (htmm_table_add(&shard->table, s, n, dropped) ||
	    shard->table.stats.evicted) {
		fprintf(stderr, "the table has lost a sample or a page\n");
		exit(1);
	}
	shard_unlock(shard);
	shard_lock(shard, waited);
	htmm_table_reclaim(&shard->table, SHARD_SLICE);
	shard_unlock(shard);
}

void pin(u32 cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static u64 clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

u64 wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

u64 cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

u64 setting(const char *name, u64 value)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : value;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct quartiles quartiles(double *values, u32 n)
{
	double off = 0.98 * sqrt(n);	/* ranks: 1.96 times half the root */

	qsort(values, n, sizeof(*values), by_value);
	return (struct quartiles) {
		.low = values[(n - 1) / 4],
		.median = values[(n - 1) / 2],
		.high = values[(n - 1) * 3 / 4],
		.from = values[(u32)fmax(0, (n - 1) / 2.0 - off)],
		.to = values[(u32)fmin(n - 1, ceil((n - 1) / 2.0 + off))],
	};
}

void report(FILE *json, const char *name, struct quartiles q)
{
	printf("%-28s %8.3f  %.3f..%.3f  %.3f..%.3f\n", name, q.median, q.from,
	       q.to, q.low, q.high);
	if (json)
		fprintf(json, ", \"%s\": [%.4f, %.4f, %.4f]", name, q.low,
			q.median, q.high);
}

static double best(const double *rates, u32 n)
{
	double most = 0;

	while (n--)
		most = rates[n] > most ? rates[n] : most;
	return most;
}

void report_best(FILE *json, const char *name, const double *rates,
		 const double *others, u32 n)
{
	double ratio = best(rates, n) / best(others, n);

	printf("%-28s %8.3f\n", name, ratio);
	if (json)
		fprintf(json, ", \"%s\": %.4f", name, ratio);
}
