// SPDX-License-Identifier: GPL-2.0
/*
 * What users and files give, changed at random: it is read or refused with a sentence, under
 * sanitizers. The inputs to begin with are in corpus/; what made a fault is added to them.
 * SEED=N repeats a run, RUNS=N is the number of changes of each input.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include "fuzz_perfdata.c"

#define INPUT_MAX	16384

static unsigned char input[INPUT_MAX], changed[INPUT_MAX + 64];

/* Changes 1 to 4 places; returns the new size. */
static size_t change(size_t size)
{
	static const u64 numbers[] = { 0, 1, 7, 8, 0x7f, 0xff, 0xffff, ~0U, 1ULL << 63, ~0ULL };
	int times = 1 + tap_below(4);
	size_t at, len;
	u64 number;

	memcpy(changed, input, size);
	while (times-- && size) {
		at = tap_below(size);
		len = 1 + tap_below(8);
		len = len < size - at ? len : size - at;
		switch (tap_below(5)) {
		case 0:
			changed[at] ^= 1 << tap_below(8);
			break;
		case 1:
			number = numbers[tap_below(ARRAY_SIZE(numbers))];
			memcpy(changed + at, &number, len);
			break;
		case 2:
			memmove(changed + at, changed + at + len, size - at - len);
			size -= len;
			break;
		case 3:
			if (size + len > INPUT_MAX)
				break;
			memmove(changed + at + len, changed + at, size - at);
			size += len;
			break;
		default:
			memmove(changed + at, changed + tap_below(size - len + 1), len);
		}
	}
	return size;
}

/* Read, or refused with a sentence. */
static bool told(int ret, const struct htmm_error *err)
{
	return ret ? ret < 0 && err->code == -ret && *err->what : true;
}

static void read_text(const char *text)
{
	struct htmm_event_list list = {};
	struct htmm_error err = {};
	struct htmm_cpus cpus;
	__s64 value = 0;
	__u32 i;
	int ret;

	ret = htmm_events_parse(&list, text, "/nonexistent", &err);
	CHECK(told(ret, &err));
	CHECK(list.nr <= HTMM_MAX_EVENTS && (ret || list.nr));
	for (i = 0; i < list.nr; i++)
		CHECK(*list.event[i].name && list.event[i].precise_ip <= 3);
	ret = htmm_parse_number(text, -5, 1000003, &value, &err);
	CHECK(told(ret, &err) && (ret || (value >= -5 && value <= 1000003)));
	ret = htmm_parse_size(text, 4096, LLONG_MAX, &value, &err);
	CHECK(told(ret, &err) && (ret || value >= 4096));
	ret = htmm_cpus_parse(&cpus, text, &err);
	CHECK(told(ret, &err) && (ret || (cpus.size && cpus.size <= sizeof(cpus.bits))));
}

static void test_words(void)
{
	char path[PATH_MAX + 32], line[256];
	unsigned int i, lines = 0;
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "%s/events", CORPUS_DIR);
	file = fopen(path, "re");
	CHECK(file);
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		read_text(line);
		lines++;
		for (i = 0; i < tap_env("RUNS", 100); i++) {
			size = strlen(line);
			memcpy(input, line, size);
			changed[change(size)] = '\0';
			read_text((char *)changed);
		}
	}
	CHECK(lines >= 10);
	if (file)
		fclose(file);
}

static bool read_input(const char *name, size_t *size)
{
	char path[PATH_MAX + 300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/perfdata/%s", CORPUS_DIR, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	*size = fread(input, 1, sizeof(input), file);
	fclose(file);
	return *size && *size < sizeof(input);
}

/* The same bytes as a file and, with the mark of one, as a pipe. */
static void test_perfdata(void)
{
	char path[PATH_MAX + 32];
	struct dirent *entry;
	unsigned int i, files = 0;
	size_t size;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/perfdata", CORPUS_DIR);
	dir = opendir(path);
	CHECK(dir);
	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		CHECK(read_input(entry->d_name, &size));
		fuzz_one_input(input, size);
		files++;
		for (i = 0; i < tap_env("RUNS", 30); i++)
			fuzz_one_input(changed, change(size));
	}
	CHECK(files >= 4);
	if (dir)
		closedir(dir);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_words),
		TAP_TEST(test_perfdata),
	};

	setenv("LIBPFM_FORCE_PMU", "clx", 1);
	setenv("HTMM_CPUID", "GenuineIntel-6-55-7", 1);
	return tap_main(tests, ARRAY_SIZE(tests));
}
