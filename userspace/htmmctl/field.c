// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "field.h"
#include "output.h"

static __u64 value_of(const struct field *field, const void *from)
{
	const char *at = (const char *)from + field->at;
	__u64 value = field->size == sizeof(__u32) ? *(const __u32 *)at : *(const __u64 *)at;

	return field->flag ? !!(value & field->flag) : value;
}

void fields_json(struct json_object *obj, const struct field *fields, const void *from)
{
	for (; fields->json; fields++) {
		__u64 value = value_of(fields, from);

		if (fields->flag)
			json_add_bool(obj, fields->json, value);
		else if (fields->hex)
			json_add_hex(obj, fields->json, value);
		else
			json_add_u64(obj, fields->json, value);
	}
}

void fields_text(FILE *file, const struct field *fields, const void *from)
{
	for (; fields->json; fields++)
		if (fields->text)
			fprintf(file, "%-14s %14llu\n", fields->text, value_of(fields, from));
}

static const char *metric_type(const char *name)
{
	static const char total[] = "_total";
	size_t len = strlen(name);

	return len >= strlen(total) && !strcmp(name + len - strlen(total), total) ?
		"counter" : "gauge";
}

void fields_metrics(FILE *file, const struct field *fields, size_t nr,
		    const void *(*item)(struct prom *prom, const void *arg, size_t number),
		    const void *arg)
{
	struct prom prom;
	size_t i;

	for (; fields->json; fields++) {
		if (!fields->metric)
			continue;
		prom_begin(&prom, file, fields->metric, metric_type(fields->metric), fields->help);
		for (i = 0; i < nr; i++) {
			double value = value_of(fields, item ? item(&prom, arg, i) : arg);

			prom_value(&prom, fields->unit ? value * fields->unit : value);
		}
	}
}
