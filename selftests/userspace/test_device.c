// SPDX-License-Identifier: GPL-2.0
/*
 * What libhtmm says of each error of each call, and how the record stream is read; against calls
 * of the kernel that do what a test wants. With UPDATE=1, what it says becomes what is
 * expected: look at what changes.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "perfdata/stream.h"
#include "test.h"

#define EXPECTED	EXPECTED_DIR "/device_errors"

/* What the next call says; 0: it succeeds. */
static int code;
/* What the module says of it, and how many elements it has. */
static const char *told;
static __u32 has;
static int calls;
static union {
	struct htmm_start start;
	struct htmm_set set;
	struct htmm_add_target add;
	struct htmm_stats stats;
	struct htmm_placement placement;
	struct htmm_served served;
	struct htmm_feed feed;
	struct htmm_list_pages list;
	struct htmm_targets targets;
	struct htmm_stream stream;
	struct htmm_info info;
} asked;

static void tell(__u64 text, __u32 size)
{
	if (told)
		snprintf((char *)(unsigned long)text, size, "%s", told);
}

/* More than there is room for, at first. */
static void fill(unsigned long request, void *arg)
{
	if (request == HTMM_IOC_GET_STATS) {
		((struct htmm_stats *)arg)->nr_channels = has;
		((struct htmm_stats *)arg)->nr_events = has ? 2 : 0;
	}
	if (request == HTMM_IOC_GET_PLACEMENT)
		((struct htmm_placement *)arg)->nr_nodes = has;
	if (request == HTMM_IOC_GET_SERVED)
		((struct htmm_served *)arg)->nr_rows = has;
	if (request == HTMM_IOC_FEED)
		((struct htmm_feed *)arg)->nr_samples -=
			((struct htmm_feed *)arg)->nr_samples > has ? has :
			((struct htmm_feed *)arg)->nr_samples;
	if (request == HTMM_IOC_GET_TARGETS)
		((struct htmm_targets *)arg)->nr_targets = has;
	if (request == HTMM_IOC_LIST_PAGES && (__u32)calls > has)
		((struct htmm_list_pages *)arg)->nr_pages = 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	(void)fd;
	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	calls++;
	/* The size of each is its first member. */
	memcpy(&asked, arg, *(__u32 *)arg < sizeof(asked) ? *(__u32 *)arg : sizeof(asked));
	/* A signal came first. */
	if (calls == 1 && request != HTMM_IOC_STREAM) {
		errno = EINTR;
		return -1;
	}
	if (request == HTMM_IOC_START)
		tell(asked.start.error, asked.start.error_size);
	if (request == HTMM_IOC_SET)
		tell(asked.set.error, asked.set.error_size);
	if (request == HTMM_IOC_ADD_TARGET)
		tell(asked.add.error, asked.add.error_size);
	fill(request, arg);
	errno = code;
	return code ? -1 : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
	(void)path;
	(void)flags;
	errno = code;
	return -1;
}

long __wrap_syscall(long number, ...)
{
	(void)number;
	errno = code;
	return -1;
}

#define CALL(name, call)						\
	static int do_##name(struct htmm_error *err) { return call; }

static struct htmm_start start;
static struct htmm_set set;
static struct htmm_info info;
static struct htmm_target target;
static struct htmm_stats_buf stats;
static struct htmm_hit_ratio ratio;
static struct htmm_histogram hist;
static struct htmm_placement_buf placement;
static struct htmm_served_buf served;
static struct htmm_feed_sample fed[10];
static struct htmm_page_list pages;
static struct htmm_target_list targets;
static struct htmm_stream stream;
static struct htmm_event event;
static __u32 number;

