// SPDX-License-Identifier: GPL-2.0
/*
 * The bound: counters in one array, as if all pages were known beforehand. No
 * store can find a counter in less, so what it takes is what memory and the
 * histograms take.
 *
 * It moves the page from bin to bin each time: on most streams, a test whether the bin
 * changes is predicted wrongly too often.
 *
 * It cools in one of two ways: a region at a time, when it is next touched, with the
 * processor's vectors; or each page for itself, with the last bits of the epoch beside 24
 * bits of count. The second would have to visit all pages after each 255 coolings, which
 * are more than there are here.
 */
#include <stdlib.h>

#include "bench.h"

#define EPOCH_BITS	8

struct region {
	u32 count;
	u32 epoch;
};

struct dense {
	struct htmm_hist hist[HTMM_UNITS];
	u32 *count;
	struct region *region;
	u64 span;	/* pages of an address space, in whole regions */
	u64 regions;
	u32 mask;	/* of numbers of address spaces */
	u32 epoch;
	struct bench_way way;
};

static void *dense_open(const struct bench_space *space)
{
	struct dense *dense = calloc(1, sizeof(*dense));
	u64 regions = DIV_ROUND_UP(bench_space_span(space), HTMM_REGION_PAGES);

	dense->span = regions * HTMM_REGION_PAGES;
	dense->mask = space->spaces - 1;
	dense->regions = regions * space->spaces;
	dense->count = bench_alloc(dense->regions * HTMM_REGION_PAGES *
				   sizeof(u32));
	dense->region = bench_alloc(dense->regions * sizeof(struct region));
	dense->way = (struct bench_way) { .ahead = 64 };
	return dense;
}

void bench_dense_set(void *store, struct bench_way way)
{
	((struct dense *)store)->way = way;
}

static __always_inline u64 place(const struct dense *dense, u64 page)
{
	return (page >> HTMM_VPN_BITS & dense->mask) * dense->span +
	       (page & HTMM_VPN_MAX);
}

static void region_cool(struct dense *dense, u64 index, bool by_page)
{
	struct region *region = &dense->region[index];
	u32 missed = min_t(u32, dense->epoch - region->epoch, 31);

	if (!by_page)
		bench_halve(&dense->count[index * HTMM_REGION_PAGES], missed);
	region->count >>= missed;
	region->epoch = dense->epoch;
}

/* As bench_count(), without a branch. */
static __always_inline void count_always(struct htmm_hist *hist, u32 *count, u32 weight)
{
	u32 old = *count;

	*count = old + weight;
	hist->bin[htmm_hist_bin(old)]--;
	hist->bin[htmm_hist_bin(*count)]++;
}

/* The same of a count with its epoch. */
static __always_inline void count_page(struct htmm_hist *hist, u32 *page,
				       u32 epoch, u32 weight)
{
	u32 missed = (epoch - *page) % (1 << EPOCH_BITS);
	u32 count = (*page >> EPOCH_BITS) >> min_t(u32, missed, 31);

	count_always(hist, &count, weight);
	*page = count << EPOCH_BITS | epoch % (1 << EPOCH_BITS);
}

static __always_inline void add_one(struct dense *dense,
				    const struct htmm_table_sample *s, bool by_page)
{
	u64 page = place(dense, s->page), index = page / HTMM_REGION_PAGES;
	struct region *region = &dense->region[index];

	if (unlikely(region->epoch != dense->epoch))
		region_cool(dense, index, by_page);
	if (by_page)
		count_page(&dense->hist[HTMM_UNIT_PAGE], &dense->count[page],
			   dense->epoch, s->weight);
	else
		count_always(&dense->hist[HTMM_UNIT_PAGE], &dense->count[page],
			     s->weight);
	bench_count(&dense->hist[HTMM_UNIT_REGION], &region->count, s->weight);
}

static void dense_add(void *store, const struct htmm_table_sample *s, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		add_one(store, &s[i], false);
}

/* The last two arguments are constants. */
static __always_inline void add_ahead(struct dense *dense,
				      const struct htmm_table_sample *s, u32 n,
				      u32 distance, bool by_page)
{
	u32 i, ahead = min_t(u32, n, distance);

	for (i = 0; i < ahead; i++)
		prefetchw(&dense->count[place(dense, s[i].page)]);
	for (i = 0; i < n - ahead; i++) {
		prefetchw(&dense->count[place(dense, s[i + distance].page)]);
		add_one(dense, &s[i], by_page);
	}
	for (; i < n; i++)
		add_one(dense, &s[i], by_page);
}

static __always_inline void add_way(struct dense *dense,
				    const struct htmm_table_sample *s, u32 n,
				    bool by_page)
{
	switch (dense->way.ahead) {
	case 16:
		return add_ahead(dense, s, n, 16, by_page);
	case 32:
		return add_ahead(dense, s, n, 32, by_page);
	case 64:
		return add_ahead(dense, s, n, 64, by_page);
	case 128:
		return add_ahead(dense, s, n, 128, by_page);
	default:
		return add_ahead(dense, s, n, 256, by_page);
	}
}

static void dense_add_prefetch(void *store, const struct htmm_table_sample *s,
			       u32 n)
{
	struct dense *dense = store;

	if (dense->way.by_page)
		add_way(dense, s, n, true);
	else
		add_way(dense, s, n, false);
}

static void dense_cool(void *store)
{
	struct dense *dense = store;

	dense->epoch++;
	/* Pages with the count 0 are in bin 0 at some times, and at others not. */
	htmm_hist_cool(&dense->hist[HTMM_UNIT_PAGE]);
	htmm_hist_cool(&dense->hist[HTMM_UNIT_REGION]);
}

static void dense_exit(void *store, u32 space)
{
	struct dense *dense = store;
	u64 page = (space & dense->mask) * dense->span, end = page + dense->span;
	u32 count, missed;

	for (; page < end; page++) {
		struct region *region = &dense->region[page / HTMM_REGION_PAGES];

		if (page % HTMM_REGION_PAGES == 0 && region->epoch != dense->epoch)
			region_cool(dense, page / HTMM_REGION_PAGES,
				    dense->way.by_page);
		if (page % HTMM_REGION_PAGES == 0 && region->count) {
			htmm_hist_remove(&dense->hist[HTMM_UNIT_REGION],
					 region->count);
			region->count = 0;
		}
		count = dense->count[page];
		if (dense->way.by_page) {
			missed = (dense->epoch - count) % (1 << EPOCH_BITS);
			count = (count >> EPOCH_BITS) >> min_t(u32, missed, 31);
		}
		if (count)
			htmm_hist_remove(&dense->hist[HTMM_UNIT_PAGE], count);
		dense->count[page] = 0;
	}
}

static const struct htmm_hist *dense_hist(void *store)
{
	return ((struct dense *)store)->hist;
}

static u64 dense_bytes(void *store)
{
	struct dense *dense = store;

	return dense->regions * (HTMM_REGION_PAGES * sizeof(u32) +
				 sizeof(struct region));
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
	.exit = dense_exit,
	.hist = dense_hist,
	.bytes = dense_bytes,
	.close = dense_close,
};

const struct bench_store bench_dense_prefetch = {
	.name = "dense-prefetch",
	.open = dense_open,
	.add = dense_add_prefetch,
	.cool = dense_cool,
	.exit = dense_exit,
	.hist = dense_hist,
	.bytes = dense_bytes,
	.close = dense_close,
};
