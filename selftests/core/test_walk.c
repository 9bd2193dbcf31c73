// SPDX-License-Identifier: GPL-2.0
/*
 * Random walks of the table beside the naive model: OPS=N operations in total. One walk has
 * at most 500,000, and each has its regions at other places.
 */
#include "walk.h"

#define TESTS		7
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

static void at_the_page_limit(void)
{
	struct walk how = { .config = roomy, .limited = true, .starve = 1 };

	how.config.max_pages = 1 + tap_below(400);
	walks(how);
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

#define SHARDS		3

/* The sum of tables that share the regions. */
static void add_up(const struct world *shard)
{
	struct htmm_table_stats stats, all, one;
	struct htmm_hist hist;
	u32 i, kind;

	for (kind = 0; kind < HTMM_KINDS; kind++) {
		hist = shard[0].table.hist[kind];
		for (i = 1; i < SHARDS; i++)
			htmm_hist_merge(&hist, &shard[i].table.hist[kind]);
		CHECK(!memcmp(&hist, &world.model.hist[kind], sizeof(hist)));
	}
	htmm_table_get_stats(&shard[0].table, &all);
	for (i = 1; i < SHARDS; i++) {
		htmm_table_get_stats(&shard[i].table, &one);
		htmm_table_stats_merge(&all, &one);
	}
	htmm_table_get_stats(&world.table, &stats);
	CHECK(all.pages == stats.pages && all.regions == stats.regions);
	CHECK(all.counted == stats.counted && all.full == stats.full);
	CHECK(all.reclaimed == stats.reclaimed && !all.evicted);
	CHECK(all.coolings == stats.coolings);
}

/* Each page is in its own table, independent of the others. */
static void have_their_own(const struct world *shard)
{
	u32 i, j, k, owner;

	for (i = 0; i < MODEL_REGIONS; i++) {
		const struct model_region *r = &world.model.region[i];

		owner = htmm_table_shard(htmm_page(r->mm, r->vpn), SHARDS);
		for (j = 0; j < HTMM_REGION_PAGES; j++) {
			for (k = 0; k < SHARDS; k++)
				CHECK(table_count(&shard[k].table, r->mm,
						  r->vpn + j) ==
				      (k == owner ? r->page[j].count : 0));
		}
	}
}

static void several_shards(void)
{
	static struct world shard[SHARDS];
	struct htmm_table_sample s[WORLD_BATCH];
	u32 n, i, j, dropped;
	u64 ops = 0, steps;

	world_open(&world, &roomy, false);
	for (i = 0; i < SHARDS; i++)
		world_open(&shard[i], &roomy, false);
	for (steps = 0; ops < share_of_ops(); steps++, ops += n) {
		n = 1 + tap_below(100);
		world_refill(&world, WORLD_BATCH);
		for (i = 0; i < n; i++) {
			s[i] = world_sample(&world);
			j = htmm_table_shard(s[i].page, SHARDS);
			world_refill(&shard[j], WORLD_BATCH);
			CHECK(!htmm_table_add(&shard[j].table, &s[i], 1, &dropped));
		}
		world_add(&world, s, n);
		if (!tap_below(20)) {
			world_cool(&world);
			for (i = 0; i < SHARDS; i++)
				htmm_table_cool(&shard[i].table);
		}
		add_up(shard);
		if (steps % 32 == 0)
			have_their_own(shard);
	}
	printf("# operations %llu in %u tables\n", ops, SHARDS);
	for (i = 0; i < SHARDS; i++) {
		CHECK(shard[i].table.stats.regions);
		world_close(&shard[i]);
	}
	world_close(&world);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(with_room),
		TAP_TEST(at_the_page_limit),
		TAP_TEST(at_the_memory_limit),
		TAP_TEST(with_a_starved_pool),
		TAP_TEST(in_one_chain),
		TAP_TEST(with_a_seeded_hash),
		TAP_TEST(several_shards),
	};

	static_assert(ARRAY_SIZE(tests) == TESTS, "each has its share");
	return tap_main(tests, ARRAY_SIZE(tests));
}
