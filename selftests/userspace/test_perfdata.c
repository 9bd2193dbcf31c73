// SPDX-License-Identifier: GPL-2.0
/* The writer of perf.data: bytes on disk and in a pipe. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "perfdata/feature.h"
#include "perfdata/stream.h"
#include "perfdata/writer.h"

#define SAMPLE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC)

static char dir[64];
static char *words[] = { "htmmctl", "record", "-a", NULL };
static const struct perfdata_event events[] = {
	{
		.attr = {
			.type = PERF_TYPE_RAW, .size = sizeof(struct perf_event_attr),
			.config = 0x1d3, .sample_period = 1009, .sample_type = SAMPLE_TYPE,
			.sample_id_all = 1, .exclude_kernel = 1, .precise_ip = 2,
		},
		.id = 9,
		.name = "dram-load",
	}, {
		.attr = {
			.type = PERF_TYPE_RAW, .size = sizeof(struct perf_event_attr),
			.config = 0x82d0, .sample_period = 100003, .sample_type = SAMPLE_TYPE,
			.sample_id_all = 1, .exclude_kernel = 1, .precise_ip = 2,
		},
		.id = 10,
		.name = "store",
	},
};

/* A sample as the stream gives it. */
struct sample {
	struct perf_event_header header;
	__u64 id, ip;
	__u32 pid, tid;
	__u64 time, addr;
	__u32 cpu, reserved;
	__u64 period, data_src;
};

/**
 * struct image - a whole file
 * @data: its bytes
 * @size: how many
 */
struct image {
	char *data;
	size_t size;
};

/* Bytes that the disk still has room for; -1: enough. */
static long room = -1;

/* A disk that fills up writes what it can, and fails only the next time. */
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
	if (!room) {
		errno = ENOSPC;
		return -1;
	}
	if (room > 0) {
		bytes = bytes < (size_t)room ? bytes : (size_t)room;
		room -= bytes;
	}
	return syscall(SYS_pwrite64, fd, data, bytes, at);
}

static const char *path_of(const char *name)
{
	static char path[2][300];
	static int next;

	next = !next;
	snprintf(path[next], sizeof(path[next]), "%s/%s", dir, name);
	return path[next];
}

static struct image load(const char *name)
{
	struct image image = {};
	struct stat st;
	int fd = open(path_of(name), O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		return image;
	image.data = malloc(st.st_size + 1);
	image.size = read(fd, image.data, st.st_size);
	close(fd);
	return image;
}

static struct sample make_sample(unsigned int n)
{
	return (struct sample) {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(struct sample) },
		.id = 9 + n % 2,
		.ip = 0x401000 + n,
		.pid = 4711,
		.tid = 4711 + n % 2,
		.time = 1000000 + n,
		.addr = 0x7f0000000000 + 64 * n,
		.cpu = n % 2,
		.period = 1009,
		.data_src = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT),
	};
}

static void put_samples(struct perfdata_writer *writer, unsigned int nr)
{
	struct sample sample;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		sample = make_sample(i);
		perfdata_writer_put(writer, &sample, sizeof(sample));
	}
	writer->first_time = make_sample(0).time;
	writer->last_time = make_sample(nr - 1).time;
}

static struct perfdata_writer new_writer(void)
{
	return (struct perfdata_writer) {
		.events = events, .nr_events = 2, .argv = words, .argc = 3,
	};
}

/* Whole records from one end of a piece to the other; counts those of @type. */
static int count_records(const char *at, size_t bytes, __u32 type)
{
	const struct perf_event_header *record;
	size_t done = 0;
	int nr = 0;

	while ((record = stream_next(at, bytes, &done)))
		nr += record->type == type;
	return done == bytes ? nr : -1;
}

static const struct perfdata_header *header_of(const struct image *image)
{
	return (const void *)image->data;
}

/* Samples in the data section as the header has it, or -1 if it is not sound. */
static int samples_of(const struct image *image)
{
	const struct perfdata_header *header = header_of(image);

	if (image->size < sizeof(*header) || header->magic != PERFDATA_MAGIC ||
	    !header->data.size || header->data.offset + header->data.size > image->size)
		return -1;
	return count_records(image->data + header->data.offset, header->data.size,
			     PERF_RECORD_SAMPLE);
}

