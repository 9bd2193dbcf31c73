// SPDX-License-Identifier: GPL-2.0
/* Table: single cases; test_walk.c has random ones. */
#include "index.h"
#include "model.h"
#include "table.h"

static struct world world;	/* large */

static const struct htmm_table_config roomy = {
	.max_bytes = 1024 * 1024,
};

static struct htmm_table_sample at(u32 region, u32 page, u32 weight)
{
	const struct model_region *r = &world.model.region[region];

	return (struct htmm_table_sample) {
		.page = htmm_page(r->space, r->vpn + page), .weight = weight,
	};
}

static void add(u32 region, u32 page, u32 weight)
{
	struct htmm_table_sample s = at(region, page, weight);

	world_refill(&world, 1);
	world_add(&world, &s, 1);
	world_totals_match(&world);
}

static const struct htmm_region *find(u32 region)
{
	return htmm_index_find(&world.table, htmm_region_key(at(region, 0, 1).page));
}

static u32 count(u32 region, u32 page)
{
	struct htmm_table_sample s = at(region, page, 1);

	return table_count(&world.table, sample_space(&s), sample_vpn(&s));
}

static u64 bin(enum htmm_unit unit, unsigned int b)
{
	struct htmm_hist hist;

	hist = world.table.hist[unit];
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
	static char dir[1 << 18] __aligned(64);

	CHECK(htmm_table_dir_bytes(&c) > 0);
	CHECK(htmm_table_dir_bytes(&c) < c.max_bytes / 12);
	CHECK(htmm_table_dir_bytes(&c) <= sizeof(dir));
	CHECK(htmm_table_init(&table, &c, dir, &pool) == 0);
	CHECK(htmm_table_init(&table, &c, dir + 8, &pool) == -EINVAL);
	CHECK(htmm_table_init(&table, &c, NULL, &pool) == -EINVAL);
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
	world_open(&world, &roomy, false);
	add(0, 0, 1);
	CHECK(count(0, 0) == 1);
	CHECK(bin(HTMM_UNIT_PAGE, 1) == 1 && bin(HTMM_UNIT_REGION, 1) == 1);
	add(0, 0, 1);
	CHECK(count(0, 0) == 2);
	CHECK(bin(HTMM_UNIT_PAGE, 1) == 0 && bin(HTMM_UNIT_PAGE, 2) == 1);
	add(0, 511, 1);
	CHECK(count(0, 511) == 1 && count(0, 510) == 0);
	CHECK(bin(HTMM_UNIT_REGION, 2) == 1);
	world_matches(&world);
	world_close(&world);
}

static void saturates(void)
{
	world_open(&world, &roomy, false);
	add(0, 0, U32_MAX - 1);
	add(0, 0, 1);
	CHECK(count(0, 0) == U32_MAX);
	add(0, 0, 1);
	CHECK(count(0, 0) == U32_MAX);
	add(0, 1, U32_MAX);
	CHECK(bin(HTMM_UNIT_PAGE, 32) == 2 && bin(HTMM_UNIT_REGION, 32) == 1);
	world_matches(&world);
	world_cool(&world);
	CHECK(count(0, 0) == U32_MAX / 2);
	world_matches(&world);
	world_close(&world);
}

static void cooling_is_lazy_and_exact(void)
{
	world_open(&world, &roomy, false);
	add(0, 3, 5);
	add(0, 4, 1);
	add(1, 0, 1);
	world_cool(&world);
	CHECK(count(0, 3) == 2 && count(0, 4) == 0);
	/* Pages are forgotten at once, their region when it is visited. */
	CHECK(bin(HTMM_UNIT_PAGE, 0) == 0 && world.table.stats.pages == 1);
	CHECK(bin(HTMM_UNIT_REGION, 0) == 1);
	world_matches(&world);
	add(0, 3, 1);
	CHECK(count(0, 3) == 3);
	reclaim_all();
	CHECK(bin(HTMM_UNIT_REGION, 0) == 0);
	world_matches(&world);
	world_close(&world);
}

