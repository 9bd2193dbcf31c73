// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "order.h"

#define ROOM_FIRST	1024

/* Bytes that a record takes besides its place here. */
static size_t other_bytes(const struct perfdata_sample *sample)
{
	return sample->other ? sizeof(*sample->other) + sample->other->name_len : 0;
}

static bool grow(void *array, size_t nr, size_t size)
{
	void **old = array, *new = realloc(*old, nr * size);

	if (new)
		*old = new;
	return new;
}

struct perfdata_sample *perfdata_order_slot(struct perfdata_order *order)
{
	size_t room = order->room ? 2 * order->room : ROOM_FIRST;

	if (order->nr == order->room) {
		if (!grow(&order->wait, room, sizeof(*order->wait)) ||
		    !grow(&order->key, room, sizeof(*order->key)) ||
		    !grow(&order->spare, room, sizeof(*order->spare)))
			return NULL;
		order->room = room;
	}
	return &order->wait[order->nr];
}

/* One past the end of the run that begins at @from. */
static size_t run_end(const struct perfdata_key *key, size_t from, size_t nr)
{
	while (++from < nr && key[from - 1].time <= key[from].time)
		;
	return from;
}

/*
 * Merge [from, middle) and [middle, to) of @in into @out; equals keep their order.
 * Whose turn it is nobody can predict: no branch depends on it.
 */
static void merge(struct perfdata_key *out, const struct perfdata_key *in, size_t from,
		  size_t middle, size_t to)
{
	size_t a = from, b = middle;

	while (a < middle && b < to) {
		size_t second = in[b].time < in[a].time;

		*out++ = in[second ? b : a];
		b += second;
		a += !second;
	}
	memcpy(out, in + a, (middle - a) * sizeof(*out));
	memcpy(out + (middle - a), in + b, (to - b) * sizeof(*out));
}

/* A merge sort of the runs that are there: one for each CPU and round. */
static void sort(struct perfdata_order *order, size_t nr)
{
	for (;;) {
		struct perfdata_key *sorted = order->spare;
		size_t from = 0, middle, to;

		if (nr < 2 || run_end(order->key, 0, nr) == nr)
			return;
		while (from < nr) {
			middle = run_end(order->key, from, nr);
			to = middle < nr ? run_end(order->key, middle, nr) : middle;
			merge(sorted + from, order->key, from, middle, to);
			from = to;
		}
		order->spare = order->key;
		order->key = sorted;
	}
}

/* Those up to @limit are ready. */
static void release(struct perfdata_order *order, __u64 limit)
{
	size_t i, nr = 0;

	for (i = 0; i < order->nr; i++) {
		order->key[nr] = (struct perfdata_key) { order->wait[i].time, i };
		nr += order->wait[i].time <= limit;
	}
	sort(order, nr);
	order->ready = nr;
	order->limit = limit;
}

/* There is no more room: the older half is ready, and what is as old as its last. */
static void release_half(struct perfdata_order *order)
{
	release(order, ~0ULL);
	order->limit = order->key[order->nr / 2].time;
	while (order->key[order->ready - 1].time > order->limit)
		order->ready--;
}

void perfdata_order_push(struct perfdata_order *order)
{
	const struct perfdata_sample *sample = &order->wait[order->nr++];

	if (sample->time > order->newest)
		order->newest = sample->time;
	if (sample->time < order->delivered)
		order->late++;
	order->other_bytes += other_bytes(sample);
	if (order->nr * sizeof(*sample) + order->other_bytes >= PERFDATA_ORDER_BYTES)
		release_half(order);
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

/* All that was ready has gone: the others move up, as they came. */
static void close_ranks(struct perfdata_order *order)
{
	size_t i, nr = 0;

	order->delivered = order->key[order->ready - 1].time > order->delivered ?
			   order->key[order->ready - 1].time : order->delivered;
	for (i = 0; i < order->nr; i++)
		if (order->wait[i].time > order->limit)
			order->wait[nr++] = order->wait[i];
	order->nr = nr;
	order->next = 0;
	order->ready = 0;
}

size_t perfdata_order_pop(struct perfdata_order *order, struct perfdata_sample *sample,
			  size_t most)
{
	size_t nr = order->ready - order->next, i;

	if (nr > most)
		nr = most;
	for (i = 0; i < nr; i++) {
		sample[i] = order->wait[order->key[order->next + i].at];
		order->other_bytes -= other_bytes(&sample[i]);
	}
	order->next += nr;
	if (order->ready && order->next == order->ready)
		close_ranks(order);
	return nr;
}

void perfdata_order_free(struct perfdata_order *order)
{
	size_t i;

	/* What has gone on is no longer ours. */
	for (i = 0; i < order->next; i++)
		order->wait[order->key[i].at].other = NULL;
	for (i = 0; i < order->nr; i++)
		free(order->wait[i].other);
	free(order->wait);
	free(order->key);
	free(order->spare);
	memset(order, 0, sizeof(*order));
}
