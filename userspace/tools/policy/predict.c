// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include "predict.h"

/* What was learnt one look earlier counts this much. */
#define MEMORY		0.5
/*
 * If a class was hardly seen, what is known of similar ones counts as so many pages of it; and
 * there, what a page gained lately as so many.
 */
#define ALIKE_PAGES		8
#define PERSISTENT_PAGES	0.25
/* With fewer samples gained lately, pages are assumed to continue as before. */
#define PERSISTENT_SAMPLES	100
/* A difference is not chance if it is so many standard errors of a Poisson distribution. */
#define SURE_ERRORS		2
/* Bins of gains begin with this part of a sample. */
#define GAIN_PARTS	4
/* Pages of 4 KiB in a huge page. */
#define HUGE_PAGES	(1U << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT))

/* Binary digits of a number, after its first one, that are a part of its bin. */
#define COUNT_DIGITS	1
#define GAIN_DIGITS	0

/* Small numbers have a bin of their own; then there are 2^@digits bins for each doubling. */
static unsigned int bin(__u32 number, unsigned int digits, unsigned int bins)
{
	unsigned int nr = number, shift;

	if (number >> digits) {
		shift = 31 - __builtin_clz(number) - digits;
		nr = (shift << digits) + (number >> shift);
	}
	return nr < bins ? nr : bins - 1;
}

/* The number in the middle of a bin. */
static double middle(unsigned int nr, unsigned int digits)
{
	unsigned int shift = nr >> digits;

	if (shift < 2)
		return nr;
	shift--;
	return ((nr - (shift << digits)) + 0.5) * (1U << shift);
}

unsigned int predict_class(const struct unit *unit)
{
	const __u32 count = unit->samples > unit->earlier ? unit->samples - unit->earlier : 0;
	unsigned int class = 2 * unit->fast + (unit->pages > 1);

	class = class * PREDICT_COUNTS + bin(count, COUNT_DIGITS, PREDICT_COUNTS);
	return class * PREDICT_GAINS + bin(unit->recent * GAIN_PARTS, GAIN_DIGITS, PREDICT_GAINS);
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
	if (unit->recent > 0) {
		predictor->lately += unit->recent;
		predictor->again += gain / times;
		predictor->alive += unit->pages;
	}
}

void predict_rescale(struct predictor *predictor, double times, double was, double mean)
{
	const double usual = mean * predictor->alive;
	/* The program may do more, or less, than before. */
	const double lately = was > 0 ? predictor->lately * mean / was : 0;
	const double more = predictor->again - usual;
	const double less = fmax(lately - predictor->again, 0);
	double scale = 1;
	unsigned int i;

	/* In a time t a class gains t * (a + k) / (b + t); here b is t * less / more. */
	if (more > SURE_ERRORS * sqrt(usual))
		scale = times * (less + more) / (less + times * more);
	predictor->lately = 0;
	predictor->again = 0;
	predictor->alive = 0;
	for (i = 0; i < PREDICT_CLASSES; i++)
		predictor->gain[i] *= scale;
}

/* Before anything was learnt: a page gains as much as lately. */
static double persistent(unsigned int class)
{
	return middle(class % PREDICT_GAINS, GAIN_DIGITS) / GAIN_PARTS / size_of(class);
}

static double mean(double gain, double pages, double prior, double weight)
{
	return (gain + weight * prior) / (pages + weight);
}

/*
 * How much the units of a tier and a size gained, relative to what they had gained lately: about 1
 * for hot ones, and 0 for those that a program reads once, one after the other.
 */
static double persistence(const struct predictor *predictor, unsigned int first)
{
	unsigned int end = first + PREDICT_COUNTS * PREDICT_GAINS, i;
	double gain = 0, lately = 0;

	for (i = first; i < end; i++) {
		if (i % PREDICT_GAINS)
			gain += predictor->gain[i];
		lately += predictor->pages[i] * persistent(i);
	}
	return fmin(mean(gain, lately, 1, PERSISTENT_SAMPLES), 1);
}

/* Of classes that differ only in their count, of which @first has the lowest one. */
static void alike_values(struct predictor *predictor, unsigned int first, double again,
			 double seconds)
{
	unsigned int end = first + PREDICT_COUNTS * PREDICT_GAINS, i;
	double gain = 0, pages = 0, size = size_of(first), alike;

	for (i = first; i < end; i += PREDICT_GAINS) {
		gain += predictor->gain[i];
		pages += predictor->pages[i];
	}
	alike = mean(gain, pages, again * persistent(first), PERSISTENT_PAGES * size);
	for (i = first; i < end; i += PREDICT_GAINS)
		predictor->value[i] = mean(predictor->gain[i], predictor->pages[i], alike,
					   ALIKE_PAGES * size) / seconds;
}

static int by_value(const void *a, const void *b, void *values)
{
	const __u16 x = *(const __u16 *)a, y = *(const __u16 *)b;
	const double *value = values;

	if (value[x] != value[y])
		return value[x] < value[y] ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void sort_classes(struct predictor *predictor)
{
	__u16 rank[PREDICT_CLASSES];
	unsigned int i;

	for (i = 0; i < PREDICT_CLASSES; i++)
		rank[i] = i;
	qsort_r(rank, PREDICT_CLASSES, sizeof(*rank), by_value, predictor->value);
	for (i = 0; i < PREDICT_CLASSES; i++)
		predictor->position[rank[i]] = i;
}

void predict_values(struct predictor *predictor, double seconds)
{
	unsigned int first, gain;
	double again;

	for (first = 0; first < PREDICT_CLASSES; first += PREDICT_COUNTS * PREDICT_GAINS) {
		again = persistence(predictor, first);
		for (gain = 0; gain < PREDICT_GAINS; gain++)
			alike_values(predictor, first + gain, again, seconds);
	}
	sort_classes(predictor);
}

void predict_by_count(struct predictor *predictor, double seconds)
{
	unsigned int i;

	for (i = 0; i < PREDICT_CLASSES; i++)
		predictor->value[i] = middle(i / PREDICT_GAINS % PREDICT_COUNTS, COUNT_DIGITS) /
				      seconds / size_of(i);
	sort_classes(predictor);
}
