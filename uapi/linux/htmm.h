/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * htmm - hot-page sampling from hardware memory-access events
 *
 * The interface of /dev/htmm.
 *
 * Every ioctl takes a pointer to a struct of its own, which begins with
 *
 *   @size	the size the caller knows: set it to sizeof(struct ...)
 *   @flags	what is asked for beyond the usual; 0 unless the struct says more
 *   @session	the session that is meant, by its number; 0: the current one
 *
 * Structs only grow at their end and zero always means "as before", so old programs
 * run on new modules and new programs on old modules; HTMM_IOC_GET_INFO tells which
 * features a module has.  Members named __reserved must be zero.  Pointers travel as
 * __aligned_u64, so 32-bit programs need no translation.
 *
 * An array is given by a pointer, a count and the size of an element, its stride: each
 * side may know more members of an element than the other. With an array that the module
 * fills, the count is the room in it on the way in, and what there is on the way out,
 * which may be more; the pointer and the size mean nothing if the room is 0.
 *
 * Errors that every ioctl may return (errno):
 *
 *   ENOTTY	the ioctl is not one of htmm's
 *   EFAULT	a pointer, or an array's pointer with a non-zero count, is bad
 *   EINVAL	@size, or the size of an array's element, is smaller than the first
 *		version of the struct; or a member has a value that it cannot have
 *   EOPNOTSUPP	this module does not know what is asked for: a flag, a value of an enum,
 *		or a reserved member that is not zero; a newer module may
 *   E2BIG	@size is larger than the struct this module knows and a member
 *		beyond its end is not zero; @size or an array's stride is above
 *		4096
 *   ESTALE	@session is not 0 and not the number of the current session: it has
 *		ended and made room for another one, or has not begun
 *   EPERM	the caller lacks CAP_PERFMON (or CAP_SYS_ADMIN), or kernel
 *		lockdown forbids perf; only HTMM_IOC_GET_INFO is open to all
 *   EINTR	a signal arrived while waiting for another caller; try again
 *
 * Further errors are listed with each struct.
 */
#ifndef _UAPI_LINUX_HTMM_H
#define _UAPI_LINUX_HTMM_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Hard limits of this version. */
#define HTMM_MAX_EVENTS		8
#define HTMM_MAX_TARGETS	64
#define HTMM_MAX_DRAIN_THREADS	64
#define HTMM_MAX_RING_PAGES	4096
#define HTMM_MAX_STREAMS	8
#define HTMM_MIN_STREAM_BYTES	4096
#define HTMM_MAX_STREAM_BYTES	(64 << 20)
#define HTMM_MAX_TABLE_PAGES	0x100000000ULL
#define HTMM_MAX_DRAIN_MS	10000
#define HTMM_MAX_INTERRUPT_NS	1000000
#define HTMM_MIN_BUDGET_MS	10
#define HTMM_MAX_BUDGET_MS	60000
#define HTMM_EVENT_NAME_LEN	32
#define HTMM_TARGET_NAME_LEN	1024
#define HTMM_ERROR_LEN		192

/* Counts of pages and regions are 32 bits wide: bin 0, then one bin a bit. */
#define HTMM_NR_BINS		33

/* The sizes of a page and of a region, which is aligned, everywhere in this interface. */
#define HTMM_PAGE_SHIFT		12
#define HTMM_REGION_SHIFT	21

/**
 * enum htmm_unit - what is counted or listed
 * @HTMM_UNIT_PAGE: pages of 4 KiB
 * @HTMM_UNIT_REGION: regions of 2 MiB
 */
enum htmm_unit {
	HTMM_UNIT_PAGE,
	HTMM_UNIT_REGION,
};

/**
 * enum htmm_drop - why a sample did not reach the hot-page table
 * @HTMM_DROP_RING_FULL: the ring of its CPU and event had no room
 * @HTMM_DROP_FILTERED: it came from a task outside the session's targets; or from a
 *	guest; or from the kernel, where the PMU cannot leave it out
 * @HTMM_DROP_NO_ADDR: the CPU gave no valid data address, or address 0
 * @HTMM_DROP_KERNEL_ADDR: the data address is not a user-space address
 * @HTMM_DROP_NESTED: the handler was entered again on top of itself
 * @HTMM_DROP_STALE: its process was gone when the first of its samples was drained,
 *	or had been found to be gone since
 * @HTMM_DROP_TABLE_FULL: its page is new, a limit of the table is reached, and no
 *	colder page could make room; or memory ran out
 * @HTMM_DROP_REMOVED: its target was removed before the sample was drained
 * @HTMM_DROP_SPACES_FULL: its process is new, and as many address spaces are known as
 *	can be (struct htmm_target_info.spaces)
 * @HTMM_NR_DROPS: number of reasons this header knows
 *
 * Every overflow of every (CPU, event) that perf delivers ends in exactly one
 * counter: overflows == counted + the sum of drops + in_flight. What a PMU or
 * perf loses before shows as overflows below count / period of the channel.
 */
enum htmm_drop {
	HTMM_DROP_RING_FULL,
	HTMM_DROP_FILTERED,
	HTMM_DROP_NO_ADDR,
	HTMM_DROP_KERNEL_ADDR,
	HTMM_DROP_NESTED,
	HTMM_DROP_STALE,
	HTMM_DROP_TABLE_FULL,
	HTMM_DROP_REMOVED,
	HTMM_DROP_SPACES_FULL,
	HTMM_NR_DROPS,
};

/* Room for further reasons in the structs below; unused slots are zero. */
#define HTMM_DROP_SLOTS		16

/**
 * struct htmm_event - one event to sample, on every CPU of the session
 * @type: perf_event_attr.type: PERF_TYPE_RAW, or a PMU's type from sysfs
 * @precise_ip: perf_event_attr.precise_ip, 0 to 3; memory events of Intel CPUs
 *	carry a data address only from 1 on
 * @config: perf_event_attr.config
 * @config1: perf_event_attr.config1 (load latency threshold, for example)
 * @config2: perf_event_attr.config2
 * @period: events between two samples, 1 to 2^63 - 1: the period to begin with, which
 *	a budget or HTMM_IOC_SET may change
 * @min_period: smallest period that a budget may choose, and with
 *	HTMM_START_WEIGHT_PERIOD HTMM_IOC_SET, too; 0: @period
 * @max_period: largest period that a budget may choose; 0: 1000 * @period
 * @name: how the event is called in statistics; NUL-terminated, may be empty
 * @flags: none yet
 * @__reserved: zero
 */
