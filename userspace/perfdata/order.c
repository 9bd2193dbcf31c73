// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "order.h"

#define ROOM_FIRST	(64 * 1024)

/* Bytes that a record takes here, so that the next one is aligned, too. */
static size_t padded(size_t size)
{
	return (size + 7) & ~7UL;
}

static int make_room_bytes(struct perfdata_order *order, size_t size)
{
	size_t room = order->room ? order->room : ROOM_FIRST;
	unsigned char *bytes;

	while (room - order->used < size)
		room *= 2;
	if (room == order->room)
		return 0;
	bytes = realloc(order->bytes, room);
	if (!bytes)
		return -ENOMEM;
	order->bytes = bytes;
	bytes = realloc(order->spare_bytes, room);
	if (!bytes)
		return -ENOMEM;
	order->spare_bytes = bytes;
	order->room = room;
	return 0;
}

static int make_room(struct perfdata_order *order, size_t size)
{
	size_t room = order->wait_room ? 2 * order->wait_room : ROOM_FIRST / sizeof(*order->wait);
	struct perfdata_waiting *wait, *spare;

	if (order->nr == order->wait_room) {
		wait = realloc(order->wait, room * sizeof(*wait));
		if (!wait)
			return -ENOMEM;
		order->wait = wait;
		spare = realloc(order->spare, room * sizeof(*spare));
		if (!spare)
			return -ENOMEM;
		order->spare = spare;
		order->wait_room = room;
	}
	return make_room_bytes(order, size);
}

/* One past the end of the run that begins at @from. */
static size_t run_end(const struct perfdata_waiting *wait, size_t from, size_t nr)
{
	while (++from < nr && wait[from - 1].time <= wait[from].time)
		;
	return from;
}

/* Merge [from, middle) and [middle, to) of @in into @out; equals keep their order. */
static void merge(struct perfdata_waiting *out, const struct perfdata_waiting *in, size_t from,
		  size_t middle, size_t to)
{
	size_t a = from, b = middle;

	while (a < middle && b < to)
		*out++ = in[b].time < in[a].time ? in[b++] : in[a++];
	while (a < middle)
		*out++ = in[a++];
	while (b < to)
		*out++ = in[b++];
}

/* A merge sort of the runs that are there: one for each CPU and round. */
static void sort(struct perfdata_order *order)
{
	for (;;) {
		struct perfdata_waiting *sorted = order->spare;
		size_t from = 0, middle, to;

		if (order->nr < 2 || run_end(order->wait, 0, order->nr) == order->nr)
			return;
		while (from < order->nr) {
			middle = run_end(order->wait, from, order->nr);
			to = middle < order->nr ? run_end(order->wait, middle, order->nr) : middle;
			merge(sorted + from, order->wait, from, middle, to);
			from = to;
		}
		order->spare = order->wait;
		order->wait = sorted;
	}
}

/* Those up to @limit are ready. */
static void release(struct perfdata_order *order, __u64 limit)
{
	size_t low = 0, high = order->nr;

	sort(order);
	while (low < high) {
		size_t half = low + (high - low) / 2;

		if (order->wait[half].time <= limit)
			low = half + 1;
		else
			high = half;
	}
	order->ready = low;
}

int perfdata_order_push(struct perfdata_order *order, const void *record, size_t bytes,
			__u64 time, __u32 event)
{
	size_t size = padded(bytes);

	if (make_room(order, size))
		return -ENOMEM;
	memcpy(order->bytes + order->used, record, bytes);
	order->wait[order->nr++] = (struct perfdata_waiting) {
		.time = time, .at = order->used, .event = event,
	};
	order->used += size;
	if (time > order->newest)
		order->newest = time;
	if (time < order->delivered)
		order->late++;
	if (order->used >= PERFDATA_ORDER_BYTES) {
		sort(order);
		order->ready = order->nr / 2;
	}
	return 0;
}

void perfdata_order_round(struct perfdata_order *order)
{
	release(order, order->newest_before);
	order->newest_before = order->newest;
}

void perfdata_order_finish(struct perfdata_order *order)
{
	release(order, ~0ULL);
}

/* All that was ready has gone: copy the others, in order, to the other buffer. */
static void close_ranks(struct perfdata_order *order)
{
	size_t left = order->nr - order->ready, i, used = 0;
	unsigned char *bytes = order->spare_bytes;

	memmove(order->wait, order->wait + order->ready, left * sizeof(*order->wait));
	for (i = 0; i < left; i++) {
		const struct perf_event_header *header = (void *)(order->bytes + order->wait[i].at);

		memcpy(bytes + used, header, header->size);
		order->wait[i].at = used;
		used += padded(header->size);
	}
	order->spare_bytes = order->bytes;
	order->bytes = bytes;
	order->used = used;
	order->nr = left;
	order->next = 0;
	order->ready = 0;
}

const struct perf_event_header *perfdata_order_pop(struct perfdata_order *order, __u32 *event)
{
	const struct perfdata_waiting *oldest;

	if (order->next == order->ready) {
		if (order->ready)
			close_ranks(order);
		return NULL;
	}
	oldest = &order->wait[order->next++];
	*event = oldest->event;
	order->delivered = oldest->time > order->delivered ? oldest->time : order->delivered;
	return (void *)(order->bytes + oldest->at);
}

void perfdata_order_free(struct perfdata_order *order)
{
	free(order->bytes);
	free(order->spare_bytes);
	free(order->wait);
	free(order->spare);
	memset(order, 0, sizeof(*order));
}
