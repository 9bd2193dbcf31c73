// SPDX-License-Identifier: GPL-2.0
/* A table that gives memory back: the rest is unchanged, and freed pages are not used again. */
#include "model.h"
#include "table.h"
#include "evict.h"
#include "tap.h"

#define REGIONS		400
#define MAX_GIVEN	4096

static struct htmm_table table;
static struct htmm_pool pool;
static void *dir;
static void *given[MAX_GIVEN];
static u32 nr_given;

/* Regions with an odd number are cold, and every fifth one is sparse. */
static u32 wanted(u32 region, u32 page)
{
	if (region % 5 == 0 && page % 64)
		return 0;
	return region % 2 ? 1 : 300 + (region * 7 + page) % 40000;
}

static void give(u32 n)
{
	u32 need = htmm_table_need(&table, n);

	while (need--) {
		CHECK(nr_given < MAX_GIVEN);
		given[nr_given] = aligned_alloc(HTMM_POOL_PAGE_SIZE, HTMM_POOL_PAGE_SIZE);
		htmm_pool_put(&pool, given[nr_given++]);
	}
}

static void add(u32 region, u32 page, u32 weight)
{
	struct htmm_table_sample s = {
		.page = htmm_page(1 + region % 3, (u64)region * 512 + page),
		.weight = weight,
	};
	u32 dropped;

	give(1);
	CHECK(!htmm_table_add(&table, &s, 1, &dropped));
}

static u32 count(u32 region, u32 page)
{
	return table_count(&table, 1 + region % 3, (u64)region * 512 + page);
}

static void open_table(void)
{
	static const struct htmm_table_config config = { .max_bytes = 16 << 20 };
	size_t bytes = htmm_table_dir_bytes(&config);

	dir = aligned_alloc(64, (bytes + 63) & ~63UL);
	memset(dir, 0, bytes);
	htmm_pool_init(&pool);
	nr_given = 0;
	CHECK(!htmm_table_init(&table, &config, dir, &pool));
}

/* Fills in an order in which blocks of all regions share pages. */
static void fill(void)
{
	u32 region, page;

	for (page = 0; page < 512; page += 4)
		for (region = 0; region < REGIONS; region++)
			if (wanted(region, page))
				add(region, page, wanted(region, page));
}

static void close_table(void)
{
	while (nr_given)
		free(given[--nr_given]);
	free(dir);
}

/* Takes back a page that the pool has released: any later access faults. */
static void take(void *page)
{
	u32 i;

	for (i = 0; i < nr_given && given[i] != page; i++)
		;
	CHECK(i < nr_given);
	given[i] = given[--nr_given];
	free(page);
}

static u32 shrink(u32 nr, bool evict)
{
	void *page[HTMM_SHRINK_PAGES];
	u32 n, i;

	if (evict)
		htmm_table_make_unused(&table, nr);
	n = htmm_table_shrink(&table, page, nr);
	CHECK(n <= nr);
	for (i = 0; i < n; i++)
		take(page[i]);
	CHECK(pool.held == nr_given);
	table_audit(&table);
	return n;
}

/* A region has all its pages unchanged, or none: returns those that were lost. */
static u32 check_kept(u32 *hot_lost)
{
	u32 region, page, lost = 0, seen, all;
	u64 pages = 0;
	struct htmm_hist hist;

	*hot_lost = 0;
	for (region = 0; region < REGIONS; region++) {
		for (page = 0, seen = 0, all = 0; page < 512; page += 4) {
			all += wanted(region, page) != 0;
			seen += count(region, page) != 0;
			if (count(region, page))
				CHECK(count(region, page) == wanted(region, page));
		}
		CHECK(seen == 0 || seen == all);
		pages += seen;
		lost += !seen;
		*hot_lost += !seen && region % 2 == 0;
	}
	hist = table.hist[HTMM_KIND_BASE];
	CHECK(htmm_hist_pages_from(&hist, 0) == pages);
	CHECK(table.stats.pages == pages);
	return lost;
}

/* Step by step until nothing is left: no hot region is lost while there are cold ones. */
static void cold_regions_go_first(void)
{
	u32 hot_lost, lost, before = 0;
	bool some_left = false;

	open_table();
	fill();
	while (shrink(2, true)) {
		lost = check_kept(&hot_lost);
		CHECK(!hot_lost || lost - hot_lost == REGIONS / 2);
		CHECK(lost >= before);
		some_left |= lost && lost < REGIONS / 2;
		before = lost;
	}
	CHECK(some_left);
	close_table();
}

static void all_can_be_given_back(void)
{
	u32 hot_lost;

	open_table();
	fill();
	while (shrink(HTMM_SHRINK_PAGES, true))
		;
	CHECK(check_kept(&hot_lost) == REGIONS);
	CHECK(nr_given <= 1);
	close_table();
}

/* The table works as before: it requests the released pages again. */
static void grows_again(void)
{
	u32 hot_lost, i;

	open_table();
	for (i = 0; i < 3; i++) {
		fill();
		CHECK(!check_kept(&hot_lost));
		while (shrink(7, true))
			;
	}
	close_table();
}

/* Unused memory is released, whole pages and what is free in others, and no count is lost. */
static void unused_memory_only(void)
{
	u32 hot_lost, lost;

	open_table();
	fill();
	give(400);
	CHECK(pool.nr_pages >= 40);
	CHECK(shrink(40, true) == 40);
	CHECK(!check_kept(&hot_lost));
	while (shrink(7, false))
		;
	CHECK(!check_kept(&hot_lost));
	CHECK(!htmm_pool_unused_pages(&pool));
	/* Evicted regions leave free blocks in many pages. */
	htmm_table_make_unused(&table, 20);
	CHECK(htmm_pool_unused_pages(&pool) >= 20);
	lost = check_kept(&hot_lost);
	CHECK(lost && !hot_lost);
	CHECK(shrink(20, false) == 20);
	CHECK(check_kept(&hot_lost) == lost);
	close_table();
}

/* Entries of regions that were removed are unused memory, too. */
static void removed_regions(void)
{
	bool first = true;
	u32 region;

	open_table();
	fill();
	while (htmm_table_remove_mm(&table, 1, first, 10))
		first = false;
	CHECK(table.nr_free >= REGIONS / 3);
	while (shrink(7, false))
		;
	CHECK(table.nr_free < HTMM_BLOCK_ENTRIES && !htmm_pool_unused_pages(&pool));
	for (region = 0; region < REGIONS; region++)
		CHECK(count(region, 0) == (region % 3 ? wanted(region, 0) : 0));
	close_table();
}

static void no_more_than_a_step(void)
{
	void *page[HTMM_SHRINK_PAGES + 1];
	u32 n, i;

	open_table();
	fill();
	give(512);
	n = htmm_table_shrink(&table, page, ~0U);
	CHECK(n == HTMM_SHRINK_PAGES);
	for (i = 0; i < n; i++)
		take(page[i]);
	CHECK(!htmm_table_shrink(&table, page, 0));
	close_table();
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(cold_regions_go_first),
		TAP_TEST(all_can_be_given_back),
		TAP_TEST(grows_again),
		TAP_TEST(unused_memory_only),
		TAP_TEST(removed_regions),
		TAP_TEST(no_more_than_a_step),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
