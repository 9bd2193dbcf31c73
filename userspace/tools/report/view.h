/* SPDX-License-Identifier: GPL-2.0 */
/* A finished report, for all output formats. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include <json.h>
#include <stdbool.h>
#include <stdio.h>
#include "htmmctl/curve.h"
#include "panel.h"
#include "report.h"

/* Parts of a report, as bits. */
enum report_part {
	PART_SUMMARY = 1 << 0,
	PART_PROCESSES = 1 << 1,
	PART_MAPPINGS = 1 << 2,
	PART_HIST = 1 << 3,
	PART_PAGES = 1 << 4,
	PART_REGIONS = 1 << 5,
	PART_WSS = 1 << 6,
	PART_HEAT = 1 << 7,
	PART_COMMANDS = 1 << 8,
	PART_CURVE = 1 << 9,
	PART_FUNCTIONS = 1 << 10,
};

/* What is printed by default: commands only repeat what processes show, others take time. */
#define PART_ALL	0xff

/* Where the capacity of the fast tier comes from. */
enum capacity_from {
	CAPACITY_OPTION,
	CAPACITY_SESSION,
	CAPACITY_CPU_NODES,
	CAPACITY_ALL_MEMORY,
	CAPACITY_THIS_MACHINE,
};

/* Most panels of a heat map. */
#define REPORT_PANELS	8

/**
 * struct report_view - a report and how it is to be printed
 * @report: the report
 * @path: file it was made from; NULL: a live session
 * @notes: the file's notes; NULL: a live session
 * @events: its events; NULL: a live session
 * @session: what JSON says of a live session; NULL: a file
 * @status: status of reading the file
 * @panels: what to draw of the heat map
 * @capacity_from: where the capacity of the fast tier comes from
 * @parts: enum report_part
 * @max: lines of each list; 0: all
 */
struct report_view {
	const struct report *report;
	const char *path;
	const struct perfdata_notes *notes;
	const struct perfdata_events *events;
	struct json_object *session;
	struct perfdata_status status;
	struct panels panels;
	enum capacity_from capacity_from;
	unsigned int parts;
	unsigned int max;
};

/**
 * struct report_order - spaces or mappings, those with the most samples first
 * @index: their numbers
 * @nr: how many there are
 */
struct report_order {
	__u32 *index;
	__u32 nr;
};

/**
 * report_order_spaces() - sort the address spaces that have samples
 * @view: the report
 *
 * Return: at most @view->max of them; free its @index. None if there is no memory.
 */
struct report_order report_order_spaces(const struct report_view *view);

/**
 * struct report_command - the processes of one name
 * @comm: the name
 * @processes: number of processes with samples
 * @samples: their samples
 * @pages: their pages; a shared page counts for each process
 * @hot_pages: hot pages among @pages
 */
struct report_command {
	const char *comm;
	__u32 processes;
	__u64 samples;
	__u64 pages;
	__u64 hot_pages;
};

/**
 * report_commands() - sum the processes by name
 * @view: the report
 * @nr: set to the number of names, at most &report_view.max
 *
 * Return: an array for free(), most samples first; NULL if there is no memory.
 */
struct report_command *report_commands(const struct report_view *view, __u32 *nr);

/**
 * report_order_mappings() - sort the mappings that have samples
 * @view: the report
 *
 * Return: at most @view->max of them; free its @index. None if there is no memory.
 */
struct report_order report_order_mappings(const struct report_view *view);

/* Nanoseconds from the first sample to the end of the last one. */
__u64 report_duration(const struct report_view *view);

/* Nanoseconds of a column of the heat map. */
__u64 report_column_ns(const struct report_view *view);

/* The name of a mapping, by its number; "[unknown]" if it has none. */
const char *report_mapping_name(const struct report_view *view, __s64 mapping);

/* The name of an event, by its index; @buf is used if the file has no name for it. */
const char *report_event_name(const struct report_view *view, __u32 event, char *buf, size_t size);

/* Has an event no samples: it is only read with those of its group, or is perf's "dummy"? */
static inline bool report_takes_none(const struct perf_event_attr *attr)
{
	return (!attr->freq && !attr->sample_period) ||
	       (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY);
}

static inline bool report_event_counts(const struct report_view *view, __u32 event)
{
	return report_takes_none(&view->events->event[event].attr);
}

/* The name of what served samples. */
static inline const char *report_source_name(enum htmm_source source)
{
	return source == HTMM_SOURCE_LOCAL ? "dram" : htmm_source_name(source);
}

/* The number of listed pages from the one at @from on that follow it and are like it. */
__u32 report_equal_pages(const struct report *report, __u32 from);

void report_print_text(FILE *file, const struct report_view *view);
void report_print_heat(FILE *file, const struct report_view *view);
void report_print_curve(FILE *file, const struct report_view *view);
void report_print_json(FILE *file, const struct report_view *view);
void report_print_csv(FILE *file, const struct report_view *view);
void report_print_damon(FILE *file, const struct report_view *view);
void report_print_prometheus(FILE *file, const struct report_view *view);

/*
 * Begins the JSON of a file as session_json() does that of a session: it does not say which session
 * it was. The caller owns it.
 */
struct json_object *report_file_json(const struct report_view *view);

/* The capacity curve of all pages, for free(); NULL if there is no memory. */
struct curve *report_curve(const struct report_view *view);

/**
 * struct curve_need - the capacity that a hit ratio needs, in pages
 * @pages: the estimate; 0: there are too few samples to tell
 * @low: its lower bound
 * @high: its upper bound; 0: unknown, with so few samples
 */
struct curve_need {
	__u64 pages;
	__u64 low;
	__u64 high;
};

/* The capacity for a hit ratio, 0 to 1. */
struct curve_need report_need(const struct curve *curve, double hit);

/* The curve as JSON, also by target, process and mapping. The caller owns it. */
struct json_object *report_curve_json(const struct report_view *view);

/**
 * report_plot() - draw the heat map, or the working set or the curve if that was asked for
 * @path: file to write; its ending, .png or .svg, chooses the format
 * @view: the report
 * @err: says what is missing
 *
 * Return: 0 or a negative errno.
 */
int report_plot(const char *path, const struct report_view *view, struct htmm_error *err);

/**
 * struct report_figure - a figure of a page
 * @view: the report
 * @part: what it shows: PART_HEAT, PART_WSS or PART_CURVE
 * @panel: of the heat map
 * @curve: the curve
 * @width: pixels
 * @height: pixels
 */
struct report_figure {
	const struct report_view *view;
	enum report_part part;
	unsigned int panel;
	const struct curve *curve;
	unsigned int width;
	unsigned int height;
};

/* Draws a figure of the page @path. Returns a file descriptor with SVG, or a negative errno. */
int report_figure(const struct report_figure *figure, const char *path, struct htmm_error *err);

/**
 * report_html() - write a page with all parts
 * @path: file to write
 * @view: the report
 * @err: says why there is no page
 *
 * The page needs no other file and no network.
 *
 * Return: 0 or a negative errno.
 */
int report_html(const char *path, const struct report_view *view, struct htmm_error *err);

#endif /* REPORT_VIEW_H */
