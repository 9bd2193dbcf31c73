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
 * all of them when the process has exited.
 *
 * Return: 0 or a negative errno; what was known stays known.
 */
int htmm_names_refresh(struct htmm_names *names, __u32 pid);

/**
 * htmm_names_note() - learn which address spaces exist
 * @names: the cache
 * @list: pages to be looked up later
 *
 * A process has the names of its newest address space: those it had before
 * exec() are gone.
 */
void htmm_names_note(struct htmm_names *names, const struct htmm_page_list *list);

/**
 * htmm_names_find() - find what a page belongs to
 * @names: the cache; a process that lives and is not in it is added
 * @page: the page
 *
 * Return: the place; its strings live as long as @names, until the process is
 * refreshed.
 */
struct htmm_place htmm_names_find(struct htmm_names *names, const struct htmm_hot_page *page);

#endif /* HTMM_NAMES_H */
