// SPDX-License-Identifier: GPL-2.0
/* Histograms compared with the counts in them, thresholds, and the budget. */
#include "period.h"
#include "fuzz.h"
#include "hist.h"

#define COUNTS	64

static u32 counts[COUNTS];
static bool there[COUNTS];
static struct htmm_hist hist;

static void change_one(void)
{
	u32 i = fuzz_byte() % COUNTS, count = fuzz_u64();
	bool stays = !there[i] || fuzz_byte() % 4;

	if (!there[i])
		htmm_hist_add(&hist, count);
	else if (stays)
		htmm_hist_move(&hist, counts[i], count);
	else
		htmm_hist_remove(&hist, counts[i]);
	there[i] = stays;
	counts[i] = count;
}

static void cool_all(void)
{
	u32 i;

	htmm_hist_cool(&hist);
	for (i = 0; i < COUNTS; i++)
		counts[i] /= 2;
}

static void check_bins(void)
{
	u64 bin[HTMM_NR_BINS] = { 0 };
	u32 i, b;

	for (i = 0; i < COUNTS; i++) {
		for (b = 0; b < 32 && counts[i] >> b; b++)
			;
		bin[b] += there[i];
	}
	CHECK(!memcmp(bin, hist.bin, sizeof(bin)));
}

static void run_counts(void)
{
	memset(there, 0, sizeof(there));
	memset(&hist, 0, sizeof(hist));
	while (fuzz_left() && fuzz_byte() % 64) {
		if (fuzz_byte() % 8)
			change_one();
		else
			cool_all();
		check_bins();
	}
}

/* A random histogram with any number of pages. */
static void run_any(void)
{
	struct htmm_hist any = { 0 }, sum;
	u32 b, n = fuzz_byte() % 8;

	while (n--)
		any.bin[fuzz_byte() % HTMM_NR_BINS] = fuzz_u64() >> 24;
	thresholds_match(&any, fuzz_u64());
	sum = any;
	htmm_hist_merge(&sum, &any);
	for (b = 0; b < HTMM_NR_BINS; b++)
		CHECK(sum.bin[b] == 2 * any.bin[b]);
}

static void run_budget(void)
{
	struct htmm_period_range range = { .min = fuzz_u64() / 4 + 1 };
	u64 cost = fuzz_u64() >> 8, budget = fuzz_u64() >> 8, period, next;
	struct htmm_period_prev prev;

	range.max = range.min + fuzz_u64() / 4;
	/* Both ends are multiples of the step, if there is one. */
	if (fuzz_byte() % 2) {
		range.step = 1 + fuzz_byte();
		range.min = (range.min / range.step + 1) * range.step;
		range.max = range.max / range.step * range.step + range.step;
	}
	period = range.min + fuzz_u64() % (range.max - range.min + 1);
	prev.wanted[0] = fuzz_u64();
	prev.wanted[1] = fuzz_u64();
	next = htmm_period_next(&prev, period, &range, cost, budget);
	CHECK(next >= range.min && next <= range.max);
	CHECK(next == period || !range.step || next % range.step == 0);
	/* Never in the wrong direction. */
	CHECK(cost <= budget || next >= period);
}

int fuzz_one_input(const unsigned char *data, size_t size)
{
	fuzz_begin(data, size);
	while (fuzz_left()) {
		switch (fuzz_byte() % 3) {
		case 0:
			run_counts();
			break;
		case 1:
			run_any();
			break;
		default:
			run_budget();
		}
	}
	return 0;
}
