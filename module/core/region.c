// SPDX-License-Identifier: GPL-2.0
#include "region.h"

/* Pages at which a dense region becomes sparse again: not at once dense anew. */
#define HTMM_SPARSE_AGAIN	(HTMM_MAP_SIZE / 2)

/* The same byte eight times over. */
#define HTMM_BYTES(byte)	((u8)(byte) * 0x0101010101010101ULL)

static_assert(sizeof(struct htmm_region) == 128,
	      "two cache lines: what a sample of a dense region needs, and the rest");
static_assert(offsetof(struct htmm_region, value) == 64,
	      "the first cache line ends with the pages of the map");
static_assert(HTMM_REGION_PAGES == HTMM_POOL_BLOCK_SIZE,
	      "a leaf is one block");
static_assert(HTMM_PLANES * sizeof(u8 *) < HTMM_MAP_SIZE * sizeof(u32),
	      "some pairs are left beside the planes");
static_assert((1 + HTMM_PLANES) * HTMM_DIGIT_BITS >= 32,
	      "a count fits into a leaf and all planes");

/* Index of @page's pair, or HTMM_MAP_SIZE. */
static u32 htmm_region_find(const struct htmm_region *region, u32 page)
{
	u32 i = htmm_region_first_pair(region), end = i + region->pairs;

	for (; i < end; i++) {
		if (region->page[i] == page)
			return i;
	}
	return HTMM_MAP_SIZE;
}

static u32 htmm_region_get_dense(const struct htmm_region *region, u32 page)
{
	u32 byte = region->leaf[page], count = byte & HTMM_DIGIT_MASK;
	u32 plane = 0, shift = HTMM_DIGIT_BITS;

	while (byte & HTMM_DIGIT_MORE && plane < region->planes) {
		byte = region->plane[plane++][page];
		count |= (byte & HTMM_DIGIT_MASK) << shift;
		shift += HTMM_DIGIT_BITS;
	}
	if (byte & HTMM_DIGIT_MORE)
		count |= region->value[htmm_region_find(region, page)] << shift;
	return count;
}

u32 htmm_region_get(const struct htmm_region *region, u32 page)
{
	u32 i;

	if (region->leaf)
		return htmm_region_get_dense(region, page);
	i = htmm_region_find(region, page);
	return i < HTMM_MAP_SIZE ? region->value[i] : 0;
}

/*
 * The first byte from @pos on that is marked or holds @least or more, 1..127, with
 * one look at eight that do not: adding sets the top bit of those that do.
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
 * Only the highest digit of @least is looked at: in the leaf, in a plane, or, above
 * all of them, in the pairs.
 */
static u32 htmm_region_next_dense(const struct htmm_region *region, u32 least,
				  u32 *pos, u32 *page)
{
	const u8 *bytes = region->leaf;
	u32 plane = 0;

	for (; least > HTMM_DIGIT_MASK; least >>= HTMM_DIGIT_BITS) {
		if (plane == region->planes) {
			if (*pos == region->pairs)
				return 0;
			*page = region->page[htmm_region_first_pair(region) +
					     (*pos)++];
			return htmm_region_get_dense(region, *page);
		}
		bytes = region->plane[plane++];
	}
	*pos = htmm_bytes_next(bytes, *pos, max_t(u32, least, 1));
	if (*pos == HTMM_REGION_PAGES)
		return 0;
	*page = (*pos)++;
	return htmm_region_get_dense(region, *page);
}

u32 htmm_region_next_from(const struct htmm_region *region, u32 least, u32 *pos,
			  u32 *page)
{
	if (region->leaf)
		return htmm_region_next_dense(region, least, pos, page);
	if (*pos == region->pairs)
		return 0;
	*page = region->page[*pos];
	return region->value[(*pos)++];
}

/* Pairs that there are beside so many planes. */
static u32 htmm_pairs_beside(u32 planes)
{
	return planes ? HTMM_MAP_SIZE - HTMM_PLANES * sizeof(u8 *) / sizeof(u32) :
			HTMM_MAP_SIZE;
}

static bool htmm_exceeds(u32 count, u32 bits)
{
	return bits < 32 && count >> bits;
}

/*
 * How many planes must a dense region have for @page to get this count? As many
 * as leave pairs enough for all that is above.
 */
