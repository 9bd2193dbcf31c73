/* SPDX-License-Identifier: GPL-2.0 */
/* What served an access, from perf's description of it: for the module and for reports. */
#ifndef HTMM_CORE_SOURCE_H
#define HTMM_CORE_SOURCE_H

#include <uapi/linux/htmm.h>
#include "deps.h"

/* Numbers of levels that older headers have no names for. */
#define HTMM_LVLNUM_UNC	0x08
#define HTMM_LVLNUM_CXL	0x09
#define HTMM_LVLNUM_IO	0x0a

/* By the level, as perf has numbered it since Linux 4.14. */
static inline enum htmm_source htmm_source_by_number(union perf_mem_data_src src)
{
	switch (src.mem_lvl_num) {
	case PERF_MEM_LVLNUM_L1:
	case PERF_MEM_LVLNUM_L2:
	case PERF_MEM_LVLNUM_L3:
	case PERF_MEM_LVLNUM_L4:
	case PERF_MEM_LVLNUM_LFB:
	case PERF_MEM_LVLNUM_ANY_CACHE:
		return HTMM_SOURCE_CACHE;
	case PERF_MEM_LVLNUM_RAM:
		return src.mem_remote ? HTMM_SOURCE_REMOTE : HTMM_SOURCE_LOCAL;
	case PERF_MEM_LVLNUM_PMEM:
	case HTMM_LVLNUM_CXL:
		return HTMM_SOURCE_SLOW;
	case HTMM_LVLNUM_IO:
	case HTMM_LVLNUM_UNC:
		return HTMM_SOURCE_OTHER;
	default:
		return HTMM_SOURCE_UNKNOWN;
	}
}

/* By the set of levels: some PMUs fill in only this. */
static inline enum htmm_source htmm_source_by_set(union perf_mem_data_src src)
{
	if (src.mem_lvl & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2))
		return HTMM_SOURCE_REMOTE;
	if (src.mem_lvl & PERF_MEM_LVL_LOC_RAM)
		return HTMM_SOURCE_LOCAL;
	if (src.mem_lvl & (PERF_MEM_LVL_L1 | PERF_MEM_LVL_LFB | PERF_MEM_LVL_L2 |
			   PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2))
		return HTMM_SOURCE_CACHE;
	if (src.mem_lvl & (PERF_MEM_LVL_IO | PERF_MEM_LVL_UNC))
		return HTMM_SOURCE_OTHER;
	return HTMM_SOURCE_UNKNOWN;
}

/*
 * What served an access, by its union perf_mem_data_src; 0: not reported. If only a miss in a
 * cache is reported, as for the stores of most PMUs, it is not known what served it.
 */
static inline enum htmm_source htmm_source_of(u64 data_src)
{
	const union perf_mem_data_src src = { .val = data_src };
	enum htmm_source source;

	if (src.mem_lvl & PERF_MEM_LVL_MISS)
		return HTMM_SOURCE_UNKNOWN;
	source = htmm_source_by_number(src);
	return source != HTMM_SOURCE_UNKNOWN ? source : htmm_source_by_set(src);
}

#endif /* HTMM_CORE_SOURCE_H */
