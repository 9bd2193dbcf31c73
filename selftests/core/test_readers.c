// SPDX-License-Identifier: GPL-2.0
/*
 * Ten million pages, one thread that adds and one that reads, with a lock between them as
 * in module/track/read.c: results are right, and the adding thread gets the lock after
 * each slice.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "topn.h"
#include "table.h"
#include "tap.h"

#define PAGES		(10 * 1000 * 1000)
#define ODD		7368787u	/* prime: a walk through all pages */
#define HOTTEST		1000
#define HOT_COUNT	100000		/* more than the others ever get */
#define BATCH		500
#define SLICE		(256 * HTMM_SCAN_REGION)	/* as in module/track/read.c */
#define BYTES		(48 * 1024 * 1024)

static struct htmm_table table;
static struct htmm_pool pool;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *arena;
static u64 given;
static atomic_ulong batches;
static atomic_bool done;
static u64 refused;

/* Only the pages of rank 0 to HOTTEST - 1 are hot, each hotter than the next. */
static u64 vpn_of(u64 rank)
{
	return rank * ODD % PAGES;
}

static void refill(void)
{
	u32 need;

	for (need = htmm_table_need(&table, BATCH); need; need--)
		htmm_pool_put(&pool, &arena[HTMM_POOL_PAGE_SIZE * given++]);
}

static void *open_table(void)
{
	const struct htmm_table_config config = {
		.max_bytes = BYTES,
	};
	void *dir = aligned_alloc(64, (htmm_table_dir_bytes(&config) + 63) & ~63UL);

	memset(dir, 0, htmm_table_dir_bytes(&config));
	arena = aligned_alloc(HTMM_POOL_PAGE_SIZE, BYTES);
	CHECK(htmm_table_init(&table, &config, dir, &pool) == 0);
	return dir;
}

/* Every page once, in the order of ranks. */
static void fill(void)
{
	struct htmm_table_sample s[BATCH];
	u32 dropped[BATCH], i;
	u64 rank;

	for (rank = 0; rank < PAGES; rank += BATCH) {
		for (i = 0; i < BATCH; i++)
			s[i] = (struct htmm_table_sample) {
				.page = vpn_of(rank + i),
				.weight = rank + i < HOTTEST ?
					HOT_COUNT + HOTTEST - rank - i : 1,
			};
		refill();
		CHECK(htmm_table_add(&table, s, BATCH, dropped) == 0);
	}
	CHECK(table.stats.pages == PAGES && table.stats.counted == PAGES);
}

/* Adds to pages that are not hot, until told to stop. */
static void *writer(void *arg)
{
	struct htmm_table_sample s[BATCH];
	u32 dropped[BATCH], i;
	u64 rank = HOTTEST;

	while (!atomic_load(&done)) {
		for (i = 0; i < BATCH; i++, rank++) {
			if (rank == PAGES)
				rank = HOTTEST;
			s[i] = (struct htmm_table_sample) {
				.page = vpn_of(rank), .weight = 1,
			};
		}
		pthread_mutex_lock(&lock);
		refill();
		refused += htmm_table_add(&table, s, BATCH, dropped);
		pthread_mutex_unlock(&lock);
		atomic_fetch_add(&batches, 1);
	}
	return arg;
}

/* Releases the lock until the writer has had it. */
static void let_in(void)
{
	unsigned long before;

	pthread_mutex_unlock(&lock);
	before = atomic_load(&batches);
	while (atomic_load(&batches) == before)
		sched_yield();
	pthread_mutex_lock(&lock);
}

/* Returns how often the lock was taken. */
static u32 list_hottest(struct htmm_topn_entry *entries)
{
	struct htmm_topn list = {
		.filter = HTMM_TOPN_COUNTED, .entries = entries, .size = HOTTEST,
	};
	u32 locks = 1;

	pthread_mutex_lock(&lock);
	htmm_topn_begin(&list, &table);
	for (; htmm_topn_scan(&list, &table, SLICE); locks++)
		let_in();
	pthread_mutex_unlock(&lock);
	return htmm_topn_finish(&list) == HOTTEST ? locks : 0;
}

static bool hists_add_up(void)
{
	struct htmm_hist base, huge;

	pthread_mutex_lock(&lock);
	base = table.hist[HTMM_UNIT_PAGE];
	huge = table.hist[HTMM_UNIT_REGION];
	pthread_mutex_unlock(&lock);
	return htmm_hist_pages_from(&base, 0) == PAGES &&
	       htmm_hist_pages_from(&huge, 0) ==
	       DIV_ROUND_UP(PAGES, HTMM_REGION_PAGES) &&
	       htmm_hist_pages_from(&base, htmm_hist_bin(HOT_COUNT)) == HOTTEST;
}

/* Counts the entries that are right and at the right place. */
static u32 right(const struct htmm_topn_entry *entries)
{
	u32 i, n = 0;

	for (i = 0; i < HOTTEST; i++)
		n += entries[i].vpn == vpn_of(i) &&
		     entries[i].value == HOT_COUNT + HOTTEST - i;
	return n;
}

static void top_of_ten_million(void)
{
	u32 round, rounds = 5, correct = 0, added_up = 0, locks = 0, most = 0;
	struct htmm_topn_entry entries[HOTTEST];
	unsigned long before;
	pthread_t thread;
	void *dir;

	dir = open_table();
	fill();
	pthread_create(&thread, NULL, writer, NULL);
	/* A failed check must not end the test before the writer has ended. */
	before = atomic_load(&batches);
	for (round = 0; round < rounds; round++) {
		locks = list_hottest(entries);
		most = max(most, locks);
		correct += right(entries);
		added_up += hists_add_up();
	}
	before = atomic_load(&batches) - before;
	atomic_store(&done, true);
	pthread_join(thread, NULL);

	printf("# %u listings of %u in %llu pages: locked %u times each, %lu batches meanwhile\n",
	       rounds, HOTTEST, table.stats.pages, most, before);
	CHECK(correct == rounds * HOTTEST);
	CHECK(added_up == rounds);
	CHECK(locks && most == DIV_ROUND_UP(table.stats.regions * HTMM_SCAN_REGION +
					    (table.head_mask + 1) / 64, SLICE));
	CHECK(before >= rounds * (most - 1));
	CHECK(refused == 0 && table.stats.evicted == 0 && table.stats.full == 0);
	CHECK(table.stats.counted == PAGES + atomic_load(&batches) * BATCH);
	free(arena);
	free(dir);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(top_of_ten_million),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
