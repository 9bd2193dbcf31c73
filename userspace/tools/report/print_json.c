// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "htmmctl/view.h"
#include "htmmctl/output.h"
#include "htmmctl/placement.h"
#include "estimate/rate.h"
#include "view.h"

static struct json_object *losses_json(const struct report_counts *counts)
{
	struct json_object *obj = json_object_new_object();

	json_add_u64(obj, "no_addr", counts->no_addr);
	json_add_u64(obj, "kernel_addr", counts->kernel_addr);
	json_add_u64(obj, "table_full", counts->no_memory);
	json_add_u64(obj, "before", counts->lost);
	return obj;
}

static struct json_object *sources_json(const struct report_counts *counts)
{
	struct json_object *obj = json_object_new_object();
	int i;

	for (i = 0; i < HTMM_NR_SOURCES; i++)
		json_add_u64(obj, report_source_name(i), counts->served[i]);
	return obj;
}

static struct json_object *events_json(const struct report_view *view)
{
	struct json_object *events = json_object_new_array();
	char buf[64];
	__u32 i;

	for (i = 0; view->events && i < view->events->nr; i++) {
		const struct perf_event_attr *attr = &view->events->event[i].attr;
		struct json_object *event = json_object_new_object();

		json_add_name(event, "name", report_event_name(view, i, buf, sizeof(buf)));
		json_add_u64(event, "type", attr->type);
		json_add_hex(event, "config", attr->config);
		json_add_bool(event, "sampled", !report_event_counts(view, i));
		json_object_array_add(events, event);
	}
	return events;
}

static struct json_object *source_json(const struct report_view *view)
{
	struct json_object *obj = json_object_new_object();

	json_add_name(obj, "kind", view->path ? "file" : "session");
	if (!view->path)
		return obj;
	json_add_name(obj, "path", view->path);
	if (view->notes->hostname)
		json_add_name(obj, "hostname", view->notes->hostname);
	if (view->notes->cmdline)
		json_add_name(obj, "cmdline", view->notes->cmdline);
	json_add_u64(obj, "bytes", view->status.offset);
	json_add_u64(obj, "records", view->status.records);
	json_add_u64(obj, "malformed", view->status.malformed);
	json_add_u64(obj, "unknown", view->status.unknown);
	json_add_u64(obj, "late", view->status.late);
	json_add_u64(obj, "left_out", view->report->tasks.left_out);
	json_add_bool(obj, "truncated", view->status.truncated);
	json_add_bool(obj, "damaged", view->status.damaged);
	return obj;
}

/* With the times that --time takes. */
static struct json_object *marks_json(const struct span *span)
{
	struct json_object *array = json_object_new_array(), *obj;
	size_t i;

	for (i = 0; i < span->nr_marks; i++) {
		obj = json_object_new_object();
		json_add(obj, "time_ns", json_object_new_int64(span_mark_ns(span, i)));
		json_add_name(obj, "text", span->mark[i].text);
		json_object_array_add(array, obj);
	}
	return array;
}

