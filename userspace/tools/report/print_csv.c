// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "htmmctl/output.h"
#include "view.h"

/* In quotes, with quotes inside doubled, see RFC 4180. */
static void print_name(FILE *file, const char *name)
{
	int len;

	fputc('"', file);
	for (; *name; name += len ?: 1) {
		len = out_printable(name);
		if (*name == '"')
			fputc('"', file);
		fwrite(len ? name : "?", 1, len ?: 1, file);
	}
	fputc('"', file);
}

static void print_space(FILE *file, const struct report_view *view, __u32 number)
{
	const struct space *space = &view->report->tasks.space[number];

	fprintf(file, "%u,%u,", space->pid, number);
	print_name(file, space->comm);
	fputc(',', file);
}

static void print_summary(FILE *file, const struct report_view *view)
{
	const struct report *report = view->report;
	const struct htmm_histogram *hist = &report->hist[HTMM_UNIT_PAGE];

	fprintf(file, "%s\n",
		"samples,filtered,lost,no_addr,kernel_addr,table_full,lost_before,duration_ns,pages,hot_pages,capacity_pages,fast_pages,hit_ratio_ppm,hit_ratio_error_ppm");
	fprintf(file, "%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%u,%u\n",
		report->counts.samples, report->counts.filtered, report_lost(&report->counts),
		report->counts.no_addr, report->counts.kernel_addr, report->counts.no_memory,
		report->counts.lost,
		report_duration(view), hist->pages, hist->hot_pages, hist->capacity_pages,
		report->ratio[HTMM_UNIT_PAGE].fast_pages,
		report->ratio[HTMM_UNIT_PAGE].hit_ppm, report->ratio[HTMM_UNIT_PAGE].error_ppm);
}

static void print_processes(FILE *file, const struct report_view *view)
{
	struct report_order order = report_order_spaces(view);
	__u32 i;

	fputs("pid,space,comm,samples,pages,hot_pages\n", file);
	for (i = 0; i < order.nr; i++) {
		const struct space *space = &view->report->tasks.space[order.index[i]];

		print_space(file, view, order.index[i]);
		fprintf(file, "%llu,%llu,%llu\n", space->samples, space->pages, space->hot_pages);
	}
	free(order.index);
}

static void print_commands(FILE *file, const struct report_view *view)
{
	struct report_command *command;
	__u32 nr, i;

	command = report_commands(view, &nr);
	if (!command)
		return;
	fputs("comm,processes,samples,pages,hot_pages\n", file);
	for (i = 0; i < nr; i++) {
		print_name(file, command[i].comm);
		fprintf(file, ",%u,%llu,%llu,%llu\n", command[i].processes, command[i].samples,
			command[i].pages, command[i].hot_pages);
	}
	free(command);
}

/* Ranges follow their mapping, and have a start and an end. */
static void print_mappings(FILE *file, const struct report_view *view)
{
	struct report_order order = report_order_mappings(view);
	__u32 i, k;

	fputs("pid,space,comm,mapping,samples,pages,hot_pages,start,end\n", file);
	for (i = 0; i < order.nr; i++) {
		const struct mapping *mapping = &view->report->tasks.mapping[order.index[i]];

		print_space(file, view, mapping->space);
		print_name(file, mapping->name);
		fprintf(file, ",%llu,%llu,%llu,,\n", mapping->samples, mapping->pages,
			mapping->hot_pages);
		for (k = 0; k < mapping->nr_ranges; k++) {
			const struct mapping_range *range = &mapping->ranges[k];

			print_space(file, view, mapping->space);
			print_name(file, mapping->name);
			fprintf(file, ",%llu,%llu,%llu,0x%llx,0x%llx\n", range->samples,
				range->pages, range->hot_pages, range->start, range->end);
		}
	}
	free(order.index);
}

static void print_functions(FILE *file, const struct report_view *view)
{
	const struct functions *functions = &view->report->functions;
	__u32 i;

	fputs("function,file,samples\n", file);
	for (i = 0; i < functions->nr_named && (!view->max || i < view->max); i++) {
		const struct functions_named *named = &functions->named[i];

		print_name(file, named->name ?: "");
		fputc(',', file);
		print_name(file, named->file);
		fprintf(file, ",%llu\n", named->samples);
	}
}

