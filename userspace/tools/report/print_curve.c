// SPDX-License-Identifier: GPL-2.0
/* The capacity curve, of all pages and by target, process and mapping. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "htmmctl/command.h"
#include "htmmctl/output.h"
#include "view.h"

/* Columns before the bar of a capacity. */
#define BAR_INDENT	57

/* Capacities in the table, as parts of all pages, in percent. */
static const unsigned int shares[] = { 1, 2, 5, 10, 25, 50, 75, 100 };
/* Hit ratios for which the capacity is printed, in percent. */
static const unsigned int hits[] = { 90, 95, 99 };

/**
 * enum group - by what pages are grouped
 * @GROUP_ALL: not at all
 * @GROUP_TARGET: by the number of their target, which may be a cgroup
 * @GROUP_SPACE: by the number of their address space
 * @GROUP_MAPPING: by the number of their mapping
 */
enum group { GROUP_ALL, GROUP_TARGET, GROUP_SPACE, GROUP_MAPPING };

/* The capacity at which one of the curves reaches @hit; 0: none. */
static __u64 reach(const struct curve *curve, double hit,
		   double (*value)(const struct curve_point *point))
{
	double before = 0, pages = 0;
	unsigned int i;

	for (i = 0; i < curve->nr; i++) {
		const struct curve_point *point = &curve->point[i];
		const double here = value(point);

		if (here >= hit)
			return ceil(pages + (point->pages - pages) * (hit - before) /
				    fmax(here - before, DBL_EPSILON));
		before = here;
		pages = point->pages;
	}
	return 0;
}

static double hit_of(const struct curve_point *point)
{
	return point->hit;
}

static double low_of(const struct curve_point *point)
{
	return point->low;
}

static double high_of(const struct curve_point *point)
{
	return point->high;
}

struct curve_need report_need(const struct curve *curve, double hit)
{
	if (curve->few)
		return (struct curve_need) {};
	return (struct curve_need) {
		.pages = reach(curve, hit, hit_of),
		.low = reach(curve, hit, high_of),
		.high = reach(curve, hit, low_of),
	};
}

static bool is_in(const struct report *report, const struct report_touched *page,
		  enum group group, __u32 number)
{
	switch (group) {
	case GROUP_TARGET:
		return report->tasks.space[page->space].target == number;
	case GROUP_SPACE:
		return page->space == number;
	case GROUP_MAPPING:
		return page->mapping == (__s64)number;
	default:
		return true;
	}
}

/* Pages that there can be; 0: not known. */
static __u64 room_of(const struct report *report, enum group group, __u32 number)
{
	switch (group) {
	case GROUP_TARGET:
		return report->target_room ? report->target_room[number] : 0;
	case GROUP_SPACE:
		return report->tasks.space[number].room;
	case GROUP_MAPPING:
		return report->tasks.mapping[number].room;
	default:
		return report->known.most;
	}
}

static int fill_tally(struct tally *tally, const struct report *report, enum group group,
		      __u32 number)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < report->nr_touched && !ret; i++)
		if (is_in(report, &report->touched[i], group, number))
			ret = tally_add(tally, report->touched[i].count, report->known.unit);
	return ret;
}

/* Returns NULL if there is no memory; free(3) it. */
static struct curve *make_curve(const struct report *report, enum group group, __u32 number)
{
	struct tally *tally = calloc(1, sizeof(*tally));
	struct curve *curve = malloc(sizeof(*curve));
	struct curve_config known = report->known;

	known.most = room_of(report, group, number);
	if (!tally || !curve || fill_tally(tally, report, group, number) ||
	    curve_make(curve, tally, &known)) {
		free(curve);
		curve = NULL;
	}
	if (tally)
		tally_free(tally);
	free(tally);
	return curve;
}

struct curve *report_curve(const struct report_view *view)
{
	return make_curve(view->report, GROUP_ALL, 0);
}

static void print_capacity(FILE *file, const struct curve *curve, unsigned int share)
{
	const __u64 pages = (curve->pages * share + 99) / 100;
	const struct curve_point at = curve_at(curve, pages);
	char size[SIZE_TEXT];

	fprintf(file, "%10s %5u %% %12llu %7.1f %% %6.1f - %5.1f %%  ",
		size_text(size, pages << 12), share, pages, 100 * at.hit, 100 * at.low,
		100 * at.high);
	out_bar(file, at.hit * 1000, 1000, out_width(file) - BAR_INDENT - 1);
	fputc('\n', file);
}

