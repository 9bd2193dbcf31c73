/* SPDX-License-Identifier: GPL-2.0 */
/* What to do better in the next session. */
#ifndef HTMMCTL_ADVICE_H
#define HTMMCTL_ADVICE_H

#include <stdio.h>
#include <htmm/htmm.h>

/*
 * Prints why most of the lost samples were lost, and what to do. Prints nothing if none was
 * lost.
 */
void advice_losses(FILE *file, const struct htmm_counters *counters);

/* Prints if there are too few samples to tell hot pages from others. */
void advice_few(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		__u64 pages);

#endif /* HTMMCTL_ADVICE_H */
