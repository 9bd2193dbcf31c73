/* SPDX-License-Identifier: GPL-2.0 */
/* Events opened in user space, with rings that perf fills. */
#ifndef LIVE_SOURCE_H
#define LIVE_SOURCE_H

#include <stdbool.h>
#include <htmm/htmm.h>

struct source;

/* Samples that are taken out of a ring at a time. */
#define BATCH		4096

/**
 * struct batch - what was read from the ring of one event on one CPU
 * @source: index of that ring in its set
 * @event: index of the event
 * @cpu: the CPU
 * @nr: number of samples
 * @lost: samples for which the ring had no room
 * @throttled: how often the kernel throttled the event
 * @end: private: up to where the ring was read
 * @all_lost: private: samples that the ring has lost until then
 * @sample: the samples
 */
struct batch {
	unsigned int source;
	__u32 event;
	__u32 cpu;
	__u32 nr;
	__u32 lost;
	__u32 throttled;
	__u64 end;
	__u64 all_lost;
	struct htmm_feed_sample sample[BATCH];
};

/**
 * struct source_set - all events on all their CPUs
 * @source: private: each on one CPU; shared with processes that are forked later
 * @nr: how many there are
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

/*
 * Maps the rings in a process that was forked, which has to do so before all else. The process that
 * opened the events keeps them. Returns 0 or a negative errno.
 */
int source_set_map(const struct source_set *set);

/* Lets all events count, or no longer. */
void source_set_enable(const struct source_set *set, bool enable);

/*
 * Reads from a ring what fits in a batch. It stays in the ring until source_set_take(). Only one
 * process at a time may read.
 */
void source_set_read(const struct source_set *set, unsigned int i, struct batch *batch);

/* The same for losses that have no record, because no record came after them. */
void source_set_read_missed(const struct source_set *set, unsigned int i, struct batch *batch);

/* Takes out of its ring what a batch has. To do so once more changes nothing. */
void source_set_take(const struct source_set *set, const struct batch *batch);

#endif /* LIVE_SOURCE_H */
