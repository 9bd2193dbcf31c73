// SPDX-License-Identifier: GPL-2.0
/*
 * With -icount, QEMU's virtual clock, from which the guest has its timers and its TSC, is
 * instructions << shift plus a bias. QEMU itself uses the bias to skip the time in which
 * all vCPUs sleep. To the guest, an addition to the bias looks like time without
 * instructions, as when it waits for memory.
 */
#include <stddef.h>

#include "host.h"
#include "stall.h"

/*
 * A timer may be this late: QEMU computes when the next one is due before it runs guest
 * code, so after this much waiting it is made to compute it again.
 */
#define RECHECK_NS	50000

/* Added once, to check that it is the right word. */
#define PROBE_NS	1000

static __s64 *clock_bias;

bool stall_wanted(const struct latency *latency)
{
	return latency->hit || latency->local || latency->remote || latency->assist;
}

/*
 * QEMU changes the word too, in another thread, but only while no vCPU runs; still atomic,
 * for the moment in which a vCPU wakes up.
 */
static void add(__u32 ns)
{
	__atomic_fetch_add(clock_bias, ns, __ATOMIC_RELAXED);
}

void stall_init(void)
{
	__s64 before, after;

	clock_bias = host_clock_bias();
	before = host_clock();
	add(PROBE_NS);
	after = host_clock();
	if (after - before != PROBE_NS)
		host_fail("the machine's clock is not where it is in QEMU 7.2");
}

void stall(unsigned int vcpu, __u32 ns)
{
	static __u64 unchecked;

	if (!ns)
		return;
	add(ns);
	unchecked += ns;
	if (unchecked < RECHECK_NS)
		return;
	unchecked = 0;
	host_recheck_timers(vcpu);
}
