// SPDX-License-Identifier: GPL-2.0
/*
 * Random walks of the table beside the naive model: OPS=N operations in total. One walk has
 * at most 500,000, and each has its regions at other places.
 */
#include "walk.h"

#define TESTS		5
#define MOST_AT_ONCE	500000

static struct world world;	/* large */

static u64 share_of_ops(void)
{
	return DIV_ROUND_UP(tap_env("OPS", 1400000), TESTS);
}

static const struct htmm_table_config roomy = {
	.max_bytes = 1024 * 1024,
};

static void walks(struct walk how)
{
	u64 left = share_of_ops(), ops;

	for (; left; left -= ops) {
		ops = min_t(u64, left, MOST_AT_ONCE);
		walk(&world, &how, ops);
	}
}

static void with_room(void)
{
	walks((struct walk){ .config = roomy, .starve = 1 });
}

/* Less memory than any table needs, as otherwise the model's regions would fit. */
static void at_the_memory_limit(void)
{
	struct walk how = {
		.config = roomy, .limited = true, .starve = 1, .held = 5,
	};

	how.config.max_bytes = HTMM_TABLE_MIN_BYTES;
	walks(how);
}

static void with_a_starved_pool(void)
{
	struct walk how = { .config = roomy, .limited = true, .starve = 5 };

	how.batch = 3;
	walks(how);
}

static void in_one_chain(void)
{
	walks((struct walk){ .config = roomy, .starve = 1, .crowded = true });
}

static void with_a_seeded_hash(void)
{
	struct walk how = { .config = roomy, .starve = 1 };

	how.config.seed = tap_random();
	walks(how);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(with_room),
		TAP_TEST(at_the_memory_limit),
		TAP_TEST(with_a_starved_pool),
		TAP_TEST(in_one_chain),
		TAP_TEST(with_a_seeded_hash),
	};

	static_assert(ARRAY_SIZE(tests) == TESTS, "each has its share");
	return tap_main(tests, ARRAY_SIZE(tests));
}
