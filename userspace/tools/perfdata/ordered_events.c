// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "huge.h"
#include "ordered_events.h"

#define ROOM_FIRST	1024
#define ROOM_MOST	(PERFDATA_ORDER_BYTES / sizeof(struct perfdata_sample))
/* Records to prefetch while earlier ones are copied. */
#define FETCH_AHEAD	16

/* Positions must be equal modulo the size of the ring. */
static_assert(!(ROOM_MOST & (ROOM_MOST - 1)), "the ring's size is a power of two");

/* Memory of a record besides its slot in the ring. */
static __u32 other_bytes(const struct perfdata_sample *sample)
{
	const struct perfdata_record_view *other = perfdata_other(sample);

	return other ? sizeof(*other) + other->name_len : 0;
}

static struct perfdata_sample *at(const struct ordered_events *order, __u32 position)
{
	return &order->ring[position & (order->room - 1)];
}

static struct perfdata_key *key_at(const struct ordered_events *order, __u32 position)
{
	return &order->key[position & (order->room - 1)];
}

static __u32 *turn_of(const struct ordered_events *order, __u32 number)
{
	return &order->turn[number & (order->room - 1)];
}

/* Numbers and positions wrap around, but differ by less than half of their range. */
static bool reached(__u32 number, __u32 goal)
{
	return (__s32)(number - goal) >= 0;
}

/* Position of the first waiting record, or of the next one to come. */
static __u32 first_waiting(const struct ordered_events *order)
{
	return order->nr_runs ? order->run[0].from : order->tail;
}

/* Moves waiting records to a ring, which may be the same one, closing the gaps between them. */
static void move(struct ordered_events *order, struct perfdata_sample *ring,
		 struct perfdata_key *key, __u32 room)
{
	__u32 to = order->head, from, i;

	for (i = 0; i < order->nr_runs; i++) {
		struct perfdata_run *run = &order->run[i];

		from = run->from;
		run->from = to;
		for (; from != run->to; from++, to++) {
			ring[to & (room - 1)] = *at(order, from);
			key[to & (room - 1)] = *key_at(order, from);
			key[to & (room - 1)].at = to;
		}
		run->to = to;
	}
	order->tail = to;
	order->ring = ring;
	order->key = key;
	order->room = room;
}

/* Reallocates an array whose contents are not needed. */
static bool replace(void *array, size_t nr, size_t size)
{
	void **old = array, *new = huge_alloc(nr * size);

	if (!new)
		return false;
	free(*old);
	*old = new;
	return true;
}

static bool resize(void *array, size_t nr, size_t size)
{
	void **old = array, *new = realloc(*old, nr * size);

	if (new)
		*old = new;
	return new;
}

static bool grow_ring(struct ordered_events *order, __u32 room)
{
	struct perfdata_sample *ring = huge_alloc(room * sizeof(*ring)), *old_ring = order->ring;
	struct perfdata_key *key = huge_alloc(room * sizeof(*key)), *old_key = order->key;

	if (!ring || !key) {
		free(ring);
		free(key);
		return false;
	}
	move(order, ring, key, room);
	free(old_ring);
	free(old_key);
	return true;
}

/*
 * Most of the room is for released records: as long as there are some, the thread that
 * takes them has work, and the thread that reads need not wait for it.
 */
static bool small(const struct ordered_events *order)
{
	return order->nr >= order->room / 8 && order->room < ROOM_MOST;
}

static bool make_room(struct ordered_events *order)
{
	__u32 room = order->room ? 2 * order->room : ROOM_FIRST;

	if (!small(order)) {
		move(order, order->ring, order->key, order->room);
		return true;
	}
	return resize(&order->run, room, sizeof(*order->run)) &&
	       resize(&order->turn, room, sizeof(*order->turn)) &&
	       replace(&order->sorted, room, sizeof(*order->sorted)) &&
	       replace(&order->spare, room, sizeof(*order->spare)) &&
	       resize(&order->end, room, sizeof(*order->end)) && grow_ring(order, room);
}

static __u32 places(const struct ordered_events *order)
{
	return order->room - (order->tail - order->head);
}

