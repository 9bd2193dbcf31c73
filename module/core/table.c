// SPDX-License-Identifier: GPL-2.0
#include "dir.h"

/* One head of a hash chain for so many bytes of the table. */
#define HTMM_BYTES_PER_HEAD	512
#define HTMM_MIN_SPACES		64
#define HTMM_MAX_SPACES		65536
#define HTMM_MAX_BYTES		BIT_ULL(40)

/* Odd, with evenly spread bits: the golden ratio. */
#define HTMM_HASH_MULTIPLIER	0x9e3779b97f4a7c15ULL

/**
 * struct htmm_layout - sizes of the directory's arrays, in elements
 * @heads: hash chains
 * @blocks: most blocks of entries
 * @spaces: lists of regions by space
 * @max_held: most pages of the pool
 */
struct htmm_layout {
	u64 heads;
	u64 blocks;
	u64 spaces;
	u64 max_held;
};

static u64 htmm_layout_bytes(const struct htmm_layout *layout)
{
	return layout->heads * sizeof(struct htmm_region *) +
	       layout->blocks * sizeof(struct htmm_region *) +
	       layout->spaces * sizeof(u32);
}

/* False if @config is invalid. */
static bool htmm_config_layout(const struct htmm_table_config *config,
			       struct htmm_layout *layout)
{
	u64 bytes = config->max_bytes;

	if (bytes < HTMM_TABLE_MIN_BYTES || bytes > HTMM_MAX_BYTES ||
	    !config->batch)
		return false;
	layout->heads = roundup_pow_of_two(bytes / HTMM_BYTES_PER_HEAD);
	layout->blocks = bytes / HTMM_POOL_BLOCK_SIZE;
	layout->spaces = clamp_t(u64, layout->heads / 64, HTMM_MIN_SPACES,
				 HTMM_MAX_SPACES);
	layout->max_held = (bytes - htmm_layout_bytes(layout)) /
			   HTMM_POOL_PAGE_SIZE;
	return true;
}

size_t htmm_table_dir_bytes(const struct htmm_table_config *config)
{
	struct htmm_layout layout;

	if (!htmm_config_layout(config, &layout))
		return 0;
	return htmm_layout_bytes(&layout);
}

int htmm_table_init(struct htmm_table *table,
		    const struct htmm_table_config *config, void *dir,
		    struct htmm_pool *pool)
{
	struct htmm_layout layout;

	if (!htmm_config_layout(config, &layout) || !dir ||
	    (unsigned long)dir % 64)
		return -EINVAL;

	memset(table, 0, sizeof(*table));
	memset(dir, 0, htmm_layout_bytes(&layout));
	table->config = *config;
	table->pool = pool;
	table->head = dir;
	table->block = table->head + layout.heads;
	table->space = (u32 *)(table->block + layout.blocks);
	table->multiplier = (config->seed ?: HTMM_HASH_MULTIPLIER) | 1;
	table->dir_bytes = htmm_layout_bytes(&layout);
	table->hash_shift = 64 - ilog2(layout.heads);
	table->space_mask = layout.spaces - 1;
	table->max_held = layout.max_held;
	table->listings = 1;
	return 0;
}

u32 htmm_table_need(const struct htmm_table *table)
{
	u32 have = htmm_pool_free_blocks(table->pool);
	u32 want = table->config.batch + HTMM_PLANES;

	if (have >= want || table->pool->held >= table->max_held)
		return 0;
	return min_t(u32, DIV_ROUND_UP(want - have, HTMM_POOL_BLOCKS_PER_PAGE),
		     table->max_held - table->pool->held);
}

/*
 * Apply the missed coolings. Base pages that arrive at zero have been in bin 0
 * since they did; this is where they are forgotten.
 */
static void htmm_table_cool_region(struct htmm_table *table,
				   struct htmm_region *region)
{
	u64 missed = table->epoch - region->epoch;
	u32 gone;

	if (!missed)
		return;
	gone = htmm_region_cool(region, table->pool, missed);
	region->epoch = table->epoch;
	table->hist[HTMM_KIND_BASE].bin[0] -= gone;
	table->pages -= gone;
	table->reclaimed += gone;
}

/* Returns how many base pages are forgotten with the region. */
static u32 htmm_table_remove(struct htmm_table *table,
			     struct htmm_region *region)
{
	u32 pages, count, page, pos = 0;