/* " (1.1 GiB to 1.5 GiB)" */
static void print_bounds(FILE *file, const struct curve_need *need)
{
	char low[SIZE_TEXT], high[SIZE_TEXT];

	size_text(low, need->low << 12);
	if (need->high)
		fprintf(file, " (%s to %s)", low, size_text(high, need->high << 12));
	else
		fprintf(file, " (at least %s)", low);
}

/* "90 % of the samples need 1.2 GiB, ..." */
static void print_needs(FILE *file, const struct curve *curve)
{
	char size[SIZE_TEXT];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hits); i++) {
		const struct curve_need need = report_need(curve, hits[i] / 100.0);

		fprintf(file, "%s%u %%%s %s", i ? ", " : "", hits[i],
			i ? "" : " of the samples need", size_text(size, need.pages << 12));
		if (!curve->census)
			print_bounds(file, &need);
	}
	fputc('\n', file);
}

static void print_origin(FILE *file, const struct curve *curve)
{
	fprintf(file, "from %llu samples of %llu pages; ", curve->samples, curve->sampled_pages);
	if (curve->census)
		fputs("all accesses were counted, so there are no other pages\n", file);
	else
		fprintf(file, "estimate of all accessed pages: %llu%s\n", curve->pages,
			curve->bounded ? ", all that there are" : "");
}

static void print_all(FILE *file, const struct curve *curve)
{
	size_t i;

	fputs("\ncapacity curve: samples that the fast tier serves if it holds the hottest pages\n",
	      file);
	if (curve->few) {
		fprintf(file, "unknown: too few samples (%llu); a lower period (-c) gives more\n",
			curve->samples);
		return;
	}
	fprintf(file, "%10s %7s %12s %9s %17s\n", "capacity", "of all", "pages", "hit ratio",
		"bounds");
	for (i = 0; i < ARRAY_SIZE(shares); i++)
		print_capacity(file, curve, shares[i]);
	print_needs(file, curve);
	fputs("bounds: of 100 samplings, the true hit ratio is within them in at least 95\n", file);
	print_origin(file, curve);
}

/* The capacities that one of several needs. */
static void print_row(FILE *file, const struct curve *curve)
{
	char size[SIZE_TEXT];
	size_t i;

	fprintf(file, "%12llu %10s", curve->samples,
		curve->few ? "-" : size_text(size, curve->pages << 12));
	for (i = 0; i < ARRAY_SIZE(hits); i++)
		fprintf(file, " %10s", curve->few ? "-" :
			size_text(size, report_need(curve, hits[i] / 100.0).pages << 12));
	fputs("  ", file);
}

static void print_header(FILE *file, const char *what)
{
	size_t i;

	fprintf(file, "\n%12s %10s", "samples", "accessed");
	for (i = 0; i < ARRAY_SIZE(hits); i++)
		fprintf(file, "  %2u %% need", hits[i]);
	fprintf(file, "  %s\n", what);
}

static void print_space(FILE *file, const struct space *space)
{
	fprintf(file, "%u ", space->pid);
	out_name(file, space->comm);
}

static void print_group(FILE *file, const struct report *report, enum group group, __u32 number)
{
	struct curve *curve = make_curve(report, group, number);
	const struct htmm_target_info *target;
	const struct mapping *mapping;

	if (!curve || !curve->samples) {
		free(curve);
		return;
	}
	print_row(file, curve);
	free(curve);
	if (group == GROUP_TARGET) {
		target = &report->targets.target[number];
		fprintf(file, "%u %s ", target->number, htmm_target_type_name(target->type));
		out_name(file, target->name);
	} else if (group == GROUP_SPACE) {
		print_space(file, &report->tasks.space[number]);
	} else {
		mapping = &report->tasks.mapping[number];
		print_space(file, &report->tasks.space[mapping->space]);
		fputc(' ', file);
		out_name(file, mapping->name);
	}
	fputc('\n', file);
}

static void print_groups(FILE *file, const struct report_view *view, enum group group,
			 struct report_order order)
{
	__u32 i;

	for (i = 0; i < order.nr; i++)
		print_group(file, view->report, group, order.index[i]);
	free(order.index);
}

