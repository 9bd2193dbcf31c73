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
	u32 old = htmm_region_count(region), count = htmm_count_add(old, weight);

	htmm_hist_move(&table->hist[HTMM_KIND_HUGE], old, count);
	htmm_region_set_state(region, htmm_region_leaf(region), count);
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
 * struct htmm_finder - what finds a front or an entry, and does not change during a batch
 * @front: as in the table
 * @head: as in the table
 * @multiplier: as in the table
 * @epoch: as in the table
 * @front_mask: as in the table
 * @head_mask: as in the table
 *
 * A copy stays in registers; the compiler would reload the table's own fields after each
 * sample.
 */
struct htmm_finder {
	struct htmm_front *front;
	struct htmm_region **head;
	u64 multiplier;
	u64 epoch;
	u32 front_mask;
	u32 head_mask;
};

static inline struct htmm_front *htmm_find_front(struct htmm_finder finder, u64 key)
{
	return &finder.front[htmm_index_hash(key, finder.multiplier,
					     finder.front_mask)];
}

/* The head of a region's chain. */
static inline struct htmm_region **htmm_find_head(struct htmm_finder finder,
						  u64 key)
{
	return &finder.head[htmm_index_hash(key, finder.multiplier,
					    finder.head_mask)];
}

/* Prefetch what leads to a sample's counter: the front, or if most regions are sparse, */
static inline void htmm_fetch_first(struct htmm_finder finder,
				    const struct htmm_table_sample *s, bool sparse)
{
	u64 key = htmm_region_key(s->page);

	if (sparse)
		htmm_fetch(htmm_find_head(finder, key));
	else
		htmm_fetch(htmm_find_front(finder, key));
}

/* the head of the chain and then its first entry. */
static inline void htmm_fetch_entry(struct htmm_finder finder,
				    const struct htmm_table_sample *s)
{
	htmm_fetch(*htmm_find_head(finder, htmm_region_key(s->page)));
}

/* Mark a sample for the slow path. */
static void htmm_look_later(struct htmm_table *table, struct htmm_ahead *ahead)
{
	ahead->digit = &table->no_digit;
}

/*
 * Look up a region that has no front, or whose front is out of date because the region has
 * to be cooled. A dense one gets a front.
 */
static noinline void htmm_look_behind(struct htmm_table *table,
				      struct htmm_finder finder,
				      const struct htmm_table_sample *s,
				      struct htmm_ahead *ahead)
{
	u64 key = htmm_region_key(s->page);
	struct htmm_front *front = htmm_find_front(finder, key);
	u32 page = s->page % HTMM_REGION_PAGES;
	struct htmm_region *region;

	htmm_look_later(table, ahead);
	if (front->name >> HTMM_FRONT_EPOCH_BITS == key) {
		htmm_fetch(htmm_find_head(finder, key));
		htmm_region_prefetch_all(front->state);
		return;
	}
	region = htmm_index_find(table, key);
	if (!region)
		return;
	if (region->epoch != table->epoch) {
		htmm_region_prefetch_all(*region->state);
	} else if (!region->digits) {
		prefetchw(&region->pair[htmm_pair_hash(page, HTMM_PAIRS)]);
	} else {
		htmm_front_load(table, region);
		ahead->state = region->state;
		ahead->digit = &htmm_region_leaf(region)[page];
		prefetchw(ahead->digit);
	}
}

/* Look up the region and prefetch the counter. */
static __always_inline void htmm_look(struct htmm_table *table,
				      struct htmm_finder finder,
				      const struct htmm_table_sample *s,
				      struct htmm_ahead *ahead)
{
	u64 page = s->page, state, name;
	struct htmm_front *front = htmm_find_front(finder, htmm_region_key(page));
	u8 *digit;

	name = htmm_region_key(page) << HTMM_FRONT_EPOCH_BITS | finder.epoch;
	if (unlikely(front->name != name)) {
		htmm_look_behind(table, finder, s, ahead);
		return;
	}
	state = front->state;
	digit = &htmm_state_leaf(state)[page % HTMM_REGION_PAGES];
	ahead->state = &front->state;
	ahead->digit = digit;
	prefetchw(digit);
}

/*
 * Count a sample if neither its page's digit nor the low bits of its region's count
 * overflow. False: use the slow path.
 *
 * Do not test here whether the page's bin changes, or whether the page is new: the branch
 * could not be predicted. Instead, record the old and the new value of the byte;
 * htmm_table_settle() updates the histogram at the end of the batch.
 */
