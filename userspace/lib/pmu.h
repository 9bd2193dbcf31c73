/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* PMUs as sysfs describes them: type, formats of terms, named events. */
#ifndef HTMM_PMU_H
#define HTMM_PMU_H

#include <stdbool.h>
#include <linux/htmm.h>
#include <htmm/error.h>
#include "cpus.h"

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

/*
 * Stores a term's value in the bits that the PMU's format says. Returns 0, -ENOENT, -ERANGE
 * or -EINVAL.
 */
int pmu_term(const struct pmu *pmu, struct htmm_event *event, const char *term, __u64 value,
	     struct htmm_error *err);

/* Reads the terms of a named event of the PMU. Returns 0, or -ENOENT if it has no such event. */
int pmu_alias(const struct pmu *pmu, const char *name, char *terms);

/* Does the PMU have a named event (@sub "events") or a term (@sub "format") of this name? */
bool pmu_has(const struct pmu *pmu, const char *sub, const char *name);

/**
 * struct core_cpus - the CPUs of one kind of cores
 * @pmu: the name of their PMU
 * @cpus: the CPUs
 * @text: the same in the kernel's form
 */
struct core_cpus {
	const char *pmu;
	struct htmm_cpus cpus;
	char text[SYSFS_LINE];
};

/* Finds the cores whose PMU has this type. Returns false if all CPUs are of one kind. */
bool pmu_cpus(__u32 type, const char *sysfs, struct core_cpus *cores);

#endif /* HTMM_PMU_H */
