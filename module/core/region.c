// SPDX-License-Identifier: GPL-2.0
#include "region.h"

/*
 * A dense region becomes sparse when a cooling leaves it so many samples, or fewer: low
 * enough that it does not become dense again at once.
 */
#define HTMM_SPARSE_AGAIN	(HTMM_PAIRS / 2)

#define HTMM_CACHE_LINE		64

/* The same byte eight times. */
#define HTMM_BYTES(byte)	((u8)(byte) * 0x0101010101010101ULL)

static_assert(sizeof(struct htmm_region) * HTMM_BLOCK_ENTRIES == HTMM_POOL_BLOCK_SIZE,
	      "entries fill a block, and each has its pairs in one cache line");
static_assert(HTMM_REGION_PAGES == HTMM_POOL_BLOCK_SIZE,
	      "a leaf is one block");
static_assert(HTMM_BEGIN_BLOCKS * HTMM_DIGIT_BITS >= HTMM_REGION_ORDER,
	      "with so many digits, a count's rest fits in a pair");
static_assert((1 + HTMM_PLANES) * HTMM_DIGIT_BITS >= 32,
	      "a count fits into a leaf and all planes");

/**
 * struct htmm_counts - temporary copy of pages and their counts
 * @n: number of pages
 * @page: the pages
 * @count: their counts
 */
struct htmm_counts {
	u32 n;
	u16 page[HTMM_PAIRS];
	u32 count[HTMM_PAIRS];
};

static void htmm_counts_add(struct htmm_counts *counts, u32 page, u32 count)
{
	counts->page[counts->n] = page;
	counts->count[counts->n++] = count;
}

/* The part of a count above the lowest @bits bits. */
static u32 htmm_above(u32 count, u32 bits)
{
	return bits < 32 ? count >> bits : 0;
}

/* Number of pairs that fit with @digits digits; planes take the place of the first pairs. */
static u32 htmm_pair_slots(u32 digits)
{
	return digits > 1 ? HTMM_PAIRS - HTMM_PLANES * sizeof(u8 *) / sizeof(u32) :
			    HTMM_PAIRS;
}

static u32 *htmm_region_first_pair(const struct htmm_region *region)
{
	u32 slots = htmm_pair_slots(region->digits);

	return (u32 *)&region->pair[HTMM_PAIRS - slots];
}

static u32 *htmm_region_pair(const struct htmm_region *region, u32 page)
{
	return htmm_pair_find(htmm_region_first_pair(region),
			      htmm_pair_slots(region->digits), page);
}

/* Value of @page's pair, 0 if it has none. */
static u32 htmm_region_pair_value(const struct htmm_region *region, u32 page)
{
	const u32 *pair = htmm_region_pair(region, page);

	return pair ? *pair >> HTMM_REGION_ORDER : 0;
}

static u32 htmm_region_get_dense(const struct htmm_region *region, u32 page)
{
	u32 byte = htmm_region_leaf(region)[page], count = byte & HTMM_DIGIT_MASK;
	u8 *const *plane = region->plane;
	u32 left = region->digits - 1, shift = HTMM_DIGIT_BITS;

	for (; byte & HTMM_DIGIT_MORE && left; left--) {
		byte = (*plane++)[page];
		count |= (byte & HTMM_DIGIT_MASK) << shift;
		shift += HTMM_DIGIT_BITS;
	}
	if (byte & HTMM_DIGIT_MORE)
		count |= htmm_region_pair_value(region, page) << shift;
	return count;
}

u32 htmm_region_get(const struct htmm_region *region, u32 page)
{
	if (region->digits)
		return htmm_region_get_dense(region, page);
	return htmm_region_pair_value(region, page);
}

/*
 * Find the first byte from @pos on that is marked or is at least @least, 1..127. Tests
 * eight bytes at a time: an addition sets the top bit of each byte that matches.
 */
static u32 htmm_bytes_next(const u8 *bytes, u32 pos, u32 least)
{
	const u64 digits = HTMM_BYTES(HTMM_DIGIT_MASK);
	u64 add = HTMM_BYTES(HTMM_DIGIT_MORE - least), word;

	while (pos < HTMM_REGION_PAGES) {
		if (pos % sizeof(word) == 0) {
			word = *(const u64 *)&bytes[pos];
			word |= (word & digits) + add;
			if (!(word & ~digits)) {
				pos += sizeof(word);
				continue;
			}
		}
		if (bytes[pos] >= least)
			break;
		pos++;
	}
	return pos;
}

