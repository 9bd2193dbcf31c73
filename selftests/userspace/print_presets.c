// SPDX-License-Identifier: GPL-2.0
/*
 * Reads lines "CPUID SYSFS", and prints what each preset is on each kind of cores of such a
 * CPU, as a line of JSON: for test_presets.
 */
#include <string.h>
#include <json.h>
#include <htmm/htmm.h>

static void add(struct json_object *obj, const char *name, const char *text)
{
	json_object_object_add(obj, name, json_object_new_string(text));
}

static void add_number(struct json_object *obj, const char *name, __u64 number)
{
	json_object_object_add(obj, name, json_object_new_uint64(number));
}

static struct json_object *describe(const struct htmm_preset *preset, const char *pmu,
				    const char *sysfs)
{
	struct json_object *obj = json_object_new_object();
	struct htmm_error err = {};
	struct htmm_choice choice;

	add(obj, "preset", preset->name);
	add(obj, "pmu", pmu);
	if (htmm_preset_choose(preset, pmu, sysfs, &choice, &err)) {
		add(obj, "what", err.what);
		add(obj, "todo", err.todo);
		return obj;
	}
	add(obj, "text", choice.text);
	add(obj, "help", choice.help);
	add_number(obj, "type", choice.event.type);
	add_number(obj, "config", choice.event.config);
	add_number(obj, "config1", choice.event.config1);
	add_number(obj, "precise", choice.event.precise_ip);
	add_number(obj, "period", choice.event.period);
	add_number(obj, "sees", choice.sees);
	add_number(obj, "served", choice.served);
	return obj;
}

static struct json_object *walk(const char *sysfs)
{
	struct json_object *array = json_object_new_array();
	const struct htmm_preset *preset;
	unsigned int i, j;
	const char *pmu;

	for (i = 0; (pmu = htmm_core_pmu(i, sysfs)); i++)
		for (j = 0; (preset = htmm_preset(j)); j++)
			json_object_array_add(array, describe(preset, pmu, sysfs));
	return array;
}

int main(void)
{
	char id[64], sysfs[256];

	while (scanf("%63s %255s", id, sysfs) == 2) {
		struct json_object *all;

		setenv("HTMM_CPUID", id, 1);
		all = walk(sysfs);
		puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN));
		json_object_put(all);
	}
	return 0;
}