struct htmm_event {
	__u32 type;
	__u32 precise_ip;
	__aligned_u64 config;
	__aligned_u64 config1;
	__aligned_u64 config2;
	__aligned_u64 period;
	__aligned_u64 min_period;
	__aligned_u64 max_period;
	char name[HTMM_EVENT_NAME_LEN];
	__u32 flags;
	__u32 __reserved;
};

/**
 * enum htmm_target_type - what a target names
 * @HTMM_TARGET_TGID: a process, all its threads, those to come included; not its
 *	children
 * @HTMM_TARGET_CGROUP: a cgroup of version 2, and all cgroups below it: whoever is
 *	in one of them at the moment of a sample
 * @HTMM_TARGET_ALL: every task
 */
enum htmm_target_type {
	HTMM_TARGET_TGID = 1,
	HTMM_TARGET_CGROUP = 2,
	HTMM_TARGET_ALL = 3,
};

/**
 * struct htmm_target - whose accesses are counted
 * @type: enum htmm_target_type
 * @flags: none yet
 * @id: for HTMM_TARGET_TGID any thread id of the process, in the caller's pid
 *	namespace; for HTMM_TARGET_CGROUP an open file of the cgroup's directory; for
 *	HTMM_TARGET_ALL zero
 * @capacity_pages: what the fast tier holds for this target, in 4 KiB pages; 0: what
 *	struct htmm_start says
 * @max_bytes: most memory for this target's hot-page table, in bytes; 0: what struct
 *	htmm_start says
 *
 * Each target has a hot-page table, histograms and thresholds of its own, and a number,
 * counted from 1 in the order in which targets are added and never used again within
 * a session. A sample counts for one target, the most specific that it matches: a
 * process before a cgroup, an inner cgroup before an outer one, all tasks last.
 */
struct htmm_target {
	__u32 type;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 capacity_pages;
	__aligned_u64 max_bytes;
};

/* struct htmm_start.flags: the session outlives the fd that started it. */
#define HTMM_START_DETACHED	0x1
/*
 * struct htmm_start.flags: keep the pages of processes that have exited.
 * Without it they leave the table, and their last samples count as stale. With it a
 * process is forgotten with the last of its pages; and where there is no room for another
 * address space, one of an exited process goes with its pages, nearly the one with
 * the fewest regions.
 */
#define HTMM_START_KEEP_EXITED	0x2
/* struct htmm_start.flags: move the periods to keep within budget_ppm. */
#define HTMM_START_BUDGET	0x4
/*
 * struct htmm_start.flags: a sample counts as many as its period is times the
 * smallest period of all events, rounded. So a store sampled at each 100,003rd and
 * a load at each 199th mean what they should, also while a budget moves them.
 */
#define HTMM_START_WEIGHT_PERIOD 0x8

