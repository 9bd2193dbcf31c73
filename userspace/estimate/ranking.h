/* SPDX-License-Identifier: GPL-2.0 */
/* The pages with the highest estimated rates, of those that were sampled and those between them. */
#ifndef ESTIMATE_RANKING_H
#define ESTIMATE_RANKING_H

#include <stdbool.h>
#include "estimate.h"

/**
 * struct pages - an array that grows
 * @page: the pages
 * @nr: how many there are
 * @room: how many there may be
 */
struct pages {
	struct estimate_page *page;
	size_t nr;
	size_t room;
};

/**
 * struct ranking - the pages with the highest rates
 * @most: how many are wanted; 0: all
 * @mapped: tells if two pages of an address space are in the same mapping
 * @arg: for @mapped
 * @best: at the end, the pages, those with the highest rates first
 *
 * The user sets the first three. What lies between two sampled pages of a mapping is taken to be
 * memory, too, if it is at most 2 MiB.
 */
struct ranking {
	size_t most;
	bool (*mapped)(void *arg, const struct estimate_page *page,
		       const struct estimate_page *next);
	void *arg;
	struct pages best;

	/* private: */
	struct pages some;
	bool cut;
};

/* Adds a sampled page. They come by space, then number. Returns 0 or -ENOMEM. */
int ranking_add(struct ranking *ranking, const struct estimate_page *page);

/* To be called after the last page: estimates, and sorts. Returns 0 or -ENOMEM. */
int ranking_end(struct ranking *ranking);

/* Frees what it has, also after an error. */
void ranking_free(struct ranking *ranking);

#endif /* ESTIMATE_RANKING_H */
