// SPDX-License-Identifier: GPL-2.0
/*
 * cooling: how well a table knows the hot pages, by the period of its coolings.
 *
 * Tables with different periods count the same samples. In the second half, other pages are
 * the hot ones. A table's choice is the pages with the highest counts, as many as the fast
 * tier holds; of pages with the same count, and of those without one, an equal part. Printed
 * is the share of all accesses that go to the chosen pages, in percent of what the best
 * choice gets: at the end of the first half, and in the second half, as a mean of looks at
 * equal distances. And the CPU time of a sample.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include "bench.h"
#include "evict.h"
#include "index.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define CHUNK		65536
#define LOOKS		8
#define TIERS		2
#define COUNTS		65536
#define TIDY_SLICE	256

static const u32 one_in[TIERS] = { 8, 64 };	/* of the pages are fast */

/* Samples between two coolings: a number, or so many for each page. */
static const struct policy {
	const char *name;
	u64 samples;
	double each;
} policies[] = {
	{ .name = "2 M", .samples = 2000000 },
	{ .name = "1/2 a page", .each = 0.5 },
	{ .name = "1 a page", .each = 1 },
	{ .name = "2 a page", .each = 2 },
	{ .name = "4 a page", .each = 4 },
};

#define POLICIES	ARRAY_SIZE(policies)

struct store {
	struct htmm_table table;
	struct htmm_pool pool;
	char *arena;
	u64 given;
	u64 next;
	double ns;
	double settled[TIERS];
	double changed[TIERS];
};

static struct store stores[POLICIES];
static struct htmm_table_sample samples[CHUNK];
static struct bench_space space;
static u32 *rank_of;	/* of each page in the first half */
static u64 shift;	/* of the pages in the second half */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static void *alloc(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED) {
		fprintf(stderr, "cooling: no memory\n");
		exit(1);
	}
	madvise(mem, bytes, MADV_HUGEPAGE);
	return mem;
}

static void store_open(struct store *store)
{
	const struct htmm_table_config config = { .max_bytes = space.pages * 4 + 1048576 };

	*store = (struct store) { .arena = alloc(config.max_bytes) };
	if (htmm_table_init(&store->table, &config, alloc(htmm_table_dir_bytes(&config)),
			    &store->pool))
		exit(1);
}

static u64 period_of(const struct policy *policy, const struct store *store)
{
	return policy->samples ?: max_t(u64, 2000000, policy->each * store->table.stats.pages);
}

static void store_add(struct store *store, const struct policy *policy)
{
	u32 dropped[BENCH_BATCH], i, n, need;
	double began = now();

	for (i = 0; i < CHUNK; i += n) {
		n = min_t(u32, CHUNK - i, BENCH_BATCH);
		for (need = htmm_table_need(&store->table, n); need; need--)
			htmm_pool_put(&store->pool,
				      &store->arena[HTMM_POOL_PAGE_SIZE * store->given++]);
		htmm_table_add(&store->table, samples + i, n, dropped);
		if (store->table.stats.counted - store->next >= period_of(policy, store)) {
			htmm_table_cool(&store->table);
			store->next = store->table.stats.counted;
		}
		htmm_table_reclaim(&store->table, TIDY_SLICE);
	}
	store->ns += now() - began;
}

/* The part of all accesses that go to a page, not yet divided by their sum. */
static double zipf_weight(u64 rank)
{
	return pow(rank + 1, -0.99);
}

static double hot_weight(u64 rank)
{
	return rank < space.pages / 16 ? 0.9 * 16 + 0.1 : 0.1;
}

static double (*weight_of)(u64 rank);

/* Adds a region's pages to those with the same count; returns their number. */
static u32 look_region(const struct store *store, const struct htmm_region *region,
		       const double *weight, u64 moved, u64 *pages, double *sum)
{
	u32 known = 0, count, page, pos = 0;
	u64 vpn;

	while ((count = htmm_region_next(region, 1, &pos, &page))) {
		count = min_t(u32, htmm_table_cooled(&store->table, region, count), COUNTS - 1);
		if (!count)
			continue;
		vpn = (htmm_region_vpn(region) + page - moved) & (space.pages - 1);
		pages[count]++;
		known++;
		sum[count] += weight[rank_of[vpn]];
		sum[0] -= weight[rank_of[vpn]];
	}
	return known;
}

