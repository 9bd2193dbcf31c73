/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The perf.data format, as a file and as a pipe.
 *
 * A file is: struct perfdata_header, the ids of the events, one struct perfdata_attr for
 * each event, the data section (a sequence of perf records), and behind it one struct
 * perfdata_section for each feature whose bit is set, in the order of the bits, then what
 * these describe. A pipe has struct perfdata_pipe_header and then records only; record
 * types from PERFDATA_RECORD_ATTR on replace the other parts.
 *
 * All numbers have the byte order of the machine that wrote them. Records are multiples of
 * 8 bytes.
 */
#ifndef PERFDATA_FORMAT_H
#define PERFDATA_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/* "PERFILE2" as a number, read in the writer's byte order. */
#define PERFDATA_MAGIC		0x32454c4946524550ULL
#define PERFDATA_MAGIC_SWAPPED	0x50455246494c4532ULL

/**
 * struct perfdata_section - a part of the file
 * @offset: where it begins, from the start of the file
 * @size: its bytes
 */
struct perfdata_section {
	__u64 offset;
	__u64 size;
};

/* The kernel's own mapping. Its record has the name of a symbol behind it. */
#define PERFDATA_KERNEL		"[kernel.kallsyms]"

/* Bits of struct perfdata_header.features, 256 of them. */
#define PERFDATA_FEATURE_WORDS	4
#define PERFDATA_FEATURE_BITS	(64 * PERFDATA_FEATURE_WORDS)

/**
 * struct perfdata_header - the start of a file
 * @magic: PERFDATA_MAGIC
 * @size: sizeof(struct perfdata_header)
 * @attr_size: bytes of each element of @attrs
 * @attrs: array of struct perfdata_attr
 * @data: the records; the size is 0 if perf did not finish the file
 * @event_types: no longer used, zero
 * @features: bit n: the file has enum perfdata_feature n
 */
struct perfdata_header {
	__u64 magic;
	__u64 size;
	__u64 attr_size;
	struct perfdata_section attrs;
	struct perfdata_section data;
	struct perfdata_section event_types;
	__u64 features[PERFDATA_FEATURE_WORDS];
};

/**
 * struct perfdata_pipe_header - the start of a pipe
 * @magic: PERFDATA_MAGIC
 * @size: sizeof(struct perfdata_pipe_header), smaller than a file's header
 */
struct perfdata_pipe_header {
	__u64 magic;
	__u64 size;
};

/**
 * struct perfdata_attr - an event of a file
 * @attr: the event; in a file of another version of perf it may be shorter or longer:
 *	&struct perf_event_attr.size bytes, and @ids is at offset &struct
 *	perfdata_header.attr_size - sizeof(@ids)
 * @ids: array of __u64, the ids by which records name the event
 */
struct perfdata_attr {
	struct perf_event_attr attr;
	struct perfdata_section ids;
};

/**
 * enum perfdata_feature - what a file may hold besides records
 *
 * A text is a __u32 with the bytes that follow, then these bytes: the text, its
 * NUL, and zeroes up to a multiple of PERFDATA_TEXT_ALIGN.
 *
 * @PERFDATA_TRACING_DATA: formats of tracepoints
 * @PERFDATA_BUILD_ID: PERFDATA_RECORD_BUILD_ID records
 * @PERFDATA_HOSTNAME: text
 * @PERFDATA_OSRELEASE: text
 * @PERFDATA_VERSION: text, of the program that wrote the file
 * @PERFDATA_ARCH: text
 * @PERFDATA_NRCPUS: __u32 possible CPUs, __u32 CPUs online
 * @PERFDATA_CPUDESC: text
 * @PERFDATA_CPUID: text
 * @PERFDATA_TOTAL_MEM: __u64, in KiB
 * @PERFDATA_CMDLINE: __u32 number of words, then a text for each
 * @PERFDATA_EVENT_DESC: __u32 number of events, __u32 bytes of an attr; for each
 *	event the attr, __u32 number of ids, its name as a text, __u64 ids
 * @PERFDATA_CPU_TOPOLOGY: __u32 number, then a text for each group of siblings,
 *	first cores then threads
 * @PERFDATA_NUMA_TOPOLOGY: __u32 number of nodes; for each __u32 node, __u64 KiB
 *	of memory, __u64 KiB of it free, its CPUs as a text
 * @PERFDATA_BRANCH_STACK: not used
 * @PERFDATA_PMU_MAPPINGS: __u32 number of PMUs; for each __u32
 *	&struct perf_event_attr.type, its name as a text
 * @PERFDATA_GROUP_DESC: groups of events
 * @PERFDATA_AUXTRACE: AUX areas
 * @PERFDATA_STAT: the data is from perf stat
 * @PERFDATA_CACHE: the caches
 * @PERFDATA_SAMPLE_TIME: __u64 time of the first, __u64 of the last sample
 * @PERFDATA_DIR_FORMAT: __u64, PERFDATA_DIR_PARTS or 0; of the file "data" in a directory
 */
