// SPDX-License-Identifier: GPL-2.0
/* The reader of perf.data against bytes made by hand, good and bad. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "perfdata/format.h"
#include "perfdata/reader.h"
#include "perfdata/zstd.inc"

#define TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	      PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC)

/* A file in the making. */
static struct {
	unsigned char bytes[512 * 1024];
	size_t len;
	size_t data;
} file;

static void put(const void *bytes, size_t size)
{
	CHECK(file.len + size <= sizeof(file.bytes));
	memcpy(file.bytes + file.len, bytes, size);
	file.len += size;
}

static void put64(u64 value)
{
	put(&value, sizeof(value));
}

/* A record whose body is some numbers. */
static void put_record(u32 type, u32 misc, const u64 *body, size_t nr)
{
	struct perf_event_header header = { type, misc, sizeof(header) + nr * 8 };

	put(&header, sizeof(header));
	put(body, nr * 8);
}

#define RECORD(type, misc, ...) do {					\
	const u64 body[] = { __VA_ARGS__ };				\
	put_record(type, misc, body, ARRAY_SIZE(body));			\
} while (0)

static u64 pair(u32 first, u32 second)
{
	return (u64)second << 32 | first;
}

/* The sample numbered @n. */
static void put_sample(u64 id, u64 time, u64 n)
{
	RECORD(PERF_RECORD_SAMPLE, 2, id, 0x400000 + n, pair(10, 11), time, n << 12, n % 4, 3,
	       0x68100142);
}

static void put_round(void)
{
	struct perf_event_header header = { PERFDATA_RECORD_FINISHED_ROUND, 0, 8 };

	put(&header, sizeof(header));
}

static struct perf_event_attr attr_of(u64 type)
{
	return (struct perf_event_attr) {
		.type = 4, .size = sizeof(struct perf_event_attr), .config = 0x1d3,
		.sample_type = type, .sample_id_all = 1,
	};
}

/* Header and events; event n has the ids 100 + n and 200 + n. */
static void begin(unsigned int events, u64 type)
{
	struct perfdata_header header = { PERFDATA_MAGIC, sizeof(header) };
	unsigned int i;

	file.len = 0;
	header.attr_size = sizeof(struct perfdata_attr);
	header.attrs.offset = sizeof(header) + events * 16;
	header.attrs.size = events * sizeof(struct perfdata_attr);
	header.data.offset = header.attrs.offset + header.attrs.size;
	put(&header, sizeof(header));
	for (i = 0; i < events; i++) {
		put64(100 + i);
		put64(200 + i);
	}
	for (i = 0; i < events; i++) {
		struct perfdata_attr attr = {
			attr_of(type), { sizeof(header) + i * 16, 16 },
		};

		put(&attr, sizeof(attr));
	}
	file.data = file.len;
}

static struct perfdata_header *header_of(void)
{
	return (void *)file.bytes;
}

static void finish(void)
{
	header_of()->data.size = file.len - file.data;
}

static void begin_pipe(unsigned int events)
{
	struct perf_event_attr attr = attr_of(TYPE);
	struct perfdata_pipe_header start = { PERFDATA_MAGIC, sizeof(start) };
	struct perf_event_header header = { PERFDATA_RECORD_ATTR, 0,
					    sizeof(header) + sizeof(attr) + 16 };
	unsigned int i;

	file.len = 0;
	put(&start, sizeof(start));
	for (i = 0; i < events; i++) {
		put(&header, sizeof(header));
		put(&attr, sizeof(attr));
		put64(100 + i);
		put64(200 + i);
	}
	file.data = file.len;
}

static struct perfdata_reader *reader;
static struct perfdata_record_view view;
static struct perfdata_status status;
static struct htmm_error err;

static int open_bytes(size_t len)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, file.bytes, len) == (ssize_t)len && !lseek(fd, 0, SEEK_SET));
	memset(&err, 0, sizeof(err));
	return perfdata_reader_open_fd(&reader, fd, &err);
}

