// SPDX-License-Identifier: GPL-2.0
/*
 * make_perfdata [-n SAMPLES] [-c CPUS] [-e EVENTS] [-r PAGES] [-P N] [-s LIST] [-l] [-x] [-z] [-p]
 *		FILE
 *
 * Writes a perf.data as perf would, of samples that are known in advance: a
 * process, "phases", has three mappings, and in each third of the time uses one
 * of them: /data/alpha, /data/beta, /data/gamma, a page after the other; every
 * hundredth sample is on its stack.
 *
 * The machine is said to have 8 GiB of memory.
 *
 *   -n  samples (30000)
 *   -c  CPUs, whose records come in rounds, one CPU after the other (4)
 *   -e  events, told apart by their ids (2)
 *   -r  pages of each mapping (1024)
 *   -P  processes of that name, in turn (1)
 *   -l  what is on the stack comes from the L1 cache, as much from where is not known, all else
 *       from DRAM
 *   -s  instead, a sample of each page that LIST has the number of, one a line; they
 *       are pages of /data/alpha, which -r should have room for
 *   -x  every tenth sample is of no process: in turn of the idle task, and of a thread that is gone
 *   -z  records compressed, as by perf record -z
 *   -p  in the form of a pipe
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "perfdata/format.h"
#include "perfdata/zstd.inc"

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
		     PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |		\
		     PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC)

#define PID		1000
#define BASE		0x7f0000000000ULL
#define STACK		0x7ffffff00000ULL
#define IP		0x401000ULL
#define TIME_FIRST	1000000000ULL
#define TIME_STEP	1000ULL
/* Samples of a CPU in each round. */
#define ROUND		1000
#define TOTAL_KIB	(8ULL << 20)
/* A load from local DRAM. */
#define FROM_L1		(PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1))
#define DATA_SRC	(PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, LOC_RAM))

struct sample_id {
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u64 cpu;
	__u64 identifier;
};

struct sample {
	struct perf_event_header header;
	__u64 identifier;
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u64 addr;
	__u64 cpu;
	__u64 period;
	__u64 data_src;
};

static FILE *out;
static __u32 pid = PID;
static long nr_samples = 30000;
static long nr_processes = 1;
static long nr_cpus = 4;
static long nr_events = 2;
static long nr_pages = 1024;
static bool cached_stack;
static bool no_process;
static long *pages;	/* of -s, one for each sample */
static bool compressed;
static bool is_pipe;
static zstd_cctx *zstd;
static __u64 data_bytes;

static void write_all(const void *bytes, size_t size)
{
	if (fwrite(bytes, size, 1, out) != 1) {
		perror("make_perfdata");
		exit(1);
	}
}

static void write_plain(const void *bytes, size_t size)
{
	write_all(bytes, size);
	data_bytes += size;
}

/* What is compressed goes out in records of up to 64 KiB, cut where it falls. */
static void write_compressed(const void *bytes, size_t size)
{
	char packed[60000];
	size_t left;

	do {
		zstd_in_buffer from = { bytes, size, 0 };
		zstd_out_buffer to = { packed, sizeof(packed), 0 };
		struct perf_event_header header = { .type = PERFDATA_RECORD_COMPRESSED };

		left = zstd_compress_stream(zstd, &to, &from, ZSTD_e_flush);
		bytes = (const char *)bytes + from.pos;
		size -= from.pos;
		header.size = sizeof(header) + to.pos;
		write_plain(&header, sizeof(header));
		write_plain(packed, to.pos);
	} while (left || size);
}

static void write_record(const void *bytes, size_t size)
{
	if (compressed)
		write_compressed(bytes, size);
	else
		write_plain(bytes, size);
}

static struct perf_event_attr make_attr(long event)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_RAW, .size = sizeof(struct perf_event_attr),
		.config = event ? 0x82d0 : 0x1d3, .sample_period = 1,
		.sample_type = SAMPLE_TYPE, .sample_id_all = 1, .precise_ip = 2,
		.mmap = 1, .mmap_data = 1, .comm = 1, .task = 1,
	};
}

