/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The phases of a recording: parts of its time in which the samples are in different memory.
 *
 * The time is cut into windows, and memory into blocks that have about the same number of samples
 * each. In a phase, each sample is in a block with the same probability as all others. So the
 * probability of the counts n of a phase with N samples is largest if it is n / N for each block,
 * and phases are worth
 *
 *	sum of 2 n log(n / N) / D		over all phases and blocks
 *
 * of which each phase more costs what chance would win. If nothing changes, one more border wins
 * a variable of the chi-squared distribution with d = blocks - 1 degrees of freedom (Wilks 1938),
 * which is above
 *
 *	d + 2 sqrt(d x) + 2 x
 *
 * with a probability of at most exp(-x) (Laurent and Massart 2000). x is chosen so that one of all
 * possible parts of the time looks like a phase of its own with a probability of at most 1 %. The
 * best borders of all are found by dynamic programming (Jackson et al. 2005).
 *
 * D is how many times more than by chance the counts of neighbouring windows vary, as samples come
 * in bursts: the median of Pearson's statistics of all pairs of windows, in proportion to that of
 * chance.
 *
 * Then the two phases that are most alike get the same name, again and again, until all that are
 * left differ by more than chance and by more than a margin.
 */
#ifndef PHASES_PHASES_H
#define PHASES_PHASES_H

#include "report/heat.h"

/* Names are letters: phases that are most alike share one, if there would be more. */
#define PHASES_NAMES	26

/**
 * struct phases_config - what is a phase
 * @windows: the time is cut into at most so many
 * @margin: phases are alike if a smaller part of their samples is in other memory, 0 to 1
 */
struct phases_config {
	unsigned int windows;
	double margin;
};

/**
 * struct phase - a part of the time
 * @name: its name; phases of the same name are alike
 * @from: its first slice of the heat map
 * @to: the slice behind its last one
 * @samples: how many it has
 */
struct phase {
	unsigned int name;
	unsigned int from;
	unsigned int to;
	__u64 samples;
};

/**
 * struct phases - the phases of a recording
 * @phase: all of them, in order of time
 * @nr: how many there are
 * @names: how many names they have: 0 to @names - 1, by their first phase
 * @slices: slices of a window; borders are between windows
 * @spread: how many times more than by chance the counts of windows vary; at least 1
 */
struct phases {
	struct phase *phase;
	unsigned int nr;
	unsigned int names;
	unsigned int slices;
	double spread;
};

/**
 * phases_find() - find the phases of a recording
 * @phases: filled; free it with phases_free()
 * @heat: its samples, after heat_sort()
 * @config: what is a phase
 *
 * Return: 0 or -ENOMEM.
 */
int phases_find(struct phases *phases, const struct heat *heat,
		const struct phases_config *config);

void phases_free(struct phases *phases);

#endif /* PHASES_PHASES_H */
