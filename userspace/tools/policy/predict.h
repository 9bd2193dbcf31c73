/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many samples a page will gain: what pages of its class were seen to gain. A class is the
 * tier, the size, the bin of the count since the last phase change and the bin of what was gained
 * lately.
 *
 * The mean over a class corrects what a count alone gets wrong: of pages that are all used
 * alike, those with the most samples were only lucky, and will gain as little as the others;
 * pages that a program reads once gain nothing more. What was counted before a phase change is left
 * out: else those that were hot then would be in the classes of those that are now.
 *
 * What is learnt is by how many times a class gains more, or less, than lately. A number of
 * samples would be misleading: pages with one sample in a long time are colder than those with
 * one in a short time, and at the beginning the time gets longer from look to look. How much colder
 * depends on what part of a sample is chance; see predict_rescale().
 */
#ifndef POLICY_PREDICT_H
#define POLICY_PREDICT_H

#include <assert.h>
#include "units.h"

/* Bins of counts, and of gains. */
#define PREDICT_COUNTS	30
#define PREDICT_GAINS	8
#define PREDICT_CLASSES	(4 * PREDICT_COUNTS * PREDICT_GAINS)
static_assert(PREDICT_CLASSES <= 1 << 10, "struct unit has 10 bits for a class");

/**
 * struct predictor - what classes gain
 * @pages: pages of 4 KiB that were seen, old ones counting less
 * @gain: samples that they gained, in as much time as their recent gains are of
 * @lately: recent gains of all units learnt of since the last predict_rescale()
 * @again: samples that these units gained in as much time; those without recent gains are left out
 * @alive: and their pages of 4 KiB
 * @value: samples that each class is expected to gain in a second, for a page of 4 KiB
 * @position: for each class, its number by @value: 0 has the highest one
 */
struct predictor {
	double pages[PREDICT_CLASSES];
	double gain[PREDICT_CLASSES];
	double lately;
	double again;
	double alive;
	double value[PREDICT_CLASSES];
	__u16 position[PREDICT_CLASSES];
};

/**
 * predict_class() - the class of a unit
 * @unit: the unit, of which all but the class is set
 */
unsigned int predict_class(const struct unit *unit);

/**
 * predict_forget() - let what was learnt so far count less, before a new look
 * @predictor: the predictor
 * @all: forget it all
 */
void predict_forget(struct predictor *predictor, bool all);

/**
 * predict_learn() - a unit has gained samples
 * @predictor: the predictor
 * @unit: the unit, as of the previous look
 * @gain: what it has gained since then
 * @times: how many times longer that took than its recent gain
 */
void predict_learn(struct predictor *predictor, const struct unit *unit, __u32 gain,
		   double times);

/**
 * predict_rescale() - what was learnt was of recent gains of another time
 * @predictor: the predictor, after it has learnt of all units of a look
 * @times: recent gains are of so many times as long from now on
 * @was: recent gain of a page until now, on average
 * @mean: samples that a page gained on average in as much time, since the previous look
 *
 * If each page has its own rate, those that gained a sample in a longer time are colder. The more
 * they are alike, the less: who gained the sample was chance. For rates with a gamma distribution,
 * a page with k samples in a time t has the rate (a + k) / (b + t), and b is a / mean (Robbins
 * 1956; Maritz, Empirical Bayes Methods, 1970). How much more than the mean those with samples
 * gained, compared with what they had gained before, tells b. If they did not gain clearly more, it
 * cannot be told: perhaps nearly all pages have samples, or the program has left those that had.
 * Then nothing changes.
 */
void predict_rescale(struct predictor *predictor, double times, double was, double mean);

/**
 * predict_values() - find what pages of each class will gain
 * @predictor: the predictor, of which values and positions are set
 * @seconds: the time in which recent gains were gained
 *
 * Counts decay by halving and order the pages (MEMTIS, SOSP 2023). But the best of many equal
 * pages are lucky ones, and a program that streams leaves counts behind, so what a count is
 * worth is measured (in the spirit of Robbins' empirical Bayes estimator; streaming is where
 * reviewers of the kernel's pghot series saw promotion hurt).
 */
void predict_values(struct predictor *predictor, double seconds);

/**
 * predict_by_count() - the same, if the future were as the counts
 * @predictor: the predictor
 * @seconds: the time in which counts were gained
 */
void predict_by_count(struct predictor *predictor, double seconds);

#endif /* POLICY_PREDICT_H */
