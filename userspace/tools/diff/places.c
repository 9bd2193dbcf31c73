// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/array.h"
#include "places.h"

/* Places with a smaller share of the samples, in each of the recordings, are not compared. */
#define SHARE_LEAST	0.001
/* Nor are those with fewer samples. */
#define SAMPLES_LEAST	10
/* No place. */
#define NONE		((size_t)-1)

static size_t add(struct places *places, const struct place *place)
{
	struct place *grown = array_grow(places->place, places->nr, &places->room, sizeof(*grown));

	if (!grown)
		return NONE;
	places->place = grown;
	grown[places->nr] = *place;
	return places->nr++;
}

static __u64 key_of(enum place_kind kind, const char *comm, const char *name)
{
	const __u64 id[] = {
		kind, idmap_hash(comm, strlen(comm)), idmap_hash(name, strlen(name)),
	};

	return idmap_hash(id, sizeof(id));
}

static size_t find(const struct places *places, enum place_kind kind, const char *comm,
		   const char *name)
{
	const __s64 known = idmap_get(&places->by_name, key_of(kind, comm, name));

	return known < 0 ? NONE : (size_t)known;
}

static size_t find_or_add(struct places *places, enum place_kind kind, const char *comm,
			  const char *name)
{
	const size_t known = find(places, kind, comm, name);
	size_t added;

	if (known != NONE)
		return known;
	added = add(places, &(struct place) { .kind = kind, .comm = comm, .name = name });
	if (added == NONE || idmap_set(&places->by_name, key_of(kind, comm, name), added))
		return NONE;
	return added;
}

static bool knows_sources(const struct report_counts *counts)
{
	int i;

	for (i = HTMM_SOURCE_UNKNOWN + 1; i < HTMM_NR_SOURCES; i++)
		if (counts->served[i])
			return true;
	return false;
}

/* What served the samples was counted by the sample, whatever its weight. */
static int add_sources(struct places *places, const struct report_counts *counts, int side)
{
	int i;

	for (i = 0; i < HTMM_NR_SOURCES; i++) {
		const size_t at = find_or_add(places, PLACE_SOURCE, "", report_source_name(i));

		if (at == NONE)
			return -ENOMEM;
		places->place[at].count[side].samples +=
			places->all[side].samples * counts->served[i] / counts->samples;
	}
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct area *x = *(const struct area *const *)a, *y = *(const struct area *const *)b;
	int ret = strcmp(x->comm, y->comm) ?: strcmp(x->above, y->above);

	if (!ret && x->order != y->order)
		ret = x->order < y->order ? -1 : 1;
	return ret ?: strcmp(x->name, y->name);
}

/* Anonymous memory of one recording that has no like in the other, by where it is. */
static const struct area **without_like(const struct places *places, int side, size_t *nr)
{
	const struct area **left = calloc(places->areas[side].nr + 1UL, sizeof(*left));
	size_t i, n = 0;

	*nr = 0;
	if (!left)
		return NULL;
	for (i = 0; i < places->areas[side].nr; i++) {
		const struct area *area = &places->areas[side].area[i];

		if (area->pages && area->above && !areas_have(&places->areas[!side], area))
			left[n++] = area;
	}
	qsort(left, n, sizeof(*left), by_order);
	for (i = 0; i < n; i++)
		if (!*nr || strcmp(left[*nr - 1]->name, left[i]->name) ||
		    strcmp(left[*nr - 1]->comm, left[i]->comm))
			left[(*nr)++] = left[i];
	return left;
}

static int by_gap(const struct area *a, const struct area *b)
{
	return strcmp(a->comm, b->comm) ?: strcmp(a->above, b->above);
}

/* Takes what is in the same gap between mappings, but of another size, as the same memory. */
static int pair_rest(struct places *places)
{
	const struct area **left[SIDES];
	size_t nr[SIDES], at[SIDES] = {};
	int ret = 0;

	left[A] = without_like(places, A, &nr[A]);
	left[B] = without_like(places, B, &nr[B]);
	if (!left[A] || !left[B])
		ret = -ENOMEM;
	while (!ret && at[A] < nr[A] && at[B] < nr[B]) {
		const struct area *a = left[A][at[A]], *b = left[B][at[B]];
		const int order = by_gap(a, b);
		size_t place;

		at[A] += order <= 0;
		at[B] += order >= 0;
		if (order)
			continue;
		place = find(places, PLACE_MAPPING, a->comm, a->name);
		places->place[place].whole = true;
		if (idmap_set(&places->by_name, key_of(PLACE_MAPPING, b->comm, b->name), place))
			ret = -ENOMEM;
	}
	free(left[A]);
	free(left[B]);
	return ret;
}

