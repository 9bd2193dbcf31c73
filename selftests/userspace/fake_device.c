// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in for /dev/htmm, linked into htmmctl in place of open() and ioctl().
 *
 * FAKE_STATE=idle|running|stopped	what was there before (running)
 * FAKE_LIVE=FILE		the first line of FILE is the state at each open(): running,
 *				idle, or gone (no device); 1.5 s go by from one
 *				open() to the next, in which counters grow by what they
 *				are without it; pages of more processes; a budget
 * FAKE_OPEN_ERRNO=N		open() fails
 * FAKE_STREAM_ERRNO=N		HTMM_IOC_STREAM fails
 * FAKE_FAILS=N			the ioctl of number N fails with EIO
 * FAKE_START_ERRNO=N		HTMM_IOC_START fails, saying FAKE_START_TEXT
 * FAKE_DUMP=FILE		HTMM_IOC_START and HTMM_IOC_SET write there what they were asked for
 * FAKE_THROTTLED=N		the last channel was throttled N times
 * FAKE_CPUS_FAILED=N		so many times a CPU came and could not be sampled
 * FAKE_TARGETS=N		the session has N processes as targets, from 7000001 on; if
 *				there are several, the first space of the second is that
 *				of the parent, which has the third page
 * FAKE_STOPS=N			from the Nth HTMM_IOC_GET_INFO on the session is stopped
 * FAKE_NEXT=N			from the Nth HTMM_IOC_GET_INFO on there is another session
 * FAKE_ROOM=N			pages that fit in the fast tier of a single target
 * FAKE_OTHER=1			when the session is to be stopped, another one has begun
 * FAKE_TURNS_HOT=1		the fourth page is hot from the second list of pages on
 * FAKE_EQUAL=1			the third to seventh page have the same count; the first
 *				two of them are on node 0, the others on node 1
 * FAKE_FEW=1			few pages have samples, and these have few
 * FAKE_FED=1			the samples of its first event are fed
 * FAKE_WEIGHTS=N		samples count as much as their period; N: the smallest that the
 *				first event can have
 * FAKE_OLD=1			a module without placement
 * FAKE_SERVED=1		it counts what served samples of an event of all misses; =event: of
 *				events for near and for persistent memory, which alone tell
 * FAKE_SKIPPED=N		the page tables of N address spaces cannot be read
 * FAKE_HIDDEN=1		the caller may not learn where pages are
 * FAKE_PRIMES=1		every member is a prime number of its own: fake_primes.c
 * FAKE_RANDOM=SEED	and with that, any number
 * FAKE_RECORDS=1		the stream has three samples of this process and a LOST record
 * FAKE_THREAD=1		these samples are of a thread of it that has its own name
 * FAKE_TIERS=1			node 0 is the fast tier of htmmctl tier, and node 1 the slow one
 * FAKE_SYSCTL=DIR		files of /proc/sys/kernel are looked for in DIR
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/htmm.h>
#include <linux/perf_event.h>
#include "fake_device.h"
#include "fake_primes.h"

#define SYSCTL		"/proc/sys/kernel/"
#define FAKE_CPUS		2
#define FAKE_PAGES	5000
/* Resident pages that were never sampled. */
#define FAKE_UNSAMPLED	100
#define FAKE_NODES	2
#define FAKE_SESSION	3

static int fake_fd = -1;
static __u32 state;
static unsigned int seconds = 1;
static __u32 start_flags;
static __u32 nr_targets = 1;
static __u32 target;
/* Lists of pages that were begun. */
static int lists;
static struct htmm_event events[HTMM_MAX_EVENTS] = {
	{ .type = 4, .precise_ip = 2, .config = 0x1d3, .period = 1009, .name = "dram-load" },
	{ .type = 4, .precise_ip = 3, .config = 0x82d0, .period = 100003, .name = "store" },
};

static const struct htmm_event served_events[2] = {
	{ .type = 4, .precise_ip = 2, .config = 0x20d1, .period = 1009, .name = "llc-miss" },
	{ .type = 4, .precise_ip = 2, .config = 0x80d1, .period = 3027, .name = "pmm-load" },
};

static __u32 nr_events = 2;

static int env_number(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : 0;
}

static bool primes(void)
{
	return getenv("FAKE_PRIMES");
}

