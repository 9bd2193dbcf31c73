// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <linux/perf_event.h>
#include "checks.h"
#include "options.h"
#include "output.h"
#include "session.h"
#include "commands.h"
#include "view.h"

#define TRIALS_MAX	32

/**
 * struct trial - an event that was probed
 * @event: the event
 * @help: what it counts and tells; empty if it is not one of the presets
 * @precise_ip: the highest precision available; negative: it cannot be sampled
 * @reason: why not
 */
struct trial {
	struct htmm_event event;
	char help[144];
	int precise_ip;
	struct htmm_error reason;
};

/**
 * enum verdict - what can sample here
 * @VERDICT_HARDWARE: memory-access events of the CPU
 * @VERDICT_SOFTWARE: page faults only
 * @VERDICT_NONE: nothing at present
 */
enum verdict { VERDICT_HARDWARE, VERDICT_SOFTWARE, VERDICT_NONE };

/**
 * struct diagnosis - all results of doctor
 * @checks: checks of the machine
 * @nr_checks: how many there are
 * @trials: probed events
 * @nr_trials: how many there are
 * @verdict: the conclusion
 * @summary: the conclusion in words
 */
struct diagnosis {
	struct check checks[CHECKS_MAX];
	unsigned int nr_checks;
	struct trial trials[TRIALS_MAX];
	unsigned int nr_trials;
	enum verdict verdict;
	struct htmm_error summary;
};

static bool is_software(const struct htmm_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE || event->type == PERF_TYPE_TRACEPOINT;
}

static void try_preset(struct diagnosis *d, const struct htmm_preset *preset)
{
	struct trial *trial = &d->trials[d->nr_trials++];
	struct htmm_choice choice;

	trial->precise_ip = htmm_preset_choose(preset, NULL, NULL, &choice, &trial->reason);
	trial->event = choice.event;
	if (!trial->precise_ip)
		trial->precise_ip = htmm_event_probe_best(&trial->event, &trial->reason);
	snprintf(trial->event.name, sizeof(trial->event.name), "%s", preset->name);
	snprintf(trial->help, sizeof(trial->help), "%s", choice.help);
}

static void try_event(struct diagnosis *d, const struct htmm_event *event)
{
	struct trial *trial = &d->trials[d->nr_trials++];

	trial->event = *event;
	trial->precise_ip = htmm_event_probe_best(event, &trial->reason);
}

static void try_events(struct diagnosis *d, const struct htmm_event_list *list)
{
	const struct htmm_preset *preset;
	unsigned int i;

	for (i = 0; (preset = htmm_preset(i)); i++)
		try_preset(d, preset);
	for (i = 0; i < list->nr; i++)
		try_event(d, &list->event[i]);
}

/* Is the memory of every tier seen by the events given, or else by the default ones? */
static void check_memory(struct diagnosis *d, const struct htmm_event_list *given)
{
	struct check *check = &d->checks[d->nr_checks++];
	struct htmm_event_list list = *given;
	struct htmm_error why = {};

	check->name = "memory";
	if (!list.nr)
		session_default_events(&list, &why);
	if (!list.nr)
		htmm_error_set(&check->text, 0, NULL, "no event can be sampled by default");
	else if (!htmm_events_unseen(&list, NULL, &check->text))
		htmm_error_set(&check->text, 0, NULL, "%s%s all memory", list.event[0].name,
			       list.nr > 1 ? " and the others see" : " sees");
	else
		check->level = CHECK_WARN;
}

/* Counts the events that can be sampled, and writes their names to @names. */
static unsigned int count_trials(const struct diagnosis *d, bool software, char *names, size_t size)
{
	unsigned int i, nr = 0;
	size_t used = 0;

	*names = '\0';
	for (i = 0; i < d->nr_trials; i++) {
		const struct trial *trial = &d->trials[i];
		size_t need = strlen(trial->event.name) + 3;

		if (trial->precise_ip < 0 || is_software(&trial->event) != software)
			continue;
		if (used + need < size)
			used += snprintf(names + used, size - used, "%s%s", nr ? ", " : "",
					 trial->event.name);
		nr++;
	}
	return nr;
}

static void judge(struct diagnosis *d)
{
	char hard[160], soft[160];
	unsigned int nr_hard = count_trials(d, false, hard, sizeof(hard));
	unsigned int nr_soft = count_trials(d, true, soft, sizeof(soft));
	const struct check *module = &d->checks[0];

	if (module->level != CHECK_OK) {
		d->verdict = VERDICT_NONE;
		htmm_error_set(&d->summary, 0, module->text.todo,
			       "nothing can be sampled: %s", module->text.what);
	} else if (nr_hard) {
		d->verdict = VERDICT_HARDWARE;
		htmm_error_set(&d->summary, 0, NULL, "memory accesses can be sampled: %s", hard);
	} else if (nr_soft) {
		d->verdict = VERDICT_SOFTWARE;
		htmm_error_set(&d->summary, 0, "see above for the reason",
			       "only software events can be sampled: %s", soft);
	} else {
		d->verdict = VERDICT_NONE;
		htmm_error_set(&d->summary, 0, "see above for the reasons",
			       "no event can be sampled");
	}
}

