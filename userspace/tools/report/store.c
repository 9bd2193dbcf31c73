// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "perfdata/huge.h"
#include "store.h"

static void *map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

#define SLAB_PAGES	(HUGE_BYTES / HTMM_POOL_PAGE_SIZE)

static bool add_slab(struct store *store)
{
	char **slab = realloc(store->slab, (store->nr_slabs + 1UL) * sizeof(*slab));

	if (!slab)
		return false;
	store->slab = slab;
	slab[store->nr_slabs] = huge_alloc(HUGE_BYTES);
	if (!slab[store->nr_slabs])
		return false;
	store->nr_slabs++;
	store->spare = SLAB_PAGES;
	return true;
}

/* The pool frees the table's pages together with the store. */
static void *new_page(struct store *store)
{
	if (!store->spare && !add_slab(store))
		return NULL;
	return store->slab[store->nr_slabs - 1] + --store->spare * HTMM_POOL_PAGE_SIZE;
}

/* The sample at which the next cooling is due, if this many pages have a count by then. */
static void plan_cooling(struct store *store, u64 pages)
{
	store->next_cooling = htmm_cooling_due(store->last_cooling,
					       store->config.cooling_period, pages);
}

struct store *store_new(const struct store_config *config, struct htmm_error *err)
{
	const struct htmm_table_config limits = {
		.max_bytes = config->max_bytes,
	};
	size_t bytes = htmm_table_dir_bytes(&limits);
	struct store *store;

	if (!bytes) {
		htmm_error_set(err, EINVAL, "give 32K to 512G with --max-bytes",
			       "a table cannot have %llu bytes", config->max_bytes);
		return NULL;
	}
	store = calloc(1, sizeof(*store));
	if (!store)
		goto no_memory;
	store->config = *config;
	plan_cooling(store, 0);
	store->directory_bytes = bytes;
	store->directory = map(bytes);
	if (store->directory && !htmm_table_init(&store->table, &limits, store->directory,
						 &store->pool))
		return store;
	store_free(store);
no_memory:
	htmm_error_set(err, ENOMEM, "give less with --max-bytes", "out of memory");
	return NULL;
}

void store_free(struct store *store)
{
	if (!store)
		return;
	while (store->nr_slabs)
		free(store->slab[--store->nr_slabs]);
	free(store->slab);
	if (store->directory)
		munmap(store->directory, store->directory_bytes);
	free(store);
}

/* If there is no memory, samples are counted as refused. */
static void refill(struct store *store)
{
	u32 need = htmm_table_need(&store->table, STORE_BATCH);
	void *page;

	while (need--) {
		page = new_page(store);
		if (!page)
			return;
		htmm_pool_put(&store->pool, page);
	}
}

static void cool(struct store *store)
{
	htmm_table_cool(&store->table);
	store->coolings++;
	store->last_cooling = store->samples;
	plan_cooling(store, 0);
}

/* Counts as many as come before the next cooling, which must be exactly on its sample. */
static u32 count_some(struct store *store, u32 from)
{
	u32 n = min_t(u64, store->nr - from, store->next_cooling - store->samples);
	u32 refused = htmm_table_add(&store->table, store->batch + from, n, store->dropped);

	store->refused += refused;
	store->samples += n - refused;
	if (store->samples >= store->next_cooling)
		plan_cooling(store, htmm_hist_pages_from(&store->table.hist[HTMM_UNIT_PAGE], 1));
	if (store->samples >= store->next_cooling)
		cool(store);
	return n;
}

void store_flush(struct store *store)
{
	u32 done = 0;

	refill(store);
	while (done < store->nr)
		done += count_some(store, done);
	store->nr = 0;
}

/* Capacity of the fast tier, in units of @unit. */
static u64 capacity_of(const struct store *store, enum htmm_unit unit)
{
	return unit == HTMM_UNIT_REGION ? store->config.capacity >> HTMM_REGION_ORDER :
					store->config.capacity;
}

void store_ratio(const struct store *store, enum htmm_unit unit, struct htmm_hit_ratio *ratio)
{
	u64 capacity = capacity_of(store, unit);
	struct htmm_scan scan = { .unit = unit };
	struct htmm_hits hits = {};
	struct htmm_share share;

	while (htmm_hits_scan(&hits, &store->table, &scan, U32_MAX))
		;
	share = htmm_hits_share(&hits, capacity);
	*ratio = (struct htmm_hit_ratio) {
		.size = sizeof(*ratio),
		.unit = unit,
		.capacity_pages = capacity,
		.pages = share.pages,
		.fast_pages = capacity < share.pages ? capacity : share.pages,
		.samples = share.samples,
		.hit_ppm = share.ppm,
		.error_ppm = share.error_ppm,
	};
}

void store_heat(const struct store *store, enum htmm_unit unit, struct store_heat *heat)
{
	heat->capacity = capacity_of(store, unit);
	heat->hist = store->table.hist[unit];
	heat->hot = htmm_hist_hot_threshold(&heat->hist, heat->capacity);
	heat->warm = htmm_hist_warm_threshold(&heat->hist, heat->capacity, heat->hot);
	heat->pages = htmm_hist_pages_from(&heat->hist, 0);
	heat->hot_pages = htmm_hist_pages_from(&heat->hist, heat->hot);
}

struct htmm_topn_entry *store_list(struct store *store, enum htmm_unit unit, u32 most, u32 *nr)
{
	u64 all = unit == HTMM_UNIT_PAGE ? store->table.stats.pages : store->table.stats.regions;
	struct htmm_topn list = { .unit = unit, .filter = HTMM_TOPN_COUNTED };

	if (!most || most > all)
		most = all;
	list.entries = malloc((most + 1) * sizeof(*list.entries));
	if (!list.entries)
		return NULL;
	list.size = most;
	htmm_topn_begin(&list, &store->table);
	while (htmm_topn_scan(&list, &store->table, U32_MAX))
		;
	*nr = htmm_topn_finish(&list);
	return list.entries;
}
