/* SPDX-License-Identifier: GPL-2.0 */
/* The members of a struct, with their names in JSON. */
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
 */
struct field {
	const char *json;
	unsigned int at;
	unsigned int size;
	bool hex;
	__u64 flag;
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

/* The fields of the module's structs. */
extern const struct field info_fields[];	/* of struct htmm_info */
extern const struct field channel_fields[];	/* of struct htmm_channel_info */
extern const struct field counter_fields[];	/* of struct htmm_counters */
extern const struct field target_fields[];	/* of struct htmm_target_info */

#endif /* HTMMCTL_FIELDS_H */
