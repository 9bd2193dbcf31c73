// SPDX-License-Identifier: GPL-2.0
#include <time.h>
#include "metrics/metrics.h"
#include "prometheus.h"
#include "tier.h"

/* NULL pointers to the structs, for METRIC(). */
#define TIER	((struct tier *)NULL)
#define GROUP	((struct group *)NULL)

static const struct metric tier_metrics[] = {
	METRIC(TIER->looks, "htmm_tier_looks_total", "Looks taken, each of all pages."),
	METRIC(TIER->rests, "htmm_tier_rests_total", "Times that a look was not needed."),
	METRIC(TIER->mover.promoted, "htmm_tier_promoted_bytes_total",
	       "Memory moved to the fast tier.", .unit = 4096),
	METRIC(TIER->mover.demoted, "htmm_tier_demoted_bytes_total",
	       "Memory moved to the slow tier.", .unit = 4096),
	METRIC(TIER->mover.ns, "htmm_tier_move_seconds_total", "Time that moves took.",
	       .unit = 1 / 1e9),
	METRIC(TIER->thin, "htmm_tier_thinning", "One of this many samples is taken now."),
	{}
};

static const struct metric group_metrics[] = {
	METRIC(GROUP->capacity, "htmm_tier_capacity_bytes",
	       "Memory of the fast tier that a target may use; target 0 is all together.",
	       .unit = 4096),
	METRIC(GROUP->used, "htmm_tier_used_bytes", "Memory of the fast tier that it uses.",
	       .unit = 4096),
	{}
};

static const void *group_item(struct prom *prom, const void *arg, size_t number)
{
	const struct group *group = &((const struct tier *)arg)->groups[number];

	prom_label_u64(prom, "target", group->target);
	return group;
}

static void write_refused(FILE *file, const struct mover *mover)
{
	struct prom prom;
	unsigned int i;

	prom_begin(&prom, file, "htmm_tier_refused_bytes_total",
		   "Memory that could not be moved, by reason.");
	for (i = 0; i < NR_REFUSALS; i++) {
		prom_label(&prom, "reason", refusal_name(i));
		prom_value(&prom, mover->refused[i] * 4096.0);
	}
}

static void write_cpu(FILE *file, const struct tier *tier)
{
	struct prom prom;
	unsigned int i;

	prom_begin(&prom, file, "htmm_tier_cpu_seconds_total", "CPU time, by what it was for.");
	for (i = 0; i < TIER_NR_WORKS; i++) {
		prom_label(&prom, "work", tier_work_name(i));
		prom_value(&prom, tier->cpu[i]);
	}
}

static void write_tally(FILE *file, const struct tally *tally, const char *name, const char *help)
{
	struct prom prom;

	prom_begin(&prom, file, name, help);
	if (tally->samples > 0)
		prom_value(&prom, tally->fast / tally->samples);
}

/* Pages of the slow tier that should move, of each group that has looked. */
static void write_candidates(FILE *file, const struct tier *tier)
{
	struct prom prom;
	unsigned int i;

	prom_begin(&prom, file, "htmm_tier_candidate_bytes",
		   "Memory of the slow tier that is hotter than what would leave the fast one.");
	for (i = 0; i < tier->nr_groups; i++) {
		if (!tier->groups[i].plan)
			continue;
		group_item(&prom, tier, i);
		prom_value(&prom, tier->groups[i].plan->candidates * 4096.0);
	}
}

void prometheus_write(FILE *file, const void *arg)
{
	const struct tier *tier = arg;
	struct prom prom;

	/* A file that stays behind must not look like a tier that runs. */
	prom_begin(&prom, file, "htmm_tier_updated_timestamp_seconds",
		   "When htmmctl tier wrote this, since 1970.");
	prom_value(&prom, time(NULL));
	metrics_write(file, tier_metrics, 1, NULL, tier);
	write_refused(file, &tier->mover);
	write_cpu(file, tier);
	metrics_write(file, group_metrics, tier->nr_groups, group_item, tier);
	write_candidates(file, tier);
	write_tally(file, &tier->before, "htmm_tier_first_hit_ratio",
		    "Share of the samples on the fast tier before the first move.");
	write_tally(file, &tier->lately, "htmm_tier_hit_ratio",
		    "Share of the samples on the fast tier at the last looks.");
}