/**
 * struct htmm_start - argument of HTMM_IOC_START
 * @size: sizeof(struct htmm_start)
 * @flags: HTMM_START_*
 * @session: zero; out: number of the session that has begun
 * @events: pointer to an array of struct htmm_event
 * @nr_events: 1 to HTMM_MAX_EVENTS
 * @event_size: sizeof(struct htmm_event), the stride of the array
 * @targets: pointer to an array of struct htmm_target
 * @nr_targets: up to HTMM_MAX_TARGETS; 0: one, of type HTMM_TARGET_ALL
 * @target_size: sizeof(struct htmm_target), the stride of the array
 * @cpus: pointer to a bitmap of the CPUs to sample, an array of __u64: CPU n is
 *	bit n % 64 of word n / 64; ignored if @cpus_size is 0
 * @drain_cpus: pointer to a bitmap of the CPUs that the drain threads may use
 * @cpus_size: bytes in @cpus, a multiple of 8; 0: all CPUs
 * @drain_cpus_size: bytes in @drain_cpus, a multiple of 8; 0: any CPU, or with
 *	several threads those of the node whose samples a thread drains
 * @drain_nice: nice value of the drain threads, -20 to 19
 * @drain_interval_ms: the longest a sample waits in a ring below its
 *	watermark, in milliseconds, 1 to HTMM_MAX_DRAIN_MS; 0: 50
 * @sample_type: PERF_SAMPLE_* bits of a record; IP, TID and ADDR are always
 *	there; TIME, CPU, PERIOD and DATA_SRC may be added
 * @ring_pages: 4 KiB pages in each ring, a power of two up to
 *	HTMM_MAX_RING_PAGES; 0: 32
 * @__reserved: zero
 * @max_pages: most pages tracked for each target, up to HTMM_MAX_TABLE_PAGES, and
 *	at least one for each drain thread; 0: bounded by @max_bytes alone
 * @max_bytes: most memory for the hot-page table of a target that does not say, in
 *	bytes; 0: 1/512 of the machine's memory, and never less than 16 MiB. All
 *	targets together may have half of the machine's memory, and none may have
 *	more than 512 GiB for each drain thread
 * @capacity_pages: what the fast tier holds, in 4 KiB pages; 0: the memory of
 *	all nodes that have CPUs
 * @cooling_period: samples of a target between two coolings of its table;
 *	0: 2,000,000. With several drain threads it may come up to one batch of
 *	512 samples of each of them late
 * @adaptation_period: samples of a target between two adaptations of its
 *	thresholds; 0: 100,000
 * @error: pointer to a text buffer, or 0; on failure it receives a sentence
 *	that says what was wrong, NUL-terminated
 * @error_size: bytes in @error; HTMM_ERROR_LEN is always enough
 * @__reserved2: zero
 * @budget_ppm: with HTMM_START_BUDGET: what sampling may cost, in millionths of
 *	the time of the CPUs sampled, up to 1,000,000; 0: as little as can be.
 *	The cost is the time in overflow handlers, @interrupt_ns for each of
 *	them, and the CPU time of the drain threads
 * @interrupt_ns: what an interrupt costs outside the handler, in nanoseconds, up
 *	to HTMM_MAX_INTERRUPT_NS; 0: 2,000
 * @budget_interval_ms: milliseconds between two looks at the cost, HTMM_MIN_BUDGET_MS
 *	to HTMM_MAX_BUDGET_MS; 0: 1,000
 * @drain_threads: threads that carry samples from the rings to the tables, up to
 *	HTMM_MAX_DRAIN_THREADS and to the number of CPUs to sample; 0: one for each
 *	NUMA node that has CPUs to sample. Each drains the rings of its own CPUs,
 *	which are on as few nodes as can be
 *
 * Starts the one session of the module.  Either all events run on all CPUs of
 * the session that are online, or nothing is left behind.  CPUs of the session
 * that come online later are sampled from then on.  The results of an earlier
 * session that has stopped are discarded if this one starts, and stay if it does
 * not; their memory is freed when the new session samples.
 *
 * EPERM	the caller lacks CAP_PERFMON; or CAP_SYS_NICE for a @drain_nice below 0 that
 *		RLIMIT_NICE does not allow, or for @drain_cpus on which it may not run itself;
 *		or CAP_IPC_LOCK for rings that together take more than 516 KiB for each CPU
 *		that is online and RLIMIT_MEMLOCK. @error says which, and how to raise it
 * EBUSY	a session is running; or perf or the PMU's driver says that the event or its
 *		counters are in use by others, then @error has a sentence about an event
 * EINVAL	@session is not 0; no event; a zero period, or one outside min_period to
 *		max_period; budget_ppm without HTMM_START_BUDGET; precise_ip above 3; a
 *		ring that is not a power of two; a name that is not
 *		NUL-terminated or has a control character; an array stride that
 *		is too small; a CPU bitmap size that is not a multiple of 8;
 *		or the PMU rejects the event's configuration
 * E2BIG	too many events or targets, or a non-zero member in an array
 *		element beyond what this module knows
 * ERANGE	ring_pages, max_pages, max_bytes, drain_nice, drain_interval_ms,
 *		drain_threads, budget_ppm, interrupt_ns, budget_interval_ms or a
 *		period outside its range; a CPU number this machine cannot have;
 *		all rings together would take more than a quarter of memory, or
 *		all targets' tables more than half
 * ENODEV	no CPU of a bitmap is online
 * ESRCH	no such process
 * EBADF	a target's file is not open, or not a cgroup's directory
 * EEXIST	two targets are the same
 * ENOENT	no PMU here takes events of this type; or the event is none of those that
 *		are sampled: a CPU's hardware, cache, raw and IBS events, and page,
 *		alignment and emulation faults; or a target's cgroup has been removed
 * ENODATA	this CPU tells where data came from only with another event beside this
 *		one; leave PERF_SAMPLE_DATA_SRC out
 * EOPNOTSUPP	an unknown flag, target type or sample_type bit, or a reserved member
 *		that is not zero; or the PMU cannot sample this event, or not this
 *		precisely: @error has a sentence about it
 * ENOMEM	not enough memory, or not so much allowed to the caller's memory cgroup, to
 *		which rings, tables and what else a session takes is charged; results of an
 *		earlier session take some, which RESET or closing their fd frees
 *
 * Further errors come from the PMU's driver and are handed on as they are.
 */
struct htmm_start {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__aligned_u64 events;
	__u32 nr_events;
	__u32 event_size;
	__aligned_u64 targets;
	__u32 nr_targets;
	__u32 target_size;
	__aligned_u64 cpus;
	__aligned_u64 drain_cpus;
	__u32 cpus_size;
	__u32 drain_cpus_size;
	__s32 drain_nice;
	__u32 drain_interval_ms;
	__aligned_u64 sample_type;
	__u32 ring_pages;
	__u32 __reserved;
	__aligned_u64 max_pages;
	__aligned_u64 max_bytes;
	__aligned_u64 capacity_pages;
	__aligned_u64 cooling_period;
	__aligned_u64 adaptation_period;
	__aligned_u64 error;
	__u32 error_size;
	__u32 __reserved2;
	__u32 budget_ppm;
	__u32 interrupt_ns;
	__u32 budget_interval_ms;
	__u32 drain_threads;
};

/**
 * struct htmm_stop - argument of HTMM_IOC_STOP
 * @size: sizeof(struct htmm_stop)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 *
 * Ends sampling, drains every ring and keeps the results readable until the next
 * START, or until the fd closes that started the session. Any permitted caller may
 * stop any session.
 *
 * EALREADY	no session is running
 */
struct htmm_stop {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
};

/**
 * struct htmm_reset - argument of HTMM_IOC_RESET
 * @size: sizeof(struct htmm_reset)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 *
 * Forgets all pages and sets every counter of the session to zero. A session that runs
 * goes on running.
 *
 * ENODATA	there is no session, running or stopped
 * ENOMEM	not enough memory; nothing has changed
 */
struct htmm_reset {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
};

/**
 * struct htmm_cool - argument of HTMM_IOC_COOL
 * @size: sizeof(struct htmm_cool)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 * @target: number of a target; 0: all
 * @__reserved: zero
 *
 * Halves every count now, as if a cooling period had ended.
 *
 * ENODATA	there is no session, running or stopped
 * ENOENT	the session has no target of this number
 */
struct htmm_cool {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__u32 target;
	__u32 __reserved;
};

/**
 * enum htmm_state - state of the module's one session
 * @HTMM_STATE_IDLE: none since loading, or its results are gone
 * @HTMM_STATE_RUNNING: sampling
 * @HTMM_STATE_STOPPING: the last samples are being drained
 * @HTMM_STATE_STOPPED: not sampling; the results can be read
 */
enum htmm_state {
	HTMM_STATE_IDLE,
	HTMM_STATE_RUNNING,
	HTMM_STATE_STOPPING,
	HTMM_STATE_STOPPED,
};

