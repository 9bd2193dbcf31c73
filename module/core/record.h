/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record of one sample in a ring.
 *
 * A slot holds a PERF_RECORD_SAMPLE in perf's ABI layout for the session's sample_type. Two
 * u64 of htmm follow: the cookie, which distinguishes successive address spaces with the same
 * pid, and the number of the target that the sample matched: the targets may have changed
 * when the record is read.
 */
#ifndef HTMM_CORE_RECORD_H
#define HTMM_CORE_RECORD_H

#include "deps.h"

/* Fields that every record has; with what weights need; with what served; all there may be. */
#define HTMM_SAMPLE_TYPE_MIN	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR)
#define HTMM_SAMPLE_TYPE_WEIGHTED	(HTMM_SAMPLE_TYPE_MIN | PERF_SAMPLE_PERIOD)
#define HTMM_SAMPLE_TYPE_SOURCE		(HTMM_SAMPLE_TYPE_MIN | PERF_SAMPLE_DATA_SRC)
#define HTMM_SAMPLE_TYPE_MAX \
	(HTMM_SAMPLE_TYPE_MIN | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC)

/* No drop reason: the sample was not dropped. */
#define HTMM_DROP_NONE		HTMM_NR_DROPS

/* Largest size of a record in u64: its header and all fields of HTMM_SAMPLE_TYPE_MAX. */
#define HTMM_RECORD_MAX		8

/**
 * struct htmm_sample - one sample, unpacked
 * @ip: address of the instruction
 * @addr: address of the data
 * @time: nanoseconds of perf's default clock
 * @period: events this sample stands for
 * @data_src: union perf_mem_data_src
 * @cookie: distinguishes address spaces with the same @pid
 * @pid: process, in the initial pid namespace
 * @tid: thread, in the initial pid namespace
 * @cpu: CPU number
 * @target: number of the target it matched
 * @misc: PERF_RECORD_MISC_*
 */
struct htmm_sample {
	u64 ip;
	u64 addr;
	u64 time;
	u64 period;
	u64 data_src;
	u64 cookie;
	u32 pid;
	u32 tid;
	u32 cpu;
	u32 target;
	u16 misc;
};

/* Bytes of a record: every field is 8 bytes wide, and so is the header. */
static inline unsigned int htmm_record_size(u64 sample_type)
{
	return 8 * (1 + hweight64(sample_type));
}

/* Bytes of a ring slot: record, cookie and target. */
static inline unsigned int htmm_record_slot_size(u64 sample_type)
{
	return htmm_record_size(sample_type) + 2 * sizeof(u64);
}

/* Pack two u32 into one u64 of a record, in memory order. */
static inline u64 htmm_record_pair(u32 first, u32 second)
{
	union {
		u32 half[2];
		u64 whole;
	} pair = { .half = { first, second } };

	return pair.whole;
}

/* Write a sample to a slot, in the order of perf_output_sample(). Context: any, NMI included. */
static inline void htmm_record_write(u64 *slot, u64 sample_type, const struct htmm_sample *s)
{
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.misc = s->misc,
	};
	u64 *at = slot + 1;

	*at++ = s->ip;
	*at++ = htmm_record_pair(s->pid, s->tid);
	if (sample_type & PERF_SAMPLE_TIME)
		*at++ = s->time;
	*at++ = s->addr;
	if (sample_type & PERF_SAMPLE_CPU)
		*at++ = htmm_record_pair(s->cpu, 0);
	if (sample_type & PERF_SAMPLE_PERIOD)
		*at++ = s->period;
	if (sample_type & PERF_SAMPLE_DATA_SRC)
		*at++ = s->data_src;
	/* Not by htmm_record_size(): counting bits is slow on some CPUs. */
	header.size = (at - slot) * sizeof(*slot);
	memcpy(slot, &header, sizeof(header));
	*at++ = s->cookie;
	*at = s->target;
}

/**
 * struct htmm_record_layout - where a record has its fields
 * @words: size of a ring slot in u64
 * @addr: index of the data address
 * @period: index of the period; only if the record has one
 * @cookie: index of the cookie, which the target follows
 */
struct htmm_record_layout {
	u8 words;
	u8 addr;
	u8 period;
	u8 cookie;
};

static inline struct htmm_record_layout htmm_record_layout(u64 sample_type)
{
	const u64 before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;

	return (struct htmm_record_layout) {
		.words = htmm_record_slot_size(sample_type) / sizeof(u64),
		.addr = sample_type & PERF_SAMPLE_TIME ? 4 : 3,
		.period = 1 + hweight64(sample_type & before),
		.cookie = htmm_record_size(sample_type) / sizeof(u64),
	};
}

/* The process of a record, in the initial pid namespace. */
static inline u32 htmm_record_pid(const u64 *slot)
{
	u32 pid;

	memcpy(&pid, &slot[2], sizeof(pid));
	return pid;
}

/*
 * In the record stream a sample begins with the id of its event, and other records end with
 * a sample_id, for perf's readers with sample_type | PERF_SAMPLE_IDENTIFIER and sample_id_all.
 */

/* Bytes of a sample in the stream; @sample_type is that of the ring's records. */
static inline unsigned int htmm_record_stream_size(u64 sample_type)
{
	return htmm_record_size(sample_type | PERF_SAMPLE_IDENTIFIER);
}

/*
 * Fill the first words of a sample in the stream. After them, the stream has the ring's record
 * without its first u64. @id is the id of its event.
 */
static inline void htmm_record_stream_head(u64 head[2], const u64 *slot, u64 sample_type, u64 id)
{
	struct perf_event_header header;

	memcpy(&header, slot, sizeof(header));
	header.size = htmm_record_stream_size(sample_type);
	memcpy(&head[0], &header, sizeof(header));
	head[1] = id;
}

/* Largest size of a PERF_RECORD_LOST in u64: header, id, number, task, time, CPU, id. */
#define HTMM_RECORD_LOST_MAX	7

/*
 * Build a PERF_RECORD_LOST of HTMM_RECORD_LOST_MAX u64 at most, for @lost samples of the event
 * @id; @slot has the last of them. Returns its bytes.
 */
static inline unsigned int htmm_record_lost(u64 *to, const u64 *slot,
					    u64 sample_type, u64 id, u64 lost)
{
	const u64 before_cpu = HTMM_SAMPLE_TYPE_MIN | PERF_SAMPLE_TIME;
	struct perf_event_header header = { .type = PERF_RECORD_LOST };
	u64 *at = to + 1;

	*at++ = id;
	*at++ = lost;
	*at++ = slot[2];
	if (sample_type & PERF_SAMPLE_TIME)
		*at++ = slot[3];
	if (sample_type & PERF_SAMPLE_CPU)
		*at++ = slot[1 + hweight64(sample_type & before_cpu)];
	*at++ = id;
	header.size = (at - to) * sizeof(*to);
	memcpy(to, &header, sizeof(header));
	return header.size;
}

#endif /* HTMM_CORE_RECORD_H */
