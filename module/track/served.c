// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include "served.h"

/* Counters for @events events, or NULL. */
struct htmm_served_counts *htmm_served_create(unsigned int events)
{
	struct htmm_served_counts *served;

	served = kvzalloc(struct_size(served, samples,
				      (size_t)nr_node_ids * events * HTMM_NR_SOURCES),
			  GFP_KERNEL_ACCOUNT);
	if (served)
		served->events = events;
	return served;
}

void htmm_served_free(struct htmm_served_counts *served)
{
	kvfree(served);
}
