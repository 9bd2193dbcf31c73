// SPDX-License-Identifier: GPL-2.0
/* Listing: the exact order in chunks and slices, and what holds while the table changes. */
#include "index.h"
#include "model.h"

#define ALL (MODEL_REGIONS * HTMM_REGION_PAGES)

static struct world world;	/* large */
static struct htmm_topn_entry entries[ALL];

static const struct htmm_table_config roomy = {
	.max_bytes = 1024 * 1024,
};

static void add(struct htmm_table_sample s)
{
	world_refill(&world, 1);
	world_add(&world, &s, 1);
}

/* Samples of a page of a region. */
static void add_times(u32 i, u32 page, u32 weight)
{
	const struct model_region *r = &world.model.region[i];

	add((struct htmm_table_sample) {
		.page = htmm_page(r->space, r->vpn + page), .weight = weight,
	});
}

static void fill(u32 samples)
{
	while (samples--) {
		if (!tap_below(2000))
			world_cool(&world);
		add(world_sample(&world));
	}
}

static bool same(const struct htmm_topn_entry *a,
		 const struct htmm_topn_entry *b)
{
	return a->value == b->value && a->vpn == b->vpn && a->space == b->space;
}

/* Makes one listing in random slices into entries[]; returns its length. */
static u32 list_next(enum htmm_unit unit, u32 n)
{
	struct htmm_topn list = {
		.unit = unit, .filter = HTMM_TOPN_COUNTED, .entries = entries, .size = n,
	};

	htmm_topn_begin(&list, &world.table);
	while (htmm_topn_scan(&list, &world.table, 1 + tap_below(40)))
		;
	return htmm_topn_finish(&list);
}

static void nothing_to_list(void)
{
	world_open(&world, &roomy, false);
	CHECK(list_next(HTMM_UNIT_PAGE, 10) == 0);
	fill(10);
	CHECK(list_next(HTMM_UNIT_PAGE, 0) == 0);
	while (world.model.coolings < 40)
		world_cool(&world);
	CHECK(list_next(HTMM_UNIT_PAGE, 10) == 0);
	CHECK(list_next(HTMM_UNIT_REGION, 10) == 0);
	world_close(&world);
}

static void exact_order(void)
{
	u32 round;

	world_open(&world, &roomy, false);
	for (round = 0; round < 12; round++) {
		fill(tap_below(3000));
		if (tap_below(2))
			world_cool(&world);
		world_lists_match(&world, HTMM_UNIT_PAGE, 50 + tap_below(1000));
		world_lists_match(&world, HTMM_UNIT_PAGE, ALL);
		world_lists_match(&world, HTMM_UNIT_REGION, 1 + tap_below(60));
	}
	world_close(&world);
}

/* Regions with one page that has all their samples, all with equal counts. */
static void ties_by_mm_and_page(void)
{
	u32 i;

	world_open(&world, &roomy, false);
	for (i = 0; i < MODEL_REGIONS; i++)
		add_times(i, 0, 3);
	for (i = 1; i < MODEL_REGIONS; i += 5)
		world_lists_match(&world, HTMM_UNIT_PAGE, i);
	world_close(&world);
}

/*
 * Regions are added and removed between the slices. Unchanged regions must be listed as
 * they are, and no entry twice, although an entry of the directory can be freed behind the
 * walk and its region added again ahead of it.
 */
static void under_change(void)
{
	u32 churn, i, j, n, seen[2];
	bool more, first;
	u32 round;

	for (round = 0; round < 100; round++) {
		world_open(&world, &roomy, false);
		churn = world.model.space[1];
		fill(300);
		struct htmm_topn list = {
			.filter = HTMM_TOPN_COUNTED, .entries = entries, .size = ALL,
		};

		htmm_topn_begin(&list, &world.table);
		while (htmm_topn_scan(&list, &world.table, 1 + tap_below(100))) {
			first = true;
			more = true;
			while (more && !tap_below(2)) {
				world_remove_space(&world, churn, first, 50,
						   &more);
				first = false;
			}
			for (i = 0; i < 20; i++) {
				struct htmm_table_sample s = world_sample(&world);

				if (sample_space(&s) == churn)
					add(s);
			}
		}
		n = htmm_topn_finish(&list);
		seen[0] = 0;
		seen[1] = 0;
		for (i = 0; i < n; i++) {
			bool still = entries[i].space != churn;

			seen[still]++;
			if (still)
				CHECK(table_count(&world.table,
						  entries[i].space,
						       entries[i].vpn) ==
				      entries[i].value);
			for (j = 0; j < i; j++)
				CHECK(entries[j].vpn != entries[i].vpn ||
				      entries[j].space != entries[i].space);
		}
		for (i = 0; i < MODEL_REGIONS; i++) {
			if (world.model.region[i].space == churn)
				continue;
			for (j = 0; j < HTMM_REGION_PAGES; j++)
				seen[1] -= world.model.region[i].page[j].count > 0;
		}
		CHECK(seen[1] == 0);
		world_close(&world);
	}
}

