// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "view.h"

static int by_samples(__u64 x, __u64 y, __u32 a, __u32 b)
{
	if (x != y)
		return x > y ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int compare_spaces(const void *a, const void *b, void *arg)
{
	const struct space *space = arg;
	__u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return by_samples(space[x].samples, space[y].samples, x, y);
}

static int compare_mappings(const void *a, const void *b, void *arg)
{
	const struct mapping *mapping = arg;
	__u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return by_samples(mapping[x].samples, mapping[y].samples, x, y);
}

bool report_order_spaces(struct report_order *order, const struct report_view *view)
{
	const struct tasks *tasks = &view->report->tasks;
	__u32 i;

	order->nr = 0;
	order->index = malloc((tasks->nr_spaces + 1UL) * sizeof(*order->index));
	if (!order->index)
		return false;
	for (i = 0; i < tasks->nr_spaces; i++)
		if (tasks->space[i].samples)
			order->index[order->nr++] = i;
	qsort_r(order->index, order->nr, sizeof(*order->index), compare_spaces, tasks->space);
	return true;
}

bool report_order_mappings(struct report_order *order, const struct report_view *view)
{
	const struct tasks *tasks = &view->report->tasks;
	__u32 i;

	order->nr = 0;
	order->index = malloc((tasks->nr_mappings + 1UL) * sizeof(*order->index));
	if (!order->index)
		return false;
	for (i = 0; i < tasks->nr_mappings; i++)
		if (tasks->mapping[i].samples)
			order->index[order->nr++] = i;
	qsort_r(order->index, order->nr, sizeof(*order->index), compare_mappings, tasks->mapping);
	return true;
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
	return mapping < 0 ? "[unmapped]" : view->report->tasks.mapping[mapping].name;
}

const char *report_event_name(const struct report_view *view, __u32 event, char *buf, size_t size)
{
	const struct perfdata_evsel *evsel = &view->events->event[event];

	if (evsel->name)
		return evsel->name;
	snprintf(buf, size, "type %u, config 0x%llx", evsel->attr.type, evsel->attr.config);
	return buf;
}
