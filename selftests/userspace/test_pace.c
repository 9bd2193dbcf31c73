// SPDX-License-Identifier: GPL-2.0
/* When run looks again at what will be gone when its command ends. */
#include "htmmctl/pace.h"
#include "test.h"

/**
 * struct looks - the looks during a run
 * @nr: how many there were
 * @last: when the last one ended
 * @spent: what they cost
 */
struct looks {
	unsigned int nr;
	double last;
	double spent;
};

/* A run of @seconds whose looks take @cost each. */
static struct looks run(double most, double seconds, double cost)
{
	struct pace pace = { .most = most };
	struct looks looks = {};

	while (pace.next < seconds) {
		looks.last = pace.next + cost;
		pace_looked(&pace, looks.last, cost);
		looks.spent += cost;
		looks.nr++;
	}
	return looks;
}

/* A twentieth of a run at its end is not seen, and no more. */
static void test_cheap(void)
{
	double seconds;

	for (seconds = 0.5; seconds < 2000; seconds *= 1.37) {
		struct looks looks = run(0, seconds, 0.000001);

		CHECK(looks.last >= seconds * 0.95);
		CHECK(looks.nr < 250);
	}
}

/* However long a look takes, all of them take a twentieth of the run, or there is one. */
static void test_dear(void)
{
	double seconds, cost;

	for (cost = 0.00001; cost < 3; cost *= 1.7) {
		for (seconds = 0.05; seconds < 2000; seconds *= 1.3) {
			struct looks looks = run(0, seconds, cost);

			CHECK(looks.nr == 1 || looks.spent <= seconds / 19.9);
		}
	}
	/* Five seconds with looks of 62 ms: some, and the last not long before the end. */
	CHECK(run(0, 5, 0.062).nr == 4 && run(0, 5, 0.062).last >= 4.5);
}

/* One expensive look, with many new pages, delays the next ones only up to a limit. */
static void test_change(void)
{
	struct pace pace = {};

	pace_looked(&pace, 1, 0.5);
	CHECK(pace.next > 19.9 && pace.next < 20.1);
	pace_looked(&pace, 20, 0.001);
	CHECK(pace.next > 20.9 && pace.next < 21.1);
}

/* Names are not older than a second, if that is cheap. */
static void test_most(void)
{
	CHECK(run(1, 1000, 0.0001).last > 999);
	CHECK(run(1, 1000, 0.0001).nr < 1100);
	CHECK(run(1, 1000, 0.5).nr <= 100);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_cheap),
		TAP_TEST(test_dear),
		TAP_TEST(test_change),
		TAP_TEST(test_most),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
