// SPDX-License-Identifier: GPL-2.0
/* The update path: a batch of samples, counted while memory is on its way. */
#include "dir.h"
#include "evict.h"

/* Is there room for @page of @region (NULL: a new one) to have this count? */
static bool htmm_table_has_room(const struct htmm_table *table,
				const struct htmm_region *region, u32 page,
				u32 count)
{
	u64 max_pages = table->config.max_pages;
	u32 blocks = region ? htmm_region_blocks_to_set(region, page, count) :
			      htmm_dir_blocks_to_create(table) +
			      htmm_region_blocks_to_begin(count);

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
	u64 key = htmm_region_key(s->space, s->vpn);
	u32 page = s->vpn % HTMM_REGION_PAGES, count, tries;
	struct htmm_region *region;

	if (s->vpn > HTMM_VPN_MAX || s->space > HTMM_SPACE_MAX)
		return false;
	if (!s->weight)
		return true;

	for (tries = 0; ; tries++) {
		/* Eviction may have moved it. */
		region = htmm_dir_find(table, key);
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
		region = htmm_dir_create(table, key);
	htmm_table_count_page(table, region, page, s->weight);
	htmm_table_count_region(table, region, s->weight);
	return true;
}

/* Let so many samples take the slow way. */
static void htmm_ahead_forget(struct htmm_table *table,
			      struct htmm_ahead *ahead, u32 n)
{
	for (; n; n--, ahead++) {
		ahead->region = NULL;
		ahead->digit = &table->no_digit;
	}
}

/* Directories of so many regions do not stay in the cache. */
#define HTMM_MANY_REGIONS	16384

/* In a large directory, the entry that is likely the one. */
static void htmm_ahead_entries(const struct htmm_table *table,
			       const struct htmm_table_sample *s, u32 n)
{
	if (table->regions < HTMM_MANY_REGIONS)
		return;
	for (; n; n--, s++)
		prefetch(*htmm_dir_chain(table, htmm_region_key(s->space, s->vpn)));
}

/* Out of the loop's way: mostly the first entry of a chain is the right one. */
static noinline struct htmm_region *
htmm_ahead_find(struct htmm_region *region, u64 key)
{
	while (region && region->key != key)
		region = htmm_region_detail(region)->chain;
	return region;
}

/* First step: the entry, and with it the counter. */
static void htmm_ahead_counters(struct htmm_table *table,
				const struct htmm_table_sample *s, u32 n,
				struct htmm_ahead *ahead)
{
	/* In registers: for all the compiler knows, the loop changes the table. */
	struct htmm_region **head = table->head, *region;
	u64 multiplier = table->multiplier, epoch = table->epoch, key, vpns = 0;
	u32 mask = table->head_mask, i, page, spaces = 0;

	for (i = 0; i < n; i++) {
		vpns |= s[i].vpn;
		spaces |= s[i].space;
		key = htmm_region_key(s[i].space, s[i].vpn);
		region = head[key * multiplier >> 32 & mask];
		if (unlikely(!region || region->key != key))
			region = htmm_ahead_find(region, key);
		if (unlikely(!region || region->epoch != epoch)) {
			htmm_ahead_forget(table, &ahead[i], 1);
			continue;
		}
		page = s[i].vpn % HTMM_REGION_PAGES;
		ahead[i].region = region;
		if (region->digits) {
			ahead[i].digit = &region->leaf[page];
			prefetchw(ahead[i].digit);
		} else {
			ahead[i].digit = &table->no_digit;
			prefetchw(&region->pair[htmm_pair_hash(page, HTMM_PAIRS)]);
		}
	}
	if (unlikely(vpns > HTMM_VPN_MAX || spaces > HTMM_SPACE_MAX)) {
		for (i = 0; i < n; i++)
			htmm_ahead_forget(table, &ahead[i], 1);
	}
}

/* One more sample of a sparse region, if it only adds one to a count. */
static bool htmm_add_sparse(struct htmm_table *table,
			    struct htmm_region *region, u32 page)
{
	u32 *pair = htmm_pair_find(region->pair, HTMM_PAIRS, page), count;

	if (!pair)
		return false;
	/* Unused, it has the count 0. */
	count = *pair >> HTMM_REGION_SHIFT;
	if (!(count & (count + 1))) {
		if (!count || count == HTMM_PAIR_MAX)
			return false;
		htmm_hist_carry(&table->hist[HTMM_KIND_BASE], count, 1);
	}
	*pair += 1 << HTMM_REGION_SHIFT;
	return true;
}

/* A sample at the ends of its byte, if there is another way than the slow one. */
static noinline bool htmm_add_rest(struct htmm_table *table,
				   const struct htmm_table_sample *s,
				   struct htmm_region *region)
{
	u32 page = s->vpn % HTMM_REGION_PAGES;
	bool added;

	if (!region || s->weight != 1)
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
 * Second step: one more sample, if it changes no more than a number. False: it
 * takes the slow way.
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
	if (unlikely(s->weight != 1))
		return false;
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

/* Returns how many samples of a block were refused. */
static u32 htmm_add_block(struct htmm_table *table,
			  const struct htmm_table_sample *s, u32 n,
			  const struct htmm_ahead *ahead, u32 *dropped,
			  u32 start)
{
	u32 i, lost = 0;

	for (i = 0; i < n; i++) {
		if (likely(htmm_add_fast(table, &s[i], &ahead[i])))
			continue;
		if (!htmm_table_add_slow(table, &s[i]))
			dropped[lost++] = start + i;
		if (unlikely(table->moved)) {
			/* None of what was found need be there any more. */
			htmm_ahead_forget(table, table->ahead[0],
					  HTMM_ADD_BLOCKS * HTMM_ADD_BLOCK);
			table->moved = false;
		}
	}
	return lost;
}

/* Samples of the block that starts at @at, of @n in all. */
static u32 htmm_block_len(u32 n, u32 at)
{
	return at < n ? min_t(u32, n - at, HTMM_ADD_BLOCK) : 0;
}

/*
 * Block after block, while the memory of the next ones is on its way: when the
 * samples of a block are counted, the counters of the block behind it have been
 * asked for, and the entries of the one behind that.
 */
u32 htmm_table_add(struct htmm_table *table,
		   const struct htmm_table_sample *samples, u32 n, u32 *dropped)
{
	struct htmm_ahead (*ahead)[HTMM_ADD_BLOCK] = table->ahead;
	u32 lost = 0, at, behind, now = 0;

	htmm_ahead_entries(table, samples, htmm_block_len(n, 0));
	htmm_ahead_entries(table, samples + HTMM_ADD_BLOCK,
			   htmm_block_len(n, HTMM_ADD_BLOCK));
	htmm_ahead_counters(table, samples, htmm_block_len(n, 0),
			    ahead[now]);
	for (at = 0; at < n; at = behind) {
		behind = at + HTMM_ADD_BLOCK;
		htmm_ahead_entries(table, samples + behind + HTMM_ADD_BLOCK,
				   htmm_block_len(n, behind + HTMM_ADD_BLOCK));
		htmm_ahead_counters(table, samples + behind,
				    htmm_block_len(n, behind), ahead[!now]);
		lost += htmm_add_block(table, samples + at,
				       htmm_block_len(n, at), ahead[now],
				       dropped + lost, at);
		now = !now;
	}
	htmm_table_settle(table);
	table->counted += n - lost;
	table->full += lost;
	return lost;
}