/* Bytes of all waiting records. */
static size_t bytes(const struct ordered_events *order)
{
	return order->nr * sizeof(*order->ring) + order->other_bytes;
}

/* How many more records may wait. */
static __u32 left(const struct ordered_events *order)
{
	size_t used = bytes(order), each = sizeof(*order->ring);

	return used < PERFDATA_ORDER_BYTES ? (PERFDATA_ORDER_BYTES - used + each - 1) / each : 1;
}

bool ordered_events_full(const struct ordered_events *order)
{
	return !places(order) && order->dropped != order->released;
}

__u32 ordered_events_awaited(const struct ordered_events *order)
{
	return small(order) ? order->released : order->mark.number;
}

struct perfdata_sample *ordered_events_slots(struct ordered_events *order, size_t *most)
{
	__u32 before_end, until_full = left(order);

	if ((!places(order) || small(order)) && order->dropped == order->released &&
	    !make_room(order))
		return NULL;
	before_end = order->room - (order->tail & (order->room - 1));
	*most = places(order) < before_end ? places(order) : before_end;
	if (*most > until_full)
		*most = until_full;
	return at(order, order->tail);
}

/*
 * Merges @a with @b, which follows it in memory, into @out; equal keys keep their order.
 * Merges from both ends at the same time while neither run can end, so that the CPU has two
 * independent chains of work. The next key is chosen without a branch, as it cannot be
 * predicted.
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

/* Merges neighbouring runs until one run of @nr is left. */
static void sort(struct ordered_events *order, __u32 nr)
{
	for (; nr > 1; nr = (nr + 1) / 2) {
		struct perfdata_key *sorted = order->spare, *key = order->sorted;
		__u32 from = 0, i;

		for (i = 0; i < nr; i += 2) {
			__u32 middle = order->end[i], to = order->end[i + 1 < nr ? i + 1 : i];

			merge(sorted + from, key + from, middle - from, key + middle, to - middle);
			order->end[i / 2] = to;
			from = to;
		}
		order->spare = key;
		order->sorted = sorted;
	}
}

