/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Sets of CPUs and of nodes, read from sysfs. */
#ifndef HTMM_LIB_CPUS_H
#define HTMM_LIB_CPUS_H

#include <stddef.h>
#include <htmm/cpus.h>

/* Enough for a line with any list of nodes. */
#define SYSFS_LINE	4096

/*
 * Reads a list of CPUs from a file of sysfs, as a set and, in @line of SYSFS_LINE bytes, as
 * text. Returns false, and leaves the set empty, if there is none.
 */
bool sysfs_list(struct htmm_cpus *set, char *line, const char *sysfs, const char *file);

/*
 * Reads a list of nodes, which has the form of a list of CPUs, from a file of
 * devices/system/node. Returns false, and leaves the set empty, if there is none.
 */
bool sysfs_nodes(struct htmm_cpus *nodes, const char *sysfs, const char *file);

#endif /* HTMM_LIB_CPUS_H */
