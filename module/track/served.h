/* SPDX-License-Identifier: GPL-2.0 */
/* What served the samples of a target: caches, near memory or far memory. */
#ifndef HTMM_SERVED_H
#define HTMM_SERVED_H

#include <linux/nodemask.h>
#include <uapi/linux/htmm.h>

/**
 * struct htmm_served_counts - samples by the CPUs' node, event and source
 * @events: events of the session
 * @samples: of node n, event e and source s in element
 *	(n * @events + e) * HTMM_NR_SOURCES + s
 */
struct htmm_served_counts {
	unsigned int events;
	u64 samples[];
};

/* The HTMM_NR_SOURCES counters of an event on the CPUs of a node. */
static inline u64 *htmm_served_of(struct htmm_served_counts *served, unsigned int node,
				  unsigned int event)
{
	return &served->samples[(node * served->events + event) * HTMM_NR_SOURCES];
}

#endif /* HTMM_SERVED_H */
