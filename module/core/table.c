// SPDX-License-Identifier: GPL-2.0
#include "table.h"

/* Bytes of the table for each hash chain head and for each front. */
#define HTMM_BYTES_PER_HEAD	256
#define HTMM_HEADS_PER_FRONT	4
/* The hash has no more bits; these suffice for 4 G pages of dense regions. */
#define HTMM_MAX_FRONTS		BIT_ULL(23)
#define HTMM_MIN_LISTS		64
#define HTMM_MAX_LISTS		65536

/* 2^32; the random fraction added to it is below 1/128 and separates ranges of keys. */
#define HTMM_HASH_ONE		BIT_ULL(32)
#define HTMM_HASH_FRACTION	(HTMM_HASH_ONE / 128 - 1)
#define HTMM_HASH_SEED		0x9e3779b97f4a7c15ULL
/* The golden section of 2^32. */
#define HTMM_HASH_GOLDEN	0x9e3779b9ULL

/* Sizes of the directory's arrays, in elements. */
struct htmm_table_layout {
	u64 fronts;
	u64 heads;
	u64 lists;
	u64 max_held;		/* most pages of the pool, and length of its list */
	u64 bytes;		/* of all of them */
};

/* False if @config is invalid. */
static bool htmm_config_layout(const struct htmm_table_config *config,
			       struct htmm_table_layout *layout)
{
	u64 bytes = config->max_bytes;

	if (bytes < HTMM_TABLE_MIN_BYTES || bytes > HTMM_TABLE_MAX_BYTES)
		return false;
	layout->heads = roundup_pow_of_two(bytes / HTMM_BYTES_PER_HEAD);
	layout->fronts = min(layout->heads / HTMM_HEADS_PER_FRONT, HTMM_MAX_FRONTS);
	layout->lists = clamp_t(u64, layout->heads / 64, HTMM_MIN_LISTS, HTMM_MAX_LISTS);
	layout->bytes = layout->fronts * sizeof(struct htmm_front) +
			layout->heads * sizeof(struct htmm_region *) +
			layout->heads / 64 * sizeof(u64) +
			layout->lists * sizeof(struct hlist_head);
	layout->max_held = (bytes - layout->bytes) / (HTMM_POOL_PAGE_SIZE + sizeof(void *));
	layout->bytes += layout->max_held * sizeof(void *);
	return true;
}

size_t htmm_table_dir_bytes(const struct htmm_table_config *config)
{
	struct htmm_table_layout layout;

	return htmm_config_layout(config, &layout) ? layout.bytes : 0;
}

/*
 * The fraction is random except for its low bits. These determine the distance between the fronts
 * of the same range in successive address spaces. The distance is the golden section of all fronts:
 * multiples of it are far from each other, so such ranges do not share fronts.
 */
static u64 htmm_hash_multiplier(u64 seed, u64 fronts)
{
	u64 low = fronts >> (HTMM_VPN_BITS - HTMM_REGION_ORDER - 32);
	u64 fraction = (seed ?: HTMM_HASH_SEED) & HTMM_HASH_FRACTION;

	return HTMM_HASH_ONE | (fraction & ~(low - 1)) | low * HTMM_HASH_GOLDEN >> 32;
}

int htmm_table_init(struct htmm_table *table, const struct htmm_table_config *config, void *dir,
		    struct htmm_pool *pool)
{
	struct htmm_table_layout layout;

	if (!htmm_config_layout(config, &layout) || !dir || (unsigned long)dir % 64)
		return -EINVAL;

	memset(table, 0, sizeof(*table));
	table->config = *config;
	table->pool = pool;
	table->front = dir;
	memset(table->front, 0xff, layout.fronts * sizeof(*table->front));
	table->head = (void *)(table->front + layout.fronts);
	table->occupied = (void *)(table->head + layout.heads);
	table->spaces = (void *)(table->occupied + layout.heads / 64);
	htmm_pool_init(pool, table->spaces + layout.lists);
	table->multiplier = htmm_hash_multiplier(config->seed, layout.fronts);
	table->dir_bytes = layout.bytes;
	table->front_mask = (layout.fronts - 1) * sizeof(*table->front);
	table->head_mask = layout.heads - 1;
	table->space_mask = layout.lists - 1;
	table->max_held = layout.max_held;
	table->sweep.unit = HTMM_UNIT_REGION;
	table->no_digit = HTMM_DIGIT_MASK;
	return 0;
}