static void print_hist(FILE *file, const struct report_view *view)
{
	const struct htmm_histogram *pages = &view->report->hist[HTMM_UNIT_PAGE];
	const struct htmm_histogram *regions = &view->report->hist[HTMM_UNIT_REGION];
	unsigned int bin;

	fputs("bin,pages,hot,regions,hot_regions\n", file);
	for (bin = 0; bin < HTMM_NR_BINS; bin++)
		fprintf(file, "%u,%llu,%d,%llu,%d\n", bin, pages->bins[bin],
			bin >= pages->hot_threshold, regions->bins[bin],
			bin >= regions->hot_threshold);
}

static void print_page(FILE *file, const struct report_view *view, const struct report_page *page)
{
	print_space(file, view, page->space);
	print_name(file, report_mapping_name(view, page->mapping));
	fprintf(file, ",0x%llx,%llu,%u,%d", page->addr, page->samples, page->bin, page->hot);
}

static void print_pages(FILE *file, const struct report_view *view)
{
	const bool raw = view->report->config.raw;
	__u32 i;

	fprintf(file, "pid,space,comm,mapping,addr,samples,bin,hot%s\n",
		raw ? "" : ",rate,low,high");
	for (i = 0; i < view->report->nr_pages; i++) {
		const struct report_page *page = &view->report->page[i];

		print_page(file, view, page);
		if (!raw)
			fprintf(file, ",%.6f,%.6f,%.6f", page->rate, page->low, page->high);
		fputc('\n', file);
	}
}

static void print_regions(FILE *file, const struct report_view *view)
{
	__u32 i;

	fputs("pid,space,comm,mapping,addr,samples,bin,hot,touched,hot_pages,skew\n", file);
	for (i = 0; i < view->report->nr_regions; i++) {
		const struct report_page *region = &view->report->region[i];

		print_page(file, view, region);
		fprintf(file, ",%u,%u,%llu\n", region->touched, region->hot_pages, region->skew);
	}
}

static void print_wss(FILE *file, const struct report_view *view)
{
	const struct heat *heat = view->report->heat;
	unsigned int i;

	fputs("start_ns,samples,pages\n", file);
	for (i = 0; i < heat_slices(heat); i++)
		fprintf(file, "%llu,%llu,%llu\n", report_slice_ns(view->report, i),
			heat->slice_samples[i], heat_working_set(heat, i, i + 1));
}

/* A line for each cell that has samples. */
static void print_heat(FILE *file, const struct report_view *view)
{
	const struct panels *panels = &view->panels;
	__u64 *cells = calloc(panels->columns + 1UL, sizeof(*cells));
	unsigned int p, row, i;

	fputs("pid,space,comm,start_ns,addr,bytes,samples\n", file);
	for (p = 0; cells && p < panels->nr; p++) {
		const struct panel *panel = &panels->panel[p];

		for (row = 0; row < panel->rows; row++) {
			panels_row(panels, view->report->heat, panel, row, cells);
			for (i = 0; i < panels->columns; i++) {
				if (!cells[i])
					continue;
				print_space(file, view, panel->space);
				fprintf(file, "%llu,0x%llx,%llu,%llu\n",
					report_slice_ns(view->report, i * panels->column_slices),
					panel->start + row * panel->row_bytes, panel->row_bytes,
					cells[i]);
			}
		}
	}
	free(cells);
}

static void print_curve(FILE *file, const struct report_view *view)
{
	struct curve *curve = report_curve(view);
	unsigned int i;

	fputs("pages,hit_ratio,low,high\n", file);
	for (i = 0; curve && !curve->few && i < curve->nr; i++)
		fprintf(file, "%llu,%.6f,%.6f,%.6f\n", curve->point[i].pages,
			curve->point[i].hit, curve->point[i].low, curve->point[i].high);
	free(curve);
}

void report_print_csv(FILE *file, const struct report_view *view)
{
	static const struct {
		unsigned int part;
		void (*print)(FILE *file, const struct report_view *view);
	} parts[] = {
		{ PART_SUMMARY, print_summary },
		{ PART_PROCESSES, print_processes },
		{ PART_MAPPINGS, print_mappings },
		{ PART_HIST, print_hist },
		{ PART_PAGES, print_pages },
		{ PART_REGIONS, print_regions },
		{ PART_WSS, print_wss },
		{ PART_HEAT, print_heat },
		{ PART_COMMANDS, print_commands },
		{ PART_CURVE, print_curve },
		{ PART_FUNCTIONS, print_functions },
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (view->parts & parts[i].part)
			parts[i].print(file, view);
}