/* Finds the end of the records up to @limit in a sorted run. */
static __u32 end_of(const struct ordered_events *order, const struct perfdata_run *run,
		    __u64 limit)
{
	__u32 low = run->from, high = run->to;

	if (key_at(order, high - 1)->time <= limit)
		return high;
	while (low != high) {
		__u32 middle = low + (high - low) / 2;

		if (key_at(order, middle)->time <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Copies the keys of positions that may wrap around the ring's end. Returns the end of the copy. */
static struct perfdata_key *copy_keys(const struct ordered_events *order, struct perfdata_key *to,
				      __u32 from, __u32 nr)
{
	__u32 before_end = order->room - (from & (order->room - 1));

	if (before_end > nr)
		before_end = nr;
	memcpy(to, key_at(order, from), before_end * sizeof(*to));
	memcpy(to + before_end, order->key, (nr - before_end) * sizeof(*to));
	return to + nr;
}

/* Sorts the waiting records up to @limit. Returns their number. */
static __u32 put_in_order(struct ordered_events *order, __u64 limit)
{
	struct perfdata_key *key = order->sorted;
	__u32 ends = 0, i;

	for (i = 0; i < order->nr_runs; i++) {
		struct perfdata_run *run = &order->run[i];

		run->middle = end_of(order, run, limit);
		if (run->middle == run->from)
			continue;
		key = copy_keys(order, key, run->from, run->middle - run->from);
		order->end[ends++] = key - order->sorted;
	}
	sort(order, ends);
	return ends ? order->end[0] : 0;
}

/* Removes runs whose records were all released. */
static void drop_runs(struct ordered_events *order)
{
	__u32 i, nr = 0;

	for (i = 0; i < order->nr_runs; i++) {
		order->run[i].from = order->run[i].middle;
		if (order->run[i].from != order->run[i].to)
			order->run[nr++] = order->run[i];
	}
	order->nr_runs = nr;
}

/* Numbers the first @nr in order, which releases them. */
static void number(struct ordered_events *order, __u32 nr)
{
	const struct perfdata_key *key = order->sorted;
	__u32 released = order->released, i;
	size_t other = 0;

	for (i = 0; i < nr; i++) {
		*turn_of(order, released + i) = key[i].at;
		other += key[i].other_bytes;
	}
	order->released += nr;
	order->nr -= nr;
	order->other_bytes -= other;
}

void ordered_events_release(struct ordered_events *order, __u64 limit)
{
	__u32 nr = put_in_order(order, limit);

	if (!nr)
		return;
	number(order, nr);
	if (order->sorted[nr - 1].time > order->delivered)
		order->delivered = order->sorted[nr - 1].time;
	drop_runs(order);
}

/* The room is full: release the older half, and all records as old as its newest. */
static void release_half(struct ordered_events *order)
{
	put_in_order(order, ~0ULL);
	ordered_events_release(order, order->sorted[order->nr / 2].time);
}

static void begin_run(struct ordered_events *order, __u32 from)
{
	order->run[order->nr_runs++] = (struct perfdata_run) { .from = from, .to = from };
}

/* Records without a time sort first. */
static __u64 time_of(const struct perfdata_sample *sample)
{
	return sample->time == ~0ULL ? 0 : sample->time;
}

/* Adds waiting records; starts a new run where one is older than its predecessor. */
static void append(struct ordered_events *order, const struct perfdata_sample *sample, __u32 nr)
{
	__u64 last = order->last, newest = order->newest, late = 0, other = 0;
	struct perfdata_key *key = key_at(order, order->tail);
	__u32 here = order->tail, i;

	for (i = 0; i < nr; i++, here++) {
		const __u64 time = time_of(&sample[i]);

		if (time < last) {
			order->run[order->nr_runs - 1].to = here;
			begin_run(order, here);
		}
		key[i] = (struct perfdata_key) { time, here, other_bytes(&sample[i]) };
		other += key[i].other_bytes;
		late += time && time < order->delivered;
		newest = time > newest ? time : newest;
		last = time;
	}
	order->run[order->nr_runs - 1].to = here;
	order->tail = here;
	order->nr += nr;
	order->other_bytes += other;
	order->last = last;
	order->newest = newest;
	order->late += late;
}

void ordered_events_push(struct ordered_events *order, size_t nr)
{
	if (!nr)
		return;
	if (!order->nr_runs || order->run[order->nr_runs - 1].to != order->tail) {
		begin_run(order, order->tail);
		order->last = 0;
	}
	append(order, at(order, order->tail), nr);
	if (bytes(order) >= PERFDATA_ORDER_BYTES)
		release_half(order);
}

void ordered_events_round(struct ordered_events *order)
{
	ordered_events_release(order, order->newest_before);
	order->newest_before = order->newest;
}

void ordered_events_finish(struct ordered_events *order)
{
	ordered_events_release(order, ~0ULL);
}

void ordered_events_take(const struct ordered_events *order, __u32 number,
			 struct perfdata_sample *sample, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const __u32 soon = number + (i + FETCH_AHEAD < nr ? i + FETCH_AHEAD : i);

		__builtin_prefetch(at(order, *turn_of(order, soon)));
		sample[i] = *at(order, *turn_of(order, number + i));
	}
}

/* Gaps between waiting records stay until all records before them are gone. */
void ordered_events_drop(struct ordered_events *order, __u32 number)
{
	order->dropped = number;
	if (number == order->released)
		order->head = first_waiting(order);
	else if (reached(number, order->mark.number))
		order->head = order->mark.head;
	else
		return;
	order->mark.number = order->released;
	order->mark.head = first_waiting(order);
}

void ordered_events_free(struct ordered_events *order)
{
	__u32 i, here;

	for (i = order->dropped; i != order->released; i++)
		free(perfdata_other(at(order, *turn_of(order, i))));
	for (i = 0; i < order->nr_runs; i++)
		for (here = order->run[i].from; here != order->run[i].to; here++)
			free(perfdata_other(at(order, here)));
	free(order->ring);
	free(order->key);
	free(order->turn);
	free(order->run);
	free(order->sorted);
	free(order->spare);
	free(order->end);
	memset(order, 0, sizeof(*order));
}
