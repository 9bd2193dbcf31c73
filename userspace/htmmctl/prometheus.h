/* SPDX-License-Identifier: GPL-2.0 */
/* Prometheus' text format, as read by node_exporter's textfile collector. */
#ifndef HTMMCTL_PROMETHEUS_H
#define HTMMCTL_PROMETHEUS_H

#include <stdio.h>
#include <htmm/htmm.h>

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

/* Begin a metric: a "counter", which only grows, or a "gauge". */
void prom_begin(struct prom *prom, FILE *file, const char *name, const char *type,
		const char *help);

/* Add a label to the next value. */
void prom_label(struct prom *prom, const char *name, const char *value);
void prom_label_u64(struct prom *prom, const char *name, __u64 value);

/* Write the value and end its line. */
void prom_value(struct prom *prom, double value);

#endif /* HTMMCTL_PROMETHEUS_H */
