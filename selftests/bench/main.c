// SPDX-License-Identifier: GPL-2.0
/*
 * bench [JSON]		time all stores, pair by pair with the bound
 * bench count STORE	under callgrind: count instructions, a dump per stream
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include <valgrind/callgrind.h>

#include "bench.h"

#define CHUNK		(512 * 1024)	/* samples between two looks at the clock */
#define MAX_CHUNKS	64
#define COUNT_SAMPLES	200000
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static const struct bench_store *const stores[] = {
	&bench_htmm, &bench_dense, &bench_linear, &bench_robin_hood,
	&bench_bucket64, &bench_khash, &bench_radix, &bench_uthash,
#ifdef HAVE_ABSL
	&bench_absl,
#endif
#ifdef HAVE_BOOST
	&bench_boost,
#endif
};

static const struct stream {
	const char *name;
	void (*draw)(const struct bench_space *space,
		     struct htmm_table_sample *s, u32 n);
} streams[] = {
	{ "uniform", bench_uniform },
	{ "zipf", bench_zipf },
	{ "hot-set", bench_hot_set },
	{ "sequential", bench_sequential },
};

static FILE *json;
static u32 nr_rows;
static struct htmm_table_sample *samples;

void *bench_alloc(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED) {
		fprintf(stderr, "bench: no memory for %zu bytes\n", bytes);
		exit(1);
	}
	madvise(mem, bytes, MADV_HUGEPAGE);
	return mem;
}

void bench_free(void *mem, size_t bytes)
{
	munmap(mem, bytes);
}

static u64 setting(const char *name, u64 value)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : value;
}

/* Is it one of those named, or are none named? */
static bool wanted(const char *setting, const char *name)
{
	const char *only = getenv(setting);

	return !only || strstr(only, name);
}

double bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static double timed(const struct bench_store *type, void *store,
		    const struct htmm_table_sample *s, u32 n)
{
	double start = bench_now();

	type->add(store, s, n);
	return (bench_now() - start) / n;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double bench_quartile(double *values, u32 n, u32 quarters)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[(n - 1) * quarters / 4];
}

/* The histograms of two stores that have had the same samples. */
static void check_same(const struct bench_store *a, void *store_a,
		       const struct bench_store *b, void *store_b)
{
	const struct htmm_hist *x = a->hist(store_a), *y = b->hist(store_b);
	u32 kind, bin;

	for (kind = 0; kind < HTMM_KINDS; kind++) {
		for (bin = 1; bin < HTMM_HIST_BINS; bin++) {
			if (x[kind].bin[bin] == y[kind].bin[bin])
				continue;
			fprintf(stderr, "bench: %s and %s differ in bin %u\n",
				a->name, b->name, bin);
			exit(1);
		}
	}
}

static void each_once(const struct bench_store *type, void *store,
		      const struct bench_space *space)
{
	u64 page;
	u32 n;

	for (page = 0; page < space->pages; page += n) {
		n = min_t(u64, CHUNK, space->pages - page);
		bench_each_once(space, page, samples, n);
		type->add(store, samples, n);
	}
}

/* One stream through the bound and a store, in turns. */
static struct bench_result run_stream(const struct bench_store *type,
				      void *store, void *bound, u32 chunks)
{
	double ns[MAX_CHUNKS], ratio[MAX_CHUNKS], base;
	u32 i, cool_after = setting("COOL", 0) / CHUNK;
	struct bench_result result;

	for (i = 0; i < chunks; i++) {
		const struct htmm_table_sample *s = &samples[(u64)i * CHUNK];

		if (i % 2) {
			ns[i] = timed(type, store, s, CHUNK);
			base = timed(&bench_dense_prefetch, bound, s, CHUNK);
		} else {
			base = timed(&bench_dense_prefetch, bound, s, CHUNK);
			ns[i] = timed(type, store, s, CHUNK);
		}
		ratio[i] = ns[i] / base;
		if (cool_after && (i + 1) % cool_after == 0) {
			type->cool(store);
			bench_dense_prefetch.cool(bound);
		}
	}
	check_same(type, store, &bench_dense_prefetch, bound);
	result.ns = bench_quartile(ns, chunks, 2);
	for (i = 0; i < 3; i++)
		result.ratio[i] = bench_quartile(ratio, chunks, i + 1);
	return result;
}

/* Instructions per sample that callgrind has counted before, or -1. */
static double instructions(const char *store, const char *stream)
{
	const char *path = getenv("COUNTS");
	char a[32], b[32];
	double counted = -1, value;
	FILE *file = path ? fopen(path, "r") : NULL;

	if (!file)
		return -1;
	while (fscanf(file, "%31s %31s %lf", a, b, &value) == 3) {
		if (!strcmp(a, store) && !strcmp(b, stream))
			counted = value;
	}
	fclose(file);
	return counted;
}

