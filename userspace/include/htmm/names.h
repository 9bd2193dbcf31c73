/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* What hot pages belong to: the process and the mapping. */
#ifndef HTMM_NAMES_H
#define HTMM_NAMES_H

#include <htmm/device.h>

struct htmm_names;

/**
 * struct htmm_place - what a page belongs to
 * @comm: command of its process; "?" if unknown
 * @mapping: file or a name in brackets; "[exited]" if its process is gone,
 *	"[unmapped]" if no mapping covers it, "[unknown]" if its process hides
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
 * htmm_names_refresh() - read the names of a process that lives
 * @names: the cache
 * @pid: the process
 *
 * Mappings that have gone since the last time are still known afterwards, and
 * all of them when the process has exited; those of a program that it ran before are
 * not.
 *
 * Return: 0 or a negative errno; what was known stays known.
 */
int htmm_names_refresh(struct htmm_names *names, __u32 pid);

/**
 * htmm_names_note() - learn which address spaces exist
 * @names: the cache
 * @session: number of the session, &struct htmm_info.session; if it is another one than
 *	before, all that was known is forgotten. 0 will do if it never changes
 * @list: pages to be looked up later
 *
 * A process has the names of its newest address space in each target: those it had
 * before exec(), or of an earlier process with its pid, are gone. The names of
 * processes that live and are new here are read.
 */
void htmm_names_note(struct htmm_names *names, __u64 session, const struct htmm_page_list *list);

/**
 * htmm_names_prune() - forget the processes that have no page any more
 * @names: the cache
 * @list: the pages; all that will be looked up, until processes are added again
 *
 * Who looks at pages again and again keeps the cache small with this. Names of a process
 * that is forgotten and has exited cannot be had again.
 */
void htmm_names_prune(struct htmm_names *names, const struct htmm_page_list *list);

/**
 * htmm_names_find() - find what a page belongs to
 * @names: the cache; a process that lives and is not in it is added
 * @page: the page
 *
 * Return: the place; its strings live until the next call with @names that is not this
 * one.
 */
struct htmm_place htmm_names_find(struct htmm_names *names, const struct htmm_page *page);

#endif /* HTMM_NAMES_H */
