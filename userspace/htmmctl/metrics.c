// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include "cmd/command.h"
#include "cmd/prometheus.h"
#include "view.h"

void status_prometheus(FILE *file, const struct htmm_info *info)
{
	static const struct {
		const char *name;
		const char *help;
		size_t at;
		double unit;
	} sizes[] = {
		{ "htmm_capacity_bytes", "What the fast tier holds.",
		  offsetof(struct htmm_info, capacity_pages), 4096 },
		{ "htmm_table_bytes", "Memory in use by the hot-page table.",
		  offsetof(struct htmm_info, table_bytes), 1 },
		{ "htmm_table_limit_bytes", "Most memory of the hot-page table.",
		  offsetof(struct htmm_info, max_bytes), 1 },
		{ "htmm_ring_bytes", "Memory of the rings.",
		  offsetof(struct htmm_info, ring_bytes), 1 },
		{ "htmm_session_seconds", "Time since the session started, until its stop.",
		  offsetof(struct htmm_info, elapsed_ns), 1 / 1e9 },
	};
	struct prom prom;
	size_t i;

	prom_begin(&prom, file, "htmm_session_state", "gauge", "1 for the state of the session.");
	prom_label(&prom, "state", htmm_state_name(info->state));
	prom_label_u64(&prom, "session", info->session);
	prom_value(&prom, 1);
	if (info->state == HTMM_STATE_IDLE)
		return;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		__u64 value = *(const __u64 *)((const char *)info + sizes[i].at);

		prom_single(file, sizes[i].name, "gauge", sizes[i].help,
			    (double)value * sizes[i].unit);
	}
	prom_single(file, "htmm_session_cpus", "gauge", "CPUs sampled.", info->nr_cpus);
	prom_single(file, "htmm_session_targets", "gauge", "Targets, each counted on its own.",
		    info->nr_targets);
}

/* The labels of a channel. */
static void label_channel(struct prom *prom, const struct htmm_stats_buf *stats,
			  const struct htmm_channel *channel)
{
	prom_label_u64(prom, "cpu", channel->cpu);
	prom_label_u64(prom, "index", channel->event);
	prom_label(prom, "event", channel->event < stats->stats.nr_events ?
		   stats->events[channel->event].name : "?");
}

static void print_drops(FILE *file, const struct htmm_stats_buf *stats)
{
	struct prom prom;
	unsigned int i;
	int drop;

	prom_begin(&prom, file, "htmm_drops_total", "counter", "Overflows dropped, by reason.");
	for (i = 0; i < stats->stats.nr_channels; i++) {
		for (drop = 0; drop < HTMM_DROP_SLOTS; drop++) {
			if (!htmm_drop_name(drop))
				continue;
			label_channel(&prom, stats, &stats->channels[i]);
			prom_label(&prom, "reason", htmm_drop_name(drop));
			prom_value(&prom, stats->channels[i].counters.drops[drop]);
		}
	}
}

static void print_channels(FILE *file, const struct htmm_stats_buf *stats)
{
	static const struct {
		const char *name;
		const char *type;
		const char *help;
		size_t at;
	} metrics[] = {
		{ "htmm_overflows_total", "counter", "Overflows of an event's counter on a CPU.",
		  offsetof(struct htmm_channel, counters.overflows) },
		{ "htmm_samples_total", "counter", "Samples counted in the hot-page table.",
		  offsetof(struct htmm_channel, counters.counted) },
		{ "htmm_in_flight_samples", "gauge", "Samples in the rings, not drained yet.",
		  offsetof(struct htmm_channel, counters.in_flight) },
		{ "htmm_throttled_overflows_total", "counter",
		  "Overflows while the kernel throttled the event.",
		  offsetof(struct htmm_channel, counters.throttled) },
		{ "htmm_event_period", "gauge", "Events between two samples.",
		  offsetof(struct htmm_channel, period) },
	};
	struct prom prom;
	unsigned int i;
	size_t m;

	for (m = 0; m < ARRAY_SIZE(metrics); m++) {
		prom_begin(&prom, file, metrics[m].name, metrics[m].type, metrics[m].help);
		for (i = 0; i < stats->stats.nr_channels; i++) {
			const char *channel = (const char *)&stats->channels[i];

			label_channel(&prom, stats, &stats->channels[i]);
			prom_value(&prom, *(const __u64 *)(channel + metrics[m].at));
		}
	}
}

void stats_prometheus(FILE *file, const struct htmm_stats_buf *stats)
{
	const struct htmm_stats *all = &stats->stats;

	print_channels(file, stats);
	print_drops(file, stats);
	prom_single(file, "htmm_coolings_total", "counter", "Times that all counts were halved.",
		    all->coolings);
	prom_single(file, "htmm_adaptations_total", "counter",
		    "Times that the thresholds were computed.", all->adaptations);
	prom_single(file, "htmm_evicted_pages_total", "counter",
		    "Pages that left the table to make room.", all->evicted);
	prom_single(file, "htmm_exited_pages_total", "counter",
		    "Pages that left the table with their process.", all->exited);
	prom_single(file, "htmm_period_changes_total", "counter",
		    "Times that a budget changed a period.", all->period_changes);
	prom_single(file, "htmm_drain_cpu_seconds_total", "counter", "CPU time of ksampled.",
		    all->drain_ns / 1e9);
	prom_single(file, "htmm_handler_seconds_total", "counter", "Time in overflow handlers.",
		    all->handler_ns / 1e9);
	prom_single(file, "htmm_cost_ratio", "gauge",
		    "What sampling cost lately, as a share of the time of the CPUs sampled.",
		    all->cost_ppm / 1e6);
}
