/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hot-page table of one target: sample counts of base pages and of their
 * 2 MiB regions, with an exact histogram of each.
 *
 * A hashed directory leads to regions, which hold the counts (region.h). Cooling advances an
 * epoch and shifts the histograms; a region applies the halvings it has missed when it is
 * next touched, or passed by htmm_table_reclaim().
 *
 *   tracked page    one with a count. It is forgotten when it cools to zero, so bin 0 is empty
 *   tracked region  one that was sampled and not yet found to have cooled to zero. It has its own
 *                   count, which without saturation is never less than the sum of the counts of
 *                   its pages, because each of these is rounded down separately
 *   evicted         forgotten with its whole region to make room at a limit
 *
 * The core takes no lock and allocates no memory. Context of every function: any,
 * serialised by the caller's lock of this table.
 */
#ifndef HTMM_CORE_TABLE_H
#define HTMM_CORE_TABLE_H

#include <uapi/linux/htmm.h>
#include "deps.h"
#include "hist.h"
#include "pool.h"
#include "region.h"

/* Values of enum htmm_unit: pages and regions. */
#define HTMM_UNITS	2

/**
 * struct htmm_table_sample - one sample to count
 * @page: htmm_page() of an address (>> 12) and its address space. The caller reuses the
 *	number of one only after htmm_table_remove_space() has finished with it
 * @weight: what to add to the counts; 0 counts nothing and tracks nothing
 * @tag: for the caller
 */
struct htmm_table_sample {
	u64 page;
	u32 weight;
	u32 tag;
};

/**
 * struct htmm_table_config - limits of a table
 * @max_bytes: memory of the table, including the directory, in bytes; from
 *	HTMM_TABLE_MIN_BYTES to HTMM_TABLE_MAX_BYTES. docs/core.md gives the memory per page
 * @seed: random number that makes the directory's hash unpredictable to the sampled
 *	programs; 0: a fixed hash
 * @owner: number of the table's owner, which a listing returns with each entry
 * @note: NULL, or called with @note_arg when a region of an address space was created (1)
 *	or is about to be removed (-1)
 * @note_arg: argument of @note
 */
struct htmm_table_config {
	u64 max_bytes;
	u64 seed;
	u32 owner;
	void (*note)(void *note_arg, u32 space, int change);
	void *note_arg;
};

#define HTMM_TABLE_MIN_BYTES	(32 * 1024)
/* Up to this size the numbers of entries and of chains fit in 32 bits. */
#define HTMM_TABLE_MAX_BYTES	BIT_ULL(39)

/* Most blocks that one sample needs. */
#define HTMM_SAMPLE_BLOCKS	6

/* Values of a digit and its mark. */
#define HTMM_DIGIT_VALUES	256

/* Prefetch distance, in samples. */
#define HTMM_AHEAD		64

/* If a batch had more samples of sparse or new regions than this, the next looks for no fronts. */
#define HTMM_MANY_FRONTLESS	128

/**
 * struct htmm_front - what a sample of a dense region needs, four to a cache line
 * @state: the region's state; struct htmm_region points to it
 * @name: htmm_front_name() of the region, or HTMM_FRONT_UNUSED
 *
 * All regions with the same hash share a front; one of them uses it at a time.
 */
struct htmm_front {
	u64 state;
	u64 name;
};

#define HTMM_FRONT_ORDER	4

/* A name has the number of a region, and of the epoch modulo HTMM_FRONT_EPOCHS. */
#define HTMM_FRONT_EPOCH_BITS	9
#define HTMM_FRONT_EPOCHS	511
#define HTMM_FRONT_UNUSED	U64_MAX

/*
 * A sample that was looked up before it is counted: its page's digit and its region's state, or the
 * table's @no_digit and @no_state if it takes the slow path.
 */
struct htmm_ahead {
	u8 *digit;
	u64 *state;
};

/**
 * struct htmm_table_stats - totals of a table
 * @pages: base pages tracked; the sum of the histogram's bins
 * @regions: regions tracked; the sum of their histogram's bins
 * @counted: samples added
 * @full: samples refused because nothing could be evicted
 * @reclaimed: base pages forgotten because their count had cooled to zero
 * @evicted: base pages forgotten to make room, at the memory limit or because the pool was empty
 *
 * The number of pages that were ever added is @pages + @reclaimed + @evicted + the pages
 * removed with their address space or by htmm_table_forget().
 */
struct htmm_table_stats {
	u64 pages;
	u64 regions;
	u64 counted;
	u64 full;
	u64 reclaimed;
	u64 evicted;
};

/**
 * struct htmm_change - do samples go to the pages that had most of them?
 * @level: hot pages have at least this count, a power of 2, at most 128; 0 before the first look
 * @usual: what part of the weight usually goes to such pages, in 1/1024; 0: not known, or none
 * @low: the least part lately of what was expected, in 1/1024: a program may go round and round
 * @enough: weight until the next look
 * @weight: weight of the samples since the last look
 * @below: the part of @weight that was added below @level
 * @looked: samples counted until the last look
 * @samples: samples since then
 * @expected: how many of them were expected to go to hot pages, in 1/1024
 */
struct htmm_change {
	u32 level;
	u32 usual;
	u32 low;
	u64 enough;
	u64 weight;
	u64 below;
	u64 looked;
	u64 samples;
	u64 expected;
};

