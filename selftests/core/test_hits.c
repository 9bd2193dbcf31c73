// SPDX-License-Identifier: GPL-2.0
/* The hit ratio, compared with sorted counts of all pages and regions. */
#include <math.h>
#include "hits.h"
#include "model.h"

/* Half of the largest difference of counts in one bin: 1/32, and again half of that. */
#define MOST_ERROR	(1000000 / 32 / 8 + 2)

static struct world world;	/* large */

static const struct htmm_table_config roomy = {
	.max_bytes = 4 * 1024 * 1024,
};

/* Walks over the table in slices of random length. */
static void look(struct htmm_hits *hits, enum htmm_unit unit)
{
	struct htmm_scan scan = { .unit = unit };

	memset(hits, 0, sizeof(*hits));
	while (htmm_hits_scan(hits, &world.table, &scan, 1 + tap_below(300)))
		;
}

/* Compares with the true ratio at all capacities; returns the greatest error reported. */
static u32 compare(enum htmm_unit unit)
{
	struct htmm_topn_entry *list;
	struct htmm_hits hits;
	double all = 0, hot = 0;
	u32 worst = 0, n, i;

	list = model_list(&world.model, unit, &n);
	look(&hits, unit);
	for (i = 0; i < n; i++)
		all += list[i].value;
	for (i = 0; i <= n + 1; i++) {
		struct htmm_share ratio = htmm_hits_share(&hits, i);
		double truth = all ? hot / all * 1e6 : 0;

		CHECK(ratio.error_ppm <= MOST_ERROR);
		CHECK(fabs(ratio.ppm - truth) <= ratio.error_ppm + 1);
		CHECK(ratio.ppm <= 1000000);
		CHECK(ratio.pages == n && ratio.samples == (u64)all);
		worst = max(worst, ratio.error_ppm);
		hot += i < n ? list[i].value : 0;
	}
	free(list);
	return worst;
}

static void add(u32 n, u32 weight)
{
	while (n--) {
		struct htmm_table_sample s = world_sample(&world);

		s.weight = weight ? 1 + tap_below(weight) : 1;
		world_refill(&world, 1);
		world_add(&world, &s, 1);
	}
}

static void an_empty_table_has_none(void)
{
	struct htmm_hits hits = {};

	CHECK(htmm_hits_share(&hits, 0).ppm == 0);
	CHECK(htmm_hits_share(&hits, 100).ppm == 0);
	CHECK(htmm_hits_share(&hits, 100).error_ppm == 0);
}

/* A walk over pages with equal counts: one bin, of which a part fits. */
static void a_part_of_a_bin_counts(void)
{
	struct htmm_hits hits = {};

	hits.pages[3] = 16384;
	hits.samples[3] = 3 * 16384;
	CHECK(htmm_hits_share(&hits, 15360).ppm == 937500);
	CHECK(htmm_hits_share(&hits, 15360).error_ppm == 0);
	CHECK(htmm_hits_share(&hits, 0).ppm == 0);
	CHECK(htmm_hits_share(&hits, 16384).ppm == 1000000);
	CHECK(htmm_hits_share(&hits, U64_MAX).ppm == 1000000);
}

/* Each count below 64 has its own bin. */
static void small_counts_are_exact(void)
{
	world_open(&world, &roomy, false);
	for (u32 i = 0; i < 20; i++) {
		add(1 + tap_below(400), 0);
		CHECK(compare(HTMM_UNIT_PAGE) == 0);
		world_cool(&world);
	}
	world_close(&world);
}

static void large_counts_are_near(void)
{
	bool inexact = false;

	world_open(&world, &roomy, false);
	for (u32 i = 0; i < 20; i++) {
		add(1 + tap_below(600), 1 << (1 + tap_below(16)));
		inexact |= compare(HTMM_UNIT_PAGE) > 0;
		inexact |= compare(HTMM_UNIT_REGION) > 0;
		if (!tap_below(3))
			world_cool(&world);
	}
	CHECK(inexact);
	world_close(&world);
}

/* Each count from 1 on has a bin, and the counts of a bin are consecutive. */
static void the_largest_counts(void)
{
	static const u32 weights[] = {
		1, 63, 64, 65, 127, 128, 1U << 20, (1U << 31) - 1, 1U << 31, U32_MAX,
	};

	for (u32 i = 0; i < ARRAY_SIZE(weights); i++) {
		struct htmm_table_sample s;

		world_open(&world, &roomy, false);
		s = world_sample(&world);
		s.weight = weights[i];
		world_refill(&world, 1);
		world_add(&world, &s, 1);
		CHECK(compare(HTMM_UNIT_PAGE) == 0);
		CHECK(compare(HTMM_UNIT_REGION) == 0);
		world_close(&world);
	}
}

/* The worst case: a bin has as many pages with its highest count as with its lowest. */
static void half_of_a_bin(void)
{
	struct htmm_hits hits = {};
	struct htmm_share ratio;

	hits.pages[64] = 2000;
	hits.samples[64] = 1000 * 64 + 1000 * 65;
	ratio = htmm_hits_share(&hits, 1000);
	CHECK(ratio.error_ppm > 0 && ratio.error_ppm <= MOST_ERROR);
	CHECK(abs((int)ratio.ppm - (int)(65 * 1000000LL / 129)) <= (int)ratio.error_ppm + 1);
}

/* Sums whose products do not fit 64 bits. */
static void large_sums(void)
{
	struct htmm_hits hits = {};

	hits.pages[1] = 1ULL << 40;
	hits.samples[1] = 1ULL << 40;
	hits.pages[HTMM_HITS_BINS - 1] = 1ULL << 28;
	hits.samples[HTMM_HITS_BINS - 1] = (1ULL << 28) * U32_MAX;
	CHECK(htmm_hits_share(&hits, 1ULL << 28).ppm == 999999);
	CHECK(htmm_hits_share(&hits, 1ULL << 27).ppm / 100 == 4999);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(an_empty_table_has_none),
		TAP_TEST(a_part_of_a_bin_counts),
		TAP_TEST(small_counts_are_exact),
		TAP_TEST(large_counts_are_near),
		TAP_TEST(the_largest_counts),
		TAP_TEST(half_of_a_bin),
		TAP_TEST(large_sums),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