/* The section of a feature, NULL if the file has none. */
static const char *feature_of(const struct image *image, unsigned int feature, size_t *size)
{
	const struct perfdata_header *header = header_of(image);
	const struct perfdata_section *section =
		(const void *)(image->data + header->data.offset + header->data.size);
	unsigned int i;

	for (i = 0; i < feature; i++)
		section += header->features[i / 64] >> i % 64 & 1;
	if (!(header->features[feature / 64] >> feature % 64 & 1))
		return NULL;
	*size = section->size;
	return section->offset + section->size <= image->size ?
		image->data + section->offset : NULL;
}

/* What features say is not aligned. */
static __u64 number_at(const char *at)
{
	__u64 number;

	memcpy(&number, at, sizeof(number));
	return number;
}

static void test_file(void)
{
	struct perfdata_writer writer = new_writer();
	const struct perfdata_header *header;
	const struct perfdata_attr *attr;
	struct htmm_error err = {};
	struct image image;

	/* A file begins. */
	CHECK(!perfdata_writer_open(&writer, path_of("data"), &err));
	put_samples(&writer, 1000);
	/* A file ends. */
	CHECK(!perfdata_writer_close(&writer, &err));
	image = load("data");
	header = header_of(&image);
	/* Its samples are there. */
	CHECK(samples_of(&image) == 1000);
	/* Its header says what there is. */
	CHECK(header->size == 104 && header->attr_size == sizeof(*attr) &&
	      header->attrs.size == 2 * sizeof(*attr));
	attr = (const void *)(image.data + header->attrs.offset);
	/* Events and their ids. */
	CHECK(attr[1].attr.config == 0x82d0 && attr[1].ids.size == 8 &&
	      *(const __u64 *)(image.data + attr[0].ids.offset) == 9 &&
	      *(const __u64 *)(image.data + attr[1].ids.offset) == 10);
	free(image.data);
}

static void test_features(void)
{
	struct perfdata_writer writer = new_writer();
	static const int wanted[] = {
		PERFDATA_HOSTNAME, PERFDATA_OSRELEASE, PERFDATA_VERSION, PERFDATA_ARCH,
		PERFDATA_NRCPUS, PERFDATA_CPUID, PERFDATA_TOTAL_MEM, PERFDATA_CMDLINE,
		PERFDATA_EVENT_DESC,
		PERFDATA_SAMPLE_TIME,
	};
	struct htmm_error err = {};
	struct image image;
	const char *at;
	size_t i, size;
	bool all = true;

	CHECK(!perfdata_writer_open(&writer, path_of("data"), &err));
	put_samples(&writer, 3);
	perfdata_writer_close(&writer, &err);
	image = load("data");
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		all &= feature_of(&image, wanted[i], &size) && size;
	/* Every feature that this machine has. */
	CHECK(all);

	at = feature_of(&image, PERFDATA_CMDLINE, &size);
	/* The command line, word by word. */
	CHECK(at && *(const __u32 *)at == 3 && size == 4 + 3 * (4 + 64) &&
	      !strcmp(at + 8, "htmmctl") && !strcmp(at + 8 + 2 * 68, "-a"));
	at = feature_of(&image, PERFDATA_SAMPLE_TIME, &size);
	/* Times of the first and the last sample. */
	CHECK(at && size == 16 && number_at(at) == 1000000 &&
	      number_at(at + 8) == 1000002);
	at = feature_of(&image, PERFDATA_EVENT_DESC, &size);
	/* Events with names. */
	CHECK(at && *(const __u32 *)at == 2 &&
	      size == 8 + 2 * (sizeof(struct perf_event_attr) + 4 + 4 + 64 + 8));
	/* No feature that nobody wrote. */
	CHECK(!feature_of(&image, PERFDATA_BUILD_ID, &size));
	free(image.data);
}

static void test_old_one(void)
{
	struct perfdata_writer writer = new_writer();
	struct htmm_error err = {};
	struct image image;
	FILE *before;

	unlink(path_of("data"));
	before = fopen(path_of("data"), "w");
	fputs("what was there before", before);
	fclose(before);
	CHECK(!perfdata_writer_open(&writer, path_of("data"), &err));
	image = load("data");
	/* It can be read from the moment it is there. */
	CHECK(samples_of(&image) == 0);
	free(image.data);
	image = load("data.old");
	/* The one before is kept. */
	CHECK(image.size == 21);
	free(image.data);
	/* Nothing else is left behind. */
	CHECK(access(path_of("data.new"), F_OK));
	perfdata_writer_close(&writer, &err);
}

