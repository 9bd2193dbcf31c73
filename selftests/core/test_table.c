// SPDX-License-Identifier: GPL-2.0
/* Table: single cases, then random streams against the naive model. */
#include "model.h"

static struct world world;	/* large */

static const struct htmm_table_config roomy = {
	.max_bytes = 1024 * 1024, .batch = 256,
};

static struct htmm_table_sample at(u32 region, u32 page, u32 weight)
{
	const struct model_region *r = &world.model.region[region];

	return (struct htmm_table_sample) {
		.vpn = r->vpn + page, .space = r->space, .weight = weight,
	};
}

static void add(u32 region, u32 page, u32 weight)
{
	struct htmm_table_sample s = at(region, page, weight);

	world_refill(&world);
	world_add(&world, &s, 1);
	world_totals_match(&world);
}

static u32 count(u32 region, u32 page)
{
	struct htmm_table_sample s = at(region, page, 1);

	return htmm_table_count(&world.table, s.space, s.vpn);
}

static u64 bin(enum htmm_kind kind, unsigned int b)
{
	struct htmm_hist hist;

	htmm_table_hist(&world.table, kind, &hist);
	return hist.bin[b];
}

static void reclaim_all(void)
{
	bool more = true;

	while (more)
		world_reclaim(&world, 1 + tap_below(4), &more);
}

static void config_is_checked(void)
{
	struct htmm_table_config c = roomy;
	struct htmm_table table;
	struct htmm_pool pool;
	static char dir[1 << 17] __aligned(64);

	htmm_pool_init(&pool);
	CHECK(htmm_table_dir_bytes(&c) > 0);
	CHECK(htmm_table_dir_bytes(&c) < c.max_bytes / 25);
	CHECK(htmm_table_dir_bytes(&c) <= sizeof(dir));
	CHECK(htmm_table_init(&table, &c, dir, &pool) == 0);
	CHECK(htmm_table_init(&table, &c, dir + 8, &pool) == -EINVAL);
	CHECK(htmm_table_init(&table, &c, NULL, &pool) == -EINVAL);
	c.batch = 0;
	CHECK(htmm_table_dir_bytes(&c) == 0);
	CHECK(htmm_table_init(&table, &c, dir, &pool) == -EINVAL);
	c = roomy;
	c.max_bytes = HTMM_TABLE_MIN_BYTES - 1;
	CHECK(htmm_table_dir_bytes(&c) == 0);
	CHECK(htmm_table_init(&table, &c, dir, &pool) == -EINVAL);
	c.max_bytes = U64_MAX;
	CHECK(htmm_table_dir_bytes(&c) == 0);
	c.max_bytes = HTMM_TABLE_MIN_BYTES;
	CHECK(htmm_table_dir_bytes(&c) > 0);
}

static void counts_and_bins(void)
{
	world_open(&world, &roomy);
	add(0, 0, 1);
	CHECK(count(0, 0) == 1);
	CHECK(bin(HTMM_KIND_BASE, 1) == 1 && bin(HTMM_KIND_HUGE, 1) == 1);
	add(0, 0, 1);
	CHECK(count(0, 0) == 2);
	CHECK(bin(HTMM_KIND_BASE, 1) == 0 && bin(HTMM_KIND_BASE, 2) == 1);
	add(0, 511, 1);
	CHECK(count(0, 511) == 1 && count(0, 510) == 0);
	CHECK(bin(HTMM_KIND_HUGE, 2) == 1);
	world_matches(&world);
	world_close(&world);
}

static void saturates(void)
{
	world_open(&world, &roomy);
	add(0, 0, U32_MAX - 1);
	add(0, 0, 1);
	CHECK(count(0, 0) == U32_MAX);
	add(0, 0, 1);
	CHECK(count(0, 0) == U32_MAX);
	add(0, 1, U32_MAX);
	CHECK(bin(HTMM_KIND_BASE, 32) == 2 && bin(HTMM_KIND_HUGE, 32) == 1);
	world_matches(&world);
	world_cool(&world);
	CHECK(count(0, 0) == U32_MAX / 2);
	world_matches(&world);
	world_close(&world);
}

static void cooling_is_lazy_and_exact(void)
{
	world_open(&world, &roomy);
	add(0, 3, 5);
	add(0, 4, 1);
	add(1, 0, 1);
	world_cool(&world);
	CHECK(count(0, 3) == 2 && count(0, 4) == 0);
	CHECK(bin(HTMM_KIND_BASE, 0) == 2);
	world_matches(&world);
	/* Touching the region forgets its page in bin 0, and no other. */
	add(0, 3, 1);
	CHECK(count(0, 3) == 3);
	CHECK(bin(HTMM_KIND_BASE, 0) == 1);
	reclaim_all();
	CHECK(bin(HTMM_KIND_BASE, 0) == 0);
	CHECK(bin(HTMM_KIND_HUGE, 0) == 0);
	world_matches(&world);
	world_close(&world);
}

