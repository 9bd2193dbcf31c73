/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * htmm - hot-page sampling from hardware memory-access events
 *
 * The interface of /dev/htmm. Every ioctl takes a pointer to its own struct. Members with these
 * names mean the same everywhere, unless the struct says more:
 *
 *   @size	the size the caller knows: set it to sizeof(struct ...)
 *   @flags	what is asked for beyond the usual
 *   @session	number of the session that is meant; 0: the current one
 *   @target	number of a target; 0: all together
 *   @unit	enum htmm_unit: pages or regions
 *   @error	text buffer of @error_size bytes, or 0: on failure the module writes a
 *		NUL-terminated message there; HTMM_ERROR_LEN bytes are always enough
 *   NAMEs, nr_NAMEs, NAME_size	an array: pointer, number of elements, and size of an element (its
 *		stride). For an array that the module fills, the number is the room on input, and on
 *		output that of existing elements, which may be larger. If the room is 0, pointer and
 *		stride are ignored
 *   @__reserved	zero
 *
 * Structs and elements of arrays only grow at their end, and zero in a new member always means the
 * old behaviour, so old programs run on new modules and new programs on old modules. GET_INFO
 * returns the features of a module. Pointers are passed as __aligned_u64, so 32-bit programs need
 * no conversion.
 *
 * Pages have 4 KiB, regions 2 MiB. Sizes are in bytes, unless a name says pages; pids are those of
 * the caller's pid namespace, and 0 if not visible there.
 *
 * Errors (errno) that a call returns for these reasons; others are listed with its struct:
 *
 *   ENOTTY	the ioctl is not one of htmm's
 *   EFAULT	a pointer, or an array's pointer with a non-zero number, is bad. Nothing has changed
 *		then, unless another thread took the memory away during the call
 *   EINVAL	@size, or the size of an array's element, is smaller than the first version of the
 *		struct; or a member has a value that it cannot have
 *   EOPNOTSUPP	this module does not know what is asked for: a flag, a value of an enum, or a
 *		reserved member that is not zero; a newer module may
 *   E2BIG	a member beyond the end of the struct that this module knows is not zero; or @size
 *		or an array's stride is above 4096
 *   ESTALE	@session is neither 0 nor the number of the current session
 *   ENODATA	there is no session, running or stopped; ADD_TARGET and SET: none is running
 *   ENOENT	the session has no target of this number
 *   EPERM	the caller lacks CAP_PERFMON (or CAP_SYS_ADMIN); only GET_INFO is open to all. Or it
 *		lacks CAP_SYS_PTRACE, and asks where pages are
 *   EINTR	a signal arrived while waiting for another caller or reading tables; try again
 *   ENOMEM	not enough memory; nothing has changed
 */
#ifndef _UAPI_LINUX_HTMM_H
#define _UAPI_LINUX_HTMM_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Hard limits of this version. */
#define HTMM_MAX_EVENTS		8
#define HTMM_MAX_TARGETS	64
#define HTMM_MAX_RING_PAGES	4096
#define HTMM_MAX_STREAMS	8
#define HTMM_MIN_STREAM_BYTES	4096
#define HTMM_MAX_STREAM_BYTES	(64 << 20)
#define HTMM_MAX_DRAIN_MS	10000
#define HTMM_MAX_INTERRUPT_NS	1000000
#define HTMM_MIN_BUDGET_MS	10
#define HTMM_MAX_BUDGET_MS	60000

/* What a caller without CAP_SYS_NICE may let sampling cost. */
#define HTMM_USER_BUDGET_PPM		20000	/* its budget_ppm if it gives none */
#define HTMM_USER_MAX_BUDGET_PPM	250000
#define HTMM_USER_MAX_BUDGET_MS		1000	/* longest budget_interval_ms */
#define HTMM_USER_COOLING_BYTES		64	/* most max_bytes / cooling_period */
#define HTMM_USER_COOL_NS		2	/* between HTMM_IOC_COOL, times max_bytes */
#define HTMM_USER_MIN_ADAPTATION	1000	/* shortest adaptation_period */
#define HTMM_USER_MIN_INTERRUPT_NS	2000	/* least interrupt_ns */

#define HTMM_EVENT_NAME_LEN	32
#define HTMM_TARGET_NAME_LEN	1024
#define HTMM_ERROR_LEN		192

/* Room in arrays by enum htmm_drop, htmm_stat and htmm_source. */
#define HTMM_DROP_SLOTS		16
#define HTMM_STAT_SLOTS		32
#define HTMM_SOURCE_SLOTS	8

/* struct htmm_event.type of an event whose samples come from user space, by HTMM_IOC_FEED. */
#define HTMM_TYPE_FEED		0xfeed0000U

/* Bins of a histogram. Bin 0: the count is 0; bin b: it is 2^(b-1) to 2^b - 1, up to 32 bits. */
#define HTMM_NR_BINS		33

#define HTMM_PAGE_SHIFT		12
#define HTMM_REGION_SHIFT	21

/* What is counted or listed: pages, or regions, which are aligned to their size. */
enum htmm_unit {
	HTMM_UNIT_PAGE,
	HTMM_UNIT_REGION,
};

/*
 * Why a sample did not reach the hot-page table. Every overflow that perf delivers is counted in
 * exactly one counter: overflows == counted + the sum of drops + in_flight. If the PMU or perf
 * loses some, the channel's overflows are below its count / period.
 */
