// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "fields.h"

/* The name and the description of a metric. */
#define METRIC(name, text)	.metric = "htmm_" name, .help = text

/* NULL pointers to the structs, for FIELD(). */
#define INFO		((struct htmm_info *)NULL)
#define STATS		((struct htmm_stats *)NULL)
#define CHANNEL		((struct htmm_channel_info *)NULL)
#define COUNTERS	((struct htmm_counters *)NULL)
#define TARGET		((struct htmm_target_info *)NULL)

const struct field info_fields[] = {
	FIELD(INFO->features, "features", .hex = true),
	FIELD(INFO->session, "session"),
	FIELD(INFO->owner, "owner"),
	FIELD(INFO->session_flags, "detached", .flag = HTMM_START_DETACHED),
	FIELD(INFO->session_flags, "keep_exited", .flag = HTMM_START_KEEP_EXITED),
	FIELD(INFO->session_flags, "weight_period", .flag = HTMM_START_WEIGHT_PERIOD),
	FIELD(INFO->nr_targets, "targets",
	      METRIC("session_targets", "Targets, each counted on its own.")),
	FIELD(INFO->nr_cpus, "cpus", METRIC("session_cpus", "CPUs sampled.")),
	FIELD(INFO->elapsed_ns, "elapsed_ns", .unit = 1 / 1e9,
	      METRIC("session_seconds", "Time since the session started, until its stop.")),
	FIELD(INFO->sample_type, "sample_type", .hex = true),
	FIELD(INFO->ring_pages, "ring_pages"),
	FIELD(INFO->record_size, "record_size"),
	FIELD(INFO->max_bytes, "max_bytes",
	      METRIC("table_limit_bytes", "Most memory of the hot-page table.")),
	FIELD(INFO->capacity_pages, "capacity_pages", .unit = 4096,
	      METRIC("capacity_bytes", "What the fast tier holds.")),
	FIELD(INFO->cooling_period, "cooling_period"),
	FIELD(INFO->adaptation_period, "adaptation_period"),
	FIELD(INFO->table_bytes, "table_bytes",
	      METRIC("table_bytes", "Memory in use by the hot-page table.")),
	FIELD(INFO->ring_bytes, "ring_bytes", METRIC("ring_bytes", "Memory of the rings.")),
	FIELD(INFO->drain_pid, "drain_pid"),
	{}
};

/* A statistic has its name in JSON from the interface. */
const struct field stats_fields[] = {
	FIELD(STATS->stats[HTMM_STAT_COOLINGS], "", .text = "coolings",
	      METRIC("coolings_total", "Times that all counts were halved.")),
	FIELD(STATS->stats[HTMM_STAT_ADAPTATIONS], "", .text = "adaptations",
	      METRIC("adaptations_total", "Times that the thresholds were reported.")),
	FIELD(STATS->stats[HTMM_STAT_EVICTED], "", .text = "evicted pages",
	      METRIC("evicted_pages_total", "Pages that left the table to make room.")),
	FIELD(STATS->stats[HTMM_STAT_EXITED], "", .text = "exited pages",
	      METRIC("exited_pages_total", "Pages that left the table with their process.")),
	FIELD(STATS->stats[HTMM_STAT_FREED], "", .text = "freed pages",
	      METRIC("freed_pages_total", "Pages that left the table with their memory.")),
	FIELD(STATS->stats[HTMM_STAT_DRAIN_NS], "", .unit = 1 / 1e9,
	      METRIC("drain_cpu_seconds_total", "CPU time of ksampled.")),
	FIELD(STATS->stats[HTMM_STAT_HANDLER_NS], "", .unit = 1 / 1e9,
	      METRIC("handler_seconds_total", "Time in overflow handlers.")),
	FIELD(STATS->cost_ppm, "", .unit = 1 / 1e6,
	      METRIC("cost_ratio",
		     "Share of the sampled CPUs' time that sampling took recently, or in total.")),
	FIELD(STATS->stats[HTMM_STAT_PERIOD_CHANGES], "",
	      METRIC("period_changes_total", "Times that a budget changed a period.")),
	{}
};