/* The event that has an id. */
static int event_of(u64 id)
{
	return perfdata_events_find(perfdata_reader_events(reader), id);
}

/* Reads the next record to the view, whose name is valid until the next call. */
static int next(void)
{
	static struct perfdata_sample last;
	const struct perfdata_record_view *other;
	int ret;

	free(perfdata_other(&last));
	last = (struct perfdata_sample) {};
	ret = perfdata_reader_read(reader, &last, 1, &err);
	if (ret <= 0)
		return ret;
	other = perfdata_other(&last);
	view = other ? *other : (struct perfdata_record_view) {
		.type = PERF_RECORD_SAMPLE, .pid = last.pid, .tid = ~0U, .time = last.time,
		.addr = last.addr, .period = last.period, .data_src = last.data_src,
	};
	return ret;
}

/* Read to the end; how many samples there are. */
static int count_samples(void)
{
	int nr = 0, ret;

	while ((ret = next()) > 0)
		nr += view.type == PERF_RECORD_SAMPLE;
	CHECK(!ret);
	perfdata_reader_status(reader, &status);
	perfdata_reader_close(reader);
	return nr;
}

static void test_sample(void)
{
	begin(2, TYPE);
	put_sample(201, 50, 7);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(next() == 1);
	CHECK(view.type == PERF_RECORD_SAMPLE && view.pid == 10 && view.time == 50);
	CHECK(view.addr == 0x7000 && view.period == 3);
	CHECK(view.data_src == 0x68100142);
	CHECK(count_samples() == 0);
	CHECK(!status.truncated && !status.damaged && !status.malformed && status.records == 1);
}

/* As of perf mem record: a weight, which is of no use here, before the data source. */
static void test_weight(void)
{
	begin(1, TYPE | PERF_SAMPLE_WEIGHT);
	RECORD(PERF_RECORD_SAMPLE, 2, 100, 0x400007, pair(10, 11), 50, 0x7000, 1, 3, 321,
	       0x68100142);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(next() == 1 && view.period == 3 && view.data_src == 0x68100142);
	CHECK(count_samples() == 0 && !status.malformed);
}

/* What has a size of its own is passed over on the way to the data source. */
static void test_variable_members(void)
{
	const u64 type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_READ |
			 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
			 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
			 PERF_SAMPLE_DATA_SRC;
	struct perfdata_attr *attr;
	u64 good = 0, lie;

	begin(1, type);
	attr = (void *)(file.bytes + header_of()->attrs.offset);
	attr->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
				 PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr->attr.sample_regs_user = 0x7;
	RECORD(PERF_RECORD_SAMPLE, 0, pair(1, 1), 5, 0xa000,
	       2, 99, 1, 100, 2, 200,		/* two counters */
	       3, 0x1, 0x2, 0x3,		/* call chain */
	       pair(12, 0), 0,			/* raw: 12 bytes behind its size */
	       1, 0x1, 0x2, 0x3,		/* one branch */
	       1, 0x1, 0x2, 0x3,		/* three registers */
	       16, 0x1, 0x2, 16,		/* stack, and how much of it counts */
	       77, 0xbeef);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(next() == 1 && view.addr == 0xa000 && view.data_src == 0xbeef && view.period == 1);
	count_samples();

	/* Any of these numbers may lie: the sample is left out, or means something else. */
	for (lie = 0; lie < 27; lie++) {
		u64 *at = (u64 *)(file.bytes + file.data + 8) + lie, before = *at;

		*at = 0xffffffffffff0000ULL + lie;
		CHECK(!open_bytes(file.len));
		good += count_samples();
		*at = before;
	}
	CHECK(good >= 3 && good < 27);
}

