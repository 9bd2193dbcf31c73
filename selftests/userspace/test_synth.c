// SPDX-License-Identifier: GPL-2.0
/* Names and mappings that a recording makes up from /proc. */
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fake_clock.h"
#include "perfdata/buildid.h"
#include "perfdata/stream.h"
#include "perfdata/synth.h"
#include "perfdata/writer.h"

/*
 * By the clock of CPU time, a read takes so many milliseconds: as long as it really takes would
 * decide when the next one is due.
 */
static unsigned int read_ms;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	static __u64 ms;

	if (clock != CLOCK_THREAD_CPUTIME_ID)
		return __real_clock_gettime(clock, now);
	/* It is asked before and after a read. */
	ms += read_ms;
	*now = (struct timespec) { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	return 0;
}

static char *words[] = { "htmmctl", "record", NULL };
static const struct perfdata_event event = {
	.attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(struct perf_event_attr),
		.config = 0x1d3, .sample_period = 1009, .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU,
	},
	.id = 9,
	.name = "dram-load",
};

static struct perfdata_writer new_writer(void)
{
	return (struct perfdata_writer) {
		.events = &event, .nr_events = 1, .argv = words, .argc = 2,
	};
}

static void spell(const char *name, const char *fmt, ...)
{
	FILE *file = fopen(name, "w");
	va_list args;

	va_start(args, fmt);
	vfprintf(file, fmt, args);
	va_end(args);
	fclose(file);
}

/* A procfs with one process in it. */
static void fake_proc(const char *comm, unsigned long long started, unsigned int stack,
		      const char *maps)
{
	mkdir("proc", 0700);
	mkdir("proc/4711", 0700);
	mkdir("proc/4711/task", 0700);
	mkdir("proc/4711/task/4711", 0700);
	mkdir("proc/4711/task/4712", 0700);
	spell("proc/4711/stat",
	      "4711 (a) b)) S 1 1 1 0 -1 4 1 0 0 0 0 0 0 0 20 0 2 0 %llu 1 1 9 4 5 %u 0\n",
	      started, stack);
	spell("proc/4711/task/4711/comm", "%s\n", comm);
	spell("proc/4711/task/4712/comm", "worker\n");
	spell("proc/4711/maps", "%s", maps);
}

#define TEXT	"00400000-00500000 r-xp 00001000 08:02 77 /usr/bin/a b\n"
#define MOVED	"00400000-00500000 r-xp 00002000 08:02 77 /usr/bin/a b\n"
#define HEAP	"00600000-00700000 rw-p 00000000 00:00 0 [heap]\n"
#define ANON	"7f0000000000-7f0000100000 rw-p 00000000 00:00 0\n"
#define NAMED	"7f0000000000-7f0000100000 rw-p 00000000 00:00 0 [anon:pool]\n"
#define LOW	"00010000-00020000 rw-p 00000000 00:00 0\n"
#define STACK	"7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0 [stack]\n"

/* The records that @synth made so far: those of @type; and the last one of them. */
static int made(const struct perfdata_writer *writer, __u32 type, const void **last)
{
	const struct perf_event_header *record;
	size_t at = 0;
	int nr = 0;

	while ((record = stream_next(writer->buffer, writer->fill, &at))) {
		if (record->type != type)
			continue;
		*last = record;
		nr++;
	}
	return nr;
}

/* The record of the mapping from @start on, or NULL. */
static const struct perfdata_mmap2 *mapped(const struct perfdata_writer *writer, __u64 start)
{
	const struct perf_event_header *record;
	size_t at = 0;

	while ((record = stream_next(writer->buffer, writer->fill, &at)))
		if (record->type == PERF_RECORD_MMAP2 &&
		    ((const struct perfdata_mmap2 *)record)->start == start)
			return (const struct perfdata_mmap2 *)record;
	return NULL;
}

