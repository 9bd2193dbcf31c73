// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <linux/perf_event.h>
#include "period.h"

/* To look for primes among larger numbers takes long. */
#define PRIMES_MOST	1000000000000ULL
/* IBS takes only multiples of 16. */
#define IBS_STEP	16

static bool is_prime(__u64 number)
{
	__u64 i;

	for (i = 2; i * i <= number; i++)
		if (number % i == 0)
			return false;
	return true;
}

__u64 shorter_period(const struct htmm_info *info, const struct htmm_stats_buf *stats,
		     double times)
{
	const struct htmm_event *event = stats->events;
	__u64 period;

	if (stats->stats.nr_events != 1 || info->session_flags & HTMM_START_BUDGET ||
	    event->type == HTMM_TYPE_FEED || event->period == 1)
		return 0;
	period = event->period / times;
	if (event->type > PERF_TYPE_RAW)
		return period < IBS_STEP ? IBS_STEP : period - period % IBS_STEP;
	while (period > 1 && period < PRIMES_MOST && !is_prime(period))
		period--;
	return period ? period : 1;
}
