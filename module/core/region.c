// SPDX-License-Identifier: GPL-2.0
#include "region.h"

/*
 * A dense region becomes sparse when a cooling leaves it this many samples or fewer. A change of
 * form costs more than a cooling. A region with a steady rate of samples has, after a cooling, as
 * many as it gets until the next. So this limit is far below what makes a region dense again.
 */
#define HTMM_SPARSE_AGAIN	2

/* The same byte eight times. */
#define HTMM_BYTES(byte)	((u8)(byte) * 0x0101010101010101ULL)

static_assert(sizeof(struct htmm_region) * HTMM_BLOCK_ENTRIES == HTMM_POOL_BLOCK_SIZE,
	      "entries fill a block, and each has its slots in one cache line");
static_assert(HTMM_REGION_PAGES == HTMM_POOL_BLOCK_SIZE, "a leaf is one block");

/* A temporary copy of pages and their counts. */
struct htmm_counts {
	u32 n;
	u16 page[HTMM_SLOTS + 1];
	u32 count[HTMM_SLOTS + 1];
};

/* Number of bits of a count below those that are in slots, or in the next plane. */
static u32 htmm_digits_bits(u32 digits)
{
	return digits ? HTMM_DIGIT_BITS + 8 * (digits - 1) : 0;
}

static u32 htmm_slot_value(const struct htmm_region *region, u32 slot)
{
	u32 digit = region->digit[slot];

	if (!(digit & HTMM_DIGIT_MORE))
		return digit;
	return (digit & HTMM_DIGIT_MASK) | (u32)region->above[slot] << HTMM_DIGIT_BITS |
	       region->page[slot] >> HTMM_SLOT_PAGE_BITS << (HTMM_DIGIT_BITS + 8);
}

/* The number in a page's slot, 0 if it has none. */
static u32 htmm_slot_get(const struct htmm_region *region, u32 page)
{
	u32 slot = htmm_slot_find(region, page);

	return slot < HTMM_SLOTS ? htmm_slot_value(region, slot) : 0;
}

u32 htmm_region_get(const struct htmm_region *region, u32 page)
{
	u32 byte, count, i;

	if (!region->digits)
		return htmm_slot_get(region, page);
	byte = htmm_region_leaf(region)[page];
	count = byte & HTMM_DIGIT_MASK;
	if (!(byte & HTMM_DIGIT_MORE))
		return count;
	if (region->digits == 1)
		return count | htmm_slot_get(region, page) << HTMM_DIGIT_BITS;
	for (i = 1; i < region->digits; i++)
		count |= (u32)region->plane[i - 1][page] << htmm_digits_bits(i);
	return count;
}

/*
 * Find the first digit from @pos on that is marked or is at least @least, 1..128. Tests
 * eight of them at a time: an addition sets the top bit of each byte that matches.
 */
static u32 htmm_digits_next(const u8 *digit, u32 pos, u32 least)
{
	const u64 digits = HTMM_BYTES(HTMM_DIGIT_MASK);
	u64 add = HTMM_BYTES(HTMM_DIGIT_MORE - least), word;

	while (pos < HTMM_REGION_PAGES) {
		if (pos % sizeof(word) == 0) {
			word = *(const u64 *)&digit[pos];
			word |= (word & digits) + add;
			if (!(word & ~digits)) {
				pos += sizeof(word);
				continue;
			}
		}
		if (digit[pos] >= least)
			break;
		pos++;
	}
	return pos;
}

/* Find the first page from slot @pos on with at least @least, not 0, in its slot. */
static u32 htmm_slots_next(const struct htmm_region *region, u32 least, u32 *pos, u32 *page)
{
	u32 slot, value;

	while (*pos < HTMM_SLOTS) {
		slot = (*pos)++;
		value = htmm_slot_value(region, slot);
		if (value < least)
			continue;
		*page = (region->page[slot] & HTMM_SLOT_PAGE) - 1;
		return region->digits ? htmm_region_get(region, *page) : value;
	}
	return 0;
}

u32 htmm_region_next(const struct htmm_region *region, u32 least, u32 *pos, u32 *page)
{
	if (!region->digits)
		return htmm_slots_next(region, least, pos, page);
	if (region->digits == 1 && least > HTMM_DIGIT_MASK)
		return htmm_slots_next(region, least >> HTMM_DIGIT_BITS, pos, page);
	*pos = htmm_digits_next(htmm_region_leaf(region), *pos, min_t(u32, least, HTMM_DIGIT_MORE));
	if (*pos == HTMM_REGION_PAGES)
		return 0;
	*page = (*pos)++;
	return htmm_region_get(region, *page);
}