static void test_names(void)
{
	struct perfdata_access access = { .pid = 4711, .tid = 4712, .ip = 0x400100,
					  .addr = 0x600000, .time = 5 };
	struct perfdata_writer writer = new_writer();
	struct perfdata_synth *synth;
	struct htmm_error err = {};
	const struct perfdata_mmap2 *map;
	const struct perfdata_comm *comm;
	const struct perfdata_task *task;

	CHECK(!perfdata_writer_open(&writer, "data", &err));
	synth = perfdata_synth_new(&writer, "proc");
	fake_proc("first", 100, 1, TEXT HEAP);

	perfdata_synth_sample(synth, &access, 1000);
	/* An unknown process is read, and its thread. */
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 2 &&
	      made(&writer, PERF_RECORD_COMM, (const void **)&comm) == 2);
	/* A thread has its own name. */
	CHECK(comm->tid == 4712 && !strcmp(comm->comm, "worker") &&
	      comm->header.size == 16 + 8 + 32);
	/* A mapping of data. */
	CHECK(map->start == 0x600000 && map->len == 0x100000 && !strcmp(map->filename, "[heap]") &&
	      map->header.misc == (PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA) &&
	      map->prot == (PROT_READ | PROT_WRITE) && map->flags == MAP_PRIVATE);
	/* A mapping of code, with its place in the file. */
	map = mapped(&writer, 0x400000);
	CHECK(map && map->len == 0x100000 && map->pgoff == 0x1000 && map->maj == 8 &&
	      map->min == 2 && map->ino == 77 && map->prot == (PROT_READ | PROT_EXEC) &&
	      map->header.misc == PERF_RECORD_MISC_USER && map->pid == 4711 &&
	      !strcmp(map->filename, "/usr/bin/a b"));
	map = mapped(&writer, 0x600000);
	/* And when it was there. */
	CHECK(*(const __u64 *)(map->filename + 8 + 8) == 5);

	access.addr = 0x7f0000000010;
	fake_proc("first", 100, 1, TEXT HEAP ANON);
	perfdata_synth_sample(synth, &access, 1001);
	/* Not read again at once. */
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 2);
	perfdata_synth_sample(synth, &access, 1006);
	/* A new mapping, and none twice. */
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 3 &&
	      !strcmp(map->filename, "//anon"));

	fake_proc("first", 100, 1, TEXT HEAP NAMED);
	perfdata_synth_process(synth, 4711, 6);
	/* The same memory, to which its program has given a name since. */
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 4 &&
	      map->start == 0x7f0000000000 && !strcmp(map->filename, "[anon:pool]"));

	fake_proc("second", 100, 1, LOW TEXT HEAP NAMED);
	perfdata_synth_process(synth, 4711, 6);
	/* A new name is no exec(), even if there is another first mapping. */
	CHECK(made(&writer, PERF_RECORD_COMM, (const void **)&comm) == 3 &&
	      !strcmp(comm->comm, "second") && !comm->header.misc &&
	      made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 5);

	fake_proc("third", 100, 2, HEAP STACK);
	perfdata_synth_process(synth, 4711, 6);
	/* An exec(): nothing that was said holds, not even of what is where it was. */
	CHECK(made(&writer, PERF_RECORD_COMM, (const void **)&comm) == 4 &&
	      !strcmp(comm->comm, "third") && comm->header.misc == PERF_RECORD_MISC_COMM_EXEC &&
	      made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 7);

	fake_proc("third", 100, 3, HEAP STACK);
	perfdata_synth_process(synth, 4711, 6);
	/* A program of the same name, where the other one was. */
	CHECK(made(&writer, PERF_RECORD_COMM, (const void **)&comm) == 5 &&
	      comm->header.misc == PERF_RECORD_MISC_COMM_EXEC &&
	      made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 9);

	fake_proc("second", 200, 1, TEXT);
	perfdata_synth_process(synth, 4711, 7);
	/* Another process under the same pid. */
	CHECK(made(&writer, PERF_RECORD_EXIT, (const void **)&task) == 1 && task->pid == 4711 &&
	      task->tid == 4711 && task->time == 7);
	CHECK(made(&writer, PERF_RECORD_FORK, (const void **)&task) == 1 && task->ppid == 1 &&
	      made(&writer, PERF_RECORD_COMM, (const void **)&comm) == 6 && !comm->header.misc &&
	      made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 10 &&
	      !strcmp(map->filename, "/usr/bin/a b"));

	fake_proc("second", 200, 1, MOVED);
	perfdata_synth_process(synth, 4711, 7);
	/* Another part of the same file, where the first one was. */
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 11 && map->pgoff == 0x2000);

	fake_proc("second", 200, 1, "");
	perfdata_synth_process(synth, 4711, 8);
	access.pid = 1;
	access.tid = 1;
	perfdata_synth_sample(synth, &access, 2000);
	/* Of processes that are gone nothing is made up. */
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 11);
	perfdata_synth_free(synth);
	perfdata_writer_close(&writer, &err);
}

