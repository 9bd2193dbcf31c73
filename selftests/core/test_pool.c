// SPDX-License-Identifier: GPL-2.0
/* Pool: blocks are whole, apart and zeroed; every page comes back once. */
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

/* Take everything back; true if it is exactly what fill() gave. */
static void comes_back(struct htmm_pool *pool)
{
	bool seen[PAGES] = { false };
	u32 i, n = 0;
	char *page;

	while ((page = htmm_pool_take_back(pool))) {
		i = (page - memory[0]) / HTMM_POOL_PAGE_SIZE;
		CHECK(i < PAGES && page == memory[i] && !seen[i]);
		seen[i] = true;
		/* As if freed: the pool must not look here again. */
		memset(page, 0xff, HTMM_POOL_PAGE_SIZE);
		n++;
	}
	CHECK(n == PAGES && pool->held == 0);
	CHECK(htmm_pool_free_blocks(pool) == 0);
}

static void empty_gives_nothing(void)
{
	struct htmm_pool pool;

	htmm_pool_init(&pool);
	CHECK(!htmm_pool_block_get(&pool));
	CHECK(!htmm_pool_take_back(&pool));
	CHECK(htmm_pool_free_blocks(&pool) == 0);
}

static void unused_pages_come_back(void)
{
	struct htmm_pool pool;

	fill(&pool);
	CHECK(htmm_pool_free_blocks(&pool) == BLOCKS);
	comes_back(&pool);
}

static void blocks_are_zeroed_and_apart(void)
{
	struct htmm_pool pool;
	char *block[BLOCKS];
	u32 i, j;

	fill(&pool);
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
	comes_back(&pool);
}

static void split_pages_wait_for_the_last_block(void)
{
	struct htmm_pool pool;
	void *block[2];
	u32 n = 0;

	fill(&pool);
	block[0] = htmm_pool_block_get(&pool);
	block[1] = htmm_pool_block_get(&pool);
	htmm_pool_block_put(&pool, block[0]);
	while (htmm_pool_take_back(&pool))
		n++;
	CHECK(n == PAGES - 1 && pool.held == 1);
	CHECK(htmm_pool_free_blocks(&pool) == HTMM_POOL_BLOCKS_PER_PAGE - 1);
	htmm_pool_block_put(&pool, block[1]);
	CHECK(htmm_pool_take_back(&pool));
	CHECK(!htmm_pool_take_back(&pool) && pool.held == 0);
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
		CHECK(pool.used == n);
		CHECK(htmm_pool_free_blocks(&pool) == BLOCKS - n);
	}
	while (n)
		htmm_pool_block_put(&pool, block[--n]);
	comes_back(&pool);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(empty_gives_nothing),
		TAP_TEST(unused_pages_come_back),
		TAP_TEST(blocks_are_zeroed_and_apart),
		TAP_TEST(split_pages_wait_for_the_last_block),
		TAP_TEST(random_gets_and_puts),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
