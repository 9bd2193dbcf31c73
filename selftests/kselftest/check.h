/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's test harness, and checks that hold for every session. */
#ifndef KSFT_CHECK_H
#define KSFT_CHECK_H

#include <kselftest_harness.h>
#include "access.h"
#include "module.h"

/* The harness measures elapsed time, and the machine may be busy; `run` ends a test that hangs. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	200

/* No session runs, and a moment later nothing of an earlier one is left, and nobody waits. */
static inline void check_idle(struct __test_metadata *_metadata)
{
	int tries = 2000;

	EXPECT_EQ(HTMM_STATE_IDLE, device_state());
	while (module_areas() && --tries)
		usleep(1000);
	EXPECT_NE(0, tries) {
		TH_LOG("%d areas of memory are left", module_areas());
	}
	while (module_users() != device_files() && --tries)
		usleep(1000);
	EXPECT_NE(0, tries) {
		TH_LOG("%d users of %d files", module_users(), device_files());
	}
}

static inline void check_channel(struct __test_metadata *_metadata,
				 const struct htmm_channel_info *channel)
{
	const struct htmm_counters *c = &channel->counters;

	EXPECT_EQ(c->overflows, c->counted + counters_drops(c) + c->in_flight) {
		TH_LOG("cpu %u event %u", channel->cpu, channel->event);
	}
	EXPECT_LE(c->nmi, c->overflows);
	EXPECT_EQ(0, channel->flags & HTMM_CHANNEL_LARGE_PEBS);
}

/*
 * For a stopped session: every overflow is in exactly one counter, the totals are the sums,
 * and all rings are empty.
 */
static inline void check_stats(struct __test_metadata *_metadata,
			       const struct stats *stats)
{
	const struct htmm_counters *total = &stats->s.total;
	__u64 overflows = 0, counted = 0, drops = 0;
	__u32 i;

	ASSERT_NE(0, stats->s.nr_channels);
	for (i = 0; i < stats->s.nr_channels; i++) {
		const struct htmm_counters *c = &stats->channels[i].counters;

		check_channel(_metadata, &stats->channels[i]);
		EXPECT_EQ(0, c->in_flight);
		overflows += c->overflows;
		counted += c->counted;
		drops += counters_drops(c);
	}
	EXPECT_EQ(total->overflows, overflows);
	EXPECT_EQ(total->counted, counted);
	EXPECT_EQ(counters_drops(total), drops);
	EXPECT_EQ(total->in_flight, 0);
	EXPECT_EQ(stats->s.samples, counted);
}

int main(int argc, char **argv)
{
	device_require();
	source_hold();
	return test_harness_run(argc, argv);
}

/* Numbers that may differ by at most @most in either direction. */
#define EXPECT_NEAR(wanted, seen, most) do {				\
	__u64 wanted_ = (wanted), seen_ = (seen), most_ = (most);	\
									\
	EXPECT_GE(seen_ + most_, wanted_);				\
	EXPECT_GE(wanted_ + most_, seen_);				\
} while (0)

#endif /* KSFT_CHECK_H */
