/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The update path of several stores, side by side.
 *
 * All do the same for each sample: find the base page's count and that of its
 * 2 MiB region, apply missed coolings, add one, and keep a histogram of each unit
 * exact.
 */
#ifndef HTMM_SELFTESTS_BENCH_H
#define HTMM_SELFTESTS_BENCH_H

#include "hist.h"
#include "table.h"

/* The pages of a run: all of their address spaces, one in 8, or one in 64. */
struct bench_space {
	u64 pages;
	u32 one_in;
	u32 spaces;	/* address spaces, whose ranges overlap: a power of two */
	u32 *vpn;	/* of each page, ascending; NULL if all are touched */
};

/* What is counted, and what else happens meanwhile. */
struct bench_load {
	const char *stream;
	u32 weight;	/* of each sample; BENCH_MIXED: they differ */
	u32 cool;	/* samples between two coolings; 0: none */
	u64 period;	/* the same where it is more than is measured of it */
	const char *cools;	/* "no", "2M", "default" */
	u32 exit;	/* samples between two exits of processes; 0: none */
};

#define BENCH_MIXED	0

struct bench_store {
	const char *name;
	/* An empty store for these pages. */
	void *(*open)(const struct bench_space *space);
	void (*add)(void *store, const struct htmm_table_sample *s, u32 n);
	void (*cool)(void *store);
	/* An address space goes; NULL if the store cannot do this. */
	void (*exit)(void *store, u32 space);
	/* Both histograms as of now. */
	const struct htmm_hist *(*hist)(void *store);
	u64 (*bytes)(void *store);
	void (*close)(void *store);
};

extern const struct bench_store bench_htmm, bench_dense, bench_dense_prefetch;

/* The bound can cool in two ways, and prefetch so many samples ahead. */
struct bench_way {
	bool by_page;
	u32 ahead;
};

/* Of a new store of the bound; all but by_page may change later. */
void bench_dense_set(void *store, struct bench_way way);

/* Halve the counts of a region, as fast as the compiler can make it. */
void bench_halve(u32 *count, u32 times);

extern const struct bench_store bench_linear, bench_robin_hood;

/* Samples between two looks at the clock */
#define BENCH_CHUNK	(512 * 1024)

/* Samples that ksampled passes to the table at a time. */
#define BENCH_BATCH	384

/* Memory in huge pages if there are any, as the kernel's own is; zeroed. */
void *bench_alloc(size_t bytes);
void bench_free(void *mem, size_t bytes);

/* This thread's CPU time in nanoseconds: others may be running on this machine. */
double bench_now(void);

/* Sorts the values; the median is 2 quarters. */
double bench_quartile(double *values, u32 n, u32 quarters);

/* Pages of the smallest space. */
#define BENCH_LEAST_PAGES	1048576

struct bench_result {
	double ns;
	double bound;		/* ns of the bound */
	double ratio[3];	/* lower quartile, median, upper quartile */
	u32 turns;
	struct bench_way way;	/* of the bound */
};

/* Names of the columns of what bench_report() prints. */
void bench_report_head(void);

/* Print a line, and keep it for what follows. */
void bench_report(const char *structure, const struct bench_space *space,
		  const struct bench_load *load,
		  const struct bench_result *result, double bytes_per_page);

/* A row's name for callgrind's dumps and the file of their figures. */
void bench_label(char label[64], const struct bench_space *space,
		 const struct bench_load *load);

/* All that was reported, as a list of objects. False: the file cannot be written. */
bool bench_write_json(const char *path);

/* All that was reported, as tables for docs/core.md. */
void bench_print_tables(void);

/* What taking records out of a ring costs. */
void bench_ring(void);

/* Samples of a stream, drawn from the space's pages. */
void bench_uniform(const struct bench_space *space,
		   struct htmm_table_sample *s, u32 n);
void bench_zipf(const struct bench_space *space, struct htmm_table_sample *s,
		u32 n);
void bench_hot_set(const struct bench_space *space,
		   struct htmm_table_sample *s, u32 n);
void bench_sequential(const struct bench_space *space,
		      struct htmm_table_sample *s, u32 n);
/* Like zipf, but other pages become the hot ones each BENCH_PHASE samples. */
void bench_phases(const struct bench_space *space, struct htmm_table_sample *s,
		  u32 n);

#define BENCH_PHASE	(1024 * 1024)

/* Give samples their weights. */
void bench_weigh(struct htmm_table_sample *s, u32 n, u32 weight);

/*
 * A process in @spaces exits after each @exit samples, one after the other, and another
 * one with a new number takes its place: number samples accordingly.
 */
void bench_renumber(const struct bench_space *space, struct htmm_table_sample *s,
		    u32 n, u32 exit);

/* Each page once, in an order that has nothing to do with hotness. */
void bench_each_once(const struct bench_space *space, u64 from,
		     struct htmm_table_sample *s, u32 n);

/* Which pages are touched. False if there is no memory. */
bool bench_space_open(struct bench_space *space, u64 pages, u32 one_in,
		      u32 spaces);
void bench_space_close(struct bench_space *space);
/* Pages of the range of each address space. */
u64 bench_space_span(const struct bench_space *space);

/* The count rises; its bin changes if its length in bits does. */
static __always_inline void bench_count(struct htmm_hist *hist, u32 *count, u32 weight)
{
	u32 old = *count;

	*count = old + weight;
	if ((old ^ *count) <= old)
		return;
	if (old)
		htmm_hist_remove(hist, old);
	htmm_hist_add(hist, *count);
}

#endif /* HTMM_SELFTESTS_BENCH_H */
