// SPDX-License-Identifier: GPL-2.0
/* The tracepoints: their contents, and that they report everything. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include "check.h"
#include "child.h"
#include "files.h"

#define PAGES		64
#define ROUNDS		5
#define RING_PAGES	64
/* Bytes of a record with the default sample_type in a ring. */
#define RECORD		64
#define MAX_CPUS	64
#define TRACING		"/sys/kernel/tracing/"
/* A separate trace buffer, so that other tracing does not interfere. */
#define INSTANCE	TRACING "instances/htmm_test/"
#define BUFFER_KIB	"2048"
/* What ksampled does at each sample; a stack takes long. */
#define SLOW		INSTANCE "events/htmm/htmm_sample/trigger"

FIXTURE(trace) {
	int fd;
	struct source source;
	struct request req;
	void *mem;
	struct stats stats;	/* as they were read last */
};

FIXTURE_SETUP(trace)
{
	if (access(TRACING "events/htmm/enable", W_OK))
		SKIP(return, "this kernel has no tracefs");
	/*
	 * An instance inherits this option. With it on, the scheduler would be patched to
	 * record names of tasks; see source_hold().
	 */
	ASSERT_EQ(0, file_write(TRACING "options/record-cmd", "0"));
	/* That of a test that did not come to its end still has its triggers. */
	rmdir(INSTANCE);
	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_EQ(0, file_write(TRACING "options/record-cmd", "1"));
	ASSERT_EQ(0, file_write(INSTANCE "buffer_size_kb", BUFFER_KIB));
	ASSERT_EQ(0, file_write(INSTANCE "trace", "\n"));
	ASSERT_EQ(0, file_write(INSTANCE "events/htmm/enable", "1"));
	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	request_add_target(&self->req, getpid());
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(trace)
{
	close(self->fd);
	file_write(INSTANCE "events/htmm/enable", "0");
	rmdir(INSTANCE);
	check_idle(_metadata);
}

/**
 * struct hit - one line of a trace
 * @name: name of the tracepoint
 * @text: its text
 */
struct hit {
	char name[32];
	char text[256];
};

/*
 * " ksampled-123 [001] ....1 12.345678: htmm_sample: cpu=1 ...": the third of the five
 * flags shows that it was not hit in an interrupt.
 */
static bool hit_read(struct __test_metadata *_metadata, FILE *file, struct hit *hit)
{
	char line[512], flags[16];

	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#')
			continue;
		if (sscanf(line, " %*s [%*u] %15s %*[0-9.]: %31[^:]: %255[^\n]",
			   flags, hit->name, hit->text) == 3) {
			EXPECT_EQ('.', flags[2]) {
				TH_LOG("%s", line);
			}
			return true;
		}
		EXPECT_EQ(NULL, strstr(line, "LOST")) {
			TH_LOG("%s", line);
		}
	}
	return false;
}

static FILE *hits(struct __test_metadata *_metadata)
{
	FILE *file = fopen(INSTANCE "trace", "r");

	EXPECT_NE(NULL, file);
	return file;
}

static __u64 count_hits(struct __test_metadata *_metadata, const char *name)
{
	FILE *file = hits(_metadata);
	struct hit hit;
	__u64 n = 0;

	while (file && hit_read(_metadata, file, &hit))
		n += !strcmp(hit.name, name);
	if (file)
		fclose(file);
	return n;
}

/* The text of the last hit of a tracepoint; "" if there is none. */
static struct hit last_hit(struct __test_metadata *_metadata, const char *name, const char *with)
{
	struct hit hit, last = {};
	FILE *file = hits(_metadata);

	while (file && hit_read(_metadata, file, &hit))
		if (!strcmp(hit.name, name) && strstr(hit.text, with))
			last = hit;
	if (file)
		fclose(file);
	return last;
}

static void stop(struct __test_metadata *_metadata, struct _test_data_trace *self)
{
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &self->stats));
}

