// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <htmm/htmm.h>
#include "capacity.h"
#include "output.h"

__u64 capacity_default(void)
{
	struct htmm_tiers tiers;

	if (htmm_tiers_read(&tiers, NULL, NULL) || !tiers.ranked)
		return 0;
	return tiers.fast_bytes;
}

const char *capacity_words(char text[CAPACITY_WORDS], __u64 pages)
{
	const __u64 bytes = pages << HTMM_PAGE_SHIFT;
	struct htmm_tiers tiers;
	char size[SIZE_TEXT];
	bool all = !htmm_tiers_read(&tiers, NULL, NULL) && bytes >= tiers.total_bytes;

	snprintf(text, CAPACITY_WORDS, "%llu pages (%s)%s", pages, size_text(size, bytes),
		 all ? ": " CAPACITY_ALL : "");
	return text;
}
