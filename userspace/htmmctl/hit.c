// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "hit.h"

/* Does the capacity hold all pages? */
static bool fits(const struct hit *hit)
{
	return hit->at.pages >= hit->pages;
}

struct hit hit_at(const struct curve *curve, __u64 capacity)
{
	struct hit hit = {
		.known = true,
		.samples = curve->samples,
		.pages = curve->pages,
		.census = curve->census,
		.at = curve_at(curve, capacity),
	};

	hit.few = curve->few && !fits(&hit);
	return hit;
}

int hit_tally(struct hit *hit, const struct tally *tally, const struct curve_config *config,
	      __u64 capacity)
{
	struct curve *curve = malloc(sizeof(*curve));
	int ret = curve ? curve_make(curve, tally, config) : -ENOMEM;

	if (!ret)
		*hit = hit_at(curve, capacity);
	free(curve);
	return ret;
}

void hit_words(char *text, size_t size, const struct hit *hit)
{
	if (!hit->samples)
		snprintf(text, size, "unknown: no samples");
	else if (hit->few)
		snprintf(text, size, "unknown: too few samples (%llu)", hit->samples);
	else if (hit->census || fits(hit) || !hit->at.pages)
		snprintf(text, size, "%.1f%%", 100 * hit->at.hit);
	else
		snprintf(text, size, "%.1f%% (%.1f to %.1f)", 100 * hit->at.hit,
			 100 * hit->at.low, 100 * hit->at.high);
}

void hit_print(FILE *file, const struct hit *hit)
{
	char words[HIT_WORDS];

	hit_words(words, sizeof(words), hit);
	if (!hit->samples || hit->few)
		fprintf(file, "%s\n", words);
	else if (fits(hit))
		fprintf(file, "%s, as all of these fit; see --capacity\n", words);
	else
		fprintf(file, "%s with the hottest pages there\n", words);
}
