/* SPDX-License-Identifier: GPL-2.0 */
/* Writes metrics in Prometheus' text format, which node_exporter's textfile collector reads. */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include <stdio.h>
#include <linux/types.h>
#include <htmm/error.h>

/**
 * struct prom - a metric being written
 * @file: where to
 * @name: its name
 * @labels: labels of the current value so far
 */
struct prom {
	FILE *file;
	const char *name;
	unsigned int labels;
};

/* Begin a metric: a counter, which only grows, if its name ends in "_total". */
void prom_begin(struct prom *prom, FILE *file, const char *name, const char *help);

/* Add a label to the next value; @value need not be valid UTF-8. */
void prom_label(struct prom *prom, const char *name, const char *value);
void prom_label_u64(struct prom *prom, const char *name, __u64 value);

/* Write the value and end its line. */
void prom_value(struct prom *prom, double value);

/**
 * struct metric - a member of a struct that is a metric
 * @name: the metric's name; NULL ends a table
 * @help: what it is, as a sentence
 * @at: the member's offset in the struct
 * @size: its bytes, 4 or 8
 * @unit: factor for the value, such as 4096 for pages; 0: 1
 */
struct metric {
	const char *name;
	const char *help;
	unsigned int at;
	unsigned int size;
	double unit;
};

/* An entry of a table. @member: a member of a NULL struct pointer. */
#define METRIC(member, called, text, ...)						\
	{ .name = called, .help = text, .at = (unsigned long)&(member),			\
	  .size = sizeof(member), ##__VA_ARGS__ }

/*
 * Writes the metrics of @nr structs. @item: returns a struct by its number, after labelling it
 * with prom_label(); NULL: there is only one struct, @arg.
 */
void metrics_write(FILE *file, const struct metric *metrics, size_t nr,
		   const void *(*item)(struct prom *prom, const void *arg, size_t number),
		   const void *arg);

/* Removes a file that metrics_replace() has made. A pipe or a device stays. */
void metrics_remove(const char *path);

/*
 * Replaces a file by what @write writes: who reads it sees either the one of before, or the whole
 * of the new one. Returns 0 or a negative errno.
 */
int metrics_replace(const char *path, void (*write)(FILE *file, const void *arg), const void *arg,
		    struct htmm_error *err);

#endif /* METRICS_METRICS_H */
