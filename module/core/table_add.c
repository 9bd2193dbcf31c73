// SPDX-License-Identifier: GPL-2.0
/* The update path: a batch of samples, counted while memory is on its way. */
#include "evict.h"
#include "index.h"

/* Is there room for @page of @region (NULL: a new one) to have this count? */
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
				  u32 weight)
{
	u32 old = htmm_region_get(region, page);
	u32 count = htmm_count_add(old, weight);

	if (old) {
		htmm_hist_move(&table->hist[HTMM_KIND_BASE], old, count);
	} else {
		htmm_hist_add(&table->hist[HTMM_KIND_BASE], count);
		table->pages++;
	}
	htmm_region_set(region, table->pool, page, count);
}

/* The whole of an update, whatever it may meet. */
static noinline bool htmm_table_add_slow(struct htmm_table *table,
					 const struct htmm_table_sample *s)
{
	u64 key = htmm_region_key(s->page);
	u32 page = s->page % HTMM_REGION_PAGES, count, tries;
	struct htmm_region *region;

	if (s->page == HTMM_NO_PAGE)
		return false;
	if (!s->weight)
		return true;

	for (tries = 0; ; tries++) {
		/* Eviction may have moved it. */
		region = htmm_index_find(table, key);
		if (region)
			htmm_table_cool_region(table, region);
		count = region ? htmm_region_get(region, page) : 0;
		if (htmm_table_has_room(table, region, page,
					htmm_count_add(count, s->weight)))
			break;
		if (tries == HTMM_EVICT_MAX || !htmm_evict(table, region))
			return false;
	}
	if (!region)
		region = htmm_index_create(table, key);
	htmm_table_count_page(table, region, page, s->weight);
	htmm_table_count_region(table, region, s->weight);
	return true;
}

/**
 * struct htmm_finder - what leads to an entry
 * @head: as in the table
 * @multiplier: as in the table
 * @mask: the table's head_mask
 * @epoch: as in the table
 *
 * None of it changes while a batch is added. In registers: for all the compiler
 * knows, each sample changes the table.
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

/* Mostly it is the first of its chain. */
static inline void htmm_fetch_entry(struct htmm_finder finder,
				    const struct htmm_table_sample *s)
{
	htmm_fetch(*htmm_find_head(finder, htmm_region_key(s->page)));
}

/* Out of the loop's way: mostly the first entry of a chain is the right one. */
static noinline struct htmm_region *
htmm_find_behind(struct htmm_region *region, u64 key)
{
	while (region && region->key != key)
		region = htmm_region_detail(region)->chain;
	return region;
}

/* Let a sample take the slow way. */
static void htmm_look_later(struct htmm_table *table, struct htmm_ahead *ahead)
{
	ahead->region = NULL;
	ahead->digit = &table->no_digit;
}

/* The entry, and with it the counter, which is asked for. */
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
	if (unlikely(!region || region->epoch != finder.epoch ||
		     s->weight != 1)) {
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

/* One more sample of a sparse region, if it only adds one to a count. */
static bool htmm_add_sparse(struct htmm_table *table,
			    struct htmm_region *region, u32 page)
{
	u32 *pair = htmm_pair_find(region->pair, HTMM_PAIRS, page), count;
	bool carry;

	if (!pair)
		return false;
	/* Unused, it has the count 0. */
	count = *pair >> HTMM_REGION_ORDER;
	if (!count || count == HTMM_PAIR_MAX)
		return false;
	/* One branch that is hardly ever taken: small counts are noted. */
	carry = count >= HTMM_DIGIT_MASK;
	carry &= !(count & (count + 1));
	if (unlikely(carry))
		htmm_hist_carry(&table->hist[HTMM_KIND_BASE], count, 1);
	table->found[min_t(u32, count, HTMM_DIGIT_MASK)]++;
	*pair += 1 << HTMM_REGION_ORDER;
	return true;
}

/* A sample at the ends of its byte, if there is another way than the slow one. */
static noinline bool htmm_add_rest(struct htmm_table *table,
				   const struct htmm_table_sample *s,
				   struct htmm_region *region)
{
	u32 page = s->page % HTMM_REGION_PAGES;
	bool added;

	if (!region)
		return false;
	if (region->digits)
		added = htmm_region_carry(region, &table->hist[HTMM_KIND_BASE],
					  page);
	else
		added = htmm_add_sparse(table, region, page);
	if (added)
		htmm_table_count_region(table, region, 1);
	return added;
}

/* Is it the first addition to a digit, or one that it has no room for? */
static inline bool htmm_digit_ends(u32 digit)
{
	return !((digit + 1) & (HTMM_DIGIT_MASK - 1));
}

/*
 * One more sample, if it changes no more than a number. False: it takes the slow
 * way.
 *
 * Whether a page's bin changes is not asked here, for nobody could guess the answer
 * beforehand: what its byte was is noted, and htmm_table_settle() moves all pages
 * from bin to bin that the batch has moved.
 */
static inline bool htmm_add_fast(struct htmm_table *table,
				 const struct htmm_table_sample *s,
				 const struct htmm_ahead *ahead)
{
	struct htmm_region *region = ahead->region;
	u32 digit = *ahead->digit, count;

	if (unlikely(htmm_digit_ends(digit)))
		return htmm_add_rest(table, s, region);
	table->found[digit]++;
	*ahead->digit = digit + 1;
	count = region->count;
	if (unlikely(!(count & (count + 1))))
		htmm_table_count_region(table, region, 1);
	else
		region->count = count + 1;
	return true;
}

/*
 * End of a batch. A count's bin changes only where a carry runs through all lower
 * bits. Other bytes have been noted in vain, and a marked one never changes a bin.
 */
static void htmm_table_settle(struct htmm_table *table)
{
	u32 digit;

	for (digit = 1; digit < HTMM_DIGIT_MASK; digit += digit + 1) {
		htmm_hist_carry(&table->hist[HTMM_KIND_BASE], digit,
				table->found[digit]);
		table->found[digit] = 0;
	}
}

/* The slow way, after which nothing that was found need be there any more. */
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

/* Directories of so many regions do not stay in the cache. */
#define HTMM_MANY_REGIONS	16384

/* How many samples of @n have a successor so far behind them? */
static u32 htmm_before_last(u32 n, u32 distance)
{
	return n > distance ? n - distance : 0;
}

/*
 * When a sample is counted, the counters of the next HTMM_AHEAD ones have been
 * asked for; in a large directory the entries of as many again, too, and the heads
 * of as many behind these. Memory is asked for as evenly as samples are counted.
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

	for (i = 0; i < min_t(u32, fetched, 3 * HTMM_AHEAD); i++)
		htmm_fetch_head(finder, &s[i]);
	for (i = 0; i < min_t(u32, fetched, 2 * HTMM_AHEAD); i++)
		htmm_fetch_entry(finder, &s[i]);
	for (i = 0; i < min_t(u32, n, HTMM_AHEAD); i++)
		htmm_look(table, finder, &s[i], &table->ahead[i]);
	for (i = 0; i < n; i++, s++) {
		ahead = &table->ahead[i % HTMM_AHEAD];
		if (unlikely(!htmm_add_fast(table, s, ahead)) &&
		    !htmm_add_anyhow(table, s))
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
