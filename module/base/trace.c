// SPDX-License-Identifier: GPL-2.0
/* Define the tracepoints, once for all files that use them. */
#define CREATE_TRACE_POINTS
#include "trace.h"
