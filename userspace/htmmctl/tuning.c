// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <htmm/text.h>
#include "command.h"
#include "session.h"
#include "tuning.h"

/**
 * struct setting - a member of &struct session
 * @name: its name
 * @values: its unit or its values, for help
 * @help: what it does, and its default
 * @set: reads the value
 * @min: the smallest value
 * @max: the largest value
 * @at: its offset in &struct session
 */
struct setting {
	const char *name;
	const char *values;
	const char *help;
	int (*set)(const struct setting *setting, void *value, const char *text,
		   struct htmm_error *err);
	__s64 min;
	__s64 max;
	size_t at;
};

static int set_u64(const struct setting *setting, void *value, const char *text,
		   struct htmm_error *err)
{
	return htmm_parse_number(text, setting->min, setting->max, value, err);
}

static int set_u32(const struct setting *setting, void *value, const char *text,
		   struct htmm_error *err)
{
	__s64 number;
	int ret = htmm_parse_number(text, setting->min, setting->max, &number, err);

	if (!ret)
		*(__u32 *)value = number;
	return ret;
}

static int set_size(const struct setting *setting, void *value, const char *text,
		    struct htmm_error *err)
{
	return htmm_parse_size(text, setting->min, setting->max, value, err);
}

static int set_cpus(const struct setting *setting, void *value, const char *text,
		    struct htmm_error *err)
{
	return htmm_cpus_parse(value, text, err);
}

static int set_choice(const struct setting *setting, void *value, const char *text,
		      struct htmm_error *err)
{
	static const char *const words[] = { [CHOICE_YES] = "yes", [CHOICE_NO] = "no" };
	int word = opt_word(words, ARRAY_SIZE(words), text, "neither yes nor no:", err);

	if (word >= 0)
		*(enum choice *)value = word;
	return word < 0 ? word : 0;
}

#define AT(member)	offsetof(struct session, member)

static const struct setting settings[] = {
	{ "adaptation-period", "samples", "between traces of the threshold (100000)",
	  set_u64, 1, LLONG_MAX, AT(start.adaptation_period) },
	{ "budget-interval", " ms", "between measurements of the cost (1000)",
	  set_u32, 10, 60000, AT(start.budget_interval_ms) },
	{ "cooling-period", "samples", "until all counts are halved (4 a page)",
	  set_u64, 1, LLONG_MAX, AT(start.cooling_period) },
	{ "drain-cpus", "CPUS", "those that ksampled may run on (all)",
	  set_cpus, .at = AT(drain_cpus) },
	{ "drain-interval", " ms", "longest wait of a sample in its ring (50)",
	  set_u32, 1, 10000, AT(start.drain_interval_ms) },
	{ "drain-nice", "", "nice value of ksampled (0)",
	  set_u32, -20, 19, AT(start.drain_nice) },
	{ "interrupt-cost", " ns", "of an interrupt besides the handler (2000)",
	  set_u32, 1, 1000000, AT(start.interrupt_ns) },
	{ "max-bytes", "SIZE", "most memory of each target's table (1/512)",
	  set_size, 1, LLONG_MAX, AT(start.max_bytes) },
	{ "sources", "yes, no", "count what served samples (yes if nodes differ)",
	  set_choice, .at = AT(sources) },
	{ "weight-period", "yes, no", "count a sample as its period (yes with --budget)",
	  set_choice, .at = AT(weight_period) },
};

int tuning_set(void *session, const char *text, struct htmm_error *err)
{
	const size_t len = strcspn(text, "=");
	const char *names[ARRAY_SIZE(settings)], *nearest;
	char name[32], todo[64] = "see 'htmmctl help tuning'";
	size_t i;
	int ret;

	if (!text[len])
		return htmm_error_set(err, EINVAL, todo, "'%s' is not NAME=VALUE", text);
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		names[i] = settings[i].name;
		if (strcmp(name, names[i]))
			continue;
		ret = settings[i].set(&settings[i], (char *)session + settings[i].at,
				      text + len + 1, err);
		if (ret)
			htmm_error_prefix(err, "%s: ", name);
		return ret;
	}
	nearest = htmm_nearest(name, names, i);
	if (nearest)
		snprintf(todo, sizeof(todo), "did you mean '%s'?", nearest);
	return htmm_error_set(err, EINVAL, todo, "there is no setting '%.*s'", (int)len, text);
}

/* With the range of a number that has one at both ends. */
static void print_setting(const struct setting *setting)
{
	char values[40];

	if (!setting->max || setting->max == LLONG_MAX)
		snprintf(values, sizeof(values), "%s", setting->values);
	else
		snprintf(values, sizeof(values), "%lld to %lld%s", setting->min, setting->max,
			 setting->values);
	printf("  %-18s %-15s %s\n", setting->name, values, setting->help);
}

int tuning_print(void)
{
	size_t i;

	puts("Settings of run, start, record and tier, each given as -o NAME=VALUE; record has\n"
	     "only the long form, --tune NAME=VALUE.  Defaults are in brackets.");
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		print_setting(&settings[i]);
	return EXIT_OK;
}
