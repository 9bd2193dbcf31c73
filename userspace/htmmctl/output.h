/* SPDX-License-Identifier: GPL-2.0 */
/* Writing to terminals and as JSON. */
#ifndef HTMMCTL_OUTPUT_H
#define HTMMCTL_OUTPUT_H

#include <json.h>
#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>

/* Version of the JSON output, see docs/json.md. */
#define JSON_SCHEMA	1

enum colour { COLOUR_NONE, COLOUR_RED, COLOUR_YELLOW, COLOUR_GREEN };

/* Columns of the terminal of @file; 80 if it is no terminal. */
int out_width(FILE *file);

/* Is @file a terminal whose user wants colours? */
bool out_wants_colour(FILE *file);

/* Starts a colour (COLOUR_NONE ends it), if @file is a terminal whose user wants colours. */
void out_colour(FILE *file, enum colour colour);

/* Bytes of the UTF-8 character at @from, or 0 if there is none. */
int out_utf8(const char *from);

/* The same, and 0 for a control character: what a name that is not trusted may print. */
int out_printable(const char *from);

/* Prints a name that is not trusted, with '?' for each byte of others. */
void out_name(FILE *file, const char *name);

/* Opens a file to write, which keeps what is in it until out_begin(). NULL: see errno. */
FILE *out_open(const char *path);

/* Drops what a file of out_open() had in it: now there is something better. */
void out_begin(FILE *file);

/*
 * Closes a file. Returns 0, or a negative errno if not all could be written, now or before.
 * @name says what it was, such as "the report".
 */
int out_close(FILE *file, const char *name, struct htmm_error *err);

/* Draws @value as a part of @room columns that stand for @most; at least one if it is not 0. */
void out_bar(FILE *file, __u64 value, __u64 most, int room);

/* Room for size_text(). */
#define SIZE_TEXT	24

/* A size with its unit, such as "1.5 GiB". */
const char *size_text(char text[SIZE_TEXT], __u64 bytes);

/* @part as a percentage of @whole; 0 if @whole is 0. */
double percent(__u64 part, __u64 whole);

/* A new object with the schema's version in it. */
struct json_object *json_new(void);

/* Add members; @name need not be valid UTF-8. */
void json_add_u64(struct json_object *obj, const char *key, __u64 value);
void json_add_bool(struct json_object *obj, const char *key, bool value);
void json_add_hex(struct json_object *obj, const char *key, __u64 value);
void json_add_name(struct json_object *obj, const char *key, const char *name);
void json_add_under_name(struct json_object *obj, const char *name, struct json_object *value);
void json_add(struct json_object *obj, const char *key, struct json_object *value);

/* Write an object with members, but for its closing brace, so that more can follow; free it. */
void json_begin(FILE *file, struct json_object *obj);

/* Write an object without a newline, and free it. */
void json_write(FILE *file, struct json_object *obj);

/* Write an object as a line, and free it. */
void json_print(FILE *file, struct json_object *obj);

#endif /* HTMMCTL_OUTPUT_H */
