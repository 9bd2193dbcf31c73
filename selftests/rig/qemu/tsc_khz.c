// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the rate of this machine's time stamp counter in kHz; nothing where it has none.
 *
 * The emulated CPU shows this counter to its guest. A guest measures its rate against an
 * emulated timer at boot. On a busy host the result can be far too low: all its clocks, and so
 * all its time limits, then run too fast.
 */
#include <limits.h>
#include <stdio.h>
#include <time.h>

#ifdef __x86_64__
#include <x86intrin.h>

struct reading {
	unsigned long ticks;
	unsigned long ns;
};

static unsigned long clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ul + ts.tv_nsec;
}

/* Both clocks at one time: the pair that nothing came between, of several tries. */
static struct reading read_both(void)
{
	unsigned long before, ticks, took, least = ULONG_MAX;
	struct reading best = {};
	int i;

	for (i = 0; i < 100; i++) {
		before = clock_ns();
		ticks = __rdtsc();
		took = clock_ns() - before;
		if (took < least) {
			least = took;
			best = (struct reading) { .ticks = ticks, .ns = before + took / 2 };
		}
	}
	return best;
}

int main(void)
{
	const struct timespec wait = { .tv_nsec = 50 * 1000 * 1000 };
	struct reading first, last;

	first = read_both();
	nanosleep(&wait, NULL);
	last = read_both();
	printf("%lu\n", (last.ticks - first.ticks) * 1000000 / (last.ns - first.ns));
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