void bench_report(const char *store, const char *stream,
		  const struct bench_space *space,
		  const struct bench_result *result, double bytes_per_page)
{
	double counted = instructions(store, stream);

	printf("%-15s %-10s %9llu 1/%-2u %8.2f %7.2f %6.2f..%-6.2f %7.2f",
	       store, stream, space->pages, space->one_in, result->ns,
	       result->ratio[1], result->ratio[0], result->ratio[2],
	       bytes_per_page);
	if (counted >= 0)
		printf(" %7.1f", counted);
	printf("\n");
	if (!json)
		return;
	fprintf(json, "%s\n  {\"structure\": \"%s\", \"stream\": \"%s\", ",
		nr_rows++ ? "," : "[", store, stream);
	fprintf(json, "\"pages\": %llu, \"touched\": %.6f, \"ns\": %.3f, ",
		space->pages, 1.0 / space->one_in, result->ns);
	fprintf(json, "\"ratio\": %.3f, \"spread\": [%.3f, %.3f], ",
		result->ratio[1], result->ratio[0], result->ratio[2]);
	fprintf(json, "\"bytes_per_page\": %.3f, \"instructions\": ",
		bytes_per_page);
	if (counted >= 0)
		fprintf(json, "%.1f}", counted);
	else
		fprintf(json, "null}");
}

static void run_store(const struct bench_store *type,
		      const struct bench_space *space, u32 chunks)
{
	void *bound = bench_dense_prefetch.open(space);
	void *store = type->open(space);
	struct bench_result result;
	u32 i;

	each_once(&bench_dense_prefetch, bound, space);
	each_once(type, store, space);
	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		if (!wanted("STREAMS", streams[i].name))
			continue;
		streams[i].draw(space, samples, chunks * CHUNK);
		result = run_stream(type, store, bound, chunks);
		bench_report(type->name, streams[i].name, space, &result,
			     (double)type->bytes(store) / space->pages);
	}
	fflush(stdout);
	type->close(store);
	bench_dense_prefetch.close(bound);
}

/* The worst store needs 160 bytes a page, and the bound 4 per page of the span. */
static bool fits(u64 pages, u32 one_in)
{
	u64 need = pages * (160 + 4 * one_in), available = 0;
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "MemAvailable: %llu kB", &available);
	if (file)
		fclose(file);
	return need < available * 1024 / 10 * 8;
}

static void run_space(u64 pages, u32 one_in, u32 chunks)
{
	const char *only = getenv("STORES");
	u32 i, only_one_in = setting("ONE_IN", one_in);
	struct bench_space space;

	if (only_one_in != one_in)
		return;

	if (!fits(pages, one_in) || !bench_space_open(&space, pages, one_in)) {
		printf("# %llu pages, one in %u: skipped, too little memory\n",
		       pages, one_in);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(stores); i++) {
		if (!only || strstr(only, stores[i]->name))
			run_store(stores[i], &space, chunks);
	}
	/* The bound against itself shows how much the machine's noise is. */
	if (!only || strstr(only, bench_dense_prefetch.name))
		run_store(&bench_dense_prefetch, &space, chunks);
	bench_space_close(&space);
}

static int time_all(const char *path)
{
	bool quick = setting("QUICK", 0);
	u64 most = setting("PAGES", quick ? 1 << 20 : 64 << 20), pages;
	u32 chunks = setting("SAMPLES", quick ? 4 << 20 : 8 << 20) / CHUNK;

	if (!chunks || chunks > MAX_CHUNKS) {
		fprintf(stderr, "bench: SAMPLES must be %u to %u\n", CHUNK,
			MAX_CHUNKS * CHUNK);
		return 1;
	}
	samples = bench_alloc((u64)chunks * CHUNK * sizeof(*samples));
	json = path && *path ? fopen(path, "w") : NULL;
	printf("%-15s %-10s %9s %-4s %8s %7s %14s %7s %7s\n", "structure",
	       "stream", "pages", "of", "ns", "ratio", "quartiles", "B/page",
	       "instr");
	if (wanted("STORES", "ring"))
		bench_ring();
	for (pages = min_t(u64, most, 1 << 20); pages <= most; pages *= pages < 16 << 20 ? 16 : 4)
		run_space(pages, 1, chunks);
	for (pages = min_t(u64, most, 1 << 20); pages <= min_t(u64, most, 16 << 20); pages *= 16) {
		run_space(pages, 8, chunks);
		run_space(pages, 64, chunks);
	}
	if (json) {
		fprintf(json, "\n]\n");
		fclose(json);
	}
	return 0;
}

/* Callgrind's figures count from one dump to the next. */
static int count(const char *name)
{
	struct bench_space space;
	const struct bench_store *type = &bench_dense_prefetch;
	void *store;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stores); i++) {
		if (!strcmp(stores[i]->name, name))
			type = stores[i];
	}
	samples = bench_alloc(CHUNK * sizeof(*samples));
	bench_space_open(&space, 1 << 18, 1);
	store = type->open(&space);
	each_once(type, store, &space);
	/* As many samples a page as a run of 8 M over 1 M pages. */
	for (i = 0; i < 8; i++) {
		bench_uniform(&space, samples, 1 << 18);
		type->add(store, samples, 1 << 18);
	}
	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		streams[i].draw(&space, samples, COUNT_SAMPLES);
		CALLGRIND_ZERO_STATS;
		CALLGRIND_TOGGLE_COLLECT;
		type->add(store, samples, COUNT_SAMPLES);
		CALLGRIND_TOGGLE_COLLECT;
		CALLGRIND_DUMP_STATS_AT(streams[i].name);
	}
	return 0;
}

int main(int argc, char **argv)
{
	u32 i;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (i = 0; i < ARRAY_SIZE(stores); i++)
			printf("%s\n", stores[i]->name);
		printf("%s\n", bench_dense_prefetch.name);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "count"))
		return count(argv[2]);
	return time_all(argc > 1 ? argv[1] : NULL);
}
