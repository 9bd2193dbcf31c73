// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "view.h"

/**
 * struct ranking - what is sorted
 * @tasks: the processes
 * @samples: the samples of the element with a number
 */
struct ranking {
	const struct tasks *tasks;
	__u64 (*samples)(const struct tasks *tasks, __u32 number);
};

static __u64 space_samples(const struct tasks *tasks, __u32 number)
{
	return tasks->space[number].samples;
}

static __u64 mapping_samples(const struct tasks *tasks, __u32 number)
{
	return tasks->mapping[number].samples;
}

static int by_samples(const void *a, const void *b, void *arg)
{
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;
	const struct ranking *by = arg;
	const __u64 more = by->samples(by->tasks, x), less = by->samples(by->tasks, y);

	if (more != less)
		return more > less ? -1 : 1;
	return x < y ? -1 : x > y;
}

static struct report_order sort(const struct report_view *view, __u32 nr, struct ranking by)
{
	struct report_order order = { .index = malloc((nr + 1UL) * sizeof(*order.index)) };
	__u32 i;

	if (!order.index)
		return order;
	for (i = 0; i < nr; i++)
		if (by.samples(by.tasks, i))
			order.index[order.nr++] = i;
	qsort_r(order.index, order.nr, sizeof(*order.index), by_samples, &by);
	if (view->max && view->max < order.nr)
		order.nr = view->max;
	return order;
}

struct report_order report_order_spaces(const struct report_view *view)
{
	const struct tasks *tasks = &view->report->tasks;

	return sort(view, tasks->nr_spaces, (struct ranking) { tasks, space_samples });
}

struct report_order report_order_mappings(const struct report_view *view)
{
	const struct tasks *tasks = &view->report->tasks;

	return sort(view, tasks->nr_mappings, (struct ranking) { tasks, mapping_samples });
}

__u64 report_duration(const struct report_view *view)
{
	return view->report->heat->last - view->report->heat->start;
}

__u64 report_column_ns(const struct report_view *view)
{
	return (__u64)view->panels.column_slices << view->report->heat->slice_shift;
}

const char *report_mapping_name(const struct report_view *view, __s64 mapping)
{
	return mapping < 0 ? "[unknown]" : view->report->tasks.mapping[mapping].name;
}

const char *report_event_name(const struct report_view *view, __u32 event, char *buf, size_t size)
{
	const struct perfdata_evsel *evsel = &view->events->event[event];

	if (evsel->name)
		return evsel->name;
	snprintf(buf, size, "type %u, config 0x%llx", evsel->attr.type, evsel->attr.config);
	return buf;
}
