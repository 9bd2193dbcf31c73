// SPDX-License-Identifier: GPL-2.0
/* Full listings of a table, in pieces, and listings by a filter. */
#include "topn.h"
#include "index.h"
#include "model.h"

#define ALL	(MODEL_REGIONS * HTMM_REGION_PAGES)
#define ROUNDS	40

static struct world world;	/* large */
static struct htmm_topn_entry entries[2 * ALL];

static const struct htmm_table_config roomy = {
	.max_bytes = 1024 * 1024,
};

/* Has room for only a part of what is added. */
static const struct htmm_table_config tight = {
	.max_bytes = HTMM_TABLE_MIN_BYTES,
};

static const struct htmm_topn_filter everything = {
	.last = U64_MAX,
	.max = U64_MAX,
};

static void add(u32 samples)
{
	struct htmm_table_sample s;

	while (samples--) {
		s = world_sample(&world);
		world_refill(&world, 1);
		world_add(&world, &s, 1);
	}
}

static void add_and_cool(u32 samples)
{
	while (samples--) {
		if (!tap_below(1000))
			world_cool(&world);
		add(1);
	}
}

/*
 * Lists the whole table in pieces of up to @piece entries, each in slices; calls @change
 * between any two slices. Returns the number of entries in entries[].
 */
static u32 export_all(enum htmm_unit unit, const struct htmm_topn_filter *filter,
		      u32 piece, void (*change)(void))
{
	struct htmm_topn list;
	u32 n = 0, room;

	do {
		room = 1 + tap_below(piece);
		CHECK(n + room <= ARRAY_SIZE(entries));
		list = (struct htmm_topn) {
			.unit = unit,
			.order = HTMM_ORDER_TABLE,
			.filter = *filter,
			.entries = entries + n,
			.size = room,
			.after = n ? &entries[n - 1] : NULL,
		};
		htmm_topn_begin(&list, &world.table);
		while (htmm_topn_scan(&list, &world.table, 1 + tap_below(40)))
			if (change)
				change();
		if (change)
			change();
		n += htmm_topn_finish(&list);
	} while (list.len);
	return n;
}

static struct model_region *region_of(const struct htmm_topn_entry *entry)
{
	struct model_region *r = world.model.region;

	for (; r < world.model.region + MODEL_REGIONS; r++)
		if (r->space == entry->space && entry->vpn - r->vpn < HTMM_REGION_PAGES)
			return r;
	CHECK(false);
	return NULL;
}

/* Every entry is the model's and none is listed twice; as their number is right, all are there. */
static void check_pages(u32 n)
{
	static bool seen[MODEL_REGIONS][HTMM_REGION_PAGES];
	const struct model_page *page;
	struct model_region *r;
	bool *once;
	u32 i;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < n; i++) {
		r = region_of(&entries[i]);
		page = &r->page[entries[i].vpn - r->vpn];
		once = &seen[r - world.model.region][entries[i].vpn - r->vpn];
		CHECK(page->tracked && page->count == entries[i].value);
		CHECK(!*once);
		*once = true;
		/* Entries of a region follow each other. */
		if (i && entries[i - 1].space == entries[i].space &&
		    entries[i - 1].vpn / HTMM_REGION_PAGES ==
		    entries[i].vpn / HTMM_REGION_PAGES)
			CHECK(entries[i - 1].vpn < entries[i].vpn);
	}
	CHECK(n == world.model.pages);
}

static void all_pages_at_rest(void)
{
	struct htmm_hist hist;
	u32 round, n, i;

	world_open(&world, &roomy, false);
	CHECK(export_all(HTMM_UNIT_PAGE, &everything, 10, NULL) == 0);
	for (round = 0; round < ROUNDS; round++) {
		add_and_cool(tap_below(1500));
		n = export_all(HTMM_UNIT_PAGE, &everything,
			       round % 2 ? 1 + tap_below(50) : 2000, NULL);
		check_pages(n);
		/* Bin by bin. */
		memset(&hist, 0, sizeof(hist));
		for (i = 0; i < n; i++)
			htmm_hist_add(&hist, entries[i].value);
		CHECK(!memcmp(&hist, &world.table.hist[HTMM_UNIT_PAGE], sizeof(hist)));
	}
	world_close(&world);
}

static void all_regions_at_rest(void)
{
	const struct model_region *r;
	struct htmm_hist hist;
	u32 round, n, i;

	world_open(&world, &roomy, false);
	for (round = 0; round < ROUNDS; round++) {
		add_and_cool(tap_below(500));
		n = export_all(HTMM_UNIT_REGION, &everything, 1 + tap_below(20), NULL);
		CHECK(n == world.model.regions);
		memset(&hist, 0, sizeof(hist));
		for (i = 0; i < n; i++) {
			r = region_of(&entries[i]);
			CHECK(r->tracked && entries[i].vpn == r->vpn);
			CHECK(r->saturated || r->count == entries[i].value);
			htmm_hist_add(&hist, entries[i].value);
		}
		CHECK(!memcmp(&hist, &world.table.hist[HTMM_UNIT_REGION], sizeof(hist)));
	}
	world_close(&world);
}

