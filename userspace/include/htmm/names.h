/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* What hot pages belong to: process and mapping. */
#ifndef HTMM_NAMES_H
#define HTMM_NAMES_H

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

/**
 * htmm_names_new() - make an empty cache of processes
 *
 * Return: the cache, or NULL if there is no memory.
 */
struct htmm_names *htmm_names_new(void);

/**
 * htmm_names_free() - free the cache
 * @names: the cache; may be NULL
 */
void htmm_names_free(struct htmm_names *names);

/**
 * htmm_names_refresh() - read the names of a live process
 * @names: the cache
 * @pid: the process
 *
 * Mappings that were removed since the last call stay known, and all of them when the
 * process has exited; those of a program that it ran before exec() do not.
 *
 * Return: 0 or a negative errno; what was known stays known.
 */
int htmm_names_refresh(struct htmm_names *names, __u32 pid);

/**
 * htmm_names_note() - learn which address spaces exist
 * @names: the cache
 * @session: number of the session, &struct htmm_info.session; a new number clears the
 *	cache. May be 0 if there is only one session
 * @list: pages that will be looked up later
 *
 * Names are kept for the newest address space of a process in each target; those from
 * before exec(), or of an earlier process with the same pid, are dropped. Reads the names
 * of live processes that are not in the cache.
 */
void htmm_names_note(struct htmm_names *names, __u64 session, const struct htmm_page_list *list);

/**
 * htmm_names_find() - find what a page belongs to
 * @names: the cache; a live process that is not in it is added
 * @page: the page
 *
 * Return: the place; its strings are valid until the next call of another function with @names.
 */
struct htmm_place htmm_names_find(struct htmm_names *names, const struct htmm_page *page);

#endif /* HTMM_NAMES_H */
