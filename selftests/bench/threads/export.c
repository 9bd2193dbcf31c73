// SPDX-License-Identifier: GPL-2.0
/*
 * How long it takes to list all pages of a table, in calls of 65,536 pages with a cursor
 * from one to the next: in the table's order, and, for comparison, hottest first, where
 * each call walks over the whole table. What is listed must be what the histogram says.
 *
 * Then, how long it takes to list the 1,000 hottest pages of tables with random samples, four
 * of each page: the first time, and again after as many samples as a second may bring.
 */
#include <time.h>
#include "bench.h"
#include "topn.h"
#include "tap.h"

#define CALL	65536
#define BATCH	512
#define TOP	1000
#define SECOND	10000	/* samples */

static struct htmm_table table;
static struct htmm_pool pool;
static struct htmm_topn_entry entries[CALL];

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* @pages pages, one in @one_in of an address space, with counts of 1 to 8. */
static void fill(u64 pages, u32 one_in, void **dir, char **arena)
{
	const struct htmm_table_config config = {
		.max_bytes = 64 * 1024 * 1024 + pages * (one_in == 1 ? 4 : 192),
	};
	size_t bytes = htmm_table_dir_bytes(&config);
	struct htmm_table_sample s[BATCH];
	u32 dropped[BATCH], need, n = 0;
	u64 page, given = 0, i;

	*dir = aligned_alloc(64, (bytes + 63) & ~63UL);
	*arena = aligned_alloc(HTMM_POOL_PAGE_SIZE, config.max_bytes);
	CHECK(*dir && *arena);
	memset(*dir, 0, bytes);
	CHECK(htmm_table_init(&table, &config, *dir, &pool) == 0);
	for (page = 0; page < pages; page++) {
		for (i = 0; i <= page % 8; i++)
			s[n++] = (struct htmm_table_sample) {
				.page = htmm_page(1, page * one_in), .weight = 1,
			};
		if (n < BATCH - 8 && page < pages - 1)
			continue;
		for (need = htmm_table_need(&table, n); need; need--)
			htmm_pool_put(&pool, *arena + HTMM_POOL_PAGE_SIZE * given++);
		CHECK(htmm_table_add(&table, s, n, dropped) == 0);
		n = 0;
	}
	CHECK(table.stats.pages == pages);
}

static u32 list_call(enum htmm_order order, u32 n, const struct htmm_topn_entry *after)
{
	struct htmm_topn list = {
		.order = order,
		.filter = HTMM_TOPN_COUNTED,
		.entries = entries,
		.size = n,
		.after = after,
	};

	htmm_topn_begin(&list, &table);
	while (htmm_topn_scan(&list, &table, 4096))
		;
	return htmm_topn_finish(&list);
}

static u32 call_export(const struct htmm_topn_entry *after)
{
	return list_call(HTMM_ORDER_TABLE, CALL, after);
}

static u32 call_hottest(const struct htmm_topn_entry *after)
{
	return list_call(HTMM_ORDER_HOTTEST, CALL, after);
}

/* All pages; their histogram must be the table's. Returns seconds. */
static double list_all(u32 (*call)(const struct htmm_topn_entry *after))
{
	struct htmm_topn_entry last;
	struct htmm_hist hist = {};
	double began = seconds();
	u32 n = 0, i;

	do {
		n = call(n ? &last : NULL);
		for (i = 0; i < n; i++)
			htmm_hist_add(&hist, entries[i].value);
		if (n)
			last = entries[n - 1];
	} while (n);
	began = seconds() - began;
	CHECK(!memcmp(&hist, &table.hist[HTMM_UNIT_PAGE], sizeof(hist)));
	return began;
}

static double seconds_to_list_top(void)
{
	double began = seconds();

	CHECK(list_call(HTMM_ORDER_HOTTEST, TOP, NULL) == TOP);
	return seconds() - began;
}

static void add_random(const struct bench_space *space, u64 n)
{
	struct htmm_table_sample s[BATCH];
	u32 dropped[BATCH], i;

	for (; n >= BATCH; n -= BATCH) {
		bench_uniform(space, s, BATCH);
		/* Where fill() has put its pages. */
		for (i = 0; i < BATCH; i++)
			s[i].page |= htmm_page(1, 0);
		CHECK(htmm_table_add(&table, s, BATCH, dropped) == 0);
	}
}

static void measure_top(u64 pages)
{
	struct bench_space space;
	double first, next;
	char *arena;
	void *dir;

	CHECK(bench_space_open(&space, pages, 1, 1));
	fill(pages, 1, &dir, &arena);
	/* Counts of 1 to 8 are halved, so that the random ones matter. */
	htmm_table_cool(&table);
	htmm_table_cool(&table);
	add_random(&space, 4 * pages);
	first = seconds_to_list_top();
	add_random(&space, SECOND);
	next = seconds_to_list_top();
	printf("%10llu %10.4f %10.4f\n", pages, first, next);
	fflush(stdout);
	free(dir);
	free(arena);
}

static void measure(u64 pages, u32 one_in)
{
	double export, hottest = 0;
	char *arena;
	void *dir;

	fill(pages, one_in, &dir, &arena);
	export = list_all(call_export);
	if (pages <= 1000000)
		hottest = list_all(call_hottest);
	printf("%10llu %10u %10.3f %10.1f", pages, one_in, export, export * 1e9 / pages);
	if (hottest)
		printf(" %10.3f %10.1f", hottest, hottest * 1e9 / pages);
	printf("\n");
	fflush(stdout);
	free(dir);
	free(arena);
}

int main(void)
{
	printf("%10s %10s %10s %10s %10s %10s\n", "pages", "one in", "export s", "ns/page",
	       "hottest s", "ns/page");
	measure(100000, 1);
	measure(1000000, 1);
	measure(10000000, 1);
	measure(40000000, 1);
	measure(100000, 512);
	measure(1000000, 512);
	measure(10000000, 512);
	printf("%10s %10s %10s\n", "pages", "top s", "again s");
	measure_top(1 << 20);
	measure_top(1 << 24);
	measure_top(1 << 27);
	return 0;
}