static __always_inline bool htmm_add_fast(struct htmm_table *table,
					  const struct htmm_table_sample *s,
					  const struct htmm_ahead *ahead)
{
	u32 weight = s->weight, digit, count;
	u64 *state = ahead->state;
	u8 *byte = ahead->digit;

	digit = *byte;
	/* Without a weight nothing is counted; a number below 0 is the largest of all. */
	if (unlikely(weight - 1 >= table->room[digit]))
		return false;
	/* The region's bin may change if the length of the low bits does. */
	count = *state & HTMM_STATE_MASK;
	if (unlikely((count ^ (count + weight)) > count))
		return false;
	*state += weight;
	*byte = digit + weight;
	table->moves[digit]--;
	table->moves[digit + weight]++;
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
	u32 digit = 1, bin;
	s32 moves;

	for (bin = 1; bin <= HTMM_DIGIT_BITS; bin++) {
		for (moves = 0; digit < 1U << bin; digit++)
			moves += table->moves[digit];
		table->hist[HTMM_KIND_BASE].bin[bin] += moves;
	}
	table->pages -= table->moves[0];
	memset(table->moves, 0, sizeof(table->moves));
}

/* All but the fast path. Entries looked up before may be invalid afterwards. */
static noinline bool htmm_add_anyhow(struct htmm_table *table,
				     const struct htmm_table_sample *s)
{
	bool added = htmm_table_add_slow(table, s);
	u32 i;

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

/* Fewer pages in a region make the directory one of sparse regions. */
#define HTMM_FEW_PAGES		32

/* Count a sample by any path. Returns the end of the refused ones' indices. */
static __always_inline u32 *htmm_add_one(struct htmm_table *table,
					 const struct htmm_table_sample *s, u32 i,
					 u32 *refused)
{
	if (unlikely(!htmm_add_fast(table, s, &table->ahead[i % HTMM_AHEAD])) &&
	    !htmm_add_anyhow(table, s))
		*refused++ = i;
	return refused;
}

/*
 * When a sample is counted, the counters of the next HTMM_AHEAD samples have been
 * prefetched; in a large directory, also what leads to the counters of the samples after
 * these: the fronts of HTMM_AHEAD samples; or if most regions are sparse, their entries, and
 * the chain heads of the HTMM_AHEAD samples after those. Each sample counted issues the
 * prefetches of one later sample of each kind.
 */
u32 htmm_table_add(struct htmm_table *table,
		   const struct htmm_table_sample *s, u32 n, u32 *dropped)
{
	bool sparse = table->pages / HTMM_FEW_PAGES < table->regions;
	u32 distance = sparse ? 3 * HTMM_AHEAD : 2 * HTMM_AHEAD;
	u32 fetched = table->regions < HTMM_MANY_REGIONS ? 0 : n;
	u32 looks = htmm_before_last(n, HTMM_AHEAD);
	u32 fetches = htmm_before_last(fetched, distance);
	const struct htmm_finder finder = {
		.front = table->front,
		.head = table->head,
		.multiplier = table->multiplier,
		.epoch = table->epoch % HTMM_FRONT_EPOCHS,
		.front_mask = table->front_mask,
		.head_mask = table->head_mask,
	};
	u32 *refused = dropped, lost, i;

	htmm_table_prepare(table, n);
	for (i = 0; i < min_t(u32, fetched, distance); i++)
		htmm_fetch_first(finder, &s[i], sparse);
	for (i = 0; sparse && i < min_t(u32, fetched, 2 * HTMM_AHEAD); i++)
		htmm_fetch_entry(finder, &s[i]);
	for (i = 0; i < min_t(u32, n, HTMM_AHEAD); i++)
		htmm_look(table, finder, &s[i], &table->ahead[i]);
	for (i = 0; i < fetches; i++, s++) {
		refused = htmm_add_one(table, s, i, refused);
		htmm_fetch_first(finder, s + distance, sparse);
		if (unlikely(sparse))
			htmm_fetch_entry(finder, s + 2 * HTMM_AHEAD);
		htmm_look(table, finder, s + HTMM_AHEAD, &table->ahead[i % HTMM_AHEAD]);
	}
	for (; i < looks; i++, s++) {
		refused = htmm_add_one(table, s, i, refused);
		htmm_look(table, finder, s + HTMM_AHEAD, &table->ahead[i % HTMM_AHEAD]);
	}
	for (; i < n; i++, s++)
		refused = htmm_add_one(table, s, i, refused);
	lost = refused - dropped;
	htmm_table_settle(table);
	table->counted += n - lost;
	table->full += lost;
	return lost;
}