static void add_summary(struct json_object *obj, const struct report_view *view)
{
	static const char *const from[] = {
		[CAPACITY_OPTION] = "option",
		[CAPACITY_SESSION] = "session",
		[CAPACITY_CPU_NODES] = "cpu_nodes",
		[CAPACITY_ALL_MEMORY] = "all_memory",
		[CAPACITY_THIS_MACHINE] = "this_machine",
	};
	const struct report *report = view->report;

	json_add(obj, "source", source_json(view));
	json_add(obj, "events", events_json(view));
	json_add_u64(obj, "samples", report->counts.samples);
	json_add_u64(obj, "samples_since_start",
		     report->session_samples ?: report->counts.samples);
	json_add_u64(obj, "filtered", report->counts.filtered);
	json_add_u64(obj, "guest", report->counts.guest);
	json_add_u64(obj, "no_process", report->counts.no_process);
	json_add_u64(obj, "no_data", report->counts.no_data);
	json_add_u64(obj, "near", report->counts.near);
	json_add_u64(obj, "outside", report->counts.outside);
	json_add(obj, "marks", marks_json(&report->config.span));
	json_add_u64(obj, "lost", report_lost(&report->counts));
	json_add(obj, "losses", losses_json(&report->counts));
	json_add_u64(obj, "throttled", report->counts.throttled);
	json_add(obj, "origins", sources_json(&report->counts));
	json_add_u64(obj, "start_ns", report->heat->start);
	json_add_u64(obj, "duration_ns", report_duration(view));
	json_add_u64(obj, "coolings", report->store->coolings);
	json_add_u64(obj, "evicted", report->store->table.stats.evicted);
	json_add_name(obj, "capacity_from", from[view->capacity_from]);
	json_add_u64(obj, "hit_ratio_ppm", report->ratio[HTMM_UNIT_PAGE].hit_ppm);
	json_add_u64(obj, "hit_ratio_error_ppm", report->ratio[HTMM_UNIT_PAGE].error_ppm);
	json_add_u64(obj, "hit_ratio_regions_ppm", report->ratio[HTMM_UNIT_REGION].hit_ppm);
	json_add_u64(obj, "hit_ratio_regions_error_ppm", report->ratio[HTMM_UNIT_REGION].error_ppm);
	hit_json(obj, "hit_estimate", &report->hit[HTMM_UNIT_PAGE]);
	hit_json(obj, "hit_estimate_regions", &report->hit[HTMM_UNIT_REGION]);
}

static void add_space(struct json_object *obj, const struct report_view *view, __u32 number)
{
	const struct space *space = &view->report->tasks.space[number];

	json_add_u64(obj, "pid", space->pid);
	json_add_name(obj, "comm", space->comm);
	json_add_u64(obj, "space", number);
}

static struct json_object *processes_json(const struct report_view *view)
{
	struct json_object *array = json_object_new_array();
	struct report_order order = report_order_spaces(view);
	__u32 i;

	for (i = 0; i < order.nr; i++) {
		const struct space *space = &view->report->tasks.space[order.index[i]];
		struct json_object *obj = json_object_new_object();

		add_space(obj, view, order.index[i]);
		json_add_bool(obj, "exited", space->exited);
		json_add_u64(obj, "samples", space->samples);
		json_add_u64(obj, "pages", space->pages);
		json_add_u64(obj, "hot_pages", space->hot_pages);
		json_object_array_add(array, obj);
	}
	free(order.index);
	return array;
}

static struct json_object *commands_json(const struct report_view *view)
{
	struct json_object *array = json_object_new_array();
	struct report_command *command;
	__u32 nr, i;

	command = report_commands(view, &nr);
	for (i = 0; i < nr; i++) {
		struct json_object *obj = json_object_new_object();

		json_add_name(obj, "comm", command[i].comm);
		json_add_u64(obj, "processes", command[i].processes);
		json_add_u64(obj, "samples", command[i].samples);
		json_add_u64(obj, "pages", command[i].pages);
		json_add_u64(obj, "hot_pages", command[i].hot_pages);
		json_object_array_add(array, obj);
	}
	free(command);
	return array;
}

static struct json_object *ranges_json(const struct mapping *mapping)
{
	struct json_object *array = json_object_new_array();
	__u32 i;

	for (i = 0; i < mapping->nr_ranges; i++) {
		const struct mapping_range *range = &mapping->ranges[i];
		struct json_object *obj = json_object_new_object();

		json_add_hex(obj, "start", range->start);
		json_add_hex(obj, "end", range->end);
		json_add_u64(obj, "samples", range->samples);
		json_add_u64(obj, "pages", range->pages);
		json_add_u64(obj, "hot_pages", range->hot_pages);
		json_object_array_add(array, obj);
	}
	return array;
}

