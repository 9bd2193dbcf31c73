// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "view.h"

static int by_name(const void *a, const void *b)
{
	const struct report_command *x = a, *y = b;

	return strcmp(x->comm, y->comm);
}

static int by_samples(const void *a, const void *b)
{
	const struct report_command *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return by_name(a, b);
}

/* Equal names are neighbours, and are merged. */
static __u32 sum_up(struct report_command *command, __u32 nr)
{
	__u32 i, last = 0;

	for (i = 1; i < nr; i++) {
		if (strcmp(command[last].comm, command[i].comm)) {
			command[++last] = command[i];
			continue;
		}
		command[last].processes++;
		command[last].samples += command[i].samples;
		command[last].pages += command[i].pages;
		command[last].hot_pages += command[i].hot_pages;
	}
	return nr ? last + 1 : 0;
}

struct report_command *report_commands(const struct report_view *view, __u32 *nr)
{
	const struct tasks *tasks = &view->report->tasks;
	struct report_command *command = calloc(tasks->nr_spaces + 1UL, sizeof(*command));
	__u32 i, n = 0;

	*nr = 0;
	if (!command)
		return NULL;
	for (i = 0; i < tasks->nr_spaces; i++) {
		const struct space *space = &tasks->space[i];

		if (!space->samples)
			continue;
		command[n++] = (struct report_command) {
			.comm = space->comm, .processes = 1, .samples = space->samples,
			.pages = space->pages, .hot_pages = space->hot_pages,
		};
	}
	qsort(command, n, sizeof(*command), by_name);
	n = sum_up(command, n);
	qsort(command, n, sizeof(*command), by_samples);
	*nr = view->max && view->max < n ? view->max : n;
	return command;
}