CALL(open, htmm_device_open("/some/device", err))
CALL(start, htmm_device_start(3, &start, err))
CALL(stop, htmm_device_stop(3, 5, err))
CALL(set, htmm_device_set(3, &set, err))
CALL(pause, htmm_device_pause(3, 5, err))
CALL(resume, htmm_device_resume(3, 5, err))
CALL(reset, htmm_device_reset(3, 5, err))
CALL(info, htmm_device_info(3, &info, err))
CALL(stats, htmm_device_stats(3, &stats, err))
CALL(ratio, htmm_target_hit_ratio(3, 7, 0, 0, &ratio, err))
CALL(hist, htmm_target_hist(3, 7, 0, &hist, err))
CALL(placement, htmm_device_placement(3, 7, &placement, err))
CALL(served, htmm_device_served(3, 7, &served, err))
CALL(feed, htmm_device_feed(3, 5, 0, 1, fed, &(__u32) { 1 }, err))
CALL(pages, htmm_device_list_pages(3, &(struct htmm_list_pages) { .target = 7 }, 0, &pages, err))
CALL(placed, htmm_device_list_pages(3, &(struct htmm_list_pages) { .flags = 1 }, 0, &pages, err))
CALL(add, htmm_device_add_target(3, &target, &number, err))
CALL(remove, htmm_device_remove_target(3, 7, err))
CALL(cool, htmm_target_cool(3, 7, err))
CALL(targets, htmm_device_targets(3, &targets, err))
CALL(join, stream_join(3, 5, 4096, 0, err))
CALL(probe, htmm_event_probe_best(&event, err))

static const struct {
	const char *name;
	int (*call)(struct htmm_error *err);
	bool told;
} all[] = {
	{ "open", do_open }, { "start", do_start, true }, { "stop", do_stop },
	{ "set", do_set, true }, { "pause", do_pause, true },
	{ "resume", do_resume, true }, { "reset", do_reset }, { "info", do_info },
	{ "stats", do_stats }, { "ratio", do_ratio },
	{ "hist", do_hist }, { "placement", do_placement }, { "served", do_served },
	{ "feed", do_feed }, { "pages", do_pages }, { "placed", do_placed },
	{ "add", do_add, true }, { "remove", do_remove }, { "cool", do_cool },
	{ "targets", do_targets },
	{ "join", do_join }, { "probe", do_probe },
};

static const int codes[] = {
	EPERM, ENOENT, ESRCH, EIO, ENXIO, EBADF, ENOMEM, EACCES, EBUSY, EEXIST, ENODEV, EINVAL,
	ENOSPC, ERANGE, ENODATA, ENOTTY, EALREADY, EOPNOTSUPP, ESTALE, EUSERS,
};

static void say(FILE *file, unsigned int which, const char *text)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		struct htmm_error err = {};
		int ret;

		code = codes[i];
		told = text;
		has = 0;
		calls = 0;
		ret = all[which].call(&err);
		fprintf(file, "%s%s %d: %d %d %s; %s\n", all[which].name, text ? ", told" : "",
			code, ret, err.code, err.what, err.todo);
	}
}

static void test_errors(void)
{
	char *text = NULL, want[65536];
	FILE *file, *expected;
	unsigned int i;
	size_t size;

	file = open_memstream(&text, &size);
	CHECK(file);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		say(file, i, NULL);
		if (all[i].told)
			say(file, i, "event 0: as the module says.\n");
	}
	CHECK(!fclose(file));
	if (getenv("UPDATE")) {
		expected = fopen(EXPECTED, "we");
		CHECK(expected && fputs(text, expected) >= 0 && !fclose(expected));
	}
	expected = fopen(EXPECTED, "re");
	CHECK(expected);
	want[fread(want, 1, sizeof(want) - 1, expected)] = '\0';
	fclose(expected);
	for (i = 0; text[i] && text[i] == want[i]; i++)
		;
	if (text[i] != want[i])
		printf("# said: %.200s\n# not: %.200s\n", text + i, want + i);
	CHECK(text[i] == want[i]);
	free(text);
}