/* What is known of the counts of its pages. */
static u32 most_of(u32 i)
{
	const struct model_region *r = &world.model.region[i];
	const struct htmm_region *region =
		htmm_index_find(&world.table, htmm_region_key(htmm_page(r->space, r->vpn)));

	return htmm_table_cooled(&world.table, region, htmm_region_most(region));
}

/*
 * One region has the hottest page, and another one more samples. The first listing looks at
 * its pages, and the second need not, until one of them may have become the hottest.
 */
static void passes_over_cold_regions(void)
{
	u32 page, weight, round;

	world_open(&world, &roomy, false);
	add_times(0, 7, 100);
	for (page = 0; page < 400; page++)
		add_times(1, page, 1 + page % 3);
	CHECK(most_of(1) > 700);
	for (round = 0; round < 3; round++) {
		CHECK(list_next(HTMM_UNIT_PAGE, 1) == 1);
		CHECK(most_of(1) < 100 >> round);
		CHECK(most_of(0) == 100 >> round);
		world_lists_match(&world, HTMM_UNIT_PAGE, 1);
		world_cool(&world);
		/* Also without a look at it in between. */
		add_times(1, 2, 1);
	}
	for (weight = 90; weight < 1U << 30; weight *= 2) {
		add_times(1, 11, weight);
		world_lists_match(&world, HTMM_UNIT_PAGE, 1);
		add_times(0, 7, weight + weight / 4);
		world_lists_match(&world, HTMM_UNIT_PAGE, 1);
	}
	world_cool(&world);
	world_lists_match(&world, HTMM_UNIT_PAGE, ALL);
	world_close(&world);
}

/*
 * A region's count can rise no more, those of its pages can: what was known is void. Often, as
 * the other region has to be visited first, and the order is by chance.
 */
static void a_count_at_its_limit(void)
{
	u32 hot, page, round;

	for (round = 0; round < 20; round++) {
		hot = round % 2;
		world_open(&world, &roomy, false);
		add_times(hot, 7, 1000);
		for (page = 0; page < 300; page++)
			add_times(!hot, page, 200);
		CHECK(list_next(HTMM_UNIT_PAGE, 1) == 1);
		CHECK(most_of(!hot) < 1000);
		add_times(hot, 7, U32_MAX - 2000);
		add_times(!hot, 5, U32_MAX - 500);
		world_lists_match(&world, HTMM_UNIT_PAGE, 1);
		world_cool(&world);
		world_lists_match(&world, HTMM_UNIT_PAGE, ALL);
		world_close(&world);
	}
}

/* Two tables without a common page, in one listing. */
/*
 * Entries that come from elsewhere, by ascending place: the same as a listing has, and the
 * listing is complete no earlier than nothing more can change it.
 */
static void offered_entries(void)
{
	static struct htmm_topn_entry all[600], want[600];
	const struct htmm_topn_filter filter = { .last = U64_MAX, .max = U64_MAX };
	u32 i, n, round, complete;

	for (round = 0; round < 200; round++) {
		struct htmm_topn list = {
			.order = HTMM_ORDER_COLDEST, .filter = filter, .entries = want,
		};

		n = 1 + tap_below(64);
		list.size = n;
		for (i = 0; i < ARRAY_SIZE(all); i++)
			all[i] = (struct htmm_topn_entry) {
				.value = tap_below(1 + round % 20),
				.owner = 1 + i / 300,
				.space = 1 + i / 100,
				.vpn = 7 * i,
			};
		if (round % 3 == 0)
			list.after = &all[tap_below(ARRAY_SIZE(all))];
		complete = 0;
		for (i = 0; i < ARRAY_SIZE(all); i++) {
			if (!complete && htmm_topn_complete(&list)) {
				complete = i;
				memcpy(entries, want, n * sizeof(*want));
			}
			htmm_topn_offer(&list, &all[i]);
		}
		if (complete)
			CHECK(!memcmp(entries, want, n * sizeof(*want)));
		/* With a single value the first ones complete the list. */
		if (round % 20 == 0 && round % 3)
			CHECK(complete == n);
		n = htmm_topn_finish(&list);
		for (i = 1; i < n; i++)
			CHECK(want[i - 1].value < want[i].value ||
			      (want[i - 1].value == want[i].value &&
			       want[i - 1].vpn < want[i].vpn));
	}
}

