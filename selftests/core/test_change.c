// SPDX-License-Identifier: GPL-2.0
/* When the set of hot pages has changed: told soon if it has, and never if it has not. */
#include "table.h"
#include "tap.h"

#define PAGES		32768
#define HOT		2048
#define BATCH		256
#define MAX_GIVEN	4096

static struct htmm_table table;
static struct htmm_pool pool;
static void *dir;
static void *given[MAX_GIVEN];
static u32 nr_given;
/* What the next samples are like. */
static u32 first_hot, nr_hot, hot_percent, weight, skew, turn;
/* The next page of a sweep. */
static u32 at;

static void begin_with(u64 max_bytes)
{
	const struct htmm_table_config config = { .max_bytes = max_bytes };
	size_t bytes = htmm_table_dir_bytes(&config);

	dir = aligned_alloc(64, (bytes + 63) & ~63UL);
	memset(dir, 0, bytes);
	CHECK(!htmm_table_init(&table, &config, dir, &pool));
	first_hot = 0;
	nr_hot = HOT;
	hot_percent = 80;
	weight = 1;
	skew = 1;
	at = 0;
}

static void begin(void)
{
	begin_with(8 << 20);
}

static void end(void)
{
	while (nr_given)
		free(given[--nr_given]);
	free(dir);
}

static void give(void)
{
	u32 need = htmm_table_need(&table, BATCH);

	while (need--) {
		CHECK(nr_given < MAX_GIVEN);
		given[nr_given] = aligned_alloc(HTMM_POOL_PAGE_SIZE, HTMM_POOL_PAGE_SIZE);
		htmm_pool_put(&pool, given[nr_given++]);
	}
}

/*
 * One of the hot pages, or any. With @skew above 1, some of these are hotter than others, and some
 * of these again: no level divides them well.
 */
static u32 choose(void)
{
	u64 page = PAGES, i;

	if (tap_below(100) < hot_percent)
		return (first_hot + tap_below(nr_hot)) % PAGES;
	for (i = 0; i < skew; i++)
		page = page * (tap_below(65536) + 1) >> 16;
	return page % PAGES;
}

/* One page after the other. */
static u32 sweep(void)
{
	return at++ % PAGES;
}

static bool add(u32 (*next)(void))
{
	struct htmm_table_sample samples[BATCH];
	u32 dropped[BATCH], i;

	for (i = 0; i < BATCH; i++)
		samples[i] = (struct htmm_table_sample) {
			.page = htmm_page(1, next()), .weight = weight,
		};
	give();
	CHECK(!htmm_table_add(&table, samples, BATCH, dropped));
	return htmm_table_changed(&table);
}

/* Adds @n samples. Returns how many there were when the first change was told, or 0. */
static u32 add_many(u32 (*next)(void), u32 n)
{
	u32 i, told = 0;

	for (i = BATCH; i <= n; i += BATCH)
		if (add(next) && !told)
			told = i;
	return told;
}

static void forget(void)
{
	u32 i;

	for (i = 0; i < HTMM_CHANGE_COOLINGS; i++)
		htmm_table_cool(&table);
}

/* Other pages are hot: told once, by the time that a quarter and a bit more is counted. */
static void moved(void)
{
	const u32 before[] = { 20000, 100000, 400000 };
	u32 i, told;

	for (i = 0; i < ARRAY_SIZE(before); i++) {
		begin();
		CHECK(!add_many(choose, before[i]));
		first_hot = PAGES / 2;
		told = 0;
		while (!add(choose) && told < before[i])
			told += BATCH;
		CHECK(told < before[i] / 4 + 2000);
		forget();
		/* What is hot now has most of the counts, so that this is the new way of things. */
		CHECK(!add_many(choose, 2 * before[i]));
		first_hot = PAGES / 4;
		CHECK(add_many(choose, before[i]));
		end();
	}
}

/* With half of the samples for hot pages, whatever the others are like: nearly always told. */
static void moved_half(void)
{
	u32 i, told = 0;

	for (i = 0; i < 12; i++) {
		begin();
		hot_percent = 50;
		skew = 1 + i % 3;
		CHECK(!add_many(choose, 150000));
		first_hot = PAGES / 2;
		told += !!add_many(choose, 60000);
		end();
	}
	CHECK(told >= 10);
}

/* With less than one sample for each hot page: mostly told. */
static void moved_early(void)
{
	u32 i, told = 0;

	for (i = 0; i < 40; i++) {
		begin();
		hot_percent = 90;
		CHECK(!add_many(choose, 8 * BATCH));
		first_hot = PAGES / 2;
		told += !!add_many(choose, 6 * BATCH);
		end();
	}
	CHECK(told >= 20);
}

/* The hottest pages have thousands of samples, more than a digit tells. */
static void moved_few(void)
{
	begin();
	nr_hot = 100;
	CHECK(!add_many(choose, 2000000));
	first_hot = PAGES / 2;
	CHECK(add_many(choose, 100000));
	end();
}

