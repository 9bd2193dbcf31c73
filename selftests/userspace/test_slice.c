// SPDX-License-Identifier: GPL-2.0
/* What the scheduler is asked for, of the kernel that runs. */
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tier/slice.h"

#define NICE	7

static struct sched_attr attr_of_this(void)
{
	struct sched_attr attr = {};

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0))
		_exit(2);
	return attr;
}

/* Asks, with a policy and a nice value. Returns if it got a longer slice, and kept the others. */
static bool asks(__u32 policy, __u64 slice_ns)
{
	const struct sched_attr attr = { .size = sizeof(attr), .sched_policy = policy,
					 .sched_nice = NICE };
	struct sched_attr before, after;

	if (syscall(SYS_sched_setattr, 0, &attr, 0))
		_exit(2);
	before = attr_of_this();
	slice_ask();
	after = attr_of_this();
	return after.sched_policy == policy && after.sched_nice == before.sched_nice &&
	       after.sched_flags == before.sched_flags &&
	       after.sched_util_min == before.sched_util_min &&
	       after.sched_util_max == before.sched_util_max &&
	       /* Before 6.12, programs of these policies have none. */
	       after.sched_runtime == (before.sched_runtime ? slice_ns : 0);
}

/* In a process of its own: what is given up is not given back. */
static bool in_child(__u32 policy, __u64 slice_ns)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(asks(policy, slice_ns) ? 0 : 1);
	return waitpid(child, &status, 0) == child && !status;
}

static void test_slice(void)
{
	printf("# the kernel gives %llu ns\n", (unsigned long long)attr_of_this().sched_runtime);
	CHECK(in_child(SCHED_NORMAL, 30000000));
	CHECK(in_child(SCHED_BATCH, 30000000));
}

/* Who has given it the rest of the time, or a fixed part, wants that. */
static void test_other_policies(void)
{
	struct sched_attr usual = attr_of_this();

	CHECK(in_child(SCHED_IDLE, usual.sched_runtime));
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_slice),
		TAP_TEST(test_other_policies),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
