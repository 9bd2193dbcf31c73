/* SPDX-License-Identifier: GPL-2.0 */
/* Where pages were last seen, for when their process has exited. */
#ifndef HTMMCTL_PLACED_H
#define HTMMCTL_PLACED_H

#include <htmm/htmm.h>

/* The most pages that are remembered, the hottest ones. */
#define PLACED_MAX	65536

/**
 * struct placed - pages and where they were
 * @list: the pages, sorted
 */
struct placed {
	struct htmm_page_list list;
};

/*
 * Looks where the hottest pages are now. @placed: the pages; of those whose place is not known
 * any more, the old place stays. @fd: the device; a module that cannot tell changes nothing.
 */
void placed_refresh(struct placed *placed, int fd);

/* Fills in where pages were, if it is not known where they are. */
void placed_fill(const struct placed *placed, struct htmm_page_list *list);

/* Forgets the pages. @placed may be all zero. */
void placed_free(struct placed *placed);

#endif /* HTMMCTL_PLACED_H */