/* What there was before this open(), in a word. */
static void state_before(char *word, size_t size)
{
	const char *live = getenv("FAKE_LIVE"), *state_now = getenv("FAKE_STATE");
	FILE *file = live ? fopen(live, "re") : NULL;

	snprintf(word, size, "%s", state_now ? state_now : "running");
	if (!file)
		return;
	if (fgets(word, size, file))
		word[strcspn(word, "\n")] = '\0';
	fclose(file);
}

/* A test that says nothing else keeps no names. */
static void __attribute__((constructor)) keep_nothing(void)
{
	setenv("RUNTIME_DIRECTORY", "/nonexistent/htmm", 0);
}

int __wrap_open(const char *path, int flags, ...)
{
	char before[16], other[512];
	mode_t mode = 0;
	va_list args;

	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	if (getenv("FAKE_SYSCTL") && !strncmp(path, SYSCTL, strlen(SYSCTL))) {
		snprintf(other, sizeof(other), "%s/%s", getenv("FAKE_SYSCTL"),
			 path + strlen(SYSCTL));
		path = other;
	}
	if (strcmp(path, "/dev/htmm"))
		return __real_open(path, flags, mode);
	errno = env_number("FAKE_OPEN_ERRNO");
	if (errno)
		return -1;
	state_before(before, sizeof(before));
	if (!strcmp(before, "gone")) {
		errno = ENOENT;
		return -1;
	}
	seconds = fake_fd >= 0 && getenv("FAKE_LIVE") ? seconds + 1 : 1;
	state = !strcmp(before, "idle") ? HTMM_STATE_IDLE :
		!strcmp(before, "stopped") ? HTMM_STATE_STOPPED : HTMM_STATE_RUNNING;
	/* Of all misses instead of near memory, or of persistent memory instead of stores. */
	if (getenv("FAKE_SERVED")) {
		bool sources = !strcmp(getenv("FAKE_SERVED"), "1");

		events[!sources] = served_events[!sources];
		start_flags = HTMM_START_SERVED;
	}
	if (getenv("FAKE_ONE_EVENT"))
		nr_events = 1;
	if (getenv("FAKE_FED"))
		events[0].type = HTMM_TYPE_FEED;
	fake_fd = __real_open("/dev/null", O_RDWR | O_CLOEXEC);
	return fake_fd;
}

/* Only htmmctl tier has it. */
#pragma weak __real_tiers_find

int __wrap_tiers_find(struct tiers *tiers, struct htmm_error *err)
{
	if (!getenv("FAKE_TIERS"))
		return __real_tiers_find(tiers, err);
	tiers->fast = (struct htmm_cpus) { .size = sizeof(__u64), .bits = { 1 } };
	tiers->slow = (struct htmm_cpus) { .size = sizeof(__u64), .bits = { 2 } };
	return 0;
}

/* A cgroup of its own is more than a test of htmmctl alone can count on. */
int __wrap_mkdir(const char *path, mode_t mode)
{
	if (!strstr(path, "/htmmctl-"))
		return mkdirat(AT_FDCWD, path, mode);
	errno = EROFS;
	return -1;
}

static int fail(int code)
{
	errno = code;
	return -1;
}

static void dump_bitmap(FILE *file, const char *name, __u64 pointer, __u32 size)
{
	const __u64 *words = (void *)(unsigned long)pointer;
	__u32 i;

	fprintf(file, "%s", name);
	for (i = 0; i < size / 8; i++)
		fprintf(file, " %llx", words[i]);
	fputc('\n', file);
}