enum htmm_drop {
	HTMM_DROP_RING_FULL,		/* the ring of its CPU and event had no room */
	HTMM_DROP_FILTERED,		/* of a task outside the session's targets, or of a guest */
	HTMM_DROP_NO_ADDR,		/* the CPU gave no valid data address, or address 0 */
	HTMM_DROP_KERNEL_ADDR,		/* the data address is not a user-space address */
	HTMM_DROP_NESTED,		/* the handler was interrupted by itself */
	HTMM_DROP_STALE,		/* its process had exited before it was drained */
	HTMM_DROP_TABLE_FULL,		/* no colder page could make room; or memory ran out */
	HTMM_DROP_REMOVED,		/* its target was removed before it was drained */
	HTMM_DROP_SPACES_FULL,		/* of a new process, but no more address spaces fit */
	HTMM_DROP_KERNEL,		/* of the kernel, which the PMU cannot exclude (IBS) */
	HTMM_DROP_NO_DATA,		/* of an instruction without data (IBS samples all) */
	HTMM_DROP_NEAR,			/* not known to be served from its event's min_level on */
	HTMM_NR_DROPS,			/* this header knows; structs have HTMM_DROP_SLOTS */
};

/* The reasons in text, for an array of HTMM_NR_DROPS names. */
#define HTMM_DROP_NAMES									\
	[HTMM_DROP_RING_FULL] = "ring_full", [HTMM_DROP_FILTERED] = "filtered",		\
	[HTMM_DROP_NO_ADDR] = "no_addr", [HTMM_DROP_KERNEL_ADDR] = "kernel_addr",	\
	[HTMM_DROP_NESTED] = "nested", [HTMM_DROP_STALE] = "stale",			\
	[HTMM_DROP_TABLE_FULL] = "table_full", [HTMM_DROP_REMOVED] = "removed",		\
	[HTMM_DROP_SPACES_FULL] = "spaces_full", [HTMM_DROP_KERNEL] = "kernel",		\
	[HTMM_DROP_NO_DATA] = "no_data", [HTMM_DROP_NEAR] = "near"

/* Bitmask of the reasons for which samples are dropped that nobody wanted; all others are lost. */
#define HTMM_DROPS_UNWANTED						\
	(1U << HTMM_DROP_FILTERED | 1U << HTMM_DROP_KERNEL |		\
	 1U << HTMM_DROP_NO_DATA | 1U << HTMM_DROP_NEAR)

/*
 * What a session counts beside overflows. The first ones each target has, too, since it was added
 * or the last RESET; those of the session include removed targets. RESET does not change
 * HTMM_STAT_DRAIN_NS and what follows it.
 */
enum htmm_stat {
	HTMM_STAT_SAMPLES,		/* samples counted */
	HTMM_STAT_COOLINGS,		/* times that all counts of a target were halved */
	HTMM_STAT_ADAPTATIONS,		/* reports of thresholds */
	HTMM_STAT_EVICTED,		/* pages removed at a limit, roughly the coldest regions */
	HTMM_STAT_EXITED,		/* pages removed because their process had exited */
	HTMM_STAT_FREED,		/* pages removed because their process freed their memory */
	HTMM_TARGET_STATS = 16,		/* end of those of targets: structs have room for these */
	HTMM_STAT_WAKEUPS = 16,		/* times that a ring's watermark woke the drain thread */
	HTMM_STAT_BATCHES,		/* batches drained */
	HTMM_STAT_DRAIN_NS,		/* CPU time of the drain thread */
	HTMM_STAT_HANDLER_NS,		/* time in overflow handlers: estimated, as few are timed */
	HTMM_STAT_PERIOD_CHANGES,	/* times that a budget changed a period */
	HTMM_STAT_CPUS_FAILED,		/* times that events of a CPU that came online failed */
	HTMM_STAT_PAUSED_NS,		/* time in pauses */
	HTMM_NR_STATS,			/* this header knows; structs have HTMM_STAT_SLOTS */
};

/* Their names, for an array of HTMM_STAT_SLOTS; numbers that are not in use have none. */
#define HTMM_STAT_NAMES									\
	[HTMM_STAT_SAMPLES] = "samples", [HTMM_STAT_COOLINGS] = "coolings",		\
	[HTMM_STAT_ADAPTATIONS] = "adaptations", [HTMM_STAT_EVICTED] = "evicted",	\
	[HTMM_STAT_EXITED] = "exited", [HTMM_STAT_FREED] = "freed",			\
	[HTMM_STAT_WAKEUPS] = "wakeups", [HTMM_STAT_BATCHES] = "batches",		\
	[HTMM_STAT_DRAIN_NS] = "drain_ns", [HTMM_STAT_HANDLER_NS] = "handler_ns",	\
	[HTMM_STAT_PERIOD_CHANGES] = "period_changes", [HTMM_STAT_CPUS_FAILED] = "cpus_failed",	\
	[HTMM_STAT_PAUSED_NS] = "paused_ns"