/* struct htmm_info.features: cgroups can be targets. */
#define HTMM_FEATURE_CGROUPS		0x1
/* struct htmm_info.features: HTMM_START_BUDGET. */
#define HTMM_FEATURE_BUDGET		0x2
/* struct htmm_info.features: HTMM_START_WEIGHT_PERIOD. */
#define HTMM_FEATURE_WEIGHT_PERIOD	0x4
/* struct htmm_info.features: HTMM_IOC_STREAM, read() and poll(). */
#define HTMM_FEATURE_STREAM		0x8
/* struct htmm_info.features: HTMM_IOC_SET. */
#define HTMM_FEATURE_SET		0x10
/* struct htmm_info.features: HTMM_IOC_LIST_PAGES, with all its orders and filters. */
#define HTMM_FEATURE_LIST_PAGES		0x20
/* struct htmm_info.features: HTMM_IOC_GET_HIT_RATIO. */
#define HTMM_FEATURE_HIT_RATIO		0x40

/**
 * struct htmm_drain_thread - a thread that carries samples from the rings to the tables
 * @pid: its pid in the caller's pid namespace; 0: not visible there, or it has ended
 * @__reserved: zero
 */
struct htmm_drain_thread {
	__u32 pid;
	__u32 __reserved;
};

/**
 * struct htmm_info - argument of HTMM_IOC_GET_INFO, filled by the module
 * @size: sizeof(struct htmm_info)
 * @flags: none yet
 * @session: in: number of the session; 0: the current one; out: its number, counted
 *	from 1 since loading; 0: there is none
 * @features: HTMM_FEATURE_*: what this module can do. A release that adds to this
 *	interface adds a bit, and no bit is ever taken away or used again
 * @state: enum htmm_state
 * @max_events: limit of struct htmm_start.nr_events
 * @max_targets: limit of struct htmm_start.nr_targets
 * @max_ring_pages: limit of struct htmm_start.ring_pages
 * @session_flags: HTMM_START_* of the session. This and all that follows describe the
 *	session and are zero when there is none
 * @owner: process that started it, in the caller's pid namespace
 * @nr_events: events of the session
 * @nr_targets: targets of the session
 * @nr_cpus: CPUs that are sampled, or were until the stop
 * @ring_pages: 4 KiB pages in each ring
 * @elapsed_ns: nanoseconds since the start, or from start to stop
 * @sample_type: PERF_SAMPLE_* bits of a record
 * @record_size: bytes of one record
 * @budget_ppm: as in struct htmm_start; means something with HTMM_START_BUDGET only
 * @max_pages: most pages tracked for each target
 * @max_bytes: most bytes of memory for the hot-page table of a target that does not
 *	say
 * @capacity_pages: fast tier, in pages, for targets that do not say
 * @cooling_period: in samples
 * @adaptation_period: in samples
 * @table_bytes: memory in use by all hot-page tables, in bytes
 * @ring_bytes: memory in use by all rings, in bytes
 * @drain_threads: pointer to an array of struct htmm_drain_thread
 * @nr_drain_threads: in: room in the array, in elements; out: drain threads of the
 *	session, which end with the stop
 * @drain_thread_size: sizeof(struct htmm_drain_thread), the stride of the array
 * @drain_pid: pid of the first of them, as in the array; 0: none
 * @__reserved: zero
 */
struct htmm_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__aligned_u64 features;
	__u32 state;
	__u32 max_events;
	__u32 max_targets;
	__u32 max_ring_pages;
	__u32 session_flags;
	__u32 owner;
	__u32 nr_events;
	__u32 nr_targets;
	__u32 nr_cpus;
	__u32 ring_pages;
	__aligned_u64 elapsed_ns;
	__aligned_u64 sample_type;
	__u32 record_size;
	__u32 budget_ppm;
	__aligned_u64 max_pages;
	__aligned_u64 max_bytes;
	__aligned_u64 capacity_pages;
	__aligned_u64 cooling_period;
	__aligned_u64 adaptation_period;
	__aligned_u64 table_bytes;
	__aligned_u64 ring_bytes;
	__aligned_u64 drain_threads;
	__u32 nr_drain_threads;
	__u32 drain_thread_size;
	__u32 drain_pid;
	__u32 __reserved;
};

/**
 * struct htmm_counters - where overflows went
 * @overflows: counter overflows delivered to the module
 * @counted: samples added to the hot-page table
 * @in_flight: samples in the rings, not drained yet
 * @throttled: overflows at which the kernel was throttling the event
 * @nmi: overflows handled in NMI context
 * @drops: lost samples by enum htmm_drop
 *
 * While a session runs the numbers are read one after the other, so they may
 * differ by what happened in between; once it has stopped they are exact and
 * @in_flight is 0.
 */
struct htmm_counters {
	__aligned_u64 overflows;
	__aligned_u64 counted;
	__aligned_u64 in_flight;
	__aligned_u64 throttled;
	__aligned_u64 nmi;
	__aligned_u64 drops[HTMM_DROP_SLOTS];
};

/* struct htmm_channel.flags: this event on this CPU is armed. */
#define HTMM_CHANNEL_ACTIVE	0x1
/* struct htmm_channel.flags: large PEBS is on (it never should be). */
#define HTMM_CHANNEL_LARGE_PEBS	0x2

/**
 * struct htmm_channel - one event on one CPU
 * @cpu: CPU number
 * @event: index into the events of the session
 * @flags: HTMM_CHANNEL_*
 * @precise_ip: the precision granted
 * @period: the period in force
 * @count: events counted by the PMU, sampled or not
 * @time_enabled: nanoseconds the event was enabled
 * @time_running: nanoseconds it really counted; less than @time_enabled if
 *	the PMU's counters are shared with others
 * @counters: where its overflows went
 *
 * @flags to @time_running are what perf says of the event; after STOP, what it
 * said last. RESET does not change them.
 */
struct htmm_channel {
	__u32 cpu;
	__u32 event;
	__u32 flags;
	__u32 precise_ip;
	__aligned_u64 period;
	__aligned_u64 count;
	__aligned_u64 time_enabled;
	__aligned_u64 time_running;
	struct htmm_counters counters;
};

