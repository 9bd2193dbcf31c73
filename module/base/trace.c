// SPDX-License-Identifier: GPL-2.0
/* Define the tracepoints, once for all files that use them. */
#define CREATE_TRACE_POINTS
#include "trace.h"
#include "stats.h"

const char * const htmm_drop_names[] = { HTMM_DROP_NAMES };

static_assert(ARRAY_SIZE(htmm_drop_names) == HTMM_NR_DROPS);

const char * const htmm_stat_names[HTMM_STAT_SLOTS] = { HTMM_STAT_NAMES };
