/* SPDX-License-Identifier: GPL-2.0 */
/* The period to advise if there are too few samples. */
#ifndef HTMMCTL_PERIOD_H
#define HTMMCTL_PERIOD_H

#include <htmm/htmm.h>

/*
 * The period with which a session would have so many times the samples, and with which a loop is
 * not in step. 0: -c cannot give it, as there are several events, a budget chooses the periods, the
 * samples were fed, or it is 1 already.
 */
__u64 shorter_period(const struct htmm_info *info, const struct htmm_stats_buf *stats,
		     double times);

#endif /* HTMMCTL_PERIOD_H */
