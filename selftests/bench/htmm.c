// SPDX-License-Identifier: GPL-2.0
/* The module's own table, held to the memory that it promises. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "evict.h"

/* Entries that ksampled visits for housekeeping between two batches. */
#define TIDY_SLICE	256

struct store {
	struct htmm_table table;
	struct htmm_pool pool;
	void *dir;
	size_t dir_bytes;
	char *arena;		/* stands for the kernel's pages */
	u64 arena_bytes;
	u64 given;
	bool cools;
};

/* Bytes per page: the limit given to the table, in which it must do. */
static u64 budget(const struct bench_space *space)
{
	return space->one_in == 1 ? 3 : space->one_in <= 8 ? 12 : 24;
}

static void *store_open(const struct bench_space *space)
{
	struct store *store = calloc(1, sizeof(*store));
	struct htmm_table_config config = {
		.max_bytes = space->pages * budget(space) + 65536,
	};

	store->dir_bytes = htmm_table_dir_bytes(&config);
	store->dir = bench_alloc(store->dir_bytes);
	store->arena_bytes = config.max_bytes;
	store->arena = bench_alloc(store->arena_bytes);
	if (htmm_table_init(&store->table, &config, store->dir, &store->pool)) {
		fprintf(stderr, "bench: the table refuses its limits\n");
		exit(1);
	}
	return store;
}

static void refill(struct store *store, u32 n)
{
	u32 need = htmm_table_need(&store->table, n);

	for (; need; need--)
		htmm_pool_put(&store->pool,
			      &store->arena[HTMM_POOL_PAGE_SIZE * store->given++]);
}

static void store_add(void *mem, const struct htmm_table_sample *s, u32 n)
{
	struct store *store = mem;
	u32 dropped[BENCH_BATCH], len;

	for (; n; n -= len, s += len) {
		len = min_t(u32, n, BENCH_BATCH);
		refill(store, len);
		if (htmm_table_add(&store->table, s, len, dropped) ||
		    store->table.stats.evicted) {
			fprintf(stderr, "bench: htmm needs more than its memory\n");
			exit(1);
		}
		/* As the module does by default, but counts stay, to be compared. */
		htmm_table_changed(&store->table);
		if (store->cools)
			htmm_table_reclaim(&store->table, TIDY_SLICE);
	}
}

static void store_cool(void *mem)
{
	struct store *store = mem;

	store->cools = true;
	htmm_table_cool(&store->table);
}

static void store_exit(void *mem, u32 space)
{
	struct store *store = mem;
	bool first = true;

	for (; htmm_table_remove_space(&store->table, space, first, TIDY_SLICE); first = false)
		;
}

static const struct htmm_hist *store_hist(void *mem)
{
	return ((struct store *)mem)->table.hist;
}

static u64 store_bytes(void *mem)
{
	return htmm_table_bytes(&((struct store *)mem)->table);
}

static void store_close(void *mem)
{
	struct store *store = mem;

	bench_free(store->arena, store->arena_bytes);
	bench_free(store->dir, store->dir_bytes);
	free(store);
}

const struct bench_store bench_htmm = {
	.name = "htmm",
	.open = store_open,
	.add = store_add,
	.cool = store_cool,
	.exit = store_exit,
	.hist = store_hist,
	.bytes = store_bytes,
	.close = store_close,
};
