// SPDX-License-Identifier: GPL-2.0
/*
 * Far more pages than memory: 10 M pages of a zipf stream in 16 MiB. The limit holds, each
 * page is accounted for, and the hottest pages stay.
 */
#include <math.h>

#include "model.h"
#include "table.h"
#include "tap.h"

#define PAGES		(10 * 1000 * 1000)
#define HOTTEST		10000
#define MAX_BYTES	(16 * 1024 * 1024)
#define BATCH		512
#define EXPONENT	0.99
#define ODD		7368787u	/* prime: page = rank * ODD mod PAGES */

static struct htmm_table table;
static struct htmm_pool pool;
static char *arena;
static void *dir;
static u64 given;

static void open_table(void)
{
	const struct htmm_table_config config = {
		.max_bytes = MAX_BYTES,
	};

	dir = aligned_alloc(64, (htmm_table_dir_bytes(&config) + 63) & ~63UL);
	memset(dir, 0, htmm_table_dir_bytes(&config));
	arena = aligned_alloc(HTMM_POOL_PAGE_SIZE, MAX_BYTES);
	CHECK(htmm_table_init(&table, &config, dir, &pool) == 0);
}

/* By inversion of the integral of x^-a: close to zipf except for the first ranks. */
static u64 zipf_rank(void)
{
	double top = pow(PAGES, 1 - EXPONENT) - 1;
	double u = (tap_random() >> 11) / 9007199254740992.0;

	return min_t(u64, pow(u * top + 1, 1 / (1 - EXPONENT)) - 1, PAGES - 1);
}

/* The page of a rank: one in @one_in pages is touched. */
static u64 vpn_of(u64 rank, u32 one_in)
{
	return rank * ODD % PAGES * one_in;
}

static void sample_batch(u32 one_in)
{
	struct htmm_table_sample s[BATCH];
	u32 dropped[BATCH], i, need;

	for (i = 0; i < BATCH; i++)
		s[i] = (struct htmm_table_sample) {
			.page = vpn_of(zipf_rank(), one_in), .weight = 1,
		};
	for (need = htmm_table_need(&table, BATCH); need; need--)
		htmm_pool_put(&pool, &arena[HTMM_POOL_PAGE_SIZE * given++]);
	CHECK(htmm_table_add(&table, s, BATCH, dropped) == 0);
	CHECK(htmm_table_bytes(&table) <= MAX_BYTES);
	CHECK(htmm_hist_pages_from(&table.hist[HTMM_UNIT_PAGE], 0) == table.stats.pages);
	CHECK(htmm_hist_pages_from(&table.hist[HTMM_UNIT_REGION], 0) == table.stats.regions);
}

static void keeps_the_hottest(u32 one_in, u64 samples)
{
	u32 rank, kept = 0;
	u64 done;

	given = 0;
	open_table();
	for (done = 0; done < samples; done += BATCH)
		sample_batch(one_in);
	for (rank = 0; rank < HOTTEST; rank++)
		kept += table_count(&table, 0, vpn_of(rank, one_in)) > 0;
	printf("# 1/%u: samples %llu pages %llu regions %llu evicted %llu bytes %llu recall %.3f\n",
	       one_in, done, table.stats.pages, table.stats.regions, table.stats.evicted,
	       table.dir_bytes + (u64)pool.held * HTMM_POOL_PAGE_SIZE,
	       (double)kept / HOTTEST);
	CHECK(table.stats.evicted > 0 && table.stats.full == 0);
	CHECK(kept >= HOTTEST * 95 / 100);
	free(arena);
	free(dir);
}

static void one_page_in_8(void)
{
	keeps_the_hottest(8, tap_env("SAMPLES", 4000000));
}

static void one_page_in_64(void)
{
	keeps_the_hottest(64, tap_env("SAMPLES", 4000000));
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(one_page_in_8),
		TAP_TEST(one_page_in_64),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
