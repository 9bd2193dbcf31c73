// SPDX-License-Identifier: GPL-2.0
/*
 * The bound: counters in one array, as if all pages were known beforehand. No
 * store can find a counter in less, so what it takes is what memory and the
 * histograms take.
 */
#include <stdlib.h>

#include "bench.h"

/* Samples ahead of which counters are fetched: the best of 16 to 128. */
#define AHEAD	32

struct region {
	u32 count;
	u32 epoch;
};

struct dense {
	struct htmm_hist hist[HTMM_KINDS];
	u32 *count;
	struct region *region;
	u64 pages;
	u64 regions;
	u32 epoch;
};

static void *dense_open(const struct bench_space *space)
{
	struct dense *dense = calloc(1, sizeof(*dense));

	dense->pages = bench_space_span(space);
	dense->regions = dense->pages / HTMM_REGION_PAGES + 1;
	dense->count = bench_alloc(dense->regions * HTMM_REGION_PAGES *
				   sizeof(u32));
	dense->region = bench_alloc(dense->regions * sizeof(struct region));
	return dense;
}

static void region_cool(struct dense *dense, u64 index)
{
	struct region *region = &dense->region[index];
	u32 *count = &dense->count[index * HTMM_REGION_PAGES];
	u32 i, missed = dense->epoch - region->epoch;

	for (i = 0; i < HTMM_REGION_PAGES; i++)
		count[i] = htmm_count_cooled(count[i], missed);
	region->count = htmm_count_cooled(region->count, missed);
	region->epoch = dense->epoch;
}

static inline void count_one(struct htmm_hist *hist, u32 *count)
{
	u32 old = *count;

	if (!(old & (old + 1))) {
		if (old)
			htmm_hist_carry(hist, old, 1);
		else
			htmm_hist_add(hist, 1);
	}
	*count = old + 1;
}

static inline void add_one(struct dense *dense, u64 vpn)
{
	struct region *region = &dense->region[vpn / HTMM_REGION_PAGES];

	if (region->epoch != dense->epoch)
		region_cool(dense, vpn / HTMM_REGION_PAGES);
	count_one(&dense->hist[HTMM_KIND_BASE], &dense->count[vpn]);
	count_one(&dense->hist[HTMM_KIND_HUGE], &region->count);
}

static void dense_add(void *store, const struct htmm_table_sample *s, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		add_one(store, s[i].page);
}

static void dense_add_prefetch(void *store, const struct htmm_table_sample *s,
			       u32 n)
{
	struct dense *dense = store;
	u32 i, ahead = min_t(u32, n, AHEAD);

	for (i = 0; i < ahead; i++)
		prefetchw(&dense->count[s[i].page]);
	for (i = 0; i < n - ahead; i++) {
		prefetchw(&dense->count[s[i + AHEAD].page]);
		add_one(dense, s[i].page);
	}
	for (; i < n; i++)
		add_one(dense, s[i].page);
}

static void dense_cool(void *store)
{
	struct dense *dense = store;

	dense->epoch++;
	htmm_hist_cool(&dense->hist[HTMM_KIND_BASE]);
	htmm_hist_cool(&dense->hist[HTMM_KIND_HUGE]);
}

static const struct htmm_hist *dense_hist(void *store)
{
	return ((struct dense *)store)->hist;
}

static u64 dense_bytes(void *store)
{
	struct dense *dense = store;

	return dense->pages * sizeof(u32) +
	       dense->regions * sizeof(struct region);
}

static void dense_close(void *store)
{
	struct dense *dense = store;

	bench_free(dense->count,
		   dense->regions * HTMM_REGION_PAGES * sizeof(u32));
	bench_free(dense->region, dense->regions * sizeof(struct region));
	free(dense);
}

const struct bench_store bench_dense = {
	.name = "dense",
	.open = dense_open,
	.add = dense_add,
	.cool = dense_cool,
	.hist = dense_hist,
	.bytes = dense_bytes,
	.close = dense_close,
};

const struct bench_store bench_dense_prefetch = {
	.name = "dense-prefetch",
	.open = dense_open,
	.add = dense_add_prefetch,
	.cool = dense_cool,
	.hist = dense_hist,
	.bytes = dense_bytes,
	.close = dense_close,
};
