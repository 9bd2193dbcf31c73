// SPDX-License-Identifier: GPL-2.0
#include "diff.h"
#include "htmmctl/output.h"

static void add_ppm(struct json_object *obj, const char *key, double share)
{
	json_add_u64(obj, key, share * 1e6 + 0.5);
}

static struct json_object *events_json(const struct report_view *view)
{
	struct json_object *events = json_object_new_array(), *one;
	char buf[64];
	__u32 i;

	for (i = 0; view->events && i < view->events->nr; i++) {
		const struct perf_event_attr *attr = &view->events->event[i].attr;

		if (report_event_counts(view, i))
			continue;
		one = json_object_new_object();
		json_add_name(one, "name", report_event_name(view, i, buf, sizeof(buf)));
		json_add_u64(one, attr->freq ? "frequency" : "period", attr->sample_period);
		json_object_array_add(events, one);
	}
	return events;
}

static struct json_object *pages_json(__u64 pages)
{
	return pages ? json_object_new_uint64(pages) : NULL;
}

static struct json_object *side_json(const struct diff *diff, int side)
{
	const struct loaded *loaded = &diff->loaded[side];
	const struct curve_need *need = &diff->need[side];
	struct json_object *obj = json_object_new_object();

	json_add_name(obj, "kind", loaded->view.path ? "file" : "session");
	if (loaded->view.path)
		json_add_name(obj, "path", loaded->view.path);
	else
		json_add_u64(obj, "session", diff->session[side]);
	json_add(obj, "events", events_json(&loaded->view));
	json_add_u64(obj, "samples", loaded->report.counts.samples);
	json_add_u64(obj, "capacity_pages", loaded->report.hist[HTMM_UNIT_PAGE].capacity_pages);
	hit_json(obj, "hit_estimate", &loaded->report.hit[HTMM_UNIT_PAGE]);
	json_add_u64(obj, "need_ppm", DIFF_HIT * 1e6 + 0.5);
	json_add(obj, "need_pages", pages_json(need->pages));
	json_add(obj, "need_low_pages", pages_json(need->low));
	json_add(obj, "need_high_pages", pages_json(need->high));
	json_add_u64(obj, "spread_ppm", diff->places.spread[side] * 1e6 + 0.5);
	return obj;
}

static void add_shares(struct json_object *obj, const double share[SIDES])
{
	add_ppm(obj, "a_ppm", share[A]);
	add_ppm(obj, "b_ppm", share[B]);
}

static struct json_object *list_json(const struct diff *diff, enum place_kind kind)
{
	const struct places *places = &diff->places;
	struct json_object *array = json_object_new_array(), *one;
	size_t i;

	for (i = 0; i < places->nr; i++) {
		const struct place *place = &places->place[i];
		const double share[] = {
			place_share(places, place, A), place_share(places, place, B),
		};

		if (place->kind != kind)
			continue;
		one = json_object_new_object();
		if (kind != PLACE_SOURCE)
			json_add_name(one, "comm", place->comm);
		if (kind == PLACE_SOURCE)
			json_add_name(one, "served_by", place->name);
		if (kind == PLACE_MAPPING)
			json_add_name(one, "mapping", place->name);
		add_shares(one, share);
		json_add(one, "chance", json_object_new_double(place->chance));
		json_add_bool(one, "differs", place->differs);
		json_object_array_add(array, one);
	}
	return array;
}

static struct json_object *range_json(const struct range *range)
{
	struct json_object *obj = json_object_new_object();

	json_add_name(obj, "comm", range->mapping->comm);
	json_add_name(obj, "mapping", range->mapping->name);
	json_add_u64(obj, "start", range->start);
	json_add_u64(obj, "end", range->end);
	json_add_bool(obj, "whole", range->whole);
	json_add_u64(obj, "a_pages", range->pages[A]);
	json_add_u64(obj, "b_pages", range->pages[B]);
	add_shares(obj, range->share);
	return obj;
}

static struct json_object *changes_json(const struct diff *diff)
{
	static const char *const words[] = {
		[CHANGE_HOT] = "hotter", [CHANGE_COLD] = "colder", [CHANGE_MOVED] = "moved",
	};
	struct json_object *array = json_object_new_array(), *one;
	size_t i;

	for (i = 0; i < diff->changes.nr && (!diff->max || i < diff->max); i++) {
		const struct change *change = &diff->changes.change[i];

		one = json_object_new_object();
		json_add_name(one, "change", words[change->kind]);
		json_add(one, "at", range_json(&change->at));
		json_add(one, "to", change->kind == CHANGE_MOVED ? range_json(&change->to) : NULL);
		json_object_array_add(array, one);
	}
	return array;
}

void diff_print_json(FILE *file, const struct diff *diff)
{
	struct json_object *obj = json_new();

	json_add(obj, "a", side_json(diff, A));
	json_add(obj, "b", side_json(diff, B));
	add_ppm(obj, "margin_ppm", diff->most - 1);
	json_add_u64(obj, "compared", diff->places.compared);
	json_add_bool(obj, "needs_differ", diff_needs(diff));
	json_add(obj, "served", list_json(diff, PLACE_SOURCE));
	json_add(obj, "processes", list_json(diff, PLACE_PROCESS));
	json_add(obj, "mappings", list_json(diff, PLACE_MAPPING));
	json_add(obj, "changes", changes_json(diff));
	json_print(file, obj);
}
