// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "order.h"

#define ROOM_FIRST	1024
#define ROOM_MOST	(PERFDATA_ORDER_BYTES / sizeof(struct perfdata_sample))
/* Records on their way into the cache while the ones before them go on. */
#define FETCH_AHEAD	16

/* Positions need not be told apart from those a whole ring away. */
static_assert(!(ROOM_MOST & (ROOM_MOST - 1)), "the ring's size is a power of two");

/* Bytes that a record takes besides its place here. */
static size_t other_bytes(const struct perfdata_sample *sample)
{
	const struct perfdata_record_view *other = perfdata_other(sample);

	return other ? sizeof(*other) + other->name_len : 0;
}

static struct perfdata_sample *at(const struct perfdata_order *order, __u32 position)
{
	return &order->ring[position & (order->room - 1)];
}

static __u64 time_at(const struct perfdata_order *order, __u32 position)
{
	return order->time[position & (order->room - 1)];
}

/* Move what waits to @ring, which may be the same, without the holes between. */
static void move(struct perfdata_order *order, struct perfdata_sample *ring, __u64 *time,
		 __u32 room)
{
	__u32 to = order->head, from, i;

	for (i = 0; i < order->nr_runs; i++) {
		struct perfdata_run *run = &order->run[i];

		from = run->from;
		run->from = to;
		for (; from != run->to; from++, to++) {
			ring[to & (room - 1)] = *at(order, from);
			time[to & (room - 1)] = time_at(order, from);
		}
		run->to = to;
	}
	order->tail = to;
	order->ring = ring;
	order->time = time;
	order->room = room;
}

static bool grow(void *array, size_t nr, size_t size)
{
	void **old = array, *new = realloc(*old, nr * size);

	if (new)
		*old = new;
	return new;
}

static bool grow_ring(struct perfdata_order *order, __u32 room)
{
	struct perfdata_sample *ring = malloc(room * sizeof(*ring)), *old_ring = order->ring;
	__u64 *time = malloc(room * sizeof(*time)), *old_time = order->time;

	if (!ring || !time) {
		free(ring);
		free(time);
		return false;
	}
	move(order, ring, time, room);
	free(old_ring);
	free(old_time);
	return true;
}

static bool make_room(struct perfdata_order *order)
{
	__u32 room = order->room ? 2 * order->room : ROOM_FIRST;

	if (order->room && (order->nr <= order->room / 2 || order->room == ROOM_MOST)) {
		move(order, order->ring, order->time, order->room);
		return true;
	}
	return grow(&order->run, room, sizeof(*order->run)) &&
	       grow(&order->key, room, sizeof(*order->key)) &&
	       grow(&order->spare, room, sizeof(*order->spare)) &&
	       grow(&order->end, room, sizeof(*order->end)) && grow_ring(order, room);
}

/* Bytes of all that waits. */
static size_t bytes(const struct perfdata_order *order)
{
	return order->nr * sizeof(*order->ring) + order->other_bytes;
}

/* Records until there are too many. */
static __u32 left(const struct perfdata_order *order)
{
	size_t used = bytes(order), each = sizeof(*order->ring);

	return used < PERFDATA_ORDER_BYTES ? (PERFDATA_ORDER_BYTES - used + each - 1) / each : 1;
}

struct perfdata_sample *perfdata_order_slots(struct perfdata_order *order, size_t *most)
{
	__u32 room, before_end, until_full = left(order);

	if (order->tail - order->head == order->room && !make_room(order))
		return NULL;
	room = order->room - (order->tail - order->head);
	before_end = order->room - (order->tail & (order->room - 1));
	*most = room < before_end ? room : before_end;
	if (*most > until_full)
		*most = until_full;
	return at(order, order->tail);
}

/*
 * Merge @a and @b, which lies behind it, into @out; equals keep their order. From
 * both ends at once, as far as neither run can end: then the CPU has two things
 * to do at a time. Whose turn it is nobody can predict: it is reckoned, and no
 * branch depends on it.
 */
static void merge(struct perfdata_key *out, const struct perfdata_key *a, size_t nr_a,
		  const struct perfdata_key *b, size_t nr_b)
{
	const struct perfdata_key *last_a = a + nr_a - 1, *last_b = b + nr_b - 1;
	struct perfdata_key *last = out + nr_a + nr_b - 1;
	ptrdiff_t steps;

	while ((steps = (last_a - a < last_b - b ? last_a - a + 1 : last_b - b + 1) / 2) > 0) {
		for (; steps; steps--) {
			ptrdiff_t second = b->time < a->time, after = last_b->time >= last_a->time;

			*out++ = a[(b - a) * second];
			b += second;
			a += 1 - second;
			*last-- = last_a[(last_b - last_a) * after];
			last_b -= after;
			last_a -= 1 - after;
		}
	}
	while (a <= last_a && b <= last_b)
		*out++ = b->time < a->time ? *b++ : *a++;
	memcpy(out, a, (last_a + 1 - a) * sizeof(*out));
	memcpy(out + (last_a + 1 - a), b, (last_b + 1 - b) * sizeof(*out));
}