/* Mappings of one name are one place, also those of several processes of one name. */
static int add_mappings(struct places *places, int side)
{
	__u32 i;

	for (i = 0; i < places->areas[side].nr; i++) {
		const struct area *area = &places->areas[side].area[i];
		struct place *place;
		size_t at;

		if (!area->pages)
			continue;
		at = find_or_add(places, PLACE_MAPPING, area->comm, area->name);
		if (at == NONE || find_or_add(places, PLACE_PROCESS, area->comm, "") == NONE)
			return -ENOMEM;
		place = &places->place[at];
		place->whole = place->whole || area->whole;
		if (area->bytes > place->bytes)
			place->bytes = area->bytes;
		places->mapping[side][i] = at;
	}
	return 0;
}

/* The mapping of a page; NULL: not known. */
static const struct area *area_of(const struct places *places, int side,
				  const struct report_touched *page)
{
	return page->mapping >= 0 ? &places->areas[side].area[page->mapping] : NULL;
}

static struct place *place_of(const struct places *places, int side,
			      const struct report_touched *page)
{
	return &places->place[places->mapping[side][page->mapping]];
}

/* What a sample counts at most; of events with a frequency, that is not known, but the mean. */
static double unit_of(const struct report *report)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < report->nr_touched; i++)
		sum += report->touched[i].count;
	return fmax(report->known.unit, fmax(sum / report->counts.samples, 1));
}

/* Calls @each for each page that has samples, and the place of its mapping. */
static void for_pages(struct places *places, const struct loaded *loaded, int side,
		      void (*each)(struct places *places, int side, struct place *place,
				   __u64 offset, double samples))
{
	const struct report *report = &loaded->report;
	const double unit = unit_of(report);
	size_t i;

	for (i = 0; i < report->nr_touched; i++) {
		const struct report_touched *page = &report->touched[i];
		const struct area *area = area_of(places, side, page);

		if (area)
			each(places, side, place_of(places, side, page), page->addr - area->start,
			     page->count / unit);
	}
}

static void count_mapping(struct places *places, int side, struct place *place, __u64 offset,
			  double samples)
{
	places->all[side].samples += samples;
	place->count[side].samples += samples;
	place->pages[side]++;
	places->place[find(places, PLACE_PROCESS, place->comm, "")].count[side].samples += samples;
}

/* The part of a place that has an offset; NULL: it has no parts, or none there. */
static struct place *part_at(const struct places *places, const struct place *place, __u64 offset)
{
	const __u64 bytes = place->nr ? places->place[place->first].bytes : 0;

	return bytes && offset / bytes < place->nr ?
	       &places->place[place->first + offset / bytes] : NULL;
}

static void count_part(struct places *places, int side, struct place *place, __u64 offset,
		       double samples)
{
	struct place *part = part_at(places, place, offset);

	if (!part)
		return;
	part->count[side].samples += samples;
	part->pages[side]++;
}

/* Divides a mapping into parts: not smaller than what is told apart over time. */
static int divide(struct places *places, size_t at, unsigned int shift)
{
	const struct place place = places->place[at];
	const double samples = fmax(place.count[A].samples, place.count[B].samples);
	__u64 most = samples / PLACES_SAMPLES, i;

	if (most > PLACES_PARTS)
		most = PLACES_PARTS;
	if (place.whole || most < 2)
		return 0;
	while ((place.bytes + (1ULL << shift) - 1) >> shift > most)
		shift++;
	places->place[at].first = places->nr;
	places->place[at].nr = (place.bytes + (1ULL << shift) - 1) >> shift;
	if (places->place[at].nr < 2)
		places->place[at].nr = 0;
	for (i = 0; i < places->place[at].nr; i++) {
		const struct place part = {
			.kind = PLACE_PART, .comm = place.comm, .name = place.name,
			.start = i << shift, .bytes = 1ULL << shift,
		};

		if (add(places, &part) == NONE)
			return -ENOMEM;
	}
	return 0;
}