/**
 * struct htmm_stats - argument of HTMM_IOC_GET_STATS
 * @size: sizeof(struct htmm_stats)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 * @channels: pointer to an array of struct htmm_channel, filled by the module
 * @nr_channels: in: room in the array, in elements; out: number of channels of
 *	the session (ask with 0 first)
 * @channel_size: sizeof(struct htmm_channel), the stride of the array
 * @events: pointer to an array of struct htmm_event: the session's events
 * @nr_events: in: room in the array; out: number of events of the session
 * @event_size: sizeof(struct htmm_event), the stride of the array
 * @total: sum over all channels
 * @samples: samples counted since the start or the last RESET, by all targets, those
 *	removed included; so are the next four
 * @coolings: coolings since then
 * @adaptations: adaptations of the thresholds since then
 * @evicted: pages that left the table to make room at a limit, the coldest regions
 *	first, approximately
 * @exited: pages that left the table because their process was gone
 * @wakeups: times a drain thread was woken by a ring's watermark
 * @batches: batches drained
 * @drain_ns: CPU time of the drain threads, in nanoseconds
 * @handler_ns: time in overflow handlers, in nanoseconds
 * @period_changes: times that a budget changed a period
 * @cost_ppm: what sampling cost between the last two looks, in millionths of the
 *	time of the CPUs sampled
 * @cpus_failed: times that a CPU came online and its events could not be created
 *
 * @drain_ns to @cpus_failed are not changed by RESET.
 *
 * ENODATA	there is no session, running or stopped
 * ENOMEM	not enough memory
 * EINVAL	a stride is smaller than the first version of its struct
 */
struct htmm_stats {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__aligned_u64 channels;
	__u32 nr_channels;
	__u32 channel_size;
	__aligned_u64 events;
	__u32 nr_events;
	__u32 event_size;
	struct htmm_counters total;
	__aligned_u64 samples;
	__aligned_u64 coolings;
	__aligned_u64 adaptations;
	__aligned_u64 evicted;
	__aligned_u64 exited;
	__aligned_u64 wakeups;
	__aligned_u64 batches;
	__aligned_u64 drain_ns;
	__aligned_u64 handler_ns;
	__aligned_u64 period_changes;
	__u32 cost_ppm;
	__u32 cpus_failed;
};

/**
 * struct htmm_bin - one bin of a histogram
 * @pages: pages (or regions) in it
 */
struct htmm_bin {
	__aligned_u64 pages;
};

/**
 * struct htmm_histogram - argument of HTMM_IOC_GET_HIST
 * @size: sizeof(struct htmm_histogram)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 * @unit: in: enum htmm_unit
 * @target: in: number of a target; 0: all of them together. If there are several, the
 *	thresholds are those of the sum of their histograms, computed now, for the
 *	session's capacity; a page that two targets track is two pages
 * @bins: pointer to an array of struct htmm_bin, filled by the module. Bin 0: the
 *	count is 0; bin b: it is 2^(b-1) to 2^b - 1
 * @nr_bins: in: room in the array, in elements; out: bins that there are, HTMM_NR_BINS
 * @bin_size: sizeof(struct htmm_bin), the stride of the array
 * @hot_threshold: pages in this bin and above are hot; HTMM_NR_BINS: none fit
 * @warm_threshold: pages in this bin and above are warm or hot
 * @pages: pages (or regions) tracked, the sum of all bins
 * @hot_pages: pages (or regions) at or above the hot threshold
 * @capacity_pages: what the fast tier holds, in units of @unit
 * @samples: samples counted since the start or the last RESET
 *
 * ENODATA	there is no session, running or stopped
 * ENOENT	the session has no target of this number
 */
struct htmm_histogram {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__u32 unit;
	__u32 target;
	__aligned_u64 bins;
	__u32 nr_bins;
	__u32 bin_size;
	__u32 hot_threshold;
	__u32 warm_threshold;
	__aligned_u64 pages;
	__aligned_u64 hot_pages;
	__aligned_u64 capacity_pages;
	__aligned_u64 samples;
};

/**
 * struct htmm_hit_ratio - argument of HTMM_IOC_GET_HIT_RATIO
 * @size: sizeof(struct htmm_hit_ratio)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 * @unit: in: enum htmm_unit, what the fast tier is filled with
 * @target: in: number of a target; 0: all of them together
 * @capacity_pages: in: what the fast tier would hold, in 4 KiB pages; 0: what the target
 *	has, or the session; out: the same in units of @unit
 * @pages: pages (or regions) that have a count
 * @fast_pages: those of them that the fast tier would hold, the hottest ones
 * @samples: sum of their counts, cooled, of all @pages
 * @hit_ppm: share of @samples that the @fast_pages have, in millionths; 0 if there are
 *	none
 * @error_ppm: by how much @hit_ppm may be too high or too low, at most 5000; 0: it is
 *	exact
 *
 * The fast tier is filled to its last page, also where the hot threshold leaves a part
 * of it empty because the next bin does not fit whole. Looks at all pages tracked,
 * while drain threads go on: pages that are sampled meanwhile may be seen before or
 * after.
 *
 * ENODATA	there is no session, running or stopped
 * ENOENT	the session has no target of this number
 * ENOMEM	not enough memory
 */
struct htmm_hit_ratio {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__u32 unit;
	__u32 target;
	__aligned_u64 capacity_pages;
	__aligned_u64 pages;
	__aligned_u64 fast_pages;
	__aligned_u64 samples;
	__u32 hit_ppm;
	__u32 error_ppm;
};

/* struct htmm_page.flags: at or above the hot threshold. */
#define HTMM_PAGE_HOT		0x1
/* struct htmm_page.flags: its process has exited, or runs another program. */
#define HTMM_PAGE_EXITED	0x2

/* struct htmm_page.node: on which NUMA node the page is, is not known. */
#define HTMM_NODE_UNKNOWN	(-1)
/* struct htmm_page.mapping_shift: by what size the page is mapped, is not known. */
#define HTMM_MAPPING_UNKNOWN	0

/**
 * struct htmm_page - one tracked page or region
 * @addr: its virtual address
 * @samples: its count, cooled; that of a region is of all samples in it
 * @pid: its process in the caller's pid namespace; 0: not visible there
 * @space: number of the address space among those of its target; a process has a new
 *	one after exec(), and a pid that is used again has a new one too
 * @bin: bin of @samples
 * @flags: HTMM_PAGE_*; hot means for its target, and as a page or as a region
 * @target: number of the target that the samples count for
 * @node: NUMA node of the page, or HTMM_NODE_UNKNOWN, as it always is yet
 * @mapping_shift: base-2 logarithm of the size by which the page is mapped, 12 or more;
 *	or HTMM_MAPPING_UNKNOWN, as it always is yet
 * @__reserved: zero
 */