	htmm_table_cool_region(table, region);
	while ((count = htmm_region_next(region, &pos, &page)))
		htmm_hist_remove(&table->hist[HTMM_KIND_BASE], count);
	pages = region->pages;
	table->pages -= pages;
	htmm_region_release(region, table->pool);
	htmm_dir_destroy(table, region);
	return pages;
}

/*
 * The coldest of the next regions, but never @keep. Entries not in use cost a
 * look, too, so that the work has a bound.
 */
static struct htmm_region *htmm_table_coldest(struct htmm_table *table,
					      const struct htmm_region *keep)
{
	struct htmm_region *region, *coldest = NULL;
	u32 count, least = 0, seen = 0;
	u32 looks = min(table->high, 8U * HTMM_EVICT_WINDOW);

	for (; looks && seen < HTMM_EVICT_WINDOW; looks--) {
		if (table->hand >= table->high)
			table->hand = 0;
		region = htmm_table_entry(table, table->hand++);
		if (!region->born || region == keep)
			continue;
		seen++;
		count = htmm_table_cooled(table, region, region->count);
		if (!coldest || count < least) {
			coldest = region;
			least = count;
		}
	}
	return coldest;
}

/* Evict one region other than @keep, which may move. False if there is none. */
static bool htmm_table_evict(struct htmm_table *table,
			     const struct htmm_region *keep)
{
	struct htmm_region *coldest = htmm_table_coldest(table, keep);

	if (!coldest)
		return false;
	table->evicted += htmm_table_remove(table, coldest);
	table->moved = true;
	if (table->nr_free >= HTMM_BLOCK_ENTRIES)
		htmm_dir_compact(table);
	return true;
}

/* Is there room for @page of @region (NULL: a new one) to have this count? */
static bool htmm_table_has_room(const struct htmm_table *table,
				const struct htmm_region *region, u32 page,
				u32 count)
{
	u64 max_pages = table->config.max_pages;
	u32 blocks = region ? htmm_region_blocks_to_set(region, page, count) :
			      htmm_dir_blocks_to_create(table);

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
		if (tries == HTMM_EVICT_MAX || !htmm_table_evict(table, region))
			return false;
	}
	if (!region)
		region = htmm_dir_create(table, key);
	htmm_table_count_page(table, region, page, s->weight);
	htmm_table_count_region(table, region, s->weight);
	return true;
}

/* First step: the head of the hash chain, and with it the likely entry. */
static void htmm_ahead_entries(const struct htmm_table *table,
			       const struct htmm_table_sample *s, u32 n,
			       struct htmm_ahead *ahead)
{
	const struct htmm_ahead *end = ahead + n;
	/* In registers: for all the compiler knows, the loop changes the table. */
	struct htmm_region **head = table->head;
	u64 multiplier = table->multiplier, key;
	u32 shift = table->hash_shift;

	for (; ahead < end; ahead++, s++) {
		if (unlikely(s->vpn > HTMM_VPN_MAX ||
			     s->space > HTMM_SPACE_MAX)) {
			ahead->region = NULL;
			continue;
		}
		key = htmm_region_key(s->space, s->vpn);
		ahead->key = key;
		ahead->region = head[key * multiplier >> shift];
		prefetchw(ahead->region);
	}
}

/* Out of the loop's way: mostly the first entry of a chain is the right one. */
static noinline struct htmm_region *
htmm_ahead_next(struct htmm_region *region, u64 key)
{
	while (region && region->key != key)
		region = region->chain;
	return region;
}

/* Second step: the entry, and with it the counter. */
static void htmm_ahead_counters(const struct htmm_table *table,
				const struct htmm_table_sample *s, u32 n,
				struct htmm_ahead *ahead)
{
	const struct htmm_ahead *end = ahead + n;
	struct htmm_region *region;
	u64 epoch = table->epoch;
	u8 *digit;

	for (; ahead < end; ahead++, s++) {
		region = ahead->region;
		if (unlikely(!region || region->key != ahead->key)) {
			region = htmm_ahead_next(region, ahead->key);
			ahead->region = region;
		}
		ahead->digit = NULL;
		if (unlikely(!region))
			continue;
		if (unlikely(region->epoch != epoch || s->weight != 1)) {
			ahead->region = NULL;
			continue;
		}
		if (unlikely(!region->leaf)) {
			prefetchw(region->value);
			continue;
		}
		digit = &region->leaf[s->vpn % HTMM_REGION_PAGES];
		ahead->digit = digit;
		prefetchw(digit);
	}
}

