// SPDX-License-Identifier: GPL-2.0
/*
 * The update path. While a group of samples is counted, the next groups are prepared. The phases:
 *
 *   prefetch	read what leads to the digits of the group after the next one
 *   lookup	find the digits of the next group, and prefetch these
 *   retry	count by the slow path the samples that a lookup did not find, or had no room for
 */
#include "evict.h"
#include "index.h"

static u32 htmm_count_add(u32 count, u32 weight)
{
	return count > U32_MAX - weight ? U32_MAX : count + weight;
}

/* Can a page's digit become @sum without overflow? Its mark must not change. */
static __always_inline bool htmm_digit_takes(u64 old, u64 sum)
{
	return likely((sum ^ old) <= HTMM_DIGIT_MASK);
}

/*
 * Count a sample in its page's digit. Do not test here whether the page's bin changes, or
 * whether the page is new: the branch could not be predicted. Instead, record the old and
 * the new value; htmm_table_settle() updates the histogram at the end of the batch.
 */
static __always_inline void htmm_digit_set(struct htmm_table *table, u8 *digit, u64 old, u64 sum)
{
	*digit = sum;
	table->change.weight += sum - old;
	table->moves[old]--;
	table->moves[sum]++;
}

/* Mark a sample for the slow path. */
static void htmm_lookup_retry(struct htmm_table *table, struct htmm_ahead *ahead)
{
	ahead->digit = &table->no_digit;
	ahead->state = &table->no_state;
}

/* Forget all lookups of the region that has this state in its entry; NULL: of all regions. */
static void htmm_lookup_forget(struct htmm_table *table, const u64 *state)
{
	u32 i;

	for (i = 0; i < HTMM_AHEAD; i++) {
		if (!state || table->ahead[i].state == state)
			htmm_lookup_retry(table, &table->ahead[i]);
	}
}

/* Count a sample for which its page's digit has no room, if there is memory. */
static bool htmm_table_try_set(struct htmm_table *table, struct htmm_region *region,
			       u32 page, u32 weight)
{
	u32 old = htmm_region_get(region, page), count = htmm_count_add(old, weight);
	bool sparse = !region->digits;

	if (!htmm_region_set(region, table->pool, page, count))
		return false;
	table->change.weight += weight;
	if (old < table->change.level)
		table->change.below += min(weight, table->change.level - old);
	if (old) {
		htmm_hist_move(&table->hist[HTMM_UNIT_PAGE], old, count);
	} else {
		htmm_hist_add(&table->hist[HTMM_UNIT_PAGE], count);
		table->stats.pages++;
	}
	if (sparse)
		htmm_lookup_forget(table, &region->home);
	if (sparse && region->digits)
		htmm_front_load(table, region);
	return true;
}

/* Count a sample of a region (NULL: a new one) if there is memory for its count. */
static bool htmm_table_try(struct htmm_table *table, struct htmm_region *region,
			   const struct htmm_table_sample *s)
{
	u32 page = s->page % HTMM_REGION_PAGES, old, count, blocks;
	u8 *digit;

	if (!region) {
		blocks = hlist_empty(&table->free);
		if (s->weight > HTMM_SLOT_MAX)
			blocks += HTMM_BEGIN_BLOCKS;
		if (blocks > htmm_pool_free_blocks(table->pool))
			return false;
		region = htmm_index_create(table, htmm_region_key(s->page));
	}
	digit = htmm_region_digit(region, page);
	if (digit && htmm_digit_takes(*digit, (u64)*digit + s->weight))
		htmm_digit_set(table, digit, *digit, (u64)*digit + s->weight);
	else if (!htmm_table_try_set(table, region, page, s->weight))
		return false;
	old = htmm_region_count(region);
	count = htmm_count_add(old, s->weight);
	htmm_hist_move(&table->hist[HTMM_UNIT_REGION], old, count);
	htmm_region_set_state(region, htmm_region_leaf(region), count);
	/* From now on the region's count no longer grows with those of its pages. */
	if (count == U32_MAX)
		region->rest = 0;
	return true;
}

/*
 * Count a sample by the slow path, which samples without weight do not take. Lookups that were made
 * before may be invalid afterwards.
 */
static noinline bool htmm_add_retry(struct htmm_table *table, const struct htmm_table_sample *s)
{
	struct htmm_region *region;
	u32 evictions = 0;
	bool added;

	if (s->page == HTMM_NO_PAGE)
		return false;

	do {
		/* Eviction may have moved the entry. */
		region = htmm_index_find(table, htmm_region_key(s->page));
		if (region)
			htmm_table_cool_region(table, region);
		added = htmm_table_try(table, region, s);
	} while (!added && evictions++ < HTMM_EVICT_MAX &&
		 htmm_evict(table, HTMM_EVICT_WINDOW, region));
	if (table->moved)
		htmm_lookup_forget(table, NULL);
	table->moved = false;
	return added;
}

