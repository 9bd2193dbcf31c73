/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints. All fire in process context, none in an overflow handler: ksampled reports
 * samples and drops when it accounts them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM htmm

#if !defined(HTMM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HTMM_TRACE_H

#include <linux/string.h>
#include <linux/tracepoint.h>
#include "error.h"

/* Export the names to programs that read the binary events. */
TRACE_DEFINE_ENUM(HTMM_UNIT_PAGE);
TRACE_DEFINE_ENUM(HTMM_UNIT_REGION);

/* A sample was counted: @weight was added to the count of the page at @addr in @target's table. */
TRACE_EVENT(htmm_sample,
	    TP_PROTO(u32 cpu, u32 event, u32 pid, u64 addr, u32 weight, u32 target),
	    TP_ARGS(cpu, event, pid, addr, weight, target),
	    TP_STRUCT__entry(__field(u64, addr)
			     __field(u32, cpu)
			     __field(u32, event)
			     __field(u32, pid)
			     __field(u32, weight)
			     __field(u32, target)),
	    TP_fast_assign(__entry->addr = addr;
			   __entry->cpu = cpu;
			   __entry->event = event;
			   __entry->pid = pid;
			   __entry->weight = weight;
			   __entry->target = target;),
	    TP_printk("cpu=%u event=%u pid=%u addr=%#llx weight=%u target=%u",
		      __entry->cpu, __entry->event, __entry->pid, __entry->addr,
		      __entry->weight, __entry->target));

/*
 * Samples were dropped: @count is the number since the previous event for the same CPU,
 * event and reason, or since the start of the session. Drops in the overflow handler are
 * reported at the next pass of ksampled.
 */
TRACE_EVENT(htmm_drop,
	    TP_PROTO(u32 cpu, u32 event, u32 reason, u64 count),
	    TP_ARGS(cpu, event, reason, count),
	    TP_STRUCT__entry(__field(u64, count)
			     __field(u32, cpu)
			     __field(u32, event)
			     __array(char, reason, 16)),
	    TP_fast_assign(__entry->count = count;
			   __entry->cpu = cpu;
			   __entry->event = event;
			   strscpy(__entry->reason, htmm_drop_names[reason], 16);),
	    TP_printk("cpu=%u event=%u reason=%s count=%llu", __entry->cpu,
		      __entry->event, __entry->reason, __entry->count));

/* All counts of @target were halved, for the @coolings-th time, after @samples samples. */
TRACE_EVENT(htmm_cool,
	    TP_PROTO(u64 coolings, u64 samples, u64 pages, u32 target),
	    TP_ARGS(coolings, samples, pages, target),
	    TP_STRUCT__entry(__field(u64, coolings)
			     __field(u64, samples)
			     __field(u64, pages)
			     __field(u32, target)),
	    TP_fast_assign(__entry->coolings = coolings;
			   __entry->samples = samples;
			   __entry->pages = pages;
			   __entry->target = target;),
	    TP_printk("coolings=%llu samples=%llu pages=%llu target=%u",
		      __entry->coolings, __entry->samples, __entry->pages, __entry->target));

/* The hot and warm thresholds of pages or regions, at an adaptation. */
TRACE_EVENT(htmm_threshold,
	    TP_PROTO(u32 unit, u32 hot, u32 warm, u64 capacity, u32 target),
	    TP_ARGS(unit, hot, warm, capacity, target),
	    TP_STRUCT__entry(__field(u64, capacity)
			     __field(u32, unit)
			     __field(u32, hot)
			     __field(u32, warm)
			     __field(u32, target)),
	    TP_fast_assign(__entry->capacity = capacity;
			   __entry->unit = unit;
			   __entry->hot = hot;
			   __entry->warm = warm;
			   __entry->target = target;),
	    TP_printk("unit=%s hot=%u warm=%u capacity=%llu target=%u",
		      __print_symbolic(__entry->unit,
				       { HTMM_UNIT_PAGE, "page" },
				       { HTMM_UNIT_REGION, "region" }),
		      __entry->hot, __entry->warm, __entry->capacity, __entry->target));

/* A budget or HTMM_IOC_SET changed an event's period. Costs are in millionths of CPU time. */
TRACE_EVENT(htmm_period,
	    TP_PROTO(u32 event, u64 from, u64 to, u32 cost_ppm, u32 budget_ppm),
	    TP_ARGS(event, from, to, cost_ppm, budget_ppm),
	    TP_STRUCT__entry(__field(u64, from)
			     __field(u64, to)
			     __field(u32, event)
			     __field(u32, cost_ppm)
			     __field(u32, budget_ppm)),
	    TP_fast_assign(__entry->from = from;
			   __entry->to = to;
			   __entry->event = event;
			   __entry->cost_ppm = cost_ppm;
			   __entry->budget_ppm = budget_ppm;),
	    TP_printk("event=%u from=%llu to=%llu cost_ppm=%u budget_ppm=%u",
		      __entry->event, __entry->from, __entry->to,
		      __entry->cost_ppm, __entry->budget_ppm));

#endif /* HTMM_TRACE_H */

/* Kbuild adds the folder of trace.o to its include path. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