/* Pages that were in the table during the whole listing. */
static bool stayed[MODEL_REGIONS][HTMM_REGION_PAGES];

static bool is_tracked(u32 region, u32 page)
{
	const struct model_region *r = &world.model.region[region];

	return r->page[page].tracked;
}

static void note_those_that_stay(void)
{
	u32 region, page;

	for (region = 0; region < MODEL_REGIONS; region++)
		for (page = 0; page < HTMM_REGION_PAGES; page++)
			stayed[region][page] &= is_tracked(region, page);
}

static u32 churn;
/* How often a block of entries was freed after its used entries had moved. */
static u32 shrunk;

/* Samples, coolings, removed and evicted pages, entries that move. */
static void change_all(void)
{
	bool more = true, first = true;
	u32 entries = world.table.stats.regions + world.table.nr_free;

	add(tap_below(world.limited ? 60 : 20));
	if (!tap_below(60))
		world_cool(&world);
	if (!tap_below(4))
		world_reclaim(&world, 1 + tap_below(30), &more);
	for (more = !tap_below(100); more; first = false)
		world_remove_space(&world, churn, first, 50, &more);
	shrunk += world.table.stats.regions + world.table.nr_free < entries;
	note_those_that_stay();
}

static void each_once_under_change(const struct htmm_table_config *config, bool limited)
{
	u32 times[MODEL_REGIONS][HTMM_REGION_PAGES];
	u32 round, n, i, region, page, stay = 0;
	struct model_region *r;
	u64 evicted = 0;

	shrunk = 0;
	for (round = 0; round < ROUNDS; round++) {
		world_open(&world, config, limited);
		if (limited)
			world.table.max_held = 2;
		churn = world.model.space[1];
		add_and_cool(2000);
		memset(stayed, 1, sizeof(stayed));
		note_those_that_stay();
		n = export_all(HTMM_UNIT_PAGE, &everything, 1 + tap_below(300),
			       change_all);
		memset(times, 0, sizeof(times));
		for (i = 0; i < n; i++) {
			r = region_of(&entries[i]);
			times[r - world.model.region][entries[i].vpn - r->vpn]++;
		}
		for (region = 0; region < MODEL_REGIONS; region++) {
			for (page = 0; page < HTMM_REGION_PAGES; page++) {
				CHECK(times[region][page] <= 1);
				CHECK(times[region][page] || !stayed[region][page]);
				stay += stayed[region][page];
			}
		}
		evicted += world.table.stats.evicted;
		world_close(&world);
	}
	/* Some stayed, and others made room for more. */
	CHECK(stay > ROUNDS * 20);
	CHECK(!limited || evicted > ROUNDS * 20);
	CHECK(!limited || shrunk > ROUNDS / 8);
}

static void each_once_beside_samples(void)
{
	each_once_under_change(&roomy, false);
}

static void each_once_beside_evictions(void)
{
	each_once_under_change(&tight, true);
}

static bool passes(const struct htmm_topn_filter *filter, const struct model_region *r,
		   u64 first, u64 last, u32 count)
{
	if (filter->spaces && !(filter->spaces[r->space / 64] >> r->space % 64 & 1))
		return false;
	return first <= filter->last && last >= filter->first &&
	       count >= filter->min && count <= filter->max;
}

static u32 count_passing(const struct htmm_topn_filter *filter, enum htmm_unit unit)
{
	const struct model_region *r = world.model.region;
	u32 n = 0, page;

	for (; r < world.model.region + MODEL_REGIONS; r++) {
		if (!r->tracked)
			continue;
		if (unit == HTMM_UNIT_REGION) {
			n += passes(filter, r, r->vpn, r->vpn + HTMM_REGION_PAGES - 1,
				    r->count);
			continue;
		}
		for (page = 0; page < HTMM_REGION_PAGES; page++)
			n += r->page[page].tracked &&
			     passes(filter, r, r->vpn + page, r->vpn + page,
				    r->page[page].count);
	}
	return n;
}

static void check_passing(const struct htmm_topn_filter *filter,
			  enum htmm_unit unit, u32 n)
{
	const struct model_region *r;
	u64 last;
	u32 i;

	CHECK(n == count_passing(filter, unit));
	for (i = 0; i < n; i++) {
		r = region_of(&entries[i]);
		last = entries[i].vpn;
		if (unit == HTMM_UNIT_REGION)
			last += HTMM_REGION_PAGES - 1;
		CHECK(passes(filter, r, entries[i].vpn, last, entries[i].value));
	}
}