/**
 * struct htmm_event - one event to sample, on every CPU of the session that takes it
 * @type: perf_event_attr.type: PERF_TYPE_RAW, or a PMU's type from sysfs; or HTMM_TYPE_FEED, with
 *	only @period, @min_level and @name: its count is 0, and a budget does not change its period
 * @precise_ip: perf_event_attr.precise_ip, 0 to 3; Intel's memory events carry an address from 1 on
 * @config: with @config1 and @config2 as in perf_event_attr
 * @config1: load latency threshold, for example
 * @config2: for some events
 * @period: events between two samples, 1 to 2^63 - 1: the initial period. AMD's IBS has multiples
 *	of 16: perf rounds @period down to one, a budget takes those from @min_period to
 *	@max_period, and SET refuses others
 * @min_period: smallest period for a budget, or for SET with HTMM_START_WEIGHT_PERIOD; 0: @period
 * @max_period: largest period that a budget may choose; 0: 1000 * @period. A caller without
 *	CAP_SYS_NICE leaves it out, and gets 2^63 - 1
 * @name: name of the event in statistics; NUL-terminated, may be empty
 * @min_level: enum htmm_source; samples are dropped that nearer memory served, or of which the CPU
 *	does not tell what served them; 0: none. HTMM_SOURCE_LOCAL leaves out what a cache served
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
	__u32 min_level;
};

/* What a target names. A cgroup is one of version 2, with its tasks and those below it. */
enum htmm_target_type {
	HTMM_TARGET_TGID = 1,		/* a process, all its threads; not its children */
	HTMM_TARGET_CGROUP = 2,		/* the tasks that are in a cgroup when sampled */
	HTMM_TARGET_ALL = 3,		/* every task */
};

/**
 * struct htmm_target - whose accesses are counted
 * @type: enum htmm_target_type
 * @id: for HTMM_TARGET_TGID any thread id of the process; for HTMM_TARGET_CGROUP an open file of
 *	the cgroup's directory; for HTMM_TARGET_ALL zero
 * @capacity_pages: what the fast tier holds for this target; 0: as in struct htmm_start
 * @max_bytes: most memory for this target's hot-page table; 0: as in struct htmm_start
 *
 * Targets are numbered from 1 on as they are added; no number is reused within a session. A sample
 * counts for one target, the most specific: a process before a cgroup, an inner cgroup before an
 * outer one, all tasks last.
 */
struct htmm_target {
	__u32 type;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 capacity_pages;
	__aligned_u64 max_bytes;
};

/*
 * struct htmm_start.flags:
 * KEEP_EXITED: keep the pages of processes that have exited. Without it they are removed from the
 * table, and the last samples of the process are dropped as stale. With it, if there is no room for
 * another address space, one of an exited process goes, approximately that with the fewest regions.
 * WEIGHT_PERIOD: a sample counts its period divided by the smallest of all events, rounded. So
 * events with different periods are weighted correctly, also while a budget changes them.
 * SERVED: count the samples of each target by what served them, for GET_SERVED: by event, and with
 * PERF_SAMPLE_DATA_SRC, without which this costs next to nothing, by what the CPU reports.
 * KEEP: closing the fd that started it stops the session as STOP does, so its results stay.
 */
#define HTMM_START_DETACHED		0x1	/* it outlives the fd that started it */
#define HTMM_START_KEEP_EXITED		0x2
#define HTMM_START_BUDGET		0x4	/* keep the cost within budget_ppm by the periods */
#define HTMM_START_WEIGHT_PERIOD	0x8
#define HTMM_START_SERVED		0x10
#define HTMM_START_PAUSED		0x20	/* begin with a pause; set during each pause */
#define HTMM_START_KEEP			0x40

