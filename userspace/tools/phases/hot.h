/* SPDX-License-Identifier: GPL-2.0 */
/* Which mappings are hot in the phases of one name, and not in those of any other. */
#ifndef PHASES_HOT_H
#define PHASES_HOT_H

#include "phases.h"
#include "report/report.h"

/**
 * struct hot - a mapping that is hot in the phases of one name
 * @mapping: its number
 * @name: the name
 * @here: its share in the samples of these phases
 * @elsewhere: the largest share that it has in those of another name
 */
struct hot {
	__u32 mapping;
	unsigned int name;
	double here;
	double elsewhere;
};

/**
 * struct hot_list - all of them
 * @hot: by name; those with the largest share first
 * @nr: how many there are
 */
struct hot_list {
	struct hot *hot;
	size_t nr;
};

/**
 * hot_find() - find what is hot in one phase and not in the others
 * @list: filled; free its @hot
 * @phases: the phases
 * @report: their report, with &report_config.curve; its pages are sorted
 *
 * Return: 0 or -ENOMEM.
 */
int hot_find(struct hot_list *list, const struct phases *phases, struct report *report);

#endif /* PHASES_HOT_H */
