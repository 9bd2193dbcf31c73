// SPDX-License-Identifier: GPL-2.0
/* The thread that reads ahead: all records, once and in order, whatever happens. */
#include <dirent.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "perfdata/decode_thread.h"
#include "perfdata/format.h"

/* Several times what the thread may have read that nobody took. */
#define RECORDS	(40 * PERFDATA_BATCH)
/* One in so many is no sample. */
#define OTHERS	1000

#define TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)
#define ID	100

/* A pipe's bytes. */
static struct {
	unsigned char bytes[4 << 20];
	size_t len;
} stream;

static struct perfdata_reader *reader;
static struct decode_thread *ahead;
static struct htmm_error err;
/* Bytes of the stream that were read for the batches so far. */
static u64 taken;

static void put(const void *bytes, size_t size)
{
	CHECK(stream.len + size <= sizeof(stream.bytes));
	memcpy(stream.bytes + stream.len, bytes, size);
	stream.len += size;
}

static void begin(void)
{
	const struct perfdata_pipe_header start = { PERFDATA_MAGIC, sizeof(start) };
	const struct {
		struct perf_event_header header;
		struct perf_event_attr attr;
		u64 id;
	} event = {
		{ PERFDATA_RECORD_ATTR, 0, sizeof(event) },
		{ .type = 4, .size = sizeof(event.attr), .sample_type = TYPE, .sample_id_all = 1 },
		ID,
	};

	stream.len = 0;
	put(&start, sizeof(start));
	put(&event, sizeof(event));
}

/* The record of that time: a sample, or now and then the name of a process. */
static void put_record(u64 time)
{
	const u64 sample[] = { ID, time, time << 12 };
	const struct {
		u32 pid;
		u32 tid;
		char comm[8];
		u64 time;
		u64 id;
	} comm = { time, time, "test", time, ID };
	const bool other = !(time % OTHERS);
	const size_t size = other ? sizeof(comm) : sizeof(sample);
	const struct perf_event_header header = {
		other ? PERF_RECORD_COMM : PERF_RECORD_SAMPLE, 0, sizeof(header) + size,
	};

	put(&header, sizeof(header));
	put(other ? (const void *)&comm : sample, size);
}

/* In pairs that are the wrong way round. */
static void put_all(u64 nr)
{
	const struct perf_event_header round = { PERFDATA_RECORD_FINISHED_ROUND, 0, sizeof(round) };
	u64 time;

	begin();
	for (time = 1; time <= nr; time += 2) {
		put_record(time + 1);
		put_record(time);
		if (time % 500 == 1)
			put(&round, sizeof(round));
	}
}

static void open_fd(int fd)
{
	memset(&err, 0, sizeof(err));
	taken = 0;
	CHECK(!perfdata_reader_open_fd(&reader, fd, &err));
	ahead = decode_thread_new(reader, &err);
	CHECK(ahead);
}

static void open_stream(void)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, stream.bytes, stream.len) == (ssize_t)stream.len);
	CHECK(!lseek(fd, 0, SEEK_SET));
	open_fd(fd);
}

static void close_all(void)
{
	decode_thread_free(ahead);
	perfdata_reader_close(reader);
}

/* Take a batch, which begins at @time, if there is one. Returns the time behind its last record. */
static u64 take_one(u64 time, int *ret)
{
	const struct perfdata_record_view *other;
	const struct perfdata_batch *batch;
	int i;

	*ret = decode_thread_next(ahead, &batch, &err);
	if (*ret <= 0)
		return time;
	CHECK(batch->nr > 0 && batch->nr <= PERFDATA_BATCH);
	CHECK(batch->status.offset >= taken && batch->status.offset <= stream.len);
	taken = batch->status.offset;
	for (i = 0; i < batch->nr; i++, time++) {
		CHECK(batch->sample[i].time == time);
		other = perfdata_other(&batch->sample[i]);
		CHECK(!other == !!(time % OTHERS));
		CHECK(other ? other->pid == time : batch->sample[i].addr == time << 12);
	}
	return time;
}

/* Take all records that there are, from @time on. Returns the time behind the last. */
static u64 take(u64 time, int *ret)
{
	do {
		time = take_one(time, ret);
	} while (*ret > 0);
	return time;
}

static void test_all(void)
{
	struct perfdata_status status;
	int ret;

	put_all(RECORDS);
	open_stream();
	CHECK(take(1, &ret) == RECORDS + 1 && !ret);
	perfdata_reader_status(reader, &status);
	CHECK(status.offset == stream.len && !status.late && !status.truncated);
	close_all();
}

static void test_nothing(void)
{
	int ret;

	begin();
	open_stream();
	CHECK(take(1, &ret) == 1 && !ret);
	close_all();
}

/* Files in a directory of this process: its threads, or what it has open. */
static int nr_of(const char *dir)
{
	DIR *entries = opendir(dir);
	int nr = 0;

	CHECK(entries);
	while (entries && readdir(entries))
		nr++;
	if (entries)
		closedir(entries);
	return nr;
}

/* A thread is seen for a moment after it was joined. */
static bool threads_are(int nr)
{
	int tries = 10000;

	while (nr_of("/proc/self/task") != nr && --tries)
		usleep(1000);
	return tries;
}

/*
 * It ends wherever the thread is: before it, waiting for room, or done. What was taken is right,
 * and no thread and no file is left.
 */
static void test_end_early(void)
{
	int threads = nr_of("/proc/self/task"), files = nr_of("/proc/self/fd");
	int round, i, ret;
	u64 time;

	put_all(RECORDS);
	for (round = 0; round < 50; round++) {
		open_stream();
		CHECK(nr_of("/proc/self/fd") == files + 1);
		time = 1;
		for (i = tap_below(30); i; i--) {
			time = take_one(time, &ret);
			CHECK(ret == 1);
		}
		usleep(tap_below(2000));
		close_all();
		CHECK(threads_are(threads) && nr_of("/proc/self/fd") == files);
	}
}

/* What was read before an error is handed over before the error is. */
static void test_error(void)
{
	const u64 nr = 2000;
	int fds[2], ret;

	put_all(nr);
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	CHECK(write(fds[1], stream.bytes, stream.len) == (ssize_t)stream.len);
	/* A peer that goes and has not read all resets the connection. */
	CHECK(write(fds[0], "", 1) == 1);
	close(fds[1]);
	open_fd(fds[0]);
	CHECK(take(1, &ret) > 1);
	CHECK(refused(ret, ECONNRESET, &err, "cannot read on"));
	close_all();
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_all),
		TAP_TEST(test_nothing),
		TAP_TEST(test_end_early),
		TAP_TEST(test_error),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