const struct field channel_fields[] = {
	FIELD(CHANNEL->cpu, "cpu"),
	FIELD(CHANNEL->event, "event"),
	FIELD(CHANNEL->flags, "active", .flag = HTMM_CHANNEL_ACTIVE),
	FIELD(CHANNEL->flags, "large_pebs", .flag = HTMM_CHANNEL_LARGE_PEBS),
	FIELD(CHANNEL->precise_ip, "precise_ip"),
	FIELD(CHANNEL->period, "period",
	      METRIC("event_period", "Events between two samples.")),
	FIELD(CHANNEL->count, "count"),
	FIELD(CHANNEL->time_enabled, "time_enabled_ns"),
	FIELD(CHANNEL->time_running, "time_running_ns"),
	{}
};

const struct field counter_fields[] = {
	FIELD(COUNTERS->overflows, "overflows",
	      METRIC("overflows_total", "Overflows of an event's counter on a CPU.")),
	FIELD(COUNTERS->counted, "counted",
	      METRIC("samples_total", "Samples counted in the hot-page table.")),
	FIELD(COUNTERS->in_flight, "in_flight",
	      METRIC("in_flight_samples", "Samples in the rings, not drained yet.")),
	FIELD(COUNTERS->throttled, "throttled",
	      METRIC("throttled_overflows_total",
		     "Overflows while the kernel throttled the event.")),
	FIELD(COUNTERS->nmi, "nmi"),
	{}
};

const struct field target_fields[] = {
	FIELD(TARGET->number, "number"),
	FIELD(TARGET->id, "id"),
	FIELD(TARGET->flags, "dead", .flag = HTMM_TARGET_INFO_DEAD),
	FIELD(TARGET->capacity_pages, "capacity_pages"),
	FIELD(TARGET->max_bytes, "max_bytes"),
	FIELD(TARGET->bytes, "bytes"),
	FIELD(TARGET->pages, "pages"),
	FIELD(TARGET->regions, "regions"),
	FIELD(TARGET->spaces, "spaces"),
	FIELD(TARGET->space_bytes, "space_bytes"),
	{}
};

void stats_values_json(struct json_object *obj, const __u64 *stats, unsigned int nr)
{
	static const char *const names[HTMM_STAT_SLOTS] = { HTMM_STAT_NAMES };
	struct json_object *values = json_object_new_object();
	unsigned int i;

	for (i = 0; i < nr; i++) {
		char other[16];

		snprintf(other, sizeof(other), "stat_%u", i);
		if (names[i] || stats[i])
			json_add_u64(values, names[i] ? names[i] : other, stats[i]);
	}
	json_add(obj, "stats", values);
}

static __u64 value_of(const struct field *field, const void *from)
{
	const char *at = (const char *)from + field->at;
	__u64 value = field->size == sizeof(__u32) ? *(const __u32 *)at : *(const __u64 *)at;

	return field->flag ? !!(value & field->flag) : value;
}

void fields_json(struct json_object *obj, const struct field *fields, const void *from)
{
	for (; fields->json; fields++) {
		__u64 value = value_of(fields, from);

		if (fields->flag)
			json_add_bool(obj, fields->json, value);
		else if (fields->hex)
			json_add_hex(obj, fields->json, value);
		else
			json_add_u64(obj, fields->json, value);
	}
}

void fields_text(FILE *file, const struct field *fields, const void *from)
{
	for (; fields->json; fields++)
		if (fields->text)
			fprintf(file, "%-14s %14llu\n", fields->text, value_of(fields, from));
}

void fields_metrics(FILE *file, const struct field *fields, size_t nr,
		    const void *(*item)(struct prom *prom, const void *arg, size_t number),
		    const void *arg)
{
	struct prom prom;
	size_t i;

	for (; fields->json; fields++) {
		if (!fields->metric)
			continue;
		prom_begin(&prom, file, fields->metric, fields->help);
		for (i = 0; i < nr; i++) {
			double value = value_of(fields, item ? item(&prom, arg, i) : arg);

			prom_value(&prom, fields->unit ? value * fields->unit : value);
		}
	}
}