TEST_F(trace, samples)
{
	const __u64 begin = (uintptr_t)self->mem, end = begin + PAGES * PAGE;
	unsigned int seen[PAGES] = {}, cpu, event, pid, weight, target, i;
	int cpus[MAX_CPUS], own = cpus[cpus_allowed(cpus, MAX_CPUS) - 1];
	__u64 addr, nr = 0;
	struct hit hit;
	FILE *file;

	/* Neither the first CPU nor the first target: their numbers would look like others. */
	request_add_target(&self->req, getpid());
	self->req.targets[0].id = getppid();
	ASSERT_START(self);
	ASSERT_EQ(0, cpu_pin(own));
	access_pages(&self->source, self->mem, PAGES, ROUNDS);
	stop(_metadata, self);

	file = hits(_metadata);
	ASSERT_NE(NULL, file);
	while (hit_read(_metadata, file, &hit)) {
		if (strcmp(hit.name, "htmm_sample"))
			continue;
		nr++;
		ASSERT_EQ(6, sscanf(hit.text,
				    "cpu=%u event=%u pid=%u addr=%llx weight=%u target=%u",
				    &cpu, &event, &pid, &addr, &weight, &target)) {
			TH_LOG("%s", hit.text);
		}
		if (pid == getppid())
			continue;
		EXPECT_EQ(0, event);
		EXPECT_EQ(getpid(), pid);
		EXPECT_EQ(1, weight);
		EXPECT_EQ(2, target);
		EXPECT_GT(sysconf(_SC_NPROCESSORS_CONF), cpu);
		if (addr < begin || addr >= end)
			continue;
		EXPECT_EQ(own, cpu);
		seen[(addr - begin) / PAGE]++;
	}
	fclose(file);
	EXPECT_EQ(self->stats.s.total.counted, nr);
	for (i = 0; i < PAGES; i++)
		EXPECT_EQ(ROUNDS, seen[i]);
}

static int touch_and_exit(int sock, void *arg)
{
	struct _test_data_trace *self = arg;

	child_await(sock);
	access_pages(&self->source, self->mem, PAGES, 1);
	return 0;
}

/* Sums the drops of a CPU in the trace, by reason. */
static void sum_drops(struct __test_metadata *_metadata, __u32 of, __u64 *sum)
{
	FILE *file = hits(_metadata);
	char reason[32] = "";
	struct hit hit;
	__u64 count;
	__u32 cpu;
	int i;

	ASSERT_NE(NULL, file);
	while (hit_read(_metadata, file, &hit)) {
		if (strcmp(hit.name, "htmm_drop"))
			continue;
		ASSERT_EQ(3, sscanf(hit.text, "cpu=%u event=%*u reason=%31s count=%llu",
				    &cpu, reason, &count)) {
			TH_LOG("%s", hit.text);
		}
		EXPECT_LT(0, count);
		if (cpu != of)
			continue;
		for (i = 0; i < HTMM_NR_DROPS && strcmp(reason, drop_names[i]); i++)
			;
		ASSERT_GT(HTMM_NR_DROPS, i) {
			TH_LOG("no reason: %s", reason);
		}
		sum[i] += count;
	}
	fclose(file);
}

static void touch_elsewhere(struct __test_metadata *_metadata,
			    struct _test_data_trace *self, struct child *child)
{
	child_post(child->sock);
	EXPECT_EQ(0, child_join(child));
}

/*
 * Slightly more samples than the watermark, a quarter of the ring, so that ksampled runs;
 * when its CPU time has not changed for a while, it is asleep again.
 */
static void touch_until_drained(struct __test_metadata *_metadata, struct _test_data_trace *self)
{
	static struct stats stats;
	int tries = 200;
	__u64 before;

	const size_t watermark = RING_PAGES * PAGE / RECORD / 4;

	access_pages(&self->source, self->mem, PAGES, watermark / PAGES + 1);
	do {
		ASSERT_LT(0, --tries);
		before = stats.s.stats[HTMM_STAT_DRAIN_NS];
		usleep(200000);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
	} while (!stats.s.stats[HTMM_STAT_BATCHES] || stats.s.stats[HTMM_STAT_DRAIN_NS] != before);
}

