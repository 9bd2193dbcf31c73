/* SPDX-License-Identifier: GPL-2.0 */
/* From the records of a recording to the samples of a session. */
#ifndef FEED_FEEDER_H
#define FEED_FEEDER_H

#include <stdbool.h>
#include <htmm/htmm.h>
#include "perfdata/decode.h"
#include "perfdata/idmap.h"
#include "perfdata/losses.h"
#include "perfdata/pids.h"

/* Samples that are handed in with one call. */
#define FEEDER_BATCH	1024

/**
 * struct feeder - hands samples to the event 0 of a session
 * @fd: the device
 * @session: the session, and no other one
 * @recorded_pace: leave as much time between samples as there was
 * @pids: only these processes
 * @fed: samples handed in
 * @guest: samples left out because they were taken in a virtual machine
 * @no_process: those whose process is not known
 * @filtered: those of other processes than @pids
 * @losses: those that the recording does not have
 * @program: private: the newest program of each process
 * @programs: private: how many there were
 * @first: private: time of the first sample
 * @began: private: when it was handed in
 * @sample: private: samples to be handed in
 * @nr: private: how many there are
 */
struct feeder {
	int fd;
	__u64 session;
	bool recorded_pace;
	struct perfdata_pids pids;
	__u64 fed;
	__u64 guest;
	__u64 no_process;
	__u64 filtered;
	struct perfdata_losses losses;
	struct idmap program;
	__u32 programs;
	__u64 first;
	__u64 began;
	struct htmm_feed_sample sample[FEEDER_BATCH];
	unsigned int nr;
};

/**
 * feeder_add() - add records
 * @feeder: the feeder
 * @sample: the records, in order of time
 * @nr: how many there are
 * @err: says what went wrong
 *
 * Return: 0, -ENOMEM, or a negative errno of HTMM_IOC_FEED.
 */
int feeder_add(struct feeder *feeder, const struct perfdata_sample *sample, size_t nr,
	       struct htmm_error *err);

/**
 * feeder_flush() - hand in what was added
 * @feeder: the feeder
 * @err: says what went wrong
 *
 * Waits while the module's ring is full.
 *
 * Return: 0, or a negative errno of HTMM_IOC_FEED.
 */
int feeder_flush(struct feeder *feeder, struct htmm_error *err);

/**
 * feeder_free() - free the memory
 * @feeder: the feeder; may be all zero
 */
void feeder_free(struct feeder *feeder);

#endif /* FEED_FEEDER_H */
