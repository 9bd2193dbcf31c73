/* SPDX-License-Identifier: GPL-2.0 */
/* Test Anything Protocol for the host tests, and their random numbers. */
#ifndef HTMM_SELFTESTS_TAP_H
#define HTMM_SELFTESTS_TAP_H

#include <stdio.h>
#include <stdlib.h>

struct tap_test {
	const char *name;
	void (*run)(void);
};

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define TAP_TEST(function) { #function, function }

/* Run all tests, or with TAP_FIRST set only until one fails; returns the exit status. */
int tap_main(const struct tap_test *tests, unsigned int n);

/* The first false check ends the test and prints its place. */
#define CHECK(condition) \
	tap_check(condition, __FILE__, __LINE__, #condition)

void tap_check(bool ok, const char *file, int line, const char *what);

/* A uniform random number; every test starts at SEED, which tap_main() prints. */
u64 tap_random(void);

/* A uniform number below @n. */
u32 tap_below(u32 n);

/* A number from the environment, or @value. */
u64 tap_env(const char *name, u64 value);

#endif /* HTMM_SELFTESTS_TAP_H */