/* 9 pages with a count of 1 are forgotten at the first cooling, their sum at the fourth. */
static void regions_outlive_their_pages(void)
{
	const u64 regions[] = { 1, 1, 1, 0 };
	u32 i;

	world_open(&world, &roomy, false);
	for (i = 0; i < 9; i++)
		add(0, i, 1);
	for (i = 0; i < ARRAY_SIZE(regions); i++) {
		world_cool(&world);
		reclaim_all();
		CHECK(!world.table.stats.pages && world.table.stats.regions == regions[i]);
	}
	world_close(&world);
}

static void epochs_far_apart(void)
{
	/* The last one makes 2^32 + 1 in total, which 32 bits would read as 1. */
	static const u64 jumps[] = { 1 << 20, 1ULL << 32, (1ULL << 32) - 31 };
	u32 i, j;

	world_open(&world, &roomy, false);
	for (i = 0; i < 3; i++) {
		add(0, 0, U32_MAX);
		add(0, 1, 1);
		add(1, 0, 77);
		for (j = 0; j < 31; j++)
			world_cool(&world);
		CHECK(count(0, 0) == 1);
		world_matches(&world);
		/* Up to 2^20 real coolings, then only the epoch is changed. */
		if (i == 0)
			for (j = 0; j < jumps[0]; j++)
				htmm_table_cool(&world.table);
		else
			world.table.epoch += jumps[i];
		world.model.coolings += jumps[i];
		world_cool(&world);
		CHECK(count(0, 0) == 0 && count(1, 0) == 0);
		CHECK(world.table.stats.pages == 0);
		world_matches(&world);
		add(0, 0, 1);
		CHECK(count(0, 0) == 1);
		world_matches(&world);
		reclaim_all();
		world_empty(&world);
	}
	world_close(&world);
}

static void memory_limit(void)
{
	const struct htmm_table_config config = {
		.max_bytes = 64 * 1024,
	};
	u32 i, j, full;

	world_open(&world, &config, true);
	/* 15 pages: not all regions can be dense. */
	for (i = 0; i < MODEL_REGIONS; i++)
		for (j = 0; j < 30; j++)
			add(i, j, 1 + i);
	CHECK(world.table.stats.evicted == 0);
	for (i = 0; i < MODEL_REGIONS; i++)
		for (j = 0; j < 30; j++)
			add(i, j, 200);
	CHECK(world.table.stats.evicted == 0);
	for (i = 0; i < MODEL_REGIONS; i++)
		for (j = 0; j < 30; j++)
			add(i, j, 1 << 15);
	CHECK(world.table.stats.evicted > 0 && world.table.stats.full == 0);
	CHECK(htmm_table_need(&world.table, 1) == 0);
	full = world.table.stats.regions;
	CHECK(full < MODEL_REGIONS && full > 20);
	world_matches(&world);
	world_close(&world);
}

/* Memory of sparse regions must be usable for dense ones, and vice versa. */
static void memory_changes_hands(void)
{
	const struct htmm_table_config config = {
		.max_bytes = 64 * 1024,
	};
	struct htmm_table_sample s = { .weight = 1 };
	struct htmm_table table;
	u32 dropped, i, j, round;

	world_open(&world, &config, true);
	world_refill(&world, 1000);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 1000; i++) {
			s.page = htmm_page(7, (u64)i << HTMM_REGION_ORDER);
			CHECK(htmm_table_add(&world.table, &s, 1, &dropped) == 0);
		}
		table = world.table;
		CHECK(table.stats.regions > world.pool.held * 8 * 3);
		for (j = 0; j < 512; j++) {
			for (i = 0; i < 40; i++) {
				s.page = htmm_page(7, (i << HTMM_REGION_ORDER) + j);
				CHECK(htmm_table_add(&world.table, &s, 1,
						     &dropped) == 0);
			}
		}
		for (i = 0; i < 40; i++) {
			CHECK(table_count(&world.table, 7,
					  (i << HTMM_REGION_ORDER) + 400));
		}
		CHECK(world.table.stats.evicted > table.stats.evicted);
		/* Otherwise dense regions would be hot, and stay. */
		for (i = 0; i < 12; i++)
			htmm_table_cool(&world.table);
	}
	world_close(&world);
}

/* Count @pages pages, the first one @more times more, and cool. */
static const struct htmm_region *cool_many(u32 pages, u32 weight, u32 more, u32 coolings)
{
	u32 page;

	for (page = 0; page < pages; page++)
		add(0, page, weight);
	add(0, 0, more);
	CHECK(find(0)->digits);
	while (coolings--)
		world_cool(&world);
	reclaim_all();
	world_matches(&world);
	return find(0);
}