u32 htmm_table_need(const struct htmm_table *table, u32 n)
{
	u32 have = htmm_pool_free_blocks(table->pool);
	u32 want = n - 1 + HTMM_SAMPLE_BLOCKS;

	if (have >= want || table->pool->held >= table->max_held)
		return 0;
	return min_t(u32, DIV_ROUND_UP(want - have, HTMM_POOL_BLOCKS_PER_PAGE),
		     table->max_held - table->pool->held);
}

/* So many samples must be expected on hot pages: a quarter less is nearly four deviations. */
#define HTMM_EXPECTED	225

static u32 htmm_per_1024(u64 part, u64 all)
{
	return div64_u64(part << 10, all ?: 1);
}

/* How many samples all pages have, at least. */
static u64 htmm_change_mass(const struct htmm_hist *hist)
{
	unsigned int bin;
	u64 mass = 0;

	for (bin = 1; bin < HTMM_NR_BINS; bin++)
		mass += hist->bin[bin] << (bin - 1);
	return mass;
}

/*
 * The count from which on the share of the samples most exceeds that of the pages: it divides hot
 * pages from others. Of two that do so about as well, the higher one: others reach it later.
 */
static u32 htmm_change_level(const struct htmm_hist *hist, u64 all_mass, u64 all_pages)
{
	u64 mass = all_mass, pages = all_pages;
	u32 level, best = 1;
	s32 more, most = 0;

	for (level = 1; level <= 1U << HTMM_DIGIT_BITS && mass > all_mass / 2; level *= 2) {
		more = htmm_per_1024(mass, all_mass) - htmm_per_1024(pages, all_pages);
		most = max(most, more);
		if (more * 8 >= most * 7)
			best = level;
		pages -= hist->bin[htmm_hist_bin(level)];
		mass -= hist->bin[htmm_hist_bin(level)] * level;
	}
	return best;
}

bool htmm_table_changed(struct htmm_table *table)
{
	const struct htmm_hist *hist = &table->hist[HTMM_UNIT_PAGE];
	struct htmm_change *change = &table->change;
	u64 samples = table->stats.counted - change->looked, mass;
	u32 level = change->level, usual = change->usual, low = change->low;
	u32 share, expected = usual ?: 512;
	bool changed, all = change->weight == samples && !table->epoch && !table->stats.evicted;

	/* If nothing was forgotten, the next is so likely of a known page (Good, Turing). */
	if (level == 1 && all)
		expected = 1024 - htmm_per_1024(hist->bin[1], htmm_change_mass(hist));
	change->expected += (samples - change->samples) * expected;
	change->samples = samples;
	if (change->weight <= change->enough || change->expected >> 10 < HTMM_EXPECTED)
		return false;
	mass = htmm_change_mass(hist);
	share = htmm_per_1024(change->weight - change->below, change->weight);
	expected = div64_u64(change->expected, samples) ?: 1;
	low = level ? low + (1024 - low) / 32 : 1024;
	changed = usual && share * 1024 < expected * low / 12 * (level > 1 ? 9 : 8);
	if (usual || (level == 1 && all))
		low = min(low, max((share << 10) / expected, changed ? low / 8 * 5 : 0));
	usual = changed || !level ? 0 : usual ? (usual + share) / 2 : share;
	/* If the share falls, the next look tells whether it goes on. */
	if (!change->level || share * 16 >= usual * 15)
		level = htmm_change_level(hist, mass, table->stats.pages);
	*change = (struct htmm_change) {
		.level = level, .usual = level == change->level ? usual : 0, .low = low,
		.enough = min(mass / 8, htmm_hist_pages_from(hist, fls(level)) * level / 2),
		.looked = table->stats.counted,
	};
	return changed;
}

u64 htmm_cooling_due(u64 last, u64 period, u64 pages)
{
	u64 due;

	period = period ?: max_t(u64, HTMM_COOLING_LEAST, HTMM_COOLING_EACH * pages);
	return check_add_overflow(last, period, &due) ? U64_MAX : due;
}
