/* SPDX-License-Identifier: GPL-2.0 */
/* Members of a struct, and what they are called as text, in JSON and for Prometheus. */
#ifndef CMD_FIELD_H
#define CMD_FIELD_H

#include <json.h>
#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>
#include "prometheus.h"

/**
 * struct field - a member that is a number
 * @json: its name in JSON; NULL ends a table
 * @at: where it is in the struct
 * @size: its bytes, 4 or 8
 * @hex: JSON has it in hexadecimal
 * @flag: it is true if this bit is set, not a number
 * @text: its name in text; NULL: text has it elsewhere, or not at all
 * @metric: its name for Prometheus, a counter if it ends in "_total"; NULL: none
 * @help: what the metric is, as a sentence
 * @unit: what the metric counts in, such as 4096 for pages; 0: 1
 */
struct field {
	const char *json;
	unsigned int at;
	unsigned int size;
	bool hex;
	__u64 flag;
	const char *text;
	const char *metric;
	const char *help;
	double unit;
};

/* A line of a table: @member, of a struct at NULL, is @name in JSON. */
#define FIELD(member, name, ...)							\
	{ .json = name, .at = (unsigned long)&(member), .size = sizeof(member), ##__VA_ARGS__ }

/**
 * fields_json() - add all to a JSON object
 * @obj: the object
 * @fields: what to add
 * @from: the struct that has them
 */
void fields_json(struct json_object *obj, const struct field *fields, const void *from);

/**
 * fields_text() - print a line for each that has a name in text
 * @file: where to
 * @fields: what to print
 * @from: the struct that has them
 */
void fields_text(FILE *file, const struct field *fields, const void *from);

/**
 * fields_metrics() - print each that has a metric, of several structs
 * @file: where to
 * @fields: what to print
 * @nr: how many structs there are
 * @item: returns a struct by its number, after it has told it from the others with
 *	prom_label(); NULL: there is only one, @arg
 * @arg: for @item
 */
void fields_metrics(FILE *file, const struct field *fields, size_t nr,
		    const void *(*item)(struct prom *prom, const void *arg, size_t number),
		    const void *arg);

#endif /* CMD_FIELD_H */
