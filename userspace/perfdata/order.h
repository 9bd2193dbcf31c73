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
 * What waits is a few runs, each in order already: those are merged.
 */
#ifndef PERFDATA_ORDER_H
#define PERFDATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include "decode.h"

/* Most bytes of records that wait. */
#define PERFDATA_ORDER_BYTES	(16 * 1024 * 1024)

/**
 * struct perfdata_order - records that wait
 * @late: records older than one that had gone on before them
 *
 * Records wait in a ring, where they stay until they go on. Positions in it count
 * all records so far, and wrap around.
 */
struct perfdata_order {
	__u64 late;

	/* private: */
	struct perfdata_sample *ring;
	__u64 *time;			/* of those in the ring */
	__u32 room;			/* a power of two, or 0 */
	__u32 head;			/* position of the first one in use */
	__u32 tail;			/* position behind the last one */
	__u32 nr;			/* records that wait */
	size_t other_bytes;		/* of records that are no samples */
	struct perfdata_run {
		__u32 from;
		__u32 middle;		/* those before it may go on */
		__u32 to;
	} *run;				/* positions that wait, in order of time */
	__u32 nr_runs;
	struct perfdata_key {
		__u64 time;
		__u32 at;
	} *key, *spare;			/* those that are ready, by time */
	__u32 *end;			/* where each run of them ends */
	__u32 next;			/* the first one that has not gone on */
	__u32 ready;			/* as many may go on */
	__u64 last;			/* time of the record that came last */
	__u64 newest;
	__u64 newest_before;
	__u64 delivered;
};

/**
 * perfdata_order_slots() - where the next records may be put
 * @order: the records; none may be ready
 * @most: receives how many there is room for, at least one
 *
 * Return: places for records, which do not wait yet; NULL if there is no memory.
 */
struct perfdata_sample *perfdata_order_slots(struct perfdata_order *order, size_t *most);

/**
 * perfdata_order_push() - let records in the slots wait
 * @order: the records, which now own them; some may be ready afterwards
 * @nr: how many; all samples, or one
 */
void perfdata_order_push(struct perfdata_order *order, size_t nr);

/**
 * perfdata_order_round() - a round has ended
 * @order: the records; some may be ready afterwards
 */
void perfdata_order_round(struct perfdata_order *order);

/**
 * perfdata_order_finish() - no record follows
 * @order: the records; all of them are ready afterwards
 */
void perfdata_order_finish(struct perfdata_order *order);

/**
 * perfdata_order_ready() - may records go on?
 * @order: the records
 *
 * Return: true if perfdata_order_pop() has some.
 */
static inline bool perfdata_order_ready(const struct perfdata_order *order)
{
	return order->ready;
}

/**
 * perfdata_order_pop() - take the oldest records that are ready
 * @order: the records
 * @sample: filled; they are the caller's now
 * @most: how many there is room for
 *
 * Return: how many there were.
 */
size_t perfdata_order_pop(struct perfdata_order *order, struct perfdata_sample *sample,
			  size_t most);

/**
 * perfdata_order_free() - free the memory
 * @order: the records; may be all zero
 */
void perfdata_order_free(struct perfdata_order *order);

#endif /* PERFDATA_ORDER_H */