/* A process has exited when it was gone twice, and nothing came of it between. */
static void test_exit(void)
{
	struct perfdata_access access = { .pid = 4711, .tid = 4711, .ip = 0x400100,
					  .addr = 0x600000, .time = 5 };
	struct perfdata_writer writer = new_writer();
	const struct perfdata_task *task;
	const struct perfdata_comm *comm;
	struct perfdata_synth *synth;
	struct htmm_error err = {};
	u32 i;

	CHECK(!perfdata_writer_open(&writer, "data", &err));
	synth = perfdata_synth_new(&writer, "proc");
	fake_proc("first", 100, 1, TEXT HEAP);
	for (i = 0; i < 100; i++)
		perfdata_synth_process(synth, 5000 + i, 1);
	perfdata_synth_sample(synth, &access, 1000);
	perfdata_synth_reap(synth, 6);
	perfdata_synth_reap(synth, 7);
	CHECK(!made(&writer, PERF_RECORD_EXIT, (const void **)&task));

	CHECK(!rename("proc/4711", "proc/gone"));
	perfdata_synth_reap(synth, 8);
	access.time = 9;
	perfdata_synth_sample(synth, &access, 1001);
	perfdata_synth_reap(synth, 10);
	CHECK(!made(&writer, PERF_RECORD_EXIT, (const void **)&task));
	perfdata_synth_reap(synth, 11);
	CHECK(made(&writer, PERF_RECORD_EXIT, (const void **)&task) == 1);
	CHECK(task->pid == 4711 && task->tid == 4711 && task->time == 11 &&
	      task->header.size == sizeof(*task) + 32);
	/* Once. */
	perfdata_synth_reap(synth, 12);
	perfdata_synth_reap(synth, 13);
	CHECK(made(&writer, PERF_RECORD_EXIT, (const void **)&task) == 1);

	/* Who has its pid later is another one. */
	CHECK(!rename("proc/gone", "proc/4711"));
	perfdata_synth_sample(synth, &access, 5000);
	CHECK(made(&writer, PERF_RECORD_COMM, (const void **)&comm) == 2);
	perfdata_synth_free(synth);
	perfdata_writer_close(&writer, &err);
}

/* The build id of a file is told once, when a sample has touched it. */
static void test_build_ids(void)
{
	struct perfdata_access access = { .pid = 4711, .tid = 4711, .ip = 0x400100,
					  .addr = 0x600000, .time = 5 };
	struct perfdata_writer writer = new_writer();
	const struct perfdata_build_id *record;
	struct build_id own = {}, none = {};
	struct perfdata_synth *synth;
	struct htmm_error err = {};
	char command[PATH_MAX + 100], self[PATH_MAX] = "";

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	CHECK(!build_id_of_file(self, &own) && own.len == 20);
	CHECK(build_id_of_file("/dev/null", &none) == -ENOENT && !none.len &&
	      build_id_of_file("/no/such", &none) == -ENOENT &&
	      build_id_of_file("proc/4711/maps", &none) == -ENOENT);
	CHECK(!perfdata_writer_open(&writer, "data", &err));
	synth = perfdata_synth_new(&writer, "proc");
	fake_proc("first", 100, 1, TEXT HEAP ANON);
	snprintf(command, sizeof(command),
		 "mkdir -p proc/4711/root/usr/bin && cp '%s' 'proc/4711/root/usr/bin/a b'", self);
	CHECK(!system(command));
	access.ip = 0x7f0000000000;
	perfdata_synth_sample(synth, &access, 1000);
	CHECK(!writer.build_id_bytes);
	access.ip = 0x400100;
	perfdata_synth_sample(synth, &access, 1001);
	perfdata_synth_sample(synth, &access, 1002);
	record = (const void *)writer.build_ids;
	CHECK(record && writer.build_id_bytes == record->header.size);
	CHECK(record->header.type == PERFDATA_RECORD_BUILD_ID && record->pid == -1 &&
	      !(record->header.size % 8) && !strcmp(record->filename, "/usr/bin/a b"));
	CHECK(record->header.misc == (PERF_RECORD_MISC_USER | PERFDATA_BUILD_ID_SIZE));
	CHECK(!memcmp(record->build_id, own.bytes, 20) && record->build_id[20] == 20);
	perfdata_synth_free(synth);
	perfdata_writer_close(&writer, &err);
}

/* On a busy machine: what is read is there only after a while. */
static void *say_late(void *maps)
{
	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	spell("proc/4711/maps", "%s", maps);
	return NULL;
}

