// SPDX-License-Identifier: GPL-2.0
#include "predict.h"

/* What was seen one look earlier counts this much. */
#define MEMORY		0.5
/*
 * If a class was hardly seen, what is known of similar ones counts as so many pages of it; and
 * there, what a page gained lately as so many.
 */
#define ALIKE_PAGES		8
#define PERSISTENT_PAGES	0.25
/* Bins of gains begin with this part of a sample. */
#define GAIN_PARTS	4
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
	return class * PREDICT_GAINS + bin(unit->recent * GAIN_PARTS, PREDICT_GAINS);
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
		   double times)
{
	predictor->pages[unit->class] += unit->pages;
	predictor->gain[unit->class] += gain / times;
}

/* Until anything was seen: it goes on as it was lately. */
static double persistent(unsigned int class)
{
	return middle(class % PREDICT_GAINS) / GAIN_PARTS / size_of(class);
}

static double mean(double gain, double pages, double prior, double weight)
{
	return (gain + weight * prior) / (pages + weight);
}

/* What was seen of the classes that differ only in their count. */
static double alike(const struct predictor *predictor, unsigned int class)
{
	unsigned int first = class - class / PREDICT_GAINS % PREDICT_COUNTS * PREDICT_GAINS, i;
	double gain = 0, pages = 0;

	for (i = first; i < first + PREDICT_COUNTS * PREDICT_GAINS; i += PREDICT_GAINS) {
		gain += predictor->gain[i];
		pages += predictor->pages[i];
	}
	return mean(gain, pages, persistent(class), PERSISTENT_PAGES * size_of(class));
}

double predict_value(const struct predictor *predictor, unsigned int class, double seconds)
{
	return mean(predictor->gain[class], predictor->pages[class],
		    alike(predictor, class), ALIKE_PAGES * size_of(class)) / seconds;
}

double predict_by_count(unsigned int class, double seconds)
{
	return middle(class / PREDICT_GAINS % PREDICT_COUNTS) / seconds / size_of(class);
}