/* A region becomes sparse when few samples are left, and only if its pages have slots. */
static void form_of_a_cooled_region(void)
{
	world_open(&world, &roomy, false);
	CHECK(cool_many(17, 1, 7, 3)->digits == 1);
	world_close(&world);
	world_open(&world, &roomy, false);
	CHECK(cool_many(17, 1, 6, 3)->digits == 0);
	world_close(&world);
	world_open(&world, &roomy, false);
	CHECK(cool_many(60, 1, 35, 5)->digits == 0);
	CHECK(world.table.stats.pages == 1);
	world_close(&world);
	/* Counts that were at the maximum: one is left of the region's, and of each page's. */
	world_open(&world, &roomy, false);
	CHECK(cool_many(512, U32_MAX, 0, 31)->digits == 1);
	CHECK(world.table.stats.pages == 512);
	world_close(&world);
}

/* The period follows the number of pages, unless it is given; a large one means never. */
static void when_to_cool(void)
{
	CHECK(htmm_cooling_due(0, 0, 0) == 2000000);
	CHECK(htmm_cooling_due(10, 0, 500000) == 2000010);
	CHECK(htmm_cooling_due(10, 0, 500001) == 2000014);
	CHECK(htmm_cooling_due(10, 7, 500001) == 17);
	CHECK(htmm_cooling_due(10, U64_MAX - 11, 0) == U64_MAX - 1);
	CHECK(htmm_cooling_due(10, U64_MAX - 9, 0) == U64_MAX);
}

/*
 * The name of a front has only a part of the epoch. All fronts are in use, and must not be
 * taken for current ones when their names repeat.
 */
static void names_of_fronts_repeat(void)
{
	/* With this seed the fraction is 0, so each region has a front of its own. */
	const struct htmm_table_config config = { .max_bytes = 1024 * 1024, .seed = 1 };
	struct htmm_table_sample s = { .weight = 100 };
	u32 regions, i, page, dropped;

	world_open(&world, &config, false);
	regions = world.table.front_mask / sizeof(struct htmm_front) + 1;
	CHECK(regions > HTMM_FRONT_EPOCHS);
	/* Once more than makes the regions dense, so that they get fronts. */
	for (page = 0; page <= HTMM_SLOTS + 1; page++) {
		for (i = 0; i < regions; i++) {
			s.page = htmm_page(0, (u64)i << HTMM_REGION_ORDER | page);
			world_refill(&world, 1);
			CHECK(htmm_table_add(&world.table, &s, 1, &dropped) == 0);
		}
	}
	for (i = 0; i < regions; i++)
		CHECK(world.table.front[i].name != HTMM_FRONT_UNUSED);
	for (i = 0; i < HTMM_FRONT_EPOCHS; i++) {
		htmm_table_cool(&world.table);
		table_audit(&world.table);
	}
	s.weight = 1;
	for (i = 0; i < regions; i++) {
		s.page = htmm_page(0, (u64)i << HTMM_REGION_ORDER | 7);
		CHECK(htmm_table_add(&world.table, &s, 1, &dropped) == 0);
		CHECK(table_count(&world.table, 0, s.page) == 1);
		CHECK(table_count(&world.table, 0, s.page + 1) == 0);
	}
	CHECK(world.table.stats.pages == regions && bin(HTMM_UNIT_PAGE, 1) == regions);
	world_close(&world);
}

static void shuffle(struct htmm_table_sample *s, u32 n)
{
	struct htmm_table_sample first;
	u32 other;

	for (; n > 1; n--, s++) {
		first = *s;
		other = tap_below(n);
		*s = s[other];
		s[other] = first;
	}
}

/*
 * More dense regions than fronts, all sampled in the same batches and cooled. In any order:
 * samples of two regions with the same front also come within HTMM_AHEAD of each other.
 */