enum perfdata_feature {
	PERFDATA_TRACING_DATA = 1,
	PERFDATA_BUILD_ID,
	PERFDATA_HOSTNAME,
	PERFDATA_OSRELEASE,
	PERFDATA_VERSION,
	PERFDATA_ARCH,
	PERFDATA_NRCPUS,
	PERFDATA_CPUDESC,
	PERFDATA_CPUID,
	PERFDATA_TOTAL_MEM,
	PERFDATA_CMDLINE,
	PERFDATA_EVENT_DESC,
	PERFDATA_CPU_TOPOLOGY,
	PERFDATA_NUMA_TOPOLOGY,
	PERFDATA_BRANCH_STACK,
	PERFDATA_PMU_MAPPINGS,
	PERFDATA_GROUP_DESC,
	PERFDATA_AUXTRACE,
	PERFDATA_STAT,
	PERFDATA_CACHE,
	PERFDATA_SAMPLE_TIME,
	PERFDATA_DIR_FORMAT = 24,
};

/* The records of each CPU are in separate files: "data.0", "data.1" and so on. */
#define PERFDATA_DIR_PARTS	1

#define PERFDATA_TEXT_ALIGN	64

/**
 * enum perfdata_record - record types that the kernel does not have
 * @PERFDATA_RECORD_ATTR: in a pipe, struct perf_event_attr and its ids
 * @PERFDATA_RECORD_EVENT_TYPE: no longer used
 * @PERFDATA_RECORD_TRACING_DATA: in a pipe, the feature
 * @PERFDATA_RECORD_BUILD_ID: struct perfdata_build_id
 * @PERFDATA_RECORD_FINISHED_ROUND: a header alone. All records behind the next
 *	FINISHED_ROUND are newer than those before this one
 * @PERFDATA_RECORD_ID_INDEX: CPU and thread of each id
 * @PERFDATA_RECORD_AUXTRACE: followed by data that is not part of its size
 * @PERFDATA_RECORD_TIME_CONV: how to convert the time stamp counter
 * @PERFDATA_RECORD_FEATURE: in a pipe, struct perfdata_feature_record
 * @PERFDATA_RECORD_COMPRESSED: struct perf_event_header, then records compressed with zstd
 * @PERFDATA_RECORD_FINISHED_INIT: the records made from /proc are complete
 */
enum perfdata_record {
	PERFDATA_RECORD_ATTR = 64,
	PERFDATA_RECORD_EVENT_TYPE = 65,
	PERFDATA_RECORD_TRACING_DATA = 66,
	PERFDATA_RECORD_BUILD_ID = 67,
	PERFDATA_RECORD_FINISHED_ROUND = 68,
	PERFDATA_RECORD_ID_INDEX = 69,
	PERFDATA_RECORD_AUXTRACE = 71,
	PERFDATA_RECORD_TIME_CONV = 79,
	PERFDATA_RECORD_FEATURE = 80,
	PERFDATA_RECORD_COMPRESSED = 81,
	PERFDATA_RECORD_FINISHED_INIT = 82,
};

/**
 * struct perfdata_feature_record - a feature, in a pipe
 * @header: of type PERFDATA_RECORD_FEATURE
 * @feature: enum perfdata_feature; the first number unknown to the writer's version ends
 *	the list
 * @data: as in the feature's section of a file
 */
struct perfdata_feature_record {
	struct perf_event_header header;
	__u64 feature;
	__u8 data[];
};

/* In the header's misc of struct perfdata_build_id: the length of the id is given. */
#define PERFDATA_BUILD_ID_SIZE	0x8000

/**
 * struct perfdata_build_id - the build id of a file that was executed
 * @header: of type PERFDATA_RECORD_BUILD_ID
 * @pid: -1, or the guest's process
 * @build_id: the id, and at [20] its length if PERFDATA_BUILD_ID_SIZE is set in
 *	@header
 * @filename: NUL-terminated
 */
struct perfdata_build_id {
	struct perf_event_header header;
	__s32 pid;
	__u8 build_id[24];
	char filename[];
};

/* Records of the kernel with a fixed layout; a sample_id follows each of them. */

/**
 * struct perfdata_comm - PERF_RECORD_COMM
 * @header: PERF_RECORD_MISC_COMM_EXEC: the cause was exec(), not a change of the name
 * @pid: process
 * @tid: thread
 * @comm: its name, NUL-terminated, zeroes up to a multiple of 8
 */
