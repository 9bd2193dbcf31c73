// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "options.h"
#include "view.h"

/* Columns before a description. */
#define ROW_COLUMNS	53

/**
 * struct list - options and results of list
 * @filter: part of a name or description, upper or lower case; "": all
 * @all: also list precise events that are not memory accesses
 * @json: where the events go; NULL: text on stdout
 * @nr: number of events listed
 * @presets: number of presets listed
 * @nr_refused: presets that cannot be sampled here, though the CPU may have them
 * @reason: why the first of them cannot
 */
struct list {
	const char *filter;
	bool all;
	struct json_object *json;
	unsigned int nr;
	unsigned int presets;
	unsigned int nr_refused;
	struct htmm_error reason;
};

static bool wanted(const struct list *list, const char *name, const char *help)
{
	return strcasestr(name, list->filter) || strcasestr(help, list->filter);
}

/* Tells if the kernel accepts an event, in the same way as doctor. */
static bool can_sample(struct list *list, const struct htmm_event *event)
{
	struct htmm_error reason = {};
	bool ok = htmm_event_probe_best(event, &reason) >= 0;

	if (!ok && !list->nr_refused++)
		list->reason = reason;
	return ok;
}

/* Prints a row of text: a name and what else is in its column, one more column, a description. */
static void print_row(bool ok, const char *name, const char *what, const char *help)
{
	int room = isatty(STDOUT_FILENO) ? out_width(stdout) - ROW_COLUMNS : (int)strlen(help);

	printf("%-2s  %-40s %-7s ", ok ? "" : "no", name, what);
	/* Cut to the width of the terminal. */
	printf("%.*s\n", room > 0 ? room : 0, help);
}

static struct json_object *event_object(const char *name, const struct htmm_event *event,
					const char *help, bool ok)
{
	struct json_object *obj = json_object_new_object();

	json_add_name(obj, "name", name);
	json_add_u64(obj, "type", event->type);
	json_add_hex(obj, "config", event->config);
	json_add_hex(obj, "config1", event->config1);
	json_add_u64(obj, "precise_ip", event->precise_ip);
	json_add_name(obj, "text", help);
	json_add_bool(obj, "ok", ok);
	return obj;
}

/* The memory whose loads a preset samples. */
static const struct {
	unsigned int bit;
	const char *name;
} memories[] = {
	{ HTMM_SEES_LOCAL, "local" },
	{ HTMM_SEES_REMOTE, "remote" },
	{ HTMM_SEES_SLOW, "slow" },
};

/* No preset samples two of them, and not the third. */
static const char *sees_word(unsigned int sees)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(memories); i++)
		if (sees == memories[i].bit)
			return memories[i].name;
	return sees ? "every" : "-";
}

static struct json_object *sees_json(unsigned int sees)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(memories); i++)
		if (sees & memories[i].bit)
			json_object_array_add(array, json_object_new_string(memories[i].name));
	return array;
}

static void show_preset(struct list *list, const struct htmm_preset *preset, const char *pmu)
{
	char left[128], text[sizeof(struct htmm_error)];
	struct htmm_choice choice;
	struct htmm_error why = {};
	struct json_object *obj;
	bool ok;

	ok = !htmm_preset_choose(preset, pmu, NULL, &choice, &why);
	/* Page faults are of no kind of cores. */
	if ((pmu && choice.event.type == PERF_TYPE_SOFTWARE) ||
	    (!wanted(list, preset->name, preset->help) && !wanted(list, choice.text, "")))
		return;
	list->presets++;
	snprintf(text, sizeof(text), "%s%s%s", ok ? choice.help : why.what, ok ? "" : "; ",
		 why.todo);
	ok = ok && can_sample(list, &choice.event);
	if (why.code)
		choice.sees = 0;
	if (list->json) {
		obj = event_object(choice.event.name, &choice.event, text, ok);
		json_add_name(obj, "event", choice.text);
		json_add(obj, "sees", sees_json(choice.sees));
		json_add_bool(obj, "served", choice.served);
		json_object_array_add(list->json, obj);
		return;
	}
	snprintf(left, sizeof(left), "%-12s %s", choice.event.name, choice.text);
	print_row(ok, left, sees_word(choice.sees), text);
}

