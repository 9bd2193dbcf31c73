/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* PMUs as sysfs describes them: type, formats of terms, named events. */
#ifndef HTMM_PMU_H
#define HTMM_PMU_H

#include <stdbool.h>
#include <linux/htmm.h>
#include <htmm/error.h>

/* Room for a line of sysfs, and for a path below it. */
#define PMU_LINE_MAX	512
#define PMU_PATH_MAX	1024

/**
 * struct pmu - a PMU in sysfs
 * @dir: its directory
 * @name: its name
 * @type: perf_event_attr.type of its events
 */
struct pmu {
	char dir[PMU_PATH_MAX];
	const char *name;
	__u32 type;
};

/* Finds a PMU. Returns 0, or -ENOENT with the existing PMUs in @err. */
int pmu_open(struct pmu *pmu, const char *sysfs, const char *name, struct htmm_error *err);

/* Tells if the CPU has AMD's instruction-based sampling. */
bool pmu_has_ibs(const char *sysfs);

/*
 * Stores a term's value in the bits that the PMU's format says. Returns 0, -ENOENT, -ERANGE
 * or -EINVAL.
 */
int pmu_term(const struct pmu *pmu, struct htmm_event *event, const char *term, __u64 value,
	     struct htmm_error *err);

/* Reads the terms of a named event of the PMU. Returns 0, or -ENOENT if it has no such event. */
int pmu_alias(const struct pmu *pmu, const char *name, char *terms);

#endif /* HTMM_PMU_H */