static void dump(const struct htmm_start *start)
{
	const struct htmm_event *event = (void *)(unsigned long)start->events;
	const struct htmm_target *wanted = (void *)(unsigned long)start->targets;
	FILE *file = fopen(getenv("FAKE_DUMP") ? getenv("FAKE_DUMP") : "/dev/null", "w");
	__u32 i;

	if (!file)
		return;
	fprintf(file, "flags %x\n", start->flags);
	if (start->sample_type)
		fprintf(file, "sample_type %llx\n", start->sample_type);
	for (i = 0; i < start->nr_events; i++)
		fprintf(file, "event %s %u %llx %u %llu\n", event[i].name, event[i].type,
			event[i].config, event[i].precise_ip, event[i].period);
	for (i = 0; i < start->nr_targets; i++)
		fprintf(file, "target %u %llu\n", wanted[i].type, wanted[i].id);
	dump_bitmap(file, "cpus", start->cpus, start->cpus_size);
	dump_bitmap(file, "drain_cpus", start->drain_cpus, start->drain_cpus_size);
	fprintf(file, "drain_nice %d\ndrain_interval_ms %u\nring_pages %u\n", start->drain_nice,
		start->drain_interval_ms, start->ring_pages);
	fprintf(file, "max_bytes %llu\ncapacity_pages %llu\n", start->max_bytes,
		start->capacity_pages);
	fprintf(file, "cooling_period %llu\nadaptation_period %llu\n", start->cooling_period,
		start->adaptation_period);
	if (start->flags & HTMM_START_BUDGET)
		fprintf(file, "budget_ppm %u\n", start->budget_ppm);
	if (start->budget_interval_ms)
		fprintf(file, "budget_interval_ms %u\n", start->budget_interval_ms);
	if (start->interrupt_ns)
		fprintf(file, "interrupt_ns %u\n", start->interrupt_ns);
	fclose(file);
}

static int fake_start(struct htmm_start *start)
{
	const char *text = getenv("FAKE_START_TEXT");
	const struct htmm_target *targets = (void *)(unsigned long)start->targets;

	if (start->size != sizeof(*start) || start->event_size != sizeof(struct htmm_event) ||
	    start->target_size != sizeof(struct htmm_target) || start->cpus_size % 8)
		return fail(EINVAL);
	dump(start);
	if (text)
		snprintf((char *)(unsigned long)start->error, start->error_size, "%s", text);
	if (env_number("FAKE_START_ERRNO"))
		return fail(env_number("FAKE_START_ERRNO"));
	if (state == HTMM_STATE_RUNNING)
		return fail(EBUSY);
	memcpy(events, (void *)(unsigned long)start->events,
	       start->nr_events * sizeof(struct htmm_event));
	nr_events = start->nr_events;
	nr_targets = start->nr_targets ? start->nr_targets : 1;
	target = start->nr_targets ? targets[0].id : 0;
	start_flags = start->flags;
	start->session = FAKE_SESSION;
	state = HTMM_STATE_RUNNING;
	return 0;
}

/* The first is of all tasks or a process; a dead one (FAKE_ALIVE: not) and a cgroup may follow. */
static struct htmm_target_info fake_target(__u32 number)
{
	struct htmm_target_info info = {
		.number = number, .type = HTMM_TARGET_TGID, .id = target, .name = "sh",
		.stats[HTMM_STAT_SAMPLES] = 1000 * number, .pages = 10 * number, .bytes = 1 << 20,
		.capacity_pages = 1000, .max_bytes = 16 << 20,
	};

	if (number == 2 && !getenv("FAKE_ALIVE"))
		info.flags = HTMM_TARGET_INFO_DEAD;
	if (number == 3)
		info.type = HTMM_TARGET_CGROUP;
	if (number == 1 && !target)
		info.type = HTMM_TARGET_ALL;
	info.drops[HTMM_DROP_STALE] = number;
	if (primes())
		primes_target(&info);
	return info;
}

static __u32 fake_nr_targets(void)
{
	return getenv("FAKE_TARGETS") ? (__u32)env_number("FAKE_TARGETS") : nr_targets;
}

static int fake_targets(struct htmm_targets *arg)
{
	struct htmm_target_info *info = (void *)(unsigned long)arg->targets;
	__u32 i;

	if (arg->target_size != sizeof(*info))
		return fail(EINVAL);
	for (i = 0; i < fake_nr_targets() && i < arg->nr_targets; i++)
		info[i] = fake_target(i + 1);
	arg->nr_targets = fake_nr_targets();
	return 0;
}

static int fake_add_target(struct htmm_add_target *arg)
{
	const struct htmm_target *wanted = (void *)(unsigned long)arg->target;
	FILE *file = fopen(getenv("FAKE_DUMP") ? getenv("FAKE_DUMP") : "/dev/null", "w");

	if (file) {
		fprintf(file, "target %u %llu %llu %llu\n", wanted->type, wanted->id,
			wanted->capacity_pages, wanted->max_bytes);
		fclose(file);
	}
	if (wanted->id == 6)
		return fail(ENOMEM);
	if (wanted->id == 7) {
		snprintf((char *)(unsigned long)arg->error, arg->error_size,
			 "target 1 is the same already");
		return fail(EEXIST);
	}
	arg->number = fake_nr_targets() + 1;
	return 0;
}

