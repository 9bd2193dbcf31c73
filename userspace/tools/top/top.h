/* SPDX-License-Identifier: GPL-2.0 */
/* What `top` shows, and how keys change it; independent of the terminal. */
#ifndef TOP_TOP_H
#define TOP_TOP_H

#include "activity.h"

/* Keys that are not characters. */
enum top_key { TOP_UP = 256, TOP_DOWN, TOP_PAGE_UP, TOP_PAGE_DOWN, TOP_HOME, TOP_BACKSPACE };

#define TOP_INTERVAL_MIN	100
#define TOP_INTERVAL_MAX	3600000

/**
 * struct top - what is shown
 * @now: the last look at the session
 * @was: the one before
 * @activity: activity between them
 * @maps: all mappings of the last look
 * @nr_maps: how many there are
 * @samples: the sum of their samples
 * @shown: those that pass @filter, sorted by @order
 * @nr_shown: how many there are
 * @max_pages: the hottest pages that a look reads; 0: all
 * @interval_ms: between two looks
 * @order: sort order of the mappings
 * @filter: what they must contain
 * @scroll: how many of @shown are above the screen
 * @editing: the user types @filter
 * @paused: no looks are taken
 * @help: the help on keys is shown
 * @quit: the user wants to quit
 */
struct top {
	struct results now;
	struct results was;
	struct activity activity;
	struct mapping *maps;
	size_t nr_maps;
	__u64 samples;
	struct mapping *shown;
	size_t nr_shown;
	__s64 max_pages;
	unsigned int interval_ms;
	enum order order;
	char filter[64];
	size_t scroll;
	bool editing;
	bool paused;
	bool help;
	bool quit;
};

/**
 * top_look() - look at the session
 * @top: updated
 * @err: says what went wrong
 *
 * Does not keep the device open, so the module can be removed meanwhile.
 *
 * Return: 0, -ENODATA (there is no session) or another negative errno.
 */
int top_look(struct top *top, struct htmm_error *err);

/**
 * top_key() - do what a key asks for
 * @top: changed
 * @key: a character or enum top_key; others do nothing
 * @page: mappings on a screen
 */
void top_key(struct top *top, int key, size_t page);

/**
 * top_free() - free what the looks have read
 * @top: the looks
 */
void top_free(struct top *top);

#endif /* TOP_TOP_H */
