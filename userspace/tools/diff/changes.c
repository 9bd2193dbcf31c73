// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "changes.h"
#include "lib/array.h"

/* What one place has lost and another has won is the same if it differs by less than this part. */
#define MOVED_ALIKE	0.25
/* What has moved has left at least this part behind, on at most so many times as many pages. */
#define MOVED_LEAST	0.5
#define MOVED_PAGES	2.0

double change_size(const struct change *change)
{
	return fabs(change->at.share[B] - change->at.share[A]);
}

static int add(struct changes *changes, const struct range *range)
{
	struct change *grown = array_grow(changes->change, changes->nr, &changes->room,
					  sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	changes->change = grown;
	grown[changes->nr++] = (struct change) {
		.kind = range->share[B] > range->share[A] ? CHANGE_HOT : CHANGE_COLD,
		.at = *range,
	};
	return 0;
}

static int add_whole(struct changes *changes, const struct places *places,
		     const struct place *place)
{
	return add(changes, &(struct range) {
		.mapping = place, .end = place->bytes, .whole = true,
		.share = { place_share(places, place, A), place_share(places, place, B) },
		.pages = { place->pages[A], place->pages[B] },
	});
}

/* 1: it is hotter in the second recording, -1: in the first, 0: neither. */
static int direction(const struct places *places, const struct place *place, double most)
{
	const double a = place_share(places, place, A), b = place_share(places, place, B);

	return b > most * a ? 1 : a > most * b ? -1 : 0;
}

/* The parts from @from on that have changed like it; some of them surely: returns how many. */
static size_t take_range(const struct places *places, const struct place *mapping, size_t from,
			 double most, struct range *range, bool *sure)
{
	const struct place *part = &places->place[mapping->first];
	const int way = direction(places, &part[from], most);
	size_t i;

	*range = (struct range) { .mapping = mapping, .start = part[from].start };
	*sure = false;
	for (i = from; i < mapping->nr && direction(places, &part[i], most) == way; i++) {
		range->end = part[i].start + part[i].bytes;
		range->share[A] += place_share(places, &part[i], A);
		range->share[B] += place_share(places, &part[i], B);
		range->pages[A] += part[i].pages[A];
		range->pages[B] += part[i].pages[B];
		*sure = *sure || part[i].differs;
	}
	*sure = *sure && way;
	if (range->end > mapping->bytes)
		range->end = mapping->bytes;
	range->whole = range->pages[A] == mapping->pages[A] &&
		       range->pages[B] == mapping->pages[B];
	return i - from;
}

static int add_mapping(struct changes *changes, const struct places *places,
		       const struct place *mapping, double most)
{
	const size_t before = changes->nr;
	struct range range;
	size_t i = 0;
	bool sure;

	while (i < mapping->nr) {
		i += take_range(places, mapping, i, most, &range, &sure);
		if (sure && add(changes, &range))
			return -ENOMEM;
	}
	return mapping->differs && changes->nr == before ?
	       add_whole(changes, places, mapping) : 0;
}

static bool alike(double a, double b, double part)
{
	return fabs(a - b) <= part * fmax(a, b);
}

/* Has what was at @from gone to @to? */
static bool has_moved(const struct change *from, const struct change *to)
{
	const double lost = change_size(from), won = change_size(to);

	return from->kind == CHANGE_COLD && to->kind == CHANGE_HOT &&
	       !strcmp(from->at.mapping->comm, to->at.mapping->comm) &&
	       alike(lost, won, MOVED_ALIKE) &&
	       lost >= MOVED_LEAST * from->at.share[A] && won >= MOVED_LEAST * to->at.share[B] &&
	       from->at.pages[A] <= MOVED_PAGES * to->at.pages[B] &&
	       to->at.pages[B] <= MOVED_PAGES * from->at.pages[A];
}

static int by_size(const void *a, const void *b)
{
	const double x = change_size(a), y = change_size(b);

	return x > y ? -1 : x < y;
}

/* The largest first: each is taken for the one that is most like it. */
static void find_moved(struct changes *changes)
{
	size_t i, j, nr = 0;

	for (i = 0; i < changes->nr; i++) {
		struct change *from = &changes->change[i], *best = NULL;

		for (j = 0; j < changes->nr; j++) {
			struct change *to = &changes->change[j];

			if (!to->taken && has_moved(from, to) &&
			    (!best || fabs(change_size(to) - change_size(from)) <
				      fabs(change_size(best) - change_size(from))))
				best = to;
		}
		if (!best)
			continue;
		from->kind = CHANGE_MOVED;
		from->to = best->at;
		best->taken = true;
	}
	for (i = 0; i < changes->nr; i++)
		if (!changes->change[i].taken)
			changes->change[nr++] = changes->change[i];
	changes->nr = nr;
}

int changes_make(struct changes *changes, const struct places *places, double most)
{
	int ret = 0;
	size_t i;

	*changes = (struct changes) {};
	for (i = 0; i < places->nr && !ret; i++)
		if (places->place[i].kind == PLACE_MAPPING)
			ret = add_mapping(changes, places, &places->place[i], most);
	if (ret) {
		changes_free(changes);
		return ret;
	}
	if (changes->nr)
		qsort(changes->change, changes->nr, sizeof(*changes->change), by_size);
	find_moved(changes);
	return 0;
}

void changes_free(struct changes *changes)
{
	free(changes->change);
	*changes = (struct changes) {};
}
