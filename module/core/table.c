// SPDX-License-Identifier: GPL-2.0
/*
 * A region's entry never moves while the region is tracked: walks that stop
 * and go on later need no more than an index. The hash chains link entries by
 * index + 1, so that zeroed memory is an empty directory.
 */
#include "table.h"

/* Samples whose memory is fetched ahead together. */
#define HTMM_ADD_BLOCK		64

/* Memory that one region may take: its leaf, its entry, up to 2 chain heads. */
#define HTMM_REGION_BYTES						\
	(HTMM_POOL_LEAF_SIZE + sizeof(struct htmm_region) + 2 * sizeof(u32))

#define HTMM_MAX_ENTRIES	0x40000000U

/* Odd, with evenly spread bits: the golden ratio. */
#define HTMM_HASH_MULTIPLIER	0x9e3779b97f4a7c15ULL

static_assert(sizeof(u32) * HTMM_REGION_PAGES == HTMM_POOL_LEAF_SIZE,
	      "a leaf holds one counter per page of a region");
static_assert(sizeof(struct htmm_region) == 64,
	      "an entry is one cache line");

/* Even, for leaves come in pairs; 0 if @config is invalid. */
static u32 htmm_config_entries(const struct htmm_table_config *config)
{
	u64 entries;

	if (config->max_bytes < HTMM_TABLE_MIN_BYTES || !config->batch)
		return 0;
	entries = div64_u64(config->max_bytes, HTMM_REGION_BYTES);
	if (entries > HTMM_MAX_ENTRIES)
		return 0;
	return round_down(entries, HTMM_POOL_LEAVES_PER_PAGE);
}

static size_t htmm_dir_bytes(u32 entries)
{
	if (!entries)
		return 0;
	return entries * sizeof(struct htmm_region) +
	       roundup_pow_of_two(entries) * sizeof(u32);
}

size_t htmm_table_dir_bytes(const struct htmm_table_config *config)
{
	return htmm_dir_bytes(htmm_config_entries(config));
}

int htmm_table_init(struct htmm_table *table,
		    const struct htmm_table_config *config, void *dir,
		    struct htmm_pool *pool)
{
	u32 entries = htmm_config_entries(config);

	if (!entries || !dir || (unsigned long)dir % sizeof(struct htmm_region))
		return -EINVAL;

	memset(table, 0, sizeof(*table));
	memset(dir, 0, htmm_dir_bytes(entries));
	table->config = *config;
	table->pool = pool;
	table->region = dir;
	table->head = (u32 *)&table->region[entries];
	table->nr_entries = entries;
	table->multiplier = (config->seed ?: HTMM_HASH_MULTIPLIER) | 1;
	table->hash_shift = 64 - ilog2(roundup_pow_of_two(entries));
	return 0;
}

u32 htmm_table_need(const struct htmm_table *table)
{
	u32 leaves = min(table->config.batch,
			 table->nr_entries - table->pool->used);
	u32 have = htmm_pool_free_leaves(table->pool);

	if (leaves <= have)
		return 0;
	return DIV_ROUND_UP(leaves - have, HTMM_POOL_LEAVES_PER_PAGE);
}

static u64 htmm_region_key(u32 space, u64 vpn)
{
	return (u64)space << (HTMM_VPN_BITS - HTMM_REGION_SHIFT) |
	       vpn >> HTMM_REGION_SHIFT;
}

static u32 *htmm_table_chain(const struct htmm_table *table, u64 key)
{
	return &table->head[key * table->multiplier >> table->hash_shift];
}

static struct htmm_region *htmm_table_find(const struct htmm_table *table,
					   u64 key)
{
	u32 link = *htmm_table_chain(table, key);
	struct htmm_region *region;

	for (; link; link = region->next) {
		region = &table->region[link - 1];
		if (region->key == key)
			return region;
	}
	return NULL;
}

static struct htmm_region *htmm_entry_get(struct htmm_table *table)
{
	struct htmm_region *region;

	if (table->free) {
		region = &table->region[table->free - 1];
		table->free = region->next;
		return region;
	}
	/* A sweep under way has to get past the new entry, too. */
	if (table->sweep_left)
		table->sweep_left++;
	return &table->region[table->high++];
}

static void htmm_entry_put(struct htmm_table *table, struct htmm_region *region)
{
	region->born = 0;
	region->next = table->free;
	table->free = region - table->region + 1;
}

static struct htmm_region *htmm_region_create(struct htmm_table *table, u64 key)
{
	u32 *chain = htmm_table_chain(table, key);
	struct htmm_region *region = htmm_entry_get(table);

	*region = (struct htmm_region) {
		.key = key,
		.epoch = table->epoch,
		.born = ++table->births,
		.next = *chain,
	};
	*chain = region - table->region + 1;
	htmm_hist_add(&table->hist[HTMM_KIND_HUGE], 0);
	table->regions++;
	return region;
}

