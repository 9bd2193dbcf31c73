/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of a struct, with their names in text, JSON and Prometheus output. */
#ifndef HTMMCTL_FIELDS_H
#define HTMMCTL_FIELDS_H

#include "output.h"

/**
 * struct field - a numeric member of a struct
 * @json: its name in JSON; NULL ends a table
 * @at: its offset in the struct
 * @size: its bytes, 4 or 8
 * @hex: JSON has it in hexadecimal
 * @flag: the member is a boolean: true if this bit is set; 0: a number
 * @text: its name in text; NULL: not printed by fields_text()
 * @metric: its name for Prometheus, a counter if it ends in "_total"; NULL: none
 * @help: what the metric is, as a sentence
 * @unit: factor for the metric's value, such as 4096 for pages; 0: 1
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

/* An entry of a table: @member, given as a member of a NULL struct pointer, is @name in JSON. */
#define FIELD(member, name, ...)							\
	{ .json = name, .at = (unsigned long)&(member), .size = sizeof(member), ##__VA_ARGS__ }

/* Adds all fields to a JSON object. */
void fields_json(struct json_object *obj, const struct field *fields, const void *from);

/*
 * Adds an object "stats" with the first @nr of a struct's stats. One that this program does not
 * know is stat_N, if it is not zero.
 */
void stats_values_json(struct json_object *obj, const __u64 *stats, unsigned int nr);

/* Prints a line for each field that has a text name. */
void fields_text(FILE *file, const struct field *fields, const void *from);

/*
 * Prints the metric fields of several structs. @item: returns a struct by its number, after
 * labelling it with prom_label(); NULL: there is only one struct, @arg.
 */
void fields_metrics(FILE *file, const struct field *fields, size_t nr,
		    const void *(*item)(struct prom *prom, const void *arg, size_t number),
		    const void *arg);

/* The fields of the module's structs. */
extern const struct field info_fields[];	/* of struct htmm_info */
extern const struct field stats_fields[];	/* of struct htmm_stats; not for fields_json() */
extern const struct field channel_fields[];	/* of struct htmm_channel_info */
extern const struct field counter_fields[];	/* of struct htmm_counters */
extern const struct field target_fields[];	/* of struct htmm_target_info */

#endif /* HTMMCTL_FIELDS_H */