static __u64 batches(struct __test_metadata *_metadata, struct _test_data_trace *self)
{
	static struct stats stats;

	EXPECT_EQ(0, stats_read(self->fd, &stats));
	return stats.s.stats[HTMM_STAT_BATCHES];
}

/*
 * A process becomes a target, touches its pages and exits. Returns true if ksampled drained
 * nothing meanwhile, so that the process is gone when its first sample is drained:
 * otherwise it may be known from an earlier sample, and is counted until it is found to be
 * gone.
 */
static bool touch_between_batches(struct __test_metadata *_metadata, struct _test_data_trace *self)
{
	__u64 before = batches(_metadata, self);
	struct child child;

	EXPECT_EQ(0, child_start(&child, touch_and_exit, self));
	EXPECT_LT(0, device_add_target(self->fd, HTMM_TARGET_TGID, child.pid));
	touch_elsewhere(_metadata, self, &child);
	return batches(_metadata, self) == before;
}

/*
 * The handler drops samples of other tasks, before and after ksampled has run; ksampled
 * drops those of an exited process, fewer than the watermark. Each CPU has its own.
 */
TEST_F(trace, drops)
{
	struct child strangers[3];
	struct htmm_channel_info *channel;
	int cpu[2], i, tries = 10;
	__u32 n;

	ASSERT_EQ(2, cpus_allowed(cpu, 2));
	self->req.arg.ring_pages = RING_PAGES;
	self->req.arg.drain_interval_ms = 10000;
	for (i = 0; i < ARRAY_SIZE(strangers); i++) {
		ASSERT_EQ(0, cpu_pin(cpu[i == 2]));
		ASSERT_EQ(0, child_start(&strangers[i], touch_and_exit, self));
	}
	ASSERT_EQ(0, cpu_pin(cpu[0]));
	ASSERT_START(self);
	touch_elsewhere(_metadata, self, &strangers[0]);
	touch_until_drained(_metadata, self);
	touch_elsewhere(_metadata, self, &strangers[1]);
	touch_elsewhere(_metadata, self, &strangers[2]);
	while (!touch_between_batches(_metadata, self))
		ASSERT_LT(0, --tries);
	stop(_metadata, self);

	for (n = 0; n < self->stats.s.nr_channels; n++) {
		__u64 sum[HTMM_NR_DROPS] = {};

		channel = &self->stats.channels[n];
		sum_drops(_metadata, channel->cpu, sum);
		for (i = 0; i < HTMM_NR_DROPS; i++)
			EXPECT_EQ(channel->counters.drops[i], sum[i]);
		if (channel->cpu == cpu[0]) {
			EXPECT_LE(2 * PAGES, sum[HTMM_DROP_FILTERED]);
			EXPECT_LE(PAGES, sum[HTMM_DROP_STALE]);
		} else if (channel->cpu == cpu[1]) {
			EXPECT_LE(PAGES, sum[HTMM_DROP_FILTERED]);
		}
	}
}

static __u64 in_flight(struct __test_metadata *_metadata, int fd)
{
	static struct stats stats;

	EXPECT_EQ(0, stats_read(fd, &stats));
	return stats.s.total.in_flight;
}

/* A ring of 16 pages has 1024 records or more, and its watermark is a quarter. */
#define SLOW_RING	16
#define SLOW_LEAST	240
/* Enough to wake ksampled; and few enough that the kernel does not throttle the event. */
#define SLOW_BURST	400
/* Seconds after which ksampled looks without a wake-up: as many as may be asked for. */
#define INTERVAL	10
/*
 * Tries until the occupier comes in the middle of a batch. It is woken by a timer: on a busy host
 * ksampled is ready before that as often as not, or nine times in ten.
 */
#define TRIES		100

/*
 * Starts a session on @cpus[0], with a ksampled that is slow, as it traces the stack at each
 * sample, and runs on @cpus[1] alone. Returns a file that tells what is traced there.
 */
