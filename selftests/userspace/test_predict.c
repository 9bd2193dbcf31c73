// SPDX-License-Identifier: GPL-2.0
/* What pages are expected to gain, from what others like them have gained. */
#include <math.h>
#include <string.h>
#include "policy/rules.h"
#include "policy_memory.h"

/* What pages with two recent samples will gain, after 2,000 with one have gained @gain each. */
static double value_after(u32 gain)
{
	struct unit one = { .samples = 1, .recent = 1, .pages = 1 };
	struct unit two = { .samples = 2, .recent = 2, .pages = 1 };
	struct predictor predictor = {};
	u32 i;

	one.class = predict_class(&one);
	two.class = predict_class(&two);
	CHECK(one.class != two.class);
	for (i = 0; i < 2000; i++)
		predict_learn(&predictor, &one, gain, 1);
	predict_values(&predictor, 1);
	return predictor.value[two.class];
}

/* Pages that are read one after the other: nobody had two samples, yet what to expect is known. */
static void test_persistence(void)
{
	CHECK(value_after(0) < 0.2);
	CHECK(value_after(1) > 1 && value_after(1) < 3);
	CHECK(value_after(5) > 1 && value_after(5) < 3.5);
}

/* Pages of each kind: enough that what is known of other kinds counts little. */
#define EACH	100000
/* Kinds of pages: with no samples lately, one, two and four. */
static const u32 kinds[] = { 0, 1, 2, 4 };

/* The value of a page with so many samples lately. */
static double value_of(const struct predictor *predictor, u32 samples)
{
	const struct unit unit = { .samples = samples, .recent = samples, .pages = 1 };

	return predictor->value[predict_class(&unit)];
}

/*
 * Pages with k samples in a second gained (@gain + @more * k) / @parts in the next. From then on,
 * samples are those of @times seconds. A page gained @was in the first second, on average, and
 * @mean in the second.
 */
static struct predictor learnt(u32 gain, u32 more, u32 parts, double times, double was, double mean)
{
	struct predictor predictor = {};
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct unit unit = { .samples = kinds[i], .recent = kinds[i], .pages = 1 };

		unit.class = predict_class(&unit);
		for (n = 0; n < EACH; n++)
			predict_learn(&predictor, &unit, gain + more * kinds[i], parts);
	}
	predict_rescale(&predictor, times, was, mean);
	predict_values(&predictor, times);
	return predictor;
}

/*
 * Rates have a gamma distribution of shape 1 and rate 3: what pages with k samples in t seconds
 * gain in a second is (1 + k) / (3 + t). After it was seen for a second, it is known for two.
 */
static void test_rescale(void)
{
	const struct predictor one = learnt(1, 1, 4, 1, 1 / 3.0, 1 / 3.0);
	const struct predictor two = learnt(1, 1, 4, 2, 1 / 3.0, 1 / 3.0);
	const struct predictor half = learnt(1, 1, 4, 0.5, 1 / 3.0, 1 / 3.0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		CHECK(near(value_of(&one, kinds[i]), (1 + kinds[i]) / 4.0, 0.001));
		CHECK(near(value_of(&two, kinds[i]), (1 + kinds[i]) / 5.0, 0.001));
		CHECK(near(value_of(&half, kinds[i]), (1 + kinds[i]) / 3.5, 0.001));
	}
}

/*
 * The more pages are alike, the less does it matter in what time a page got a sample: those with
 * seven gained 0.75, and 0.15 more than the mean, so b is 6.25 / 0.15 seconds.
 */
static void test_alike(void)
{
	const struct predictor alike = learnt(1, 0, 4, 8, 0.2, 0.2);
	const double b = 6.25 / 0.15;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		CHECK(near(value_of(&alike, kinds[i]), 0.25 * (b + 1) / (b + 8), 0.001));
}

/* If those with samples did not gain clearly more than others, nothing is known. */
static void test_unknown(void)
{
	const struct predictor same = learnt(1, 0, 4, 8, 0.25, 0.25);
	const struct predictor less = learnt(1, 0, 4, 8, 0.5, 0.5);
	/* 300,000 pages, of which two standard errors are 546 samples. */
	const struct predictor hardly = learnt(1, 0, 4, 8, 0.2483, 0.2483);
	const struct predictor clearly = learnt(1, 0, 4, 8, 0.2480, 0.2480);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		CHECK(near(value_of(&same, kinds[i]), 0.25 / 8, 0.001));
		CHECK(near(value_of(&less, kinds[i]), 0.25 / 8, 0.001));
		CHECK(near(value_of(&hardly, kinds[i]), 0.25 / 8, 0.001));
		CHECK(near(value_of(&clearly, kinds[i]), 0.25, 0.1));
	}
}