/**
 * struct htmm_scan - position of a walk over all regions (scan.h)
 * @unit: what it looks for, base pages or regions
 * @least: lowest count that it looks for; may rise
 * @chain: next chain, 0 at first
 * @key: lowest key on @chain that has not been visited, 0 at first
 */
struct htmm_scan {
	enum htmm_unit unit;
	u32 chain;
	u64 key;
	u64 least;
};

/**
 * struct htmm_table - hot-page table
 * @hist: exact histogram of each unit
 * @stats: totals
 * @epoch: number of coolings
 *
 * Only read these; all else is an implementation detail.
 */
struct htmm_table {
	struct htmm_hist hist[HTMM_UNITS];
	struct htmm_table_stats stats;
	u64 epoch;

	/* private: */
	struct htmm_change change;
	struct htmm_table_config config;
	struct htmm_pool *pool;
	struct htmm_front *front;
	struct htmm_region **head;	/* hash chains */
	u64 *occupied;			/* bitmap of the chains that are not empty */
	struct hlist_head *spaces;	/* lists of regions */
	u64 multiplier;
	u64 front_epoch;		/* @epoch modulo HTMM_FRONT_EPOCHS, of fronts in use */
	u64 front_mask;			/* of an offset in bytes */
	u64 dir_bytes;
	u32 head_mask;
	u32 space_mask;
	u32 max_held;			/* most pages that the pool may hold */
	u32 nr_free;
	struct htmm_region *exiting;	/* next one to remove */
	struct hlist_head free;		/* list of unused entries */
	struct htmm_scan sweep;		/* chain that reclaim visits next */
	u32 sweeps;			/* to end, with the present one, for the last cooling */
	u32 hand;			/* chain that eviction visits next */
	u32 frontless;			/* samples of the last batch without a front */
	u32 nr_soon;
	bool moved;			/* entries have been moved or evicted */
	u8 no_digit;			/* full, with */
	u64 no_state;			/* no room */
	s32 moves[HTMM_DIGIT_VALUES];	/* digits that got this value in the batch, or lost it */
	struct htmm_ahead ahead[HTMM_AHEAD];	/* ring of the next samples */
	u64 soon[HTMM_AHEAD];		/* keys of these whose entries will be needed */
};

/*
 * Size of the directory for htmm_table_init(), or 0 if @config is invalid. It never grows, so no
 * sample waits for a rehash. It takes 5 to 10 % of max_bytes, and up to 1/9 in the smallest tables.
 */
size_t htmm_table_dir_bytes(const struct htmm_table_config *config);

/*
 * Prepare an empty table. @dir: htmm_table_dir_bytes() bytes of zeroes, aligned to 64; the caller
 * allocates them, because the size may be large, and frees them. @pool is initialised here, without
 * pages. Returns 0, or -EINVAL if @config is invalid or @dir is NULL or not aligned.
 */
int htmm_table_init(struct htmm_table *table, const struct htmm_table_config *config, void *dir,
		    struct htmm_pool *pool);

/*
 * Number of pages to put into the pool before @n samples (at least 1) are added: enough for each
 * sample to take a block, within max_bytes. Then pages are evicted only at the limit.
 */
u32 htmm_table_need(const struct htmm_table *table, u32 n);

/*
 * Count a batch of @n samples. At the memory limit or if the pool is empty, cold regions are
 * evicted to make room, at most HTMM_EVICT_MAX for a sample. A sample is refused if this does not
 * make enough room, or if it has no page (HTMM_NO_PAGE). Counts saturate at U32_MAX. Returns the
 * number of samples refused, and sets @dropped, an array of @n, to their indices, ascending.
 */
u32 htmm_table_add(struct htmm_table *table, const struct htmm_table_sample *samples, u32 n,
		   u32 *dropped);

/*
 * Halve every count: shift the histograms, and visit one of HTMM_FRONT_EPOCHS parts of the fronts
 * (129 fronts if max_bytes is 48 MiB). The regions themselves are cooled later.
 */
void htmm_table_cool(struct htmm_table *table);

/* By default, counts are halved after EACH samples for each page, and at least LEAST samples. */
#define HTMM_COOLING_EACH	4
#define HTMM_COOLING_LEAST	2000000

/*
 * The number of samples at which to cool next, at most U64_MAX. @last is the number at the last
 * cooling, @period the number between two coolings. If @period is 0, it follows the number of
 * @pages that have a count: call again when there may be more. With a fixed period, a large table
 * would forget most pages before it knows the hot ones.
 */
u64 htmm_cooling_due(u64 last, u64 period, u64 pages);

/* Coolings after a change: an eighth of each count is left. */
#define HTMM_CHANGE_COOLINGS	3

/*
 * Has the set of hot pages changed? It has if they get so much less of the new weight than expected
 * as they have not lately. Ask after each batch: it looks after an eighth more weight, or earlier.
 */
bool htmm_table_changed(struct htmm_table *table);

/* Memory that the table holds, directory and pool. */
static inline u64 htmm_table_bytes(const struct htmm_table *table)
{
	return table->dir_bytes + (u64)table->pool->held * HTMM_POOL_PAGE_SIZE;
}

#endif /* HTMM_CORE_TABLE_H */
