// SPDX-License-Identifier: GPL-2.0
/* Pool: blocks are complete, separate and zeroed; none is lost, and whole pages are known. */
#include "pool.h"
#include "tap.h"

#define PAGES	16
#define BLOCKS	(PAGES * HTMM_POOL_BLOCKS_PER_PAGE)

static char memory[PAGES][HTMM_POOL_PAGE_SIZE] __aligned(HTMM_POOL_PAGE_SIZE);
static void *parts[PAGES];
static u32 used[PAGES];		/* blocks of each page, or */
#define GONE	100		/* it was withdrawn */

static void fill(struct htmm_pool *pool)
{
	u32 i;

	htmm_pool_init(pool, parts);
	memset(memory, 0xa5, sizeof(memory));
	memset(used, 0, sizeof(used));
	for (i = 0; i < PAGES; i++)
		htmm_pool_put(pool, memory[i]);
}

static void empty_gives_nothing(void)
{
	struct htmm_pool pool;

	htmm_pool_init(&pool, parts);
	CHECK(!htmm_pool_block_get(&pool));
	CHECK(htmm_pool_free_blocks(&pool) == 0);
	CHECK(!htmm_pool_withdraw(&pool));
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

static u32 *used_of(const char *block)
{
	return &used[(block - memory[0]) / HTMM_POOL_PAGE_SIZE];
}

static u32 whole_pages(void)
{
	u32 i, n = 0;

	for (i = 0; i < PAGES; i++)
		n += !used[i];
	return n;
}

/* A block that looks like what the pool has in free ones, of any page. */
static void *get(struct htmm_pool *pool)
{
	bool part = htmm_pool_free_blocks(pool) > whole_pages() * HTMM_POOL_BLOCKS_PER_PAGE;
	u32 *block = htmm_pool_block_get(pool), i;

	CHECK(block);
	/* A page is split only when no other one has free blocks. */
	CHECK(!part == !*used_of((char *)block));
	++*used_of((char *)block);
	for (i = 0; i < HTMM_POOL_BLOCK_SIZE / sizeof(*block); i++)
		block[i] = tap_below(PAGES);
	return block;
}

static void put(struct htmm_pool *pool, void *block)
{
	--*used_of(block);
	htmm_pool_block_put(pool, block);
}

static void random_gets_and_puts(void)
{
	u32 n = 0, i, step, most = BLOCKS;
	struct htmm_pool pool;
	void *block[BLOCKS];

	fill(&pool);
	for (step = 0; step < 20000; step++) {
		/* Mostly full for a while, then mostly empty. */
		if (step % 1000 == 0)
			most = 1 + tap_below(BLOCKS);
		if (n < most && tap_below(2)) {
			block[n++] = get(&pool);
		} else if (n) {
			i = tap_below(n);
			put(&pool, block[i]);
			block[i] = block[--n];
		}
		CHECK(htmm_pool_free_blocks(&pool) == BLOCKS - n);
		CHECK(pool.nr_pages == whole_pages());
	}
	while (n)
		put(&pool, block[--n]);
	CHECK(htmm_pool_free_blocks(&pool) == BLOCKS && pool.nr_pages == PAGES);
}

/* A page is withdrawn when all its blocks are free, and then never split again. */
static void whole_pages_are_withdrawn(void)
{
	struct htmm_pool pool;
	void *block[BLOCKS];
	u32 i, n, held;
	char *page;

	fill(&pool);
	for (n = 0; n < BLOCKS / 2; n++)
		block[n] = get(&pool);
	for (i = 0; i < n; i++)
		if (i % HTMM_POOL_BLOCKS_PER_PAGE || i % 3)
			put(&pool, block[i]);
	for (held = PAGES; (page = htmm_pool_withdraw(&pool)); held--) {
		CHECK(!*used_of(page));
		*used_of(page) = GONE;
		memset(page, 0xa5, HTMM_POOL_PAGE_SIZE);
	}
	CHECK(!whole_pages() && held && held < PAGES / 2 && pool.held == held);
	while (htmm_pool_free_blocks(&pool))
		CHECK(*used_of(get(&pool)) <= HTMM_POOL_BLOCKS_PER_PAGE);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(empty_gives_nothing),
		TAP_TEST(blocks_are_zeroed_and_apart),
		TAP_TEST(random_gets_and_puts),
		TAP_TEST(whole_pages_are_withdrawn),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