/* There is more than there was room for. */
static void test_room(void)
{
	struct htmm_error err = {};

	code = 0;
	calls = 0;
	has = 1000;
	CHECK(!htmm_device_stats(3, &stats, &err) && calls == 3);
	CHECK(asked.stats.nr_channels == 1000 && asked.stats.nr_events == 2);
	CHECK(asked.stats.size == sizeof(asked.stats) && stats.stats.nr_channels == 1000);
	CHECK(asked.stats.channel_size == sizeof(struct htmm_channel_info));
	CHECK(asked.stats.event_size == sizeof(struct htmm_event));
	memset(stats.channels, 1, 1000 * sizeof(*stats.channels));
	htmm_stats_free(&stats);
	calls = 0;
	has = 17;
	CHECK(!htmm_device_placement(3, 7, &placement, &err) && calls == 3);
	CHECK(asked.placement.target == 7 && asked.placement.nr_nodes == 17);
	memset(placement.nodes, 1, 17 * sizeof(*placement.nodes));
	htmm_placement_free(&placement);
	calls = 0;
	has = 16;
	CHECK(!htmm_device_placement(3, 7, &placement, &err) && calls == 2);
	htmm_placement_free(&placement);
	calls = 0;
	has = 8 * HTMM_MAX_EVENTS + 1;
	CHECK(!htmm_device_served(3, 9, &served, &err) && calls == 3);
	CHECK(asked.served.target == 9 && asked.served.nr_rows == has);
	memset(served.rows, 1, has * sizeof(*served.rows));
	htmm_served_free(&served);
	/* As many at a time as the module takes. */
	calls = 0;
	has = 3;
	number = 10;
	CHECK(!htmm_device_feed(3, 5, HTMM_FEED_FOREIGN, 1, fed, &number, &err) && calls == 5);
	CHECK(!number && asked.feed.session == 5);
	CHECK(asked.feed.event == 1 && asked.feed.flags == HTMM_FEED_FOREIGN);
	CHECK(asked.feed.samples == (unsigned long)&fed[9] && asked.feed.nr_samples == 1);
	calls = 0;
	has = HTMM_MAX_TARGETS + 1;
	CHECK(!htmm_device_targets(3, &targets, &err) && calls == 3 && targets.nr == has);
	memset(targets.target, 1, has * sizeof(*targets.target));
	htmm_targets_free(&targets);
}

/* A program that was built before the last member was added: nothing is written behind its own. */
static void test_older_program(void)
{
	struct htmm_stats_buf old;
	struct htmm_info known;
	struct htmm_error err = {};

	code = 0;
	calls = 0;
	has = 3;
	memset(&old, 7, sizeof(old));
	CHECK(!(htmm_device_stats)(3, &old, sizeof(old) - 8, &err));
	CHECK(asked.stats.size == sizeof(asked.stats) - 8 && old.stats.nr_channels == 3);
	htmm_stats_free(&old);
	CHECK(old.stats.cost_ppm == 0x07070707);
	memset(&known, 7, sizeof(known));
	CHECK(!(htmm_device_info)(3, &known, sizeof(known) - 8, &err));
	CHECK(asked.info.size == sizeof(known) - 8 && known.drain_pid == 0x07070707);
}

/* As many pages in a call as suit the order, until there are no more, or as many as wanted. */
static void test_pages(void)
{
	static const struct {
		__u32 order;
		size_t max;
		__u32 has;
		size_t nr;
		__u32 last;
	} cases[] = {
		{ HTMM_ORDER_HOTTEST, 0, 3, 2 * 262144, 262144 },
		{ HTMM_ORDER_HOTTEST, 262144, 9, 262144, 262144 },
		{ HTMM_ORDER_HOTTEST, 262145, 9, 262145, 1 },
		{ HTMM_ORDER_COLDEST, 5, 9, 5, 5 },
		{ HTMM_ORDER_TABLE, 0, 4, 4096 + 8192 + 16384, 32768 },
		{ HTMM_ORDER_TABLE, 4097, 9, 4097, 1 },
		{ HTMM_ORDER_TABLE, 0, 1, 0, 4096 },
	};
	struct htmm_error err = {};
	unsigned int i;

	code = 0;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct htmm_list_pages request = { .order = cases[i].order, .target = 7 };

		has = cases[i].has;
		calls = 0;
		CHECK(!htmm_device_list_pages(3, &request, cases[i].max, &pages, &err));
		CHECK(pages.nr == cases[i].nr && asked.list.nr_pages == cases[i].last);
		CHECK(asked.list.target == 7 && asked.list.size == sizeof(asked.list));
		if (pages.nr)
			memset(pages.pages, 1, pages.nr * sizeof(*pages.pages));
		htmm_pages_free(&pages);
	}
}

