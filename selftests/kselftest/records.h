/* SPDX-License-Identifier: GPL-2.0 */
/* Decodes the record stream. */
#ifndef KSFT_RECORDS_H
#define KSFT_RECORDS_H

#include <stdbool.h>
#include "device.h"

/* The order of times is checked for this many CPUs. */
#define RECORDS_CPUS	64
/* Addresses are kept for this many samples. */
#define RECORDS_ADDRESSES	4096

/**
 * struct sample - a sample with all members, in the order of perf's ABI
 */
struct sample {
	__u64 id;
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u64 addr;
	__u32 cpu;
	__u32 reserved;
	__u64 period;
	__u64 data_src;
};

/**
 * struct tally - what was read from a stream so far
 * @samples: samples, by event
 * @lost: lost samples reported by LOST records, by event
 * @losses: LOST records
 * @resumed: samples that follow a LOST record at once
 * @rounds: ROUND records
 * @unknown: records of an unknown type or wrong size
 * @disorder: samples older than an earlier one of the same CPU and event, or older than one
 *	before the second last ROUND
 * @addr: addresses of the first samples
 * @nr_addr: number of @addr
 * @last: the last sample
 * @gap: private: the last record is a LOST record
 * @newest: private: the newest time of each CPU and event
 * @time: private: the newest of all times: now, at the last ROUND, and at the ROUND before
 */
struct tally {
	__u64 samples[HTMM_MAX_EVENTS];
	__u64 lost[HTMM_MAX_EVENTS];
	__u64 losses;
	__u64 resumed;
	__u64 rounds;
	__u64 unknown;
	__u64 disorder;
	__u64 addr[RECORDS_ADDRESSES];
	size_t nr_addr;
	struct sample last;
	bool gap;
	__u64 newest[RECORDS_CPUS][HTMM_MAX_EVENTS];
	__u64 time[3];
};

/* All members of struct sample. */
#define RECORDS_SAMPLE_TYPE						\
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |		\
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |	\
	 PERF_SAMPLE_DATA_SRC)

/* Makes @fd a reader; returns 0 or a negative errno. */
int stream_join(int fd, __u64 buffer_bytes, __u32 watermark);
/* Fills @stream; returns 0 or a negative errno. */
int stream_report(int fd, struct htmm_stream *stream);
/* The ids of the session's events: HTMM_MAX_EVENTS elements, 0 where there is no event. */
int stream_ids(int fd, __u64 *ids);
/* The events that poll() returns now. */
int stream_poll(int fd);

/*
 * One read() of up to @room bytes, decoded: returns its bytes, 0 at the end, or a negative
 * errno.
 */
int records_read(int fd, size_t room, struct tally *tally);
/*
 * Reads to the end, or until there is no more yet. Returns 0, -EAGAIN, or another negative
 * errno.
 */
int records_drain(int fd, struct tally *tally);
__u64 tally_samples(const struct tally *tally);
__u64 tally_lost(const struct tally *tally);

#endif /* KSFT_RECORDS_H */