/* Change the number in a page's slot. */
static bool htmm_slot_set(struct htmm_region *region, u32 page, u32 value)
{
	u32 slot = htmm_slot_find(region, page);

	if (slot == HTMM_SLOTS || value > HTMM_SLOT_MAX)
		return false;
	region->page[slot] = (page + 1) | value >> (HTMM_DIGIT_BITS + 8) << HTMM_SLOT_PAGE_BITS;
	region->above[slot] = value >> HTMM_DIGIT_BITS;
	region->digit[slot] = value & HTMM_DIGIT_MASK;
	if (value > HTMM_DIGIT_MASK) {
		region->digit[slot] |= HTMM_DIGIT_MORE;
		region->more = true;
	}
	return true;
}

/*
 * Change a page's count. False if there is no room for it. If the count of a page in a dense region
 * needs no slot, its slot does not change.
 */
static bool htmm_region_put(struct htmm_region *region, u32 page, u32 count)
{
	u32 above = count >> HTMM_DIGIT_BITS, i;
	u8 *digit;

	if (!region->digits)
		return htmm_slot_set(region, page, count);
	if (region->digits == 1 && above && !htmm_slot_set(region, page, above))
		return false;
	if (region->digits > 1 && (u64)count >> htmm_digits_bits(region->digits))
		return false;
	for (i = 1; i < region->digits; i++)
		region->plane[i - 1][page] = count >> htmm_digits_bits(i);
	digit = htmm_region_digit(region, page);
	*digit = count & HTMM_DIGIT_MASK;
	if (above) {
		*digit |= HTMM_DIGIT_MORE;
		region->more = true;
	}
	return true;
}

static void htmm_region_put_all(struct htmm_region *region, const struct htmm_counts *counts)
{
	u32 i;

	for (i = 0; i < counts->n; i++)
		htmm_region_put(region, counts->page[i], counts->count[i]);
}

static void htmm_counts_add(struct htmm_counts *counts, u32 page, u32 count)
{
	counts->page[counts->n] = page;
	counts->count[counts->n++] = count;
}

/* Copy the pages in slots whose count is at least @least, except @except. */
static void htmm_region_collect(const struct htmm_region *region, struct htmm_counts *counts,
				u32 least, u32 except)
{
	u32 count, page, pos = 0;

	counts->n = 0;
	while (region->digits < 2 && (count = htmm_region_next(region, least, &pos, &page))) {
		if (page != except)
			htmm_counts_add(counts, page, count);
	}
}

/* Is there room for these counts, with @digits digits? */
static bool htmm_counts_fit(const struct htmm_counts *counts, u32 digits)
{
	u32 i, slots = 0;
	u64 above;

	for (i = 0; i < counts->n; i++) {
		above = (u64)counts->count[i] >> htmm_digits_bits(digits);
		slots += above != 0;
		if (above > (digits < 2 ? HTMM_SLOT_MAX : 0))
			return false;
	}
	return slots <= HTMM_SLOTS;
}

static void htmm_region_clear_slots(struct htmm_region *region)
{
	memset(region->page, 0, sizeof(region->page));
	memset(region->digit, 0, sizeof(region->digit));
}

bool htmm_region_set(struct htmm_region *region, struct htmm_pool *pool, u32 page, u32 count)
{
	struct htmm_counts counts;
	u32 digits = region->digits;

	if (htmm_region_put(region, page, count))
		return true;
	htmm_region_collect(region, &counts, digits ? HTMM_DIGIT_MORE : 1, page);
	htmm_counts_add(&counts, page, count);
	while (!htmm_counts_fit(&counts, digits))
		digits++;
	if (digits - region->digits > htmm_pool_free_blocks(pool))
		return false;
	if (region->digits < 2)
		htmm_region_clear_slots(region);
	if (digits && !region->digits)
		htmm_region_set_state(region, htmm_pool_block_get(pool), htmm_region_count(region));
	for (; region->digits < digits; region->digits++)
		if (region->digits)
			region->plane[region->digits - 1] = htmm_pool_block_get(pool);
	htmm_region_put_all(region, &counts);
	return true;
}

/* Halve @n digits, a multiple of 32, that have no marks. */
static noinline void htmm_digits_halve(u8 *digit, u32 n, u64 stays, u32 coolings)
{
	u64 *word = (u64 *)digit, *end = (u64 *)(digit + n);

	/* Masked before it is shifted, a word stays in one register. */
	for (; word != end; word += 4) {
		word[0] = (word[0] & stays) >> coolings;
		word[1] = (word[1] & stays) >> coolings;
		word[2] = (word[2] & stays) >> coolings;
		word[3] = (word[3] & stays) >> coolings;
	}
}