/* Dumped after what the same command gave START. A period of 6 is refused as by a budget. */
static int fake_set(struct htmm_set *set)
{
	FILE *file = fopen(getenv("FAKE_DUMP") ? getenv("FAKE_DUMP") : "/dev/null", "a");
	char *text = (char *)(unsigned long)set->error;

	if (file) {
		fprintf(file, "flags %x target %u capacity %llu event %u period %llu\n",
			set->flags, set->target, set->capacity_pages, set->event, set->period);
		fclose(file);
	}
	if (set->size != sizeof(*set) || !set->flags)
		return fail(EINVAL);
	if (set->target > fake_nr_targets()) {
		snprintf(text, set->error_size, "the session has no target %u", set->target);
		return fail(ENOENT);
	}
	if (set->flags & HTMM_SET_PAUSE && getenv("FAKE_OLD"))
		return fail(EOPNOTSUPP);
	if (set->period == 6) {
		snprintf(text, set->error_size, "the session has a budget");
		return fail(EBUSY);
	}
	return 0;
}

static int fake_stop(const struct htmm_session_id *stop)
{
	if (getenv("FAKE_OTHER") || (stop->session && stop->session != FAKE_SESSION))
		return fail(ESTALE);
	if (state != HTMM_STATE_RUNNING || getenv("FAKE_STOPPED"))
		return fail(EALREADY);
	state = HTMM_STATE_STOPPED;
	return 0;
}

static int fake_info(struct htmm_info *info)
{
	static int infos;

	if (++infos == env_number("FAKE_STOPS"))
		state = HTMM_STATE_STOPPED;
	if (!getenv("FAKE_OLD"))
		info->features |= HTMM_FEATURE_PLACEMENT;
	info->state = state;
	if (state == HTMM_STATE_IDLE)
		return 0;
	info->session = FAKE_SESSION + (getenv("FAKE_NEXT") && infos >= env_number("FAKE_NEXT"));
	info->session_flags = start_flags;
	if (getenv("FAKE_PAUSED"))
		info->session_flags |= HTMM_START_PAUSED;
	if (getenv("FAKE_WEIGHTS"))
		info->session_flags |= HTMM_START_WEIGHT_PERIOD;
	info->owner = 42;
	info->nr_events = nr_events;
	info->nr_targets = fake_nr_targets();
	info->nr_cpus = FAKE_CPUS;
	info->elapsed_ns = seconds * 1500000000ULL;
	if (getenv("FAKE_LIVE")) {
		info->session_flags |= HTMM_START_BUDGET;
		info->budget_ppm = 30000;
	}
	info->capacity_pages = getenv("FAKE_CAPACITY") ? env_number("FAKE_CAPACITY") : 1000;
	if (primes())
		primes_info(info);
	return 0;
}

/*
 * Channel i has i + 1 drops for each reason, and one the header does not know; no
 * target was removed.
 */
static struct htmm_counters channel_counters(unsigned int i)
{
	struct htmm_counters counters = { .counted = 1000 * (i + 1) * seconds, .nmi = 7 };
	unsigned int drop;

	if (getenv("FAKE_UNCOUNTED"))
		counters.counted = 0;

	counters.overflows = counters.counted;
	for (drop = 0; drop <= HTMM_NR_DROPS; drop++) {
		if (drop == HTMM_DROP_REMOVED)
			continue;
		counters.drops[drop] = (i + 1) * seconds;
		counters.overflows += (i + 1) * seconds;
	}
	counters.drops[HTMM_DROP_STALE] += env_number("FAKE_STALE");
	counters.overflows += env_number("FAKE_STALE");
	return counters;
}

