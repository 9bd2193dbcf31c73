/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A naive model of the table, and a table under test beside it.
 *
 * The model keeps a plain count for every page of a fixed set of regions and halves all of
 * them at each cooling. It shares only one function with the table, the bin of a count,
 * which has its own test.
 *
 * The model's histograms follow each change of a count, so that they can be compared after
 * every step of a long run; world_matches() computes them again.
 */
#ifndef HTMM_SELFTESTS_MODEL_H
#define HTMM_SELFTESTS_MODEL_H

#include "evict.h"
#include "topn.h"
#include "table.h"
#include "tap.h"

#define MODEL_REGIONS	48
#define MODEL_SPACES	3
#define WORLD_PAGES	512	/* most given to the pool */
#define WORLD_BATCH	300	/* most samples at once */

struct model_page {
	bool tracked;
	u32 count;
};

struct model_region {
	u64 vpn;
	u32 space;
	bool tracked;
	bool saturated;
	u32 count;
	u32 pages;	/* tracked ones */
	struct model_page page[HTMM_REGION_PAGES];
};

struct model {
	struct model_region region[MODEL_REGIONS];
	u32 space[MODEL_SPACES];
	struct htmm_hist hist[HTMM_UNITS];
	u64 pages;
	u64 regions;
	u64 counted;
	u64 full;
	u64 reclaimed;
	u64 evicted;
	u64 coolings;
	/* Since the last look of htmm_table_changed(); its level is the table's. */
	u32 level;
	u64 weight;
	u64 below;
};

/* The table under test, its memory, and the model. */
struct world {
	struct htmm_table table;
	struct htmm_table_config config;
	struct htmm_pool pool;
	struct model model;
	void *dir;
	void *given[WORLD_PAGES];
	u64 pages_given;
	bool limited;
};

/* The address space in the name of a sample's page. */
static inline u32 sample_space(const struct htmm_table_sample *s)
{
	return s->page >> HTMM_VPN_BITS;
}

static inline u64 sample_vpn(const struct htmm_table_sample *s)
{
	return s->page & HTMM_VPN_MAX;
}

/*
 * Opens a table with these limits over randomly placed regions. @limited: samples may reach
 * the limits, or the pool may be empty.
 */
void world_open(struct world *w, const struct htmm_table_config *config,
		bool limited);

/* The region after this one in the order of chains; NULL: the first. @at: 0, then its chain. */
const struct htmm_region *next_region(const struct htmm_table *table,
				      const struct htmm_region *region, u32 *at);

/* Clears the table, takes all memory back and checks that none is missing. */
void world_close(struct world *w);

/* Gives the pool what the table requests before @n samples. */
void world_refill(struct world *w, u32 n);

/*
 * Adds samples to both. If no limit can be reached, they are one batch, and nothing may be
 * refused or evicted. Else they are added one by one; the table may evict only cold
 * regions, and only if necessary.
 */
void world_add(struct world *w, const struct htmm_table_sample *samples, u32 n);

/* A sample of one of the regions; some pages are much likelier than others. */
struct htmm_table_sample world_sample(const struct world *w);

/* Blocks of the pool in use. */
u32 world_blocks(const struct world *w);

/* Cools both until nothing is left, and then @jump times more at once. */
void world_jump(struct world *w, u64 jump);

/* Most regions that share a hash chain. */
u32 world_longest_chain(const struct world *w);

/* Does the same to both. The bounded steps set @more to the table's return value. */
void world_cool(struct world *w);
void world_reclaim(struct world *w, u32 budget, bool *more);
void world_remove_space(struct world *w, u32 space, bool first, u32 budget,
			bool *more);
void world_forget(struct world *w, u32 region, const u64 *pages);
void world_empty(struct world *w);

/* Takes unused pages back; any later access to them faults. */
void world_shrink(struct world *w, u32 nr);

/*
 * Checks a table by itself: each block of the pool is a leaf, a plane or holds entries; each
 * entry is on its list and chain; each region's state is in its own entry or in a front with
 * its name, and no other front is in use.
 */
void table_audit(const struct htmm_table *table);

/* Compares histograms, totals and thresholds, and audits the table. */
void world_totals_match(struct world *w);

/* Compares every page and every region as well. */
void world_matches(struct world *w);

/* Compares a whole listing in chunks of @chunk, each made in random slices. */
void world_lists_match(struct world *w, enum htmm_unit unit, u32 chunk);

/* Both thresholds fit their definitions, bin by bin. */
void thresholds_match(const struct htmm_hist *hist, u64 capacity);

/*
 * The complete listing that the model expects, hottest first, for free(); sets @n to the
 * number of entries.
 */
struct htmm_topn_entry *model_list(const struct model *model,
				   enum htmm_unit unit, u32 *n);

/* Samples of a page and of a region, halved by every cooling so far; 0: not tracked. */
u32 table_count(const struct htmm_table *table, u32 space, u64 vpn);
u32 region_count(const struct htmm_table *table, u32 space, u64 vpn);

#endif /* HTMM_SELFTESTS_MODEL_H */
