// SPDX-License-Identifier: GPL-2.0
#include "fields.h"

/* NULL pointers to the structs, for FIELD(). */
#define INFO		((struct htmm_info *)NULL)
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
	FIELD(INFO->session_flags, "paused", .flag = HTMM_START_PAUSED),
	FIELD(INFO->nr_targets, "targets"),
	FIELD(INFO->nr_cpus, "cpus"),
	FIELD(INFO->elapsed_ns, "elapsed_ns"),
	FIELD(INFO->sample_type, "sample_type", .hex = true),
	FIELD(INFO->ring_pages, "ring_pages"),
	FIELD(INFO->record_size, "record_size"),
	FIELD(INFO->max_bytes, "max_bytes"),
	FIELD(INFO->capacity_pages, "capacity_pages"),
	FIELD(INFO->cooling_period, "cooling_period"),
	FIELD(INFO->adaptation_period, "adaptation_period"),
	FIELD(INFO->table_bytes, "table_bytes"),
	FIELD(INFO->ring_bytes, "ring_bytes"),
	FIELD(INFO->drain_pid, "drain_pid"),
	{}
};

const struct field channel_fields[] = {
	FIELD(CHANNEL->cpu, "cpu"),
	FIELD(CHANNEL->event, "event"),
	FIELD(CHANNEL->flags, "active", .flag = HTMM_CHANNEL_ACTIVE),
	FIELD(CHANNEL->flags, "large_pebs", .flag = HTMM_CHANNEL_LARGE_PEBS),
	FIELD(CHANNEL->precise_ip, "precise_ip"),
	FIELD(CHANNEL->period, "period"),
	FIELD(CHANNEL->count, "count"),
	FIELD(CHANNEL->time_enabled, "time_enabled_ns"),
	FIELD(CHANNEL->time_running, "time_running_ns"),
	{}
};

const struct field counter_fields[] = {
	FIELD(COUNTERS->overflows, "overflows"),
	FIELD(COUNTERS->counted, "counted"),
	FIELD(COUNTERS->in_flight, "in_flight"),
	FIELD(COUNTERS->throttled, "throttled"),
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