static int fake_stats(struct htmm_stats *stats)
{
	struct htmm_channel_info *channels = (void *)(unsigned long)stats->channels;
	unsigned int nr = nr_events * FAKE_CPUS, room = stats->nr_channels, i, drop;

	for (i = 0; i < nr; i++) {
		struct htmm_counters counters = channel_counters(i);

		if (i == nr - 1)
			counters.throttled = env_number("FAKE_THROTTLED");
		stats->total.throttled += counters.throttled;
		if (i < room)
			channels[i] = (struct htmm_channel_info) {
				.cpu = i / nr_events, .event = i % nr_events,
				.flags = HTMM_CHANNEL_ACTIVE, .precise_ip = 2,
				.period = events[i % nr_events].period,
				.counters = counters,
			};
		if (i < room && primes())
			primes_channel(&channels[i], i);
		stats->total.overflows += counters.overflows;
		stats->total.counted += counters.counted;
		stats->total.nmi += counters.nmi;
		for (drop = 0; drop < HTMM_DROP_SLOTS; drop++)
			stats->total.drops[drop] += counters.drops[drop];
	}
	stats->nr_channels = nr;
	if (getenv("FAKE_PAUSED"))
		stats->stats[HTMM_STAT_PAUSED_NS] = 1000;
	if (primes()) {
		snprintf(events[0].name, sizeof(events[0].name), "a \"b\\c\nd\xfc");
		events[0].min_level = HTMM_SOURCE_REMOTE;
	}
	for (i = 0; i < nr_events; i++)
		if (!events[i].min_period)
			events[i].min_period = events[i].period;
	if (getenv("FAKE_WEIGHTS"))
		events[0].min_period = env_number("FAKE_WEIGHTS");
	if (stats->nr_events >= nr_events)
		memcpy((void *)(unsigned long)stats->events, events, nr_events * sizeof(*events));
	stats->nr_events = nr_events;
	stats->stats[HTMM_STAT_SAMPLES] = stats->total.counted;
	stats->stats[HTMM_STAT_CPUS_FAILED] = env_number("FAKE_CPUS_FAILED");
	if (getenv("FAKE_LIVE"))
		stats->cost_ppm = 12300;
	if (primes())
		primes_stats(stats);
	return 0;
}

static int fake_hist(struct htmm_histogram *hist)
{
	unsigned int bin;

	if (hist->unit > HTMM_UNIT_REGION)
		return fail(EOPNOTSUPP);
	if (hist->target > fake_nr_targets())
		return fail(ENOENT);
	hist->hot_threshold = 5;
	hist->warm_threshold = 4;
	for (bin = 0; bin < HTMM_NR_BINS; bin++)
		hist->pages += hist->bins[bin] = getenv("FAKE_SPARSE") && bin != 2 && bin != 5 ?
						 0 : bin + 1;
	hist->pages += env_number("FAKE_MORE_PAGES");
	hist->hot_pages = 300;
	hist->capacity_pages = getenv("FAKE_CAPACITY") ? env_number("FAKE_CAPACITY") :
			       hist->target && getenv("FAKE_ROOM") ? env_number("FAKE_ROOM") : 1000;
	if (primes())
		primes_hist(hist);
	return 0;
}

/* Of the pages of fake_page(), of which the fast tier holds 1000. */
static int fake_hit_ratio(struct htmm_hit_ratio *ratio)
{
	if (ratio->unit > HTMM_UNIT_REGION)
		return fail(EOPNOTSUPP);
	if (ratio->target > fake_nr_targets())
		return fail(ENOENT);
	ratio->capacity_pages = 1000;
	ratio->pages = FAKE_PAGES;
	ratio->fast_pages = 1000;
	ratio->samples = FAKE_PAGES * (FAKE_PAGES + 1ULL) / 2;
	ratio->hit_ppm = 359928;
	ratio->error_ppm = 1234;
	if (primes())
		primes_ratio(ratio);
	return 0;
}

/* This process's stack, a page of a process that is gone, and many of no one. */
static struct htmm_page fake_page(__u64 index)
{
	struct htmm_page page = {
		.samples = FAKE_PAGES - index, .bin = 3, .space = 1, .flags = HTMM_PAGE_EXITED,
		.addr = 0x7f0000000000 + (index << 12), .target = 1,
	};

	if (index == 0) {
		page.pid = getpid();
		page.addr = (__u64)(unsigned long)&page & ~0xfffULL;
		page.flags = HTMM_PAGE_HOT;
	} else if (index == 1) {
		page.pid = target;
	} else if (index == 3 && env_number("FAKE_TURNS_HOT")) {
		page.pid = getppid();
		page.flags = lists > 1 ? HTMM_PAGE_HOT : 0;
	} else if (index == 2 && fake_nr_targets() > 1) {
		page.pid = getppid();
		page.target = 2;
		page.flags = HTMM_PAGE_HOT;
	} else if (getenv("FAKE_LIVE") && index < 100) {
		page.pid = 7000000 + index;
	}
	if (getenv("FAKE_FEW"))
		page.samples = index < 1000 ? 1 + index % 4 : index % 20 == 0;
	if (primes())
		primes_page(&page);
	return page;
}

