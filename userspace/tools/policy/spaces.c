// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "spaces.h"

/* More than usual, which is none. */
#define FIRST	16

static __u64 key_of(__u32 target, __u32 space)
{
	return (__u64)target << 32 | space;
}

/* There are few, so they need no order. Returns the number of spaces if it is not there. */
static size_t find(const struct spaces *spaces, __u64 key)
{
	size_t i;

	for (i = 0; i < spaces->nr && spaces->key[i] != key; i++)
		;
	return i;
}

int spaces_add(struct spaces *spaces, const struct unit *unit)
{
	const __u64 key = key_of(unit->target, unit->space);

	if (find(spaces, key) < spaces->nr)
		return 0;
	if (spaces->nr == spaces->room) {
		const size_t room = spaces->room ? 2 * spaces->room : FIRST;
		__u64 *all = realloc(spaces->key, room * sizeof(*all));

		if (!all)
			return -ENOMEM;
		spaces->key = all;
		spaces->room = room;
	}
	spaces->key[spaces->nr++] = key;
	return 0;
}

void spaces_remove(struct spaces *spaces, const struct htmm_page *page, size_t nr)
{
	for (; spaces->nr && nr; nr--, page++) {
		const size_t at = find(spaces, key_of(page->target, page->space));

		if (page->pid && at < spaces->nr)
			spaces->key[at] = spaces->key[--spaces->nr];
	}
}

bool spaces_have(const struct spaces *spaces, const struct unit *unit)
{
	return find(spaces, key_of(unit->target, unit->space)) < spaces->nr;
}

void spaces_free(struct spaces *spaces)
{
	free(spaces->key);
	*spaces = (struct spaces) {};
}