/* All three orders list the same entries; two of them are sorted. */
static void check_filter(const struct htmm_topn_filter *filter, enum htmm_unit unit)
{
	struct htmm_topn list;
	u32 n, piece, i;
	int coldest;

	check_passing(filter, unit, export_all(unit, filter, 1 + tap_below(200), NULL));
	for (coldest = 0; coldest < 2; coldest++) {
		n = 0;
		do {
			list = (struct htmm_topn) {
				.unit = unit,
				.order = coldest ? HTMM_ORDER_COLDEST : HTMM_ORDER_HOTTEST,
				.filter = *filter,
				.entries = entries + n,
				.size = 1 + tap_below(400),
				.after = n ? &entries[n - 1] : NULL,
			};
			htmm_topn_begin(&list, &world.table);
			while (htmm_topn_scan(&list, &world.table, 1 + tap_below(40)))
				;
			piece = htmm_topn_finish(&list);
			n += piece;
		} while (piece);
		check_passing(filter, unit, n);
		for (i = 1; i < n; i++)
			CHECK(coldest ? entries[i - 1].value <= entries[i].value :
				entries[i - 1].value >= entries[i].value);
	}
}

static void filters(void)
{
	static u64 spaces[HTMM_SPACE_WORDS];
	struct htmm_topn_filter filter;
	const struct model_region *r;
	u32 round, space;

	for (round = 0; round < ROUNDS; round++) {
		world_open(&world, &roomy, false);
		add_and_cool(3000);
		r = &world.model.region[tap_below(MODEL_REGIONS)];
		filter = everything;
		if (tap_below(2)) {
			filter.first = r->vpn + tap_below(HTMM_REGION_PAGES);
			filter.last = filter.first + tap_below(4 * HTMM_REGION_PAGES);
		}
		if (tap_below(2))
			filter.min = tap_below(4);
		if (tap_below(2))
			filter.max = tap_below(20);
		if (tap_below(2)) {
			memset(spaces, 0, sizeof(spaces));
			space = world.model.space[tap_below(MODEL_SPACES)];
			spaces[space / 64] |= BIT_ULL(space % 64);
			filter.spaces = spaces;
		}
		check_filter(&filter, HTMM_UNIT_PAGE);
		check_filter(&filter, HTMM_UNIT_REGION);
		world_close(&world);
	}
}

/* A forged cursor may have any value. */
static void forged_cursors(void)
{
	struct htmm_topn_entry after;
	struct htmm_topn list;
	u32 round;

	world_open(&world, &roomy, false);
	add(1000);
	for (round = 0; round < 1000; round++) {
		after = (struct htmm_topn_entry) {
			.vpn = tap_random() >> tap_below(64),
			.space = tap_random() >> tap_below(64),
		};
		list = (struct htmm_topn) {
			.unit = round % 2,
			.order = HTMM_ORDER_TABLE,
			.filter = everything,
			.entries = entries,
			.size = ALL,
			.after = &after,
		};
		htmm_topn_begin(&list, &world.table);
		while (htmm_topn_scan(&list, &world.table, 1000))
			;
		CHECK(list.len <= world.model.pages);
	}
	world_close(&world);
}

/* A cursor late in a region that is gone: the next of its chain is listed from its start. */
/* One that has other keys on its chain before it. */
static const struct htmm_region *some_region(const struct htmm_table *table)
{
	const struct htmm_region *region = NULL;
	u32 at = 0;

	do {
		region = next_region(table, region, &at);
	} while (region->key <= table->head_mask * 4);
	return region;
}

static void cursor_in_a_region_that_is_gone(void)
{
	const struct htmm_table *table = &world.table;
	const struct htmm_region *region;
	struct htmm_topn_entry after;
	struct htmm_topn list = {
		.order = HTMM_ORDER_TABLE, .filter = everything, .entries = entries,
		.size = ALL, .after = &after,
	};
	u32 chain, pages = 0, listed = 0, pos = 0, page, i;
	u64 key;

	world_open(&world, &roomy, false);
	add(1000);
	region = some_region(table);
	chain = htmm_index_hash(region->key, table->multiplier, table->head_mask);
	for (key = region->key - 1;
	     htmm_index_hash(key, table->multiplier, table->head_mask) != chain; key--)
		;
	after = (struct htmm_topn_entry) {
		.space = key >> (HTMM_VPN_BITS - HTMM_REGION_ORDER),
		.vpn = (key << HTMM_REGION_ORDER & HTMM_VPN_MAX) + HTMM_REGION_PAGES - 1,
	};
	htmm_topn_begin(&list, table);
	while (htmm_topn_scan(&list, table, 1000))
		;
	while (htmm_region_next(region, 1, &pos, &page))
		pages++;
	for (i = 0; i < list.len; i++)
		listed += region->key == htmm_page(entries[i].space, entries[i].vpn) >>
					 HTMM_REGION_ORDER;
	CHECK(pages && listed == pages);
	world_close(&world);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(all_pages_at_rest),
		TAP_TEST(all_regions_at_rest),
		TAP_TEST(each_once_beside_samples),
		TAP_TEST(each_once_beside_evictions),
		TAP_TEST(filters),
		TAP_TEST(forged_cursors),
		TAP_TEST(cursor_in_a_region_that_is_gone),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