struct perfdata_comm {
	struct perf_event_header header;
	__u32 pid;
	__u32 tid;
	char comm[];
};

/**
 * struct perfdata_task - PERF_RECORD_FORK and PERF_RECORD_EXIT
 * @header: its header
 * @pid: process
 * @ppid: its parent
 * @tid: thread
 * @ptid: the thread that forked
 * @time: when, in nanoseconds
 */
struct perfdata_task {
	struct perf_event_header header;
	__u32 pid;
	__u32 ppid;
	__u32 tid;
	__u32 ptid;
	__u64 time;
};

/**
 * struct perfdata_mmap - PERF_RECORD_MMAP
 * @header: PERF_RECORD_MISC_MMAP_DATA: not executable
 * @pid: process; -1: the kernel
 * @tid: thread
 * @start: first address
 * @len: bytes
 * @pgoff: offset in the file
 * @filename: NUL-terminated, zeroes up to a multiple of 8
 */
struct perfdata_mmap {
	struct perf_event_header header;
	__u32 pid;
	__u32 tid;
	__u64 start;
	__u64 len;
	__u64 pgoff;
	char filename[];
};

/**
 * struct perfdata_mmap2 - PERF_RECORD_MMAP2
 * @header: as in struct perfdata_mmap; with PERF_RECORD_MISC_MMAP_BUILD_ID, @maj to
 *	@ino_generation are a build id instead
 * @pid: process
 * @tid: thread
 * @start: first address
 * @len: bytes
 * @pgoff: offset in the file
 * @maj: major number of the file's device
 * @min: its minor number
 * @ino: inode of the file
 * @ino_generation: its generation
 * @prot: PROT_*
 * @flags: MAP_*
 * @filename: NUL-terminated, zeroes up to a multiple of 8
 */
struct perfdata_mmap2 {
	struct perf_event_header header;
	__u32 pid;
	__u32 tid;
	__u64 start;
	__u64 len;
	__u64 pgoff;
	__u32 maj;
	__u32 min;
	__u64 ino;
	__u64 ino_generation;
	__u32 prot;
	__u32 flags;
	char filename[];
};

/**
 * struct perfdata_lost - PERF_RECORD_LOST
 * @header: its header
 * @id: event whose records are missing here
 * @lost: how many
 */
struct perfdata_lost {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

/* In the header's misc of PERF_RECORD_LOST_SAMPLES: a filter dropped them on purpose. */
#define PERFDATA_LOST_SAMPLES_BPF	0x8000

/**
 * struct perfdata_lost_samples - PERF_RECORD_LOST_SAMPLES
 * @header: its header
 * @lost: samples that were lost before they became records
 */
struct perfdata_lost_samples {
	struct perf_event_header header;
	__u64 lost;
};

/**
 * struct perfdata_throttle - PERF_RECORD_THROTTLE and PERF_RECORD_UNTHROTTLE
 * @header: its header
 * @time: when, in nanoseconds
 * @id: event
 * @stream_id: id of the event on its CPU
 */
struct perfdata_throttle {
	struct perf_event_header header;
	__u64 time;
	__u64 id;
	__u64 stream_id;
};

/**
 * struct perfdata_cgroup - PERF_RECORD_CGROUP
 * @header: its header
 * @id: number of the cgroup; of a mark, its time in nanoseconds
 * @path: NUL-terminated
 *
 * A path begins with a slash, or it is PERFDATA_MARK and the text of a mark: this is the one
 * record of the kernel with a time and a text that perf shows and that changes nothing else.
 */
struct perfdata_cgroup {
	struct perf_event_header header;
	__u64 id;
	char path[];
};

#define PERFDATA_MARK		"mark:"
/* Most bytes of a mark's path with its NUL, a multiple of 8. */
#define PERFDATA_MARK_MAX	72

static_assert(sizeof(struct perfdata_header) == 104, "on disk");
static_assert(sizeof(struct perfdata_pipe_header) == 16, "in a pipe");
static_assert(offsetof(struct perfdata_feature_record, data) == 16, "in a pipe");
static_assert(offsetof(struct perfdata_build_id, filename) == 36, "on disk");
static_assert(offsetof(struct perfdata_comm, comm) == 16, "kernel ABI");
static_assert(sizeof(struct perfdata_task) == 32, "kernel ABI");
static_assert(offsetof(struct perfdata_mmap, filename) == 40, "kernel ABI");
static_assert(offsetof(struct perfdata_mmap2, filename) == 72, "kernel ABI");
static_assert(sizeof(struct perfdata_lost) == 24, "kernel ABI");
static_assert(offsetof(struct perfdata_cgroup, path) == 16, "kernel ABI");
static_assert(sizeof(struct perfdata_throttle) == 32, "kernel ABI");

#endif /* PERFDATA_FORMAT_H */
