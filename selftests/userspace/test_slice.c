// SPDX-License-Identifier: GPL-2.0
/* What the scheduler is asked for: of a made-up one, and of the kernel's. */
#include <errno.h>
#include <stdarg.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tier/slice.h"

#define SLICE_NS	30000000

typeof(syscall) __real_syscall, __wrap_syscall;

/**
 * struct scheduler - the made-up one
 * @off: the kernel's is asked
 * @error: an errno, if it tells nothing
 * @attr: what it says of the calling thread
 * @set: what it was asked for
 * @nr: how often
 */
static struct scheduler {
	bool off;
	int error;
	struct sched_attr attr;
	struct sched_attr set;
	unsigned int nr;
} scheduler;

long __wrap_syscall(long number, ...)
{
	struct sched_attr *attr;
	va_list args;
	long pid, size, flags;

	va_start(args, number);
	pid = va_arg(args, int);
	attr = va_arg(args, struct sched_attr *);
	size = number == SYS_sched_getattr ? (long)va_arg(args, size_t) : 0;
	flags = va_arg(args, int);
	va_end(args);
	if (scheduler.off)
		return number == SYS_sched_getattr ?
		       __real_syscall(number, pid, attr, size, flags) :
		       __real_syscall(number, pid, attr, flags);
	CHECK(!pid && !flags && (!size || size == sizeof(*attr)));
	if (number == SYS_sched_getattr) {
		*attr = scheduler.attr;
		errno = scheduler.error;
		return errno ? -1 : 0;
	}
	scheduler.set = *attr;
	scheduler.nr++;
	return 0;
}

/* Asks, as a thread of this policy whose slice is so long; 0: the kernel has none. */
static bool asks(__u32 policy, __u64 slice_ns)
{
	scheduler = (struct scheduler) {
		.attr = {
			.size = sizeof(scheduler.attr), .sched_policy = policy, .sched_nice = -3,
			.sched_flags = SCHED_FLAG_RESET_ON_FORK, .sched_util_min = 17,
			.sched_util_max = 800, .sched_runtime = slice_ns,
		},
	};
	slice_ask();
	return scheduler.nr;
}

/* All else stays. */
static void test_slice(void)
{
	static const __u32 policies[] = { SCHED_NORMAL, SCHED_BATCH };
	static const __u64 slices[] = { 0, 700000, 3000000, SLICE_NS - 1 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		for (j = 0; j < ARRAY_SIZE(slices); j++) {
			CHECK(asks(policies[i], slices[j]) && scheduler.nr == 1);
			CHECK(scheduler.set.sched_runtime == SLICE_NS);
			scheduler.set.sched_runtime = slices[j];
			CHECK(!memcmp(&scheduler.set, &scheduler.attr, sizeof(scheduler.set)));
		}
	}
}

/* Who has given it more, the rest of the time, or a fixed part of it, wants that. */
static void test_as_given(void)
{
	static const __u32 policies[] = { SCHED_FIFO, SCHED_RR, SCHED_IDLE, SCHED_DEADLINE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		CHECK(!asks(policies[i], 10000000));
	CHECK(!asks(SCHED_NORMAL, SLICE_NS) && !asks(SCHED_NORMAL, 100000000));
}

static void test_unknown(void)
{
	scheduler = (struct scheduler) { .error = EPERM };
	slice_ask();
	CHECK(!scheduler.nr);
}

/* In a process of its own: what it has then is not given back. */
static int ask_kernel(void)
{
	struct sched_attr before = {}, after = {};

	if (syscall(SYS_sched_getattr, 0, &before, sizeof(before), 0))
		return 2;
	slice_ask();
	if (syscall(SYS_sched_getattr, 0, &after, sizeof(after), 0))
		return 2;
	/* Before 6.12 there is none. Who runs this may have given it more, or another policy. */
	if (before.sched_runtime && before.sched_runtime < SLICE_NS &&
	    (before.sched_policy == SCHED_NORMAL || before.sched_policy == SCHED_BATCH))
		before.sched_runtime = SLICE_NS;
	return memcmp(&before, &after, sizeof(before)) ? 1 : 0;
}

static void test_kernel(void)
{
	int status;
	pid_t child;

	scheduler.off = true;
	child = fork();
	if (!child)
		_exit(ask_kernel());
	CHECK(waitpid(child, &status, 0) == child && !status);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_slice),
		TAP_TEST(test_as_given),
		TAP_TEST(test_unknown),
		TAP_TEST(test_kernel),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