/* What a counter has lost, and the index of a branch in its CPU's buffer. */
static void test_optional_members(void)
{
	struct perfdata_attr *attr;

	begin(1, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_READ |
		 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC);
	attr = (void *)(file.bytes + header_of()->attrs.offset);
	attr->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr->attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX;
	RECORD(PERF_RECORD_SAMPLE, 0, pair(1, 1), 5, 0xa000,
	       99, 100, 7,			/* count, id, lost */
	       1, 55, 0x1, 0x2, 0x3,		/* one branch, and the index */
	       0xbeef);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(next() == 1 && view.data_src == 0xbeef);
	CHECK(count_samples() == 0 && !status.malformed);
}

/* So many that their bytes are few again in 64 bits. */
static void test_array_of_all_memory(void)
{
	begin(1, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN |
		 PERF_SAMPLE_DATA_SRC);
	RECORD(PERF_RECORD_SAMPLE, 0, pair(1, 1), 5, 0xa000, (1ULL << 61) + 1, 7, 0xbeef);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(count_samples() == 0 && status.malformed == 1);
}

static void test_others(void)
{
	struct perfdata_mmap2 mmap = {
		.header = { .type = PERF_RECORD_MMAP2,
			    .size = offsetof(struct perfdata_mmap2, filename) + 8 + 32 },
		.pid = 5, .tid = 6, .start = 0x1000, .len = 0x2000, .pgoff = 0x3000,
	};
	const u64 trailer[] = { pair(5, 6), 60, 2, 100 };

	begin(2, TYPE);
	put(&mmap, offsetof(struct perfdata_mmap2, filename));
	put("/a/file", 8);
	put(trailer, sizeof(trailer));
	RECORD(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, pair(5, 5), 0x656d616e /* name */,
	       pair(5, 5), 61, 2, 100);
	RECORD(PERF_RECORD_FORK, 0, pair(8, 5), pair(8, 5), 62, pair(5, 5), 62, 2, 100);
	RECORD(PERF_RECORD_LOST, 0, 100, 12, pair(5, 5), 63, 2, 100);
	RECORD(PERF_RECORD_THROTTLE, 0, 64, 100, 100, pair(5, 5), 64, 2, 100);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(next() == 1 && view.type == PERF_RECORD_MMAP2 && view.pid == 5 && view.tid == 6);
	CHECK(view.addr == 0x1000 && view.len == 0x2000 && view.pgoff == 0x3000);
	CHECK(view.name_len == 7 && !memcmp(view.name, "/a/file", 7) && view.time == 60);
	CHECK(next() == 1 && view.type == PERF_RECORD_COMM && view.pid == 5);
	CHECK(view.name_len == 4 && !memcmp(view.name, "name", 4) && view.time == 61);
	CHECK(next() == 1 && view.type == PERF_RECORD_FORK && view.pid == 8 && view.ppid == 5);
	CHECK(next() == 1 && view.type == PERF_RECORD_LOST && view.lost == 12);
	CHECK(next() == 1 && view.type == PERF_RECORD_THROTTLE);
	count_samples();
}

/* Rounds of several CPUs come out in order of time, whatever their order in the file. */
static void test_ordered_events(void)
{
	const int rounds = 20, cpus = 5, each = 40;
	int round, cpu, i, nr = 0;
	u64 last = 0;

	begin(1, TYPE);
	for (round = 0; round < rounds; round++) {
		for (cpu = 0; cpu < cpus; cpu++)
			for (i = 0; i < each; i++)
				/* One CPU's is half a round behind the others. */
				put_sample(100, 1000 + (round * each + i) * 10 +
					   tap_below(10) - (cpu ? 0 : each * 5), nr++);
		put_round();
	}
	finish();
	CHECK(!open_bytes(file.len));
	for (i = 0; i < nr; i++) {
		CHECK(next() == 1);
		CHECK(view.time >= last);
		last = view.time;
	}
	CHECK(count_samples() == 0 && !status.late);
}

static void test_ids(void)
{
	begin(3, TYPE);
	put_sample(102, 1, 1);
	put_sample(200, 2, 2);
	put_sample(999, 3, 3);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(event_of(102) == 2 && event_of(200) == 0 && event_of(999) == -ENOENT);
	CHECK(next() == 1 && view.addr == 0x1000);
	CHECK(next() == 1 && view.addr == 0x2000);
	CHECK(count_samples() == 0 && status.unknown == 1);
}