/* Every third page is on the slow node, every fourth part of a huge mapping. */
static void fake_place(struct htmm_page *page, __u64 index)
{
	page->node = index % 3 == 2;
	page->mapping_shift = index % 4 == 3 ? 21 : HTMM_PAGE_SHIFT;
	if (index != 5)
		return;
	page->node = HTMM_NODE_UNKNOWN;
	page->mapping_shift = HTMM_MAPPING_UNKNOWN;
}

/* The page at a place in the list; the coldest come last, those without samples at the end. */
static struct htmm_page listed_page(const struct htmm_list_pages *arg, __u64 at, __u64 nr)
{
	const __u64 index = arg->order == HTMM_ORDER_COLDEST ? nr - 1 - at : at;
	struct htmm_page page = fake_page(index);

	if (index >= FAKE_PAGES)
		page = (struct htmm_page) {
			.pid = getpid(), .space = 1, .target = 1,
			.addr = 0x7e0000000000 + (index << HTMM_PAGE_SHIFT),
		};
	page.node = HTMM_NODE_UNKNOWN;
	if (arg->flags && getenv("FAKE_HIDDEN"))
		page.flags |= HTMM_PAGE_HIDDEN;
	else if (arg->flags)
		fake_place(&page, index);
	if (env_number("FAKE_EQUAL") && index >= 2 && index < 7) {
		page.samples = FAKE_PAGES - 2;
		page.node = index >= 4;
		page.mapping_shift = HTMM_PAGE_SHIFT;
	}
	return page;
}

static int check_flags(const struct htmm_list_pages *arg)
{
	const __u32 known = HTMM_LIST_PLACEMENT | HTMM_LIST_NODE | HTMM_LIST_RESIDENT |
			    HTMM_LIST_OTHERS;

	if (arg->flags & ~(getenv("FAKE_OLD") ? 0 : known))
		return fail(EOPNOTSUPP);
	if ((arg->flags & HTMM_LIST_RESIDENT) &&
	    (arg->order == HTMM_ORDER_HOTTEST || arg->unit != HTMM_UNIT_PAGE))
		return fail(EOPNOTSUPP);
	if ((arg->flags & HTMM_LIST_NODE) ? arg->node < 0 || arg->node >= FAKE_NODES : arg->node)
		return fail(EINVAL);
	return 0;
}

static int fake_list_pages(struct htmm_list_pages *arg)
{
	const __u64 all = FAKE_PAGES + (arg->flags & HTMM_LIST_RESIDENT ? FAKE_UNSAMPLED : 0);
	struct htmm_page *pages = (void *)(unsigned long)arg->pages;
	__u32 nr = 0;

	if (arg->target > fake_nr_targets())
		return fail(ENOENT);
	if (check_flags(arg))
		return -1;
	if (getenv("FAKE_HIDDEN") && arg->flags & ~HTMM_LIST_PLACEMENT)
		return fail(EPERM);
	lists += !arg->cursor[0];
	arg->skipped = arg->flags && !arg->cursor[0] ? env_number("FAKE_SKIPPED") : 0;
	while (nr < arg->nr_pages && arg->cursor[0] < all) {
		const struct htmm_page page = listed_page(arg, arg->cursor[0]++, all);

		if (!(arg->flags & HTMM_LIST_OTHERS) && page.samples < arg->min_samples)
			continue;
		if (!(arg->flags & HTMM_LIST_NODE) || page.node == arg->node ||
		    (arg->flags & HTMM_LIST_OTHERS && page.samples >= arg->min_samples))
			pages[nr++] = page;
	}
	arg->nr_pages = nr;
	return 0;
}

