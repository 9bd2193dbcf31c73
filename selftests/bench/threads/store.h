/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table with a lock over it, used as module/track/target.c uses its own: a batch at a
 * time by who adds, a slice at a time by who reads.
 */
#ifndef HTMM_SELFTESTS_STORE_H
#define HTMM_SELFTESTS_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "bench.h"
#include "topn.h"

/* As in module/track/read.c. */
#define STORE_SLICE	256

struct store {
	atomic_bool locked;
	struct htmm_table table;
	struct htmm_pool pool;
	void *dir;
	char *arena;		/* stands for the kernel's pages */
	u64 given;
} __aligned(64);

/* An empty table with room for so many pages, all of them dense. */
void store_open(struct store *store, u64 pages);
void store_close(struct store *store);

/*
 * Lock, the time spent waiting in nanoseconds being added to @waited. It spins before it
 * sleeps, as the kernel's mutex does while the owner runs.
 */
void store_lock(struct store *store, u64 *waited);
void store_unlock(struct store *store);

/* Memory first, then the batch, then a step of housekeeping, each under the lock. */
void store_add(struct store *store, const struct htmm_table_sample *s, u32 n,
	       u64 *waited);

/* Nanoseconds of the world and of this thread's CPU. */
u64 wall_ns(void);
u64 cpu_ns(void);

/* Run on one CPU. */
void pin(u32 cpu);

/* A setting from the environment, or @value. */
u64 setting(const char *name, u64 value);

/*
 * Lower quartile, median and upper quartile, and between what the median of many more
 * such values would be, 95 times of 100.
 */
struct quartiles {
	double low, median, high;
	double from, to;
};

/* Sorts. */
struct quartiles quartiles(double *values, u32 n);

/* Print them under a name, and as a member of a JSON object if @json is open. */
void report(FILE *json, const char *name, struct quartiles q);

/*
 * The same for the best of some rates against the best of others: other programs can
 * only make a turn slower, so this is what comes nearest to a machine at rest.
 */
void report_best(FILE *json, const char *name, const double *rates,
		 const double *others, u32 n);

#endif /* HTMM_SELFTESTS_STORE_H */
