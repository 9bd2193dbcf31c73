// SPDX-License-Identifier: GPL-2.0
/* Ring: limits, wrap, batches, watermark, and two threads at full speed. */
#include <pthread.h>
#include <sched.h>

#include "ring.h"
#include "tap.h"

#define SLOTS	8
#define WORDS	3

/* A sample of the size of a small record; the first word determines all others. */
struct slot {
	u64 word[WORDS];
};

static struct slot memory[1024] __aligned(64);

static void write_slot(struct slot *slot, u64 seq)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		slot->word[i] = seq * (i + 1);
}

static bool slot_holds(const struct slot *slot, u64 seq)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++) {
		if (slot->word[i] != seq * (i + 1))
			return false;
	}
	return true;
}

static int init_small(struct htmm_ring *ring)
{
	return htmm_ring_init(ring, memory, SLOTS * sizeof(struct slot),
			      sizeof(struct slot));
}

static bool push(struct htmm_ring *ring, u64 seq)
{
	struct slot *slot;

	if (htmm_ring_quiet(ring)) {
		write_slot(htmm_ring_reserve_quiet(ring), seq);
		htmm_ring_commit_quiet(ring);
		return true;
	}
	slot = htmm_ring_reserve(ring);

	if (!slot)
		return false;
	write_slot(slot, seq);
	htmm_ring_commit(ring);
	return true;
}

static void init_checks_arguments(void)
{
	struct htmm_ring ring;
	char *mem = (char *)memory;

	CHECK(htmm_ring_init(&ring, NULL, 4096, 8) == -EINVAL);
	CHECK(htmm_ring_init(&ring, mem + 4, 4096, 8) == -EINVAL);
	CHECK(htmm_ring_init(&ring, mem, 4096, 0) == -EINVAL);
	CHECK(htmm_ring_init(&ring, mem, 4096, 12) == -EINVAL);
	CHECK(htmm_ring_init(&ring, mem, 15, 8) == -EINVAL);
	CHECK(htmm_ring_init(&ring, mem, 1UL << 40, 8) == -EINVAL);
	CHECK(htmm_ring_init(&ring, mem, 16, 8) == 0);
	CHECK(htmm_ring_capacity(&ring) == 2);
	CHECK(htmm_ring_init(&ring, mem, 4096, 24) == 0);
	CHECK(htmm_ring_capacity(&ring) == 128);
	CHECK(htmm_ring_used(&ring) == 0);
}

static void empty_full_empty(void)
{
	struct htmm_ring ring;
	void *first;
	u64 i;

	CHECK(init_small(&ring) == 0);
	CHECK(htmm_ring_peek(&ring, &first) == 0);
	for (i = 0; i < SLOTS; i++) {
		CHECK(push(&ring, i));
		CHECK(htmm_ring_used(&ring) == i + 1);
	}
	CHECK(!push(&ring, i));
	CHECK(htmm_ring_peek(&ring, &first) == SLOTS);
	CHECK(!htmm_ring_reserve(&ring));
	for (i = 0; i < SLOTS; i++)
		CHECK(slot_holds((struct slot *)first + i, i));
	htmm_ring_consume(&ring, SLOTS);
	CHECK(htmm_ring_used(&ring) == 0);
	CHECK(htmm_ring_peek(&ring, &first) == 0);
}

static void abandoned_reservation_is_reused(void)
{
	struct htmm_ring ring;
	void *first;

	CHECK(init_small(&ring) == 0);
	first = htmm_ring_reserve(&ring);
	CHECK(first && htmm_ring_reserve(&ring) == first);
	CHECK(htmm_ring_used(&ring) == 0);
}