/* A killed writer leaves a file cut anywhere, without the size of its data. */
static void test_cut(void)
{
	size_t len, whole;

	begin(1, TYPE);
	for (len = 0; len < 20; len++)
		put_sample(100, len + 1, len);
	for (len = file.data; len <= file.len; len++) {
		whole = (len - file.data) / 72;
		CHECK(!open_bytes(len));
		CHECK(count_samples() == (int)whole && status.truncated && !status.damaged);
	}
	/* Said to be longer than it is, or shorter. */
	header_of()->data.size = ~0ULL;
	CHECK(!open_bytes(file.len) && count_samples() == 20 && status.truncated);
	header_of()->data.size = 10 * 72;
	CHECK(!open_bytes(file.len) && count_samples() == 10 && !status.truncated);
	/* All of it is there, but a record reaches beyond the end: that is no unfinished file. */
	header_of()->data.size = 10 * 72 - 8;
	CHECK(!open_bytes(file.len) && count_samples() == 9 && status.damaged && !status.truncated);
	/* The header itself is cut. */
	for (len = 0; len < file.data; len++)
		CHECK(open_bytes(len) < 0 && err.what[0]);
}

static void test_pipe(void)
{
	int fds[2];

	begin_pipe(2);
	put_sample(101, 5, 1);
	put_sample(200, 6, 2);
	CHECK(!pipe(fds) && write(fds[1], file.bytes, file.len) == (ssize_t)file.len);
	close(fds[1]);
	CHECK(!perfdata_reader_open_fd(&reader, fds[0], &err));
	CHECK(next() == 1 && view.addr == 0x1000 && next() == 1 && view.addr == 0x2000);
	CHECK(event_of(101) == 1 && event_of(200) == 0);
	CHECK(count_samples() == 0 && !status.size);
	/* An event whose size does not fit in its record, and one without a size. */
	begin_pipe(1);
	RECORD(PERFDATA_RECORD_ATTR, 0, pair(4, 200), 1, 2, 3, 4, 5, 6, 7, 300);
	RECORD(PERFDATA_RECORD_ATTR, 0, pair(4, 64));
	put_sample(100, 5, 1);
	CHECK(!open_bytes(file.len));
	CHECK(next() == 1 && view.addr == 0x1000 && event_of(300) < 0);
	CHECK(count_samples() == 0 && status.malformed == 2);
	/* A file cannot be read from a pipe: its events are at its end. */
	begin(1, TYPE);
	finish();
	CHECK(!pipe(fds) && write(fds[1], file.bytes, file.len) == (ssize_t)file.len);
	close(fds[1]);
	CHECK(refused(perfdata_reader_open_fd(&reader, fds[0], &err), EINVAL, &err, "from a pipe"));
}

static void test_not_ours(void)
{
	begin(1, TYPE);
	header_of()->magic = PERFDATA_MAGIC_SWAPPED;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "other byte order"));
	header_of()->magic = 0x454c494646524550ULL;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "first version"));
	header_of()->magic = 42;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "no perf.data"));
	header_of()->magic = PERFDATA_MAGIC;
	CHECK(refused(open_bytes(0), EINVAL, &err, "empty"));
	header_of()->size = 100;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "100 bytes"));
	header_of()->size = sizeof(struct perfdata_header);
	header_of()->attr_size = 8;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "8 bytes each"));
	header_of()->attr_size = sizeof(struct perfdata_attr);
	header_of()->attrs.size = 0;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "no events"));
	header_of()->attrs.size = ~0ULL;
	CHECK(open_bytes(file.len) < 0);
	header_of()->attrs.size = sizeof(struct perfdata_attr);
	header_of()->data.offset = file.len + 1;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "behind its end"));
	header_of()->data.offset = 0;
	CHECK(open_bytes(file.len) < 0);
	begin(1, TYPE);
	((struct perfdata_attr *)(file.bytes + header_of()->attrs.offset))->ids.offset = ~0ULL;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "ids of its events"));
}

