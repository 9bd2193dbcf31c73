// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tally.h"

static int add_large(struct tally *tally, __u32 count)
{
	const size_t room = tally->room ? 2 * tally->room : 64;
	__u32 *large;

	if (tally->nr_large == tally->room) {
		large = realloc(tally->large, room * sizeof(*large));
		if (!large)
			return -ENOMEM;
		tally->large = large;
		tally->room = room;
	}
	tally->large[tally->nr_large++] = count;
	return 0;
}

int tally_add(struct tally *tally, __u32 count)
{
	if (!count)
		return 0;
	if (count < TALLY_EXACT)
		tally->pages[count]++;
	else if (add_large(tally, count))
		return -ENOMEM;
	tally->samples += count;
	tally->nr++;
	return 0;
}

void tally_free(struct tally *tally)
{
	free(tally->large);
	memset(tally, 0, sizeof(*tally));
}