static void print_words(const char *level, enum colour colour, const char *name,
			const struct htmm_error *text)
{
	out_colour(stdout, colour);
	printf("%-5s", level);
	out_colour(stdout, COLOUR_NONE);
	printf("%-12s ", name);
	out_name(stdout, text->what);
	if (*text->todo)
		printf("\n%18s-> %s", "", text->todo);
	putchar('\n');
}

static void print_trial(const struct trial *trial)
{
	char name[32];

	snprintf(name, sizeof(name), "%-12s", trial->event.name);
	out_colour(stdout, trial->precise_ip < 0 ? COLOUR_YELLOW : COLOUR_GREEN);
	printf("%-5s", trial->precise_ip < 0 ? "no" : "ok");
	out_colour(stdout, COLOUR_NONE);
	out_name(stdout, name);
	if (trial->precise_ip < 0)
		printf(" %s%s%s\n", trial->reason.what, *trial->reason.todo ? "; " : "",
		       trial->reason.todo);
	else
		printf(" precise %d%s%s\n", trial->precise_ip, *trial->help ? ": " : "",
		       trial->help);
}

static void print_text(const struct diagnosis *d)
{
	static const enum colour colours[] = {
		[CHECK_OK] = COLOUR_GREEN,
		[CHECK_WARN] = COLOUR_YELLOW,
		[CHECK_FAIL] = COLOUR_RED,
	};
	unsigned int i;

	for (i = 0; i < d->nr_checks; i++)
		print_words(check_level_name(d->checks[i].level), colours[d->checks[i].level],
			    d->checks[i].name, &d->checks[i].text);
	printf("\nevents, tried with perf_event_open(2):\n");
	for (i = 0; i < d->nr_trials; i++)
		print_trial(&d->trials[i]);
	printf("\n%s%s%s\n", d->summary.what, *d->summary.todo ? "; " : "", d->summary.todo);
}

static struct json_object *checks_json(const struct diagnosis *d)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < d->nr_checks; i++) {
		struct json_object *obj = json_object_new_object();

		json_add_name(obj, "name", d->checks[i].name);
		json_add_name(obj, "level", check_level_name(d->checks[i].level));
		json_add_name(obj, "text", d->checks[i].text.what);
		json_add_name(obj, "todo", d->checks[i].text.todo);
		json_object_array_add(array, obj);
	}
	return array;
}

static struct json_object *trials_json(const struct diagnosis *d)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < d->nr_trials; i++) {
		const struct trial *trial = &d->trials[i];
		bool ok = trial->precise_ip >= 0;
		struct json_object *obj = json_object_new_object();

		json_add_name(obj, "name", trial->event.name);
		json_add_u64(obj, "type", trial->event.type);
		json_add_hex(obj, "config", trial->event.config);
		json_add_bool(obj, "hardware", !is_software(&trial->event));
		json_add_bool(obj, "ok", ok);
		if (ok)
			json_add_u64(obj, "precise_ip", trial->precise_ip);
		json_add_u64(obj, "errno", ok ? 0 : trial->reason.code);
		json_add_name(obj, "text", ok ? trial->help : trial->reason.what);
		json_add_name(obj, "todo", ok ? "" : trial->reason.todo);
		json_object_array_add(array, obj);
	}
	return array;
}

static void print_json(const struct diagnosis *d)
{
	static const char *const verdicts[] = {
		[VERDICT_HARDWARE] = "hardware",
		[VERDICT_SOFTWARE] = "software",
		[VERDICT_NONE] = "none",
	};
	struct json_object *obj = json_new();

	json_add_name(obj, "verdict", verdicts[d->verdict]);
	json_add_name(obj, "text", d->summary.what);
	json_add_name(obj, "todo", d->summary.todo);
	json_add(obj, "checks", checks_json(d));
	json_add(obj, "events", trials_json(d));
	json_print(stdout, obj);
}

static int call_events(void *value, const char *text, struct htmm_error *err)
{
	return htmm_events_parse(value, text, NULL, err);
}

static int run_doctor(const struct command *cmd, int argc, char **argv)
{
	struct htmm_event_list list = {};
	bool json = false;
	const struct opt opts[] = {
		{ OPT_CALL, 'e', "event", "EVENT,...", "try these events too", &list,
		  .call = call_events },
		OPT_JSON(&json),
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct diagnosis d = {};
	int ret;

	ret = opts_parse(cmd, argc, argv, tables, NULL);
	if (ret != OPTS_GO_ON)
		return ret;
	d.nr_checks = checks_run(d.checks);
	check_memory(&d, &list);
	try_events(&d, &list);
	judge(&d);
	if (json)
		print_json(&d);
	else
		print_text(&d);
	return d.verdict == VERDICT_HARDWARE ? EXIT_OK : EXIT_FAILED;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.synopsis = "[options]",
	.summary = "show what can be sampled here, and if nothing can, why",
	.help = "Shows what can be sampled here, and if nothing can, why and what to do.\n"
		"Exits 0 if the CPU's memory accesses can be sampled, 1 if at most page faults.",
	.run = run_doctor,
};
