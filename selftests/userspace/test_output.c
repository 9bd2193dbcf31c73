// SPDX-License-Identifier: GPL-2.0
/* What htmmctl prints, piece by piece. */
#include "htmmctl/output.h"
#include "test.h"

/* What a name of bytes becomes in JSON. */
static bool name_becomes(const char *name, const char *expected)
{
	struct json_object *obj = json_object_new_object();
	bool same;

	json_add_name(obj, "name", name);
	same = !strcmp(json_object_get_string(json_object_object_get(obj, "name")), expected);
	json_object_put(obj);
	return same;
}

#define BAD "\xef\xbf\xbd"

/* The first and the last character of each length stay; what is beside them is none. */
static void test_names(void)
{
	static const char *const good[] = {
		"", "\x01", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
		"\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
		"a\xc3\xa9z",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		CHECK(name_becomes(good[i], good[i]));
	CHECK(name_becomes("a\x80z", "a" BAD "z"));
	CHECK(name_becomes("\xc1\xbf", BAD BAD));
	CHECK(name_becomes("\xc2", BAD) && name_becomes("\xdfz", BAD "z"));
	CHECK(name_becomes("\xe0\x9f\xbf", BAD BAD BAD) && name_becomes("\xe1\x80", BAD BAD));
	CHECK(name_becomes("\xed\xa0\x80", BAD BAD BAD));
	CHECK(name_becomes("\xf0\x8f\xbf\xbf", BAD BAD BAD BAD));
	CHECK(name_becomes("\xf4\x90\x80\x80", BAD BAD BAD BAD));
	CHECK(name_becomes("\xf5\x80\x80\x80", BAD BAD BAD BAD));
	CHECK(name_becomes("\xf1\x80\x80", BAD BAD BAD) && name_becomes("\xff", BAD));
}

/* What a terminal gets of @name. */
static bool prints(const char *name, const char *expected)
{
	char *got = NULL;
	size_t len;
	FILE *file = open_memstream(&got, &len);
	bool same;

	out_name(file, name);
	fclose(file);
	same = !strcmp(got, expected);
	free(got);
	return same;
}

/* No name makes a terminal do something. */
static void test_terminal(void)
{
	/* Two, two, three and four bytes, which end as control characters do. */
	static const char others[] = "\xc2\xa0\xc3\x9b\xe2\x82\x9b\xf0\x9f\x90\x9b";

	CHECK(prints("\x1b[2J\x7f\n", "?[2J??"));
	CHECK(prints("a\xc2\x80\xc2\x9b[\xc2\x9fz", "a????[??z"));
	CHECK(prints("\x9b\xff\xc2", "???"));
	CHECK(prints(others, others));
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_names),
		TAP_TEST(test_terminal),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