static void batch_stops_at_the_end_of_memory(void)
{
	struct htmm_ring ring;
	void *first;
	u64 i;

	CHECK(init_small(&ring) == 0);
	for (i = 0; i < 6; i++)
		CHECK(push(&ring, i));
	CHECK(htmm_ring_peek(&ring, &first) == 6);
	htmm_ring_consume(&ring, 6);
	for (; i < 11; i++)
		CHECK(push(&ring, i));
	CHECK(htmm_ring_peek(&ring, &first) == 2);
	CHECK(slot_holds(first, 6));
	htmm_ring_consume(&ring, 2);
	CHECK(htmm_ring_peek(&ring, &first) == 3);
	CHECK(first == memory && slot_holds(first, 8));
	htmm_ring_consume(&ring, 1);
	CHECK(htmm_ring_peek(&ring, &first) == 2 && slot_holds(first, 9));
}

static void indices_wrap(void)
{
	struct htmm_ring ring;
	void *first;
	u64 i;

	CHECK(init_small(&ring) == 0);
	ring.head = U32_MAX - 2;
	ring.tail = ring.head;
	ring.head_seen = ring.head;
	ring.tail_seen = ring.head;
	ring.look += ring.head;
	for (i = 0; i < SLOTS; i++)
		CHECK(push(&ring, i));
	CHECK(!push(&ring, i));
	CHECK(htmm_ring_used(&ring) == SLOTS);
	for (i = 0; i < SLOTS; i++) {
		CHECK(htmm_ring_peek(&ring, &first) && slot_holds(first, i));
		htmm_ring_consume(&ring, 1);
	}
	CHECK(htmm_ring_used(&ring) == 0);
}

static void set_watermark(struct htmm_ring *ring, u32 slots)
{
	ring->watermark = slots;
	ring->look = ring->head + slots - 1;
}

static void watermark_is_exact_from_there_on(void)
{
	struct htmm_ring ring;
	u32 i, used;
	void *first;

	CHECK(init_small(&ring) == 0);
	CHECK(ring.watermark == SLOTS / 4);
	set_watermark(&ring, 4);

	/* However much was consumed meanwhile, 4 filled slots are needed to cross it. */
	for (i = 0; i < 100; i++) {
		CHECK(htmm_ring_reserve(&ring));
		used = htmm_ring_commit(&ring);
		CHECK((used >= 4) == (htmm_ring_used(&ring) >= 4));
		if (used >= 4)
			CHECK(used == htmm_ring_used(&ring));
		while (htmm_ring_used(&ring) > i % 7 ||
		       htmm_ring_used(&ring) == SLOTS) {
			CHECK(htmm_ring_peek(&ring, &first));
			htmm_ring_consume(&ring, 1);
		}
	}
}

/* How many of @n records the producer has to look at the consumer for. */
static u32 looks(struct htmm_ring *ring, u32 n, u64 *seq)
{
	u32 looks = 0;

	while (n--) {
		looks += !htmm_ring_quiet(ring);
		CHECK(push(ring, (*seq)++));
	}
	return looks;
}

static void looks_at_the_watermark(void)
{
	struct htmm_ring ring;
	void *first;
	u64 seq = 0;

	CHECK(init_small(&ring) == 0);
	set_watermark(&ring, 4);
	/* Only the record that reaches it. */
	CHECK(looks(&ring, 3, &seq) == 0 && looks(&ring, 1, &seq) == 1);
	/* Then one after each quarter of it, which is one here, until all is consumed. */
	CHECK(looks(&ring, 2, &seq) == 1);
	CHECK(htmm_ring_peek(&ring, &first) == 6 && slot_holds(first, 0));
	htmm_ring_consume(&ring, 6);
	CHECK(looks(&ring, 2, &seq) == 1);
	CHECK(looks(&ring, 1, &seq) == 0 && looks(&ring, 1, &seq) == 1);
	CHECK(htmm_ring_used(&ring) == 4);
}

