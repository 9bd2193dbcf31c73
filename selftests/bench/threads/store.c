// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "evict.h"
#include "store.h"

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

void store_open(struct store *store, u64 pages)
{
	const struct htmm_table_config config = {
		.max_bytes = pages * BYTES_PER_PAGE + (1 << 20),
	};

	memset(store, 0, sizeof(*store));
	store->dir = alloc(htmm_table_dir_bytes(&config));
	store->arena = alloc(config.max_bytes);
	if (htmm_table_init(&store->table, &config, store->dir, &store->pool)) {
		fprintf(stderr, "the table refuses its limits\n");
		exit(1);
	}
}

void store_close(struct store *store)
{
	munmap(store->arena, store->table.config.max_bytes);
	munmap(store->dir, htmm_table_dir_bytes(&store->table.config));
}

/* Looks at the lock before whoever has it must be thought to have lost its CPU. */
#define LOOKS	10000

static bool store_trylock(struct store *store)
{
	return !atomic_exchange_explicit(&store->locked, true,
					 memory_order_acquire);
}

void store_lock(struct store *store, u64 *waited)
{
	u64 start;
	u32 looks;

	if (store_trylock(store))
		return;
	start = wall_ns();
	do {
		for (looks = LOOKS; atomic_load(&store->locked); ) {
			if (looks && looks--)
				__builtin_ia32_pause();
			else
				sched_yield();
		}
	} while (!store_trylock(store));
	*waited += wall_ns() - start;
}

void store_unlock(struct store *store)
{
	atomic_store_explicit(&store->locked, false, memory_order_release);
}

static void store_refill(struct store *store, u32 n, u64 *waited)
{
	u32 need;

	store_lock(store, waited);
	need = htmm_table_need(&store->table, n);
	store_unlock(store);
	if (!need)
		return;
	store_lock(store, waited);
	for (; need; need--)
		htmm_pool_put(&store->pool,
			      &store->arena[HTMM_POOL_PAGE_SIZE * store->given++]);
	store_unlock(store);
}

void store_add(struct store *store, const struct htmm_table_sample *s, u32 n,
	       u64 *waited)
{
	u32 dropped[BENCH_BATCH];

	store_refill(store, n, waited);
	store_lock(store, waited);
	if (htmm_table_add(&store->table, s, n, dropped) ||
	    store->table.stats.evicted) {
		fprintf(stderr, "the table has lost a sample or a page\n");
		exit(1);
	}
	store_unlock(store);
	store_lock(store, waited);
	htmm_table_reclaim(&store->table, STORE_SLICE);
	store_unlock(store);
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