/**
 * struct htmm_start - argument of HTMM_IOC_START
 * @session: in: zero; out: number of the new session
 * @events: array of 1 to HTMM_MAX_EVENTS struct htmm_event
 * @targets: array of up to HTMM_MAX_TARGETS struct htmm_target; none: one of type HTMM_TARGET_ALL
 * @cpus: bitmap of the CPUs to sample, an array of __u64: CPU n is bit n % 64 of word n / 64
 * @drain_cpus: bitmap of the CPUs that the drain thread may use
 * @cpus_size: bytes in @cpus, a multiple of 8; 0: all CPUs
 * @drain_cpus_size: bytes in @drain_cpus, likewise; without CAP_SYS_NICE 0 means those on which the
 *	caller may run itself
 * @drain_nice: nice value of the drain thread, -20 to 19
 * @drain_interval_ms: the longest a sample waits in a ring below its watermark, 1 to
 *	HTMM_MAX_DRAIN_MS; 0: 50
 * @sample_type: PERF_SAMPLE_* bits: TIME, CPU, PERIOD and DATA_SRC; IP, TID and ADDR are always set
 * @ring_pages: pages in each ring, a power of two up to HTMM_MAX_RING_PAGES; 0: 32
 * @max_bytes: most memory for the hot-page table of a target without a limit of its own, up to 512
 *	GiB, and for all half of the memory; 0: 1/512 of the memory, and at least 16 MiB
 * @capacity_pages: what the fast tier holds; 0: the memory of all nodes that have CPUs
 * @cooling_period: samples of a target between two coolings of its table; 0: four for each page
 *	that has a count, at least 2,000,000; without KEEP_EXITED three if other pages become hot
 * @adaptation_period: samples of a target between two reports of its thresholds by the tracepoint
 *	htmm_threshold; 0: 100,000. Whoever reads thresholds gets those of that moment
 * @budget_ppm: with HTMM_START_BUDGET: allowed cost of sampling, in millionths of the time of the
 *	sampled CPUs, up to 1,000,000; 0: as low as possible. The cost is the time in overflow
 *	handlers, @interrupt_ns for each, and the CPU time of the drain thread
 * @interrupt_ns: cost of an interrupt outside the handler, up to HTMM_MAX_INTERRUPT_NS; 0: 2,000
 * @budget_interval_ms: between two checks, HTMM_MIN_BUDGET_MS to HTMM_MAX_BUDGET_MS; 0: 1,000
 *
 * Starts a session; the module has at most one. Either all events run on all online CPUs of the
 * session, or nothing is started. CPUs that come online later are sampled from then on. The results
 * of a stopped session are discarded once this one samples. All memory of a session is charged to
 * the caller's memory cgroup. No limit of the caller counts the CPU time of a kernel thread, so
 * without CAP_SYS_NICE a session has a budget, and the limits named HTMM_USER_*.
 *
 * These may also be errors of the PMU's driver; @error says more:
 * EPERM	kernel lockdown forbids perf; CAP_SYS_NICE is missing for a @drain_nice that
 *		RLIMIT_NICE does not allow, for @drain_cpus on which the caller may not run itself,
 *		for a max_period, for an event of HTMM_TYPE_FEED, or beyond a limit HTMM_USER_*; or
 *		CAP_IPC_LOCK for rings of more than 516 KiB for each CPU and RLIMIT_MEMLOCK
 * EBUSY	a session is running; or the event or its counters are in use by others
 * EINVAL	@session is not 0; no event; a period of 0 or outside its own limits; budget_ppm
 *		without HTMM_START_BUDGET; a name that does not end or has a control character; or
 *		the PMU rejects the event's configuration
 * E2BIG	too many events or targets
 * ERANGE	a number outside its range; a CPU that this machine cannot have; rings of more than
 *		a quarter of memory, or tables of more than half
 * ENODEV	no CPU of a bitmap is online
 * ESRCH	no such process
 * EBADF	a target's file is not open, or not a cgroup's directory
 * EEXIST	two targets are the same
 * ENOENT	a target's cgroup has been removed; no CPU takes an event, or a CPU takes none; or
 *		an event is none of a CPU's hardware, cache, raw and IBS events, nor a page,
 *		alignment or emulation fault
 * ENODATA	for PERF_SAMPLE_DATA_SRC or a min_level this CPU needs another event beside this one
 * EOPNOTSUPP	the PMU cannot sample this event, or not with this precision
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
	__aligned_u64 max_bytes;
	__aligned_u64 capacity_pages;
	__aligned_u64 cooling_period;
	__aligned_u64 adaptation_period;
	__aligned_u64 error;
	__u32 error_size;
	__u32 budget_ppm;
	__u32 interrupt_ns;
	__u32 budget_interval_ms;
};

/*
 * struct htmm_session_id - argument of two ioctls
 * HTMM_IOC_STOP stops sampling and drains every ring. The results can be read until the next START,
 * or until the fd that started the session is closed. Any permitted caller may stop any session.
 * EALREADY	no session is running
 * HTMM_IOC_RESET forgets all pages, and counts all from 0 but what enum htmm_stat excludes.
 */
struct htmm_session_id {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
};

/*
 * struct htmm_target_id - argument of two ioctls
 * HTMM_IOC_COOL halves every count of a target now, as if a cooling period had ended. EBUSY without
 * CAP_SYS_NICE if the last such call is less than HTMM_USER_COOL_NS for each byte of max_bytes ago.
 * HTMM_IOC_REMOVE_TARGET removes a target with its pages, and frees their memory, also after STOP.
 * A running session continues; without a target it counts nothing. Samples of the target that are
 * in the rings are dropped as HTMM_DROP_REMOVED.
 */
struct htmm_target_id {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__u32 target;
	__u32 __reserved;
};

/* State of the module's one session. */
enum htmm_state {
	HTMM_STATE_IDLE,		/* none since loading, or its results are gone */
	HTMM_STATE_RUNNING,
	HTMM_STATE_STOPPING,		/* the last samples are being drained */
	HTMM_STATE_STOPPED,		/* the results can be read */
};

/* struct htmm_info.features: what not all kernels or modules have; no bit is ever reused. */
#define HTMM_FEATURE_CGROUPS	0x1	/* cgroups can be targets */
#define HTMM_FEATURE_PLACEMENT	0x2	/* HTMM_LIST_* and HTMM_IOC_GET_PLACEMENT */

/**
 * struct htmm_info - argument of HTMM_IOC_GET_INFO, filled by the module
 * @session: out: the number, counted from 1 since loading; 0: there is none
 * @features: HTMM_FEATURE_*
 * @state: enum htmm_state
 * @max_events: limit of struct htmm_start.nr_events
 * @max_targets: of nr_targets
 * @max_ring_pages: of ring_pages
 * @session_flags: HTMM_START_*. This member and all that follow are zero if there is no session
 * @owner: process that started it
 * @nr_cpus: CPUs that are sampled, or were until the stop
 * @ring_pages: pages in each ring
 * @elapsed_ns: since the start, or from start to stop, without pauses
 * @sample_type: PERF_SAMPLE_* bits of a record
 * @budget_ppm: valid only with HTMM_START_BUDGET
 * @max_bytes: limit of the table of a target without a limit of its own
 * @capacity_pages: for targets without a capacity of their own
 * @cooling_period: in samples; 0: it follows the number of pages
 * @adaptation_period: in samples
 * @table_bytes: memory in use by all hot-page tables
 * @ring_bytes: memory in use by all rings
 * @drain_pid: pid of the drain thread; 0 also if it has ended
 *
 * Without CAP_PERFMON, @nr_cpus, @table_bytes, @ring_bytes and @drain_pid are 0.
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
	__aligned_u64 max_bytes;
	__aligned_u64 capacity_pages;
	__aligned_u64 cooling_period;
	__aligned_u64 adaptation_period;
	__aligned_u64 table_bytes;
	__aligned_u64 ring_bytes;
	__u32 drain_pid;
	__u32 __reserved;
};

/**
 * struct htmm_counters - what happened to overflows
 * @overflows: counter overflows delivered to the module
 * @counted: samples added to the hot-page table
 * @in_flight: samples in the rings, not drained yet
 * @throttled: overflows at which the kernel was throttling the event
 * @nmi: overflows handled in NMI context
 * @drops: samples dropped, by enum htmm_drop
 *
 * Exact after STOP. While a session runs, an overflow may be in one of the numbers only.
 */