static __u64 make_id(long event, long cpu)
{
	return 100 + event * nr_cpus + cpu;
}

/* A record with a text in its midst and who and when at its end. */
static void write_text(void *record, size_t head, const char *text, __u64 time)
{
	struct sample_id id = { .pid = pid, .tid = pid, .time = time, .identifier = make_id(0, 0) };
	struct perf_event_header *header = record;
	size_t len = (strlen(text) + 8) & ~7UL;
	char all[256] = {};

	header->size = head + len + sizeof(id);
	memcpy(all, record, head);
	memcpy(all + head, text, strlen(text));
	memcpy(all + head + len, &id, sizeof(id));
	write_record(all, header->size);
}

static void write_mapping(__u64 start, __u64 len, const char *name)
{
	struct perfdata_mmap2 mmap = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_MMAP_DATA },
		.pid = pid, .tid = pid, .start = start, .len = len,
	};

	write_text(&mmap, offsetof(struct perfdata_mmap2, filename), name, TIME_FIRST - 1);
}

static void write_process(void)
{
	struct perfdata_comm comm = {
		.header = { .type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC },
		.pid = pid, .tid = pid,
	};
	__u64 bytes = nr_pages * 4096;

	write_text(&comm, offsetof(struct perfdata_comm, comm), "phases", TIME_FIRST - 2);
	write_mapping(BASE, bytes, "/data/alpha");
	write_mapping(BASE + bytes, bytes, "/data/beta");
	write_mapping(BASE + 2 * bytes, bytes, "/data/gamma");
	write_mapping(STACK, 0x100000, "[stack]");
}

static void read_pages(const char *path)
{
	FILE *list = fopen(path, "r");
	long page;

	if (!list) {
		perror(path);
		exit(1);
	}
	for (nr_samples = 0; fscanf(list, "%ld", &page) == 1; nr_samples++) {
		/* Room grows by powers of two. */
		if (!(nr_samples & (nr_samples - 1)))
			pages = realloc(pages, (2 * nr_samples + 1) * sizeof(*pages));
		pages[nr_samples] = page;
	}
	fclose(list);
}

static __u64 make_addr(long n)
{
	long phase = n * 3 / nr_samples;

	if (pages)
		return BASE + pages[n] * 4096;
	if (n % 100 == 0)
		return STACK + 0xff000;
	return BASE + (phase * nr_pages + n % nr_pages) * 4096 + n % 512 * 8;
}

/* The n-th sample is the CPUs' in turn, and in order of time. */
static void write_sample(long n)
{
	long cpu = n % nr_cpus;
	struct sample sample = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
		.identifier = make_id(n % nr_events, cpu), .ip = IP,
		.pid = PID + n % nr_processes, .tid = PID + n % nr_processes,
		.time = TIME_FIRST + n * TIME_STEP, .cpu = cpu, .period = 1,
		.addr = make_addr(n),
		.data_src = !cached_stack || n % 50 ? DATA_SRC : n % 100 ? 0 : FROM_L1,
	};

	if (no_process && n % 10 == 5)
		sample.pid = n % 20 == 5 ? 0 : ~0U;
	write_record(&sample, sizeof(sample));
}

static void write_data(void)
{
	struct perf_event_header round = { PERFDATA_RECORD_FINISHED_ROUND, 0, sizeof(round) };
	long first, cpu, i;

	for (pid = PID; pid < PID + nr_processes; pid++)
		write_process();
	for (first = 0; first < nr_samples; first += ROUND * nr_cpus) {
		for (cpu = 0; cpu < nr_cpus; cpu++)
			for (i = 0; i < ROUND && first + i * nr_cpus + cpu < nr_samples; i++)
				write_sample(first + i * nr_cpus + cpu);
		write_plain(&round, sizeof(round));
	}
}