static int start_slow(struct __test_metadata *_metadata, struct _test_data_trace *self,
		      const int *cpus)
{
	const __u64 drain_cpus = 1ULL << cpus[1];
	char path[128];
	int fd;

	self->req.arg.drain_cpus = (uintptr_t)&drain_cpus;
	self->req.arg.drain_cpus_size = sizeof(drain_cpus);
	self->req.arg.drain_interval_ms = 1000 * INTERVAL;
	self->req.arg.ring_pages = SLOW_RING;
	EXPECT_EQ(0, file_write(SLOW, "stacktrace"));
	snprintf(path, sizeof(path), INSTANCE "per_cpu/cpu%d/stats", cpus[1]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, cpu_pin(cpus[0]));
	EXPECT_EQ(0, device_start(self->fd, &self->req));
	return fd;
}

/* Entries of the trace, as long as it is not full: two for each sample. Makes no page fault. */
static unsigned int entries(int fd)
{
	char text[256];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	return strncmp(text, "entries: ", 9) ? 0 : strtoul(text + 9, NULL, 10);
}

/* Without the pauses that are for a period of 1: ksampled would catch up in these. */
static void burst(struct _test_data_trace *self)
{
	struct source fast = self->source;

	fast.event.period = 2;
	access_pages(&fast, self->mem, SLOW_BURST / 8, 8);
}

/*
 * Takes ksampled's CPU away from it as soon as @entries tells that it accounts for samples: in the
 * middle of a batch, as it cannot go on while somebody with priority looks.
 */
struct occupier {
	struct child child;
	int cpu;
	int entries;
	volatile bool *busy;
};

static int occupier_body(int sock, void *arg)
{
	const struct occupier *occupier = arg;
	unsigned int tries;

	if (cpu_pin(occupier->cpu) || cpu_priority(true))
		return 1;
	while (!child_await(sock)) {
		for (tries = 100000; !entries(occupier->entries) && tries; tries--)
			usleep(50);
		*occupier->busy = true;
		while (*occupier->busy)
			;
	}
	return 0;
}

#define PREEMPT		"/sys/kernel/debug/sched/preempt"

/*
 * Debian's kernels take the CPU from a thread in the kernel only if they are told to. @before:
 * how it was, for preemption_restore(). Returns false if this kernel never does so.
 */
static bool preemption_full(char before[64])
{
	int fd = open(PREEMPT, O_RDONLY | O_CLOEXEC);
	char text[64] = "";
	struct utsname name;

	before[0] = '\0';
	if (fd >= 0) {
		/* "none (voluntary) full" */
		if (read(fd, text, sizeof(text) - 1) <= 0 ||
		    sscanf(text, "%*[^(](%63[^)]", before) != 1)
			sscanf(text, "(%63[^)]", before);
		close(fd);
		return !file_write(PREEMPT, "full");
	}
	return !uname(&name) && strstr(name.version, "PREEMPT");
}

static void preemption_restore(const char *before)
{
	if (before[0])
		file_write(PREEMPT, before);
}

static int occupier_start(struct occupier *occupier, int cpu, int fd)
{
	occupier->cpu = cpu;
	occupier->entries = fd;
	occupier->busy = child_share(PAGE);
	if (!occupier->busy)
		return -ENOMEM;
	return child_start(&occupier->child, occupier_body, occupier);
}

/* Wakes ksampled, and returns when it does not run any more. */
static void occupier_begin(struct __test_metadata *_metadata, struct _test_data_trace *self,
			   struct occupier *occupier)
{
	unsigned int tries = 1000000;

	file_clear(INSTANCE "trace");
	ASSERT_EQ(0, child_post(occupier->child.sock));
	burst(self);
	while (!*occupier->busy && --tries)
		usleep(10);
	ASSERT_NE(0, tries);
	ASSERT_NE(0, entries(occupier->entries));
}

/*
 * A ring reaches its watermark while ksampled still works on a batch from it: ksampled looks again,
 * long before the interval ends.
 */
