/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which mappings are hot in the phases of one name, and not in those of any other; and which ranges
 * of anonymous memory and of heaps, if the whole mapping is not.
 */
#ifndef PHASES_HOT_H
#define PHASES_HOT_H

#include "phases.h"
#include "report/report.h"

/**
 * struct hot - a mapping, or a range of one, that is hot in the phases of one name
 * @mapping: number of the mapping
 * @start: first address of the range
 * @end: the first address after it; 0: the whole mapping
 * @name: the name
 * @here: its share in the samples of these phases
 * @elsewhere: the largest share that it has in those of another name
 */
struct hot {
	__u32 mapping;
	__u64 start;
	__u64 end;
	unsigned int name;
	double here;
	double elsewhere;
};

/**
 * struct hot_list - all of them
 * @hot: by name; those with the largest share first
 * @nr: how many there are
 * @room: private: how many fit
 */
struct hot_list {
	struct hot *hot;
	size_t nr;
	size_t room;
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