struct htmm_page {
	__aligned_u64 addr;
	__aligned_u64 samples;
	__u32 pid;
	__u32 space;
	__u32 bin;
	__u32 flags;
	__u32 target;
	__s32 node;
	__u32 mapping_shift;
	__u32 __reserved;
};

/**
 * enum htmm_order - how HTMM_IOC_LIST_PAGES lists
 * @HTMM_ORDER_HOTTEST: by count, the highest first; pages of equal count by target,
 *	space, then address
 * @HTMM_ORDER_COLDEST: by count, the lowest first; the same
 * @HTMM_ORDER_TABLE: as they lie in the tables: by target; the pages of a region one
 *	after the other, by address; regions in no order that means anything
 */
enum htmm_order {
	HTMM_ORDER_HOTTEST,
	HTMM_ORDER_COLDEST,
	HTMM_ORDER_TABLE,
};

/**
 * struct htmm_list_pages - argument of HTMM_IOC_LIST_PAGES
 * @size: sizeof(struct htmm_list_pages)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 * @pages: pointer to an array of struct htmm_page, filled by the module
 * @nr_pages: in: room in the array; out: elements filled, 0 at the end
 * @page_size: sizeof(struct htmm_page), the stride of the array
 * @unit: enum htmm_unit: list pages or regions
 * @order: enum htmm_order
 * @target: number of a target; 0: all
 * @pid: only what belongs to this process, in the caller's pid namespace; 0: to any
 * @start: only what has a byte from this address on
 * @end: and below this one; 0: no limit
 * @min_samples: only what has this count or a higher one. 0: also what is tracked and
 *	has cooled to zero, that is bin 0 of the histogram
 * @max_samples: only what has this count or a lower one; 0: no limit
 * @cursor: in: all zero to begin, then as returned by the call before; out: where the
 *	next call goes on. Its contents mean nothing to the caller
 *
 * Lists what is tracked, and passes all filters, in as many calls as it takes: until
 * @nr_pages is 0. A call fills 65,536 elements at most. Between the calls of one
 * listing nothing but the array may be changed.
 *
 * HTMM_ORDER_TABLE is for all pages: each call goes on where the one before ended, so
 * that the whole takes a time that grows with the size of the tables alone. A page that
 * is tracked from the first call to the last is listed exactly once, and no page is
 * listed twice, whatever is sampled, cooled or evicted meanwhile. A page that comes or
 * goes meanwhile may be listed or not. Each page has the count of the moment in which
 * it is visited; at rest, what is listed adds up to the histogram, bin by bin.
 *
 * HTMM_ORDER_HOTTEST and HTMM_ORDER_COLDEST are for the first of many pages: each call
 * looks at all of them. They are listed where their counts stand when the call is made:
 * a page whose count changes between two calls may be missed, or be listed again. At
 * rest, each is listed exactly once.
 *
 * ENODATA	there is no session, running or stopped
 * ENOENT	the session has no target of this number
 * ESTALE	@session is not the current one; or @cursor is of another session: begin
 *		anew
 * EINVAL	@nr_pages is 0; @page_size is smaller than the first version of its
 *		struct; @end is not 0 and not above @start; @max_samples is not 0 and
 *		below @min_samples; or @cursor is of another @unit or @order, or none
 * ENOMEM	not enough memory
 */
struct htmm_list_pages {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__aligned_u64 pages;
	__u32 nr_pages;
	__u32 page_size;
	__u32 unit;
	__u32 order;
	__u32 target;
	__u32 pid;
	__aligned_u64 start;
	__aligned_u64 end;
	__aligned_u64 min_samples;
	__aligned_u64 max_samples;
	__aligned_u64 cursor[4];
};

/**
 * struct htmm_add_target - argument of HTMM_IOC_ADD_TARGET
 * @size: sizeof(struct htmm_add_target)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 * @target: pointer to a struct htmm_target
 * @target_size: sizeof(struct htmm_target)
 * @number: out: the target's number
 * @error: pointer to a text buffer, or 0; as in struct htmm_start
 * @error_size: bytes in @error
 * @__reserved: zero
 *
 * Adds a target to the session, which goes on running. Samples taken from then on
 * count for it if it is the most specific target that they match; those counted before
 * stay where they are.
 *
 * ENODATA	no session is running
 * EOPNOTSUPP	an unknown target type
 * EINVAL	@target_size is smaller than the first version of its struct
 * ERANGE	max_bytes is outside its range; or all targets' tables together would
 *		take more than half of memory
 * ESRCH	no such process
 * EBADF	the file is not open, or not a cgroup's directory
 * ENOENT	the cgroup has been removed
 * EEXIST	the session has this target already
 * ENOSPC	the session has HTMM_MAX_TARGETS already
 * ENOMEM	not enough memory
 */
struct htmm_add_target {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__aligned_u64 target;
	__u32 target_size;
	__u32 number;
	__aligned_u64 error;
	__u32 error_size;
	__u32 __reserved;
};

/**
 * struct htmm_remove_target - argument of HTMM_IOC_REMOVE_TARGET
 * @size: sizeof(struct htmm_remove_target)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 * @target: number of the target
 * @__reserved: zero
 *
 * Forgets a target and its pages and frees their memory, also after STOP. A session
 * that runs goes on running; without any target left it counts nothing. Samples of the
 * target that are in the rings are dropped as HTMM_DROP_REMOVED.
 *
 * ENODATA	there is no session, running or stopped
 * ENOENT	the session has no target of this number
 * ENOMEM	not enough memory; the target stays
 */
struct htmm_remove_target {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__u32 target;
	__u32 __reserved;
};

/*
 * struct htmm_target_info.flags: the process has exited, or the cgroup's directory is
 * removed. The target stays until it is removed, too.
 */
#define HTMM_TARGET_INFO_DEAD	0x1

