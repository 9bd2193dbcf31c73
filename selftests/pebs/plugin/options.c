// SPDX-License-Identifier: GPL-2.0
/* Options of the plugin. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define MAX_WAYS	64
#define MAX_STLB	1000000
#define MAX_NS		1000000

/* Reads "NUMBER[K|M|G]" up to @end, and steps over it. */
static bool parse_size(const char **text, char end, __u64 *value)
{
	const char *unit, units[] = "KMG";
	unsigned int shift = 0;
	char *p;

	errno = 0;
	*value = strtoull(*text, &p, 0);
	if (errno || p == *text || **text == '-')
		return false;
	unit = *p ? strchr(units, *p) : NULL;
	if (unit) {
		shift = 10 * (unit - units + 1);
		p++;
	}
	if (*value > ~0ULL >> shift || *p != end)
		return false;
	*value <<= shift;
	*text = p + 1;
	return true;
}

static bool parse_number(const char *text, __u32 least, __u32 most, __u32 *number)
{
	__u64 value;

	if (!parse_size(&text, '\0', &value) || value < least || value > most)
		return false;
	*number = value;
	return true;
}

static bool parse_ns(const char *text, __u32 *ns)
{
	return parse_number(text, 0, MAX_NS, ns);
}

static bool parse_bool(const char *text, bool *value)
{
	*value = *text == '1';
	return (*text == '0' || *text == '1') && !text[1];
}

static bool parse_range(const char *text, struct pebs_range *range)
{
	return parse_size(&text, '-', &range->start) &&
	       parse_size(&text, '\0', &range->end) &&
	       range->start < range->end;
}

/* The value of @option if its name is @name, or NULL. */
static const char *value_of(const char *option, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(option, name, len) && option[len] == '=' ?
	       option + len + 1 : NULL;
}

static bool parse_option(struct options *options, const char *option)
{
	const char *value;

	value = value_of(option, "llc");
	if (value)
		return parse_size(&value, '\0', &options->llc);
	value = value_of(option, "ways");
	if (value)
		return parse_number(value, 1, MAX_WAYS, &options->ways);
	value = value_of(option, "stlb");
	if (value)
		return parse_number(value, 0, MAX_STLB, &options->stlb);
	value = value_of(option, "remote");
	if (value)
		return parse_range(value, &options->remote);
	value = value_of(option, "pmem");
	if (value)
		return parse_range(value, &options->pmem);
	value = value_of(option, "hit_ns");
	if (value)
		return parse_ns(value, &options->latency.hit);
	value = value_of(option, "local_ns");
	if (value)
		return parse_ns(value, &options->latency.local);
	value = value_of(option, "remote_ns");
	if (value)
		return parse_ns(value, &options->latency.remote);
	value = value_of(option, "assist_ns");
	if (value)
		return parse_ns(value, &options->latency.assist);
	value = value_of(option, "ibs");
	if (value)
		return parse_bool(value, &options->ibs);
	value = value_of(option, "profile");
	if (value) {
		options->profile = value;
		return *value;
	}
	value = value_of(option, "truth");
	if (value) {
		options->truth = value;
		return *value;
	}
	value = value_of(option, "series");
	if (value) {
		options->series = value;
		return *value;
	}
	value = value_of(option, "misses");
	options->misses = value;
	return value && *value;
}

bool options_parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){ .llc = 2 << 20, .ways = 16, .stlb = 1536 };
	for (int i = 0; i < argc; i++) {
		if (parse_option(options, argv[i]))
			continue;
		fprintf(stderr, "pebs plugin: bad option '%s'; known are llc=SIZE, ways=N, ",
			argv[i]);
		fputs("stlb=N, remote=START-END, pmem=START-END, hit_ns=N, local_ns=N, ", stderr);
		fputs("remote_ns=N, assist_ns=N, ibs=0|1, profile=FILE, truth=FILE, ", stderr);
		fputs("series=FILE and misses=FILE\n", stderr);
		return false;
	}
	return true;
}