/* A ring that nobody empties is looked at seldom, and not written when it is full. */
static void looks_when_full(void)
{
	struct htmm_ring ring;
	u64 seq = 0;
	u32 n;

	CHECK(htmm_ring_init(&ring, memory, 64 * sizeof(struct slot),
			     sizeof(struct slot)) == 0);
	CHECK(looks(&ring, 16, &seq) == 1);
	n = looks(&ring, 48, &seq);
	CHECK(n == 48 / (16 / 4 + 1));
	CHECK(!htmm_ring_quiet(&ring) && !push(&ring, seq));
}

static void random_pushes_and_batches(void)
{
	u64 in = 0, out = 0, lost = 0, tried = 0, step;
	struct htmm_ring ring;
	struct slot *slot;
	u32 n, take;
	void *first;

	CHECK(init_small(&ring) == 0);
	for (step = 0; step < 200000; step++) {
		for (n = tap_below(SLOTS + 2); n; n--) {
			bool room = in - out < SLOTS;

			tried++;
			CHECK(push(&ring, in) == room);
			in += room;
			lost += !room;
		}
		n = htmm_ring_peek(&ring, &first);
		CHECK(!n == (in == out) && n <= in - out);
		take = tap_below(n + 1);
		for (slot = first; slot < (struct slot *)first + take; slot++)
			CHECK(slot_holds(slot, out++));
		htmm_ring_consume(&ring, take);
		CHECK(htmm_ring_used(&ring) == in - out);
	}
	CHECK(tried == in + lost && lost > 0);
}

/* The producer's side of the stress test; the test thread is the consumer. */
struct producer {
	struct htmm_ring ring;
	u64 pushes;
	u64 lost;
	u32 done;
};

static void *produce(void *arg)
{
	struct producer *p = arg;
	u64 seq;

	for (seq = 1; seq <= p->pushes; seq++) {
		if (push(&p->ring, seq))
			continue;
		p->lost++;
		sched_yield();
	}
	/* Pairs with the load-acquire in consume_all(). */
	smp_store_release(&p->done, 1);
	return NULL;
}

/* Checks that slots are complete, in order, and none is repeated. Returns their number. */
static u64 consume_all(struct producer *p)
{
	struct slot *slot;
	u64 last = 0, consumed = 0;
	void *first;
	u32 n, done;

	do {
		/* Pairs with the store-release in produce(). */
		done = smp_load_acquire(&p->done);
		while ((n = htmm_ring_peek(&p->ring, &first))) {
			for (slot = first; slot < (struct slot *)first + n; slot++) {
				CHECK(slot->word[0] > last);
				last = slot->word[0];
				CHECK(slot_holds(slot, last));
			}
			consumed += n;
			htmm_ring_consume(&p->ring, n);
		}
		sched_yield();
	} while (!done);
	return consumed;
}

static void two_threads(void)
{
	static struct producer p;	/* static, as it must outlive a failed check */
	pthread_t thread;
	u64 consumed;

	p.pushes = tap_env("PUSHES", 1000000);
	CHECK(htmm_ring_init(&p.ring, memory, 64 * sizeof(struct slot),
			     sizeof(struct slot)) == 0);
	CHECK(pthread_create(&thread, NULL, produce, &p) == 0);
	consumed = consume_all(&p);
	CHECK(pthread_join(thread, NULL) == 0);
	printf("# pushes %llu consumed %llu lost %llu\n", p.pushes, consumed,
	       p.lost);
	CHECK(consumed > 0);
	CHECK(p.pushes == consumed + p.lost);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(init_checks_arguments),
		TAP_TEST(empty_full_empty),
		TAP_TEST(abandoned_reservation_is_reused),
		TAP_TEST(batch_stops_at_the_end_of_memory),
		TAP_TEST(indices_wrap),
		TAP_TEST(watermark_is_exact_from_there_on),
		TAP_TEST(looks_at_the_watermark),
		TAP_TEST(looks_when_full),
		TAP_TEST(random_pushes_and_batches),
		TAP_TEST(two_threads),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
