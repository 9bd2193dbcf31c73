// SPDX-License-Identifier: GPL-2.0
/* Records put in order: against a sort of all of them, and at the limit of memory. */
#include "perfdata/order.h"

/* More than may wait at a time. */
#define MANY	(3 * (PERFDATA_ORDER_BYTES / sizeof(struct perfdata_sample)))

static struct perfdata_order order;
static u64 pushed, popped, last;
/* Popped records that are older than one popped before. */
static u64 late;

static void pop_all(void)
{
	struct perfdata_sample sample[100];
	size_t nr, i;

	while ((nr = perfdata_order_pop(&order, sample, 1 + tap_below(100)))) {
		for (i = 0; i < nr; i++) {
			late += sample[i].time < last;
			if (sample[i].time > last)
				last = sample[i].time;
			free(perfdata_other(&sample[i]));
		}
		popped += nr;
	}
}

/* A record that is no sample. */
static struct perfdata_sample other(u64 time)
{
	return (struct perfdata_sample) {
		.time = time, .other = calloc(1, sizeof(struct perfdata_record_view)),
	};
}

static void push(u64 time)
{
	size_t room;
	struct perfdata_sample *slot = perfdata_order_slots(&order, &room);

	CHECK(slot && room);
	*slot = (struct perfdata_sample) { .time = time, .addr = pushed++, .period = 1 };
	if (!tap_below(1000))
		*slot = other(time);
	perfdata_order_push(&order, 1);
	pop_all();
}

static void begin(void)
{
	pushed = 0;
	popped = 0;
	last = 0;
	late = 0;
}

static void end(void)
{
	perfdata_order_finish(&order);
	pop_all();
	CHECK(popped == pushed && late == order.late);
	perfdata_order_free(&order);
}

/* Rings of some CPUs, one after the other; each round reaches into the one before. */
static void test_rounds(void)
{
	u64 now[8], cpu, i, round, most = 0;

	begin();
	for (cpu = 0; cpu < ARRAY_SIZE(now); cpu++)
		now[cpu] = cpu;
	for (round = 1; round < 300; round++) {
		for (cpu = 0; cpu < ARRAY_SIZE(now); cpu++)
			for (i = tap_below(200); i && now[cpu] < round * 1000; i--)
				push(now[cpu] += tap_below(20));
		for (cpu = 0; cpu < ARRAY_SIZE(now); cpu++)
			now[cpu] = now[cpu] < round * 1000 - 500 ? round * 1000 - 500 : now[cpu];
		most = pushed - popped > most ? pushed - popped : most;
		perfdata_order_round(&order);
		pop_all();
	}
	CHECK(!order.late && most < 8 * 200 * 2 && popped);
	end();
	CHECK(!late);
}

/* Equals stay as they came. */
static void test_stable(void)
{
	struct perfdata_sample sample[1000], *slot;
	size_t room;
	u64 i;

	begin();
	for (i = 0; i < ARRAY_SIZE(sample); i++) {
		slot = perfdata_order_slots(&order, &room);
		*slot = (struct perfdata_sample) { .time = 1 + tap_below(5), .addr = i,
						   .period = 1 };
		perfdata_order_push(&order, 1);
	}
	perfdata_order_finish(&order);
	CHECK(perfdata_order_pop(&order, sample, ARRAY_SIZE(sample)) == ARRAY_SIZE(sample));
	for (i = 1; i < ARRAY_SIZE(sample); i++)
		CHECK(sample[i - 1].time < sample[i].time ||
		      (sample[i - 1].time == sample[i].time &&
		       sample[i - 1].addr < sample[i].addr));
	perfdata_order_free(&order);
}

/* Without rounds, the older half goes on when there is no room: nothing is late. */
static void test_full(void)
{
	u64 i;

	begin();
	for (i = 0; i < MANY; i++)
		push(i * 10 + tap_below(1000));
	CHECK(popped && pushed - popped < PERFDATA_ORDER_BYTES / sizeof(struct perfdata_sample));
	CHECK(!order.late);
	end();
}

/* One that never gets old holds its place; the others pass it. */
static void test_pinned(void)
{
	u64 i;

	begin();
	push(~1ULL);
	for (i = 0; i < MANY; i++)
		push(MANY + i - tap_below(100));
	CHECK(order.room * sizeof(struct perfdata_sample) <= PERFDATA_ORDER_BYTES && !order.late);
	end();
}

/* Any times at all: all records come out, and those that came too late are counted. */
static void test_random(void)
{
	u64 i;

	begin();
	for (i = 0; i < 20000; i++) {
		push(1 + tap_random() % 1000000);
		if (!tap_below(500)) {
			perfdata_order_round(&order);
			pop_all();
		}
	}
	CHECK(order.late);
	perfdata_order_finish(&order);
	pop_all();
	CHECK(popped == pushed);
	perfdata_order_free(&order);
}

/* What still waits, or is ready, is freed. */
static void test_free(void)
{
	struct perfdata_sample *slot, sample;
	size_t room;
	u64 i;

	for (i = 0; i < 5000; i++) {
		slot = perfdata_order_slots(&order, &room);
		*slot = other(i / 2 + i % 2 * 1000);
		perfdata_order_push(&order, 1);
		if (i == 2000)
			perfdata_order_round(&order);
		pop_all();
	}
	perfdata_order_round(&order);
	CHECK(perfdata_order_pop(&order, &sample, 1) == 1);
	free(perfdata_other(&sample));
	perfdata_order_free(&order);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_rounds),
		TAP_TEST(test_stable),
		TAP_TEST(test_full),
		TAP_TEST(test_pinned),
		TAP_TEST(test_random),
		TAP_TEST(test_free),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
