/* SPDX-License-Identifier: GPL-2.0 */
/* What two reports are compared by: processes, what served samples, mappings and their parts. */
#ifndef DIFF_PLACES_H
#define DIFF_PLACES_H

#include "areas.h"
#include "report/compare.h"
#include "report/load.h"

/* The first recording and the second one. */
enum { A, B, SIDES };

/* A mapping has at most so many parts, each with this many samples on average. */
#define PLACES_PARTS	64
#define PLACES_SAMPLES	50

enum place_kind { PLACE_PROCESS, PLACE_SOURCE, PLACE_MAPPING, PLACE_PART };

/**
 * struct place - what the samples of both recordings are compared by
 * @kind: what it is
 * @comm: name of its process; "": of all
 * @name: its name: of its mapping, or of what served the samples; "": a process
 * @start: of a part, its first byte, from that of the mapping
 * @bytes: how many it has
 * @whole: of a mapping: it has no parts that are the same in each run
 * @first: of a mapping, index of its first part
 * @nr: how many parts it has, one after the other
 * @count: its samples, by recording
 * @pages: pages that have them
 * @chance: probability of so large a difference by chance
 * @differs: the difference is more than chance
 */
struct place {
	enum place_kind kind;
	const char *comm;
	const char *name;
	__u64 start;
	__u64 bytes;
	bool whole;
	size_t first;
	size_t nr;
	struct compare_count count[SIDES];
	__u64 pages[SIDES];
	double chance;
	bool differs;
};

/**
 * struct places - all of them
 * @place: all of them
 * @nr: how many there are
 * @compared: those that have enough samples
 * @all: all samples, by recording
 * @spread: how much counts vary, by recording
 */
struct places {
	struct place *place;
	size_t nr;
	size_t compared;
	struct compare_count all[SIDES];
	double spread[SIDES];

	/* private: */
	struct areas areas[SIDES];
	size_t room;
	struct idmap by_name;
	size_t *mapping[SIDES];		/* the place of a mapping, by its number */
};

/* The share of a place in the samples of a recording. */
static inline double place_share(const struct places *places, const struct place *place, int side)
{
	return place->count[side].samples / places->all[side].samples;
}

/* Is it hotter in the second recording? */
static inline bool place_rises(const struct places *places, const struct place *place)
{
	return place_share(places, place, B) > place_share(places, place, A);
}

/**
 * places_make() - compare two reports
 * @places: filled; free it with places_free()
 * @loaded: the reports, with &report_config.curve; they must exist as long as @places
 * @most: the shares of a place differ if one is more than this many times the other
 *
 * Return: 0 or -ENOMEM.
 */
int places_make(struct places *places, const struct loaded *const loaded[SIDES], double most);

void places_free(struct places *places);

#endif /* DIFF_PLACES_H */