/*
 * Find the first page from slot @pos on whose pair has a value of at least @least, which is
 * not 0.
 */
static u32 htmm_region_next_pair(const struct htmm_region *region, u32 least,
				 u32 *pos, u32 *page)
{
	const u32 *first = htmm_region_first_pair(region);
	u32 pair;

	while (*pos < htmm_pair_slots(region->digits)) {
		pair = first[(*pos)++];
		if (pair >> HTMM_REGION_ORDER < least)
			continue;
		*page = pair & HTMM_PAIR_PAGE;
		return htmm_region_get(region, *page);
	}
	return 0;
}

/*
 * Return the bytes (leaf or plane) that hold the highest digit of @least, and set @least to
 * that digit. NULL if that digit is stored in the pairs.
 */
static const u8 *htmm_region_row(const struct htmm_region *region, u32 *least)
{
	const u8 *bytes = htmm_region_leaf(region);
	u32 plane = 0;

	while (*least > HTMM_DIGIT_MASK) {
		*least >>= HTMM_DIGIT_BITS;
		if (plane == region->digits - 1)
			return NULL;
		bytes = region->plane[plane++];
	}
	return bytes;
}

/* Compares only the highest digit of @least. */
static u32 htmm_region_next_dense(const struct htmm_region *region, u32 least,
				  u32 *pos, u32 *page)
{
	const u8 *bytes = htmm_region_row(region, &least);

	if (!bytes)
		return htmm_region_next_pair(region, least, pos, page);
	*pos = htmm_bytes_next(bytes, *pos, least);
	if (*pos == HTMM_REGION_PAGES)
		return 0;
	*page = (*pos)++;
	return htmm_region_get_dense(region, *page);
}

void htmm_region_note_most(struct htmm_region *region, u32 most)
{
	u32 count = htmm_region_count(region);

	/* A region's count that has reached the maximum says nothing about its pages. */
	if (count > most && count != U32_MAX)
		region->rest = count - most;
}

void htmm_region_prefetch(const struct htmm_region *region, u32 least)
{
	const u8 *bytes;
	u32 at;

	if (!region->digits)
		return;
	bytes = htmm_region_row(region, &least);
	for (at = 0; bytes && at < HTMM_REGION_PAGES; at += HTMM_CACHE_LINE)
		prefetch(&bytes[at]);
}

u32 htmm_region_next_from(const struct htmm_region *region, u32 least, u32 *pos,
			  u32 *page)
{
	if (region->digits)
		return htmm_region_next_dense(region, least, pos, page);
	return htmm_region_next_pair(region, least, pos, page);
}

/* Is there room in the pairs, with @digits digits, for these counts and for @page's @count? */
static bool htmm_counts_fit(const struct htmm_counts *counts, u32 digits,
			    u32 page, u32 count)
{
	u32 bits = digits * HTMM_DIGIT_BITS, i;
	u32 above = htmm_above(count, bits), pairs = above != 0;

	for (i = 0; i < counts->n; i++)
		pairs += counts->page[i] != page &&
			 htmm_above(counts->count[i], bits);
	return above <= HTMM_PAIR_MAX && pairs <= htmm_pair_slots(digits);
}

static void htmm_region_collect_pairs(const struct htmm_region *region,
				      struct htmm_counts *counts)
{
	u32 count, page, pos = 0;

	counts->n = 0;
	while ((count = htmm_region_next_pair(region, 1, &pos, &page)))
		htmm_counts_add(counts, page, count);
}

u32 htmm_region_digits_for(const struct htmm_region *region, u32 page, u32 count)
{
	u32 digits = region->digits ?: 1, above;
	struct htmm_counts counts;

	/* Fast cases: a small count always fits, and so does one that has its pair. */
	above = htmm_above(count, digits * HTMM_DIGIT_BITS);
	if (region->digits && (!above || (above <= HTMM_PAIR_MAX &&
					  htmm_region_pair_value(region, page))))
		return digits;
	htmm_region_collect_pairs(region, &counts);
	while (!htmm_counts_fit(&counts, digits, page, count))
		digits++;
	return digits;
}

static void htmm_region_set_pair(struct htmm_region *region, u32 page, u32 value)
{
	u32 *pair = htmm_region_pair(region, page);

	region->pairs += !*pair;
	*pair = value << HTMM_REGION_ORDER | page;
}

static void htmm_region_clear_pairs(struct htmm_region *region)
{
	memset(htmm_region_first_pair(region), 0,
	       htmm_pair_slots(region->digits) * sizeof(u32));
	region->pairs = 0;
}

