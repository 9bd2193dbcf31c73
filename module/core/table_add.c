// SPDX-License-Identifier: GPL-2.0
/* The update path: counts a batch of samples and prefetches memory for later ones. */
#include "evict.h"
#include "index.h"

/* Is there enough memory to give @page of @region (NULL: a new region) this count? */
static bool htmm_table_has_room(const struct htmm_table *table,
				const struct htmm_region *region, u32 page,
				u32 count)
{
	u64 max_pages = table->config.max_pages;
	u32 blocks = region ? htmm_region_blocks_to_set(region, page, count) :
			      htmm_index_blocks_to_create(table) +
			      htmm_region_blocks_to_begin(count);

	if (!region && htmm_index_full(table))
		return false;
	if (blocks > htmm_pool_free_blocks(table->pool))
		return false;
	return !max_pages || table->pages < max_pages ||
	       (region && htmm_region_get(region, page));
}

static u32 htmm_count_add(u32 count, u32 weight)
{
	return count > U32_MAX - weight ? U32_MAX : count + weight;
}

static void htmm_table_count_region(struct htmm_table *table,
				    struct htmm_region *region, u32 weight)
{
	u32 count = htmm_count_add(region->count, weight);

	htmm_hist_move(&table->hist[HTMM_KIND_HUGE], region->count, count);
	region->count = count;
}

static void htmm_table_count_page(struct htmm_table *table,
				  struct htmm_region *region, u32 page,
				  u32 old, u32 weight)
{
	u32 count = htmm_count_add(old, weight);

	if (old) {
		htmm_hist_move(&table->hist[HTMM_KIND_BASE], old, count);
	} else {
		htmm_hist_add(&table->hist[HTMM_KIND_BASE], count);
		table->pages++;
	}
	htmm_region_set(region, table->pool, page, count);
}

/* Count a sample of a region (NULL: a new one) if there is memory for its count. */
static bool htmm_table_try(struct htmm_table *table, struct htmm_region *region,
			   const struct htmm_table_sample *s)
{
	u32 page = s->page % HTMM_REGION_PAGES;
	u32 count = region ? htmm_region_get(region, page) : 0;

	if (!htmm_table_has_room(table, region, page,
				 htmm_count_add(count, s->weight)))
		return false;
	if (!region)
		region = htmm_index_create(table, htmm_region_key(s->page));
	htmm_table_count_page(table, region, page, count, s->weight);
	htmm_table_count_region(table, region, s->weight);
	return true;
}

/* Count a sample in the general case. */
static noinline bool htmm_table_add_slow(struct htmm_table *table,
					 const struct htmm_table_sample *s)
{
	struct htmm_region *region;
	u32 tries;

	if (s->page == HTMM_NO_PAGE)
		return false;
	if (!s->weight)
		return true;

	for (tries = 0; ; tries++) {
		/* Eviction may have moved the entry. */
		region = htmm_index_find(table, htmm_region_key(s->page));
		if (region)
			htmm_table_cool_region(table, region);
		if (htmm_table_try(table, region, s))
			return true;
		if (tries == HTMM_EVICT_MAX || !htmm_evict(table, region))
			return false;
	}
}

/**
 * struct htmm_finder - the fields of a table that find an entry
 * @head: as in the table
 * @multiplier: as in the table
 * @mask: the table's head_mask
 * @epoch: as in the table
 *
 * These do not change while a batch is added. A copy stays in registers; the compiler would
 * reload the table's own fields after each sample.
 */
struct htmm_finder {
	struct htmm_region **head;
	u64 multiplier;
	u64 epoch;
	u32 mask;
};

/* The head of a region's chain. */
static inline struct htmm_region **htmm_find_head(struct htmm_finder finder,
						  u64 key)
{
	return &finder.head[htmm_index_hash(key, finder.multiplier, finder.mask)];
}

static inline void htmm_fetch_head(struct htmm_finder finder,
				   const struct htmm_table_sample *s)
{
	htmm_fetch(htmm_find_head(finder, htmm_region_key(s->page)));
}

/* Prefetch the first entry of the chain, which is usually the right one. */
static inline void htmm_fetch_entry(struct htmm_finder finder,
				    const struct htmm_table_sample *s)
{
	htmm_fetch(*htmm_find_head(finder, htmm_region_key(s->page)));
}

/* Not inlined: usually the first entry of a chain is the right one. */
static noinline struct htmm_region *
htmm_find_behind(struct htmm_region *region, u64 key)
{
	while (region && region->key != key)
		region = htmm_region_detail(region)->chain;
	return region;
}

/* Mark a sample for the slow path. */
static void htmm_look_later(struct htmm_table *table, struct htmm_ahead *ahead)
{
	ahead->region = NULL;
	ahead->digit = &table->no_digit;
}

/* Prefetch all counters of a region that has to be cooled. */
static noinline void htmm_fetch_stale(const struct htmm_region *region)
{
	u32 at;

	if (!region->digits)
		return;
	for (at = 0; at < HTMM_REGION_PAGES; at += 64)
		prefetchw(&region->leaf[at]);
}

/* Look up the entry and prefetch the counter. */
static __always_inline void htmm_look(struct htmm_table *table,
				      struct htmm_finder finder,
				      const struct htmm_table_sample *s,
				      struct htmm_ahead *ahead)
{
	u64 key = htmm_region_key(s->page);
	u32 page = s->page % HTMM_REGION_PAGES;
	struct htmm_region *region = *htmm_find_head(finder, key);