static struct json_object *mappings_json(const struct report_view *view)
{
	struct json_object *array = json_object_new_array();
	struct report_order order = report_order_mappings(view);
	__u32 i;

	for (i = 0; i < order.nr; i++) {
		const struct mapping *mapping = &view->report->tasks.mapping[order.index[i]];
		struct json_object *obj = json_object_new_object();

		add_space(obj, view, mapping->space);
		json_add_name(obj, "mapping", mapping->name);
		json_add_u64(obj, "samples", mapping->samples);
		json_add_u64(obj, "pages", mapping->pages);
		json_add_u64(obj, "hot_pages", mapping->hot_pages);
		if (mapping->nr_ranges)
			json_add(obj, "ranges", ranges_json(mapping));
		json_object_array_add(array, obj);
	}
	free(order.index);
	return array;
}

static struct json_object *functions_json(const struct report_view *view)
{
	const struct functions *functions = &view->report->functions;
	struct json_object *array = json_object_new_array();
	__u32 i;

	for (i = 0; i < functions->nr_named && (!view->max || i < view->max); i++) {
		const struct functions_named *named = &functions->named[i];
		struct json_object *obj = json_object_new_object();

		if (named->name)
			json_add_name(obj, "function", named->name);
		json_add_name(obj, "file", named->file);
		json_add_u64(obj, "samples", named->samples);
		json_object_array_add(array, obj);
	}
	return array;
}

static struct json_object *page_json(const struct report_view *view,
				     const struct report_page *page)
{
	struct json_object *obj = json_object_new_object();

	add_space(obj, view, page->space);
	json_add_hex(obj, "addr", page->addr);
	json_add_name(obj, "mapping", report_mapping_name(view, page->mapping));
	json_add_u64(obj, "samples", page->samples);
	json_add_u64(obj, "bin", page->bin);
	json_add_bool(obj, "hot", page->hot);
	return obj;
}

static struct json_object *pages_json(const struct report_view *view)
{
	struct json_object *array = json_object_new_array();
	__u32 i;

	for (i = 0; i < view->report->nr_pages; i++) {
		const struct report_page *page = &view->report->page[i];
		struct json_object *obj = page_json(view, page);

		if (!view->report->config.raw)
			rate_json(obj, page->rate, page->low, page->high);
		if (view->report->place)
			place_json(obj, page->node, page->mapping_shift);
		json_object_array_add(array, obj);
	}
	return array;
}

static struct json_object *regions_json(const struct report_view *view)
{
	struct json_object *array = json_object_new_array();
	__u32 i;

	for (i = 0; i < view->report->nr_regions; i++) {
		const struct report_page *region = &view->report->region[i];
		struct json_object *obj = page_json(view, region);

		json_add_u64(obj, "touched", region->touched);
		json_add_u64(obj, "hot_pages", region->hot_pages);
		json_add_u64(obj, "skew", region->skew);
		json_object_array_add(array, obj);
	}
	return array;
}

static struct json_object *wss_json(const struct report_view *view)
{
	const struct heat *heat = view->report->heat;
	unsigned int step = view->panels.column_slices, from, i;
	struct json_object *array = json_object_new_array();

	for (from = 0; from < heat_slices(heat); from += step) {
		struct json_object *obj = json_object_new_object();
		__u64 samples = 0;

		for (i = from; i < from + step && i < HEAT_SLICES; i++)
			samples += heat->slice_samples[i];
		json_add_u64(obj, "start_ns", report_slice_ns(view->report, from));
		json_add_u64(obj, "samples", samples);
		json_add_u64(obj, "pages", heat_working_set(heat, from, i));
		json_object_array_add(array, obj);
	}
	return array;
}

