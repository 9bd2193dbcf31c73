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

/* Different counts, of few and of many digits, and every fifth region is sparse. */
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

static u32 shrink(u32 nr)
{
	void *page[HTMM_SHRINK_PAGES];
	u32 n = htmm_table_shrink(&table, page, nr), i;

	CHECK(n <= nr);
	for (i = 0; i < n; i++)
		take(page[i]);
	CHECK(pool.held == nr_given);
	table_audit(&table);
	return n;
}

static void shrink_all(void)
{
	while (shrink(7))
		;
}

static void remove_space(u32 space)
{
	bool first = true;

	while (htmm_table_remove_space(&table, space, first, 10))
		first = false;
}

/* Of the last @spaces address spaces all pages are unchanged, and no others exist. */
static void check_kept(u32 spaces)
{
	u32 region, page, kept;
	struct htmm_hist hist;
	u64 pages = 0;

	for (region = 0; region < REGIONS; region++) {
		for (page = 0; page < 512; page += 4) {
			kept = region % 3 + spaces < 3 ? 0 : wanted(region, page);
			CHECK(count(region, page) == kept);
			pages += !!kept;
		}
	}
	hist = table.hist[HTMM_UNIT_PAGE];
	CHECK(htmm_hist_pages_from(&hist, 0) == pages);
	CHECK(table.stats.pages == pages);
}

static void all_can_be_given_back(void)
{
	open_table();
	fill();
	remove_space(1);
	remove_space(2);
	remove_space(3);
	shrink_all();
	check_kept(0);
	CHECK(nr_given == 0);
	close_table();
}

/* The table works as before: it requests the released pages again. */
static void grows_again(void)
{
	u32 i;

	open_table();
	for (i = 0; i < 3; i++) {
		fill();
		check_kept(3);
		remove_space(1);
		remove_space(2);
		remove_space(3);
		shrink_all();
	}
	close_table();
}

/* Pages of the pool that nothing is in are released, and no count is lost. */
static void unused_memory_only(void)
{
	open_table();
	fill();
	give(400);
	CHECK(pool.nr_pages >= 40);
	CHECK(shrink(40) == 40);
	check_kept(3);
	shrink_all();
	check_kept(3);
	CHECK(!htmm_table_unused(&table));
	close_table();
}

/* Pages in which nothing is left are released; the others are used first. */
static void removed_regions(void)
{
	u32 blocks;

	open_table();
	fill();
	remove_space(1);
	CHECK(table.nr_free >= REGIONS / 3);
	shrink_all();
	CHECK(table.nr_free < HTMM_BLOCK_ENTRIES && !htmm_table_unused(&table));
	check_kept(2);
	blocks = htmm_pool_free_blocks(&pool);
	CHECK(blocks);
	/* A new region has an entry, and one more block if it is dense. */
	add(0, 0, wanted(0, 0));
	CHECK(blocks - htmm_pool_free_blocks(&pool) <= 1 && !pool.nr_pages);
	close_table();
}

static void no_more_than_a_step(void)
{
	void *page[HTMM_SHRINK_PAGES];
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

/* What a step frees of unused entries, at most. */
#define A_STEP	(HTMM_SHRINK_BLOCKS * HTMM_BLOCK_ENTRIES)

/* Each step has a bounded work, whatever it is for, and each but the last gives all pages. */
static void steps_are_bounded(void)
{
	u32 region, n, before, all = 0;

	open_table();
	for (region = 0; region < 3 * A_STEP; region += 3)
		add(region, 0, 1);
	remove_space(1);
	CHECK(!table.stats.regions && table.nr_free >= A_STEP);
	do {
		before = table.nr_free;
		n = shrink(HTMM_SHRINK_PAGES);
		all += n;
		CHECK(before - table.nr_free <= A_STEP);
		CHECK(n == HTMM_SHRINK_PAGES || !nr_given);
	} while (n);
	CHECK(all >= A_STEP / HTMM_BLOCK_ENTRIES / HTMM_POOL_BLOCKS_PER_PAGE);
	close_table();
}

/* Entries that are gone share their pages with leaves that stay. */
static void nothing_is_whole(void)
{
	u32 region, page, before;

	open_table();
	for (region = 0; region < 6 * A_STEP; region += 3) {
		add(region, 0, 1);
		for (page = 0; region % 48 == 0 && page < 40; page++)
			add(region + 1, page, 1);
	}
	remove_space(1);
	CHECK(table.nr_free >= 2 * A_STEP && pool.nr_pages <= 1);
	while (table.nr_free >= HTMM_BLOCK_ENTRIES) {
		before = table.nr_free;
		shrink(HTMM_SHRINK_PAGES);
		CHECK(before > table.nr_free && before - table.nr_free <= A_STEP);
	}
	close_table();
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(all_can_be_given_back),
		TAP_TEST(grows_again),
		TAP_TEST(unused_memory_only),
		TAP_TEST(removed_regions),
		TAP_TEST(no_more_than_a_step),
		TAP_TEST(steps_are_bounded),
		TAP_TEST(nothing_is_whole),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