/* What the choice of a table is worth beside the best one, in percent. */
static void look(const struct store *store, const double *weight, u64 moved,
		 double percent[TIERS])
{
	static u64 pages[COUNTS];
	static double sum[COUNTS];
	double all = 0, best, got;
	struct htmm_region *region;
	u64 vpn, left, known = 0;
	u32 i, tier;

	memset(pages, 0, sizeof(pages));
	memset(sum, 0, sizeof(sum));
	for (vpn = 0; vpn < space.pages; vpn++)
		all += weight[vpn];
	sum[0] = all;
	for (i = 0; i <= store->table.head_mask; i++) {
		for (region = store->table.head[i]; region; region = region->chain)
			known += look_region(store, region, weight, moved, pages, sum);
	}
	pages[0] = space.pages - known;
	for (tier = 0; tier < TIERS; tier++) {
		left = space.pages / one_in[tier];
		for (best = 0, vpn = 0; vpn < left; vpn++)
			best += weight[vpn];
		for (got = 0, i = COUNTS; left && i--; ) {
			if (!pages[i])
				continue;
			got += sum[i] * min(left, pages[i]) / pages[i];
			left -= min(left, pages[i]);
		}
		percent[tier] += 100 * got / best;
	}
}

static void measure(const char *name, u64 each,
		    void (*draw)(const struct bench_space *, struct htmm_table_sample *, u32))
{
	u64 half = each * space.pages, done, moved;
	double *weight = alloc(space.pages * sizeof(*weight));
	u32 i, tier;

	for (done = 0; done < space.pages; done++)
		weight[done] = weight_of(done);
	for (i = 0; i < POLICIES; i++)
		store_open(&stores[i]);
	for (done = 0; done < 2 * half; done += CHUNK) {
		moved = done < half ? 0 : shift;
		draw(&space, samples, CHUNK);
		for (i = 0; i < CHUNK; i++)
			samples[i].page = (samples[i].page + moved) & (space.pages - 1);
		for (i = 0; i < POLICIES; i++) {
			store_add(&stores[i], &policies[i]);
			if (done + CHUNK == half)
				look(&stores[i], weight, 0, stores[i].settled);
			else if (moved && (done + CHUNK - half) % (half / LOOKS) == 0)
				look(&stores[i], weight, moved, stores[i].changed);
		}
	}
	for (i = 0; i < POLICIES; i++) {
		printf("%-8s %9llu %6llu  %-12s", name, space.pages, each, policies[i].name);
		for (tier = 0; tier < TIERS; tier++)
			printf(" %8.1f %8.1f", stores[i].settled[tier],
			       stores[i].changed[tier] / LOOKS);
		printf(" %8.1f %9llu\n", stores[i].ns / (2 * half), stores[i].table.epoch);
		munmap(stores[i].arena, stores[i].table.config.max_bytes);
		munmap(stores[i].table.front, htmm_table_dir_bytes(&stores[i].table.config));
	}
	fflush(stdout);
	munmap(weight, space.pages * sizeof(*weight));
}

int main(void)
{
	const char *most = getenv("PAGES");
	u64 pages, end = most && *most ? strtoull(most, NULL, 0) : 16 << 20, i;
	struct htmm_table_sample page;

	puts("# each: samples of each page in a half; settled, changed: percent of the best");
	printf("# for a fast tier of 1/%u of the pages, then 1/%u\n", one_in[0], one_in[1]);
	printf("%-8s %9s %6s  %-12s %8s %8s %8s %8s %8s %9s\n", "stream", "pages", "each",
	       "period", "settled", "changed", "settled", "changed", "ns", "coolings");
	for (pages = 1 << 20; pages <= end; pages *= 4) {
		bench_space_open(&space, pages, 1, 1);
		rank_of = alloc(pages * sizeof(*rank_of));
		shift = pages / 2 + pages / 7;
		for (i = 0; i < pages; i++) {
			bench_each_once(&space, i, &page, 1);
			rank_of[page.page] = i ^ pages / 3;
		}
		weight_of = zipf_weight;
		measure("zipf", 2, bench_zipf);
		measure("zipf", 8, bench_zipf);
		weight_of = hot_weight;
		measure("hot-set", 2, bench_hot_set);
		measure("hot-set", 8, bench_hot_set);
		munmap(rank_of, pages * sizeof(*rank_of));
	}
	return 0;
}
