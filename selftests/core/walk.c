// SPDX-License-Identifier: GPL-2.0
#include "walk.h"

/* The state of a walk. */
struct way {
	struct world *world;
	const struct walk *how;
	u64 ops;
	u64 dying;	/* space being removed, U64_MAX: none */
};

/* Adds some samples, none of the space that is being removed. */
static void add_batch(struct way *way)
{
	u32 n = 0, i, want = 1 + tap_below(tap_below(4) ? 30 : WORLD_BATCH);
	struct htmm_table_sample batch[WORLD_BATCH];

	for (i = 0; i < want; i++) {
		batch[n] = world_sample(way->world);
		if (!tap_below(4))
			batch[n].weight = tap_below(20);
		if (!tap_below(30))
			batch[n].weight = tap_random() >> tap_below(32);
		if (!tap_below(500))
			batch[n].page = HTMM_NO_PAGE;
		n += sample_space(&batch[n]) != way->dying;
	}
	if (!tap_below(way->how->starve))
		world_refill(way->world, way->how->batch ?: WORLD_BATCH);
	world_add(way->world, batch, n);
	way->ops += n;
}

/* Begins to remove an space, or continues. */
static void remove_some(struct way *way)
{
	bool more, first = way->dying == U64_MAX;

	if (first)
		way->dying = way->world->model.space[tap_below(MODEL_SPACES)];
	world_remove_space(way->world, way->dying, first, tap_below(20), &more);
	if (!more)
		way->dying = U64_MAX;
	way->ops++;
}

/* Forgets a few pages of a region, all but a few, or all. */
static void forget_some(struct way *way)
{
	u64 pages[HTMM_REGION_PAGES / 64];
	u32 i, unit = tap_below(8);

	for (i = 0; i < HTMM_REGION_PAGES / 64; i++) {
		pages[i] = unit ? tap_random() & tap_random() : U64_MAX;
		pages[i] = unit & 1 ? pages[i] : ~pages[i] | pages[i] << 1;
	}
	if (!unit)
		memset(pages, 0xff, sizeof(pages));
	world_forget(way->world, tap_below(tap_below(2) ? 6 : MODEL_REGIONS), pages);
	way->ops++;
}

static void cool_some(struct way *way)
{
	u32 i = tap_below(20) ? 1 : 1 + tap_below(40);

	way->ops += i;
	while (i--)
		world_cool(way->world);
}

/* Rarely; one in eight of these makes real coolings. */
static void jump(struct way *way)
{
	static const u64 jumps[] = {
		1ULL << 32, (1ULL << 32) - 32, (1ULL << 32) - 31, 3ULL << 32,
	};

	world_jump(way->world, tap_below(8) ? jumps[tap_below(4)] : 1 << 20);
	way->ops += 33;
}

static void step(struct way *way)
{
	u32 op = tap_below(400);
	bool more;

	if (op < 300) {
		add_batch(way);
	} else if (op < 320) {
		cool_some(way);
	} else if (op < 370) {
		world_reclaim(way->world, tap_below(12), &more);
		way->ops++;
	} else if (op < 380) {
		forget_some(way);
	} else if (op < 396) {
		remove_some(way);
	} else if (op < 398) {
		world_shrink(way->world, tap_below(80));
		way->ops++;
	} else if (op == 398 && !tap_below(8)) {
		jump(way);
	} else if (op == 399) {
		world_empty(way->world);
		way->dying = U64_MAX;
		way->ops++;
	}
}

static void compare(struct world *world, u64 steps)
{
	world_totals_match(world);
	if (steps % 16 == 0)
		world_matches(world);
	if (steps % 512 == 0)
		world_lists_match(world, tap_below(3), 20 + tap_below(2000));
}

void walk(struct world *world, const struct walk *how, u64 ops)
{
	struct way way = { .world = world, .how = how, .dying = U64_MAX };
	struct htmm_table *table = &world->table;
	u64 steps;

	world_open(world, &how->config, how->limited);
	if (how->held)
		table->max_held = how->held;
	if (how->crowded) {
		table->head_mask = 0;
		table->front_mask = 3 * sizeof(struct htmm_front);
	}
	for (steps = 0; way.ops < ops; steps++) {
		step(&way);
		compare(world, steps);
	}
	world_matches(world);
	printf("# operations %llu counted %llu refused %llu evicted %llu ",
	       way.ops, table->stats.counted, table->stats.full, table->stats.evicted);
	printf("coolings %llu reclaimed %llu\n", table->epoch, table->stats.reclaimed);
	CHECK(how->limited || !table->stats.evicted);
	/* With a pool that is sometimes empty, nothing need be evicted. */
	CHECK(!how->limited || how->starve > 1 || table->stats.evicted);
	CHECK(table->stats.counted && table->epoch && table->stats.reclaimed);
	world_close(world);
}