static int divide_all(struct places *places, const struct loaded *const loaded[SIDES])
{
	const unsigned int a = loaded[A]->report.heat->chunk_shift;
	const unsigned int b = loaded[B]->report.heat->chunk_shift;
	const size_t nr = places->nr;
	size_t i;

	for (i = 0; i < nr; i++)
		if (places->place[i].kind == PLACE_MAPPING && divide(places, i, a > b ? a : b))
			return -ENOMEM;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct report_touched *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The page with the most samples of a row of the heat map; @at: moves on to the next row. */
static const struct report_touched *page_of_row(const struct report *report,
						const struct heat_row *row, size_t *at)
{
	const struct report_touched *best = NULL, *page;

	for (; *at < report->nr_touched; ++*at) {
		__u64 chunk;

		page = &report->touched[*at];
		chunk = page->addr >> report->heat->chunk_shift;
		if (page->space > row->space)
			break;
		if (page->space < row->space || chunk < row->chunk)
			continue;
		if (chunk > row->chunk)
			break;
		if (!best || page->count > best->count)
			best = page;
	}
	return best;
}

static void add_row(struct compare_count *count, const struct heat *heat,
		    const struct heat_row *row)
{
	const unsigned int slices = heat_slices(heat);
	unsigned int i;

	for (i = 0; i < slices; i++)
		count->part[i * COMPARE_PARTS / slices] += heat_samples(heat, row, i);
}

/* How the samples of each place are distributed over the time. */
static void count_time(struct places *places, const struct loaded *loaded, int side)
{
	const struct report *report = &loaded->report;
	const struct heat *heat = report->heat;
	size_t at = 0;
	__u32 i;

	qsort(report->touched, report->nr_touched, sizeof(*report->touched), by_address);
	for (i = 0; i < heat->nr_rows; i++) {
		const struct heat_row *row = &heat->row[i];
		const struct report_touched *page = page_of_row(report, row, &at);
		const struct area *area = page ? area_of(places, side, page) : NULL;
		struct place *place, *part;

		if (!area)
			continue;
		place = place_of(places, side, page);
		part = part_at(places, place, page->addr - area->start);
		add_row(&place->count[side], heat, row);
		add_row(&places->place[find(places, PLACE_PROCESS, place->comm, "")].count[side],
			heat, row);
		if (part)
			add_row(&part->count[side], heat, row);
		add_row(&places->all[side], heat, row);
	}
}

/* How much the counts vary of all that is not divided any more. */
static double spread_of_all(const struct places *places, int side)
{
	struct compare_spread spread = {};
	size_t i;

	for (i = 0; i < places->nr; i++)
		if (places->place[i].kind == PLACE_PART ||
		    (places->place[i].kind == PLACE_MAPPING && !places->place[i].nr))
			compare_spread_add(&spread, &places->place[i].count[side],
					   &places->all[side]);
	return compare_spread(&spread);
}

static bool has_share(const struct places *places, const struct place *place, int side)
{
	const double samples = place->count[side].samples;

	return samples && samples >= SHARE_LEAST * places->all[side].samples;
}

/* A sum of both would hide what is hot only in a recording that is much shorter. */
static bool has_enough(const struct places *places, const struct place *place)
{
	return place->count[A].samples + place->count[B].samples >= SAMPLES_LEAST &&
	       (has_share(places, place, A) || has_share(places, place, B));
}

static struct compare_side side_of(const struct places *places, const struct place *place, int side)
{
	struct compare_spread spread = {};

	compare_spread_add(&spread, &place->count[side], &places->all[side]);
	return (struct compare_side) {
		.samples = place->count[side].samples,
		.all = places->all[side].samples,
		.spread = fmax(places->spread[side], compare_spread(&spread)),
	};
}

static int compare(struct places *places, double most)
{
	double *chance = calloc(places->nr + 1, sizeof(*chance));
	bool *differs = calloc(places->nr + 1, sizeof(*differs));
	int ret = chance && differs ? 0 : -ENOMEM;
	size_t i, n = 0;

	for (i = 0; i < places->nr && !ret; i++) {
		struct place *place = &places->place[i];
		const struct compare_side a = side_of(places, place, A);
		const struct compare_side b = side_of(places, place, B);

		place->chance = compare_chance(&a, &b, most);
		if (has_enough(places, place))
			chance[places->compared++] = place->chance;
	}
	if (!ret)
		ret = compare_all(chance, places->compared, differs);
	for (i = 0; i < places->nr && !ret; i++)
		if (has_enough(places, &places->place[i]))
			places->place[i].differs = differs[n++];
	free(chance);
	free(differs);
	return ret;
}

static int name_all(struct places *places, const struct loaded *const loaded[SIDES])
{
	int side, ret = 0;

	for (side = A; side < SIDES && !ret; side++) {
		ret = areas_make(&places->areas[side], &loaded[side]->report);
		places->mapping[side] = calloc(places->areas[side].nr + 1UL, sizeof(size_t));
		if (!places->mapping[side])
			ret = -ENOMEM;
	}
	return ret;
}

int places_make(struct places *places, const struct loaded *const loaded[SIDES], double most)
{
	const bool sources = knows_sources(&loaded[A]->report.counts) &&
			     knows_sources(&loaded[B]->report.counts);
	int ret, side;

	*places = (struct places) {};
	ret = name_all(places, loaded);
	if (!ret)
		ret = add_mappings(places, A);
	if (!ret)
		ret = pair_rest(places);
	if (!ret)
		ret = add_mappings(places, B);
	for (side = A; side < SIDES && !ret; side++) {
		for_pages(places, loaded[side], side, count_mapping);
		if (sources)
			ret = add_sources(places, &loaded[side]->report.counts, side);
	}
	if (!ret)
		ret = divide_all(places, loaded);
	for (side = A; side < SIDES && !ret; side++) {
		for_pages(places, loaded[side], side, count_part);
		count_time(places, loaded[side], side);
		places->spread[side] = spread_of_all(places, side);
	}
	if (!ret)
		ret = compare(places, most);
	if (ret)
		places_free(places);
	return ret;
}

void places_free(struct places *places)
{
	int side;

	for (side = A; side < SIDES; side++) {
		areas_free(&places->areas[side]);
		free(places->mapping[side]);
	}
	idmap_free(&places->by_name);
	free(places->place);
	*places = (struct places) {};
}