struct record {
	struct perf_event_header header;
	__u64 member[8];
};

/* No two members are equal. */
static struct record make_record(__u64 sample_type)
{
	struct record record = {
		.header = { .type = PERF_RECORD_SAMPLE },
		.member = { 101, 103, 107ULL << 32 | 109, 113, 127, 131, 137, 139 },
	};

	record.header.size = sizeof(record.header) + 8 * __builtin_popcountll(sample_type);
	return record;
}

static void test_samples(void)
{
	const __u64 all_members = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
		PERF_SAMPLE_DATA_SRC;
	struct record record = make_record(all_members);
	struct stream_sample sample;

	CHECK(!stream_sample(&record.header, all_members, &sample));
	CHECK(sample.id == 101 && sample.ip == 103 && sample.pid == 109 && sample.tid == 107);
	CHECK(sample.time == 113 && sample.addr == 127 && sample.cpu == 131);
	CHECK(sample.period == 137 && sample.data_src == 139);
	record.header.size -= 8;
	CHECK(stream_sample(&record.header, all_members, &sample) == -EINVAL);
	record.header.size += 16;
	CHECK(stream_sample(&record.header, all_members, &sample) == -EINVAL);
	record = make_record(all_members);
	record.header.type = PERF_RECORD_LOST;
	CHECK(stream_sample(&record.header, all_members, &sample) == -EINVAL);
	record = make_record(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR);
	CHECK(!stream_sample(&record.header, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR,
			     &sample));
	CHECK(sample.id == 101 && sample.addr == 103 && !sample.ip && !sample.pid && !sample.tid);
	CHECK(!sample.time && !sample.cpu && !sample.period && !sample.data_src);
}

/* Records that fill the buffer, and those that only seem to. */
static void test_next(void)
{
	struct record records[2] = { make_record(7), make_record(1) };
	const size_t bytes = sizeof(records[0]) + 16;
	size_t at = 0;

	records[0].header.size = sizeof(records[0]);
	CHECK(stream_next(records, bytes, &at) == &records[0].header);
	CHECK(at == sizeof(records[0]));
	CHECK(stream_next(records, bytes, &at) == &records[1].header && at == bytes);
	CHECK(!stream_next(records, bytes, &at) && at == bytes);
	at = sizeof(records[0]);
	CHECK(!stream_next(records, bytes - 1, &at));
	CHECK(!stream_next(records, at + 7, &at));
	records[1].header.size = 8;
	CHECK(stream_next(records, at + 8, &at) == &records[1].header);
	at = sizeof(records[0]);
	records[1].header.size = 7;
	CHECK(!stream_next(records, bytes, &at) && at == sizeof(records[0]));
}

static void test_stream(void)
{
	struct htmm_error err = {};
	char byte = 'x', got[4];
	int ends[2], i;

	code = 0;
	CHECK(!stream_join(3, 7, 8192, 4000, &err));
	CHECK(asked.stream.session == 7);
	CHECK(asked.stream.size == sizeof(asked.stream) && asked.stream.buffer_bytes == 8192);
	CHECK(asked.stream.watermark == 4000);
	memset(&stream, 1, sizeof(stream));
	CHECK(!stream_info(3, &stream, &err));
	for (i = 0; i < HTMM_MAX_EVENTS; i++)
		CHECK(!stream.ids[i]);
	CHECK(!asked.stream.buffer_bytes && !asked.stream.watermark);
	CHECK(!pipe2(ends, O_NONBLOCK | O_CLOEXEC));
	CHECK(stream_read(ends[0], got, sizeof(got), &err) == -EAGAIN && !err.code);
	CHECK(write(ends[1], &byte, 1) == 1 && stream_read(ends[0], got, 4, &err) == 1);
	CHECK(refused(stream_read(ends[1], got, 4, &err), EBADF, &err, "Bad file"));
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_errors),
		TAP_TEST(test_room),
		TAP_TEST(test_older_program),
		TAP_TEST(test_pages),
		TAP_TEST(test_samples),
		TAP_TEST(test_next),
		TAP_TEST(test_stream),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