struct htmm_counters {
	__aligned_u64 overflows;
	__aligned_u64 counted;
	__aligned_u64 in_flight;
	__aligned_u64 throttled;
	__aligned_u64 nmi;
	__aligned_u64 drops[HTMM_DROP_SLOTS];
};

/* struct htmm_channel_info.flags */
#define HTMM_CHANNEL_ACTIVE	0x1	/* this event on this CPU is armed */
#define HTMM_CHANNEL_LARGE_PEBS	0x2	/* large PEBS is on, which should never happen */

/**
 * struct htmm_channel_info - one event on one CPU
 * @cpu: CPU number
 * @event: index into the events of the session
 * @flags: HTMM_CHANNEL_*. This member to @time_running are perf's state of the event, after STOP
 *	the last one; RESET does not change them
 * @precise_ip: the precision in effect
 * @period: the current period
 * @count: events counted by the PMU, sampled or not
 * @time_enabled: nanoseconds the event was enabled
 * @time_running: nanoseconds it was counting; less if the PMU's counters are shared with others
 * @counters: what happened to its overflows
 */
struct htmm_channel_info {
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
 * @channels: array of struct htmm_channel_info, filled by the module
 * @events: array of struct htmm_event, filled by the module
 * @total: sum over all channels
 * @stats: by enum htmm_stat
 * @cost_ppm: cost of sampling between the last two checks, or of a stopped session since its start,
 *	in millionths of the time of the sampled CPUs
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
	__aligned_u64 stats[HTMM_STAT_SLOTS];
	__u32 cost_ppm;
	__u32 __reserved;
};

/**
 * struct htmm_histogram - argument of HTMM_IOC_GET_HIST
 * @target: in: number of a target. The thresholds of several are computed from the sum of their
 *	histograms for the session's capacity; a page that two targets track counts as two
 * @hot_threshold: pages in this bin and above are hot; HTMM_NR_BINS: the highest does not fit
 * @warm_threshold: pages in this bin and above are warm or hot
 * @pages: pages (or regions) tracked, the sum of @bins
 * @hot_pages: those at or above the hot threshold
 * @capacity_pages: what the fast tier holds, in units of @unit
 * @samples: samples counted since the start or the last RESET
 * @bins: pages (or regions) in each bin
 */
struct htmm_histogram {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__u32 unit;
	__u32 target;
	__u32 hot_threshold;
	__u32 warm_threshold;
	__aligned_u64 pages;
	__aligned_u64 hot_pages;
	__aligned_u64 capacity_pages;
	__aligned_u64 samples;
	__aligned_u64 bins[HTMM_NR_BINS];
};

/**
 * struct htmm_hit_ratio - argument of HTMM_IOC_GET_HIT_RATIO
 * @capacity_pages: in: in pages; 0: that of the target or the session; out: in units of @unit
 * @pages: pages (or regions) that have a count
 * @fast_pages: number of @pages that fill the fast tier, the hottest ones, whatever their bin
 * @samples: sum of the counts of all @pages, after cooling
 * @hit_ppm: share of @samples on the @fast_pages, in millionths; 0 if there are none. The same
 *	samples have chosen these pages, so of the accesses this is an upper bound
 * @error_ppm: largest error of @hit_ppm in either direction, at most 5000; 0: it is exact
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

/* struct htmm_page.flags */
#define HTMM_PAGE_HOT		0x1	/* at or above the hot threshold of its target */
#define HTMM_PAGE_EXITED	0x2	/* its process has exited, or runs another program */
#define HTMM_PAGE_HIDDEN	0x4	/* the caller lacks CAP_SYS_PTRACE to learn its node */

/* struct htmm_page: what is not known, or without HTMM_LIST_PLACEMENT not asked for */
#define HTMM_NODE_UNKNOWN	(-1)
#define HTMM_MAPPING_UNKNOWN	0

/**
 * struct htmm_page - one tracked page or region
 * @addr: its virtual address
 * @samples: its count after cooling; for a region, of all samples in it
 * @pid: its process
 * @space: number of its address space within the target: a new one by exec(), or for a reused pid
 * @bin: bin of @samples
 * @node: its NUMA node, of a region that of most of its resident pages; or HTMM_NODE_UNKNOWN
 * @mapping_shift: base-2 logarithm of the size of its mapping: 12, 21 or 30 on x86
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

/* Order of HTMM_IOC_LIST_PAGES. Equal counts are by target, space, then address. */
enum htmm_order {
	HTMM_ORDER_HOTTEST,		/* by count, the highest first */
	HTMM_ORDER_COLDEST,		/* by count, the lowest first */
	HTMM_ORDER_TABLE,		/* by target; of a region by address; see htmm(4) */
};

