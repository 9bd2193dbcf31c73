// SPDX-License-Identifier: GPL-2.0
#include <linux/perf_event.h>
#include <stdbool.h>
#include "advice.h"

/* Reasons of losses to name. */
#define REASONS		3
/* A loss of one of this many samples needs no advice. */
#define NOTABLE		20
/* Fewer samples of each page, or fewer in all, do not tell which pages are hot. */
#define FEW_EACH	2
#define FEW		1000
/* So many of each page are enough: as many as there are between two coolings. */
#define ENOUGH_EACH	4
/* At most this factor is advised for a shorter period, because it is only an estimate. */
#define SHORTER_MOST	100
/* To look for primes among larger numbers takes long. */
#define PRIMES_MOST	1000000000000ULL
/* IBS takes only multiples of 16. */
#define IBS_STEP	16

static const char *const advice[HTMM_NR_DROPS] = {
	[HTMM_DROP_RING_FULL] = "the rings were full: raise -m or the period",
	[HTMM_DROP_NO_ADDR] = "the CPU gave no address: name the event with :pp, or another event",
	[HTMM_DROP_KERNEL_ADDR] = "they were of kernel memory",
	[HTMM_DROP_NESTED] = "interrupts came too close together: raise the period",
	[HTMM_DROP_STALE] = "their processes had exited before: lower -o drain-interval",
	[HTMM_DROP_TABLE_FULL] = "the table was full: raise -o max-bytes",
	[HTMM_DROP_REMOVED] = "their target was removed",
	[HTMM_DROP_SPACES_FULL] = "there were too many processes: raise -o max-bytes",
};

/* The reason with the most losses that is not in the set @named; -1: none. */
static int most_lost(const struct htmm_counters *counters, unsigned int named)
{
	int i, most = -1;

	for (i = 0; i < HTMM_NR_DROPS; i++)
		if (counters->drops[i] && !(named & 1U << i) &&
		    (most < 0 || counters->drops[i] > counters->drops[most]))
			most = i;
	return most;
}

void advice_losses(FILE *file, const struct htmm_counters *counters)
{
	/* What was filtered was not wanted. */
	unsigned int named = 1U << HTMM_DROP_FILTERED;
	const int first = most_lost(counters, named);
	int reason = first, nr;

	if (first < 0)
		return;
	for (nr = 0; nr < REASONS && reason >= 0; nr++) {
		fprintf(file, "%s %s %llu", nr ? "," : "lost:", htmm_drop_name(reason),
			counters->drops[reason]);
		named |= 1U << reason;
		reason = most_lost(counters, named);
	}
	if (counters->drops[first] > counters->overflows / NOTABLE)
		fprintf(file, "; %s", advice[first]);
	fputc('\n', file);
}

static bool is_prime(__u64 number)
{
	__u64 i;

	for (i = 2; i * i <= number; i++)
		if (number % i == 0)
			return false;
	return true;
}

/* The next period that is not longer, and that a loop is not in step with. */
static __u64 good_period(const struct htmm_event *event, __u64 period)
{
	if (event->type > PERF_TYPE_RAW)
		return period < IBS_STEP ? IBS_STEP : period - period % IBS_STEP;
	while (period > 1 && period < PRIMES_MOST && !is_prime(period))
		period--;
	return period ? period : 1;
}

void advice_few(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		__u64 pages)
{
	const __u64 counted = stats->stats.total.counted;
	__u64 wanted = ENOUGH_EACH * pages > FEW ? ENOUGH_EACH * pages : FEW;
	__u64 times = counted ? (wanted + counted - 1) / counted : SHORTER_MOST;

	if (counted >= FEW && counted >= FEW_EACH * pages)
		return;
	if (times > SHORTER_MOST)
		times = SHORTER_MOST;
	fprintf(file, "too few to tell what is hot, on %llu pages: ", pages);
	if (info->session_flags & HTMM_START_BUDGET)
		fputs("use a larger --budget\n", file);
	else if (stats->stats.nr_events != 1)
		fprintf(file, "sample %llu times as often\n", times);
	else if (stats->events->period == 1)
		fputs("sample for longer\n", file);
	else
		fprintf(file, "use -c %llu\n",
			good_period(stats->events, stats->events->period / times));
}