/*
 * What a reader sees if the writer is killed between any two of its system calls:
 * after each flush the file is cut off where nothing is promised, and torn.
 */
static void test_killed(void)
{
	struct perfdata_writer writer = new_writer();
	struct htmm_error err = {};
	bool sound = true;
	struct image image;
	int round, at = 0;

	CHECK(!perfdata_writer_open(&writer, path_of("data"), &err));
	for (round = 0; round < 50; round++) {
		put_samples(&writer, 37);
		image = load("data");
		sound &= samples_of(&image) == at;
		free(image.data);
		perfdata_writer_flush(&writer, &err);
		/* Half a record that the header does not know of. */
		if (pwrite(writer.fd, "torn", 4, lseek(writer.fd, 0, SEEK_CUR)) != 4)
			sound = false;
		image = load("data");
		at = samples_of(&image);
		sound &= at == 37 * (round + 1) && !header_of(&image)->features[0];
		free(image.data);
	}
	/* After each flush all records so far can be read. */
	CHECK(sound);
	perfdata_writer_close(&writer, &err);
	image = load("data");
	/* And in the end all of them. */
	CHECK(samples_of(&image) == 50 * 37);
	free(image.data);
}

static void test_large(void)
{
	struct perfdata_writer writer = new_writer();
	const unsigned int nr = 50000;
	struct htmm_error err = {};
	struct sample *samples = calloc(nr, sizeof(*samples));
	struct image image;
	unsigned int i;

	for (i = 0; i < nr; i++)
		samples[i] = make_sample(i);
	CHECK(!perfdata_writer_open(&writer, path_of("data"), &err));
	put_samples(&writer, nr);
	perfdata_writer_put(&writer, samples, nr * sizeof(*samples));
	perfdata_writer_put(&writer, samples, sizeof(*samples));
	perfdata_writer_close(&writer, &err);
	image = load("data");
	/* More than the buffer holds. */
	CHECK(samples_of(&image) == 2 * (int)nr + 1);
	free(image.data);
	free(samples);
}

static void test_failures(void)
{
	struct perfdata_writer writer = new_writer();
	struct htmm_error err = {};
	int fd;

	/* A file that cannot be made. */
	CHECK(refused(perfdata_writer_open(&writer, "/nowhere/data", &err), ENOENT, &err,
		      "/nowhere/data"));
	/* A device that is full. */
	CHECK(!perfdata_open_special(&fd, "/dev/full", &err) && fd >= 0);
	CHECK(refused(perfdata_writer_open_pipe(&writer, fd, &err), ENOSPC, &err,
		      "No space left"));
	/* One that fills up in the middle of a header. */
	CHECK(!perfdata_writer_open(&writer, path_of("data"), &err));
	put_samples(&writer, 1);
	room = 50;
	errno = EAGAIN;
	CHECK(refused(perfdata_writer_close(&writer, &err), ENOSPC, &err, "No space left"));
	room = -1;
	/* A directory. */
	CHECK(refused(perfdata_open_special(&fd, dir, &err), EISDIR, &err, dir));
	/* A file is not special, nor one that does not exist yet. */
	CHECK(!perfdata_open_special(&fd, path_of("data"), &err) && fd == -1);
	CHECK(!perfdata_open_special(&fd, path_of("no such data"), &err) && fd == -1);
}