/* Events whose records cannot be told apart are refused, not guessed. */
static void test_mixed_events(void)
{
	struct perfdata_attr *attr;

	begin(2, TYPE);
	attr = (void *)(file.bytes + header_of()->attrs.offset);
	attr[1].attr.sample_type = TYPE & ~PERF_SAMPLE_IDENTIFIER;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "do not say"));
	/* Nor with ids in none: what is an address in one is a CPU in the other. */
	attr[0].attr.sample_type = TYPE & ~PERF_SAMPLE_IDENTIFIER;
	attr[1].attr.sample_type = TYPE & ~(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR);
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "do not say"));
	/* Nor with ids that are not in the same place in records that are no samples. */
	attr[0].attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
	attr[1].attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "do not say"));
	attr[1].attr.sample_type = attr[0].attr.sample_type;
	attr[1].attr.sample_id_all = 0;
	CHECK(refused(open_bytes(file.len), EINVAL, &err, "do not say"));
	attr[0].attr.sample_type = TYPE;
	attr[1].attr.sample_id_all = 1;
	/* With an id first in each, the rest may differ. */
	attr[1].attr.sample_type = TYPE & ~PERF_SAMPLE_CPU;
	put_sample(100, 1, 1);
	RECORD(PERF_RECORD_SAMPLE, 2, 101, 0x400000, pair(10, 11), 2, 0x9000, 3, 0x1);
	/* Who and when are where the event of the record has them. */
	RECORD(PERF_RECORD_THROTTLE, 0, 3, 101, 101, pair(5, 6), 3, 101);
	RECORD(PERF_RECORD_THROTTLE, 0, 4, 100, 100, pair(7, 8), 4, 2, 100);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(next() == 1 && view.addr == 0x1000 && view.period == 3 &&
	      view.data_src == 0x68100142);
	CHECK(next() == 1 && view.addr == 0x9000 && view.period == 3 && view.data_src == 0x1);
	CHECK(next() == 1 && view.pid == 5 && view.tid == 6 && view.time == 3);
	CHECK(next() == 1 && view.pid == 7 && view.tid == 8 && view.time == 4);
	count_samples();
}

/* Records shorter than their type are left out; a size that cannot be ends the file. */
static void test_malformed(void)
{
	size_t size;
	u32 type;

	begin(1, TYPE);
	for (type = 0; type < 90; type++) {
		for (size = 0; size < 9; size++) {
			u64 zeroes[9] = {};

			put_record(type, 0, zeroes, size);
		}
	}
	put_sample(100, 9, 1);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(count_samples() >= 1 && status.malformed > 30);

	/* A sample that lacks its last members, however few. */
	begin(1, TYPE);
	for (size = 0; size < 8; size++) {
		const u64 body[] = { 100, 0x400000, pair(1, 1), 5, 0x1000, 0, 1, 0 };

		put_record(PERF_RECORD_SAMPLE, 0, body, size);
	}
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(count_samples() == 0 && status.malformed == 8);

	begin(1, TYPE);
	put_sample(100, 9, 1);
	put64(0x0004000000000009ULL);	/* a record of 4 bytes */
	put_sample(100, 10, 2);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(count_samples() == 1 && status.damaged);
	CHECK(status.offset == file.data + 72);
}

static void test_aux(void)
{
	begin(1, TYPE);
	put_sample(100, 1, 1);
	RECORD(PERFDATA_RECORD_AUXTRACE, 0, 24, 0, 0, 0, 0);
	put64(~0ULL);
	put64(~0ULL);
	put64(~0ULL);
	put_sample(100, 2, 2);
	/* 13 bytes, and three up to the next multiple of eight. */
	RECORD(PERFDATA_RECORD_TRACING_DATA, 0, 13);
	put64(~0ULL);
	put64(~0ULL);
	put_sample(100, 3, 3);
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(count_samples() == 3 && !status.damaged && !status.truncated);
}

