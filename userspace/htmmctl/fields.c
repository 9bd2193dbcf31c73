// SPDX-License-Identifier: GPL-2.0
#include <htmm/htmm.h>
#include "fields.h"

/* A metric and what it is. */
#define METRIC(name, text)	.metric = "htmm_" name, .help = text

const struct field info_fields[] = {
	FIELD(htmm_info, abi_version, "abi_version"),
	FIELD(htmm_info, session, "session"),
	FIELD(htmm_info, owner, "owner"),
	FIELD(htmm_info, session_flags, "detached", .flag = HTMM_START_DETACHED),
	FIELD(htmm_info, session_flags, "keep_exited", .flag = HTMM_START_KEEP_EXITED),
	FIELD(htmm_info, session_flags, "weight_period", .flag = HTMM_START_WEIGHT_PERIOD),
	FIELD(htmm_info, nr_targets, "targets",
	      METRIC("session_targets", "Targets, each counted on its own.")),
	FIELD(htmm_info, nr_cpus, "cpus", METRIC("session_cpus", "CPUs sampled.")),
	FIELD(htmm_info, elapsed_ns, "elapsed_ns", .unit = 1 / 1e9,
	      METRIC("session_seconds", "Time since the session started, until its stop.")),
	FIELD(htmm_info, sample_type, "sample_type", .hex = true),
	FIELD(htmm_info, ring_pages, "ring_pages"),
	FIELD(htmm_info, record_size, "record_size"),
	FIELD(htmm_info, max_pages, "max_pages"),
	FIELD(htmm_info, max_bytes, "max_bytes",
	      METRIC("table_limit_bytes", "Most memory of the hot-page table.")),
	FIELD(htmm_info, capacity_pages, "capacity_pages", .unit = 4096,
	      METRIC("capacity_bytes", "What the fast tier holds.")),
	FIELD(htmm_info, cooling_period, "cooling_period"),
	FIELD(htmm_info, adaptation_period, "adaptation_period"),
	FIELD(htmm_info, table_bytes, "table_bytes",
	      METRIC("table_bytes", "Memory in use by the hot-page table.")),
	FIELD(htmm_info, ring_bytes, "ring_bytes", METRIC("ring_bytes", "Memory of the rings.")),
	FIELD(htmm_info, drain_pid, "drain_pid"),
	FIELD(htmm_info, nr_drain_threads, "drain_threads"),
	{}
};

const struct field stats_fields[] = {
	FIELD(htmm_stats, samples, "samples"),
	FIELD(htmm_stats, coolings, "coolings", .text = "coolings",
	      METRIC("coolings_total", "Times that all counts were halved.")),
	FIELD(htmm_stats, adaptations, "adaptations", .text = "adaptations",
	      METRIC("adaptations_total", "Times that the thresholds were computed.")),
	FIELD(htmm_stats, evicted, "evicted", .text = "evicted pages",
	      METRIC("evicted_pages_total", "Pages that left the table to make room.")),
	FIELD(htmm_stats, exited, "exited", .text = "exited pages",
	      METRIC("exited_pages_total", "Pages that left the table with their process.")),
	FIELD(htmm_stats, wakeups, "wakeups"),
	FIELD(htmm_stats, batches, "batches"),
	FIELD(htmm_stats, drain_ns, "drain_ns", .unit = 1 / 1e9,
	      METRIC("drain_cpu_seconds_total", "CPU time of ksampled.")),
	FIELD(htmm_stats, handler_ns, "handler_ns", .unit = 1 / 1e9,
	      METRIC("handler_seconds_total", "Time in overflow handlers.")),
	FIELD(htmm_stats, cost_ppm, "cost_ppm", .unit = 1 / 1e6,
	      METRIC("cost_ratio",
		     "What sampling cost lately, as a share of the time of the CPUs sampled.")),
	FIELD(htmm_stats, cpus_failed, "cpus_failed"),
	FIELD(htmm_stats, period_changes, "period_changes",
	      METRIC("period_changes_total", "Times that a budget changed a period.")),
	{}
};

const struct field channel_fields[] = {
	FIELD(htmm_channel, cpu, "cpu"),
	FIELD(htmm_channel, event, "event"),
	FIELD(htmm_channel, flags, "active", .flag = HTMM_CHANNEL_ACTIVE),
	FIELD(htmm_channel, flags, "large_pebs", .flag = HTMM_CHANNEL_LARGE_PEBS),
	FIELD(htmm_channel, precise_ip, "precise_ip"),
	FIELD(htmm_channel, period, "period",
	      METRIC("event_period", "Events between two samples.")),
	FIELD(htmm_channel, count, "count"),
	FIELD(htmm_channel, time_enabled, "time_enabled_ns"),
	FIELD(htmm_channel, time_running, "time_running_ns"),
	{}
};

const struct field counter_fields[] = {
	FIELD(htmm_counters, overflows, "overflows",
	      METRIC("overflows_total", "Overflows of an event's counter on a CPU.")),
	FIELD(htmm_counters, counted, "counted",
	      METRIC("samples_total", "Samples counted in the hot-page table.")),
	FIELD(htmm_counters, in_flight, "in_flight",
	      METRIC("in_flight_samples", "Samples in the rings, not drained yet.")),
	FIELD(htmm_counters, throttled, "throttled",
	      METRIC("throttled_overflows_total",
		     "Overflows while the kernel throttled the event.")),
	FIELD(htmm_counters, nmi, "nmi"),
	{}
};

const struct field target_fields[] = {
	FIELD(htmm_target_info, number, "number"),
	FIELD(htmm_target_info, id, "id"),
	FIELD(htmm_target_info, flags, "dead", .flag = HTMM_TARGET_DEAD),
	FIELD(htmm_target_info, capacity_pages, "capacity_pages"),
	FIELD(htmm_target_info, max_bytes, "max_bytes"),
	FIELD(htmm_target_info, bytes, "bytes"),
	FIELD(htmm_target_info, pages, "pages"),
	FIELD(htmm_target_info, regions, "regions"),
	FIELD(htmm_target_info, samples, "samples"),
	FIELD(htmm_target_info, coolings, "coolings"),
	FIELD(htmm_target_info, adaptations, "adaptations"),
	FIELD(htmm_target_info, evicted, "evicted"),
	FIELD(htmm_target_info, exited, "exited"),
	FIELD(htmm_target_info, spaces, "spaces"),
	FIELD(htmm_target_info, space_bytes, "space_bytes"),
	{}
};