void report_print_curve(FILE *file, const struct report_view *view)
{
	struct curve *curve = report_curve(view);
	size_t i;

	if (!curve)
		return;
	print_all(file, curve);
	free(curve);
	if (view->report->targets.nr > 1) {
		print_header(file, "target");
		for (i = 0; i < view->report->targets.nr; i++)
			print_group(file, view->report, GROUP_TARGET, i);
	}
	print_header(file, "process");
	print_groups(file, view, GROUP_SPACE, report_order_spaces(view));
	print_header(file, "mapping");
	print_groups(file, view, GROUP_MAPPING, report_order_mappings(view));
}

static void add_ppm(struct json_object *obj, const char *key, double share)
{
	json_add_u64(obj, key, share * 1e6 + 0.5);
}

static void add_needs(struct json_object *obj, const struct curve *curve)
{
	struct json_object *needs = json_object_new_array(), *one;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hits); i++) {
		const struct curve_need need = report_need(curve, hits[i] / 100.0);

		one = json_object_new_object();
		json_add_u64(one, "hit_ratio_ppm", hits[i] * 10000);
		json_add(one, "pages", need.pages ? json_object_new_uint64(need.pages) : NULL);
		json_add(one, "low_pages", need.low ? json_object_new_uint64(need.low) : NULL);
		json_add(one, "high_pages", need.high ? json_object_new_uint64(need.high) : NULL);
		json_object_array_add(needs, one);
	}
	json_add_u64(obj, "samples", curve->samples);
	json_add_u64(obj, "sampled_pages", curve->sampled_pages);
	json_add_u64(obj, "pages", curve->pages);
	json_add_bool(obj, "census", curve->census);
	json_add_bool(obj, "few", curve->few);
	json_add_bool(obj, "bounded", curve->bounded);
	json_add(obj, "needs", needs);
}

static struct json_object *points_json(const struct curve *curve)
{
	struct json_object *points = json_object_new_array(), *one;
	unsigned int i;

	for (i = 0; i < curve->nr; i++) {
		one = json_object_new_object();
		json_add_u64(one, "pages", curve->point[i].pages);
		add_ppm(one, "hit_ratio_ppm", curve->point[i].hit);
		add_ppm(one, "low_ppm", curve->point[i].low);
		add_ppm(one, "high_ppm", curve->point[i].high);
		json_object_array_add(points, one);
	}
	return points;
}

static struct json_object *group_json(const struct report *report, enum group group,
				      __u32 number)
{
	struct json_object *obj = json_object_new_object();
	struct curve *curve = make_curve(report, group, number);
	__u32 space = number;

	if (curve)
		add_needs(obj, curve);
	free(curve);
	if (group == GROUP_TARGET) {
		json_add_u64(obj, "target", report->targets.target[number].number);
		json_add_name(obj, "type",
			      htmm_target_type_name(report->targets.target[number].type));
		json_add_name(obj, "name", report->targets.target[number].name);
		return obj;
	}
	if (group == GROUP_MAPPING) {
		space = report->tasks.mapping[number].space;
		json_add_name(obj, "mapping", report->tasks.mapping[number].name);
	}
	json_add_u64(obj, "pid", report->tasks.space[space].pid);
	json_add_name(obj, "comm", report->tasks.space[space].comm);
	json_add_u64(obj, "space", space);
	return obj;
}

static struct json_object *groups_json(const struct report_view *view, enum group group,
				       struct report_order order)
{
	struct json_object *array = json_object_new_array();
	__u32 i;

	for (i = 0; i < order.nr; i++)
		json_object_array_add(array, group_json(view->report, group, order.index[i]));
	free(order.index);
	return array;
}

struct json_object *report_curve_json(const struct report_view *view)
{
	struct json_object *obj = json_object_new_object(), *targets = json_object_new_array();
	struct curve *curve = report_curve(view);
	size_t i;

	if (curve) {
		add_needs(obj, curve);
		json_add(obj, "points", points_json(curve));
	}
	free(curve);
	for (i = 0; i < view->report->targets.nr; i++)
		json_object_array_add(targets, group_json(view->report, GROUP_TARGET, i));
	json_add(obj, "targets", targets);
	json_add(obj, "processes", groups_json(view, GROUP_SPACE, report_order_spaces(view)));
	json_add(obj, "mappings", groups_json(view, GROUP_MAPPING, report_order_mappings(view)));
	return obj;
}