static u32 htmm_region_planes_for(const struct htmm_region *region, u32 page,
				  u32 count)
{
	u32 below = region->leaf ? (region->planes + 1) * HTMM_DIGIT_BITS : 0;
	u32 first = htmm_region_first_pair(region);
	u32 planes, bits, above, i;

	for (planes = region->planes; ; planes++) {
		bits = (planes + 1) * HTMM_DIGIT_BITS;
		above = htmm_exceeds(count, bits);
		for (i = first; i < first + region->pairs; i++)
			above += region->page[i] != page &&
				 htmm_exceeds(region->value[i], bits - below);
		if (above <= htmm_pairs_beside(planes))
			return planes;
	}
}

static bool htmm_region_fits_sparse(const struct htmm_region *region, u32 page)
{
	return !region->leaf &&
	       (region->pairs < HTMM_MAP_SIZE ||
		htmm_region_find(region, page) < HTMM_MAP_SIZE);
}

u32 htmm_region_blocks_to_set(const struct htmm_region *region, u32 page,
			      u32 count)
{
	if (htmm_region_fits_sparse(region, page))
		return 0;
	return htmm_region_planes_for(region, page, count) - region->planes +
	       !region->leaf;
}

static void htmm_region_set_pair(struct htmm_region *region, u32 page, u32 value)
{
	u32 i = htmm_region_find(region, page);

	if (i == HTMM_MAP_SIZE)
		i = htmm_region_first_pair(region) + region->pairs++;
	region->page[i] = page;
	region->value[i] = value;
}

/* Write a count's digits in the leaf and all planes; return what is above. */
static u32 htmm_region_set_digits(struct htmm_region *region, u32 page,
				  u32 count)
{
	u8 *digit = &region->leaf[page];
	u32 plane = 0;

	for (;;) {
		*digit = count & HTMM_DIGIT_MASK;
		count >>= HTMM_DIGIT_BITS;
		if (count)
			*digit |= HTMM_DIGIT_MORE;
		if (plane == region->planes)
			return count;
		digit = &region->plane[plane++][page];
	}
}

/* The region has the planes that it takes. */
static void htmm_region_set_dense(struct htmm_region *region, u32 page,
				  u32 count)
{
	u32 above;

	region->pages += !region->leaf[page];
	above = htmm_region_set_digits(region, page, count);
	if (above)
		htmm_region_set_pair(region, page, above);
}

/* Turn dense, or get more planes: all in pairs is written anew. */
static void htmm_region_reform(struct htmm_region *region,
			       struct htmm_pool *pool, u32 planes)
{
	u32 first = htmm_region_first_pair(region), n = region->pairs, i;
	u32 count[HTMM_MAP_SIZE];
	u16 page[HTMM_MAP_SIZE];

	for (i = 0; i < n; i++) {
		page[i] = region->page[first + i];
		count[i] = htmm_region_get(region, page[i]);
	}
	region->pairs = 0;
	if (!region->leaf) {
		region->leaf = htmm_pool_block_get(pool);
		region->pages = 0;
	}
	while (region->planes < planes)
		region->plane[region->planes++] = htmm_pool_block_get(pool);
	for (i = 0; i < n; i++)
		htmm_region_set_dense(region, page[i], count[i]);
}

void htmm_region_set(struct htmm_region *region, struct htmm_pool *pool,
		     u32 page, u32 count)
{
	u32 planes;

	if (htmm_region_fits_sparse(region, page)) {
		htmm_region_set_pair(region, page, count);
		region->pages = region->pairs;
		return;
	}
	planes = htmm_region_planes_for(region, page, count);
	if (!region->leaf || planes > region->planes)
		htmm_region_reform(region, pool, planes);
	htmm_region_set_dense(region, page, count);
}

static void htmm_region_cool_sparse(struct htmm_region *region, u32 coolings)
{
	u32 i, left = 0;

	for (i = 0; i < region->pairs; i++) {
		region->page[left] = region->page[i];
		region->value[left] = region->value[i] >> coolings;
		left += region->value[left] != 0;
	}
	region->pairs = left;
	region->pages = left;
}

/* Halve all bytes without a mark, eight at a time; return how many are not 0. */
static u32 htmm_leaf_cool(u8 *leaf, u32 coolings)
{
	u32 shift = min_t(u32, coolings, HTMM_DIGIT_BITS), left = 0;
	u64 keep = HTMM_BYTES(HTMM_DIGIT_MASK >> shift), nonzero;
	u64 *word = (u64 *)leaf, *end = word + HTMM_REGION_PAGES / 8;

	for (; word < end; word++) {
		*word = *word >> shift & keep;
		/* Each byte is below 128: adding 127 sets its top bit, or not. */
		nonzero = (*word + HTMM_BYTES(0x7f)) >> 7 & HTMM_BYTES(1);
		left += nonzero * HTMM_BYTES(1) >> 56;
	}
	return left;
}

