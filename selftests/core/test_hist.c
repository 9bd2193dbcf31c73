// SPDX-License-Identifier: GPL-2.0
/* Histogram: every bin boundary, every move, the thresholds' definitions. */
#include "hist.h"
#include "tap.h"

#define TOP (HTMM_NR_BINS - 1)

static u64 sum(const struct htmm_hist *hist)
{
	return htmm_hist_pages_from(hist, 0);
}

static void bin_boundaries(void)
{
	unsigned int b;

	CHECK(htmm_hist_bin(0) == 0);
	for (b = 1; b < HTMM_NR_BINS; b++) {
		u64 low = 1ULL << (b - 1), high = (1ULL << b) - 1;

		CHECK(htmm_hist_bin(low) == b);
		CHECK(htmm_hist_bin(high) == b);
		CHECK(htmm_hist_bin(low - 1) == b - 1);
	}
	CHECK(htmm_hist_bin(U32_MAX) == TOP);
}

static void halving_moves_down_one_bin(void)
{
	int i;

	for (i = 0; i < 100000; i++) {
		u32 count = tap_random() >> (32 + tap_below(32));

		if (count)
			CHECK(htmm_hist_bin(count >> 1) ==
			      htmm_hist_bin(count) - 1);
	}
}

static void add_move_remove(void)
{
	struct htmm_hist hist = { 0 };

	htmm_hist_add(&hist, 3);
	CHECK(hist.bin[2] == 1 && sum(&hist) == 1);
	htmm_hist_move(&hist, 3, 4);
	CHECK(hist.bin[2] == 0 && hist.bin[3] == 1 && sum(&hist) == 1);
	htmm_hist_move(&hist, 4, 7);
	CHECK(hist.bin[3] == 1 && sum(&hist) == 1);
	htmm_hist_move(&hist, 7, U32_MAX);
	CHECK(hist.bin[TOP] == 1);
	htmm_hist_remove(&hist, U32_MAX);
	CHECK(sum(&hist) == 0);
}

static void cool_shifts_every_bin(void)
{
	struct htmm_hist hist;
	unsigned int b;

	for (b = 0; b < HTMM_NR_BINS; b++)
		hist.bin[b] = 1000 + b;
	htmm_hist_cool(&hist);
	CHECK(hist.bin[0] == 1000 + 1001);
	for (b = 1; b < TOP; b++)
		CHECK(hist.bin[b] == 1000 + b + 1);
	CHECK(hist.bin[TOP] == 0);
}

static void merge_adds_every_bin(void)
{
	struct htmm_hist a, other;
	unsigned int b;

	for (b = 0; b < HTMM_NR_BINS; b++) {
		a.bin[b] = b + 1;
		other.bin[b] = 100 * (b + 1);
	}
	htmm_hist_merge(&a, &other);
	for (b = 0; b < HTMM_NR_BINS; b++)
		CHECK(a.bin[b] == 101 * (b + 1) && other.bin[b] == 100 * (b + 1));
}

static void hot_threshold_cases(void)
{
	struct htmm_hist hist = { 0 };

	CHECK(htmm_hist_hot_threshold(&hist, 0) == 1);
	CHECK(htmm_hist_hot_threshold(&hist, U64_MAX) == 1);

	hist.bin[0] = 1000000;
	CHECK(htmm_hist_hot_threshold(&hist, 0) == 1);

	hist.bin[1] = 100;
	hist.bin[2] = 10;
	hist.bin[5] = 4;
	CHECK(htmm_hist_hot_threshold(&hist, 114) == 1);
	CHECK(htmm_hist_hot_threshold(&hist, 113) == 2);
	CHECK(htmm_hist_hot_threshold(&hist, 14) == 2);
	CHECK(htmm_hist_hot_threshold(&hist, 13) == 3);
	CHECK(htmm_hist_hot_threshold(&hist, 4) == 3);
	CHECK(htmm_hist_hot_threshold(&hist, 3) == 6);

	hist.bin[TOP] = 2;
	CHECK(htmm_hist_hot_threshold(&hist, 2) == 6);
	CHECK(htmm_hist_hot_threshold(&hist, 1) == HTMM_NR_BINS);
	CHECK(htmm_hist_pages_from(&hist, HTMM_NR_BINS) == 0);
}

static void warm_threshold_cases(void)
{
	struct htmm_hist hist = { 0 };

	hist.bin[1] = 1000;
	hist.bin[4] = 75;
	CHECK(htmm_hist_hot_threshold(&hist, 100) == 2);
	/* 75 of 100 is not less than 75 %: nothing is warm without being hot. */
	CHECK(htmm_hist_warm_threshold(&hist, 100, 2) == 2);
	hist.bin[4] = 74;
	CHECK(htmm_hist_warm_threshold(&hist, 100, 2) == 1);
	/* Never bin 0. */
	CHECK(htmm_hist_warm_threshold(&hist, 100000, 1) == 1);
	/* Nothing hot. */
	hist.bin[TOP] = 200;
	CHECK(htmm_hist_warm_threshold(&hist, 100, HTMM_NR_BINS) == TOP);
	/* No capacity: no hot pages already fill all of it. */
	CHECK(htmm_hist_warm_threshold(&hist, 0, HTMM_NR_BINS) ==
	      HTMM_NR_BINS);
	CHECK(htmm_hist_warm_threshold(&hist, U64_MAX, 5) == 4);
}

/* The thresholds of random histograms, compared with their definitions. */
static void thresholds_are_as_defined(void)
{
	int i;

	for (i = 0; i < 20000; i++) {
		struct htmm_hist hist = { 0 };
		u64 capacity = tap_below(4000);
		unsigned int hot = 1, warm, b;

		for (b = 0; b < HTMM_NR_BINS; b++)
			hist.bin[b] = tap_below(3) ? 0 : tap_below(1000);
		while (htmm_hist_pages_from(&hist, hot) > capacity)
			hot++;
		warm = htmm_hist_pages_from(&hist, hot) * 4 < capacity * 3 &&
		       hot > 1 ? hot - 1 : hot;
		CHECK(htmm_hist_hot_threshold(&hist, capacity) == hot);
		CHECK(htmm_hist_warm_threshold(&hist, capacity, hot) == warm);
	}
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(bin_boundaries),
		TAP_TEST(halving_moves_down_one_bin),
		TAP_TEST(add_move_remove),
		TAP_TEST(cool_shifts_every_bin),
		TAP_TEST(merge_adds_every_bin),
		TAP_TEST(hot_threshold_cases),
		TAP_TEST(warm_threshold_cases),
		TAP_TEST(thresholds_are_as_defined),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