static void regions_share_fronts(void)
{
	static struct htmm_table_sample s[2048];
	static u32 dropped[2048];
	const struct htmm_table_config config = {
		.max_bytes = 256 * 1024, .seed = 1 + tap_below(1000),
	};
	u32 regions, i, round, region, page, expected[512] = { 0 };

	world_open(&world, &config, true);
	regions = (world.table.front_mask / sizeof(struct htmm_front) + 1) / 4 * 5;
	CHECK(regions <= ARRAY_SIZE(expected));
	for (round = 0; round < 8; round++) {
		for (i = 0; i < 2048; i++) {
			region = i % regions;
			page = i / regions * 3 + round;
			s[i] = (struct htmm_table_sample) {
				.page = htmm_page(region % 5,
						  (u64)region << HTMM_REGION_ORDER | page),
				.weight = 8 + region % 7,
			};
			expected[region] += 2 * s[i].weight;
		}
		shuffle(s, 2048);
		world_refill(&world, 2048);
		CHECK(htmm_table_add(&world.table, s, 2048, dropped) == 0);
		CHECK(htmm_table_add(&world.table, s, 2048, dropped) == 0);
		CHECK(htmm_hist_pages_from(&world.table.hist[HTMM_UNIT_PAGE], 0) ==
		      world.table.stats.pages);
		for (i = 0; i < regions; i++) {
			CHECK(region_count(&world.table, i % 5, (u64)i << HTMM_REGION_ORDER) ==
			      expected[i]);
			expected[i] /= 2;
		}
		for (i = 0; i < 2048; i++)
			CHECK(table_count(&world.table, s[i].page >> HTMM_VPN_BITS,
					  s[i].page & HTMM_VPN_MAX) >= 2 * s[i].weight);
		table_audit(&world.table);
		htmm_table_cool(&world.table);
	}
	CHECK(world.table.stats.evicted == 0 && world.table.stats.regions == regions);
	CHECK(htmm_index_find(&world.table, 0)->digits == 1);
	world_close(&world);
}

/* Adds a batch of samples of one page in each of so many regions. */
static void add_to_each(u32 space, u64 first, u32 regions)
{
	struct htmm_table_sample s[2 * HTMM_MANY_FRONTLESS];
	u32 dropped[2 * HTMM_MANY_FRONTLESS], i;

	for (i = 0; i < regions; i++)
		s[i] = (struct htmm_table_sample) {
			.page = htmm_page(space, (first + i) << HTMM_REGION_ORDER | 5), .weight = 1,
		};
	world_refill(&world, regions);
	CHECK(htmm_table_add(&world.table, s, regions, dropped) == 0);
}

/*
 * After a batch of which many regions have no front, the next one looks for none: a dense
 * region without a front gets one in a later batch.
 */
static void sparse_regions_by_their_entries(void)
{
	const u64 key = htmm_region_key(htmm_page(1, 0)), other = htmm_region_key(htmm_page(2, 0));
	const struct htmm_region *region;
	struct htmm_front *front;
	u32 page, i;
	u64 vpn = 0;

	world_open(&world, &roomy, false);
	front = htmm_front_of(&world.table, key);
	while (htmm_front_of(&world.table, other + vpn) != front)
		vpn++;
	vpn <<= HTMM_REGION_ORDER;
	/* Both are dense, and the first one has the front until it is removed. */
	for (page = 0; page <= HTMM_SLOTS; page++) {
		struct htmm_table_sample s[] = {
			{ .page = htmm_page(2, vpn | page), .weight = 1 },
			{ .page = htmm_page(1, page), .weight = 1 },
		};
		u32 dropped[2];

		world_refill(&world, 2);
		CHECK(htmm_table_add(&world.table, s, 2, dropped) == 0);
	}
	CHECK(!htmm_table_remove_space(&world.table, 2, true, 8));
	region = htmm_index_find(&world.table, key);
	CHECK(region && region->digits && region->state == &region->home);
	add_to_each(3, 0, HTMM_MANY_FRONTLESS + 1);
	for (i = 0; i < 3; i++) {
		add_to_each(3, 0, HTMM_MANY_FRONTLESS + 1);
		add_to_each(1, 0, 1);
		CHECK(region->state == &region->home);
		add_to_each(3, 0, HTMM_MANY_FRONTLESS + 1);
	}
	/* As few as that change nothing. */
	add_to_each(3, 0, HTMM_MANY_FRONTLESS);
	add_to_each(1, 0, 1);
	CHECK(region->state == &front->state);
	CHECK(region_count(&world.table, 1, 0) == HTMM_SLOTS + 1 + 4);
	CHECK(table_count(&world.table, 1, 5) == 1 + 4);
	CHECK(table_count(&world.table, 3, 5) == 8);
	table_audit(&world.table);
	world_close(&world);
}

