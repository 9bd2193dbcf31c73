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
#include <linux/perf_event.h>
#include <linux/types.h>

/* Most bytes of records that wait. */
#define PERFDATA_ORDER_BYTES	(32 * 1024 * 1024)

/**
 * struct perfdata_order - records that wait
 * @late: records older than one that had gone on before them
 */
struct perfdata_order {
	__u64 late;

	/* private: */
	unsigned char *bytes, *spare_bytes;
	size_t used;
	size_t room;
	struct perfdata_waiting {
		__u64 time;
		__u32 at;
		__u32 event;
	} *wait, *spare;
	size_t nr;
	size_t wait_room;
	size_t next;		/* the first one that has not gone on */
	size_t ready;		/* as many may go on */
	__u64 newest;
	__u64 newest_before;
	__u64 delivered;
};

/**
 * perfdata_order_push() - let a record wait
 * @order: the records; none may be ready
 * @record: the record, copied; need not be aligned
 * @bytes: its size
 * @time: its time
 * @event: index of its event, to be given back with it
 *
 * Return: 0 or -ENOMEM.
 */
int perfdata_order_push(struct perfdata_order *order, const void *record, size_t bytes,
			__u64 time, __u32 event);

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
 * perfdata_order_pop() - take the oldest record that is ready
 * @order: the records
 * @event: receives the index of its event
 *
 * Return: the record, aligned to 8 bytes, valid until the next call; NULL if none
 * is ready.
 */
const struct perf_event_header *perfdata_order_pop(struct perfdata_order *order, __u32 *event);

/**
 * perfdata_order_free() - free the memory
 * @order: the records; may be all zero
 */
void perfdata_order_free(struct perfdata_order *order);

#endif /* PERFDATA_ORDER_H */
