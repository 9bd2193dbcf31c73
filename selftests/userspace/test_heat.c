// SPDX-License-Identifier: GPL-2.0
/* Samples by address and time: whose they are, and that none is lost when rows get wider. */
#include "report/heat.h"
#include "test.h"

#define SLICES	3

/* Many spaces use the same address, so that some rows have the same hash. */
static void rows_are_of_one_space(void)
{
	struct heat *heat = heat_new();
	u32 spaces = HEAT_ROWS / 2, space, i;

	CHECK(heat);
	for (space = 0; space < spaces; space++)
		for (i = 0; i <= space % 5; i++)
			heat_add(heat, space, 7 << HEAT_PAGE_SHIFT, 0);
	heat_sort(heat);
	CHECK(heat->nr_rows == spaces && !heat->omitted);
	for (space = 0; space < spaces; space++) {
		CHECK(heat->row[space].space == space && heat->row[space].chunk == 7);
		CHECK(heat->row[space].samples == 1 + space % 5);
	}
	heat_free(heat);
}

/* How often a page is sampled in each slice. */
static u32 weight(u64 page, unsigned int slice)
{
	return (page * 3 + slice) % 7;
}

/* One page more than there are rows, and the first row gets one page only. */
static void wide_rows_have_all(void)
{
	const u64 first = 5, end = first + HEAT_ROWS + 1;
	struct heat *heat = heat_new();
	unsigned int slice;
	u64 page;
	u32 i;

	CHECK(heat);
	heat_add(heat, 1, first << HEAT_PAGE_SHIFT, 0);
	for (page = first; page < end; page++)
		for (slice = 0; slice < SLICES; slice++)
			for (i = 0; i < weight(page, slice); i++)
				heat_add(heat, 1, page << HEAT_PAGE_SHIFT,
					 (u64)slice << heat->slice_shift);
	CHECK(heat->chunk_shift == HEAT_PAGE_SHIFT + 1);
	CHECK(heat_slices(heat) == SLICES);
	heat_sort(heat);
	CHECK(heat->nr_rows == end / 2 - first / 2 && !heat->omitted);
	for (i = 0; i < heat->nr_rows; i++) {
		u32 sum = 0;

		page = first / 2 * 2 + 2 * i;
		CHECK(heat->row[i].chunk == page / 2);
		for (slice = 0; slice < SLICES; slice++) {
			u32 want = (page >= first ? weight(page, slice) : 0) +
				   weight(page + 1, slice) + (!i && !slice);

			CHECK(heat_samples(heat, &heat->row[i], slice) == want);
			sum += want;
		}
		CHECK(heat->row[i].samples == sum);
	}
	heat_free(heat);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(rows_are_of_one_space),
		TAP_TEST(wide_rows_have_all),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
