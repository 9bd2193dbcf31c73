/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns a map from key to cell into a store. The file that includes it defines
 *
 *	struct map
 *	map_open(pages)			an empty map for so many pages
 *	map_fetch(map, key)		begin to fetch what map_cell() will look at
 *	map_cell(map, key, &known)	the cell, created if it was not known
 *	map_bytes(map), map_close(map)
 *
 * and then BENCH_STORE(bench_NAME, "NAME").
 */
#ifndef HTMM_SELFTESTS_BENCH_KEYED_H
#define HTMM_SELFTESTS_BENCH_KEYED_H

#include <stdlib.h>

#include "bench.h"

struct map;

static struct map *map_open(u64 pages);
static inline void map_fetch(const struct map *map, u64 key);
static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known);
static u64 map_bytes(const struct map *map);
static void map_close(struct map *map);

/* Samples ahead of which a map that can is told what it will be asked. */
#define BENCH_AHEAD	32

struct keyed {
	struct bench_counts counts;
	struct map *map;
};

static inline u64 keyed_hash(u64 key)
{
	return key * 0x9e3779b97f4a7c15ULL;
}

static void *keyed_open(const struct bench_space *space)
{
	struct keyed *keyed = (struct keyed *)calloc(1, sizeof(*keyed));

	keyed->map = map_open(space->pages + space->spaces *
			      (bench_space_span(space) / HTMM_REGION_PAGES + 1));
	return keyed;
}

static void keyed_add(void *store, const struct htmm_table_sample *s, u32 n)
{
	struct keyed *keyed = (struct keyed *)store;
	struct bench_cell *cell;
	bool known;
	u32 i;

	for (i = 0; i < n; i++) {
		if (i + BENCH_AHEAD < n)
			map_fetch(keyed->map, s[i + BENCH_AHEAD].page);
		cell = map_cell(keyed->map, s[i].page, &known);
		bench_cell_add(&keyed->counts, HTMM_KIND_BASE, cell, known,
			       s[i].weight);
		cell = map_cell(keyed->map, BENCH_REGION +
				s[i].page / HTMM_REGION_PAGES, &known);
		bench_cell_add(&keyed->counts, HTMM_KIND_HUGE, cell, known,
			       s[i].weight);
	}
}

static void keyed_cool(void *store)
{
	bench_counts_cool(&((struct keyed *)store)->counts);
}

static const struct htmm_hist *keyed_hist(void *store)
{
	return ((struct keyed *)store)->counts.hist;
}

static u64 keyed_bytes(void *store)
{
	return map_bytes(((struct keyed *)store)->map);
}

static void keyed_close(void *store)
{
	map_close(((struct keyed *)store)->map);
	free(store);
}

#define BENCH_STORE(variable, label)		\
	const struct bench_store variable = {	\
		.name = label,			\
		.open = keyed_open,		\
		.add = keyed_add,		\
		.cool = keyed_cool,		\
		.exit = NULL,			\
		.hist = keyed_hist,		\
		.bytes = keyed_bytes,		\
		.close = keyed_close,		\
	}

#endif /* HTMM_SELFTESTS_BENCH_KEYED_H */