/* What records besides samples a recording has. */
static void put_others(struct perfdata_writer *writer)
{
	const struct build_id id = { .bytes = { 0xab, 0xcd, 0xef, [19] = 0x12 }, .len = 20 };
	struct {
		struct perfdata_throttle throttle;
		u64 id[PERFDATA_SAMPLE_ID_MAX];
	} throttle = { .throttle = { { PERF_RECORD_THROTTLE }, 1000010, 9, 9 } };
	struct {
		struct perfdata_task task;
		u64 id[PERFDATA_SAMPLE_ID_MAX];
	} task = { .task = { { PERF_RECORD_EXIT }, 4711, 1, 4711, 1, 1000400 } };

	throttle.throttle.header.size = sizeof(throttle.throttle) +
		perfdata_writer_sample_id(writer, throttle.id, 0, 0, 1000010, 1, 9);
	perfdata_writer_put(writer, &throttle, throttle.throttle.header.size);
	throttle.throttle.header.type = PERF_RECORD_UNTHROTTLE;
	perfdata_writer_put(writer, &throttle, throttle.throttle.header.size);
	task.task.header.size = sizeof(task.task) +
		perfdata_writer_sample_id(writer, task.id, 4711, 4711, 1000400, 0, 9);
	perfdata_writer_put(writer, &task, task.task.header.size);
	perfdata_writer_build_id(writer, PERF_RECORD_MISC_USER, "/usr/bin/a program", &id);
	perfdata_writer_build_id(writer, PERF_RECORD_MISC_USER, "/usr/lib/other.so", &id);
}

/* All records begin at a multiple of 8 bytes, as perf wants them. */
static bool aligned(const char *at, size_t bytes)
{
	const struct perf_event_header *record;

	for (; bytes >= sizeof(*record); at += record->size, bytes -= record->size) {
		record = (const void *)at;
		if (!record->size || record->size > bytes || record->size % 8)
			return false;
	}
	return !bytes;
}

