// SPDX-License-Identifier: GPL-2.0
/*
 * A feeder of `htmmctl live` hands in what comes on each CPU while the session runs. If it is
 * killed at any of its instructions, the process that guards it goes on: the module gets each
 * sample once, and hears of each loss once.
 *
 * To be killed, the feeder is single-stepped, and after each step this process does what the
 * guard would do, and undoes it. The feeder's calls do not reach the kernel; this test takes what
 * it hands in, as a whole, as the module does.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <htmm/device.h>

static int live_ioctl(int fd, unsigned long request, ...);
static int live_info(int fd, struct htmm_info *info, struct htmm_error *err);
#define ioctl live_ioctl
#undef htmm_device_info
#define htmm_device_info live_info
#include "live/source.c"
#include "live/live.c"
#undef ioctl
#undef htmm_device_info
#include "test.h"

#define SAMPLES		7
#define LOST		5

/**
 * struct module - what the module was given
 * @seen: the samples' addresses, in their order
 * @nr: how many
 * @lost: samples that it was told of
 * @throttled: how often
 * @calls: calls so far
 * @cpus: bits of the CPUs that samples came from
 * @looks: how often it was asked for its session
 * @ended: the session has ended: it takes no samples
 */
static struct module {
	__u64 seen[4 * SAMPLES];
	unsigned int nr;
	__u64 lost;
	__u64 throttled;
	unsigned int calls;
	unsigned int cpus;
	unsigned int looks;
	bool ended;
} module;

static struct session session;
static struct feeder feeder;
/* This process is the feeder. */
static bool traced;

/*
 * Two samples at a time, and at times none if it is the feeder who is @stepped. Returns 0 or a
 * negative errno.
 */
static int module_feed(struct htmm_feed *feed, bool stepped)
{
	const struct htmm_feed_sample *sample = (void *)(uintptr_t)feed->samples;
	unsigned int n = feed->nr_samples < 2 ? feed->nr_samples : 2;

	if (feed->flags & HTMM_FEED_LOST) {
		module.lost += feed->nr_samples;
		feed->nr_samples = 0;
		return 0;
	}
	if (feed->flags & HTMM_FEED_THROTTLED) {
		module.throttled += feed->nr_samples;
		feed->nr_samples = 0;
		return 0;
	}
	if (module.ended)
		return -ENODATA;
	/* Whoever comes after it need not wait. */
	if (stepped && ++module.calls % 4 == 0)
		return -EAGAIN;
	feed->nr_samples -= n;
	module.cpus |= n ? 1 << feed->cpu : 0;
	for (; n && module.nr < ARRAY_SIZE(module.seen); n--)
		module.seen[module.nr++] = sample++->addr;
	return 0;
}

static int live_ioctl(int fd, unsigned long request, ...)
{
	struct htmm_feed *feed;
	va_list list;
	int ret;

	va_start(list, request);
	feed = va_arg(list, struct htmm_feed *);
	va_end(list);
	if (request != HTMM_IOC_FEED)
		return 0;
	if (traced)
		return syscall(SYS_ioctl, fd, request, feed);
	ret = module_feed(feed, false);
	errno = -ret;
	return ret ? -1 : 0;
}

/* The session ends when the feeder has looked into all rings once. */
static int live_info(int fd, struct htmm_info *info, struct htmm_error *err)
{
	CHECK(fd == feeder.fd && !err);
	module.ended = module.looks++ > 0;
	*info = (struct htmm_info) {
		.state = module.ended ? HTMM_STATE_STOPPED : HTMM_STATE_RUNNING,
	};
	return 0;
}

