// SPDX-License-Identifier: GPL-2.0
#include "predict.h"

/* What was seen one look earlier counts this much. */
#define MEMORY		0.5
/* Pages of a class that have to be seen until what they gain counts half. */
#define PRIOR_PAGES	2
/* Pages of 4 KiB in a huge page. */
#define HUGE_PAGES	(1U << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT))

/* 0 for 0, else one more than the base-2 logarithm, below @bins. */
static unsigned int bin(__u32 number, unsigned int bins)
{
	unsigned int nr = number ? 32 - __builtin_clz(number) : 0;

	return nr < bins ? nr : bins - 1;
}

/* The number in the middle of a bin. */
static double middle(unsigned int nr)
{
	return nr < 2 ? nr : 0.75 * (1U << nr);
}

unsigned int predict_class(const struct unit *unit)
{
	unsigned int class = 2 * unit->fast + (unit->pages > 1);

	class = class * PREDICT_COUNTS + bin(unit->samples, PREDICT_COUNTS);
	return class * PREDICT_GAINS + bin(unit->gain, PREDICT_GAINS);
}

static double size_of(unsigned int class)
{
	return class / PREDICT_GAINS / PREDICT_COUNTS % 2 ? HUGE_PAGES : 1;
}

void predict_forget(struct predictor *predictor, bool all)
{
	double memory = all ? 0 : MEMORY;
	unsigned int i;

	for (i = 0; i < PREDICT_CLASSES; i++) {
		predictor->pages[i] *= memory;
		predictor->gain[i] *= memory;
	}
}

void predict_learn(struct predictor *predictor, const struct unit *unit, __u32 gain,
		   double seconds)
{
	predictor->pages[unit->class] += unit->pages;
	predictor->gain[unit->class] += gain / seconds;
}

/* Until something was seen: it goes on as it was since the last look. */
static double prior(unsigned int class, double seconds)
{
	return middle(class % PREDICT_GAINS) / seconds / size_of(class);
}

double predict_value(const struct predictor *predictor, unsigned int class, double seconds)
{
	double weight = PRIOR_PAGES * size_of(class);

	return (predictor->gain[class] + weight * prior(class, seconds)) /
	       (predictor->pages[class] + weight);
}

double predict_by_count(unsigned int class, double seconds)
{
	return middle(class / PREDICT_GAINS % PREDICT_COUNTS) / seconds / size_of(class);
}
