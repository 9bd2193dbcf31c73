// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "cmd/prometheus.h"
#include "view.h"

static const char *const kinds[HTMM_KINDS] = {
	[HTMM_KIND_BASE] = "base",
	[HTMM_KIND_HUGE] = "huge",
};

static void print_hist(FILE *file, const struct report *report)
{
	struct prom prom;
	unsigned int bin;
	int kind;

	prom_begin(&prom, file, "htmm_pages", "gauge",
		   "Pages (base) or 2 MiB regions (huge) with 2^(bin-1) to 2^bin-1 samples.");
	for (kind = 0; kind < HTMM_KINDS; kind++) {
		for (bin = 0; bin < HTMM_NR_BINS; bin++) {
			prom_label(&prom, "kind", kinds[kind]);
			prom_label_u64(&prom, "bin", bin);
			prom_value(&prom, report->hist[kind].bins[bin]);
		}
	}
	prom_begin(&prom, file, "htmm_hot_pages", "gauge",
		   "Pages (base) or 2 MiB regions (huge) that are hot.");
	for (kind = 0; kind < HTMM_KINDS; kind++) {
		prom_label(&prom, "kind", kinds[kind]);
		prom_value(&prom, report->hist[kind].hot_pages);
	}
	prom_begin(&prom, file, "htmm_hit_ratio", "gauge",
		   "Share of the samples that a fast tier with the hot set would serve.");
	for (kind = 0; kind < HTMM_KINDS; kind++) {
		prom_label(&prom, "kind", kinds[kind]);
		prom_value(&prom, report->hit_ppm[kind] / 1e6);
	}
}

static void print_mappings(FILE *file, const struct report_view *view)
{
	static const struct {
		const char *name;
		const char *help;
		size_t at;
		double unit;
	} metrics[] = {
		{ "htmm_mapping_samples", "Samples in a mapping, for the mappings with the most.",
		  offsetof(struct mapping, samples), 1 },
		{ "htmm_mapping_sampled_bytes", "Memory of its pages that have samples.",
		  offsetof(struct mapping, pages), 4096 },
		{ "htmm_mapping_hot_bytes", "Memory of its hot pages.",
		  offsetof(struct mapping, hot_pages), 4096 },
	};
	const struct tasks *tasks = &view->report->tasks;
	struct report_order order;
	struct prom prom;
	size_t m;
	__u32 i;

	if (!report_order_mappings(&order, view))
		return;
	for (m = 0; m < sizeof(metrics) / sizeof(*metrics) && order.nr; m++) {
		prom_begin(&prom, file, metrics[m].name, "gauge", metrics[m].help);
		for (i = 0; i < order.nr && (!view->max || i < view->max); i++) {
			const struct mapping *mapping = &tasks->mapping[order.index[i]];

			prom_label_u64(&prom, "pid", tasks->space[mapping->space].pid);
			prom_label_u64(&prom, "space", mapping->space);
			prom_label(&prom, "comm", tasks->space[mapping->space].comm);
			prom_label(&prom, "mapping", mapping->name);
			prom_value(&prom, *(const __u64 *)((const char *)mapping + metrics[m].at) *
				   metrics[m].unit);
		}
	}
	free(order.index);
}

void report_print_prometheus(FILE *file, const struct report_view *view)
{
	print_hist(file, view->report);
	print_mappings(file, view);
}