/* Compressed records may end in the midst of what they contain, but not the last one. */
static void test_compressed(void)
{
	static unsigned char plain[256 * 1024];
	struct perf_event_header header = { .type = PERFDATA_RECORD_COMPRESSED };
	zstd_cctx *zstd = zstd_create_cctx();
	size_t len, at, step = 0, last = 0;
	char packed[4096];
	int i;

	begin(1, TYPE);
	for (i = 0; i < 500; i++)
		put_sample(100, i + 1, i);
	len = file.len - file.data;
	memcpy(plain, file.bytes + file.data, len);
	file.len = file.data;
	for (at = 0; at < len; at += step) {
		zstd_in_buffer from = { plain + at, step = 1 + tap_below(1000), 0 };
		zstd_out_buffer to = { packed, sizeof(packed), 0 };

		if (step > len - at)
			step = len - at;
		from.size = step;
		CHECK(!zstd_compress_stream(zstd, &to, &from, ZSTD_e_flush));
		header.size = sizeof(header) + to.pos;
		last = file.len;
		put(&header, sizeof(header));
		put(packed, to.pos);
	}
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(count_samples() == 500 && !status.damaged && !status.truncated);
	/* The size of a sample is 72, so one is cut unless the others have whole ones. */
	at = file.len;
	file.len = last;
	finish();
	CHECK(!open_bytes(file.len));
	CHECK(count_samples() == (int)(len - step) / 72 && !status.damaged);
	CHECK(status.truncated == ((len - step) % 72 != 0));
	file.len = at;
	finish();
	file.bytes[file.data + 9] ^= 0xff;
	CHECK(!open_bytes(file.len));
	CHECK(count_samples() == 0 && status.damaged);
	zstd_free_cctx(zstd);
}

/* A period has no bounds in a file; that of a sample does. */
static void test_periods(void)
{
	const u64 period[] = { 0, 1, ~0U - 1ULL, ~0U, 1ULL << 32, ~0ULL };
	const u32 said[] = { 1, 1, ~0U - 1, ~0U, ~0U, ~0U };
	size_t i;

	begin(1, TYPE);
	for (i = 0; i < ARRAY_SIZE(period); i++)
		RECORD(PERF_RECORD_SAMPLE, 2, 100, 0x400000, pair(10, 11), i + 1, 0x1000, 0,
		       period[i], 0);
	finish();
	CHECK(!open_bytes(file.len));
	for (i = 0; i < ARRAY_SIZE(period); i++)
		CHECK(next() == 1 && view.type == PERF_RECORD_SAMPLE && view.period == said[i]);
	CHECK(!count_samples());
}

/* Any byte may be anything: no crash, no endless loop, a sentence if it is refused. */
static void test_flips(void)
{
	size_t i;

	begin(2, TYPE);
	put_round();
	for (i = 0; i < 10; i++)
		put_sample(100 + i % 2, i + 1, i);
	put_round();
	finish();
	for (i = 0; i < file.len * 8; i++) {
		file.bytes[i / 8] ^= 1 << i % 8;
		if (!open_bytes(file.len))
			CHECK(count_samples() <= 10);
		else
			CHECK(err.what[0] && err.code);
		file.bytes[i / 8] ^= 1 << i % 8;
	}
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_sample),
		TAP_TEST(test_weight),
		TAP_TEST(test_variable_members),
		TAP_TEST(test_optional_members),
		TAP_TEST(test_array_of_all_memory),
		TAP_TEST(test_others),
		TAP_TEST(test_ordered_events),
		TAP_TEST(test_ids),
		TAP_TEST(test_cut),
		TAP_TEST(test_pipe),
		TAP_TEST(test_not_ours),
		TAP_TEST(test_mixed_events),
		TAP_TEST(test_malformed),
		TAP_TEST(test_aux),
		TAP_TEST(test_compressed),
		TAP_TEST(test_periods),
		TAP_TEST(test_flips),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