TEST_F(trace, no_wake_up_is_lost)
{
	int cpus[2], fd, tries = TRIES;
	struct occupier occupier;
	char before[64];
	unsigned int seen;
	__u64 since;

	if (cpus_allowed(cpus, 2) < 2)
		SKIP(return, "ksampled needs a CPU of its own");
	if (!preemption_full(before))
		SKIP(return, "this kernel does not take the CPU from ksampled in a batch");
	fd = start_slow(_metadata, self, cpus);
	ASSERT_EQ(0, occupier_start(&occupier, cpus[1], fd));
	/* No page fault is the first of its kind later, and a wake-up of its own. */
	in_flight(_metadata, self->fd);
	do {
		occupier_begin(_metadata, self, &occupier);
		seen = entries(fd);
		/* Otherwise that was late: ksampled may not look again for what it has seen. */
		if (seen < 2 * SLOW_LEAST)
			burst(self);
		*occupier.busy = false;
		if (seen >= 2 * SLOW_LEAST)
			ASSERT_EQ(0, device_drained(self->fd, SLOW_BURST - 5));
	} while (seen >= 2 * SLOW_LEAST && --tries);
	ASSERT_NE(0, tries);
	since = now_ns();
	while (in_flight(_metadata, self->fd) >= SLOW_BURST - 5 &&
	       now_ns() - since < INTERVAL * NSEC)
		usleep(2000);
	/* A slow machine reaches the end of the interval with fewer looks. */
	EXPECT_GT((INTERVAL - 1) * NSEC, now_ns() - since) {
		TH_LOG("%llu samples wait", in_flight(_metadata, self->fd));
	}
	EXPECT_EQ(0, file_write(SLOW, "!stacktrace"));
	TH_LOG("after %u entries in try %d", seen, TRIES + 1 - tries);
	close(fd);
	EXPECT_EQ(0, child_join(&occupier.child));
	preemption_restore(before);
}

/*
 * Are the numbers of the running session those of one moment? Asks once: a second call would come
 * after the batch for which the first one has waited.
 */
static int ask(int sock, void *arg)
{
	const struct _test_data_trace *self = arg;
	struct htmm_stats s = {
		.size = sizeof(s),
		.channel_size = sizeof(struct htmm_channel_info),
		.event_size = sizeof(struct htmm_event),
	};
	bool sums;

	if (device_ioctl(self->fd, HTMM_IOC_GET_STATS, &s))
		return 2;
	sums = s.total.counted == s.stats[HTMM_STAT_SAMPLES] &&
	       s.total.overflows ==
	       s.total.counted + counters_drops(&s.total) + s.total.in_flight;
	return !sums;
}

/* Has it exited, or does it wait for a lock? */
static bool child_at_rest(const struct child *child)
{
	char state = child_state(child);

	return state == 'D' || state == 'Z';
}

/* Whoever asks while ksampled has taken samples and not counted them yet does not miss them. */
TEST_F(trace, statistics_are_of_one_moment)
{
	struct occupier occupier;
	int cpus[2], fd, wrong, tries = TRIES;
	struct child asker;
	unsigned int seen;
	char before[64];

	if (cpus_allowed(cpus, 2) < 2)
		SKIP(return, "ksampled needs a CPU of its own");
	if (!preemption_full(before))
		SKIP(return, "this kernel does not take the CPU from ksampled in a batch");
	fd = start_slow(_metadata, self, cpus);
	ASSERT_EQ(0, occupier_start(&occupier, cpus[1], fd));
	/*
	 * A page fault of this process is an overflow, and may come between two numbers that the
	 * asker reads: none is the first of its kind later.
	 */
	ASSERT_EQ(0, child_start(&asker, ask, self));
	while (!child_at_rest(&asker))
		usleep(50);
	child_join(&asker);
	do {
		occupier_begin(_metadata, self, &occupier);
		seen = entries(fd);
		ASSERT_EQ(0, child_start(&asker, ask, self));
		while (!child_at_rest(&asker))
			usleep(50);
		*occupier.busy = false;
		wrong = child_join(&asker);
		ASSERT_EQ(0, device_drained(self->fd, SLOW_BURST - 5));
		/*
		 * That was late: ksampled had counted nearly all, and whoever asked did not wait,
		 * but read while this process looked whether it does.
		 */
	} while (seen >= 2 * SLOW_LEAST && --tries);
	ASSERT_NE(0, tries);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, file_write(SLOW, "!stacktrace"));
	close(fd);
	EXPECT_EQ(0, child_join(&occupier.child));
	preemption_restore(before);
}

