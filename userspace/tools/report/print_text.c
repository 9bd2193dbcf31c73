// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "htmmctl/command.h"
#include "htmmctl/view.h"
#include "htmmctl/output.h"
#include "htmmctl/placement.h"
#include "estimate/rate.h"
#include "view.h"

/* Lines for the working set over time. */
#define WSS_LINES	16
/* Columns before its bar. */
#define WSS_INDENT	46
/* Columns for the name of a function. */
#define FUNCTION_WIDTH	34
/* Most marks in the summary. */
#define MARKS_MOST	8

static void print_source(FILE *file, const struct report_view *view)
{
	char buf[64];
	__u32 i;

	fputs("source    ", file);
	out_name(file, view->path ? view->path : "the present session");
	if (view->notes && view->notes->hostname) {
		fputs(", of ", file);
		out_name(file, view->notes->hostname);
	}
	if (view->notes && view->notes->cmdline) {
		fputs("\nrecorded  ", file);
		out_name(file, view->notes->cmdline);
	}
	fputc('\n', file);
	for (i = 0; view->events && i < view->events->nr; i++) {
		fputs("event     ", file);
		out_name(file, report_event_name(view, i, buf, sizeof(buf)));
		if (report_event_counts(view, i))
			fputs(", read with its group, not sampled", file);
		fputc('\n', file);
	}
}

static void print_counts(FILE *file, const struct report *report)
{
	const struct report_counts *counts = &report->counts;
	const struct {
		__u64 nr;
		const char *what;
	} losses[] = {
		{ counts->no_addr, "without a data address" },
		{ counts->kernel_addr, "of kernel memory" },
		{ counts->no_memory, "did not fit the table" },
		{ counts->lost, report->session_samples ? "before they were counted" :
							  "when recorded" },
	};
	const char *before = ": ";
	size_t i;

	if (report->session_samples)
		fprintf(file, "samples   %llu on the pages tracked now, of %llu counted",
			counts->samples, report->session_samples);
	else
		fprintf(file, "samples   %llu counted", counts->samples);
	fprintf(file, "; %llu filtered", counts->filtered);
	if (counts->no_data)
		fprintf(file, "; %llu of instructions without data", counts->no_data);
	if (counts->near)
		fprintf(file, "; %llu nearer than --min-level, or unknown", counts->near);
	if (counts->outside)
		fprintf(file, "; %llu outside of --mark or --time", counts->outside);
	fprintf(file, "; %llu lost", report_lost(counts));
	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		if (!losses[i].nr)
			continue;
		fprintf(file, "%s%llu %s", before, losses[i].nr, losses[i].what);
		before = ", ";
	}
	fputc('\n', file);
}

/* With the times that --time takes. */
static void print_marks(FILE *file, const struct span *span)
{
	size_t i;

	for (i = 0; i < span->nr_marks && i < MARKS_MOST; i++) {
		fputs(i ? ", " : "marks     ", file);
		out_name(file, span->mark[i].text);
		fprintf(file, " at %.3f s", (double)span_mark_ns(span, i) / 1e9);
	}
	if (i < span->nr_marks)
		fprintf(file, " and %zu more", span->nr_marks - i);
	if (i)
		fputc('\n', file);
}

/* Samples of processes that the recording cannot know, which is no error of it. */
static void print_others(FILE *file, const struct report_counts *counts)
{
	if (counts->guest)
		fprintf(file,
			"guests    %llu samples of virtual machines, with guest addresses, are left out\n",
			counts->guest);
	if (counts->no_process)
		fprintf(file,
			"no pid    %llu samples of processes that were exiting, or are outside of the\n          pid namespace of the recording, are left out\n",
			counts->no_process);
}

static void print_sources(FILE *file, const struct report_counts *counts)
{
	const char *before = "data from ";
	__u64 known = 0;
	int i;

	for (i = HTMM_SOURCE_UNKNOWN + 1; i < HTMM_NR_SOURCES; i++)
		known += counts->served[i];
	if (!known)
		return;
	for (i = 0; i < HTMM_NR_SOURCES; i++) {
		if (!counts->served[i])
			continue;
		fprintf(file, "%s%s %.1f%%", before, report_source_name(i),
			percent(counts->served[i], counts->samples));
		before = ", ";
	}
	fputc('\n', file);
}

