/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records put in order of time.
 *
 * Each CPU's records come in order, but those of several CPUs are mixed by the
 * round: all that the rings held at one moment, one ring after the other. Rounds
 * overlap by one, so when a round ends, what is older than the newest record of
 * the round before can go on. Memory is bounded; when it is full the older
 * half goes on early, and what comes too late for that is counted.
 *
 * What waits is a few runs, each in order already: those are merged. Records stay
 * where they are until they are taken, which another thread may do meanwhile; then
 * what the functions below say of taking is up to that thread, all else to the first
 * one, and they tell each other by a lock of theirs how far they are.
 */
#ifndef PERFDATA_ORDERED_EVENTS_H
#define PERFDATA_ORDERED_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include "decode.h"

/* Most bytes of records that wait. */
#define PERFDATA_ORDER_BYTES	(16 * 1024 * 1024)

/**
 * struct ordered_events - records that wait
 * @late: records older than one that had gone on before them
 * @released: records that were allowed to go on, so far; wraps around
 * @dropped: records that have gone on, so far, as told by ordered_events_drop()
 *
 * Records lie in a ring. Positions in it count all records so far, and wrap around,
 * too. So do numbers: those of the records that may go on, in order.
 */
struct ordered_events {
	__u64 late;
	__u32 released;
	__u32 dropped;

	/* private: */
	struct perfdata_sample *ring;
	struct perfdata_key {
		__u64 time;		/* 0: goes first */
		__u32 at;		/* position */
		__u32 other_bytes;	/* that it takes besides, if it is no sample */
	} *key;				/* of those in the ring */
	__u32 *turn;			/* by number: the position */
	__u32 room;			/* of each of these: a power of two, or 0 */
	__u32 head;			/* position of the first one in use */
	__u32 tail;			/* position behind the last one */
	__u32 nr;			/* records that wait */
	size_t other_bytes;		/* of those that wait */
	struct perfdata_run {
		__u32 from;
		__u32 middle;		/* those before it may go on */
		__u32 to;
	} *run;				/* positions that wait, in order of time */
	__u32 nr_runs;
	struct perfdata_key *sorted, *spare;
	__u32 *end;			/* where each run of them ends */
	struct {
		__u32 number;
		__u32 head;
	} mark;				/* once these are dropped, that is the head */
	__u64 last;			/* time of the record that came last */
	__u64 newest;
	__u64 newest_before;
	__u64 delivered;
};

/**
 * ordered_events_full() - is there room only once more were taken?
 * @order: the records
 *
 * Return: true if ordered_events_drop() is due, up to ordered_events_awaited().
 */
bool ordered_events_full(const struct ordered_events *order);

/**
 * ordered_events_awaited() - which records have to be taken so that there is room?
 * @order: the records, which are full
 *
 * Return: the number behind the last one.
 */
__u32 ordered_events_awaited(const struct ordered_events *order);

/**
 * ordered_events_slots() - where the next records may be put
 * @order: the records, which are not full
 * @most: receives how many there is room for, at least one
 *
 * Return: places for records, which do not wait yet; NULL if there is no memory.
 */
struct perfdata_sample *ordered_events_slots(struct ordered_events *order, size_t *most);

/**
 * ordered_events_push() - let records in the slots wait
 * @order: the records, which now own them; some may be released afterwards
 * @nr: how many
 */
void ordered_events_push(struct ordered_events *order, size_t nr);

/**
 * ordered_events_round() - a round has ended
 * @order: the records; some may be released afterwards
 */
void ordered_events_round(struct ordered_events *order);

/**
 * ordered_events_release() - none older than that is to come
 * @order: the records; those up to then are released afterwards
 * @limit: the time
 */
void ordered_events_release(struct ordered_events *order, __u64 limit);

/**
 * ordered_events_finish() - no record follows
 * @order: the records; all of them are released afterwards
 */
void ordered_events_finish(struct ordered_events *order);

/**
 * ordered_events_take() - take records that were released
 * @order: the records
 * @number: number of the first one wanted
 * @sample: filled; they are the caller's now
 * @nr: how many, all of them released and none dropped
 */
void ordered_events_take(const struct ordered_events *order, __u32 number,
			 struct perfdata_sample *sample, size_t nr);

/**
 * ordered_events_drop() - use the room of records that were taken
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
