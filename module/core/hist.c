// SPDX-License-Identifier: GPL-2.0
#include "hist.h"

void htmm_hist_cool(struct htmm_hist *hist)
{
	hist->bin[0] += hist->bin[1];
	memmove(&hist->bin[1], &hist->bin[2], (HTMM_NR_BINS - 2) * sizeof(hist->bin[0]));
	hist->bin[HTMM_NR_BINS - 1] = 0;
}

void htmm_hist_merge(struct htmm_hist *hist, const struct htmm_hist *other)
{
	unsigned int b;

	for (b = 0; b < HTMM_NR_BINS; b++)
		hist->bin[b] += other->bin[b];
}

u64 htmm_hist_pages_from(const struct htmm_hist *hist, unsigned int bin)
{
	u64 pages = 0;

	for (; bin < HTMM_NR_BINS; bin++)
		pages += hist->bin[bin];
	return pages;
}

unsigned int htmm_hist_hot_threshold(const struct htmm_hist *hist, u64 capacity)
{
	unsigned int b = HTMM_NR_BINS;
	u64 pages = 0;

	while (b > 1) {
		pages += hist->bin[b - 1];
		if (pages > capacity)
			break;
		b--;
	}
	return b;
}

unsigned int htmm_hist_warm_threshold(const struct htmm_hist *hist, u64 capacity, unsigned int hot)
{
	u64 three_quarters = capacity - capacity / 4;

	if (hot > 1 && htmm_hist_pages_from(hist, hot) < three_quarters)
		return hot - 1;
	return hot;
}