/* struct htmm_list_pages.flags */
#define HTMM_LIST_PLACEMENT	0x1	/* fill node and mapping size; the others imply it */
#define HTMM_LIST_NODE		0x2	/* only what is on @node */
#define HTMM_LIST_RESIDENT	0x4	/* all resident pages of sampled processes */
#define HTMM_LIST_OTHERS	0x8	/* with both of these: also pages of other nodes */

/**
 * struct htmm_list_pages - argument of HTMM_IOC_LIST_PAGES
 * @pages: array of struct htmm_page, filled by the module
 * @nr_pages: in: room, at least 1; out: elements filled, at most 262,144; 0 at the end
 * @order: enum htmm_order
 * @pid: list only pages of this process; 0: of any
 * @start: list only pages with a byte at or above this address
 * @end: and below this address; 0: no limit
 * @min_samples: list only pages with at least this count. 0: also tracked regions that have cooled
 *	to zero, which are in bin 0. Pages that have are not tracked
 * @max_samples: list only pages with at most this count; 0: no limit. With HTMM_LIST_OTHERS both
 *	choose only among the pages of other nodes
 * @cursor: in: all zero for the first call, then as returned by the previous one. Opaque
 * @node: with HTMM_LIST_NODE: the NUMA node; else zero
 * @skipped: out: address spaces that this call did not read, as their process changes them now.
 *	Their pages have an unknown node; with HTMM_LIST_NODE or RESIDENT they are not listed
 *
 * Lists the tracked pages or regions that pass all filters. Repeat the call until @nr_pages is 0,
 * and change only the array and its size. htmm(4) says what each order is for, and promises.
 * ESTALE	@cursor belongs to another session: start again with a zero cursor
 * EINVAL	@nr_pages is 0; no address or no count can pass the filters; @cursor is of another
 *		list, or none; @node is not a node of this machine, or not 0 without HTMM_LIST_NODE;
 *		or HTMM_LIST_OTHERS is without NODE or RESIDENT
 * EOPNOTSUPP	the kernel has no CONFIG_HMM_MIRROR; HTMM_LIST_RESIDENT with HTMM_ORDER_HOTTEST or
 *		regions; or HTMM_LIST_OTHERS with HTMM_ORDER_COLDEST
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
	__s32 node;
	__u32 skipped;
};

/* struct htmm_node_placement.flags: the node has CPUs, so the module takes it for fast. */
#define HTMM_NODE_FAST		0x1

/**
 * struct htmm_node_placement - what a target has on one NUMA node
 * @node: the node
 * @pages: resident pages of the processes that were sampled; one that several map counts once
 * @huge_pages: number of @pages that are part of a larger mapping
 * @tracked_pages: number of @pages that have a count
 * @hot_pages: number of @pages at or above the hot threshold of their target
 * @warm_pages: number of @pages from the warm threshold up to the hot one; all others are cold
 * @samples: sum of the counts of these pages, after cooling, in all processes that map them
 * @bins: number of @tracked_pages in each bin; bin 0 is empty
 */
struct htmm_node_placement {
	__s32 node;
	__u32 flags;
	__aligned_u64 pages;
	__aligned_u64 huge_pages;
	__aligned_u64 tracked_pages;
	__aligned_u64 hot_pages;
	__aligned_u64 warm_pages;
	__aligned_u64 samples;
	__aligned_u64 bins[HTMM_NR_BINS];
};

/**
 * struct htmm_placement - argument of HTMM_IOC_GET_PLACEMENT
 * @nodes: array of struct htmm_node_placement: the nodes that have memory, by ascending number
 * @spaces: address spaces that were read
 * @skipped: those that were not, as their process changed its mappings at each of several tries
 * @longest_lock_ns: longest time for which the lock of an address space was held
 * @unknown_pages: tracked pages that are not resident, or whose address space has exited or was
 *	skipped, or that no online page of memory stands for
 * @unknown_samples: sum of their counts
 * @shared_pages: resident pages that were found through more than one address space
 *
 * The share of fast nodes in all samples is the hit ratio of the present placement.
 * EOPNOTSUPP	the kernel has no CONFIG_HMM_MIRROR
 */
struct htmm_placement {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__u32 target;
	__u32 node_size;
	__aligned_u64 nodes;
	__u32 nr_nodes;
	__u32 spaces;
	__u32 skipped;
	__u32 longest_lock_ns;
	__aligned_u64 unknown_pages;
	__aligned_u64 unknown_samples;
	__aligned_u64 shared_pages;
};

/* What served an access, as the CPU reports it (PERF_SAMPLE_DATA_SRC). */
enum htmm_source {
	HTMM_SOURCE_UNKNOWN,		/* not reported, or the record has no such field */
	HTMM_SOURCE_CACHE,		/* a cache, of any CPU */
	HTMM_SOURCE_LOCAL,		/* memory of the CPU's node */
	HTMM_SOURCE_REMOTE,		/* memory of another node */
	HTMM_SOURCE_SLOW,		/* persistent memory or CXL, of any node */
	HTMM_SOURCE_OTHER,		/* a device, or memory that is not cached */
	HTMM_NR_SOURCES,		/* this header knows; the struct below has room for more */
};

/**
 * struct htmm_served_row - the samples of an event on the CPUs of a node
 * @cpu_node: NUMA node of the CPUs
 * @event: index into the events of the session
 * @samples: by enum htmm_source; with HTMM_START_WEIGHT_PERIOD the sum of their weights
 */