static void epochs_far_apart(void)
{
	/* The last makes 2^32 + 1 in all, which 32 bits would take for 1. */
	static const u64 jumps[] = { 1 << 20, 1ULL << 32, (1ULL << 32) - 31 };
	u32 i, j;

	world_open(&world, &roomy);
	for (i = 0; i < 3; i++) {
		add(0, 0, U32_MAX);
		add(0, 1, 1);
		add(1, 0, 77);
		for (j = 0; j < 31; j++)
			world_cool(&world);
		CHECK(count(0, 0) == 1);
		world_matches(&world);
		/* Each cooling for real up to 2^20, then only the epoch. */
		if (i == 0)
			for (j = 0; j < jumps[0]; j++)
				htmm_table_cool(&world.table);
		else
			world.table.epoch += jumps[i];
		world.model.coolings += jumps[i];
		world_cool(&world);
		CHECK(count(0, 0) == 0 && count(1, 0) == 0);
		CHECK(bin(HTMM_KIND_BASE, 0) == 3);
		world_matches(&world);
		add(0, 0, 1);
		CHECK(count(0, 0) == 1);
		world_matches(&world);
		reclaim_all();
		world_clear(&world);
	}
	world_close(&world);
}

static void page_limit(void)
{
	struct htmm_table_config config = roomy;
	u32 i;

	config.max_pages = 10;
	world_open(&world, &config);
	for (i = 0; i < 20; i++)
		add(i % 3, i, 2);
	CHECK(world.table.pages == 10 && world.table.full == 10);
	add(0, 0, 1);
	CHECK(count(0, 0) == 3);
	/* Room comes back when pages have cooled to zero and are reclaimed. */
	world_cool(&world);
	world_cool(&world);
	reclaim_all();
	CHECK(world.table.pages == 0);
	add(5, 5, 1);
	CHECK(count(5, 5) == 1);
	world_matches(&world);
	world_close(&world);
}

static void memory_limit(void)
{
	const struct htmm_table_config config = {
		.max_bytes = HTMM_TABLE_MIN_BYTES, .batch = 1,
	};
	u32 i, entries;

	world_open(&world, &config);
	entries = world.table.nr_entries;
	CHECK(entries < MODEL_REGIONS);
	for (i = 0; i < MODEL_REGIONS; i++)
		add(i, 0, 2);
	CHECK(world.table.regions == entries);
	CHECK(world.table.full == MODEL_REGIONS - entries);
	CHECK(htmm_table_need(&world.table) == 0);
	/* Pages of the regions it has still fit. */
	add(0, 511, 1);
	CHECK(count(0, 511) == 1);
	world_matches(&world);
	world_close(&world);
}

static void empty_pool_refuses(void)
{
	struct htmm_table_sample s;

	world_open(&world, &roomy);
	s = at(0, 0, 1);
	world_add(&world, &s, 1);
	CHECK(world.table.full == 1 && world.table.regions == 0);
	CHECK(htmm_table_need(&world.table) == roomy.batch / 2);
	add(0, 0, 1);
	CHECK(count(0, 0) == 1);
	world_matches(&world);
	world_close(&world);
}

static void out_of_range_and_weightless(void)
{
	struct htmm_table_sample s[3];

	world_open(&world, &roomy);
	world_refill(&world);
	s[0] = at(0, 0, 1);
	s[0].vpn = HTMM_VPN_MAX + 1;
	s[1] = at(0, 0, 1);
	s[1].space = HTMM_SPACE_MAX + 1;
	s[2] = at(0, 0, 0);
	world_add(&world, s, 3);
	CHECK(world.table.full == 2 && world.table.counted == 1);
	CHECK(world.table.pages == 0);
	CHECK(htmm_table_count(&world.table, s[1].space, s[1].vpn) == 0);
	CHECK(htmm_table_count(&world.table, s[0].space, s[0].vpn) == 0);
	world_matches(&world);
	world_close(&world);
}

static void removed_space_is_gone(void)
{
	bool more = true;
	u32 i, pos = 0;

	world_open(&world, &roomy);
	for (i = 0; i < MODEL_REGIONS; i++)
		add(i, i, 3);
	while (more) {
		world_remove_space(&world, world.model.space[1], &pos, 1,
				   &more);
		world_totals_match(&world);
	}
	for (i = 0; i < MODEL_REGIONS; i++)
		CHECK(count(i, i) == (at(i, i, 1).space ==
				      world.model.space[1] ? 0 : 3));
	/* The entries freed are used again before the directory grows. */
	pos = world.table.high;
	for (i = 0; i < MODEL_REGIONS; i++)
		add(i, i, 1);
	CHECK(world.table.high == pos);
	world_matches(&world);
	world_close(&world);
}

static void steps_are_bounded(void)
{
	bool more = true;
	u32 i, steps = 0;

	world_open(&world, &roomy);
	for (i = 0; i < MODEL_REGIONS; i++)
		add(i, i, 1);
	CHECK(!htmm_table_reclaim(&world.table, 5));
	world_cool(&world);
	for (; more; steps++)
		world_reclaim(&world, 5, &more);
	CHECK(steps == DIV_ROUND_UP(MODEL_REGIONS, 5));
	CHECK(world.table.regions == 0 && world.table.reclaimed == MODEL_REGIONS);
	world_close(&world);
}