/* No planes, so that all marked pages are in pairs. */
static void htmm_region_cool_leaf(struct htmm_region *region, u32 coolings)
{
	u32 count[HTMM_MAP_SIZE], i, n = region->pairs;
	u16 page[HTMM_MAP_SIZE];

	for (i = 0; i < n; i++) {
		page[i] = region->page[i];
		count[i] = htmm_region_get_dense(region, page[i]) >> coolings;
	}
	for (i = 0; i < n; i++)
		region->leaf[page[i]] = 0;
	region->pages = htmm_leaf_cool(region->leaf, coolings);
	region->pairs = 0;
	for (i = 0; i < n; i++) {
		if (count[i])
			htmm_region_set_dense(region, page[i], count[i]);
	}
}

/* Give the highest plane back if there are pairs enough for what it holds. */
static bool htmm_region_drop_plane(struct htmm_region *region,
				   struct htmm_pool *pool)
{
	u32 planes = region->planes - 1, pos = 0, n = 0, count, page, i;
	u32 bits = region->planes * HTMM_DIGIT_BITS;
	u32 counts[HTMM_MAP_SIZE];
	u16 pages[HTMM_MAP_SIZE];

	while ((count = htmm_region_next(region, &pos, &page))) {
		if (!htmm_exceeds(count, bits))
			continue;
		if (n == htmm_pairs_beside(planes))
			return false;
		pages[n] = page;
		counts[n++] = count;
	}
	htmm_pool_block_put(pool, region->plane[planes]);
	region->planes = planes;
	region->pairs = 0;
	for (i = 0; i < n; i++)
		htmm_region_set_dense(region, pages[i], counts[i]);
	return true;
}

/* Pairs of pages that have nothing above their digits any more go. */
static void htmm_region_drop_pairs(struct htmm_region *region)
{
	u32 first = htmm_region_first_pair(region), end = first + region->pairs;
	u32 i, left = first;

	for (i = first; i < end; i++) {
		region->page[left] = region->page[i];
		region->value[left] = region->value[i];
		left += region->value[left] != 0;
	}
	region->pairs = left - first;
}

/* Such a region is hot, and rare: no haste. */
static void htmm_region_cool_planes(struct htmm_region *region,
				    struct htmm_pool *pool, u32 coolings)
{
	u32 count, above, page, pos = 0, i, left = 0;

	while ((count = htmm_region_next(region, &pos, &page))) {
		count >>= coolings;
		left += count != 0;
		above = htmm_region_set_digits(region, page, count);
		i = htmm_region_find(region, page);
		if (i < HTMM_MAP_SIZE)
			region->value[i] = above;
	}
	region->pages = left;
	htmm_region_drop_pairs(region);
	while (region->planes && htmm_region_drop_plane(region, pool))
		;
}

static void htmm_region_put_blocks(struct htmm_region *region,
				   struct htmm_pool *pool)
{
	while (region->planes)
		htmm_pool_block_put(pool, region->plane[--region->planes]);
	if (region->leaf)
		htmm_pool_block_put(pool, region->leaf);
	region->leaf = NULL;
	region->pairs = 0;
}

static void htmm_region_dense_to_sparse(struct htmm_region *region,
					struct htmm_pool *pool)
{
	u32 counts[HTMM_SPARSE_AGAIN], count, page, pos = 0, n = 0, i;
	u16 pages[HTMM_SPARSE_AGAIN];

	while ((count = htmm_region_next(region, &pos, &page))) {
		pages[n] = page;
		counts[n++] = count;
	}
	htmm_region_put_blocks(region, pool);
	for (i = 0; i < n; i++)
		htmm_region_set_pair(region, pages[i], counts[i]);
}

u32 htmm_region_cool(struct htmm_region *region, struct htmm_pool *pool,
		     u64 coolings)
{
	u32 before = region->pages;

	region->count = htmm_count_cooled(region->count, coolings);
	if (coolings >= 32) {
		htmm_region_release(region, pool);
		return before;
	}
	if (!region->leaf)
		htmm_region_cool_sparse(region, coolings);
	else if (region->planes)
		htmm_region_cool_planes(region, pool, coolings);
	else
		htmm_region_cool_leaf(region, coolings);
	if (region->leaf && region->pages <= HTMM_SPARSE_AGAIN)
		htmm_region_dense_to_sparse(region, pool);
	return before - region->pages;
}

void htmm_region_release(struct htmm_region *region, struct htmm_pool *pool)
{
	htmm_region_put_blocks(region, pool);
	region->pages = 0;
}
