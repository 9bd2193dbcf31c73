/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* What hot pages belong to: process and mapping. */
#ifndef HTMM_NAMES_H
#define HTMM_NAMES_H

#include <stdio.h>
#include <htmm/device.h>

struct htmm_names;

/**
 * struct htmm_place - what a page belongs to
 * @comm: command of its process; "?" if unknown
 * @mapping: file or a name in brackets; "[exited]" if its process is gone, "[unmapped]" if
 *	no mapping covers it, "[unknown]" if its process may not be read, "[other pid namespace]"
 *	if it has no pid here
 * @offset: from the start of the file, or of the mapping if there is no file
 */
struct htmm_place {
	const char *comm;
	const char *mapping;
	__u64 offset;
};

/* Makes an empty cache of processes, or returns NULL if there is no memory. */
struct htmm_names *htmm_names_new(void);

/* Frees the cache. @names may be NULL. */
void htmm_names_free(struct htmm_names *names);

/*
 * Reads the names of a live process. Mappings that were removed since the last call stay known, and
 * all of them when the process has exited; those of a program that it ran before exec() do not.
 * Returns 0 or a negative errno; what was known stays known.
 */
int htmm_names_refresh(struct htmm_names *names, __u32 pid);

/*
 * Learns from pages that will be looked up later which address spaces exist. Names are kept for the
 * newest one of a process in each target; those from before exec(), or of an earlier process with
 * the same pid, are dropped. Reads the names of live processes that are not in the cache. @session:
 * &struct htmm_info.session; a new number clears the cache. May be 0 if there is only one session.
 */
void htmm_names_note(struct htmm_names *names, __u64 session, const struct htmm_page_list *list);

/*
 * Finds what a page belongs to; a live process that is not in the cache is added. The strings are
 * valid until the next call of another function with @names.
 */
struct htmm_place htmm_names_find(struct htmm_names *names, const struct htmm_page *page);

/* Writes all that is known, as text. Look for an error of @file afterwards. */
void htmm_names_save(const struct htmm_names *names, FILE *file);

/* Adds what that has written of processes that are not in the cache. Returns 0 or -ENOMEM. */
int htmm_names_load(struct htmm_names *names, FILE *file);

#endif /* HTMM_NAMES_H */
