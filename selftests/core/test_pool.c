// SPDX-License-Identifier: GPL-2.0
/* Pool: blocks are complete, separate and zeroed; none is lost. */
#include "pool.h"
#include "tap.h"

#define PAGES	16
#define BLOCKS	(PAGES * HTMM_POOL_BLOCKS_PER_PAGE)

static char memory[PAGES][HTMM_POOL_PAGE_SIZE] __aligned(HTMM_POOL_PAGE_SIZE);

static void fill(struct htmm_pool *pool)
{
	u32 i;

	htmm_pool_init(pool);
	memset(memory, 0xa5, sizeof(memory));
	for (i = 0; i < PAGES; i++)
		htmm_pool_put(pool, memory[i]);
}

static void empty_gives_nothing(void)
{
	struct htmm_pool pool;

	htmm_pool_init(&pool);
	CHECK(!htmm_pool_block_get(&pool));
	CHECK(htmm_pool_free_blocks(&pool) == 0);
}

static void blocks_are_zeroed_and_apart(void)
{
	struct htmm_pool pool;
	char *block[BLOCKS];
	u32 i, j;

	fill(&pool);
	CHECK(htmm_pool_free_blocks(&pool) == BLOCKS);
	for (i = 0; i < BLOCKS; i++) {
		block[i] = htmm_pool_block_get(&pool);
		CHECK(block[i]);
		CHECK(htmm_pool_free_blocks(&pool) == BLOCKS - i - 1);
		for (j = 0; j < HTMM_POOL_BLOCK_SIZE; j++)
			CHECK(block[i][j] == 0);
		memset(block[i], 1 + i, HTMM_POOL_BLOCK_SIZE);
	}
	CHECK(!htmm_pool_block_get(&pool));
	for (i = 0; i < BLOCKS; i++) {
		for (j = 0; j < HTMM_POOL_BLOCK_SIZE; j++)
			CHECK(block[i][j] == (char)(1 + i));
		htmm_pool_block_put(&pool, block[i]);
	}
	CHECK(htmm_pool_free_blocks(&pool) == BLOCKS && pool.held == PAGES);
}

static void random_gets_and_puts(void)
{
	struct htmm_pool pool;
	void *block[BLOCKS];
	u32 n = 0, i, step;

	fill(&pool);
	for (step = 0; step < 20000; step++) {
		if (n < BLOCKS && tap_below(2)) {
			block[n++] = htmm_pool_block_get(&pool);
			CHECK(block[n - 1]);
		} else if (n) {
			i = tap_below(n);
			htmm_pool_block_put(&pool, block[i]);
			block[i] = block[--n];
		}
		CHECK(htmm_pool_free_blocks(&pool) == BLOCKS - n);
	}
	while (n)
		htmm_pool_block_put(&pool, block[--n]);
	CHECK(htmm_pool_free_blocks(&pool) == BLOCKS);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(empty_gives_nothing),
		TAP_TEST(blocks_are_zeroed_and_apart),
		TAP_TEST(random_gets_and_puts),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
