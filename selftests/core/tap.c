// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <time.h>

#include "tap.h"

static jmp_buf tap_failed;
static u64 tap_random_state;

void tap_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	printf("# %s:%d: not true: %s\n", file, line, what);
	longjmp(tap_failed, 1);
}

/* splitmix64 */
u64 tap_random(void)
{
	u64 z = tap_random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

u32 tap_below(u32 n)
{
	return tap_random() % n;
}

u64 tap_env(const char *name, u64 value)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : value;
}

static bool tap_passes(const struct tap_test *test)
{
	if (setjmp(tap_failed))
		return false;
	test->run();
	return true;
}

int tap_main(const struct tap_test *tests, unsigned int n)
{
	u64 seed = tap_env("SEED", (u64)time(NULL) << 20 ^ clock());
	unsigned int i, failed = 0;
	bool ok;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%u\n# SEED=%llu\n", n, seed);
	for (i = 0; i < n; i++) {
		tap_random_state = seed;
		ok = tap_passes(&tests[i]);
		failed += !ok;
		printf("%s %u - %s\n", ok ? "ok" : "not ok", i + 1, tests[i].name);
		if (!ok && getenv("TAP_FIRST"))
			break;
	}
	printf("# passed %u failed %u\n", n - failed, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