/* The limits determine the directory's size, however large the pool is. */
static void too_large_a_pool(void)
{
	const struct htmm_table_config config = {
		.max_bytes = HTMM_TABLE_MIN_BYTES,
	};
	const u32 most = 100 * HTMM_POOL_PAGE_SIZE / sizeof(struct htmm_region);
	struct htmm_table_sample s = { .weight = 1 };
	u32 dropped, i;

	world_open(&world, &config, true);
	world.table.max_held = 100;
	world_refill(&world, 1000);
	for (i = 0; i < 4 * most; i++) {
		s.page = htmm_page(i % 100, (u64)i << HTMM_REGION_ORDER);
		CHECK(htmm_table_add(&world.table, &s, 1, &dropped) == 0);
		CHECK(table_count(&world.table, i % 100,
				  (u64)i << HTMM_REGION_ORDER) == 1);
	}
	CHECK(world.table.stats.regions > most * 9 / 10 && world.table.stats.regions <= most);
	CHECK(world.table.stats.evicted == 4 * most - world.table.stats.regions);
	world_close(&world);
}

static void empty_pool_refuses(void)
{
	struct htmm_table_sample s;

	world_open(&world, &roomy, true);
	s = at(0, 0, 1);
	world_add(&world, &s, 1);
	CHECK(world.table.stats.full == 1 && world.table.stats.regions == 0);
	CHECK(htmm_table_need(&world.table, 256) ==
	      DIV_ROUND_UP(255 + HTMM_SAMPLE_BLOCKS, HTMM_POOL_BLOCKS_PER_PAGE));
	CHECK(htmm_table_need(&world.table, 1) ==
	      DIV_ROUND_UP(HTMM_SAMPLE_BLOCKS, HTMM_POOL_BLOCKS_PER_PAGE));
	add(0, 0, 1);
	CHECK(count(0, 0) == 1);
	world_matches(&world);
	world_close(&world);
}

/*
 * Counts around each power of the digit base, for one page to all pages of a region, up and
 * down.
 */
static void counts_of_any_size(void)
{
	static const u32 sizes[] = {
		1, 126, 127, 128, 129, 255, 256, (1 << 14) - 1, 1 << 14,
		(1 << 21) - 1, 1 << 21, (1 << 28) - 1, 1 << 28, U32_MAX,
	};
	u32 i, pages, spread = 1 + 2 * tap_below(200), page, region = 0;

	world_open(&world, &roomy, false);
	for (pages = 1; pages < 512; pages = pages * 5 / 2 + tap_below(5)) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			for (page = 0; page < pages; page++) {
				add(region, page * spread % 512, sizes[i]);
				add(region, page * spread % 512, 1);
			}
			world_matches(&world);
			if (tap_below(4) == 0)
				world_cool(&world);
		}
		region++;
	}
	while (world.table.stats.pages) {
		world_cool(&world);
		for (i = 0; i < region; i++)
			if (tap_below(2))
				add(i, 0, 1);
		world_matches(&world);
	}
	reclaim_all();
	CHECK(world.table.stats.pages <= region);
	world_close(&world);
}

/* Memory grows with the counts, and shrinks when they have cooled. */
static void forms_of_a_region(void)
{
	static const struct {
		u32 pages, weight, blocks;
	} steps[] = {
		{ HTMM_SLOTS, 1000, 0 },	/* slots */
		{ HTMM_SLOTS + 1, 1, 1 },	/* a leaf; the high parts in slots */
		{ HTMM_SLOTS + 2, 1000, 2 },	/* too many: a plane */
		{ 512, 1, 2 },
		{ 512, 40000, 3 },
	};
	u32 i, page;
	bool more;

	world_open(&world, &roomy, false);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		for (page = 0; page < steps[i].pages; page++)
			add(0, page, steps[i].weight);
		CHECK(world_blocks(&world) == 1 + steps[i].blocks);
	}
	for (i = 0; i < 40; i++) {
		world_cool(&world);
		world_reclaim(&world, 100, &more);
		world_matches(&world);
	}
	CHECK(world_blocks(&world) == 1 && world.table.stats.regions == 0);
	world_close(&world);
}

