// SPDX-License-Identifier: GPL-2.0
/* Values of targets, by number. */
#include "policy/by_target.h"

/* Whatever their numbers are, each has its own value; one that is not there has none. */
static void test_numbers(void)
{
	struct by_target values = {};
	u32 i;

	CHECK(by_target_get(&values, 0) == 0 && by_target_get(&values, 1) == 0);
	for (i = 0; i < HTMM_MAX_TARGETS; i++)
		by_target_add(&values, 65 * i + 1, 1000 + i);
	for (i = 0; i < HTMM_MAX_TARGETS; i++) {
		CHECK(by_target_get(&values, 65 * i + 1) == 1000 + i);
		CHECK(!by_target_get(&values, 65 * i) && !by_target_get(&values, 65 * i + 2));
	}
	CHECK(by_target_get(&values, ~0U) == 0);
}

/* Nothing is written behind the end. */
static void test_full(void)
{
	struct by_target values = {};
	u32 i;

	for (i = 0; i < 2 * HTMM_MAX_TARGETS; i++)
		by_target_add(&values, i + 1, i + 1);
	CHECK(values.nr == HTMM_MAX_TARGETS && by_target_get(&values, values.nr) == values.nr);
}

/* What has come or gone has not grown. */
static void test_since(void)
{
	struct by_target old = {}, now = {}, growth = {};

	by_target_add(&old, 3, 70);
	by_target_add(&old, 5, 10);
	by_target_add(&old, 8, 9);
	by_target_add(&now, 1, 400);
	by_target_add(&now, 5, 12);
	by_target_add(&now, 8, 9);
	by_target_add(&now, 9, 30);
	by_target_add(&growth, 77, 1);
	by_target_since(&growth, &now, &old);
	CHECK(growth.nr == 2 && by_target_get(&growth, 5) == 2 && by_target_get(&growth, 8) == 0);
	CHECK(growth.number[0] == 5 && growth.number[1] == 8);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_numbers),
		TAP_TEST(test_full),
		TAP_TEST(test_since),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
