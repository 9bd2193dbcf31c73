// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include "line.h"
#include "throttle.h"

#define SYSCTL		"/proc/sys/kernel/"
#define MAX_RATE	"perf_event_max_sample_rate"
#define CPU_PERCENT	"perf_cpu_time_max_percent"

/* The kernel's initial value of both limits. */
#define DEFAULT_RATE	100000
#define DEFAULT_PERCENT	25

static long read_number(const char *path)
{
	char text[32];

	return read_line(path, text, sizeof(text)) ? -1 : strtol(text, NULL, 10);
}

void throttle_read(struct throttle *limits)
{
	limits->max_sample_rate = read_number(SYSCTL MAX_RATE);
	limits->cpu_percent = read_number(SYSCTL CPU_PERCENT);
}

bool throttle_by_time(const struct throttle *limits)
{
	return limits->cpu_percent != 0 && limits->cpu_percent != 100;
}

/*
 * A throttled event does not count what it misses, so the rate needed is unknown. Suggest
 * the kernel's default, or twice the present value if that is not lower.
 */
static long higher_rate(const struct throttle *limits)
{
	if (limits->max_sample_rate < DEFAULT_RATE)
		return DEFAULT_RATE;
	return 2 * limits->max_sample_rate;
}

void throttle_explain(const struct throttle *limits, const struct htmm_stats_buf *stats,
		      char *text, size_t size)
{
	const struct htmm_stats *s = &stats->stats;
	unsigned int i, channels = 0;
	char percent[64] = "";

	text[0] = '\0';
	if (!s->total.throttled)
		return;
	for (i = 0; i < s->nr_channels; i++)
		channels += !!stats->channels[i].counters.throttled;
	/* The kernel refuses to set the rate if it never lowers the rate by itself. */
	if (!throttle_by_time(limits))
		snprintf(percent, sizeof(percent), "kernel." CPU_PERCENT "=%d ", DEFAULT_PERCENT);
	snprintf(text, size,
		 "the kernel throttled %u of %u channels, %llu times, and their samples were lost; "
		 "raise the period, or run: sysctl %skernel." MAX_RATE "=%ld", channels,
		 s->nr_channels, s->total.throttled, percent, higher_rate(limits));
}
