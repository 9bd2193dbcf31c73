// SPDX-License-Identifier: GPL-2.0
/* Numbers, sizes, CPU lists and near misses. */
#include <limits.h>
#include "test.h"

static bool number(const char *text, __s64 expected)
{
	__s64 value = -99;

	return !htmm_parse_number(text, LLONG_MIN, LLONG_MAX, &value, NULL) && value == expected;
}

static bool size(const char *text, __s64 expected)
{
	__s64 value = -99;

	return !htmm_parse_size(text, 0, LLONG_MAX, &value, NULL) && value == expected;
}

static void test_numbers(void)
{
	CHECK(number("0", 0));
	CHECK(number("010", 10));
	CHECK(number("0x1f", 31));
	CHECK(number("-20", -20));
	CHECK(number("9223372036854775807", LLONG_MAX));
}

static void test_numbers_bad(void)
{
	static const char *const bad[] = {
		"", " ", "x", "-", "+1", " 1", "1 ", "12x", "0x", "0xg", "1.5", "--1", "-+1", "abc",
	};
	struct htmm_error err;
	__s64 value = 7;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(refused(htmm_parse_number(bad[i], 0, 100, &value, &err), EINVAL, &err,
			      "is not a number"));
	CHECK(value == 7);
}

static void test_numbers_range(void)
{
	struct htmm_error err;
	__s64 value = 7;

	CHECK(refused(htmm_parse_number("0", 1, LLONG_MAX, &value, &err), ERANGE, &err,
		      "out of range") && !strcmp(err.todo, "give 1 or more"));
	CHECK(refused(htmm_parse_number("9223372036854775808", 1, LLONG_MAX, &value, &err), ERANGE,
		      &err, "out of range") &&
	      !strcmp(err.todo, "give a value from 1 to 9223372036854775807"));
	CHECK(refused(htmm_parse_number("0", 1, 9, &value, &err), ERANGE, &err, "out of range"));
	CHECK(!strcmp(err.todo, "give a value from 1 to 9"));
	CHECK(refused(htmm_parse_number("10", 1, 9, &value, &err), ERANGE, &err, "10"));
	CHECK(refused(htmm_parse_number("9223372036854775808", 1, LLONG_MAX, &value, &err), ERANGE,
		      &err, "out of range"));
	CHECK(refused(htmm_parse_number("99999999999999999999999", 1, LLONG_MAX, &value, &err),
		      ERANGE, &err, "out of range"));
	CHECK(value == 7);
}

static void test_sizes(void)
{
	CHECK(size("512", 512));
	CHECK(size("512B", 512));
	CHECK(size("4k", 4096));
	CHECK(size("4KiB", 4096));
	CHECK(size("512M", 512LL << 20));
	CHECK(size("4G", 4LL << 30));
	CHECK(size("2TB", 2LL << 40));
	CHECK(size("10p", 40960));
	CHECK(size("10pages", 40960));
}

static void test_sizes_bad(void)
{
	static const char *const bad[] = { "", "M", "5X", "5MX", "5 M", "5KBB", "5ib", "5P" };
	struct htmm_error err;
	__s64 value = 7;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(refused(htmm_parse_size(bad[i], 0, LLONG_MAX, &value, &err), EINVAL, &err,
			      "is not a size"));
	CHECK(refused(htmm_parse_size("-1", 0, LLONG_MAX, &value, &err), ERANGE, &err, "-1"));
	CHECK(refused(htmm_parse_size("9999999999T", 0, LLONG_MAX, &value, &err), ERANGE, &err,
		      "range"));
	CHECK(refused(htmm_parse_size("1K", 4096, LLONG_MAX, &value, &err), ERANGE, &err, "1K"));
	CHECK(value == 7);
}

static void test_cpus(void)
{
	struct htmm_cpus cpus;
	unsigned int cpu, nr = 0;

	CHECK(!htmm_cpus_parse(&cpus, "0-3,8,64-65", NULL));
	for (cpu = 0; cpu < HTMM_CPUS_MAX + 64; cpu++)
		nr += htmm_cpus_has(&cpus, cpu);
	CHECK(nr == 7);
	CHECK(htmm_cpus_has(&cpus, 3) && htmm_cpus_has(&cpus, 8) && htmm_cpus_has(&cpus, 65));
	CHECK(!htmm_cpus_has(&cpus, 4) && !htmm_cpus_has(&cpus, 66));
	CHECK(cpus.size == 16);

	CHECK(!htmm_cpus_parse(&cpus, "8191", NULL));
	CHECK(cpus.size == 1024 && htmm_cpus_has(&cpus, 8191) && !htmm_cpus_has(&cpus, 0));
}

static void test_cpus_bad(void)
{
	static const char *const bad[] = {
		"", ",", "1,", ",1", "a", "1-", "-1", "3-1", "1-2-3", "1 2", "0x1", "1..3",
	};
	struct htmm_cpus cpus;
	struct htmm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(refused(htmm_cpus_parse(&cpus, bad[i], &err), EINVAL, &err,
			      "is not a list of CPUs"));
	CHECK(refused(htmm_cpus_parse(&cpus, "8192", &err), ERANGE, &err, "too high"));
	CHECK(refused(htmm_cpus_parse(&cpus, "0-99999999999999999999", &err), ERANGE, &err,
		      "too high"));
}

static bool nearest(const char *word, const char *expected)
{
	static const char *const words[] = { "start", "stop", "status", "stats", "hist", "hot" };
	const char *found = htmm_nearest(word, words, 6);

	return expected ? found && !strcmp(found, expected) : !found;
}

static void test_nearest(void)
{
	char longest[200];

	CHECK(nearest("strat", "start"));
	CHECK(nearest("stpo", "stop"));
	CHECK(nearest("statu", "status"));
	CHECK(nearest("histogram", NULL));
	CHECK(nearest("hi", "hist"));
	CHECK(nearest("", NULL));
	CHECK(nearest("elephant", NULL));
	/* Two letters are wrong, and that is near enough. */
	CHECK(nearest("xtarx", "start"));
	memset(longest, 's', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK(nearest(longest, NULL));
}

static void test_error_prefix(void)
{
	struct htmm_error err;
	int i;

	CHECK(htmm_error_set(&err, EINVAL, "do", "it is %s", "wrong") == -EINVAL);
	htmm_error_prefix(&err, "%s: ", "here");
	CHECK(!strcmp(err.what, "here: it is wrong") && !strcmp(err.todo, "do"));
	for (i = 0; i < 100; i++)
		htmm_error_prefix(&err, "%s", "again and again: ");
	CHECK(strlen(err.what) == sizeof(err.what) - 1);
	CHECK(htmm_error_set(NULL, EPERM, NULL, "nobody reads this") == -EPERM);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_numbers),
		TAP_TEST(test_numbers_bad),
		TAP_TEST(test_numbers_range),
		TAP_TEST(test_sizes),
		TAP_TEST(test_sizes_bad),
		TAP_TEST(test_cpus),
		TAP_TEST(test_cpus_bad),
		TAP_TEST(test_nearest),
		TAP_TEST(test_error_prefix),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