static void write_pipe(void)
{
	struct perfdata_pipe_header start = { PERFDATA_MAGIC, sizeof(start) };
	const struct {
		struct perf_event_header header;
		__u64 feature;
		__u64 kib;
	} memory = { { PERFDATA_RECORD_FEATURE, 0, 24 }, PERFDATA_TOTAL_MEM, TOTAL_KIB };
	long event, cpu;

	write_all(&start, sizeof(start));
	for (event = 0; event < nr_events; event++) {
		struct perf_event_attr attr = make_attr(event);
		struct perf_event_header header = {
			PERFDATA_RECORD_ATTR, 0, sizeof(header) + sizeof(attr) + 8 * nr_cpus,
		};

		write_all(&header, sizeof(header));
		write_all(&attr, sizeof(attr));
		for (cpu = 0; cpu < nr_cpus; cpu++) {
			__u64 id = make_id(event, cpu);

			write_all(&id, sizeof(id));
		}
	}
	write_all(&memory, sizeof(memory));
	write_data();
}

/* The features behind the data, at @offset. The first one tells a report nothing. */
static void write_features(__u64 offset)
{
	const struct {
		__u32 size;
		char text[PERFDATA_TEXT_ALIGN];
	} arch = { PERFDATA_TEXT_ALIGN, "x86_64" };
	const __u64 kib = TOTAL_KIB;
	const __u64 times[] = { TIME_FIRST, TIME_FIRST + (nr_samples - 1) * TIME_STEP };
	const struct perfdata_section sections[3] = {
		{ offset + sizeof(sections), sizeof(arch) },
		{ offset + sizeof(sections) + sizeof(arch) + sizeof(times), sizeof(kib) },
		{ offset + sizeof(sections) + sizeof(arch), sizeof(times) },
	};

	write_all(sections, sizeof(sections));
	write_all(&arch, sizeof(arch));
	write_all(times, sizeof(times));
	write_all(&kib, sizeof(kib));
}

static void write_file(void)
{
	struct perfdata_header header = { PERFDATA_MAGIC, sizeof(header) };
	long event, cpu;

	header.attr_size = sizeof(struct perfdata_attr);
	header.attrs.offset = sizeof(header) + nr_events * nr_cpus * 8;
	header.attrs.size = nr_events * sizeof(struct perfdata_attr);
	header.data.offset = header.attrs.offset + header.attrs.size;
	write_all(&header, sizeof(header));
	for (event = 0; event < nr_events; event++) {
		for (cpu = 0; cpu < nr_cpus; cpu++) {
			__u64 id = make_id(event, cpu);

			write_all(&id, sizeof(id));
		}
	}
	for (event = 0; event < nr_events; event++) {
		struct perfdata_attr attr = {
			make_attr(event), { sizeof(header) + event * nr_cpus * 8, nr_cpus * 8 },
		};

		write_all(&attr, sizeof(attr));
	}
	write_data();
	header.data.size = data_bytes;
	header.features[0] = 1ULL << PERFDATA_ARCH | 1ULL << PERFDATA_TOTAL_MEM |
			     1ULL << PERFDATA_SAMPLE_TIME;
	write_features(header.data.offset + data_bytes);
	rewind(out);
	write_all(&header, sizeof(header));
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:c:e:r:P:s:lxzp")) > 0) {
		if (c == 'n')
			nr_samples = atol(optarg);
		else if (c == 'c')
			nr_cpus = atol(optarg);
		else if (c == 'e')
			nr_events = atol(optarg);
		else if (c == 'r')
			nr_pages = atol(optarg);
		else if (c == 'P')
			nr_processes = atol(optarg);
		else if (c == 'l')
			cached_stack = true;
		else if (c == 's')
			read_pages(optarg);
		else if (c == 'x')
			no_process = true;
		else if (c == 'z')
			compressed = true;
		else if (c == 'p')
			is_pipe = true;
	}
	out = optind < argc ? fopen(argv[optind], "w") : NULL;
	if (!out) {
		fputs("usage: make_perfdata [-n N] [-c N] [-e N] [-r N] [-P N] [-s LIST] [-l]\n"
		      "                     [-x] [-z] [-p] FILE\n", stderr);
		return 2;
	}
	zstd = zstd_create_cctx();
	if (is_pipe)
		write_pipe();
	else
		write_file();
	return fclose(out) ? 1 : 0;
}
