// SPDX-License-Identifier: GPL-2.0
/* The table compared with the naive model, driven by libFuzzer. */
#include "fuzz.h"

static struct world world;	/* large */

/* Impossible limits are refused, and possible ones are kept. */
static void any_limits(void)
{
	struct htmm_table_config config = {
		.max_bytes = fuzz_u64(), .seed = fuzz_u64(),
	};
	size_t bytes = htmm_table_dir_bytes(&config), heads = config.max_bytes / 128;
	struct htmm_table table;
	struct htmm_pool pool;
	void *dir;

	CHECK(!bytes == (config.max_bytes < HTMM_TABLE_MIN_BYTES ||
			 config.max_bytes > 1ULL << 39));
	/*
	 * At most so many heads, of 12 bytes with their parts of fronts; for 64 of them a word of
	 * the bitmap, and a list of 8 bytes, or 64 lists; and 8 bytes for each page of the pool.
	 */
	CHECK(bytes <= 12 * heads + heads / 8 + max_t(u64, heads / 8, 512) +
		       config.max_bytes / HTMM_POOL_PAGE_SIZE * 8);
	CHECK(!bytes || bytes >= config.max_bytes / 256 * 8);
	if (bytes > 1 << 20)
		return;
	dir = aligned_alloc(64, (bytes + 64) & ~63UL);
	memset(dir, 0, bytes);
	CHECK(htmm_table_init(&table, &config, dir, &pool) ==
	      (bytes ? 0 : -EINVAL));
	if (bytes)
		CHECK(htmm_table_bytes(&table) == bytes &&
		      bytes + (u64)table.max_held * HTMM_POOL_PAGE_SIZE <= config.max_bytes);
	free(dir);
}

int fuzz_one_input(const unsigned char *data, size_t size)
{
	struct htmm_table_config config = { };
	bool few;

	fuzz_begin(data, size);
	if (fuzz_byte() % 16 == 1)
		any_limits();
	config.max_bytes = fuzz_byte() & 1 ? HTMM_TABLE_MIN_BYTES : 1024 * 1024;
	few = fuzz_byte() & 1;
	config.seed = fuzz_byte();
	world_open(&world, &config, few || config.max_bytes == HTMM_TABLE_MIN_BYTES);
	if (few)
		world.table.max_held = 3;
	while (fuzz_left()) {
		fuzz_step(&world);
		world_totals_match(&world);
	}
	world_matches(&world);
	world_close(&world);
	return 0;
}