/* What leads to the digits of a batch's samples. */
enum htmm_lookup_by {
	HTMM_LOOKUP_FRONTS,
	HTMM_LOOKUP_MANY_FRONTS,	/* which do not stay in the cache */
	HTMM_LOOKUP_ENTRIES
};

/* Prefetch what leads to the digits of the group of samples from @i on; there are @n samples. */
static __always_inline void htmm_prefetch_group(const struct htmm_table *table,
						enum htmm_lookup_by by,
						const struct htmm_table_sample *s, int i, int n)
{
	const int end = min(i + HTMM_AHEAD, n);
	const struct htmm_region *region;
	u64 key;

	for (; by != HTMM_LOOKUP_FRONTS && i < end; i++) {
		key = htmm_region_key(s[i].page);
		if (by == HTMM_LOOKUP_MANY_FRONTS) {
			htmm_fetch(htmm_front_of(table, key));
			continue;
		}
		region = *htmm_index_chain(table, key);
		if (region) {
			htmm_fetch(region);
			htmm_fetch(region->page);
		}
	}
}

/* The slow path will probably need a region's entry: begin with the head that leads to it. */
static noinline void htmm_prefetch_entry(struct htmm_table *table, u64 key)
{
	htmm_fetch(htmm_index_chain(table, key));
	table->soon[table->nr_soon++] = key;
}

/*
 * Look up a digit by the entry of its region (NULL: there is none). A sparse region is cooled
 * here, as that takes no other memory.
 */
static __always_inline void htmm_lookup_entry(struct htmm_table *table,
					      struct htmm_region *region, u32 page,
					      struct htmm_ahead *ahead)
{
	u8 *digit = NULL;

	if (unlikely(!region)) {
		table->frontless++;
	} else if (unlikely(region->epoch != table->epoch) && region->digits) {
		htmm_leaf_prefetch_all(*region->state);
	} else {
		if (unlikely(region->epoch != table->epoch))
			htmm_table_cool_region(table, region);
		table->frontless += !region->digits;
		digit = htmm_region_digit(region, page);
	}
	if (unlikely(!digit)) {
		htmm_lookup_retry(table, ahead);
		return;
	}
	ahead->digit = digit;
	ahead->state = region->state;
	prefetchw(digit);
}

/*
 * Look up a region that has no front, or whose front is out of date because the region has
 * to be cooled. A dense one gets a front.
 */
static noinline void htmm_lookup_no_front(struct htmm_table *table, u64 page,
					  struct htmm_ahead *ahead)
{
	u64 key = htmm_region_key(page);
	struct htmm_front *front = htmm_front_of(table, key);
	struct htmm_region *region;

	if (front->name >> HTMM_FRONT_EPOCH_BITS == key) {
		htmm_lookup_retry(table, ahead);
		htmm_prefetch_entry(table, key);
		htmm_leaf_prefetch_all(front->state);
		return;
	}
	region = htmm_index_find(table, key);
	if (region && region->digits && region->epoch == table->epoch)
		htmm_front_load(table, region);
	htmm_lookup_entry(table, region, page % HTMM_REGION_PAGES, ahead);
}

/*
 * With many regions, entries do not stay in the cache: prefetch the entry if there is less room
 * than this.
 */
#define HTMM_ROOM_LOW	8

/* Look up the region and prefetch the counter. */
static __always_inline void htmm_lookup(struct htmm_table *table, u64 epoch,
					enum htmm_lookup_by by, u64 page, struct htmm_ahead *ahead)
{
	struct htmm_region *region;
	struct htmm_front *front;
	u8 *digit;

	if (by == HTMM_LOOKUP_ENTRIES) {
		region = htmm_index_find(table, htmm_region_key(page));
		htmm_lookup_entry(table, region, page % HTMM_REGION_PAGES, ahead);
		return;
	}
	front = htmm_front_of(table, htmm_region_key(page));
	if (unlikely(front->name != htmm_front_name(htmm_region_key(page), epoch))) {
		htmm_lookup_no_front(table, page, ahead);
		return;
	}
	if (by == HTMM_LOOKUP_MANY_FRONTS &&
	    unlikely(htmm_state_room(front->state) < HTMM_ROOM_LOW))
		htmm_prefetch_entry(table, htmm_region_key(page));
	digit = &htmm_state_leaf(front->state)[page % HTMM_REGION_PAGES];
	ahead->state = &front->state;
	ahead->digit = digit;
	prefetchw(digit);
}

/*
 * Count a sample if there is room for it in its page's digit and in the low bits of its
 * region's count. False: retry.
 */