/* What is requested before some samples is enough for them, wherever they are. */
static void need_is_enough(void)
{
	struct htmm_table_sample s[WORLD_BATCH];
	u32 dropped[WORLD_BATCH], n, i;

	for (n = 1; n <= WORLD_BATCH; n += 1 + n / 8) {
		for (i = 0; i < n; i++)
			s[i] = (struct htmm_table_sample) {
				.page = (u64)i << HTMM_REGION_ORDER, .weight = 1,
			};
		world_open(&world, &roomy, false);
		world_refill(&world, n);
		CHECK(htmm_table_add(&world.table, s, n, dropped) == 0);
		CHECK(world.table.stats.evicted == 0 && world.table.stats.pages == n);
		world_close(&world);
	}
}

static void out_of_range_and_weightless(void)
{
	struct htmm_table_sample s[3];

	world_open(&world, &roomy, false);
	world_refill(&world, 3);
	s[0] = at(0, 0, 1);
	s[0].page = htmm_page(0, HTMM_VPN_MAX + 1);
	s[1] = at(0, 0, 1);
	s[1].page = htmm_page(HTMM_SPACE_MAX + 1, 0);
	s[2] = at(0, 0, 0);
	world_add(&world, s, 3);
	CHECK(world.table.stats.full == 2 && world.table.stats.counted == 1);
	CHECK(world.table.stats.pages == 0 && !find(0));
	CHECK(table_count(&world.table, HTMM_SPACE_MAX + 1, 0) == 0);
	CHECK(table_count(&world.table, 0, HTMM_VPN_MAX + 1) == 0);
	world_matches(&world);
	world_close(&world);
}

static void removed_mm_is_gone(void)
{
	bool more = true, first = true;
	u32 i, blocks;

	world_open(&world, &roomy, false);
	for (i = 0; i < MODEL_REGIONS; i++)
		add(i, i, 3);
	while (more) {
		world_remove_space(&world, world.model.space[1], first, 1,
				   &more);
		first = false;
		world_totals_match(&world);
	}
	for (i = 0; i < MODEL_REGIONS; i++)
		CHECK(count(i, i) == (world.model.region[i].space ==
				      world.model.space[1] ? 0 : 3));
	/* Freed entries are reused before the directory grows. */
	blocks = world_blocks(&world);
	for (i = 0; i < MODEL_REGIONS; i++)
		add(i, i, 1);
	CHECK(world_blocks(&world) == blocks);
	world_matches(&world);
	world_close(&world);
}

static void steps_are_bounded(void)
{
	const u32 most = DIV_ROUND_UP(MODEL_REGIONS, 5U);
	u32 i, steps = 0, least;
	bool more = true;

	world_open(&world, &roomy, false);
	for (i = 0; i < MODEL_REGIONS; i++)
		add(i, i, 1);
	CHECK(!htmm_table_reclaim(&world.table, 5));
	world_cool(&world);
	/* A step may end in the middle of the longest chain, and goes on to its end. */
	least = DIV_ROUND_UP(MODEL_REGIONS, 5 - 1 + world_longest_chain(&world));
	for (; more; steps++)
		world_reclaim(&world, 5, &more);
	CHECK(steps >= least && steps <= most + world.table.head_mask / 1024);
	CHECK(world.table.stats.regions == 0 && world.table.stats.reclaimed == MODEL_REGIONS);
	world_close(&world);
}

/* Regions added during a sweep must not make it miss others. */
static void sweep_survives_growth(void)
{
	bool more;
	u32 i;

	world_open(&world, &roomy, false);
	for (i = 0; i < 10; i++)
		add(i, 0, 1);
	world_cool(&world);
	/* Some regions may share a chain, which is visited to its end. */
	world_reclaim(&world, 7, &more);
	CHECK(more);
	add(0, 0, 1);
	world_cool(&world);
	for (i = 10; i < 40; i++)
		add(i, 0, 4);
	reclaim_all();
	CHECK(world.table.stats.regions == 30);
	world_matches(&world);
	world_close(&world);
}