static struct json_object *panel_json(const struct report_view *view, const struct panel *panel,
				      __u64 *cells)
{
	struct json_object *obj = json_object_new_object(), *rows = json_object_new_array();
	unsigned int row, i;

	add_space(obj, view, panel->space);
	json_add_name(obj, "mapping", panels_mapping(view->report, panel, NULL));
	json_add_hex(obj, "start", panel->start);
	json_add_hex(obj, "end", panel->end);
	json_add_u64(obj, "row_bytes", panel->row_bytes);
	json_add_u64(obj, "samples", panel->samples);
	for (row = 0; row < panel->rows; row++) {
		struct json_object *line = json_object_new_array();

		panels_row(&view->panels, view->report->heat, panel, row, cells);
		for (i = 0; i < view->panels.columns; i++)
			json_object_array_add(line, json_object_new_uint64(cells[i]));
		json_object_array_add(rows, line);
	}
	json_add(obj, "rows", rows);
	return obj;
}

static struct json_object *heat_json(const struct report_view *view)
{
	struct json_object *obj = json_object_new_object(), *array = json_object_new_array();
	__u64 *cells = calloc(view->panels.columns + 1UL, sizeof(*cells));
	unsigned int i;

	json_add_u64(obj, "columns", view->panels.columns);
	json_add_u64(obj, "start_ns", report_slice_ns(view->report, 0));
	json_add_u64(obj, "column_ns", report_column_ns(view));
	for (i = 0; cells && i < view->panels.nr; i++)
		json_object_array_add(array, panel_json(view, &view->panels.panel[i], cells));
	json_add(obj, "panels", array);
	json_add_u64(obj, "left_out", view->panels.left_out);
	json_add_u64(obj, "left_out_samples",
		     view->panels.left_out_samples + view->report->heat->omitted);
	free(cells);
	return obj;
}

struct json_object *report_file_json(const struct report_view *view)
{
	struct json_object *obj = json_new(), *periods = json_object_new_object();
	char name[64];
	__u32 i;

	for (i = 0; i < view->events->nr; i++) {
		const struct perf_event_attr *attr = &view->events->event[i].attr;

		if (!report_event_counts(view, i))
			json_add_under_name(periods, report_event_name(view, i, name, sizeof(name)),
					    attr->freq ? NULL :
					    json_object_new_uint64(attr->sample_period));
	}
	json_add(obj, "session", NULL);
	json_add(obj, "periods", periods);
	return obj;
}

void report_print_json(FILE *file, const struct report_view *view)
{
	struct json_object *obj = view->path ? report_file_json(view) :
				  json_object_get(view->session);
	const struct report *report = view->report;

	json_add_u64(obj, "capacity_pages", report->hist[HTMM_UNIT_PAGE].capacity_pages);
	if (view->parts & PART_SUMMARY)
		add_summary(obj, view);
	if (view->parts & PART_PROCESSES)
		json_add(obj, "processes", processes_json(view));
	if (view->parts & PART_COMMANDS)
		json_add(obj, "commands", commands_json(view));
	if (view->parts & PART_MAPPINGS)
		json_add(obj, "mappings", mappings_json(view));
	if (view->parts & PART_FUNCTIONS)
		json_add(obj, "functions", functions_json(view));
	if (view->parts & PART_HIST) {
		json_add(obj, "hist", hist_json(json_new(), &report->hist[HTMM_UNIT_PAGE],
						&report->ratio[HTMM_UNIT_PAGE],
						&report->hit[HTMM_UNIT_PAGE]));
		json_add(obj, "hist_regions", hist_json(json_new(),
							&report->hist[HTMM_UNIT_REGION],
							&report->ratio[HTMM_UNIT_REGION],
							&report->hit[HTMM_UNIT_REGION]));
	}
	if (view->parts & PART_CURVE)
		json_add(obj, "curve", report_curve_json(view));
	if (view->parts & PART_PAGES)
		json_add(obj, "pages", pages_json(view));
	if (view->parts & PART_REGIONS)
		json_add(obj, "regions", regions_json(view));
	if (view->parts & PART_WSS)
		json_add(obj, "wss", wss_json(view));
	if (view->parts & PART_HEAT)
		json_add(obj, "heat", heat_json(view));
	json_print(file, obj);
}
