// SPDX-License-Identifier: GPL-2.0
/*
 * Files made to take long: whatever they say, a record takes few steps. Steps are
 * counted, so that the machine's speed does not matter.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "perfdata/format.h"
#include "perfdata/notes.h"
#include "report/report.h"

#define TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)

static FILE *file;
static struct perfdata_reader *reader;
static struct report report;
static struct htmm_error err;

/* A file of one event, with ids; its records follow. */
static void begin(const u64 *ids, u32 nr)
{
	const struct perfdata_attr attr = {
		.attr = {
			.type = 4, .size = sizeof(attr.attr), .sample_type = TYPE,
			.sample_id_all = 1,
		},
		.ids = { sizeof(struct perfdata_header), nr * sizeof(*ids) },
	};
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC, .size = sizeof(header), .attr_size = sizeof(attr),
	};
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	header.attrs.offset = attr.ids.offset + attr.ids.size;
	header.attrs.size = sizeof(attr);
	header.data.offset = header.attrs.offset + sizeof(attr);
	file = fdopen(fd, "w+");
	fwrite(&header, sizeof(header), 1, file);
	fwrite(ids, sizeof(*ids), nr, file);
	fwrite(&attr, sizeof(attr), 1, file);
}

static void put_record(u32 type, const u64 *body, u32 nr)
{
	const struct perf_event_header header = { type, 0, sizeof(header) + nr * sizeof(*body) };

	fwrite(&header, sizeof(header), 1, file);
	fwrite(body, sizeof(*body), nr, file);
}

#define RECORD(type, ...) do {						\
	const u64 body[] = { __VA_ARGS__ };				\
	put_record(type, body, ARRAY_SIZE(body));			\
} while (0)

static u64 pair(u32 first, u32 second)
{
	return (u64)second << 32 | first;
}

static void put_mapping(u32 pid, u64 start, u64 len, const char *name)
{
	u64 text = 0;

	memcpy(&text, name, strlen(name));
	RECORD(PERF_RECORD_MMAP, pair(pid, pid), start, len, 0, text, pair(pid, pid), 0, 7);
}

static void put_sample(u64 id, u32 pid, u64 addr)
{
	RECORD(PERF_RECORD_SAMPLE, id, pair(pid, pid), 9, addr);
}

/* Read and report the file. */
static void read_all(void)
{
	const struct report_config config = {
		.store = { .max_bytes = 1 << 20, .capacity = 16, .cooling_period = 1 << 20 },
	};
	struct perfdata_sample sample;

	rewind(file);
	CHECK(!perfdata_reader_open_fd(&reader, dup(fileno(file)), &err));
	CHECK(!report_init(&report, &config, &err));
	while (perfdata_reader_read(reader, &sample, 1, &err) > 0) {
		report_feed(&report, &sample, 1);
		free(perfdata_other(&sample));
	}
	CHECK(!report_finish(&report, 10, &err));
}

static void end(void)
{
	report_free(&report);
	perfdata_reader_close(reader);
	fclose(file);
}

static const char *mapping_of(u32 pid, u64 addr)
{
	const int mapping = tasks_find(&report.tasks, tasks_space(&report.tasks, pid), addr);

	return report.tasks.mapping[mapping].name;
}

/*
 * 3.2 MB of ids that a hash without a secret puts in one place: multiplied by
 * 0x9e3779b97f4a7c15 they are 1, 2, 3, of which the upper halves are all 0.
 */
static void test_ids(void)
{
	const u32 nr = 400000;
	u64 *ids = malloc(nr * sizeof(*ids)), inverse = 1;
	const struct idmap *by_id;
	u32 i;

	for (i = 0; i < 6; i++)
		inverse *= 2 - 0x9e3779b97f4a7c15ULL * inverse;
	CHECK(inverse * 0x9e3779b97f4a7c15ULL == 1);
	for (i = 0; i < nr; i++)
		ids[i] = (i + 1) * inverse;
	begin(ids, nr);
	for (i = 0; i < nr; i += 1000)
		put_sample(ids[i], 1, 0x1000);
	read_all();
	by_id = &perfdata_reader_events(reader)->by_id;
	CHECK(by_id->nr == nr && by_id->steps < 10 * nr);
	CHECK(report.counts.samples == nr / 1000);
	end();
	free(ids);
}

/* The same of pids. */
static void test_pids(void)
{
	const u32 nr = 100000;
	u32 i;

	begin(&(u64){ 7 }, 1);
	for (i = 0; i < nr; i++)
		put_sample(7, (i + 1) << 15, 0x1000);
	read_all();
	CHECK(report.counts.samples == nr && report.tasks.by_pid.steps < 10 * nr &&
	      report.tasks.by_mapping.steps < 10 * nr);
	end();
}

/* Mappings in descending order. */
static void test_mappings(void)
{
	const u32 nr = 400000;
	u32 i;

	begin(&(u64){ 7 }, 1);
	for (i = nr; i; i--)
		put_mapping(1, i * 0x2000ULL, 0x1000, "a");
	put_sample(7, 1, nr / 2 * 0x2000ULL);
	read_all();
	CHECK(report.tasks.vmas.used == nr && report.tasks.vmas.steps < 100ULL * nr);
	CHECK(!report.tasks.left_out && !strcmp(mapping_of(1, nr / 2 * 0x2000ULL), "a"));
	end();
}

/* A process with many mappings has children that each change one of them and exit. */
static void test_children(void)
{
	const u32 mappings = 100000, children = 100000;
	u32 i;

	begin(&(u64){ 7 }, 1);
	for (i = 0; i < mappings; i++)
		put_mapping(1, i * 0x2000ULL, 0x1000, "a");
	for (i = 2; i < children; i++) {
		RECORD(PERF_RECORD_FORK, pair(i, 1), pair(i, 1), 0, pair(i, i), 0, 7);
		put_mapping(i, 0x8000, 0x1000, "b");
		RECORD(PERF_RECORD_EXIT, pair(i, 1), pair(i, 1), 0, pair(i, i), 0, 7);
	}
	put_sample(7, 1, 0x8000);
	read_all();
	CHECK(report.tasks.vmas.used == mappings && !report.tasks.left_out);
	CHECK(report.tasks.vmas.steps < 200ULL * (mappings + children));
	CHECK(!strcmp(mapping_of(1, 0x8000), "a"));
	end();
}

/* A command line of very many words. */
static void test_words(void)
{
	const u32 nr = 200000;
	struct perfdata_events events = {};
	struct perfdata_notes notes = {};
	char *section = malloc(4 + 5 * nr);
	u32 i, len = 1;

	memcpy(section, &nr, sizeof(nr));
	for (i = 0; i < nr; i++) {
		memcpy(section + 4 + 5 * i, &len, sizeof(len));
		section[4 + 5 * i + 4] = 'a' + i % 26;
	}
	perfdata_notes_add(&notes, &events, PERFDATA_CMDLINE, section, 4 + 5 * nr);
	CHECK(strlen(notes.cmdline) == 2 * nr - 1 && !strncmp(notes.cmdline, "a b c ", 6));
	perfdata_notes_free(&notes);
	free(section);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_ids),
		TAP_TEST(test_pids),
		TAP_TEST(test_mappings),
		TAP_TEST(test_children),
		TAP_TEST(test_words),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