static void *share(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

static void put_record(struct perf_event_mmap_page *page, __u32 type, __u64 number)
{
	struct record record = { .header = { .type = type, .size = sizeof(record) } };

	if (type == PERF_RECORD_SAMPLE)
		record.sample.addr = number;
	if (type == PERF_RECORD_LOST)
		record.lost.lost = number;
	memcpy((char *)page + page->data_offset + page->data_head, &record, sizeof(record));
	page->data_head += sizeof(record);
}

/* A ring with samples, a loss and a throttled event, and a module that has nothing yet. */
static void fill(bool ended)
{
	struct perf_event_mmap_page *page = feeder.sources.source->page;
	int i;

	module = (struct module) { .ended = ended };
	memset(page, 0, sizeof(*page));
	page->data_offset = 4096;
	for (i = 1; i <= SAMPLES; i++) {
		put_record(page, PERF_RECORD_SAMPLE, i);
		if (i == 3)
			put_record(page, PERF_RECORD_LOST, LOST);
		if (i == 5)
			put_record(page, PERF_RECORD_THROTTLE, 0);
	}
	feeder.sources.source->lost = 0;
	memset(feeder.hand, 0, sizeof(*feeder.hand));
}

/* Answers a call of the feeder. */
static void answer(pid_t pid)
{
	struct user_regs_struct regs;

	CHECK(!ptrace(PTRACE_GETREGS, pid, NULL, &regs));
	regs.rax = 0;
	if (regs.orig_rax == SYS_ioctl)
		regs.rax = module_feed((void *)(uintptr_t)regs.rdx, true);
	CHECK(!ptrace(PTRACE_SETREGS, pid, NULL, &regs));
}

static void check_module(unsigned int after)
{
	const __u64 samples = module.ended ? 0 : SAMPLES;
	const struct perf_event_mmap_page *page = feeder.sources.source->page;
	unsigned int i;

	if (module.nr != samples || module.lost != LOST + SAMPLES - samples ||
	    module.throttled != 1)
		printf("# killed after %u instructions: %u samples, %llu lost, %llu throttled\n",
		       after, module.nr, module.lost, module.throttled);
	CHECK(module.nr == samples);
	for (i = 0; i < samples; i++)
		CHECK(module.seen[i] == i + 1);
	CHECK(module.lost == LOST + SAMPLES - samples && module.throttled == 1);
	CHECK(page->data_tail == page->data_head);
}

/* All that outlives a feeder. */
struct state {
	struct module module;
	struct hand hand;
	struct source source;
	__u64 tail;
};

static void save(struct state *state)
{
	state->module = module;
	state->hand = *feeder.hand;
	state->source = *feeder.sources.source;
	state->tail = state->source.page->data_tail;
}

static void restore(const struct state *state)
{
	module = state->module;
	*feeder.hand = state->hand;
	*feeder.sources.source = state->source;
	state->source.page->data_tail = state->tail;
}

static pid_t begin_feeder(void)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		traced = true;
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		feed_source(&feeder, 0);
		/* As all calls it does not reach the kernel, but tells that this is the end. */
		kill(0, 0);
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	CHECK(!ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
	return pid;
}

/* One more instruction, or call. Returns false at the end. */
static bool step(pid_t pid)
{
	struct user_regs_struct regs;
	int status;

	CHECK(!ptrace(PTRACE_SYSEMU_SINGLESTEP, pid, NULL, NULL));
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	if (WSTOPSIG(status) != (SIGTRAP | 0x80))
		return true;
	CHECK(!ptrace(PTRACE_GETREGS, pid, NULL, &regs));
	if (regs.orig_rax == SYS_kill)
		return false;
	answer(pid);
	return true;
}

/* After each instruction, what would be if that was the last one. */
static void killed_anywhere(bool ended)
{
	static struct state state;
	unsigned int steps = 0;
	int status;
	pid_t pid;

	fill(ended);
	pid = begin_feeder();
	do {
		save(&state);
		hand_in(&feeder);
		feed_rest(&feeder);
		check_module(steps);
		restore(&state);
		steps++;
	} while (step(pid));
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	printf("# killed after each of %u instructions\n", steps);
	CHECK(steps > 1000);
}

static void test_killed(void)
{
	killed_anywhere(false);
}

/* What it cannot hand in any more is lost. */
static void test_killed_after_the_end(void)
{
	killed_anywhere(true);
}

/* Not only at its end. */
static void test_each_cpu_is_fed(void)
{
	struct source source[3] = {};
	struct feeder many = feeder;
	unsigned int i;
	int peers[2];

	module = (struct module) {};
	CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, peers) && send(peers[1], "", 1, 0) == 1);
	many.peer = peers[0];
	many.sources = (struct source_set) { source, ARRAY_SIZE(source) };
	for (i = 0; i < many.sources.nr; i++) {
		source[i].cpu = 4 + i;
		source[i].fd = memfd_create("ring", 0);
		CHECK(source[i].fd >= 0 && !ftruncate(source[i].fd, 4096 + RING_BYTES));
		CHECK(!source_map(&source[i]));
		source[i].page->data_offset = 4096;
		put_record(source[i].page, PERF_RECORD_SAMPLE, i);
	}
	/* The feeder maps them anew where they were. */
	for (i = 0; i < many.sources.nr; i++)
		munmap(source[i].page, 4096 + RING_BYTES);
	CHECK(!feed_session(&many));
	CHECK(module.looks == 2 && module.nr == 3 && module.cpus == 7 << 4 && !module.lost);
	for (i = 0; i < many.sources.nr; i++) {
		munmap(source[i].page, 4096 + RING_BYTES);
		close(source[i].fd);
	}
	close(peers[0]);
	close(peers[1]);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_each_cpu_is_fed),
		TAP_TEST(test_killed),
		TAP_TEST(test_killed_after_the_end),
	};

	feeder.session = &session;
	feeder.fd = -1;
	feeder.hand = share(sizeof(*feeder.hand));
	feeder.sources.nr = 1;
	feeder.sources.source = share(sizeof(*feeder.sources.source));
	feeder.sources.source->fd = -1;
	feeder.sources.source->page = share(4096 + RING_BYTES);
	return tap_main(tests, ARRAY_SIZE(tests));
}