/* Stores to a stack hit a cache, so no tier serves them faster; yet stacks lead every list. */
static void print_stacks(FILE *file, const struct report_view *view)
{
	const struct tasks *tasks = &view->report->tasks;
	const struct report_counts *counts = &view->report->counts;
	__u64 stacks = 0;
	__u32 i;

	for (i = 0; i < tasks->nr_mappings; i++)
		if (!strcmp(tasks->mapping[i].name, "[stack]"))
			stacks += tasks->mapping[i].samples;
	if (counts->served[HTMM_SOURCE_CACHE])
		fprintf(file,
			"caches    served %.1f%% of the samples, --min-level memory leaves them out\n",
			percent(counts->served[HTMM_SOURCE_CACHE], counts->samples));
	else if (stacks && counts->served[HTMM_SOURCE_UNKNOWN])
		fprintf(file, "stacks    had %.1f%% of the samples; caches serve most of these\n",
			percent(stacks, counts->samples));
}

static void print_fast_tier(FILE *file, const struct report_view *view)
{
	static const char *const from[] = {
		[CAPACITY_OPTION] = "as --capacity says",
		[CAPACITY_SESSION] = "as for the session",
		[CAPACITY_CPU_NODES] = "the recorded machine's nodes that have CPUs",
		[CAPACITY_ALL_MEMORY] = "all memory of the recorded machine",
		[CAPACITY_THIS_MACHINE] = "all memory of this machine",
	};
	const struct htmm_hit_ratio *ratio = &view->report->ratio[HTMM_UNIT_PAGE];
	const __u64 hot = view->report->hist[HTMM_UNIT_PAGE].hot_pages;
	char one[SIZE_TEXT], two[SIZE_TEXT];

	fprintf(file, "memory    %llu pages (%s) have samples, %llu of them (%s) are hot\n",
		ratio->pages, size_text(one, ratio->pages << 12), hot, size_text(two, hot << 12));
	fprintf(file, "fast tier %llu pages (%s), %s;\n          can hold %llu of these (%s)\n",
		ratio->capacity_pages, size_text(one, ratio->capacity_pages << 12),
		from[view->capacity_from], ratio->fast_pages,
		size_text(two, ratio->fast_pages << 12));
	fputs("hit ratio ", file);
	hit_print(file, &view->report->hit[HTMM_UNIT_PAGE]);
}

static void print_summary(FILE *file, const struct report_view *view)
{
	const struct report *report = view->report;

	print_source(file, view);
	print_counts(file, report);
	print_others(file, &report->counts);
	print_marks(file, &report->config.span);
	if (report->heat->nr_rows)
		fprintf(file, "time      %.3f s\n", (double)report_duration(view) / 1e9);
	if (!report->counts.samples) {
		fputs("hit ratio ", file);
		hit_print(file, &report->hit[HTMM_UNIT_PAGE]);
		return;
	}
	print_sources(file, &report->counts);
	print_stacks(file, view);
	print_fast_tier(file, view);
	if (report->store->coolings)
		fprintf(file, "cooling   counts were halved %llu times\n", report->store->coolings);
}