static __always_inline bool htmm_add_fast(struct htmm_table *table, u64 weight,
					  const struct htmm_ahead *ahead)
{
	u64 *state = ahead->state, old = *ahead->digit, sum = old + weight, left;
	u8 *digit = ahead->digit;

	if (!htmm_digit_takes(old, sum) ||
	    unlikely(check_sub_overflow(*state, weight << HTMM_ROOM_SHIFT, &left)))
		return false;
	*state = left;
	htmm_digit_set(table, digit, old, sum);
	return true;
}

/*
 * Update the histogram at the end of a batch. The bin of a page with a marked digit depends on
 * higher bits, and has not changed.
 */
static void htmm_table_settle(struct htmm_table *table)
{
	u64 *hist = table->hist[HTMM_UNIT_PAGE].bin;
	const s32 *moves = table->moves;
	unsigned long digit, bin;
	const u32 level = table->change.level;
	s64 below = 0;
	s32 sum;

	/* A sample of weight w passes w digits. Count those below the level. */
	for (digit = 0; digit < level; digit++)
		below -= (s64)(level - digit) * moves[digit];
	table->change.below += below;

	table->stats.pages -= moves[0];
	hist[1] += moves[1];
	hist[2] += moves[2] + moves[3];
	for (bin = 3, digit = 4; bin <= HTMM_DIGIT_BITS; bin++) {
		for (sum = 0; digit < 1UL << bin; digit += 4)
			sum += moves[digit] + moves[digit + 1] + moves[digit + 2] +
			       moves[digit + 3];
		hist[bin] += sum;
	}
	memset(table->moves, 0, sizeof(table->moves));
}

/* Count a sample by either path. Returns the end of the refused samples. */
static __always_inline u32 *htmm_add_one(struct htmm_table *table, u32 at,
					 const struct htmm_table_sample *s,
					 const struct htmm_ahead *ahead, u32 *refused)
{
	if (unlikely(!htmm_add_fast(table, s->weight, ahead)) && !htmm_add_retry(table, s))
		*refused++ = at;
	return refused;
}

/*
 * Count the group of samples from @i on, and look up the next group. With @i below 0, only look
 * up the first group.
 */
static __always_inline u32 *htmm_add_group(struct htmm_table *table, enum htmm_lookup_by by,
					   const struct htmm_table_sample *samples,
					   int i, int n, u32 *refused)
{
	const u64 epoch = table->front_epoch;
	const struct htmm_table_sample *s = samples + i, *end, *lookup_end;
	struct htmm_ahead *ahead = table->ahead;

	end = samples + min(i + HTMM_AHEAD, n);
	lookup_end = min(end, samples + n - HTMM_AHEAD);
	/* Prefetch these entries before the group whose samples need them is counted. */
	while (table->nr_soon)
		htmm_fetch(*htmm_index_chain(table, table->soon[--table->nr_soon]));
	for (; i < 0 && s < lookup_end; s++, ahead++)
		htmm_lookup(table, epoch, by, s[HTMM_AHEAD].page, ahead);
	/* -O2 does not unroll. */
#pragma GCC unroll 2
	for (; s < lookup_end; s++, ahead++) {
		refused = htmm_add_one(table, s - samples, s, ahead, refused);
		htmm_lookup(table, epoch, by, s[HTMM_AHEAD].page, ahead);
	}
	for (; i >= 0 && s < end; s++, ahead++)
		refused = htmm_add_one(table, s - samples, s, ahead, refused);
	return refused;
}

/* Count a batch. @by is a constant. */
static __always_inline u32 *htmm_add_batch(struct htmm_table *table, enum htmm_lookup_by by,
					   const struct htmm_table_sample *s, int n, u32 *refused)
{
	int i;

	htmm_prefetch_group(table, by, s, 0, n);
	for (i = -HTMM_AHEAD; i < n; i += HTMM_AHEAD) {
		htmm_prefetch_group(table, by, s, i + 2 * HTMM_AHEAD, n);
		refused = htmm_add_group(table, by, s, i, n, refused);
	}
	return refused;
}

/* The fronts of this many regions do not fit in a cache of 1 MiB. */
#define HTMM_MANY_REGIONS	65536

u32 htmm_table_add(struct htmm_table *table, const struct htmm_table_sample *s, u32 n, u32 *dropped)
{
	const bool sparse = table->frontless > HTMM_MANY_FRONTLESS;
	u32 *refused, lost;

	table->frontless = 0;
	if (sparse)
		refused = htmm_add_batch(table, HTMM_LOOKUP_ENTRIES, s, n, dropped);
	else if (table->stats.regions >= HTMM_MANY_REGIONS)
		refused = htmm_add_batch(table, HTMM_LOOKUP_MANY_FRONTS, s, n, dropped);
	else
		refused = htmm_add_batch(table, HTMM_LOOKUP_FRONTS, s, n, dropped);
	lost = refused - dropped;
	htmm_table_settle(table);
	table->stats.counted += n - lost;
	table->stats.full += lost;
	return lost;
}