/* One more sample of a sparse region, if it only adds one to a count. */
static noinline bool htmm_add_sparse(struct htmm_table *table,
				     struct htmm_region *region, u32 page)
{
	u32 *count;

	/* It may have turned dense since it was looked at. */
	if (!region || region->leaf)
		return false;
	count = htmm_region_pair(region, page);
	if (!count || !(*count & (*count + 1)))
		return false;
	++*count;
	htmm_table_count_region(table, region, 1);
	return true;
}

/*
 * Third step: one more sample, if it changes no more than a number. False: it
 * takes the slow way.
 *
 * A count's bin and form change only where a carry runs through all lower bits:
 * one test finds the new page, the power of two and the byte that overflows.
 */
static inline bool htmm_add_fast(struct htmm_table *table,
				 const struct htmm_table_sample *s,
				 const struct htmm_ahead *ahead)
{
	struct htmm_region *region = ahead->region;
	u32 digit, count;

	if (unlikely(!ahead->digit))
		return htmm_add_sparse(table, region,
				       s->vpn % HTMM_REGION_PAGES);
	digit = *ahead->digit;
	if (unlikely(!(digit & (digit + 1)))) {
		if (!digit || digit >= HTMM_DIGIT_MASK)
			return false;
		htmm_hist_carry(&table->hist[HTMM_KIND_BASE], digit);
	}
	*ahead->digit = digit + 1;
	count = region->count;
	if (unlikely(!(count & (count + 1))))
		htmm_table_count_region(table, region, 1);
	else
		region->count = count + 1;
	return true;
}