static void htmm_region_halve(struct htmm_region *region, u64 coolings)
{
	/* After this many coolings nothing is left of a digit. */
	u32 shift = min_t(u64, coolings, HTMM_DIGIT_BITS);
	u64 stays = HTMM_BYTES(HTMM_DIGIT_MASK >> shift << shift);

	if (region->digits)
		htmm_digits_halve(htmm_region_leaf(region), HTMM_REGION_PAGES, stays, shift);
	else	/* and what is above the digits: nothing without marks */
		htmm_digits_halve(region->digit, 2 * HTMM_SLOTS, stays, shift);
}

/* Marked digits are cooled one by one. Out of line, so that the usual case needs no stack. */
static noinline void htmm_region_cool_marked(struct htmm_region *region, u64 coolings)
{
	struct htmm_counts counts;
	u32 i;

	htmm_region_collect(region, &counts, HTMM_DIGIT_MORE, HTMM_REGION_PAGES);
	for (i = 0; i < counts.n; i++) {
		htmm_region_put(region, counts.page[i], 0);
		counts.count[i] = htmm_count_cooled(counts.count[i], coolings);
	}
	if (region->digits)
		htmm_region_clear_slots(region);
	htmm_region_halve(region, coolings);
	region->more = false;
	htmm_region_put_all(region, &counts);
}

/*
 * Free the highest plane if it is empty, or if slots suffice without planes; free the leaf if
 * slots suffice for all pages.
 */
static noinline bool htmm_region_drop_block(struct htmm_region *region, struct htmm_pool *pool)
{
	u32 digits = region->digits - 1, count, page, pos = 0;
	const u32 least = digits ? HTMM_DIGIT_MORE : 1;
	struct htmm_counts counts = { 0 };

	while ((count = htmm_region_next(region, least, &pos, &page))) {
		if (!((u64)count >> htmm_digits_bits(digits)))
			continue;
		if (counts.n == HTMM_SLOTS)
			return false;
		htmm_counts_add(&counts, page, count);
	}
	if (!htmm_counts_fit(&counts, digits))
		return false;
	if (!digits)
		htmm_region_release(region, pool);
	else
		htmm_pool_block_put(pool, region->plane[digits - 1]);
	region->digits = digits;
	if (digits == 1)
		htmm_region_clear_slots(region);
	htmm_region_put_all(region, &counts);
	return true;
}

/* Regions with planes are hot and rare, so this need not be fast. */
static noinline void htmm_region_cool_planes(struct htmm_region *region,
					     struct htmm_pool *pool, u64 coolings)
{
	u32 count, page, pos = 0;

	while ((count = htmm_region_next(region, 1, &pos, &page)))
		htmm_region_put(region, page, htmm_count_cooled(count, coolings));
	while (region->digits > 1 && htmm_region_drop_block(region, pool))
		;
}

void htmm_region_cool(struct htmm_region *region, struct htmm_pool *pool, u64 coolings)
{
	u32 left = htmm_count_cooled(htmm_region_count(region), coolings);

	htmm_region_set_state(region, htmm_region_leaf(region), left);
	region->rest = htmm_count_cooled(region->rest, coolings);
	if (region->digits > 1)
		htmm_region_cool_planes(region, pool, coolings);
	else if (region->more)
		htmm_region_cool_marked(region, coolings);
	else
		htmm_region_halve(region, coolings);
	if (region->digits == 1 && left <= HTMM_SPARSE_AGAIN)
		htmm_region_drop_block(region, pool);
}

u32 htmm_region_forget(struct htmm_region *region, const u64 *pages, struct htmm_hist *hist)
{
	u32 all = htmm_region_count(region), forgotten = 0, count, page, pos = 0;
	u64 gone = 0, left = 0;

	while ((count = htmm_region_next(region, 1, &pos, &page))) {
		if (!(pages[page / 64] >> page % 64 & 1)) {
			left += count;
			continue;
		}
		/* If its digit has no mark, the higher bits in its slot would stay. */
		if (region->digits == 1 && count > HTMM_DIGIT_MASK)
			htmm_slot_set(region, page, 0);
		htmm_region_put(region, page, 0);
		htmm_hist_remove(hist, count);
		gone += count;
		forgotten++;
	}
	/* If the region's count has reached the maximum, it says nothing about its pages. */
	if (left)
		left = max_t(u64, left, all - min_t(u64, all, gone));
	htmm_region_set_state(region, htmm_region_leaf(region), min_t(u64, left, U32_MAX));
	region->rest = 0;
	return forgotten;
}

void htmm_region_release(struct htmm_region *region, struct htmm_pool *pool)
{
	for (; region->digits > 1; region->digits--)
		htmm_pool_block_put(pool, region->plane[region->digits - 2]);
	if (region->digits)
		htmm_pool_block_put(pool, htmm_region_leaf(region));
	region->digits = 0;
	htmm_region_set_state(region, NULL, htmm_region_count(region));
	htmm_region_clear_slots(region);
}