static void show_event(struct list *list, const char *name, const char *help)
{
	struct htmm_event_list parsed = {};
	char code[32];
	bool ok;

	if (!wanted(list, name, help) || htmm_events_parse(&parsed, name, NULL, NULL))
		return;
	list->nr++;
	ok = can_sample(list, &parsed.event[0]);
	if (list->json) {
		json_object_array_add(list->json, event_object(name, &parsed.event[0], help, ok));
		return;
	}
	event_code_text(&parsed.event[0], code, sizeof(code));
	print_row(ok, name, code, help);
}

/* Only precise events carry the address of the data. */
static int show_catalog_event(const struct htmm_catalog_event *event, void *data)
{
	struct list *list = data;

	if (event->precise && !event->alias && (list->all || !strncmp(event->name, "MEM_", 4)))
		show_event(list, event->name, event->help);
	return 0;
}

static void show_presets(struct list *list)
{
	const struct htmm_preset *preset;
	unsigned int i, j;
	const char *pmu;

	for (i = 0; (pmu = htmm_core_pmu(i, NULL)); i++)
		for (j = 0; (preset = htmm_preset(j)); j++)
			show_preset(list, preset, i ? pmu : NULL);
}

static void print_none(const char *filter)
{
	if (*filter)
		printf("  none with '%s' in its name or description\n", filter);
	else
		puts("  none that is known");
}

static void print_text(struct list *list)
{
	printf("CPU: %s\n\n", htmm_catalog_cpu());
	puts("presets, what they stand for here, and the memory whose loads they see:");
	show_presets(list);
	if (!list->presets)
		print_none(list->filter);
	printf("\nevents of this CPU that have the data address:\n");
	htmm_catalog_walk(show_catalog_event, list);
	if (!list->nr)
		print_none(list->filter);
	if (list->nr_refused)
		printf("\n'no': it cannot be sampled here: %s", list->reason.what);
	puts("\n'htmmctl doctor' says more, and with -e EVENT of others.");
}

static void print_json(struct list *list)
{
	struct json_object *obj = json_new();

	json_add_name(obj, "cpu", htmm_catalog_cpu());
	list->json = json_object_new_array();
	show_presets(list);
	json_add(obj, "presets", list->json);
	list->json = json_object_new_array();
	htmm_catalog_walk(show_catalog_event, list);
	json_add(obj, "events", list->json);
	json_print(stdout, obj);
}

static int run_list(const struct command *cmd, int argc, char **argv)
{
	struct list list = { .filter = "" };
	bool json = false;
	const struct opt opts[] = {
		{ OPT_FLAG, 'A', "all", NULL, "also precise events that are not memory accesses",
		  &list.all },
		OPT_JSON(&json),
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	int ret, rest;

	ret = opts_parse(cmd, argc, argv, tables, &rest);
	if (ret != OPTS_GO_ON)
		return ret;
	if (argc - rest > 1)
		return usage_error(cmd, NULL, "unexpected argument '%s'", argv[rest + 1]);
	if (rest < argc)
		list.filter = argv[rest];
	if (json)
		print_json(&list);
	else
		print_text(&list);
	return EXIT_OK;
}

const struct command cmd_list = {
	.name = "list",
	.synopsis = "[options] [TEXT]",
	.summary = "list the events that can be sampled here",
	.help = "Lists the events that -e takes on this CPU: presets, with the event that each\n"
		"stands for, and events whose samples tell the data address.  With TEXT, only\n"
		"those that have it in their name or description.  'no': cannot be sampled here.",
	.mixed = true,
	.run = run_list,
};