/* A cooling in the middle of a sweep: regions that were visited are visited again. */
static void sweep_begins_again(void)
{
	bool more;
	u32 i;

	world_open(&world, &roomy, false);
	for (i = 0; i < 30; i++)
		add(i, 0, 2);
	world_cool(&world);
	world_reclaim(&world, 20, &more);
	world_cool(&world);
	reclaim_all();
	CHECK(world.table.stats.regions == 0);
	world_close(&world);
}

/* Hot regions next to each other are kept: not only neighbours are compared. */
static void hot_neighbours_stay(void)
{
	const struct htmm_table_config config = { .max_bytes = 256 * 1024 };
	struct htmm_table_sample s = { .weight = 1000 };
	struct htmm_table *table = &world.table;
	u32 dropped, i;
	u64 key = 0;

	world_open(&world, &config, true);
	for (i = 0; i < 6000; i++, key++) {
		/* Others are on other chains. */
		while (i >= 200 &&
		       htmm_index_hash(key, table->multiplier, table->head_mask) < 256)
			key++;
		s.weight = i < 200 ? 1000 : 1;
		s.page = key << HTMM_REGION_ORDER;
		world_refill(&world, 1);
		CHECK(htmm_table_add(&world.table, &s, 1, &dropped) == 0);
	}
	CHECK(world.table.stats.evicted > 3000);
	for (i = 0; i < 200; i++)
		CHECK(table_count(&world.table, 0, (u64)i << HTMM_REGION_ORDER) == 1000);
	world_close(&world);
}

/* Both tables had the same samples: they must be equal. */
static void same_tables(const struct world *a, const struct world *b)
{
	u32 i, page;

	CHECK(!memcmp(a->table.hist, b->table.hist, sizeof(a->table.hist)));
	CHECK(a->table.stats.evicted == b->table.stats.evicted);
	CHECK(a->table.stats.full == b->table.stats.full);
	CHECK(world_blocks(a) == world_blocks(b));
	for (i = 0; i < MODEL_REGIONS; i++) {
		const struct model_region *r = &a->model.region[i];

		for (page = 0; page < HTMM_REGION_PAGES; page++)
			CHECK(table_count(&a->table, r->space,
					  r->vpn + page) ==
			      table_count(&b->table, r->space,
					  r->vpn + page));
	}
}

/* What was looked up in advance may be evicted or moved before it is used. */
static void batches_do_not_matter(void)
{
	const struct htmm_table_config config = {
		.max_bytes = HTMM_TABLE_MIN_BYTES,
	};
	struct htmm_table_sample batch[WORLD_BATCH];
	u32 dropped[WORLD_BATCH], i, step, lost;
	static struct world one;

	world_open(&world, &config, true);
	world_open(&one, &config, true);
	one.model = world.model;
	world_refill(&world, 1000);
	world_refill(&one, 1000);
	for (step = 0; step < 300; step++) {
		for (i = 0; i < WORLD_BATCH; i++) {
			batch[i] = world_sample(&world);
			if (!tap_below(50))
				batch[i].weight = tap_random() >> tap_below(64);
			if (!tap_below(10))
				batch[i].page = tap_below(1 << 18);
		}
		lost = htmm_table_add(&world.table, batch, WORLD_BATCH, dropped);
		for (i = 0; i < WORLD_BATCH; i++)
			lost -= htmm_table_add(&one.table, &batch[i], 1,
					       dropped);
		CHECK(lost == 0);
		if (!tap_below(10)) {
			htmm_table_cool(&world.table);
			htmm_table_cool(&one.table);
		}
		same_tables(&world, &one);
	}
	CHECK(world.table.stats.evicted > 0);
	world_close(&one);
	world_close(&world);
}

static void forget(u32 region, u32 first, u32 last)
{
	u64 pages[HTMM_REGION_PAGES / 64] = { 0 };
	u32 i;

	for (i = first; i <= last; i++)
		pages[i / 64] |= 1ULL << i % 64;
	world_forget(&world, region, pages);
	world_matches(&world);
}

/* Pages of a region that a walk for those with so many samples finds. */
static u32 found(u32 region, u32 least)
{
	u32 pos = 0, n = 0, page;

	while (htmm_region_next(find(region), least, &pos, &page))
		n++;
	return n;
}

