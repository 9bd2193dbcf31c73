// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <htmm/device.h>

static const char *const drop_names[HTMM_NR_DROPS] = { HTMM_DROP_NAMES };

static const char *const state_names[] = {
	[HTMM_STATE_IDLE] = "idle",
	[HTMM_STATE_RUNNING] = "running",
	[HTMM_STATE_STOPPING] = "stopping",
	[HTMM_STATE_STOPPED] = "stopped",
};

static const char *const source_names[HTMM_NR_SOURCES] = {
	[HTMM_SOURCE_UNKNOWN] = "unknown",
	[HTMM_SOURCE_CACHE] = "cache",
	[HTMM_SOURCE_LOCAL] = "local",
	[HTMM_SOURCE_REMOTE] = "remote",
	[HTMM_SOURCE_SLOW] = "slow",
	[HTMM_SOURCE_OTHER] = "other",
};

const char *htmm_drop_name(unsigned int drop)
{
	return drop < HTMM_NR_DROPS ? drop_names[drop] : NULL;
}

const char *htmm_source_name(unsigned int source)
{
	return source < HTMM_NR_SOURCES ? source_names[source] : NULL;
}

const char *htmm_state_name(__u32 state)
{
	return state <= HTMM_STATE_STOPPED ? state_names[state] : "unknown";
}

__u64 htmm_counters_lost(const struct htmm_counters *counters)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < HTMM_DROP_SLOTS; i++)
		if (i != HTMM_DROP_FILTERED)
			sum += counters->drops[i];
	return sum;
}

void htmm_counters_add(struct htmm_counters *sum, const struct htmm_counters *counters)
{
	int i;

	sum->overflows += counters->overflows;
	sum->counted += counters->counted;
	sum->in_flight += counters->in_flight;
	sum->throttled += counters->throttled;
	sum->nmi += counters->nmi;
	for (i = 0; i < HTMM_DROP_SLOTS; i++)
		sum->drops[i] += counters->drops[i];
}
