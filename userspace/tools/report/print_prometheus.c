// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "htmmctl/output.h"
#include "view.h"

static const char *const kinds[HTMM_UNITS] = {
	[HTMM_UNIT_PAGE] = "base",
	[HTMM_UNIT_REGION] = "huge",
};

static void print_kinds(FILE *file, const char *name, const char *help, double base, double huge)
{
	struct prom prom;

	prom_begin(&prom, file, name, help);
	prom_label(&prom, "kind", kinds[HTMM_UNIT_PAGE]);
	prom_value(&prom, base);
	prom_label(&prom, "kind", kinds[HTMM_UNIT_REGION]);
	prom_value(&prom, huge);
}

static void print_hist(FILE *file, const struct report *report)
{
	struct prom prom;
	unsigned int bin;
	int kind;

	prom_begin(&prom, file, "htmm_pages",
		   "Pages (base) or 2 MiB regions (huge) with 2^(bin-1) to 2^bin-1 samples.");
	for (kind = 0; kind < HTMM_UNITS; kind++) {
		for (bin = 0; bin < HTMM_NR_BINS; bin++) {
			prom_label(&prom, "kind", kinds[kind]);
			prom_label_u64(&prom, "bin", bin);
			prom_value(&prom, report->hist[kind].bins[bin]);
		}
	}
	print_kinds(file, "htmm_hot_pages", "Pages (base) or 2 MiB regions (huge) that are hot.",
		    report->hist[HTMM_UNIT_PAGE].hot_pages,
		    report->hist[HTMM_UNIT_REGION].hot_pages);
	print_kinds(file, "htmm_hit_ratio",
		    "Share of the samples on the hottest pages; the same samples chose the pages.",
		    report->ratio[HTMM_UNIT_PAGE].hit_ppm / 1e6,
		    report->ratio[HTMM_UNIT_REGION].hit_ppm / 1e6);
	print_kinds(file, "htmm_hit_ratio_error",
		    "By how much htmm_hit_ratio may be too high or too low.",
		    report->ratio[HTMM_UNIT_PAGE].error_ppm / 1e6,
		    report->ratio[HTMM_UNIT_REGION].error_ppm / 1e6);
}

/* An unknown share has no value. */
static void print_estimates(FILE *file, const struct report *report)
{
	struct prom prom;
	int kind;

	prom_begin(&prom, file, "htmm_hit_estimate",
		   "Share of the accesses that a fast tier with the hottest pages would serve.");
	for (kind = 0; kind < HTMM_UNITS; kind++) {
		if (!report->hit[kind].samples || report->hit[kind].few)
			continue;
		prom_label(&prom, "kind", kinds[kind]);
		prom_value(&prom, report->hit[kind].at.hit);
	}
}

/* For FIELD(). */
#define MAPPING	((struct mapping *)NULL)

const struct field report_mapping_fields[] = {
	FIELD(MAPPING->samples, "samples", .metric = "htmm_mapping_samples",
	      .help = "Samples in a mapping, for the mappings with the most."),
	FIELD(MAPPING->pages, "pages", .metric = "htmm_mapping_sampled_bytes", .unit = 4096,
	      .help = "Memory of its pages that have samples."),
	FIELD(MAPPING->hot_pages, "hot_pages", .metric = "htmm_mapping_hot_bytes", .unit = 4096,
	      .help = "Memory of its hot pages."),
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
		fields_metrics(file, report_mapping_fields, ordered.order.nr, mapping_item,
			       &ordered);
	free(ordered.order.index);
}

void report_print_prometheus(FILE *file, const struct report_view *view)
{
	print_hist(file, view->report);
	print_estimates(file, view->report);
	print_mappings(file, view);
}