/* @region has no leaf any more. */
static void htmm_region_destroy(struct htmm_table *table,
				struct htmm_region *region)
{
	u32 *link = htmm_table_chain(table, region->key);
	u32 self = region - table->region + 1;

	while (*link != self)
		link = &table->region[*link - 1].next;
	*link = region->next;

	htmm_hist_remove(&table->hist[HTMM_KIND_HUGE], region->count);
	table->regions--;
	htmm_entry_put(table, region);
}

static void htmm_region_put_leaf(struct htmm_table *table,
				 struct htmm_region *region)
{
	htmm_pool_leaf_put(table->pool, region->leaf);
	region->leaf = NULL;
}

/*
 * Apply the missed coolings to the leaf. Its pages that arrive at zero have been
 * in bin 0 since they did; this is where they are forgotten.
 */
static void htmm_region_cool_leaf(struct htmm_table *table,
				  struct htmm_region *region)
{
	u32 *leaf = region->leaf;
	u32 i, left = 0, gone;

	for (i = 0; i < HTMM_REGION_PAGES; i++) {
		leaf[i] = htmm_region_cooled(table, region, leaf[i]);
		left += leaf[i] != 0;
	}
	gone = region->pages - left;
	region->pages = left;
	table->hist[HTMM_KIND_BASE].bin[0] -= gone;
	table->pages -= gone;
	table->reclaimed += gone;
	if (!left)
		htmm_region_put_leaf(table, region);
}

static void htmm_region_cool(struct htmm_table *table,
			     struct htmm_region *region)
{
	if (region->epoch == table->epoch)
		return;
	if (region->leaf)
		htmm_region_cool_leaf(table, region);
	region->count = htmm_region_cooled(table, region, region->count);
	region->epoch = table->epoch;
}

/* Can one more page be tracked, in @region or, if NULL, in a new one? */
static bool htmm_table_has_room(const struct htmm_table *table,
				const struct htmm_region *region)
{
	if (table->config.max_pages && table->pages >= table->config.max_pages)
		return false;
	if (!region && table->regions == table->nr_entries)
		return false;
	return (region && region->leaf) || htmm_pool_free_leaves(table->pool);
}

static u32 htmm_count_add(u32 count, u32 weight)
{
	return count > U32_MAX - weight ? U32_MAX : count + weight;
}

static void htmm_region_count(struct htmm_table *table,
			      struct htmm_region *region, u32 weight)
{
	u32 count = htmm_count_add(region->count, weight);

	htmm_hist_move(&table->hist[HTMM_KIND_HUGE], region->count, count);
	region->count = count;
}

static void htmm_page_count(struct htmm_table *table,
			    struct htmm_region *region, u32 *counter, u32 weight)
{
	u32 count = htmm_count_add(*counter, weight);

	if (*counter) {
		htmm_hist_move(&table->hist[HTMM_KIND_BASE], *counter, count);
	} else {
		htmm_hist_add(&table->hist[HTMM_KIND_BASE], count);
		region->pages++;
		table->pages++;
	}
	*counter = count;
}

/* @region is what a look ahead has found, or NULL. */
static bool htmm_table_add_one(struct htmm_table *table,
			       const struct htmm_table_sample *s,
			       struct htmm_region *region)
{
	u64 key = htmm_region_key(s->space, s->vpn);
	u32 page = s->vpn % HTMM_REGION_PAGES;

	if (s->vpn > HTMM_VPN_MAX || s->space > HTMM_SPACE_MAX)
		return false;
	if (!s->weight)
		return true;

	/* An earlier sample of the block may have created it since. */
	if (!region)
		region = htmm_table_find(table, key);
	if (region)
		htmm_region_cool(table, region);

	if (!region || !region->leaf || !region->leaf[page]) {
		if (!htmm_table_has_room(table, region))
			return false;
		if (!region)
			region = htmm_region_create(table, key);
		if (!region->leaf)
			region->leaf = htmm_pool_leaf_get(table->pool);
	}
	htmm_page_count(table, region, &region->leaf[page], s->weight);
	htmm_region_count(table, region, s->weight);
	return true;
}

/*
 * Fetch the memory of a whole block ahead, one level of the directory per pass,
 * so that the misses of different samples overlap. Nothing is freed on the way:
 * a region found stays valid, and only one not found is looked up again.
 */
static void htmm_table_look_ahead(const struct htmm_table *table,
				  const struct htmm_table_sample *s, u32 n,
				  struct htmm_region **regions)
{
	u64 key[HTMM_ADD_BLOCK];
	struct htmm_region *region;
	u32 i, link;