struct htmm_served_row {
	__s32 cpu_node;
	__u32 event;
	__aligned_u64 samples[HTMM_SOURCE_SLOTS];
};

/**
 * struct htmm_served - argument of HTMM_IOC_GET_SERVED
 * @rows: array of struct htmm_served_row: those that have samples, by ascending node and event;
 *	none without HTMM_START_SERVED
 *
 * What served the samples of a target since it was added or since the last RESET, whether its table
 * had room for their pages or not; cooling does not change it. The call is cheap.
 */
struct htmm_served {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__u32 target;
	__u32 row_size;
	__aligned_u64 rows;
	__u32 nr_rows;
	__u32 __reserved;
};

/**
 * struct htmm_add_target - argument of HTMM_IOC_ADD_TARGET
 * @target: pointer to a struct htmm_target
 * @target_size: sizeof(struct htmm_target)
 * @number: out: the target's number
 *
 * Adds a target to the running session. It gets samples taken from then on; counts are not moved.
 * ERANGE, ESRCH, EBADF, ENOENT, and EPERM for a large max_bytes, are as for a target of START.
 * EEXIST	the session has this target already
 * ENOSPC	the session has HTMM_MAX_TARGETS already
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

/* struct htmm_target_info.flags: the process has exited, or the cgroup is gone. */
#define HTMM_TARGET_INFO_DEAD	0x1

/**
 * struct htmm_target_info - a target and its counters
 * @number: its number
 * @type: enum htmm_target_type
 * @id: for HTMM_TARGET_TGID the process; for HTMM_TARGET_CGROUP the inode number of its directory
 * @capacity_pages: what the fast tier holds for it
 * @max_bytes: most memory for its table
 * @bytes: memory in use by its table
 * @pages: pages tracked
 * @regions: regions tracked
 * @spaces: address spaces of its pages: at most one for each KiB of @max_bytes, and 65,536
 * @space_bytes: approximate memory for these, not in @bytes; at most a quarter of @max_bytes
 * @stats: by enum htmm_stat, since it was added or since the last RESET
 * @drops: samples of it that were dropped after the ring, by enum htmm_drop
 * @name: for a process its command, empty if it has exited; for a cgroup its path in the caller's
 *	cgroup namespace, empty if it is too long; else empty
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
	__aligned_u64 spaces;
	__aligned_u64 space_bytes;
	__aligned_u64 stats[HTMM_TARGET_STATS];
	__aligned_u64 drops[HTMM_DROP_SLOTS];
	char name[HTMM_TARGET_NAME_LEN];
};

/**
 * struct htmm_targets - argument of HTMM_IOC_GET_TARGETS
 * @targets: array of struct htmm_target_info, by ascending number; at most HTMM_MAX_TARGETS
 */
struct htmm_targets {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__aligned_u64 targets;
	__u32 nr_targets;
	__u32 target_size;
};

/* struct htmm_set.flags: what to change */
#define HTMM_SET_CAPACITY	0x1
#define HTMM_SET_PERIOD		0x2
#define HTMM_SET_PAUSE		0x4	/* count no events until HTMM_SET_RESUME */
#define HTMM_SET_RESUME		0x8

/**
 * struct htmm_set - argument of HTMM_IOC_SET
 * @target: with HTMM_SET_CAPACITY: number of the target; 0: the session, and its targets without a
 *	capacity of their own
 * @event: with HTMM_SET_PERIOD: index of the event
 * @capacity_pages: with HTMM_SET_CAPACITY: what the fast tier holds; 0: for a target the session's
 *	capacity, for the session the memory of all nodes that have CPUs
 * @period: with HTMM_SET_PERIOD: events between two samples, 1 to 2^63 - 1
 *
 * Changes the running session, all or nothing; counts are kept. A new capacity changes the
 * thresholds immediately, which counts as an adaptation. A new period applies to all CPUs, also
 * those that come online later; samples taken before keep their weight. htmm(4) says what is
 * counted in a pause.
 * EPERM	CAP_SYS_NICE is missing for a period below that with which the event was started
 * EINVAL	no flag is set, or PAUSE and RESUME; a member is set without its flag; or the PMU
 *		rejects the period
 * ENOENT	the session has no event of this index
 * EOPNOTSUPP	the event is of HTMM_TYPE_FEED: its period is that of who hands in its samples
 * EBUSY	the session's budget chooses the periods
 * ERANGE	the period is above 2^63 - 1; or, with weights, below the smallest min_period
 * Others are those of perf and the PMU's driver. If a CPU refuses the period after others took it,
 * the old one is restored; a few samples may have been taken with the new one.
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

/* State of a reader of the record stream. */
enum htmm_stream_state {
	HTMM_STREAM_WAITING,		/* no session has begun since it became a reader */
	HTMM_STREAM_RUNNING,		/* its session is sampling */
	HTMM_STREAM_ENDED,		/* it has stopped; the buffer has its last records */
};

/* A record that is only a header: all rings were emptied since the last one; see htmm(4). */
#define HTMM_RECORD_ROUND	68

/**
 * struct htmm_feed_sample - a sample that user space has taken
 * @addr: address of the data
 * @ip: address of the instruction
 * @time: nanoseconds of perf's default clock, for records with PERF_SAMPLE_TIME
 * @period: events it stands for, up to 2^63 - 1; 0: the event's period
 * @data_src: union perf_mem_data_src; 0: not known
 * @cookie: with HTMM_FEED_FOREIGN: a number that the caller chooses, another one for each program
 *	that ran with the same @pid; else zero
 * @pid: its process
 * @tid: its thread; one that has exited is recorded as -1
 */
