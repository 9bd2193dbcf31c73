// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <linux/perf_event.h>
#include "data_src.h"

/* Missing in older kernel headers. */
#ifndef PERF_MEM_LVLNUM_CXL
#define PERF_MEM_LVLNUM_CXL	0x09
#endif

#define LVL_CACHE	(PERF_MEM_LVL_L1 | PERF_MEM_LVL_LFB | PERF_MEM_LVL_L2 | PERF_MEM_LVL_L3)
#define LVL_REMOTE	(PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2 | \
			 PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2)
#define LVL_OTHER	(PERF_MEM_LVL_IO | PERF_MEM_LVL_UNC)

/* The newer of the two encodings. */
static enum data_src by_number(union perf_mem_data_src src)
{
	switch (src.mem_lvl_num) {
	case PERF_MEM_LVLNUM_L1:
	case PERF_MEM_LVLNUM_L2:
	case PERF_MEM_LVLNUM_L3:
	case PERF_MEM_LVLNUM_L4:
	case PERF_MEM_LVLNUM_LFB:
	case PERF_MEM_LVLNUM_ANY_CACHE:
		return src.mem_remote ? DATA_SRC_REMOTE : DATA_SRC_CACHE;
	case PERF_MEM_LVLNUM_RAM:
		return src.mem_remote ? DATA_SRC_REMOTE : DATA_SRC_DRAM;
	case PERF_MEM_LVLNUM_PMEM:
	case PERF_MEM_LVLNUM_CXL:
		return DATA_SRC_SLOW;
	default:
		return DATA_SRC_UNKNOWN;
	}
}

enum data_src data_src_of(__u64 data_src)
{
	const union perf_mem_data_src src = { .val = data_src };
	enum data_src kind;

	/* A store that missed a cache tells no more than that. */
	if (!data_src || src.mem_lvl & PERF_MEM_LVL_MISS)
		return DATA_SRC_UNKNOWN;
	kind = by_number(src);
	if (kind != DATA_SRC_UNKNOWN)
		return kind;
	if (src.mem_lvl & LVL_REMOTE)
		return DATA_SRC_REMOTE;
	if (src.mem_lvl & PERF_MEM_LVL_LOC_RAM)
		return DATA_SRC_DRAM;
	if (src.mem_lvl & LVL_CACHE)
		return DATA_SRC_CACHE;
	return src.mem_lvl & LVL_OTHER ? DATA_SRC_OTHER : DATA_SRC_UNKNOWN;
}

const char *data_src_name(enum data_src kind)
{
	static const char *const names[NR_DATA_SRCS] = {
		[DATA_SRC_CACHE] = "cache",
		[DATA_SRC_DRAM] = "dram",
		[DATA_SRC_REMOTE] = "remote",
		[DATA_SRC_SLOW] = "slow",
		[DATA_SRC_OTHER] = "other",
		[DATA_SRC_UNKNOWN] = "unknown",
	};

	return names[kind];
}