/* Whoever samples the same pages again and again is never told of a change. */
static void steady(void)
{
	u32 percent;

	for (percent = 0; percent <= 100; percent += percent < 60 || percent > 70 ? 20 : 2) {
		begin();
		hot_percent = percent;
		CHECK(!add_many(choose, 2000000));
		end();
	}
}

static void skewed(void)
{
	u32 i;

	for (i = 2; i < 9; i++) {
		begin();
		hot_percent = 0;
		skew = i;
		CHECK(!add_many(choose, 1000000));
		end();
	}
}

/* Sweeps visit all pages equally often, but never those that they have just visited. */
static void swept(void)
{
	begin();
	CHECK(!add_many(sweep, 2000000));
	end();
}

/* Always new pages, of which one in three has another sample at once. */
static u32 choose_twice(void)
{
	at++;
	return at / 4 * 3 + (at % 4 ?: 1);
}

static void twice(void)
{
	begin();
	CHECK(!add_many(choose_twice, 100000));
	end();
}

/* Two sets are hot in turns, of @turn samples. Returns how many changes were told. */
static u32 go_round(u32 samples)
{
	u32 i, told = 0;

	begin();
	for (i = 0; i < samples; i += BATCH) {
		first_hot = i / turn % 2 ? 0 : PAGES / 2;
		if (!add(choose))
			continue;
		forget();
		told++;
	}
	end();
	return told;
}

/* Turns that are shorter than what the table remembers are no changes, once they are known. */
static void round_and_round(void)
{
	for (turn = 500; turn <= 4000; turn += 500)
		CHECK(go_round(1000000) <= 4);
	/* Nor are most of these, of 666. */
	turn = 6000;
	CHECK(go_round(4000000) < 333);
}

/* Longer ones are. */
static void slowly_round(void)
{
	for (turn = 32000; turn <= 128000; turn *= 2)
		CHECK(go_round(20 * turn) >= 18);
}

/*
 * Nor is it one that a share is lower for a while, again and again. This is learnt in a few steps,
 * because a change itself lowers what is expected a little only.
 */
static void breathing(void)
{
	u32 i, told;

	begin();
	for (i = 0, told = 0; i < 20; i++) {
		hot_percent = i % 2 ? 35 : 80;
		turn = table.stats.counted / 4 + BATCH;
		if (!add_many(choose, turn))
			continue;
		forget();
		told++;
	}
	CHECK(told <= 4);
	end();
}

/* A cooling on request is no change, at any moment. */
static void cooled(void)
{
	u32 i;

	begin();
	for (i = 0; i < 400; i++) {
		CHECK(!add_many(choose, BATCH * (1 + tap_below(40))));
		htmm_table_cool(&table);
	}
	end();
}

/* A little less is none; much less is one, but for those that come as the level moves. */
static void shaken(void)
{
	u32 i, run, told = 0;

	for (run = 0; run < 4; run++) {
		begin();
		for (i = 0; i < 20; i++) {
			hot_percent = i % 2 ? 75 : 85;
			CHECK(!add_many(choose, 40000));
		}
		hot_percent = 40;
		told += !!add_many(choose, 400000);
		end();
	}
	CHECK(told >= 2);
}

/* Few samples tell nothing: none by chance, and all that follow. */
static void few(void)
{
	u32 i;

	for (i = 0; i < 200; i++) {
		begin();
		CHECK(!add_many(choose, 4 * BATCH));
		first_hot = PAGES / 2;
		CHECK(!add(choose));
		end();
	}
}

/* With larger weights, too. */
static void weighted(void)
{
	const u32 weights[] = { 1, 3, 10 };
	u32 told[ARRAY_SIZE(weights)], i;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		begin();
		weight = weights[i];
		CHECK(!add_many(choose, 200000));
		first_hot = PAGES / 2;
		told[i] = add_many(choose, 200000);
		CHECK(told[i] && told[i] < 60000);
		end();
	}
}

/* Most pages are seen once and forgotten, because the table is full. */
static u32 choose_far(void)
{
	return tap_below(5) ? tap_below(1U << 31) : tap_below(200000);
}

static void evicted(void)
{
	begin_with(1 << 20);
	CHECK(!add_many(choose_far, 3000000));
	CHECK(table.stats.evicted);
	end();
}

/* All samples go to other pages. */
static void replaced(void)
{
	begin();
	hot_percent = 100;
	CHECK(!add_many(choose, 200000));
	first_hot = HOT;
	CHECK(add_many(choose, 100000));
	end();
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(moved),
		TAP_TEST(moved_half),
		TAP_TEST(moved_early),
		TAP_TEST(moved_few),
		TAP_TEST(steady),
		TAP_TEST(skewed),
		TAP_TEST(swept),
		TAP_TEST(twice),
		TAP_TEST(round_and_round),
		TAP_TEST(slowly_round),
		TAP_TEST(breathing),
		TAP_TEST(cooled),
		TAP_TEST(shaken),
		TAP_TEST(few),
		TAP_TEST(weighted),
		TAP_TEST(evicted),
		TAP_TEST(replaced),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