	for (i = 0; i < n; i++) {
		key[i] = htmm_region_key(s[i].space, s[i].vpn);
		prefetch(htmm_table_chain(table, key[i]));
	}
	for (i = 0; i < n; i++) {
		link = *htmm_table_chain(table, key[i]);
		if (link)
			prefetch(&table->region[link - 1]);
	}
	for (i = 0; i < n; i++) {
		region = htmm_table_find(table, key[i]);
		if (region && region->leaf)
			prefetchw(&region->leaf[s[i].vpn % HTMM_REGION_PAGES]);
		regions[i] = region;
	}
}

u32 htmm_table_add(struct htmm_table *table,
		   const struct htmm_table_sample *samples, u32 n, u32 *dropped)
{
	struct htmm_region *regions[HTMM_ADD_BLOCK];
	u32 start, len, i, lost = 0;

	for (start = 0; start < n; start += len) {
		len = min_t(u32, n - start, HTMM_ADD_BLOCK);
		htmm_table_look_ahead(table, samples + start, len, regions);
		for (i = 0; i < len; i++) {
			if (!htmm_table_add_one(table, &samples[start + i],
						regions[i]))
				dropped[lost++] = start + i;
		}
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
		region = &table->region[table->sweep++];
		if (!region->born)
			continue;
		htmm_region_cool(table, region);
		if (!region->count)
			htmm_region_destroy(table, region);
	}
	return table->sweep_left;
}

static void htmm_region_remove(struct htmm_table *table,
			       struct htmm_region *region)
{
	u32 i;

	htmm_region_cool(table, region);
	if (region->leaf) {
		for (i = 0; i < HTMM_REGION_PAGES; i++) {
			if (region->leaf[i])
				htmm_hist_remove(&table->hist[HTMM_KIND_BASE],
						 region->leaf[i]);
		}
		table->pages -= region->pages;
		htmm_region_put_leaf(table, region);
	}
	htmm_region_destroy(table, region);
}

bool htmm_table_remove_space(struct htmm_table *table, u32 space, u32 *pos,
			     u32 budget)
{
	struct htmm_region *region;

	for (; budget && *pos < table->high; budget--) {
		region = &table->region[(*pos)++];
		if (region->born && htmm_region_space(region) == space)
			htmm_region_remove(table, region);
	}
	return *pos < table->high;
}

void htmm_table_clear(struct htmm_table *table)
{
	u32 i;

	for (i = 0; i < table->high; i++) {
		if (table->region[i].born && table->region[i].leaf)
			htmm_region_put_leaf(table, &table->region[i]);
	}
	memset(table->region, 0, htmm_dir_bytes(table->nr_entries));
	memset(table->hist, 0, sizeof(table->hist));
	table->pages = 0;
	table->regions = 0;
	table->high = 0;
	table->free = 0;
	table->sweep = 0;
	table->sweep_left = 0;
}

void htmm_table_hist(const struct htmm_table *table, enum htmm_kind kind,
		     struct htmm_hist *hist)
{
	*hist = table->hist[kind];
}

void htmm_table_get_stats(const struct htmm_table *table,
			  struct htmm_table_stats *stats)
{
	u64 dir = htmm_dir_bytes(table->nr_entries);

	*stats = (struct htmm_table_stats) {
		.pages = table->pages,
		.regions = table->regions,
		.bytes = dir + (u64)table->pool->held * HTMM_POOL_PAGE_SIZE,
		.max_bytes = dir + (u64)table->nr_entries * HTMM_POOL_LEAF_SIZE,
		.counted = table->counted,
		.full = table->full,
		.reclaimed = table->reclaimed,
		.coolings = table->epoch,
	};
}

u32 htmm_table_count(const struct htmm_table *table, u32 space, u64 vpn)
{
	const struct htmm_region *region;

	if (vpn > HTMM_VPN_MAX || space > HTMM_SPACE_MAX)
		return 0;
	region = htmm_table_find(table, htmm_region_key(space, vpn));
	if (!region || !region->leaf)
		return 0;
	return htmm_region_cooled(table, region,
				  region->leaf[vpn % HTMM_REGION_PAGES]);
}

void htmm_region_describe(const struct htmm_table *table,
			  const struct htmm_region *region,
			  unsigned int hot_bin, struct htmm_region_info *info)
{
	u64 squares = 0;
	u32 i, count;

	*info = (struct htmm_region_info) {
		.vpn = htmm_region_vpn(region),
		.space = htmm_region_space(region),
		.count = htmm_region_cooled(table, region, region->count),
	};
	if (!region->leaf)
		return;

	for (i = 0; i < HTMM_REGION_PAGES; i++) {
		count = htmm_region_cooled(table, region, region->leaf[i]);
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
	const struct htmm_region *region;

	if (vpn > HTMM_VPN_MAX || space > HTMM_SPACE_MAX)
		return false;
	region = htmm_table_find(table, htmm_region_key(space, vpn));
	if (!region)
		return false;
	htmm_region_describe(table, region, hot_bin, info);
	return true;
}
