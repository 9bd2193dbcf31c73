/* SPDX-License-Identifier: GPL-2.0 */
/* Events opened in user space, with rings that perf fills. */
#ifndef LIVE_SOURCE_H
#define LIVE_SOURCE_H

#include <htmm/htmm.h>

struct source;

/**
 * struct source_set - all events on all their CPUs
 * @source: private: each on one CPU
 * @nr: private: how many there are
 */
struct source_set {
	struct source *source;
	unsigned int nr;
};

/*
 * Opens events, which do not count yet. Load latency is put in a group where the CPU wants that.
 * @cpus: where; empty: on all CPUs. Returns 0 or a negative errno.
 */
int source_set_open(struct source_set *set, const struct htmm_event_list *list,
		    const struct htmm_cpus *cpus, struct htmm_error *err);

/* Lets all events count. */
void source_set_enable(const struct source_set *set);

/*
 * Takes samples of one event out of the rings. @samples: filled in. @most: how many fit. @lost:
 * those for which a ring had no room are added to it. Returns how many were taken.
 */
__u32 source_set_read(struct source_set *set, unsigned int event,
		      struct htmm_feed_sample *samples, __u32 most, __u64 *lost);

#endif /* LIVE_SOURCE_H */