static void several_tables(void)
{
	struct htmm_topn_entry *one, *two;
	static struct world other;
	struct htmm_topn list = {
		.filter = HTMM_TOPN_COUNTED, .entries = entries, .size = ALL,
	};
	u32 n, total[2], i, j, k;

	world_open(&other, &roomy, false);
	world_open(&world, &roomy, false);
	for (i = 0; i < MODEL_REGIONS; i++)	/* disjoint: other spaces */
		other.model.region[i].space ^= 1 << 10;
	fill(2000);
	for (i = 0; i < 2000; i++) {
		struct htmm_table_sample s = world_sample(&other);

		world_refill(&other, 1);
		world_add(&other, &s, 1);
	}
	htmm_topn_begin(&list, &world.table);
	while (htmm_topn_scan(&list, &world.table, 7))
		;
	htmm_topn_begin(&list, &other.table);
	while (htmm_topn_scan(&list, &other.table, 7))
		;
	n = htmm_topn_finish(&list);

	one = model_list(&world.model, HTMM_UNIT_PAGE, &total[0]);
	two = model_list(&other.model, HTMM_UNIT_PAGE, &total[1]);
	CHECK(n == total[0] + total[1]);
	for (i = 0, j = 0, k = 0; i < n; i++) {
		if (j < total[0] && same(&entries[i], &one[j]))
			j++;
		else if (k < total[1] && same(&entries[i], &two[k]))
			k++;
		CHECK(i + 1 == j + k);
		CHECK(!i || entries[i - 1].value >= entries[i].value);
	}
	free(one);
	free(two);
	world_close(&other);
	world_close(&world);
}

/*
 * Lists the hottest of the pages that a test of each accepts, all or those at odd places, in one
 * walk. Returns how many were tested.
 */
static u32 list_tested(struct htmm_topn *list, bool odd)
{
	struct htmm_topn found = {
		.order = HTMM_ORDER_TABLE, .filter = HTMM_TOPN_COUNTED, .entries = entries,
		.size = 1 + tap_below(30), .into = list,
	};
	struct htmm_topn_entry last;
	u32 n, i, tested = 0;

	do {
		found.len = 0;
		htmm_topn_begin(&found, &world.table);
		while (htmm_topn_scan(&found, &world.table, 1 + tap_below(40)))
			;
		n = htmm_topn_finish(&found);
		for (i = 0; i < n; i++)
			if (!odd || entries[i].vpn % 2)
				htmm_topn_offer(list, &entries[i]);
		last = entries[n ? n - 1 : 0];
		found.after = &last;
		tested += n;
	} while (n == found.size);
	list->len = htmm_topn_finish(list);
	return tested;
}

static void tested_entries(void)
{
	struct htmm_topn_entry best[20], *all;
	u32 round, n, i, at, tested, all_tested = 0, all_pages = 0;

	for (round = 0; round < 40; round++) {
		struct htmm_topn list = {
			.filter = HTMM_TOPN_COUNTED, .entries = best, .size = 1 + tap_below(20),
		};

		world_open(&world, &roomy, false);
		fill(3000);
		all = model_list(&world.model, HTMM_UNIT_PAGE, &n);
		at = tap_below(3) ? 0 : 1 + tap_below(n / 2);
		if (at)
			list.after = &all[at - 1];
		tested = list_tested(&list, round % 2);
		for (i = 0; i < list.len; i++, at++) {
			while (round % 2 && all[at].vpn % 2 == 0)
				at++;
			CHECK(at < n && same(&best[i], &all[at]));
		}
		/* A list that is not full has all. */
		while (list.len < list.size && at < n)
			CHECK(round % 2 && all[at++].vpn % 2 == 0);
		CHECK(tested <= n);
		all_tested += round % 2 ? 0 : tested;
		all_pages += round % 2 ? 0 : n;
		free(all);
		world_close(&world);
	}
	printf("# %u of %u pages tested\n", all_tested, all_pages);
	/* What comes behind those that are listed so far is not tested. */
	CHECK(all_tested < all_pages / 8);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(nothing_to_list),
		TAP_TEST(exact_order),
		TAP_TEST(ties_by_mm_and_page),
		TAP_TEST(under_change),
		TAP_TEST(passes_over_cold_regions),
		TAP_TEST(a_count_at_its_limit),
		TAP_TEST(offered_entries),
		TAP_TEST(tested_entries),
		TAP_TEST(several_tables),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