/* Of target 0 as given here, of target n this times n + 1. */
static int fake_placement(struct htmm_placement *arg)
{
	static const struct htmm_node_placement all[FAKE_NODES] = {
		{ .node = 0, .flags = HTMM_NODE_FAST, .pages = 3000, .huge_pages = 512,
		  .tracked_pages = 1100, .hot_pages = 70, .warm_pages = 30, .samples = 2000 },
		{ .node = 1, .pages = 8000, .huge_pages = 1536, .tracked_pages = 2300,
		  .hot_pages = 450, .warm_pages = 120, .samples = 6000 },
	};
	struct htmm_node_placement *nodes = (void *)(unsigned long)arg->nodes;
	const __u32 times = arg->target + 1;
	__u32 i, bin;

	if (getenv("FAKE_OLD"))
		return fail(ENOTTY);
	if (arg->target > fake_nr_targets())
		return fail(ENOENT);
	if (arg->size != sizeof(*arg) || arg->node_size != sizeof(*nodes))
		return fail(EINVAL);
	if (getenv("FAKE_HIDDEN"))
		return fail(EPERM);
	for (i = 0; i < FAKE_NODES && i < arg->nr_nodes; i++) {
		nodes[i] = all[i];
		nodes[i].pages *= times;
		nodes[i].huge_pages *= times;
		nodes[i].tracked_pages *= times;
		nodes[i].hot_pages *= times;
		nodes[i].warm_pages *= times;
		nodes[i].samples *= times;
		for (bin = 0; bin < 8; bin++)
			nodes[i].bins[bin] = (bin + 1) * (i + 1) * times;
	}
	arg->nr_nodes = FAKE_NODES;
	arg->spaces = 4;
	arg->skipped = env_number("FAKE_SKIPPED");
	arg->unknown_pages = 40 * times;
	arg->unknown_samples = 500 * times;
	arg->shared_pages = 25 * times;
	return 0;
}

/*
 * Of two events on the CPUs of two nodes; of target n this times n + 1. The first samples
 * loads of every memory: 3 of 4 are fast. Without sources, each event tells by itself.
 */
static int fake_served(struct htmm_served *arg)
{
	static const __u64 all[3][HTMM_NR_SOURCES] = {
		{ 11, 700, 2700, 0, 100, 3 }, { 17, 19, 0, 0, 800, 23 }, { 5000, 0, 0, 0, 0, 0 },
	};
	struct htmm_served_row *rows = (void *)(unsigned long)arg->rows;
	bool sources = getenv("FAKE_SERVED") && !strcmp(getenv("FAKE_SERVED"), "1");
	const __u32 nr = nr_events > 1 ? 3 : 2;
	__u32 i, source;

	if (!getenv("FAKE_SERVED"))
		return fail(ENOTTY);
	if (arg->target > fake_nr_targets())
		return fail(ENOENT);
	if (arg->size != sizeof(*arg) || arg->row_size != sizeof(*rows))
		return fail(EINVAL);
	for (i = 0; i < nr && i < arg->nr_rows; i++) {
		rows[i] = (struct htmm_served_row) { .cpu_node = i == 1, .event = i == 2 };
		for (source = 0; source < HTMM_NR_SOURCES; source++)
			rows[i].samples[sources ? source : 0] += all[i][source] * seconds *
								 (arg->target + 1);
	}
	arg->nr_rows = nr;
	return 0;
}

/**
 * struct fake_sample - a record of the stream, in the order that perf gives its members
 */
struct fake_sample {
	struct perf_event_header header;
	__u64 id, ip;
	__u32 pid, tid;
	__u64 time, addr;
	__u32 cpu, res;
	__u64 period, data_src;
};

