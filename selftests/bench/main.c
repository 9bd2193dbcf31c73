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
/* A store so many times slower than the bound gets only so many chunks of a stream. */
#define SLOW		8
#define SLOW_CHUNKS	4
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

static struct htmm_table_sample *samples[ARRAY_SIZE(streams)];

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
	static struct htmm_table_sample samples[CHUNK];
	u64 page;
	u32 n;

	for (page = 0; page < space->pages; page += n) {
		n = min_t(u64, CHUNK, space->pages - page);
		bench_each_once(space, page, samples, n);
		type->add(store, samples, n);
	}
}

/* One turn: nanoseconds per sample of the bound and of a store, @first before. */
static void take_turn(const struct bench_store *const type[2],
		      void *const store[2], const struct htmm_table_sample *s,
		      u32 first, double ns[2])
{
	ns[first] = timed(type[first], store[first], s, CHUNK);
	ns[!first] = timed(type[!first], store[!first], s, CHUNK);
}

/* One stream through the bound and a store, in turns. */
static struct bench_result run_stream(const struct bench_store *const type[2],
				      void *const store[2],
				      const struct htmm_table_sample *s,
				      u32 chunks)
{
	double ns[MAX_CHUNKS], ratio[MAX_CHUNKS], turn[2];
	u32 i, cool_after = setting("COOL", 0) / CHUNK;
	struct bench_result result;

	for (i = 0; i < chunks; i++) {
		take_turn(type, store, &s[(u64)i * CHUNK], i % 2, turn);
		ns[i] = turn[1];
		ratio[i] = turn[1] / turn[0];
		if (ratio[0] > SLOW)
			chunks = min_t(u32, chunks, SLOW_CHUNKS);
		if (cool_after && (i + 1) % cool_after == 0) {
			type[0]->cool(store[0]);
			type[1]->cool(store[1]);
		}
	}
	check_same(type[1], store[1], type[0], store[0]);
	result.turns = chunks;
	result.ns = bench_quartile(ns, chunks, 2);
	for (i = 0; i < 3; i++)
		result.ratio[i] = bench_quartile(ratio, chunks, i + 1);
	return result;
}

static void run_store(const struct bench_store *measured,
		      const struct bench_space *space, u32 chunks)
{
	const struct bench_store *const type[2] = {
		&bench_dense_prefetch, measured,
	};
	void *const store[2] = { type[0]->open(space), type[1]->open(space) };
	struct bench_result result;
	u32 i;

	each_once(type[0], store[0], space);
	each_once(type[1], store[1], space);
	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		if (!wanted("STREAMS", streams[i].name))
			continue;
		result = run_stream(type, store, samples[i], chunks);
		bench_report(measured->name, streams[i].name, space, &result,
			     (double)measured->bytes(store[1]) / space->pages);
	}
	type[1]->close(store[1]);
	type[0]->close(store[0]);
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
	for (i = 0; i < ARRAY_SIZE(streams); i++)
		streams[i].draw(&space, samples[i], chunks * CHUNK);
	for (i = 0; i < ARRAY_SIZE(stores); i++) {
		if (!only || strstr(only, stores[i]->name))
			run_store(stores[i], &space, chunks);
	}
	/* The bound against itself shows how much the machine's noise is. */
	if (!only || strstr(only, bench_dense_prefetch.name))
		run_store(&bench_dense_prefetch, &space, chunks);
	bench_space_close(&space);
}

static void run_spaces(u64 most, u32 chunks)
{
	u64 pages;

	for (pages = min_t(u64, most, BENCH_LEAST_PAGES); pages <= most;
	     pages *= pages < 16 << 20 ? 16 : 4)
		run_space(pages, 1, chunks);
	most = min_t(u64, most, 16 << 20);
	for (pages = min_t(u64, most, BENCH_LEAST_PAGES); pages <= most;
	     pages *= 16) {
		run_space(pages, 8, chunks);
		run_space(pages, 64, chunks);
	}
}

static int time_all(const char *path)
{
	bool quick = setting("QUICK", 0);
	u64 most = setting("PAGES", quick ? 1 << 20 : 64 << 20);
	u32 chunks = setting("SAMPLES", quick ? 4 << 20 : 8 << 20) / CHUNK, i;
	time_t start = time(NULL);

	if (!chunks || chunks > MAX_CHUNKS) {
		fprintf(stderr, "bench: SAMPLES must be %u to %u\n", CHUNK,
			MAX_CHUNKS * CHUNK);
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(streams); i++)
		samples[i] = bench_alloc((u64)chunks * CHUNK *
					 sizeof(*samples[i]));
	printf("# %u turns of %u samples; %u for stores that take %u times what the bound does\n",
	       chunks, CHUNK, min_t(u32, chunks, SLOW_CHUNKS), SLOW);
	bench_report_head();
	if (wanted("STORES", "ring"))
		bench_ring();
	run_spaces(most, chunks);
	bench_print_tables();
	printf("\n# took %.0f s\n", difftime(time(NULL), start));
	if (path && *path && !bench_write_json(path)) {
		fprintf(stderr, "bench: %s cannot be written\n", path);
		return 1;
	}
	return 0;
}

/* Callgrind's figures count from one dump to the next. */
static int count(const char *name)
{
	struct bench_space space;
	const struct bench_store *type = &bench_dense_prefetch;
	struct htmm_table_sample *s;
	void *store;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stores); i++) {
		if (!strcmp(stores[i]->name, name))
			type = stores[i];
	}
	s = bench_alloc(CHUNK * sizeof(*s));
	bench_space_open(&space, setting("COUNT_PAGES", 1 << 18), 1);
	store = type->open(&space);
	each_once(type, store, &space);
	/* As many samples a page as a run of 8 M over 1 M pages. */
	for (i = 0; i < 8; i++) {
		bench_uniform(&space, s, 1 << 18);
		type->add(store, s, 1 << 18);
	}
	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		/* The caches have what the stream uses most. */
		streams[i].draw(&space, s, COUNT_SAMPLES);
		type->add(store, s, COUNT_SAMPLES);
		streams[i].draw(&space, s, COUNT_SAMPLES);
		CALLGRIND_ZERO_STATS;
		CALLGRIND_TOGGLE_COLLECT;
		type->add(store, s, COUNT_SAMPLES);
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
