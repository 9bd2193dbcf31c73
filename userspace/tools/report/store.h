/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hotness of recorded samples, computed by the module's own core: the same table, cooling
 * and thresholds, so that a file gives the kernel's results.
 */
#ifndef REPORT_STORE_H
#define REPORT_STORE_H

#include "shim/deps.h"
#include "core/hist.h"
#include "core/hits.h"
#include "core/topn.h"
#include "core/table.h"

#include <htmm/error.h>
#include <linux/htmm.h>

/* Samples that are counted in one batch. */
#define STORE_BATCH	512

/**
 * struct store_config - how samples turn into hot pages
 * @max_bytes: most memory of the table, in bytes
 * @capacity: capacity of the fast tier, in pages; may change later
 * @cooling_period: see htmm_cooling_due()
 */
struct store_config {
	u64 max_bytes;
	u64 capacity;
	u64 cooling_period;
};

/**
 * struct store_heat - histogram and thresholds of one unit
 * @hist: the histogram
 * @hot: pages in this bin and above are hot
 * @warm: pages in this bin and above are warm or hot
 * @pages: pages tracked
 * @hot_pages: hot ones
 * @capacity: capacity of the fast tier, in the same unit
 */
struct store_heat {
	struct htmm_hist hist;
	unsigned int hot;
	unsigned int warm;
	u64 pages;
	u64 hot_pages;
	u64 capacity;
};

/**
 * struct store - the table and its memory
 * @config: how samples turn into hot pages
 * @table: counts and histograms
 * @samples: samples counted
 * @coolings: times that all counts were halved
 * @refused: samples for which there was no memory
 */
struct store {
	struct store_config config;
	struct htmm_table table;
	u64 samples;
	u64 coolings;
	u64 refused;

	/* private: */
	struct htmm_pool pool;
	char **slab;
	u32 nr_slabs;
	u32 spare;			/* unused pages of the last slab */
	void *directory;
	size_t directory_bytes;
	u64 last_cooling;
	u64 next_cooling;
	u32 nr;
	struct htmm_table_sample batch[STORE_BATCH];
	u32 dropped[STORE_BATCH];
};

/**
 * store_new() - make an empty store
 * @config: how samples turn into hot pages
 * @err: says if a table cannot have these limits
 *
 * Return: the store, or NULL.
 */
struct store *store_new(const struct store_config *config, struct htmm_error *err);

/**
 * store_free() - free the store
 * @store: the store; may be NULL
 */
void store_free(struct store *store);

/**
 * store_flush() - count the samples collected by store_add()
 * @store: the store
 */
void store_flush(struct store *store);

/**
 * store_add() - count a sample
 * @store: the store
 * @space: address space, at most HTMM_SPACE_MAX
 * @addr: address in it
 * @weight: what the sample counts
 */
static inline void store_add(struct store *store, u32 space, u64 addr, u32 weight)
{
	store->batch[store->nr++] = (struct htmm_table_sample) {
		.page = htmm_page(space, addr >> 12),
		.weight = weight,
	};
	if (store->nr == STORE_BATCH)
		store_flush(store);
}

/**
 * store_heat() - histogram and thresholds as of now
 * @store: the store, flushed
 * @unit: of pages or of regions
 * @heat: filled
 */
void store_heat(const struct store *store, enum htmm_unit unit, struct store_heat *heat);

/**
 * store_ratio() - share of the samples that the fast tier could serve
 * @store: the store, flushed
 * @unit: fill the fast tier with pages or with regions
 * @ratio: filled, of all counts as they are now
 */
void store_ratio(const struct store *store, enum htmm_unit unit, struct htmm_hit_ratio *ratio);

/**
 * store_list() - list the first pages or regions in sorted order
 * @store: the store, flushed
 * @unit: what to list
 * @most: most entries; 0: all
 * @nr: receives their number
 *
 * Return: the entries, for free(); NULL if there is no memory.
 */
struct htmm_topn_entry *store_list(struct store *store, enum htmm_unit unit, u32 most, u32 *nr);

#endif /* REPORT_STORE_H */
