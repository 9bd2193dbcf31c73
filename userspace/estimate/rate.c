// SPDX-License-Identifier: GPL-2.0
#include <json.h>
#include <stdio.h>
#include "rate.h"

const char *rate_text(char text[RATE_TEXT], double rate)
{
	snprintf(text, RATE_TEXT, "%.*f", rate < 1 ? 3 : rate < 10 ? 2 : rate < 100, rate);
	return text;
}

static void add_ppm(struct json_object *obj, const char *name, double value)
{
	json_object_object_add(obj, name, json_object_new_uint64(value * 1e6 + 0.5));
}

void rate_json(struct json_object *obj, double rate, double low, double high)
{
	add_ppm(obj, "rate_ppm", rate);
	add_ppm(obj, "low_ppm", low);
	add_ppm(obj, "high_ppm", high);
}