/* Write a count's digits to the leaf and all planes; return the remaining part. */
static u32 htmm_region_set_digits(struct htmm_region *region, u32 page,
				  u32 count)
{
	u8 *digit = &htmm_region_leaf(region)[page];
	u32 plane = 0;

	for (;;) {
		*digit = count & HTMM_DIGIT_MASK;
		count >>= HTMM_DIGIT_BITS;
		if (count)
			*digit |= HTMM_DIGIT_MORE;
		if (plane == region->digits - 1)
			return count;
		digit = &region->plane[plane++][page];
	}
}

/* The region already has all planes that the count needs. */
static void htmm_region_set_dense(struct htmm_region *region, u32 page,
				  u32 count)
{
	u32 above = htmm_region_set_digits(region, page, count);

	if (above)
		htmm_region_set_pair(region, page, above);
}

static void htmm_region_set_all(struct htmm_region *region,
				const struct htmm_counts *counts)
{
	u32 i;

	for (i = 0; i < counts->n; i++)
		htmm_region_set_dense(region, counts->page[i], counts->count[i]);
}

/* Make the region dense or add digits: all values in pairs are written again. */
static void htmm_region_reform(struct htmm_region *region,
			       struct htmm_pool *pool, u32 digits)
{
	struct htmm_counts counts;

	htmm_region_collect_pairs(region, &counts);
	htmm_region_clear_pairs(region);
	if (!region->digits) {
		htmm_region_set_state(region, htmm_pool_block_get(pool),
				      htmm_region_count(region));
		region->digits = 1;
	}
	for (; region->digits < digits; region->digits++)
		region->plane[region->digits - 1] =
			htmm_pool_block_get(pool);
	htmm_region_set_all(region, &counts);
}

void htmm_region_set(struct htmm_region *region, struct htmm_pool *pool,
		     u32 digits, u32 page, u32 count)
{
	if (digits > region->digits)
		htmm_region_reform(region, pool, digits);
	htmm_region_set_dense(region, page, count);
}

/*
 * Returns how many pages lost their counts. So do the next functions. A processor cannot
 * predict which they are.
 */
static u32 htmm_region_cool_sparse(struct htmm_region *region, u64 coolings)
{
	u32 left[HTMM_PAIRS], pairs = region->pairs, i, n = 0, value;

	for (i = 0; i < HTMM_PAIRS; i++) {
		value = htmm_count_cooled(region->pair[i] >> HTMM_REGION_ORDER, coolings);
		left[n] = value << HTMM_REGION_ORDER | (region->pair[i] & HTMM_PAIR_PAGE);
		n += value != 0;
	}
	memset(region->pair, 0, sizeof(region->pair));
	for (i = 0; i < n; i++)
		*htmm_pair_find(region->pair, HTMM_PAIRS, left[i] & HTMM_PAIR_PAGE) = left[i];
	region->pairs = n;
	return pairs - n;
}

/* The sum of eight bytes, which may be more than 255. */
static u32 htmm_bytes_sum(u64 word)
{
	const u64 even = 0x00ff00ff00ff00ffULL;

	return ((word & even) + (word >> 8 & even)) * 0x0001000100010001ULL >> 48;
}

/*
 * Halve eight bytes, none of which has a mark. Returns 0 in each that was 1, and 1 in the
 * others: adding 127 sets the top bit of a byte unless it is 0.
 */
static __always_inline u64 htmm_word_halve(u64 *word)
{
	u64 others = (*word ^ HTMM_BYTES(1)) + HTMM_BYTES(HTMM_DIGIT_MASK);

	*word = *word >> 1 & HTMM_BYTES(HTMM_DIGIT_MASK);
	return others >> HTMM_DIGIT_BITS & HTMM_BYTES(1);
}

static u32 htmm_leaf_halve(u8 *leaf)
{
	u64 *word = (u64 *)leaf, *end = word + HTMM_REGION_PAGES / 8, others = 0;

	for (; word < end; word += 4) {
		others += htmm_word_halve(word);
		others += htmm_word_halve(word + 1);
		others += htmm_word_halve(word + 2);
		others += htmm_word_halve(word + 3);
	}
	return HTMM_REGION_PAGES - htmm_bytes_sum(others);
}

/* Usually a single cooling was missed. */
static u32 htmm_leaf_cool(u8 *leaf, u64 coolings)
{
	u32 lost = 0, i;

	for (i = 0; i < min_t(u64, coolings, HTMM_DIGIT_BITS); i++)
		lost += htmm_leaf_halve(leaf);
	return lost;
}