/* Returns how many samples of a block were refused. */
static u32 htmm_add_block(struct htmm_table *table,
			  const struct htmm_table_sample *s, u32 n,
			  struct htmm_ahead (*ahead)[HTMM_ADD_BLOCK], u32 at,
			  u32 *dropped, u32 start)
{
	u32 i, lost = 0;

	for (i = 0; i < n; i++) {
		if (likely(htmm_add_fast(table, &s[i], &ahead[at][i])))
			continue;
		if (!htmm_table_add_slow(table, &s[i]))
			dropped[lost++] = start + i;
		if (unlikely(table->moved)) {
			/* None of what was found need be there any more. */
			memset(ahead, 0, HTMM_ADD_BLOCKS * sizeof(*ahead));
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
 * Block after block, while the memory of the next two is on its way: when the
 * samples of a block are counted, the counters of the block behind it have been
 * asked for, and the entries of the one behind that.
 */
u32 htmm_table_add(struct htmm_table *table,
		   const struct htmm_table_sample *samples, u32 n, u32 *dropped)
{
	struct htmm_ahead (*ahead)[HTMM_ADD_BLOCK] = table->ahead;
	u32 lost = 0, block, at, len;

	for (block = 0; block * HTMM_ADD_BLOCK < n + 2 * HTMM_ADD_BLOCK; block++) {
		at = block * HTMM_ADD_BLOCK;
		len = htmm_block_len(n, at);
		htmm_ahead_entries(table, samples + at, len,
				   ahead[block % HTMM_ADD_BLOCKS]);
		if (block < 1)
			continue;
		at -= HTMM_ADD_BLOCK;
		len = htmm_block_len(n, at);
		htmm_ahead_counters(table, samples + at, len,
				    ahead[(block - 1) % HTMM_ADD_BLOCKS]);
		if (block < 2)
			continue;
		at -= HTMM_ADD_BLOCK;
		len = htmm_block_len(n, at);
		lost += htmm_add_block(table, samples + at, len, ahead,
				       (block - 2) % HTMM_ADD_BLOCKS,
				       dropped + lost, at);
	}
	table->counted += n - lost;
	table->full += lost;
	return lost;
}

void htmm_table_cool(struct htmm_table *table)
{
	unsigned int kind;

	table->epoch++;
	for (kind = 0; kind < HTMM_KINDS; kind++)
		htmm_hist_cool(&table->hist[kind]);
	table->sweep_left = table->high;
}

bool htmm_table_reclaim(struct htmm_table *table, u32 budget)
{
	struct htmm_region *region;

	for (; budget && table->sweep_left; budget--, table->sweep_left--) {
		if (table->sweep >= table->high)
			table->sweep = 0;
		region = htmm_table_entry(table, table->sweep++);
		if (!region->born)
			continue;
		htmm_table_cool_region(table, region);
		if (!region->count)
			htmm_dir_destroy(table, region);
	}
	return table->sweep_left;
}

bool htmm_table_remove_space(struct htmm_table *table, u32 space, bool first,
			     u32 budget)
{
	struct htmm_region *region;

	if (first)
		table->leaving = *htmm_dir_space(table, space);
	for (; budget && table->leaving; budget--) {
		region = htmm_table_entry(table, table->leaving - 1);
		if (htmm_region_space(region) == space)
			htmm_table_remove(table, region);
		else
			table->leaving = region->next;
	}
	return table->leaving;
}

void htmm_table_clear(struct htmm_table *table)
{
	u32 i;

	for (i = 0; i < table->high; i++) {
		struct htmm_region *region = htmm_table_entry(table, i);

		if (region->born)
			htmm_region_release(region, table->pool);
	}
	htmm_dir_clear(table);
	memset(table->head, 0, table->dir_bytes);
	memset(table->hist, 0, sizeof(table->hist));
	table->pages = 0;
	table->regions = 0;
	table->sweep = 0;
	table->sweep_left = 0;
	table->hand = 0;
}

void htmm_table_hist(const struct htmm_table *table, enum htmm_kind kind,
		     struct htmm_hist *hist)
{
	*hist = table->hist[kind];
}

void htmm_table_get_stats(const struct htmm_table *table,
			  struct htmm_table_stats *stats)
{
	*stats = (struct htmm_table_stats) {
		.pages = table->pages,
		.regions = table->regions,
		.bytes = table->dir_bytes +
			 (u64)table->pool->held * HTMM_POOL_PAGE_SIZE,
		.max_bytes = table->dir_bytes +
			     (u64)table->max_held * HTMM_POOL_PAGE_SIZE,
		.counted = table->counted,
		.full = table->full,
		.reclaimed = table->reclaimed,
		.evicted = table->evicted,
		.coolings = table->epoch,
	};
}

void htmm_table_stats_merge(struct htmm_table_stats *stats,
			    const struct htmm_table_stats *other)
{
	stats->pages += other->pages;
	stats->regions += other->regions;
	stats->bytes += other->bytes;
	stats->max_bytes += other->max_bytes;
	stats->counted += other->counted;
	stats->full += other->full;
	stats->reclaimed += other->reclaimed;
	stats->evicted += other->evicted;
	stats->coolings = min(stats->coolings, other->coolings);
}

static const struct htmm_region *htmm_table_find(const struct htmm_table *table,
						 u32 space, u64 vpn)
{
	if (vpn > HTMM_VPN_MAX || space > HTMM_SPACE_MAX)
		return NULL;
	return htmm_dir_find(table, htmm_region_key(space, vpn));
}

u32 htmm_table_count(const struct htmm_table *table, u32 space, u64 vpn)
{
	const struct htmm_region *region = htmm_table_find(table, space, vpn);

	if (!region)
		return 0;
	return htmm_table_cooled(table, region,
				 htmm_region_get(region,
						 vpn % HTMM_REGION_PAGES));
}

void htmm_table_describe(const struct htmm_table *table,
			 const struct htmm_region *region,
			 unsigned int hot_bin, struct htmm_region_info *info)
{
	u32 count, page, pos = 0;
	u64 squares = 0;

	*info = (struct htmm_region_info) {
		.vpn = htmm_region_vpn(region),
		.space = htmm_region_space(region),
		.count = htmm_table_cooled(table, region, region->count),
	};
	while ((count = htmm_region_next(region, &pos, &page))) {
		count = htmm_table_cooled(table, region, count);
		if (!count)
			continue;
		info->touched++;
		info->hot += htmm_hist_bin(count) >= hot_bin;
		if (check_add_overflow(squares, (u64)count * count, &squares))
			squares = U64_MAX;
	}
	if (info->hot)
		info->skew = div64_u64(squares, (u64)info->hot * info->hot);
}

bool htmm_table_region(const struct htmm_table *table, u32 space, u64 vpn,
		       unsigned int hot_bin, struct htmm_region_info *info)
{
	const struct htmm_region *region = htmm_table_find(table, space, vpn);

	if (region)
		htmm_table_describe(table, region, hot_bin, info);
	return region;
}
