// SPDX-License-Identifier: GPL-2.0
#include "htmmctl/output.h"
#include "htmmctl/placement.h"
#include "htmmctl/view.h"
#include "estimate/rate.h"
#include "rated.h"

/* The number of pages from @page on, of @nr, that share a line. */
static size_t equal_pages(struct htmm_names *names, const struct rated_page *page, size_t nr)
{
	size_t i;

	for (i = 1; i < nr && hot_follows(names, &page->page, i, &page[i].page); i++)
		if (page[i].rate != page->rate || page[i].low != page->low ||
		    page[i].high != page->high)
			break;
	return i;
}

static void print_page(FILE *file, struct htmm_names *names, const struct rated_page *rated,
		       size_t nr, bool placed)
{
	const struct htmm_page *page = &rated->page;
	struct htmm_place place = htmm_names_find(names, page);
	const bool hot = page->flags & HTMM_PAGE_HOT;
	char comm[20], rate[RATE_TEXT], low[RATE_TEXT], high[RATE_TEXT];

	snprintf(comm, sizeof(comm), "%-10.10s", place.comm);
	out_colour(file, hot ? COLOUR_RED : COLOUR_NONE);
	fprintf(file, "%5s %5s %5s %8llu %5zu %-3s %7u ", rate_text(rate, rated->rate),
		rate_text(low, rated->low), rate_text(high, rated->high), page->samples, nr,
		hot ? "yes" : "", page->pid);
	out_colour(file, COLOUR_NONE);
	if (placed)
		place_print(file, page->node, page->mapping_shift);
	out_name(file, comm);
	fprintf(file, " %12llx ", page->addr);
	hot_print_mapping(file, page, &place);
}

/* What the fast tier would serve, if not all. */
static void print_share(FILE *file, const struct rated *rated)
{
	const struct share *share = &rated->share;
	char fit[SIZE_TEXT];

	if (share->at == 1)
		return;
	fprintf(file, "fast memory has room for the hottest %s: ",
		size_text(fit, (__u64)rated->enough.fit << HTMM_PAGE_SHIFT));
	fprintf(file, "%.1f %% of the accesses (%.1f to %.1f %%)\n", 100 * share->at,
		100 * share->low, 100 * share->high);
}

void rated_print(FILE *file, struct htmm_names *names, const struct rated *rated, bool placed)
{
	size_t i, nr;

	if (!rated->nr) {
		fputs("no such page has samples\n", file);
		return;
	}
	print_share(file, rated);
	fprintf(file, "rate: samples expected, by the page's own and its neighbours'\n"
		"%5s %5s %5s %8s %5s %-3s %7s %s%-10s %12s %s\n", "rate", "low", "high", "samples",
		"pages", "hot", "pid", placed ? PLACE_TITLE : "", "command", "address", "mapping");
	for (i = 0; i < rated->nr; i += nr) {
		nr = equal_pages(names, &rated->pages[i], rated->nr - i);
		print_page(file, names, &rated->pages[i], nr, placed);
	}
}

/* Written page by page, as a list may have millions. */
void rated_json(FILE *file, struct json_object *obj, struct htmm_names *names,
		const struct rated *rated, bool placed)
{
	const struct enough *enough = &rated->enough;
	const struct share *share = &rated->share;
	size_t i;

	json_begin(file, obj);
	fprintf(file, ",\"fit_pages\":%zu,\"sure_pages\":%zu,\"times_ppm\":%.0f,",
		enough->fit, enough->sure, enough->times * 1e6);
	fprintf(file, "\"share_ppm\":%.0f,\"share_low_ppm\":%.0f,\"share_high_ppm\":%.0f,",
		share->at * 1e6, share->low * 1e6, share->high * 1e6);
	fputs("\"pages\":[", file);
	for (i = 0; i < rated->nr; i++) {
		const struct rated_page *page = &rated->pages[i];

		obj = hot_page_json(names, &page->page, placed);
		rate_json(obj, page->rate, page->low, page->high);
		fputs(i ? ",\n" : "\n", file);
		json_write(file, obj);
	}
	fputs("]}\n", file);
}
