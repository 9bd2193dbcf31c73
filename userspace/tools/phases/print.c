// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "htmmctl/output.h"
#include "print.h"

/* Columns before the name of a mapping. */
#define HOT_INDENT	54

static const struct mapping *mapping_of(const struct result *result, const struct hot *hot)
{
	return &result->loaded.report.tasks.mapping[hot->mapping];
}

static __u64 time_of(const struct result *result, unsigned int slice)
{
	return report_slice_ns(&result->loaded.report, slice);
}

static __u64 window_ns(const struct result *result)
{
	return (__u64)result->phases.slices << result->loaded.report.heat->slice_shift;
}

/* Enough decimals to tell windows apart, so that `report --time` is of the same samples. */
static int decimals_of(const struct result *result)
{
	__u64 ns = window_ns(result);
	int decimals = 2;

	for (; ns < 1000000000 && decimals < 9; ns *= 10)
		decimals++;
	return decimals;
}

/* The end of a path tells more than its beginning. */
static void print_name(FILE *file, const char *name, int room)
{
	const int len = strlen(name);

	if (len > room && room > 3) {
		fputs("...", file);
		name += len - room + 3;
	}
	out_name(file, name);
}

/* A range is named by its addresses. @text: the memory of this name. */
static const char *name_of(const struct result *result, const struct hot *hot, char text[40])
{
	if (!hot->end)
		return mapping_of(result, hot)->name;
	snprintf(text, 40, "%llx-%llx", hot->start, hot->end);
	return text;
}

/* The hottest of the mappings, and how many others there are. */
static void print_hot(FILE *file, const struct result *result, const struct phase *phase)
{
	const struct hot_list *list = &result->hot;
	char more[32] = "", text[40];
	size_t i, nr = 0;

	for (i = 0; i < list->nr && list->hot[i].name <= phase->name; i++)
		nr += list->hot[i].name == phase->name;
	if (!nr)
		return;
	if (nr > 1)
		snprintf(more, sizeof(more), ", %zu more", nr - 1);
	fprintf(file, " %5.1f%% ", 100 * list->hot[i - nr].here);
	print_name(file, name_of(result, &list->hot[i - nr], text),
		   out_width(file) - HOT_INDENT - (int)strlen(more));
	fputs(more, file);
}

static void print_phase(FILE *file, const struct result *result, const struct phase *phase)
{
	const int decimals = decimals_of(result);

	fprintf(file, "%c %12.*f %12.*f %11llu %5.1f%%", 'A' + phase->name,
		decimals, time_of(result, phase->from) / 1e9,
		decimals, time_of(result, phase->to) / 1e9, phase->samples,
		percent(phase->samples, result->loaded.report.counts.samples));
	print_hot(file, result, phase);
	fputc('\n', file);
}

void phases_print(FILE *file, const struct result *result)
{
	const struct phases *phases = &result->phases;
	unsigned int i;

	fprintf(file, "%14s %12s %11s %6s  %s\n", "from s", "to s", "samples", "share",
		"hot in no other phase");
	for (i = 0; i < phases->nr; i++)
		print_phase(file, result, &phases->phase[i]);
	fprintf(file, "\n%u different, in windows of %.*f s; %s\n", phases->names,
		decimals_of(result), window_ns(result) / 1e9,
		phases->names > 1 ? "they differ by more than chance" :
		"nothing changes by more than chance");
}

static struct json_object *hot_json(const struct result *result, unsigned int name)
{
	struct json_object *array = json_object_new_array(), *one;
	const struct tasks *tasks = &result->loaded.report.tasks;
	size_t i;

	for (i = 0; i < result->hot.nr; i++) {
		const struct hot *hot = &result->hot.hot[i];
		const struct mapping *mapping = mapping_of(result, hot);

		if (hot->name != name)
			continue;
		one = json_object_new_object();
		json_add_u64(one, "pid", tasks->space[mapping->space].pid);
		json_add_name(one, "comm", tasks->space[mapping->space].comm);
		json_add_name(one, "mapping", mapping->name);
		if (hot->end) {
			json_add_hex(one, "start", hot->start);
			json_add_hex(one, "end", hot->end);
		}
		json_add_u64(one, "share_ppm", hot->here * 1e6 + 0.5);
		json_add_u64(one, "elsewhere_ppm", hot->elsewhere * 1e6 + 0.5);
		json_object_array_add(array, one);
	}
	return array;
}

static struct json_object *phases_json(const struct result *result)
{
	const struct phases *phases = &result->phases;
	struct json_object *array = json_object_new_array(), *one;
	unsigned int i;

	for (i = 0; i < phases->nr; i++) {
		const struct phase *phase = &phases->phase[i];
		const char name[] = { 'A' + phase->name, '\0' };

		one = json_object_new_object();
		json_add_name(one, "name", name);
		json_add_u64(one, "from_ns", time_of(result, phase->from));
		json_add_u64(one, "to_ns", time_of(result, phase->to));
		json_add_u64(one, "samples", phase->samples);
		json_add(one, "hot", hot_json(result, phase->name));
		json_object_array_add(array, one);
	}
	return array;
}

void phases_print_json(FILE *file, const struct result *result)
{
	const struct report *report = &result->loaded.report;
	struct json_object *obj = report_file_json(&result->loaded.view);

	json_add_u64(obj, "capacity_pages", report->hist[HTMM_UNIT_PAGE].capacity_pages);
	json_add_u64(obj, "samples", report->counts.samples);
	json_add_u64(obj, "window_ns", window_ns(result));
	json_add_u64(obj, "margin_ppm", result->config.margin * 1e6 + 0.5);
	json_add_u64(obj, "spread_ppm", result->phases.spread * 1e6 + 0.5);
	json_add_u64(obj, "names", result->phases.names);
	json_add(obj, "phases", phases_json(result));
	json_print(file, obj);
}