/**
 * struct htmm_target_info - a target and what became of it
 * @number: its number
 * @type: enum htmm_target_type
 * @flags: HTMM_TARGET_INFO_*
 * @__reserved: zero
 * @id: for HTMM_TARGET_TGID the process in the caller's pid namespace, 0 if it is not
 *	visible there; for HTMM_TARGET_CGROUP the inode number of its directory
 * @capacity_pages: what the fast tier holds for it
 * @max_bytes: most memory for its table, in bytes
 * @bytes: memory in use by its table, in bytes
 * @pages: pages tracked
 * @regions: regions tracked
 * @samples: samples counted since it was added, or since the last RESET
 * @coolings: coolings since then
 * @adaptations: adaptations of its thresholds since then
 * @evicted: pages that left its table to make room at a limit
 * @exited: pages that left its table because their process was gone
 * @drops: samples of it that were lost after the ring, by enum htmm_drop
 * @name: the process' command, empty if it is gone; or the path of the cgroup in the
 *	caller's cgroup namespace, empty if it is too long; or empty
 * @spaces: address spaces of its pages: one for each KiB of @max_bytes at most, and
 *	never more than 65,536; samples of further ones are dropped as
 *	HTMM_DROP_SPACES_FULL
 * @space_bytes: memory in use by what is known of them, in bytes, nearly; besides @bytes,
 *	and a quarter of @max_bytes at most
 */
struct htmm_target_info {
	__u32 number;
	__u32 type;
	__u32 flags;
	__u32 __reserved;
	__aligned_u64 id;
	__aligned_u64 capacity_pages;
	__aligned_u64 max_bytes;
	__aligned_u64 bytes;
	__aligned_u64 pages;
	__aligned_u64 regions;
	__aligned_u64 samples;
	__aligned_u64 coolings;
	__aligned_u64 adaptations;
	__aligned_u64 evicted;
	__aligned_u64 exited;
	__aligned_u64 drops[HTMM_DROP_SLOTS];
	char name[HTMM_TARGET_NAME_LEN];
	__aligned_u64 spaces;
	__aligned_u64 space_bytes;
};

/**
 * struct htmm_targets - argument of HTMM_IOC_GET_TARGETS
 * @size: sizeof(struct htmm_targets)
 * @flags: none yet
 * @session: number of the session; 0: the current one
 * @targets: pointer to an array of struct htmm_target_info, filled by the module by
 *	ascending number
 * @nr_targets: in: room in the array, in elements; out: number of targets of the
 *	session (HTMM_MAX_TARGETS is always enough)
 * @target_size: sizeof(struct htmm_target_info), the stride of the array
 *
 * ENODATA	there is no session, running or stopped
 * EINVAL	@target_size is smaller than the first version of its struct
 * ENOMEM	not enough memory
 */
struct htmm_targets {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__aligned_u64 targets;
	__u32 nr_targets;
	__u32 target_size;
};

/* struct htmm_set.flags: change a capacity. */
#define HTMM_SET_CAPACITY	0x1
/* struct htmm_set.flags: change the period of an event. */
#define HTMM_SET_PERIOD		0x2

/**
 * struct htmm_set - argument of HTMM_IOC_SET
 * @size: sizeof(struct htmm_set)
 * @flags: HTMM_SET_*: what to change, at least one
 * @session: number of the session; 0: the current one
 * @target: with HTMM_SET_CAPACITY: number of the target; 0: the session, and its
 *	targets that do not say
 * @event: with HTMM_SET_PERIOD: index of the event
 * @capacity_pages: with HTMM_SET_CAPACITY: what the fast tier holds, in 4 KiB pages; 0:
 *	for a target what the session says, for the session the memory of all nodes that
 *	have CPUs
 * @period: with HTMM_SET_PERIOD: events between two samples, 1 to 2^63 - 1
 * @error: pointer to a text buffer, or 0; as in struct htmm_start
 * @error_size: bytes in @error
 * @__reserved: zero
 *
 * Changes the session that runs and leaves what was counted as it is. Either all that is
 * asked for is changed, or nothing. Members of what is not to be changed are zero.
 *
 * The thresholds follow a capacity at once, which counts as an adaptation. A period
 * holds on all CPUs of the session, those that come online later included. Samples taken
 * before keep their weight; where each counts 1, those before and after stand for
 * different numbers of events.
 *
 * ENODATA	no session is running
 * EINVAL	no flag is set; a member is given without its flag; a zero period; or the PMU
 *		rejects the period
 * ENOENT	the session has no target of this number, or no event of this index
 * EBUSY	the session's budget chooses the periods
 * ERANGE	the period is above 2^63 - 1; or below the smallest min_period of all
 *		events, with HTMM_START_WEIGHT_PERIOD
 * ENOMEM	not enough memory
 *
 * Further errors come from perf and the PMU's driver, which are asked whether the event
 * could be created with that period, and are handed on as they are. If it is refused on
 * one CPU after it was changed on others, these have the old period again, and a few
 * samples may have been taken with the new one.
 */
struct htmm_set {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__u32 target;
	__u32 event;
	__aligned_u64 capacity_pages;
	__aligned_u64 period;
	__aligned_u64 error;
	__u32 error_size;
	__u32 __reserved;
};

/**
 * enum htmm_stream_state - what a reader of the record stream can expect
 * @HTMM_STREAM_WAITING: no session has begun since it became one
 * @HTMM_STREAM_RUNNING: its session is sampling
 * @HTMM_STREAM_ENDED: its session has stopped; what is in the buffer is the rest
 */
enum htmm_stream_state {
	HTMM_STREAM_WAITING,
	HTMM_STREAM_RUNNING,
	HTMM_STREAM_ENDED,
};

/*
 * A record of the stream that is no kernel's: a header alone. All rings have been
 * emptied since the one before. Nearly always no record behind the next one of these has
 * an older time than any before this one, so what came before this one can be sorted and
 * used. Not always: a sample has the time at which its handler began, and one that is held
 * up before it writes its record (the handlers of software events can be interrupted, and a
 * virtual CPU can be stopped anywhere) is late by as long. Put such a record in where
 * it comes. perf.data files have the same record.
 */