/* Merge neighbours, until there is one run left of @nr. */
static void sort(struct perfdata_order *order, __u32 nr)
{
	for (; nr > 1; nr = (nr + 1) / 2) {
		struct perfdata_key *sorted = order->spare, *key = order->key;
		__u32 from = 0, i;

		for (i = 0; i < nr; i += 2) {
			__u32 middle = order->end[i], to = order->end[i + 1 < nr ? i + 1 : i];

			merge(sorted + from, key + from, middle - from, key + middle, to - middle);
			order->end[i / 2] = to;
			from = to;
		}
		order->spare = key;
		order->key = sorted;
	}
}

/* Order what waits, up to @limit. Returns how many these are. */
static __u32 put_in_order(struct perfdata_order *order, __u64 limit)
{
	__u32 nr = 0, ends = 0, i;

	for (i = 0; i < order->nr_runs; i++) {
		struct perfdata_run *run = &order->run[i];
		__u32 here = run->from;

		for (; here != run->to && time_at(order, here) <= limit; here++)
			order->key[nr++] = (struct perfdata_key) { time_at(order, here), here };
		run->middle = here;
		if (here != run->from)
			order->end[ends++] = nr;
	}
	sort(order, ends);
	return nr;
}

/* Those up to @limit are ready, and wait no more. */
static void release(struct perfdata_order *order, __u64 limit)
{
	__u32 i, left = 0;

	order->ready = put_in_order(order, limit);
	if (!order->ready)
		return;
	order->nr -= order->ready;
	if (order->key[order->ready - 1].time > order->delivered)
		order->delivered = order->key[order->ready - 1].time;
	for (i = 0; i < order->nr_runs; i++) {
		order->run[i].from = order->run[i].middle;
		if (order->run[i].from != order->run[i].to)
			order->run[left++] = order->run[i];
	}
	order->nr_runs = left;
}

/* There is no more room: the older half is ready, and what is as old as its last. */
static void release_half(struct perfdata_order *order)
{
	put_in_order(order, ~0ULL);
	release(order, order->key[order->nr / 2].time);
}

static void begin_run(struct perfdata_order *order, __u32 from)
{
	order->run[order->nr_runs++] = (struct perfdata_run) { .from = from, .to = from };
}

/* Append records; where one is older than the one before it, another run begins. */
static void append(struct perfdata_order *order, const struct perfdata_sample *sample, size_t nr)
{
	__u64 *times = order->time + (order->tail & (order->room - 1));
	__u64 last = order->last, newest = order->newest, late = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		const __u64 time = sample[i].time;

		if (time < last) {
			order->run[order->nr_runs - 1].to = order->tail + i;
			begin_run(order, order->tail + i);
		}
		times[i] = time;
		late += time < order->delivered;
		newest = time > newest ? time : newest;
		last = time;
	}
	order->tail += nr;
	order->run[order->nr_runs - 1].to = order->tail;
	order->nr += nr;
	order->last = last;
	order->newest = newest;
	order->late += late;
}

void perfdata_order_push(struct perfdata_order *order, size_t nr)
{
	const struct perfdata_sample *sample = at(order, order->tail);

	if (!nr)
		return;
	if (!order->nr_runs || order->run[order->nr_runs - 1].to != order->tail) {
		begin_run(order, order->tail);
		order->last = 0;
	}
	append(order, sample, nr);
	order->other_bytes += other_bytes(sample);
	if (bytes(order) >= PERFDATA_ORDER_BYTES)
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

size_t perfdata_order_pop(struct perfdata_order *order, struct perfdata_sample *sample,
			  size_t most)
{
	size_t left = order->ready - order->next, nr = left < most ? left : most, i;
	const struct perfdata_key *key;

	if (!left)
		return 0;
	key = order->key + order->next;
	for (i = 0; i < nr; i++) {
		__builtin_prefetch(at(order, key[i + FETCH_AHEAD < left ? i + FETCH_AHEAD : i].at));
		sample[i] = *at(order, key[i].at);
		order->other_bytes -= other_bytes(&sample[i]);
	}
	order->next += nr;
	if (nr == left) {
		order->next = 0;
		order->ready = 0;
		order->head = order->nr_runs ? order->run[0].from : order->tail;
	}
	return nr;
}

void perfdata_order_free(struct perfdata_order *order)
{
	__u32 i, here;

	for (i = order->next; i < order->ready; i++)
		free(perfdata_other(at(order, order->key[i].at)));
	for (i = 0; i < order->nr_runs; i++)
		for (here = order->run[i].from; here != order->run[i].to; here++)
			free(perfdata_other(at(order, here)));
	free(order->ring);
	free(order->time);
	free(order->run);
	free(order->key);
	free(order->spare);
	free(order->end);
	memset(order, 0, sizeof(*order));
}
