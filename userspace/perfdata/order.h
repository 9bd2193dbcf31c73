/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records put in order of time.
 *
 * Each CPU's records come in order, but those of several CPUs are mixed by the
 * round: all that the rings held at one moment, one ring after the other. Rounds
 * overlap by one, so when a round ends, what is older than the newest record of
 * the round before can go on. Memory is bounded; when it is full the older
 * half goes on early, and what comes too late for that is counted.
 */
#ifndef PERFDATA_ORDER_H
#define PERFDATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include "decode.h"

/* Most bytes of records that wait. */
#define PERFDATA_ORDER_BYTES	(32 * 1024 * 1024)

/**
 * struct perfdata_order - records that wait
 * @late: records older than one that had gone on before them
 */
struct perfdata_order {
	__u64 late;

	/* private: */
	struct perfdata_sample *wait;	/* as they came */
	size_t nr;
	size_t room;
	size_t other_bytes;		/* of records that are no samples */
	struct perfdata_key {
		__u64 time;
		size_t at;
	} *key, *spare;			/* by time, those up to @limit */
	size_t next;			/* the first one that has not gone on */
	size_t ready;			/* as many may go on */
	__u64 limit;
	__u64 newest;
	__u64 newest_before;
	__u64 delivered;
};

/**
 * perfdata_order_slot() - where the next record may be put
 * @order: the records; none may be ready
 *
 * Return: a place for one record, which does not wait yet; NULL if there is no memory.
 */
struct perfdata_sample *perfdata_order_slot(struct perfdata_order *order);

/**
 * perfdata_order_push() - let the record in the slot wait
 * @order: the records, which now own it; some may be ready afterwards
 */
void perfdata_order_push(struct perfdata_order *order);

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