/* To wait for a CPU is no work, after which to rest: the program may be gone by then. */
static void test_slow_look(void)
{
	struct perfdata_access access = { .pid = 4711, .tid = 4711, .ip = 0x400100,
					  .addr = 0x600000, .time = 5 };
	struct perfdata_writer writer = new_writer();
	const struct perfdata_mmap2 *map;
	struct perfdata_synth *synth;
	struct htmm_error err = {};
	pthread_t busy;

	CHECK(!perfdata_writer_open(&writer, "data", &err));
	synth = perfdata_synth_new(&writer, "proc");
	fake_proc("first", 100, 1, TEXT);
	unlink("proc/4711/maps");
	mkfifo("proc/4711/maps", 0600);
	CHECK(!pthread_create(&busy, NULL, say_late, TEXT));
	perfdata_synth_sample(synth, &access, 1000);
	pthread_join(busy, NULL);
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 1);

	unlink("proc/4711/maps");
	fake_proc("first", 100, 1, TEXT HEAP);
	perfdata_synth_sample(synth, &access, 1300);
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 2);
	perfdata_synth_free(synth);
	perfdata_writer_close(&writer, &err);
}

/* After a read that took 3 ms of a CPU, there is none for 30 ms, also if a mapping is missing. */
static void test_rests(void)
{
	struct perfdata_access access = { .pid = 4711, .tid = 4711, .ip = 0x400100,
					  .addr = 0x600000, .time = 5 };
	struct perfdata_writer writer = new_writer();
	const struct perfdata_mmap2 *map;
	struct perfdata_synth *synth;
	struct htmm_error err = {};

	CHECK(!perfdata_writer_open(&writer, "data", &err));
	synth = perfdata_synth_new(&writer, "proc");
	fake_proc("first", 100, 1, TEXT);
	read_ms = 3;
	perfdata_synth_sample(synth, &access, 1000);
	read_ms = 0;
	fake_proc("first", 100, 1, TEXT HEAP);
	perfdata_synth_sample(synth, &access, 1029);
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 1);
	perfdata_synth_sample(synth, &access, 1031);
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 2);
	perfdata_synth_free(synth);
	perfdata_writer_close(&writer, &err);
}

/* All processes and threads that there are before the first sample, each once. */
static void test_all(void)
{
	struct perfdata_access access = { .pid = 4711, .tid = 4712, .ip = 0x400100,
					  .addr = 0x600000, .time = 5 };
	struct perfdata_writer writer = new_writer();
	const struct perfdata_mmap2 *map;
	const struct perfdata_comm *comm;
	struct perfdata_synth *synth;
	struct htmm_error err = {};

	CHECK(!perfdata_writer_open(&writer, "data", &err));
	fake_proc("first", 100, 1, TEXT HEAP);
	mkdir("proc/sys", 0700);
	CHECK(!symlink("4711", "proc/self"));
	synth = perfdata_synth_new(&writer, "proc");
	perfdata_synth_all(synth);
	CHECK(made(&writer, PERF_RECORD_COMM, (const void **)&comm) == 2);
	CHECK(comm->pid == 4711 && comm->tid == 4712 && !strcmp(comm->comm, "worker"));
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 2);
	CHECK(map->pid == 4711 && *(const __u64 *)(map->filename + 8 + 8) == 0);
	perfdata_synth_sample(synth, &access, 1000);
	CHECK(made(&writer, PERF_RECORD_COMM, (const void **)&comm) == 2);
	CHECK(made(&writer, PERF_RECORD_MMAP2, (const void **)&map) == 2);
	perfdata_synth_free(synth);
	perfdata_writer_close(&writer, &err);
	/* Where there is no procfs there is nothing to say. */
	CHECK(!perfdata_writer_open(&writer, "data", &err));
	synth = perfdata_synth_new(&writer, "nowhere");
	perfdata_synth_all(synth);
	CHECK(!made(&writer, PERF_RECORD_COMM, (const void **)&comm));
	perfdata_synth_free(synth);
	perfdata_writer_close(&writer, &err);
}

static const struct tap_test tests[] = {
	TAP_TEST(test_names),
	TAP_TEST(test_all),
	TAP_TEST(test_exit),
	TAP_TEST(test_build_ids),
	TAP_TEST(test_slow_look),
	TAP_TEST(test_rests),
};

int main(void)
{
	char dir[] = "/tmp/htmm-synth.XXXXXX", command[300];
	int status;

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	status = tap_main(tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : status;
}