/* What is added while a sweep is under way must not make it miss the rest. */
static void sweep_survives_growth(void)
{
	bool more;
	u32 i;

	world_open(&world, &roomy);
	for (i = 0; i < 10; i++)
		add(i, 0, 1);
	world_cool(&world);
	world_reclaim(&world, 9, &more);
	CHECK(more);
	add(0, 0, 1);
	world_cool(&world);
	for (i = 10; i < 40; i++)
		add(i, 0, 4);
	reclaim_all();
	CHECK(world.table.regions == 30);
	world_matches(&world);
	world_close(&world);
}

/* Add some samples, none of the space @dying; refill one time in @starve. */
static void random_batch(u32 starve, u64 dying)
{
	struct htmm_table_sample batch[WORLD_BATCH];
	u32 n = 0, i, want = 1 + tap_below(tap_below(4) ? 30 : WORLD_BATCH);

	for (i = 0; i < want; i++) {
		batch[n] = world_sample(&world);
		if (!tap_below(200))
			batch[n].weight = tap_random() >> tap_below(32);
		if (!tap_below(500))
			batch[n].vpn |= HTMM_VPN_MAX + 1;
		n += batch[n].space != dying;
	}
	if (!tap_below(starve))
		world_refill(&world);
	world_add(&world, batch, n);
}

/* Begin to remove a space, or go on with it; @dying is U64_MAX between. */
static void random_removal(u64 *dying, u32 *pos)
{
	bool more;

	if (*dying == U64_MAX) {
		*dying = world.model.space[tap_below(MODEL_SPACES)];
		*pos = 0;
	}
	world_remove_space(&world, *dying, pos, tap_below(20), &more);
	if (!more)
		*dying = U64_MAX;
}

static void random_step(u32 starve, u64 *dying, u32 *pos)
{
	u32 i, op = tap_below(400);
	bool more;

	if (op < 300) {
		random_batch(starve, *dying);
	} else if (op < 320) {
		for (i = tap_below(20) ? 1 : 1 + tap_below(40); i; i--)
			world_cool(&world);
	} else if (op < 370) {
		world_reclaim(&world, tap_below(12), &more);
	} else if (op < 399) {
		random_removal(dying, pos);
	} else {
		world_clear(&world);
	}
}

static void random_stream(const struct htmm_table_config *config, u32 starve)
{
	u64 step, steps = tap_env("STEPS", 2000), dying = U64_MAX;
	u32 pos = 0;

	world_open(&world, config);
	for (step = 0; step < steps; step++) {
		random_step(starve, &dying, &pos);
		world_totals_match(&world);
		if (step % 16 == 0)
			world_matches(&world);
	}
	printf("# steps %llu counted %llu refused %llu coolings %llu reclaimed %llu\n",
	       steps, world.table.counted, world.table.full, world.table.epoch,
	       world.table.reclaimed);
	CHECK(world.table.counted && world.table.epoch && world.table.reclaimed);
	world_matches(&world);
	world_close(&world);
}

static void random_roomy(void)
{
	random_stream(&roomy, 1);
}

static void random_page_limit(void)
{
	struct htmm_table_config config = roomy;

	config.max_pages = 200;
	random_stream(&config, 1);
}

static void random_memory_limit(void)
{
	struct htmm_table_config config = roomy;

	config.max_bytes = HTMM_TABLE_MIN_BYTES;
	random_stream(&config, 1);
}

static void random_starved_pool(void)
{
	struct htmm_table_config config = roomy;

	config.batch = 3;
	random_stream(&config, 5);
}

/* A multiplier of 1 puts nearly all regions into one hash chain. */
static void random_one_chain(void)
{
	struct htmm_table_config config = roomy;

	config.seed = 1;
	random_stream(&config, 1);
}

static void random_seeded_hash(void)
{
	struct htmm_table_config config = roomy;

	config.seed = tap_random();
	random_stream(&config, 2);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(config_is_checked),
		TAP_TEST(counts_and_bins),
		TAP_TEST(saturates),
		TAP_TEST(cooling_is_lazy_and_exact),
		TAP_TEST(epochs_far_apart),
		TAP_TEST(page_limit),
		TAP_TEST(memory_limit),
		TAP_TEST(empty_pool_refuses),
		TAP_TEST(out_of_range_and_weightless),
		TAP_TEST(removed_space_is_gone),
		TAP_TEST(steps_are_bounded),
		TAP_TEST(sweep_survives_growth),
		TAP_TEST(random_roomy),
		TAP_TEST(random_page_limit),
		TAP_TEST(random_memory_limit),
		TAP_TEST(random_starved_pool),
		TAP_TEST(random_one_chain),
		TAP_TEST(random_seeded_hash),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