static void *be_thread(void *tid)
{
	prctl(PR_SET_NAME, "fake-thread");
	__atomic_store_n((pid_t *)tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	pause();
	return NULL;
}

/* FAKE_THREAD: the process has a thread with a name of its own. Returns its id. */
static pid_t fake_thread(void)
{
	static pid_t tid;
	pthread_t thread;

	if (pthread_create(&thread, NULL, be_thread, &tid))
		abort();
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		usleep(1000);
	return tid;
}

/* Records that are in the stream: no two members are equal. */
static int fake_records(void)
{
	const pid_t thread = getenv("FAKE_THREAD") ? fake_thread() : 0;
	const struct {
		struct perf_event_header header;
		__u64 id, lost;
	} lost = { { PERF_RECORD_LOST, 0, sizeof(lost) }, 9, 17 };
	int i, fd = memfd_create("stream", MFD_CLOEXEC);
	bool ok = fd >= 0 && write(fd, &lost, sizeof(lost)) == sizeof(lost);

	for (i = 0; ok && i < 3; i++) {
		const struct fake_sample sample = {
			{ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
			.id = 9, .ip = 0x401000 + 13 * i, .pid = getpid(),
			.tid = thread ? thread : getpid() + i,
			.time = 5000000 + 3001 * i, .addr = 0x7e0000001000 + 4099 * i,
			.cpu = i & 1, .period = 1013 + i, .data_src = 0x11 + i,
		};

		ok = write(fd, &sample, sizeof(sample)) == sizeof(sample);
	}
	ok = ok && !lseek(fd, 0, SEEK_SET) && dup2(fd, fake_fd) >= 0;
	if (fd >= 0)
		close(fd);
	return ok ? 0 : -1;
}

/* Without records, a read finds the end at once. */
static int fake_stream(struct htmm_stream *stream)
{
	__u32 i;

	errno = env_number("FAKE_STREAM_ERRNO");
	if (errno)
		return -1;
	stream->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			      PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	for (i = 0; i < nr_events; i++)
		stream->ids[i] = 9 + i;
	stream->nr_events = nr_events;
	if (!getenv("FAKE_RECORDS"))
		return 0;
	stream->sample_type |= PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC;
	return fake_records();
}

/* FAKE_DUMP: what was handed in. The ring is full at every other call, and has room for 300. */
static int fake_feed(struct htmm_feed *arg)
{
	const struct htmm_feed_sample *sample = (void *)(unsigned long)arg->samples;
	static bool full;
	const char *path = getenv("FAKE_DUMP");
	FILE *file;
	__u32 i, nr;

	full = !full;
	if (full)
		return fail(EAGAIN);
	if (arg->event >= nr_events || events[arg->event].type != HTMM_TYPE_FEED ||
	    arg->sample_size != sizeof(*sample))
		return fail(EINVAL);
	nr = arg->nr_samples < 300 ? arg->nr_samples : 300;
	arg->nr_samples -= nr;
	file = path ? fopen(path, "a") : NULL;
	for (i = 0; file && i < nr; i++)
		fprintf(file, "fed %u %d %llu %llx %llu %llu %llx\n", sample[i].pid,
			(int)sample[i].tid, sample[i].cookie, sample[i].addr, sample[i].time,
			sample[i].period, sample[i].data_src);
	if (file)
		fclose(file);
	return 0;
}

static int fake_ioctl(unsigned long request, void *arg)
{
	if (getenv("FAKE_FAILS") && env_number("FAKE_FAILS") == (int)_IOC_NR(request))
		return fail(EIO);
	if (request == HTMM_IOC_GET_INFO)
		return fake_info(arg);
	if (request == HTMM_IOC_START)
		return fake_start(arg);
	if (request == HTMM_IOC_STOP)
		return fake_stop(arg);
	if (request == HTMM_IOC_STREAM)
		return fake_stream(arg);
	if (state == HTMM_STATE_IDLE)
		return fail(ENODATA);
	if (request == HTMM_IOC_GET_STATS)
		return fake_stats(arg);
	if (request == HTMM_IOC_GET_HIST)
		return fake_hist(arg);
	if (request == HTMM_IOC_GET_HIT_RATIO)
		return fake_hit_ratio(arg);
	if (request == HTMM_IOC_LIST_PAGES)
		return fake_list_pages(arg);
	if (request == HTMM_IOC_GET_PLACEMENT)
		return fake_placement(arg);
	if (request == HTMM_IOC_GET_SERVED)
		return fake_served(arg);
	if (request == HTMM_IOC_FEED)
		return fake_feed(arg);
	if (request == HTMM_IOC_GET_TARGETS)
		return fake_targets(arg);
	if (request == HTMM_IOC_ADD_TARGET)
		return fake_add_target(arg);
	if (request == HTMM_IOC_REMOVE_TARGET)
		return ((struct htmm_target_id *)arg)->target > fake_nr_targets() ?
			fail(ENOENT) : 0;
	if (request == HTMM_IOC_COOL)
		return ((struct htmm_target_id *)arg)->target > fake_nr_targets() ?
		       fail(ENOENT) : 0;
	if (request == HTMM_IOC_SET)
		return fake_set(arg);
	if (request == HTMM_IOC_RESET)
		return 0;
	return fail(ENOTTY);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return fd == fake_fd ? fake_ioctl(request, arg) : __real_ioctl(fd, request, arg);
}
