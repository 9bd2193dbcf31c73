// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "metrics/metrics.h"
#include "view.h"

static const char *const unit_names[HTMM_UNITS] = {
	[HTMM_UNIT_PAGE] = "page",
	[HTMM_UNIT_REGION] = "region",
};

static void print_units(FILE *file, const char *name, const char *help, double pages,
			double regions)
{
	struct prom prom;

	prom_begin(&prom, file, name, help);
	prom_label(&prom, "unit", unit_names[HTMM_UNIT_PAGE]);
	prom_value(&prom, pages);
	prom_label(&prom, "unit", unit_names[HTMM_UNIT_REGION]);
	prom_value(&prom, regions);
}

static void print_hist(FILE *file, const struct report *report)
{
	struct prom prom;
	unsigned int bin;
	int unit;

	prom_begin(&prom, file, "htmm_pages",
		   "Pages, or 2 MiB regions, with 2^(bin-1) to 2^bin-1 samples.");
	for (unit = 0; unit < HTMM_UNITS; unit++) {
		for (bin = 0; bin < HTMM_NR_BINS; bin++) {
			prom_label(&prom, "unit", unit_names[unit]);
			prom_label_u64(&prom, "bin", bin);
			prom_value(&prom, report->hist[unit].bins[bin]);
		}
	}
	print_units(file, "htmm_hot_pages", "Pages, or 2 MiB regions, that are hot.",
		    report->hist[HTMM_UNIT_PAGE].hot_pages,
		    report->hist[HTMM_UNIT_REGION].hot_pages);
	print_units(file, "htmm_hit_ratio",
		    "Share of the samples on the hottest pages; the same samples chose the pages.",
		    report->ratio[HTMM_UNIT_PAGE].hit_ppm / 1e6,
		    report->ratio[HTMM_UNIT_REGION].hit_ppm / 1e6);
	print_units(file, "htmm_hit_ratio_error",
		    "By how much htmm_hit_ratio may be too high or too low.",
		    report->ratio[HTMM_UNIT_PAGE].error_ppm / 1e6,
		    report->ratio[HTMM_UNIT_REGION].error_ppm / 1e6);
}

/* An unknown share has no value. */
static void print_estimates(FILE *file, const struct report *report)
{
	struct prom prom;
	int unit;

	prom_begin(&prom, file, "htmm_hit_estimate",
		   "Share of the accesses that a fast tier with the hottest pages would serve.");
	for (unit = 0; unit < HTMM_UNITS; unit++) {
		if (!report->hit[unit].samples || report->hit[unit].few)
			continue;
		prom_label(&prom, "unit", unit_names[unit]);
		prom_value(&prom, report->hit[unit].at.hit);
	}
}

/* For METRIC(). */
#define MAPPING	((struct mapping *)NULL)

static const struct metric mapping_metrics[] = {
	METRIC(MAPPING->samples, "htmm_mapping_samples",
	       "Samples in a mapping, for the mappings with the most."),
	METRIC(MAPPING->pages, "htmm_mapping_sampled_bytes",
	       "Memory of its pages that have samples.", .unit = 4096),
	METRIC(MAPPING->hot_pages, "htmm_mapping_hot_bytes", "Memory of its hot pages.",
	       .unit = 4096),
	{}
};

/* The mappings in sorted order. */
struct ordered {
	const struct tasks *tasks;
	struct report_order order;
};

static const void *mapping_item(struct prom *prom, const void *arg, size_t number)
{
	const struct ordered *ordered = arg;
	const struct mapping *mapping = &ordered->tasks->mapping[ordered->order.index[number]];
	const struct space *space = &ordered->tasks->space[mapping->space];

	prom_label_u64(prom, "pid", space->pid);
	prom_label_u64(prom, "space", mapping->space);
	prom_label(prom, "comm", space->comm);
	prom_label(prom, "mapping", mapping->name);
	return mapping;
}

static void print_mappings(FILE *file, const struct report_view *view)
{
	struct ordered ordered = {
		.tasks = &view->report->tasks,
		.order = report_order_mappings(view),
	};

	if (ordered.order.nr)
		metrics_write(file, mapping_metrics, ordered.order.nr, mapping_item, &ordered);
	free(ordered.order.index);
}

void report_print_prometheus(FILE *file, const struct report_view *view)
{
	print_hist(file, view->report);
	print_estimates(file, view->report);
	print_mappings(file, view);
}
