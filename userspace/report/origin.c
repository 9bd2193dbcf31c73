// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <linux/perf_event.h>
#include "origin.h"

/* Newer than some kernel headers. */
#ifndef PERF_MEM_LVLNUM_CXL
#define PERF_MEM_LVLNUM_CXL	0x09
#endif

#define LVL_CACHE	(PERF_MEM_LVL_L1 | PERF_MEM_LVL_LFB | PERF_MEM_LVL_L2 | PERF_MEM_LVL_L3)
#define LVL_REMOTE	(PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2 | \
			 PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2)
#define LVL_OTHER	(PERF_MEM_LVL_IO | PERF_MEM_LVL_UNC)

/* The newer of two ways to say it. */
static enum origin by_number(union perf_mem_data_src src)
{
	switch (src.mem_lvl_num) {
	case PERF_MEM_LVLNUM_L1:
	case PERF_MEM_LVLNUM_L2:
	case PERF_MEM_LVLNUM_L3:
	case PERF_MEM_LVLNUM_L4:
	case PERF_MEM_LVLNUM_LFB:
	case PERF_MEM_LVLNUM_ANY_CACHE:
		return src.mem_remote ? ORIGIN_REMOTE : ORIGIN_CACHE;
	case PERF_MEM_LVLNUM_RAM:
		return src.mem_remote ? ORIGIN_REMOTE : ORIGIN_DRAM;
	case PERF_MEM_LVLNUM_PMEM:
	case PERF_MEM_LVLNUM_CXL:
		return ORIGIN_SLOW;
	default:
		return ORIGIN_UNKNOWN;
	}
}

enum origin origin_of(__u64 data_src)
{
	const union perf_mem_data_src src = { .val = data_src };
	enum origin origin;

	if (!data_src)
		return ORIGIN_UNKNOWN;
	origin = by_number(src);
	if (origin != ORIGIN_UNKNOWN)
		return origin;
	if (src.mem_lvl & LVL_REMOTE)
		return ORIGIN_REMOTE;
	if (src.mem_lvl & PERF_MEM_LVL_LOC_RAM)
		return ORIGIN_DRAM;
	if (src.mem_lvl & LVL_CACHE)
		return ORIGIN_CACHE;
	return src.mem_lvl & LVL_OTHER ? ORIGIN_OTHER : ORIGIN_UNKNOWN;
}

const char *origin_name(enum origin origin)
{
	static const char *const names[ORIGINS] = {
		[ORIGIN_CACHE] = "cache",
		[ORIGIN_DRAM] = "dram",
		[ORIGIN_REMOTE] = "remote",
		[ORIGIN_SLOW] = "slow",
		[ORIGIN_OTHER] = "other",
		[ORIGIN_UNKNOWN] = "unknown",
	};

	return names[origin];
}