/* In each form of a region: the others keep their counts, and their place in a listing. */
static void pages_are_forgotten(void)
{
	static const u32 pages[] = { 8, 40, 41 }, most[] = { 100, 3000, U32_MAX / 8 };
	u32 i, form;

	for (form = 0; form < 3; form++) {
		world_open(&world, &roomy, false);
		for (i = 0; i < pages[form]; i++)
			add(0, 5 + i, 20 + i);
		/* And the first and the last page, and another region. */
		add(0, 0, most[form]);
		add(0, 2, most[form] / 2);
		add(0, 3, most[form] / 3);
		add(0, 511, 7);
		add(1, 2, 9);
		CHECK(find(0)->digits == form || (form == 2 && find(0)->digits > 1));
		forget(0, 2, 2);
		CHECK(count(0, 0) == most[form] && count(0, 3) == most[form] / 3);
		CHECK(!count(0, 2) && count(0, 511) == 7 && count(1, 2) == 9);
		CHECK(!form || found(0, 300) == 2);
		/* What has no count is nothing to forget. */
		forget(0, 2, 2);
		forget(0, 100, 510);
		/* It begins at 0 again. */
		add(0, 2, 1);
		CHECK(count(0, 2) == 1);
		world_lists_match(&world, HTMM_UNIT_PAGE, 3);
		/* The one with most samples, as the listing has noted. */
		forget(0, 0, 0);
		world_lists_match(&world, HTMM_UNIT_PAGE, 3);
		forget(0, 0, 99);
		CHECK(world.model.region[0].count == 7);
		/* With its last page a region is gone, though it is told of no others. */
		forget(0, 511, 511);
		CHECK(!find(0) && world.table.stats.regions == 1);
		world_close(&world);
	}
}

/* What rounding has left to a region goes with the last page that has a count. */
static void regions_are_forgotten(void)
{
	u32 i;

	world_open(&world, &roomy, false);
	for (i = 0; i < 300; i++)
		add(0, i, 1);
	add(0, 400, 2);
	add(0, 401, 4);
	add(1, 1, 1);
	world_cool(&world);
	forget(0, 400, 400);
	CHECK(world.model.region[0].count == 152 && bin(HTMM_UNIT_REGION, 8) == 1);
	forget(0, 401, 401);
	CHECK(!find(0) && !world.table.stats.pages);
	forget(0, 0, 511);
	/* Behind by a cooling that has left it nothing. */
	forget(1, 5, 5);
	CHECK(!find(1));
	world_close(&world);
}

/* A region's count that has reached the maximum may be less than what its pages have. */
static void saturated_pages_are_forgotten(void)
{
	world_open(&world, &roomy, false);
	add(0, 1, U32_MAX);
	add(0, 2, U32_MAX - 1);
	add(0, 3, 10);
	forget(0, 1, 1);
	CHECK(count(0, 2) == U32_MAX - 1 && bin(HTMM_UNIT_REGION, 32) == 1);
	forget(0, 2, 2);
	CHECK(count(0, 3) == 10 && bin(HTMM_UNIT_REGION, 4) == 1);
	world_close(&world);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(pages_are_forgotten),
		TAP_TEST(regions_are_forgotten),
		TAP_TEST(saturated_pages_are_forgotten),
		TAP_TEST(form_of_a_cooled_region),
		TAP_TEST(when_to_cool),
		TAP_TEST(names_of_fronts_repeat),
		TAP_TEST(regions_share_fronts),
		TAP_TEST(sparse_regions_by_their_entries),
		TAP_TEST(config_is_checked),
		TAP_TEST(counts_and_bins),
		TAP_TEST(saturates),
		TAP_TEST(cooling_is_lazy_and_exact),
		TAP_TEST(regions_outlive_their_pages),
		TAP_TEST(epochs_far_apart),
		TAP_TEST(memory_limit),
		TAP_TEST(too_large_a_pool),
		TAP_TEST(empty_pool_refuses),
		TAP_TEST(need_is_enough),
		TAP_TEST(memory_changes_hands),
		TAP_TEST(counts_of_any_size),
		TAP_TEST(forms_of_a_region),
		TAP_TEST(out_of_range_and_weightless),
		TAP_TEST(removed_mm_is_gone),
		TAP_TEST(steps_are_bounded),
		TAP_TEST(sweep_survives_growth),
		TAP_TEST(sweep_begins_again),
		TAP_TEST(hot_neighbours_stay),
		TAP_TEST(batches_do_not_matter),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