/* Without planes all marked pages are in pairs. */
static u32 htmm_region_cool_leaf(struct htmm_region *region, u64 coolings)
{
	struct htmm_counts counts, left = { 0 };
	u8 *leaf = htmm_region_leaf(region);
	u32 i, count;

	counts.n = 0;
	if (region->pairs)
		htmm_region_collect_pairs(region, &counts);
	for (i = 0; i < counts.n; i++) {
		leaf[counts.page[i]] = 0;
		count = htmm_count_cooled(counts.count[i], coolings);
		if (count)
			htmm_counts_add(&left, counts.page[i], count);
	}
	if (counts.n)
		htmm_region_clear_pairs(region);
	i = counts.n - left.n + htmm_leaf_cool(leaf, coolings);
	htmm_region_set_all(region, &left);
	return i;
}

/* Free the highest plane if its contents fit in pairs. */
static bool htmm_region_drop_plane(struct htmm_region *region,
				   struct htmm_pool *pool)
{
	u32 digits = region->digits - 1, pos = 0, count, page;
	u32 bits = digits * HTMM_DIGIT_BITS;
	struct htmm_counts counts = { 0 };

	while ((count = htmm_region_next(region, &pos, &page))) {
		if (!htmm_above(count, bits))
			continue;
		if (counts.n == htmm_pair_slots(digits) ||
		    htmm_above(count, bits) > HTMM_PAIR_MAX)
			return false;
		htmm_counts_add(&counts, page, count);
	}
	htmm_pool_block_put(pool, region->plane[digits - 1]);
	region->digits = digits;
	htmm_region_clear_pairs(region);
	htmm_region_set_all(region, &counts);
	return true;
}

/* Regions with planes are hot and rare, so this need not be fast. */
static u32 htmm_region_cool_planes(struct htmm_region *region, struct htmm_pool *pool,
				   u64 coolings)
{
	u32 count, above, page, pos = 0, lost = 0, i;
	struct htmm_counts counts = { 0 };

	/* A page's pair is not changed before its count has been read. */
	while ((count = htmm_region_next(region, &pos, &page))) {
		count = htmm_count_cooled(count, coolings);
		lost += !count;
		above = htmm_region_set_digits(region, page, count);
		if (above)
			htmm_counts_add(&counts, page, above);
	}
	htmm_region_clear_pairs(region);
	for (i = 0; i < counts.n; i++)
		htmm_region_set_pair(region, counts.page[i], counts.count[i]);
	while (region->digits > 1 && htmm_region_drop_plane(region, pool))
		;
	return lost;
}

/*
 * Make a dense region sparse. It has few pages, unless its count once was at the maximum:
 * then it stays as it is.
 */
static void htmm_region_thin(struct htmm_region *region, struct htmm_pool *pool)
{
	u32 count, page, pos = 0, i;
	struct htmm_counts counts = { 0 };

	while ((count = htmm_region_next(region, &pos, &page))) {
		if (counts.n == HTMM_SPARSE_AGAIN)
			return;
		htmm_counts_add(&counts, page, count);
	}
	htmm_region_release(region, pool);
	for (i = 0; i < counts.n; i++)
		htmm_region_set_pair(region, counts.page[i], counts.count[i]);
}

u32 htmm_region_cool(struct htmm_region *region, struct htmm_pool *pool,
		     u64 coolings)
{
	u32 left = htmm_count_cooled(htmm_region_count(region), coolings), lost;

	htmm_region_set_state(region, htmm_region_leaf(region), left);
	region->rest = htmm_count_cooled(region->rest, coolings);
	if (!region->digits)
		return htmm_region_cool_sparse(region, coolings);
	if (region->digits > 1)
		lost = htmm_region_cool_planes(region, pool, coolings);
	else
		lost = htmm_region_cool_leaf(region, coolings);
	if (left <= HTMM_SPARSE_AGAIN)
		htmm_region_thin(region, pool);
	return lost;
}

void htmm_region_release(struct htmm_region *region, struct htmm_pool *pool)
{
	for (; region->digits > 1; region->digits--)
		htmm_pool_block_put(pool, region->plane[region->digits - 2]);
	if (region->digits)
		htmm_pool_block_put(pool, htmm_region_leaf(region));
	region->digits = 0;
	htmm_region_set_state(region, NULL, htmm_region_count(region));
	htmm_region_clear_pairs(region);
}
