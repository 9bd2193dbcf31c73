/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's limits on sampling, and advice if they cause lost samples. */
#ifndef HTMMCTL_THROTTLE_H
#define HTMMCTL_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <htmm/htmm.h>

/**
 * struct throttle - the kernel's limits
 * @max_sample_rate: samples per second of an event on a CPU; -1: unknown
 * @cpu_percent: CPU time that perf's interrupts may take before the kernel lowers
 *	@max_sample_rate by itself; 0 or 100: it never does; -1: unknown
 */
struct throttle {
	long max_sample_rate;
	long cpu_percent;
};

/* Reads the limits in force. */
void throttle_read(struct throttle *limits);

/* Tells if the kernel lowers the rate when sampling takes too long. */
bool throttle_by_time(const struct throttle *limits);

/*
 * Says that samples were lost, and how to avoid it. @text: set to a sentence without a full
 * stop; empty if nothing was throttled.
 */
void throttle_explain(const struct throttle *limits, const struct htmm_stats_buf *stats,
		      char *text, size_t size);

#endif /* HTMMCTL_THROTTLE_H */