struct htmm_feed_sample {
	__aligned_u64 addr;
	__aligned_u64 ip;
	__aligned_u64 time;
	__aligned_u64 period;
	__aligned_u64 data_src;
	__aligned_u64 cookie;
	__u32 pid;
	__u32 tid;
};

/* struct htmm_feed.flags. With LOST or THROTTLED there are no samples, only their number. */
#define HTMM_FEED_FOREIGN	0x1	/* the processes are of another time or machine */
#define HTMM_FEED_LOST		0x2	/* the caller has lost so many samples */
#define HTMM_FEED_THROTTLED	0x4	/* the kernel has throttled the caller's event so often */
#define HTMM_FEED_CPU		0x8	/* the samples were taken on @cpu */

/**
 * struct htmm_feed - argument of HTMM_IOC_FEED
 * @samples: array of struct htmm_feed_sample
 * @nr_samples: in: their number; out: how many of them, the last ones, were not taken. In shared
 *	memory it is true at any time, even if the caller is killed before or in the call
 * @event: index of an event of HTMM_TYPE_FEED
 * @cpu: with HTMM_FEED_CPU: whose they are, else 0
 *
 * Hands samples to a running session. They go through the ring of the event on @cpu, by default the
 * caller's, or on another one if the session does not sample that now. Each that was taken is
 * counted as an overflow: it is filtered and dropped for the same reasons as those of other events.
 * Processes are looked up at the time of the call; HTMM_DROP_STALE: there is none. Foreign ones are
 * not looked up: they can only match a target of all tasks, and have exited as far as this session
 * can tell, so it needs HTMM_START_KEEP_EXITED.
 *
 * With HTMM_FEED_LOST, @nr_samples overflows are counted, and dropped as HTMM_DROP_RING_FULL. With
 * HTMM_FEED_THROTTLED, @nr_samples is added to &struct htmm_counters.throttled. @samples is 0 then.
 * Both are also taken when the session has stopped, until another starts.
 *
 * An error is returned only if no sample was taken: if an error follows some that were taken, the
 * next call returns it. Samples are read in groups; each group is checked as a whole first.
 * ENODATA	the session has stopped, or samples no CPU now
 * EAGAIN	the ring is full: wait until it was drained
 * EPERM	CAP_SYS_NICE is missing, without which no session with such an event is started
 * EINVAL	the event is none that is fed; a foreign sample without KEEP_EXITED; a cookie
 *		without HTMM_FEED_FOREIGN; a period above 2^63 - 1; a CPU without HTMM_FEED_CPU; or
 *		samples with HTMM_FEED_LOST or HTMM_FEED_THROTTLED, or both of these
 */
struct htmm_feed {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
	__aligned_u64 samples;
	__u32 nr_samples;
	__u32 sample_size;
	__u32 event;
	__u32 cpu;
};

/**
 * struct htmm_stream - argument of HTMM_IOC_STREAM
 * @session: in: number of the reader's session; 0: the running one, or if there is none, the next
 *	one; out: its number. While the reader waits for a session this and @sample_type,
 *	@record_size and @nr_events are 0
 * @buffer_bytes: in: size of the reader's buffer, a power of two from HTMM_MIN_STREAM_BYTES to
 *	HTMM_MAX_STREAM_BYTES, charged to the caller's memory cgroup; 0: 1 MiB. Out: its size
 * @watermark: in: bytes from which poll() reports data and a waiting read() is woken, up to half of
 *	the buffer; 0: 1, any record. Out: the current value
 * @state: out: enum htmm_stream_state
 * @sample_type: out: PERF_SAMPLE_* bits: those of the session, and PERF_SAMPLE_IDENTIFIER
 * @record_size: out: bytes of a PERF_RECORD_SAMPLE
 * @offered: out: samples that ksampled took from the rings since the reader began
 * @delivered: out: those put in the buffer
 * @lost: out: those lost because the buffer was full
 * @waiting_bytes: out: bytes in the buffer
 * @ids: out: the id that each event has in its records
 *
 * Makes an open file a reader of the record stream, until it is closed: read() then returns whole
 * records of perf's ABI, from the first sample of a session that begins later. On a reader the
 * ioctl reports its state. htmm(4) describes the records, their order, and what read() and poll()
 * do, with their errors.
 * EBUSY	the file is a reader already, and @buffer_bytes or @watermark, if not 0, is another
 * EFAULT	the struct cannot be written; the file may have become a reader
 * ESTALE	@session is not 0, and is not the reader's session or is not running
 * EINVAL	@buffer_bytes is not a power of two
 * ERANGE	@buffer_bytes or @watermark is outside its range
 * EUSERS	there are already HTMM_MAX_STREAMS readers
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
	__u32 nr_events;
	__aligned_u64 offered;
	__aligned_u64 delivered;
	__aligned_u64 lost;
	__aligned_u64 waiting_bytes;
	__aligned_u64 ids[HTMM_MAX_EVENTS];
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
#define HTMM_IOC_GET_PLACEMENT	_IO(HTMM_IOC_TYPE, 0x0e)
#define HTMM_IOC_GET_SERVED	_IO(HTMM_IOC_TYPE, 0x0f)
#define HTMM_IOC_FEED		_IO(HTMM_IOC_TYPE, 0x10)

#endif /* _UAPI_LINUX_HTMM_H */