static void print_processes(FILE *file, const struct report_view *view)
{
	struct report_order order = report_order_spaces(view);
	__u32 i;

	fprintf(file, "\n%12s %6s %10s %10s %7s %s\n", "samples", "share", "pages", "hot", "pid",
		"command");
	for (i = 0; i < order.nr; i++) {
		const struct space *space = &view->report->tasks.space[order.index[i]];

		fprintf(file, "%12llu %5.1f%% %10llu %10llu %7u ", space->samples,
			percent(space->samples, view->report->counts.samples), space->pages,
			space->hot_pages, space->pid);
		out_name(file, space->comm);
		fputc('\n', file);
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
	fprintf(file, "\n%12s %6s %10s %10s %9s %s\n", "samples", "share", "pages", "hot",
		"processes", "command");
	for (i = 0; i < nr; i++) {
		fprintf(file, "%12llu %5.1f%% %10llu %10llu %9u ", command[i].samples,
			percent(command[i].samples, view->report->counts.samples),
			command[i].pages, command[i].hot_pages, command[i].processes);
		out_name(file, command[i].comm);
		fputc('\n', file);
	}
	free(command);
}

/* Below their mapping. */
static void print_ranges(FILE *file, const struct report_view *view, const struct mapping *mapping)
{
	__u32 i;

	for (i = 0; i < mapping->nr_ranges; i++) {
		const struct mapping_range *range = &mapping->ranges[i];

		fprintf(file, "%12llu %5.1f%% %10llu %10llu %24s  %llx-%llx\n", range->samples,
			percent(range->samples, view->report->counts.samples), range->pages,
			range->hot_pages, "", range->start, range->end);
	}
}

static void print_mappings(FILE *file, const struct report_view *view)
{
	struct report_order order = report_order_mappings(view);
	__u32 i;

	fprintf(file, "\n%12s %6s %10s %10s %7s %-15s %s\n", "samples", "share", "pages", "hot",
		"pid", "command", "mapping");
	for (i = 0; i < order.nr; i++) {
		const struct mapping *mapping = &view->report->tasks.mapping[order.index[i]];
		const struct space *space = &view->report->tasks.space[mapping->space];
		char comm[20];

		snprintf(comm, sizeof(comm), "%-15.15s", space->comm);
		fprintf(file, "%12llu %5.1f%% %10llu %10llu %7u ", mapping->samples,
			percent(mapping->samples, view->report->counts.samples), mapping->pages,
			mapping->hot_pages, space->pid);
		out_name(file, comm);
		fputc(' ', file);
		out_name(file, mapping->name);
		fputc('\n', file);
		print_ranges(file, view, mapping);
	}
	free(order.index);
}

static void print_functions(FILE *file, const struct report_view *view)
{
	const struct functions *functions = &view->report->functions;
	const __u32 nr = view->max && view->max < functions->nr_named ? view->max :
									functions->nr_named;
	__u32 i;

	fprintf(file, "\n%12s %6s %-*s %s\n", "samples", "share", FUNCTION_WIDTH, "function",
		"file");
	for (i = 0; i < nr; i++) {
		const struct functions_named *named = &functions->named[i];
		const char *name = named->name ?: "[unknown]";

		fprintf(file, "%12llu %5.1f%% ", named->samples,
			percent(named->samples, view->report->counts.samples));
		out_name(file, name);
		fprintf(file, "%*s ", (int)strlen(name) < FUNCTION_WIDTH ?
				      FUNCTION_WIDTH - (int)strlen(name) : 0, "");
		out_name(file, named->file);
		fputc('\n', file);
	}
}

__u32 report_equal_pages(const struct report *report, __u32 from)
{
	const struct report_page *page = &report->page[from];
	__u32 i;

	for (i = 1; from + i < report->nr_pages; i++)
		if (page[i].addr != page->addr + i * 4096ULL || page[i].space != page->space ||
		    page[i].mapping != page->mapping || page[i].samples != page->samples ||
		    page[i].rate != page->rate ||
		    page[i].node != page->node || page[i].mapping_shift != page->mapping_shift)
			break;
	return i;
}

static void print_page(FILE *file, const struct report_view *view, const struct report_page *page,
		       __u32 nr)
{
	const struct space *space = &view->report->tasks.space[page->space];
	const bool raw = view->report->config.raw;
	char comm[20], rate[RATE_TEXT], low[RATE_TEXT], high[RATE_TEXT];

	if (raw)
		fprintf(file, "%10llu %6u %3u %-4s %7u ", page->samples, nr, page->bin,
			page->hot ? "yes" : "", space->pid);
	else
		fprintf(file, "%5s %5s %5s %8llu %5u %-3s %7u ", rate_text(rate, page->rate),
			rate_text(low, page->low), rate_text(high, page->high), page->samples, nr,
			page->hot ? "yes" : "", space->pid);
	if (view->report->place)
		place_print(file, page->node, page->mapping_shift);
	snprintf(comm, sizeof(comm), raw ? "%-15.15s" : "%-10.10s", space->comm);
	out_name(file, comm);
	fprintf(file, raw ? " %16llx " : " %12llx ", page->addr);
	out_name(file, report_mapping_name(view, page->mapping));
	fputc('\n', file);
}

static void print_pages(FILE *file, const struct report_view *view)
{
	const char *place = view->report->place ? PLACE_TITLE : "";
	__u32 i, nr;

	if (view->report->config.raw)
		fprintf(file, "\n%10s %6s %3s %-4s %7s %s%-15s %16s %s\n", "samples", "pages",
			"bin", "hot", "pid", place, "command", "page", "mapping");
	else
		fprintf(file, "\nrate: samples expected, by the page's own and its neighbours'\n"
			"%5s %5s %5s %8s %5s %-3s %7s %s%-10s %12s %s\n", "rate", "low", "high",
			"samples", "pages", "hot", "pid", place, "command", "page", "mapping");
	for (i = 0; i < view->report->nr_pages; i += nr) {
		nr = report_equal_pages(view->report, i);
		print_page(file, view, &view->report->page[i], nr);
	}
}

static void print_regions(FILE *file, const struct report_view *view)
{
	__u32 i;

	if (!view->report->nr_regions) {
		fputs("\nno 2 MiB region has hot pages\n", file);
		return;
	}
	fputs("\nskew: squares of the pages' samples, by the square of the number of hot pages\n",
	      file);
	fprintf(file, "%12s %12s %7s %7s %7s %16s %s\n", "skew", "samples", "touched", "hot",
		"pid", "2 MiB region", "mapping");
	for (i = 0; i < view->report->nr_regions; i++) {
		const struct report_page *region = &view->report->region[i];

		fprintf(file, "%12llu %12llu %7u %7u %7u %16llx ", region->skew, region->samples,
			region->touched, region->hot_pages,
			view->report->tasks.space[region->space].pid, region->addr);
		out_name(file, report_mapping_name(view, region->mapping));
		fputc('\n', file);
	}
}

static void print_wss(FILE *file, const struct report_view *view)
{
	const struct heat *heat = view->report->heat;
	unsigned int slices = heat_slices(heat), step = (slices + WSS_LINES - 1) / WSS_LINES;
	__u64 pages[WSS_LINES] = {}, samples[WSS_LINES] = {}, most = 1;
	unsigned int i, lines = 0, from;
	char size[SIZE_TEXT];

	if (!slices)
		return;
	for (from = 0; from < slices; from += step, lines++) {
		unsigned int to = from + step < slices ? from + step : slices;

		pages[lines] = heat_working_set(heat, from, to);
		most = pages[lines] > most ? pages[lines] : most;
		for (i = from; i < to; i++)
			samples[lines] += heat->slice_samples[i];
	}
	fprintf(file, "\n%10s %12s %10s %10s  working set of each interval\n", "from s", "samples",
		"pages", "size");
	for (i = 0; i < lines; i++) {
		fprintf(file, "%10.3f %12llu %10llu %10s  ",
			(double)report_slice_ns(view->report, i * step) / 1e9, samples[i], pages[i],
			size_text(size, pages[i] << 12));
		out_bar(file, pages[i], most, out_width(file) - WSS_INDENT - 1);
		fputc('\n', file);
	}
}

void report_print_text(FILE *file, const struct report_view *view)
{
	if (view->parts & PART_SUMMARY)
		print_summary(file, view);
	else if (!view->report->counts.samples)
		fputs("no samples were counted; --part summary says why\n", file);
	if (!view->report->counts.samples)
		return;
	if (view->parts & PART_PROCESSES)
		print_processes(file, view);
	if (view->parts & PART_COMMANDS)
		print_commands(file, view);
	if (view->parts & PART_MAPPINGS)
		print_mappings(file, view);
	if (view->parts & PART_FUNCTIONS)
		print_functions(file, view);
	if (view->parts & PART_HIST) {
		fputc('\n', file);
		hist_print(file, &view->report->hist[HTMM_UNIT_PAGE],
			   &view->report->hit[HTMM_UNIT_PAGE], false);
		fputc('\n', file);
		hist_print(file, &view->report->hist[HTMM_UNIT_REGION],
			   &view->report->hit[HTMM_UNIT_REGION], false);
	}
	if (view->parts & PART_CURVE)
		report_print_curve(file, view);
	if (view->parts & PART_PAGES)
		print_pages(file, view);
	if (view->parts & PART_REGIONS)
		print_regions(file, view);
	if (view->parts & PART_WSS)
		print_wss(file, view);
	if (view->parts & PART_HEAT)
		report_print_heat(file, view);
}