/* A busy ring does not delay the others: each batch, of 384 samples, begins with another. */
TEST_F(trace, rings_take_turns)
{
	const unsigned int batch = 384, rounds = 1 + 2 * batch / PAGES;
	int cpus[2], first = -1, cpu, i, in_a_row = 0, before = 0;
	struct hit hit;
	FILE *file;

	if (cpus_allowed(cpus, 2) < 2)
		SKIP(return, "there is one ring for each CPU");
	/* All samples wait until the end. */
	self->req.arg.drain_interval_ms = 10000;
	self->req.arg.ring_pages = 256;
	ASSERT_START(self);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, cpu_pin(cpus[i]));
		access_pages(&self->source, self->mem, PAGES, rounds);
	}
	ASSERT_EQ(0, stats_read(self->fd, &self->stats));
	EXPECT_LT(4 * batch, self->stats.s.total.in_flight);
	stop(_metadata, self);

	file = hits(_metadata);
	ASSERT_NE(NULL, file);
	while (hit_read(_metadata, file, &hit)) {
		if (strcmp(hit.name, "htmm_sample"))
			continue;
		ASSERT_EQ(1, sscanf(hit.text, "cpu=%d", &cpu));
		if (first < 0)
			first = cpu;
		if (cpu != first) {
			/* Samples of the first ring which ksampled's first look has found. */
			if (in_a_row == batch || before)
				break;
			before = in_a_row;
			in_a_row = 0;
			first = cpu;
		}
		in_a_row++;
	}
	fclose(file);
	EXPECT_EQ(batch, in_a_row) {
		TH_LOG("after %d of another ring", before);
	}
}

TEST_F(trace, cooling_and_thresholds)
{
	unsigned int hot, warm, kind, target;
	__u64 coolings, samples, tracked, capacity;
	struct htmm_histogram hist;
	struct hit hit;
	int i;

	self->req.arg.capacity_pages = PAGES / 2;
	self->req.arg.cooling_period = 4 * PAGES;
	ASSERT_START(self);
	access_pages(&self->source, self->mem, PAGES, ROUNDS);
	/* Or the next cooling that is due would be earlier. */
	ASSERT_EQ(0, device_settle(self->fd));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, device_cool(self->fd, 0));
	/* No page is cold at the end, and too many are hot: some bin is warm. */
	access_pages(&self->source, self->mem, PAGES, ROUNDS);
	stop(_metadata, self);

	EXPECT_LE(3, self->stats.s.stats[HTMM_STAT_COOLINGS]);
	EXPECT_EQ(self->stats.s.stats[HTMM_STAT_COOLINGS], count_hits(_metadata, "htmm_cool"));
	hit = last_hit(_metadata, "htmm_cool", "");
	ASSERT_EQ(4, sscanf(hit.text, "coolings=%llu samples=%llu pages=%llu target=%u", &coolings,
			    &samples, &tracked, &target));
	EXPECT_EQ(self->stats.s.stats[HTMM_STAT_COOLINGS], coolings);
	EXPECT_GE(self->stats.s.stats[HTMM_STAT_SAMPLES], samples);
	EXPECT_LE(4 * PAGES * 2, samples);
	EXPECT_LE(PAGES, tracked);
	EXPECT_GT(4 * PAGES, tracked);
	EXPECT_EQ(1, target);

	/* One for pages and one for regions each time, and once for the empty table. */
	EXPECT_EQ(2 * (self->stats.s.stats[HTMM_STAT_ADAPTATIONS] + 1),
		  count_hits(_metadata, "htmm_threshold"));
	for (kind = HTMM_UNIT_PAGE; kind <= HTMM_UNIT_REGION; kind++) {
		ASSERT_EQ(0, device_hist(self->fd, kind, &hist));
		hit = last_hit(_metadata, "htmm_threshold",
			       kind == HTMM_UNIT_PAGE ? "unit=page" : "unit=region");
		ASSERT_EQ(4, sscanf(hit.text, "unit=%*s hot=%u warm=%u capacity=%llu target=%u",
				    &hot, &warm, &capacity, &target));
		EXPECT_EQ(hist.hot_threshold, hot);
		EXPECT_EQ(hist.warm_threshold, warm);
		EXPECT_EQ(hist.capacity_pages, capacity);
		EXPECT_EQ(1, target);
		EXPECT_TRUE(kind != HTMM_UNIT_PAGE || warm < hot);
	}
}

