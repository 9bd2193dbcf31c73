/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sorts records by time.
 *
 * The records of one CPU come in order of time. Those of several CPUs come in rounds: a
 * round is what all rings held at one moment, one ring after the other. Two neighbouring
 * rounds may overlap in time, so at the end of a round the records up to the newest one of
 * the previous round are released. Memory is bounded: when it is full, the older half is
 * released early, and records that come too late for that are counted.
 *
 * Waiting records form a few sorted runs, which are merged. Records stay in the ring until
 * they are taken, possibly by another thread: then that thread calls ordered_events_take(),
 * the first one all other functions, and they exchange their progress under a lock of their
 * own.
 */
#ifndef PERFDATA_ORDERED_EVENTS_H
#define PERFDATA_ORDERED_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include "decode.h"

/* Most bytes of records that wait: half a million samples. */
#define PERFDATA_ORDER_BYTES	(20 * 1024 * 1024)

/**
 * struct ordered_events - records being sorted
 * @late: records that came after a newer one was released
 * @released: number of records released so far; wraps around
 * @dropped: number of records removed so far by ordered_events_drop()
 *
 * Records are in a ring. A position counts all records so far, a number counts the released
 * records in order; both wrap around.
 */
struct ordered_events {
	__u64 late;
	__u32 released;
	__u32 dropped;

	/* private: */
	struct perfdata_sample *ring;
	struct perfdata_key {
		__u64 time;		/* 0: sorts first */
		__u32 at;		/* position */
		__u32 other_bytes;	/* memory besides the slot, if it is no sample */
	} *key;				/* of those in the ring */
	__u32 *turn;			/* position of each number */
	__u32 room;			/* elements of each of these: a power of two, or 0 */
	__u32 head;			/* position of the oldest one in use */
	__u32 tail;			/* position behind the newest one */
	__u32 nr;			/* waiting records */
	size_t other_bytes;		/* of the waiting records */
	struct perfdata_run {
		__u32 from;
		__u32 middle;		/* records before it are released */
		__u32 to;
	} *run;				/* positions of waiting records, in sorted runs */
	__u32 nr_runs;
	struct perfdata_key *sorted, *spare;
	__u32 *end;			/* end of each run */
	struct {
		__u32 number;
		__u32 head;
	} mark;				/* the new head when all up to here are dropped */
	__u64 last;			/* time of the newest arrival */
	__u64 newest;
	__u64 newest_before;
	__u64 delivered;
};

/**
 * ordered_events_full() - tell if records must be taken before others fit
 * @order: the records
 *
 * Return: true if ordered_events_drop() must be called, up to ordered_events_awaited().
 */
bool ordered_events_full(const struct ordered_events *order);

/**
 * ordered_events_awaited() - tell which records must be taken to make room
 * @order: the records, which are full
 *
 * Return: the number behind the last one.
 */
__u32 ordered_events_awaited(const struct ordered_events *order);

/**
 * ordered_events_slots() - get room for the next records
 * @order: the records, which are not full
 * @most: set to the number of slots, at least one
 *
 * Return: the slots to fill before ordered_events_push(); NULL if there is no memory.
 */
struct perfdata_sample *ordered_events_slots(struct ordered_events *order, size_t *most);

/**
 * ordered_events_push() - add the records in the slots
 * @order: the records, which now own them; some may be released afterwards
 * @nr: number of records
 */
void ordered_events_push(struct ordered_events *order, size_t nr);

/**
 * ordered_events_round() - end a round
 * @order: the records; some may be released afterwards
 */
void ordered_events_round(struct ordered_events *order);

/**
 * ordered_events_release() - say that no older record will come
 * @order: the records; those up to @limit are released
 * @limit: the time
 */
void ordered_events_release(struct ordered_events *order, __u64 limit);

/**
 * ordered_events_finish() - say that no record follows
 * @order: the records; all of them are released
 */
void ordered_events_finish(struct ordered_events *order);

/**
 * ordered_events_take() - copy released records
 * @order: the records
 * @number: number of the first one wanted
 * @sample: filled; the caller owns them now
 * @nr: number of records; all of them released, none dropped
 */
void ordered_events_take(const struct ordered_events *order, __u32 number,
			 struct perfdata_sample *sample, size_t nr);

/**
 * ordered_events_drop() - free the room of records that were taken
 * @order: the records
 * @number: number behind the last one that was taken
 */
void ordered_events_drop(struct ordered_events *order, __u32 number);

/**
 * ordered_events_free() - free the memory, and the records that were not dropped
 * @order: the records; may be all zero
 */
void ordered_events_free(struct ordered_events *order);

#endif /* PERFDATA_ORDERED_EVENTS_H */
