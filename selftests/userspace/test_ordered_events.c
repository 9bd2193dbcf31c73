// SPDX-License-Identifier: GPL-2.0
/* Records put in order: against a sort of all of them, and at the limit of memory. */
#include "perfdata/ordered_events.h"

/* More than may wait at a time. */
#define MANY	(3 * (PERFDATA_ORDER_BYTES / sizeof(struct perfdata_sample)))

static struct ordered_events order;
/* Records pushed, and taken; these may not be dropped yet. */
static u32 pushed, taken;
static u64 last;
/* Records that are older than one taken before. */
static u64 late;

static void take(u32 nr)
{
	struct perfdata_sample sample[100];
	u32 i;

	CHECK(nr <= ARRAY_SIZE(sample) && nr <= order.released - taken);
	ordered_events_take(&order, taken, sample, nr);
	for (i = 0; i < nr; i++) {
		late += sample[i].time < last;
		if (sample[i].time > last)
			last = sample[i].time;
		free(perfdata_other(&sample[i]));
	}
	taken += nr;
}

static void take_until(u32 number)
{
	while (taken != number)
		take(number - taken < 100 ? number - taken : 100);
}

static void take_all(void)
{
	take_until(order.released);
	ordered_events_drop(&order, taken);
}

/* Now and then, as another thread might: some are taken, or dropped, or neither. */
static void take_some(void)
{
	u32 there = order.released - taken;

	if (there && !tap_below(4))
		take(tap_below((there < 100 ? there : 100) + 1));
	if (!tap_below(50))
		ordered_events_drop(&order, taken);
}

static struct perfdata_sample *slots(size_t *most)
{
	struct perfdata_sample *slot;

	while (ordered_events_full(&order)) {
		if ((int)(ordered_events_awaited(&order) - taken) > 0)
			take_until(ordered_events_awaited(&order));
		ordered_events_drop(&order, taken);
	}
	slot = ordered_events_slots(&order, most);
	CHECK(slot && *most);
	return slot;
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
	size_t most;
	struct perfdata_sample *slot = slots(&most);

	*slot = (struct perfdata_sample) { .time = time, .addr = pushed++, .period = 1 };
	if (!tap_below(1000))
		*slot = other(time);
	ordered_events_push(&order, 1);
	take_some();
}

static void begin(void)
{
	pushed = 0;
	taken = 0;
	last = 0;
	late = 0;
}

static void end(void)
{
	ordered_events_finish(&order);
	take_all();
	CHECK(taken == pushed && late == order.late);
	ordered_events_free(&order);
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
		most = pushed - order.released > most ? pushed - order.released : most;
		ordered_events_round(&order);
		take_some();
	}
	CHECK(!order.late && most < 8 * 200 * 2 && taken);
	end();
	CHECK(!late);
}

/* Equals stay as they came. */
static void test_stable(void)
{
	struct perfdata_sample sample[1000], *slot;
	size_t most;
	u64 i;

	begin();
	for (i = 0; i < ARRAY_SIZE(sample); i++) {
		slot = slots(&most);
		*slot = (struct perfdata_sample) { .time = 1 + tap_below(5), .addr = i,
						   .period = 1 };
		ordered_events_push(&order, 1);
	}
	ordered_events_finish(&order);
	CHECK(order.released == ARRAY_SIZE(sample));
	ordered_events_take(&order, 0, sample, ARRAY_SIZE(sample));
	ordered_events_drop(&order, ARRAY_SIZE(sample));
	for (i = 1; i < ARRAY_SIZE(sample); i++)
		CHECK(sample[i - 1].time < sample[i].time ||
		      (sample[i - 1].time == sample[i].time &&
		       sample[i - 1].addr < sample[i].addr));
	ordered_events_free(&order);
}

/* Without rounds, the older half goes on when there is no room: nothing is late. */
static void test_full(void)
{
	u64 i;

	begin();
	for (i = 0; i < MANY; i++)
		push(i * 10 + tap_below(1000));
	CHECK(taken && pushed - order.released < MANY / 3);
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
		if (!tap_below(500))
			ordered_events_round(&order);
	}
	CHECK(order.late);
	ordered_events_finish(&order);
	take_all();
	CHECK(taken == pushed);
	ordered_events_free(&order);
}

/* What has no time goes before all that waits, as it came. */
static void test_untimed(void)
{
	struct perfdata_sample sample[300];
	u64 i;

	begin();
	for (i = 0; i < ARRAY_SIZE(sample); i++) {
		size_t most;

		*slots(&most) = (struct perfdata_sample) {
			.time = i % 3 ? 1000 + i : i % 2 ? 0 : ~0ULL, .addr = i, .period = 1,
		};
		ordered_events_push(&order, 1);
	}
	ordered_events_round(&order);
	CHECK(order.released == ARRAY_SIZE(sample) / 3);
	ordered_events_finish(&order);
	CHECK(order.released == ARRAY_SIZE(sample) && !order.late);
	ordered_events_take(&order, 0, sample, ARRAY_SIZE(sample));
	ordered_events_drop(&order, ARRAY_SIZE(sample));
	for (i = 0; i < 100; i++)
		CHECK(sample[i].addr == 3 * i);
	for (; i < ARRAY_SIZE(sample); i++)
		CHECK(sample[i].addr == (i - 100) / 2 * 3 + i % 2 + 1);
	ordered_events_free(&order);
}

/* Many at a time are as good as one after the other. */
static void test_many(void)
{
	struct ordered_events one = {};
	struct perfdata_sample a, b;
	u32 i, nr;

	begin();
	while (pushed < 100000) {
		struct perfdata_sample *slot;
		size_t most;

		ordered_events_drop(&one, taken);
		slot = slots(&most);
		nr = 1 + tap_below(most < 500 ? most : 500);
		for (i = 0; i < nr; i++)
			slot[i] = (struct perfdata_sample) {
				.time = pushed + tap_below(3) * 100, .addr = pushed++, .period = 1,
			};
		for (i = 0; i < nr; i++) {
			*ordered_events_slots(&one, &most) = slot[i];
			ordered_events_push(&one, 1);
		}
		ordered_events_push(&order, nr);
		if (!tap_below(10)) {
			ordered_events_round(&order);
			ordered_events_round(&one);
		}
		CHECK(order.released == one.released && order.late == one.late);
		for (; taken != order.released; taken++) {
			ordered_events_take(&order, taken, &a, 1);
			ordered_events_take(&one, taken, &b, 1);
			CHECK(a.addr == b.addr);
		}
		ordered_events_drop(&order, taken);
	}
	CHECK(taken > pushed / 2);
	ordered_events_free(&order);
	ordered_events_free(&one);
}

/* What still waits, or was not dropped, is freed. */
static void test_free(void)
{
	size_t most;
	u64 i;

	begin();
	for (i = 0; i < 5000; i++) {
		*slots(&most) = other(i / 2 + i % 2 * 1000);
		ordered_events_push(&order, 1);
		if (i == 2000)
			ordered_events_round(&order);
		take_some();
	}
	ordered_events_round(&order);
	CHECK(order.released - taken > 100);
	take(1);
	ordered_events_drop(&order, taken);
	ordered_events_free(&order);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_rounds),
		TAP_TEST(test_stable),
		TAP_TEST(test_full),
		TAP_TEST(test_pinned),
		TAP_TEST(test_random),
		TAP_TEST(test_untimed),
		TAP_TEST(test_many),
		TAP_TEST(test_free),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