/* A budget of zero changes to the longest period at its first check. */
TEST_F(trace, periods)
{
	unsigned int budget;
	__u64 from, to;
	struct hit hit;

	self->req.arg.flags = HTMM_START_BUDGET;
	self->req.arg.budget_interval_ms = 10;
	self->req.events[0].max_period = 7;
	ASSERT_START(self);
	ASSERT_SOON(!stats_read(self->fd, &self->stats) &&
		    self->stats.s.stats[HTMM_STAT_PERIOD_CHANGES]);
	stop(_metadata, self);
	EXPECT_EQ(1, self->stats.s.stats[HTMM_STAT_PERIOD_CHANGES]);
	EXPECT_EQ(1, count_hits(_metadata, "htmm_period"));
	hit = last_hit(_metadata, "htmm_period", "");
	ASSERT_EQ(3, sscanf(hit.text,
			    "event=0 from=%llu to=%llu cost_ppm=%*u budget_ppm=%u",
			    &from, &to, &budget));
	EXPECT_EQ(1, from);
	EXPECT_EQ(7, to);
	EXPECT_EQ(7, self->stats.channels[0].period);
	EXPECT_EQ(0, budget);
}

TEST_F(trace, a_period_that_was_set)
{
	unsigned int cost, budget;
	struct htmm_set set = {
		.flags = HTMM_SET_CAPACITY | HTMM_SET_PERIOD,
		.capacity_pages = 12345,
		.period = 7,
	};
	__u64 from, to;
	struct hit hit;

	ASSERT_START(self);
	ASSERT_EQ(0, device_set(self->fd, &set, self->req.error)) {
		TH_LOG("%s", self->req.error);
	}
	/* A refused change has no effect, and is not traced. */
	set.target = 2;
	set.period = 8;
	EXPECT_EQ(-ENOENT, device_set(self->fd, &set, self->req.error));
	stop(_metadata, self);
	EXPECT_EQ(1, count_hits(_metadata, "htmm_period"));
	hit = last_hit(_metadata, "htmm_period", "");
	ASSERT_EQ(4, sscanf(hit.text,
			    "event=0 from=%llu to=%llu cost_ppm=%u budget_ppm=%u",
			    &from, &to, &cost, &budget));
	EXPECT_EQ(1, from);
	EXPECT_EQ(7, to);
	EXPECT_EQ(0, budget);
	/* No budget has changed it. */
	EXPECT_EQ(0, self->stats.s.stats[HTMM_STAT_PERIOD_CHANGES]);
	hit = last_hit(_metadata, "htmm_threshold", "unit=page");
	EXPECT_NE(NULL, strstr(hit.text, "capacity=12345"));
}

/* As perf and bpftrace do: by its number, on every CPU. */
static int counter_open(int id, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

TEST_F(trace, perf)
{
	int cpus[MAX_CPUS], nr = cpus_allowed(cpus, MAX_CPUS), fds[MAX_CPUS], id, i;
	__u64 sum = 0, value;

	id = file_number(TRACING "events/htmm/htmm_sample/id");
	ASSERT_LE(0, id);
	for (i = 0; i < nr; i++) {
		fds[i] = counter_open(id, cpus[i]);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_START(self);
	access_pages(&self->source, self->mem, PAGES, ROUNDS);
	stop(_metadata, self);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(sizeof(value), read(fds[i], &value, sizeof(value)));
		sum += value;
		close(fds[i]);
	}
	EXPECT_LE(PAGES * ROUNDS, sum);
	EXPECT_EQ(self->stats.s.total.counted, sum);
}
