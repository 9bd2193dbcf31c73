// SPDX-License-Identifier: GPL-2.0
/* The table of htmmctl report: when its counts are halved. */
#include "report/store.h"
#include "test.h"

#define LEAST	2000000U

static struct store *open_store(u64 cooling_period)
{
	const struct store_config config = {
		.max_bytes = 16 << 20, .capacity = 1000, .cooling_period = cooling_period,
	};
	struct htmm_error err;
	struct store *store = store_new(&config, &err);

	CHECK(store);
	return store;
}

/* Samples of @pages pages in turn, until there are @samples of them. */
static void fill(struct store *store, u64 samples, u32 pages)
{
	while (store->samples + store->nr < samples)
		store_add(store, 1, (store->samples + store->nr) % pages << 12, 1);
	store_flush(store);
}

static void cools_when_told(void)
{
	struct store *store = open_store(1000);

	fill(store, 999, 600);
	CHECK(store->coolings == 0);
	fill(store, 1000, 600);
	CHECK(store->coolings == 1);
	fill(store, 4999, 600);
	CHECK(store->coolings == 4);
	store_free(store);
}

/* With few pages after 2,000,000 samples, with many after four of each. */
static void follows_the_pages(void)
{
	struct store *store = open_store(0);

	fill(store, LEAST - 1, 100000);
	CHECK(store->coolings == 0);
	fill(store, LEAST, 100000);
	CHECK(store->coolings == 1);
	store_free(store);

	store = open_store(0);
	fill(store, 4 * 600000 - 1, 600000);
	CHECK(store->coolings == 0);
	fill(store, 4 * 600000, 600000);
	CHECK(store->coolings == 1);
	/* From now on there are fewer pages. */
	fill(store, 4 * 600000 + 1000, 100);
	htmm_table_cool(&store->table);
	htmm_table_cool(&store->table);
	fill(store, 4 * 600000 + LEAST - 1, 100);
	CHECK(store->coolings == 1);
	fill(store, 4 * 600000 + LEAST, 100);
	CHECK(store->coolings == 2);
	store_free(store);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(cools_when_told),
		TAP_TEST(follows_the_pages),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