	if (unlikely(!region || region->key != key))
		region = htmm_find_behind(region, key);
	if (unlikely(!region || region->epoch != finder.epoch)) {
		if (region)
			htmm_fetch_stale(region);
		htmm_look_later(table, ahead);
		return;
	}
	ahead->region = region;
	if (region->digits) {
		ahead->digit = &region->leaf[page];
		prefetchw(ahead->digit);
	} else {
		ahead->digit = &table->no_digit;
		prefetchw(&region->pair[htmm_pair_hash(page, HTMM_PAIRS)]);
	}
}

/*
 * Count a sample if no digit overflows. False: use the slow path.
 *
 * Do not test here whether the page's bin changes, or whether the page is new: the branch
 * could not be predicted. Instead, record the old and the new value of the byte;
 * htmm_table_settle() updates the histogram at the end of the batch.
 */
static __always_inline bool htmm_add_fast(struct htmm_table *table,
					  const struct htmm_table_sample *s,
					  const struct htmm_ahead *ahead)
{
	struct htmm_region *region = ahead->region;
	u32 digit = *ahead->digit;
	u64 count;

	/* Without a weight nothing is counted; a number below 0 is the largest of all. */
	if (unlikely(s->weight - 1 >= table->room[digit]))
		return false;
	table->moves[digit]--;
	digit += s->weight;
	table->moves[digit]++;
	*ahead->digit = digit;
	count = (u64)region->count + s->weight;
	/* Its bin changes if its length in bits does. */
	if (unlikely((count ^ region->count) > region->count))
		htmm_table_count_region(table, region, s->weight);
	else
		region->count = count;
	return true;
}

/* Prepare for a batch: may its samples add pages without a look at the limit? */
static void htmm_table_prepare(struct htmm_table *table, u32 n)
{
	u64 max_pages = table->config.max_pages;

	table->room[0] = !max_pages || table->pages + n <= max_pages ?
			 HTMM_DIGIT_MASK : 0;
}

/*
 * Update the histogram at the end of a batch. The bin of a marked byte's page depends on
 * higher digits, and has not changed.
 */
static void htmm_table_settle(struct htmm_table *table)
{
	u32 digit;

	for (digit = 1; digit <= HTMM_DIGIT_MASK; digit++)
		table->hist[HTMM_KIND_BASE].bin[htmm_hist_bin(digit)] +=
			table->moves[digit];
	table->pages -= table->moves[0];
	memset(table->moves, 0, sizeof(table->moves));
}

/* All but the fast path. Entries looked up before may be invalid afterwards. */
static noinline bool htmm_add_anyhow(struct htmm_table *table,
				     const struct htmm_table_sample *s,
				     struct htmm_region *region)
{
	bool added;
	u32 i;

	if (region && s->weight && htmm_table_try(table, region, s))
		return true;
	added = htmm_table_add_slow(table, s);
	if (!table->moved)
		return added;
	table->moved = false;
	for (i = 0; i < HTMM_AHEAD; i++)
		htmm_look_later(table, &table->ahead[i]);
	return added;
}

/* A directory with this many regions does not fit in the cache. */
#define HTMM_MANY_REGIONS	16384

/* Number of the first @n samples that have another one @distance later. */
static u32 htmm_before_last(u32 n, u32 distance)
{
	return n > distance ? n - distance : 0;
}

/*
 * When a sample is counted, the counters of the next HTMM_AHEAD samples have been
 * prefetched; in a large directory, also the entries of the HTMM_AHEAD samples after these,
 * and the chain heads of the HTMM_AHEAD samples after those. Each sample counted issues the
 * prefetches of one later sample of each kind.
 */
u32 htmm_table_add(struct htmm_table *table,
		   const struct htmm_table_sample *samples, u32 n, u32 *dropped)
{
	u32 fetched = table->regions < HTMM_MANY_REGIONS ? 0 : n;
	u32 looks = htmm_before_last(n, HTMM_AHEAD);
	u32 fetches = htmm_before_last(fetched, 2 * HTMM_AHEAD);
	const struct htmm_table_sample *s = samples;
	const struct htmm_finder finder = {
		.head = table->head,
		.multiplier = table->multiplier,
		.epoch = table->epoch,
		.mask = table->head_mask,
	};
	struct htmm_ahead *ahead;
	u32 lost = 0, i;

	htmm_table_prepare(table, n);
	for (i = 0; i < min_t(u32, fetched, 3 * HTMM_AHEAD); i++)
		htmm_fetch_head(finder, &s[i]);
	for (i = 0; i < min_t(u32, fetched, 2 * HTMM_AHEAD); i++)
		htmm_fetch_entry(finder, &s[i]);
	for (i = 0; i < min_t(u32, n, HTMM_AHEAD); i++)
		htmm_look(table, finder, &s[i], &table->ahead[i]);
	for (i = 0; i < n; i++, s++) {
		ahead = &table->ahead[i % HTMM_AHEAD];
		if (unlikely(!htmm_add_fast(table, s, ahead)) &&
		    !htmm_add_anyhow(table, s, ahead->region))
			dropped[lost++] = i;
		if (i < fetches) {
			htmm_fetch_head(finder,
					&samples[min(i + 3 * HTMM_AHEAD, n - 1)]);
			htmm_fetch_entry(finder, s + 2 * HTMM_AHEAD);
		}
		if (i < looks)
			htmm_look(table, finder, s + HTMM_AHEAD, ahead);
	}
	htmm_table_settle(table);
	table->counted += n - lost;
	table->full += lost;
	return lost;
}