/*
 * If each goes on as it was, or gains more, it is colder by as many times as it took longer; also
 * if the program does half as much as before.
 */
static void test_each_its_own(void)
{
	const struct predictor same = learnt(0, 1, 1, 8, 0.1, 0.1);
	const struct predictor more = learnt(0, 3, 2, 8, 0.1, 0.1);
	const struct predictor half = learnt(0, 1, 2, 8, 0.2, 0.1);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		CHECK(near(value_of(&same, kinds[i]), kinds[i] / 8.0, 0.001));
		CHECK(near(value_of(&more, kinds[i]), 1.5 * kinds[i] / 8, 0.001));
		CHECK(near(value_of(&half, kinds[i]), 0.5 * kinds[i] / 8, 0.001));
	}
}

/* The mean is that of pages of 4 KiB: a huge page has 512 of them. */
static void test_rescale_huge(void)
{
	struct unit huge = { .samples = 512, .recent = 512, .pages = 512 };
	struct predictor predictor = {};
	unsigned int n;

	huge.class = predict_class(&huge);
	for (n = 0; n < EACH; n++)
		predict_learn(&predictor, &huge, 512, 2);
	predict_rescale(&predictor, 2, 0.25, 0.25);
	predict_values(&predictor, 2);
	/* A half of a sample comes again, and a quarter is the mean: b is two seconds. */
	CHECK(near(predictor.value[huge.class], 0.5 * 3 / 4, 0.001));
}

/* What one look has told is forgotten by the next; without anything new, nothing changes. */
static void test_rescale_again(void)
{
	struct predictor once = learnt(1, 1, 4, 2, 1 / 3.0, 1 / 3.0), twice = once;

	CHECK(!once.lately && !once.again && !once.alive);
	predict_rescale(&twice, 16, 1 / 3.0, 1 / 3.0);
	CHECK(!memcmp(&once, &twice, sizeof(once)));
	/* Also before the first samples. */
	predict_rescale(&twice, 16, 0, 0);
	CHECK(!memcmp(&once, &twice, sizeof(once)));
}

/* Of 400 pages with a sample in a second, 100 get one in the next two, as 500 others do. */
static void test_rescale_at_look(void)
{
	const struct unit one = { .samples = 1, .recent = 1, .pages = 1 };
	struct memory *memory = make(4096, 0);
	const double again = 50, usual = 400 * 300 / 4096.0, lately = 400 * 300 / 400.0;
	const double times = 2 + exp2(-600.0 / (CAPACITY + 1));
	const double more = again - usual, less = lately - again;

	sample(memory, 2000, 2400, 1);
	look(memory);
	sample(memory, 2000, 2100, 1);
	sample(memory, 3000, 3500, 1);
	memory->seconds += 1;
	look(memory);
	CHECK(near(memory->policy->predictor.gain[predict_class(&one)],
		   again * times * (less + more) / (less + times * more), 0.000001));
	destroy(memory);
}

/* Each of 2,000 hot pages gets a sample in five seconds on average, and some others get some. */
static void sample_hot(struct memory *memory)
{
	u32 i;

	for (i = 0; i < 440; i++) {
		const u32 page = i < 400 ? 10000 + tap_below(2000) : 12000 + tap_below(28000);

		sample(memory, page, page + 1, 1);
	}
}

/*
 * A first look after one second finds few pages with samples, and of these few get another one in
 * eight seconds more. But those that have samples then are worth as much: they come.
 */
static void test_few_samples(void)
{
	struct memory *memory = make(40000, 0);
	u32 i;

	/* It pays in three seconds for each such page. */
	memory->policy->copy_ns = 20000;
	sample_hot(memory);
	look(memory);
	for (i = 0; i < 8; i++)
		sample_hot(memory);
	memory->seconds += 7;
	look(memory);
	printf("# of %llu pages %llu come\n", memory->plan->candidates,
	       memory->plan->promoted_pages);
	CHECK(memory->plan->promoted_pages > 500);
	destroy(memory);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_persistence),
		TAP_TEST(test_rescale),
		TAP_TEST(test_alike),
		TAP_TEST(test_unknown),
		TAP_TEST(test_each_its_own),
		TAP_TEST(test_rescale_huge),
		TAP_TEST(test_rescale_again),
		TAP_TEST(test_rescale_at_look),
		TAP_TEST(test_few_samples),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