static void test_pipe(void)
{
	struct perfdata_writer writer = new_writer();
	const struct perfdata_pipe_header *header;
	struct htmm_error err = {};
	struct image image;
	const char *at;
	size_t bytes;
	int fd = open(path_of("pipe"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);

	/* A pipe begins. */
	CHECK(!perfdata_writer_open_pipe(&writer, fd, &err));
	put_samples(&writer, 100);
	put_others(&writer);
	/* A pipe ends. */
	CHECK(!perfdata_writer_close(&writer, &err));
	image = load("pipe");
	header = (const void *)image.data;
	at = image.data + sizeof(*header);
	bytes = image.size - sizeof(*header);
	/* Its header is short. */
	CHECK(header->magic == PERFDATA_MAGIC && header->size == 16);
	/* Events and features are records. */
	CHECK(count_records(at, bytes, PERFDATA_RECORD_ATTR) == 2 &&
	      count_records(at, bytes, PERFDATA_RECORD_FEATURE) >= 9 &&
	      count_records(at, bytes, PERFDATA_RECORD_BUILD_ID) == 2 &&
	      count_records(at, bytes, PERF_RECORD_SAMPLE) == 100);
	CHECK(aligned(at, bytes));
	free(image.data);
}

/**
 * struct slow_reader - who takes a bit out of a pipe when the writer has to wait
 * @fd: the end to read from
 * @got: bytes so far
 * @most: stops reading then
 */
struct slow_reader {
	int fd;
	size_t got;
	size_t most;
};

static bool read_slowly(void *waiter, int fd)
{
	struct slow_reader *reader = waiter;
	char bytes[1500];
	ssize_t got;

	(void)fd;
	if (reader->got >= reader->most)
		return false;
	got = read(reader->fd, bytes, sizeof(bytes));
	reader->got += got > 0 ? got : 0;
	return true;
}

/* Writes to a pipe of one page that does not block; returns what all of it comes to. */
static size_t write_slowly(struct perfdata_writer *writer, struct slow_reader *reader, int *ret,
			   struct htmm_error *err)
{
	char bytes[4096];
	int ends[2];
	ssize_t got;

	CHECK(!pipe2(ends, O_NONBLOCK) && fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
	reader->fd = ends[0];
	writer->wait = read_slowly;
	writer->waiter = reader;
	CHECK(!perfdata_writer_open_pipe(writer, ends[1], err));
	put_samples(writer, 1000);
	*ret = perfdata_writer_close(writer, err);
	while ((got = read(ends[0], bytes, sizeof(bytes))) > 0)
		reader->got += got;
	close(ends[0]);
	return sizeof(struct perfdata_pipe_header) + writer->bytes;
}

static void test_slow_pipe(void)
{
	struct perfdata_writer writer = new_writer();
	struct slow_reader reader = { .most = -1 };
	struct htmm_error err = {};
	size_t all;
	int ret;

	all = write_slowly(&writer, &reader, &ret, &err);
	/* Nothing is lost on the way to a reader that takes its time. */
	CHECK(!ret && all > 1000 * sizeof(struct sample) && reader.got == all);
	reader = (struct slow_reader) { .most = 50000 };
	all = write_slowly(&writer, &reader, &ret, &err);
	/* One that stops is not waited for, and what it did not get is not counted. */
	CHECK(refused(ret, ECANCELED, &err, "the reader of the pipe does not read"));
	CHECK(reader.got >= 50000 && reader.got < 70000 && all < reader.got);
}

/* Runs perf on a file: its output's lines, or -1 if it failed or complained. */
static int perf_lines(const char *arguments, const char *name)
{
	char command[1000], line[1000];
	int nr = 0;
	FILE *out;

	snprintf(command, sizeof(command), "perf %s -i %s 2>%s </dev/null", arguments,
		 path_of(name), path_of("stderr"));
	out = popen(command, "r");
	while (out && fgets(line, sizeof(line), out))
		nr += *line != '#' && *line != '\n';
	if (!out || pclose(out))
		return -1;
	return nr;
}

/* Runs perf on a file: does its output have that text? */
static bool perf_finds(const char *arguments, const char *name, const char *text)
{
	char command[1000];

	snprintf(command, sizeof(command), "perf %s -i %s 2>&1 </dev/null | grep -qF -- '%s'",
		 arguments, path_of(name), text);
	return !system(command);
}

static bool complained(void)
{
	struct image image = load("stderr");
	bool any = image.size;

	if (any)
		printf("# perf: %.*s\n", (int)image.size, image.data);
	free(image.data);
	return any;
}

static void test_perf(void)
{
	struct perfdata_writer writer = new_writer();
	struct htmm_error err = {};

	if (system("perf version >/dev/null 2>&1")) {
		puts("# no perf here");
		return;
	}
	CHECK(!perfdata_writer_open(&writer, path_of("data"), &err));
	put_samples(&writer, 500);
	put_others(&writer);
	perfdata_writer_flush(&writer, &err);
	/* Perf script reads an unfinished file. */
	CHECK(perf_lines("script -F pid,tid,time,event,addr,ip", "data") == 500 && !complained());
	perfdata_writer_close(&writer, &err);
	/* Perf script reads a file. */
	CHECK(perf_lines("script -F pid,tid,time,event,addr,ip", "data") == 500 && !complained());
	CHECK(perf_lines("report --stats --stdio", "data") > 0 && !complained());
	CHECK(perf_finds("report --stats --stdio", "data", " THROTTLE events:          1"));
	CHECK(perf_finds("report --stats --stdio", "data", "UNTHROTTLE events:          1"));
	CHECK(perf_finds("report --stats --stdio", "data", "EXIT events:          1"));
	CHECK(perf_finds("buildid-list", "data",
			 "abcdef0000000000000000000000000000000012 /usr/bin/a program"));
	CHECK(perf_finds("buildid-list", "data",
			 "abcdef0000000000000000000000000000000012 /usr/lib/other.so"));
	CHECK(perf_finds("report --header-only", "data", "# cpuid : "));
	/* Perf report reads a file. */
	CHECK(perf_lines("report --mem-mode --stdio --sort=comm,symbol_daddr,dso_daddr",
			 "data") > 0 && !complained());
	CHECK(perf_finds("report --stats --stdio", "pipe", "BUILD_ID events:          2"));
	/* Perf script reads what went through a pipe. */
	CHECK(perf_lines("script -F pid,tid,time,event,addr,ip", "pipe") == 100 && !complained());
}

static const struct tap_test tests[] = {
	TAP_TEST(test_file),
	TAP_TEST(test_features),
	TAP_TEST(test_old_one),
	TAP_TEST(test_killed),
	TAP_TEST(test_large),
	TAP_TEST(test_failures),
	TAP_TEST(test_pipe),
	TAP_TEST(test_slow_pipe),
	TAP_TEST(test_perf),
};

int main(void)
{
	char command[300];
	int status;

	snprintf(dir, sizeof(dir), "/tmp/htmm-perfdata.XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	status = tap_main(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : status;
}