#define HTMM_RECORD_ROUND	68

/**
 * struct htmm_stream_event - an event in the record stream
 * @id: the id that its records carry
 */
struct htmm_stream_event {
	__aligned_u64 id;
};

/**
 * struct htmm_stream - argument of HTMM_IOC_STREAM
 * @size: sizeof(struct htmm_stream)
 * @flags: none yet
 * @session: in: number of the reader's session; 0: the one that runs, or if none does,
 *	the next one; out: number of the reader's session; 0 while it waits for one, as
 *	@sample_type, @record_size and @nr_events are
 * @buffer_bytes: in: bytes of the reader's buffer, a power of two from
 *	HTMM_MIN_STREAM_BYTES to HTMM_MAX_STREAM_BYTES; 0: 1 MiB. It is charged to
 *	the caller's memory cgroup. Out: the bytes it has
 * @watermark: in: bytes of records that make poll() say that there are some, and
 *	wake a read() that waits, up to half of the buffer; 0: 1, any record. Out:
 *	the one in force
 * @state: out: enum htmm_stream_state
 * @sample_type: out: PERF_SAMPLE_* bits of a PERF_RECORD_SAMPLE: those of the
 *	session, and PERF_SAMPLE_IDENTIFIER
 * @record_size: out: bytes of a PERF_RECORD_SAMPLE
 * @__reserved: zero
 * @events: pointer to an array of struct htmm_stream_event, filled by the module
 * @nr_events: in: room in the array, in elements; out: events of the session
 * @event_size: sizeof(struct htmm_stream_event), the stride of the array
 * @offered: out: samples that ksampled took from the rings since the reader began
 * @delivered: out: of these, put in the buffer
 * @lost: out: of these, not put in the buffer, which was full; PERF_RECORD_LOST
 *	records tell where
 * @waiting_bytes: out: bytes in the buffer
 *
 * Makes an open file a reader of the record stream: read() then returns whole
 * records of perf's ABI. The reader belongs to the session that runs, or if none
 * does, to the next one, from its first sample on. On a file that is a reader
 * already it only reports, so that it may be repeated. A reader ends with its
 * file.
 *
 * Records are PERF_RECORD_SAMPLE as described by @sample_type; PERF_RECORD_LOST,
 * one for each event that lost samples, as soon as there is room again and at the
 * latest before the end; and HTMM_RECORD_ROUND. They are laid out as for a struct
 * perf_event_attr with @sample_type, sample_id_all set and read_format 0, in
 * which each event has its one id. Process and thread ids are those of the
 * initial pid namespace, whoever reads. Samples are not sorted by time: those of
 * one event on one CPU are, but not those of two. Every sample that ksampled
 * takes from a ring is offered, those that it drops as stale or table_full among
 * them; what was dropped before is only in HTMM_IOC_GET_STATS, and so is
 * throttling. RESET changes nothing here.
 *
 * A reader that does not read loses records, and slows nobody down.
 *
 * read() of as many whole records as fit: waits, unless O_NONBLOCK is set, until
 * @watermark is reached or the session has ended, and returns 0 after the last
 * record of the session. With O_NONBLOCK it returns what there is. poll() says
 * EPOLLIN when read() would not wait, EPOLLHUP too when the session has ended, and
 * EPOLLERR on a file that is no reader, and to a caller who may not read it.
 *
 * ioctl:
 * EBUSY	the file is a reader already, and @buffer_bytes or @watermark is
 *		neither 0 nor what it has
 * EFAULT	the struct or the array cannot be written; the file may have become a reader
 * ESTALE	@session is not 0, and not the reader's session, or does not run
 * EINVAL	@buffer_bytes is not a power of two
 * ERANGE	@buffer_bytes or @watermark is outside its range
 * EUSERS	there are HTMM_MAX_STREAMS readers
 * ENOMEM	not enough memory for the buffer
 *
 * read():
 * EPERM	the caller lacks CAP_PERFMON (or CAP_SYS_ADMIN)
 * EINVAL	the file is no reader, or the next record does not fit
 * EAGAIN	O_NONBLOCK is set, and there is no record
 * EINTR	a signal arrived before there was a record
 * EFAULT	the memory to read into is bad; the records stay
 */
struct htmm_stream {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__aligned_u64 buffer_bytes;
	__u32 watermark;
	__u32 state;
	__aligned_u64 sample_type;
	__u32 record_size;
	__u32 __reserved;
	__aligned_u64 events;
	__u32 nr_events;
	__u32 event_size;
	__aligned_u64 offered;
	__aligned_u64 delivered;
	__aligned_u64 lost;
	__aligned_u64 waiting_bytes;
};

#define HTMM_IOC_TYPE		0xBC

#define HTMM_IOC_START		_IO(HTMM_IOC_TYPE, 0x00)
#define HTMM_IOC_STOP		_IO(HTMM_IOC_TYPE, 0x01)
#define HTMM_IOC_GET_INFO	_IO(HTMM_IOC_TYPE, 0x02)
#define HTMM_IOC_GET_STATS	_IO(HTMM_IOC_TYPE, 0x03)
#define HTMM_IOC_GET_HIST	_IO(HTMM_IOC_TYPE, 0x04)
#define HTMM_IOC_LIST_PAGES	_IO(HTMM_IOC_TYPE, 0x05)
#define HTMM_IOC_COOL		_IO(HTMM_IOC_TYPE, 0x06)
#define HTMM_IOC_RESET		_IO(HTMM_IOC_TYPE, 0x07)
#define HTMM_IOC_ADD_TARGET	_IO(HTMM_IOC_TYPE, 0x08)
#define HTMM_IOC_REMOVE_TARGET	_IO(HTMM_IOC_TYPE, 0x09)
#define HTMM_IOC_GET_TARGETS	_IO(HTMM_IOC_TYPE, 0x0a)
#define HTMM_IOC_STREAM		_IO(HTMM_IOC_TYPE, 0x0b)
#define HTMM_IOC_SET		_IO(HTMM_IOC_TYPE, 0x0c)
#define HTMM_IOC_GET_HIT_RATIO	_IO(HTMM_IOC_TYPE, 0x0d)

#endif /* _UAPI_LINUX_HTMM_H */
