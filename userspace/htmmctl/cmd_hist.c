// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include "options.h"
#include "view.h"

/* Bins shown; the last one includes all higher ones. */
#define BINS_SHOWN	16
/* Columns before the bar. */
#define BAR_INDENT	46

static __u64 sum_from(const struct htmm_histogram *hist, unsigned int bin)
{
	__u64 sum = 0;

	for (; bin < HTMM_NR_BINS; bin++)
		sum += hist->bins[bin];
	return sum;
}

/* The sample counts of a bin's pages as text. */
static void bin_range(char *text, size_t size, unsigned int bin, bool open_ended)
{
	if (bin == 0)
		snprintf(text, size, "0");
	else if (open_ended)
		snprintf(text, size, "%llu or more", 1ULL << (bin - 1));
	else if (bin == 1)
		snprintf(text, size, "1");
	else
		snprintf(text, size, "%llu-%llu", 1ULL << (bin - 1), (1ULL << bin) - 1);
}

static void print_bin(FILE *file, const struct htmm_histogram *hist, unsigned int bin,
		      __u64 value, __u64 most, bool last)
{
	bool hot = bin >= hist->hot_threshold;
	bool warm = !hot && bin >= hist->warm_threshold;
	char range[32];

	if (!value)
		return;
	bin_range(range, sizeof(range), bin, last);
	fprintf(file, "%3u  %-21s %12llu", bin, range, value);
	out_colour(file, hot ? COLOUR_RED : warm ? COLOUR_YELLOW : COLOUR_NONE);
	fprintf(file, "  %-4s ", hot ? "hot" : warm ? "warm" : "");
	out_bar(file, value, most, out_width(file) - BAR_INDENT - 1);
	out_colour(file, COLOUR_NONE);
	fputc('\n', file);
}

static __u64 bytes_of(const struct htmm_histogram *hist, __u64 pages)
{
	return pages << (hist->unit == HTMM_UNIT_REGION ? HTMM_REGION_SHIFT : HTMM_PAGE_SHIFT);
}

/* The number of pages with a count that a completely filled fast tier would hold. */
static __u64 hist_fast_pages(const struct htmm_histogram *hist)
{
	const __u64 counted = hist->pages - hist->bins[0];

	return counted < hist->capacity_pages ? counted : hist->capacity_pages;
}

static void print_summary(FILE *file, const struct htmm_histogram *hist, const struct hit *hit)
{
	const bool regions = hist->unit == HTMM_UNIT_REGION;
	const __u64 fast = hist_fast_pages(hist);
	char size[SIZE_TEXT];

	fprintf(file, "%s: %llu with samples now; %llu samples were counted in total\n",
		regions ? "2 MiB regions" : "pages", hist->pages - hist->bins[0], hist->samples);
	fprintf(file, "fast tier: %llu %s (%s), can hold %llu of these\n",
		hist->capacity_pages, regions ? "regions" : "pages",
		size_text(size, bytes_of(hist, hist->capacity_pages)), fast);
	if (hist->hot_threshold >= HTMM_NR_BINS)
		fputs("hot: none, because no whole bin fits the fast tier", file);
	else
		fprintf(file, "hot: %llu, in bin %u and above; warm: from bin %u",
			hist->hot_pages, hist->hot_threshold, hist->warm_threshold);
	fputc('\n', file);
	fputs("hit ratio: ", file);
	hit_print(file, hit);
}

void hist_print(FILE *file, const struct htmm_histogram *hist, const struct hit *hit, bool all)
{
	unsigned int nr = all ? HTMM_NR_BINS : BINS_SHOWN, bin;
	__u64 most = 0;

	/* The open-ended bin must not hide a threshold. */
	if (hist->hot_threshold >= nr && hist->hot_threshold < HTMM_NR_BINS)
		nr = HTMM_NR_BINS;
	for (bin = 0; bin < nr; bin++) {
		__u64 value = bin == nr - 1 ? sum_from(hist, bin) : hist->bins[bin];

		most = value > most ? value : most;
	}

	print_summary(file, hist, hit);
	fprintf(file, "%3s  %-21s %12s\n", "bin", "samples of each",
		hist->unit == HTMM_UNIT_REGION ? "regions" : "pages");
	for (bin = 0; bin < nr; bin++)
		print_bin(file, hist, bin, bin == nr - 1 ? sum_from(hist, bin) : hist->bins[bin],
			  most, bin == nr - 1 && nr < HTMM_NR_BINS);
}

struct json_object *hist_json(struct json_object *obj, const struct htmm_histogram *hist,
			      const struct htmm_hit_ratio *ratio, const struct hit *hit)
{
	struct json_object *shown = json_object_new_array(), *all = json_object_new_array();
	unsigned int bin;

	for (bin = 0; bin < HTMM_NR_BINS; bin++) {
		json_object_array_add(all, json_object_new_uint64(hist->bins[bin]));
		if (bin < BINS_SHOWN - 1)
			json_object_array_add(shown, json_object_new_uint64(hist->bins[bin]));
	}
	json_object_array_add(shown, json_object_new_uint64(sum_from(hist, BINS_SHOWN - 1)));

	json_add_name(obj, "unit", hist->unit == HTMM_UNIT_REGION ? "region" : "page");
	json_add(obj, "bins", shown);
	json_add(obj, "bins_all", all);
	json_add_u64(obj, "hot_threshold", hist->hot_threshold);
	json_add_u64(obj, "warm_threshold", hist->warm_threshold);
	json_add_u64(obj, "pages", hist->pages);
	json_add_u64(obj, "hot_pages", hist->hot_pages);
	json_add_u64(obj, "capacity_pages", hist->capacity_pages);
	json_add_u64(obj, "fast_pages", hist_fast_pages(hist));
	json_add_u64(obj, "samples", hist->samples);
	json_add_u64(obj, "samples_now", ratio->samples);
	json_add_u64(obj, "hit_ratio_ppm", ratio->hit_ppm);
	json_add_u64(obj, "hit_ratio_error_ppm", ratio->error_ppm);
	hit_json(obj, "hit_estimate", hit);
	return obj;
}

struct hist_cmd {
	__s64 target;
	bool json;
	bool regions;
	bool all;
	struct htmm_histogram hist;
	struct htmm_hit_ratio ratio;
	struct hit hit;
};

static int read_hist(int fd, void *arg, struct htmm_error *err)
{
	struct hist_cmd *cmd = arg;
	const __u32 unit = cmd->regions ? HTMM_UNIT_REGION : HTMM_UNIT_PAGE;

	if (htmm_target_hist(fd, cmd->target, unit, &cmd->hist, err))
		return advise(err, EINVAL, "leave out --regions");
	return hit_of_target(fd, cmd->target, unit, &cmd->ratio, &cmd->hit, err);
}

static int print(void *arg, struct json_object *obj, struct htmm_error *err)
{
	const struct hist_cmd *cmd = arg;

	if (obj)
		json_print(stdout, hist_json(obj, &cmd->hist, &cmd->ratio, &cmd->hit));
	else
		hist_print(stdout, &cmd->hist, &cmd->hit, cmd->all);
	return 0;
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	const struct hist_cmd *cmd = arg;

	return session_answer(fd, cmd->json, read_hist, print, arg, err);
}

static int run_hist(const struct command *cmd, int argc, char **argv)
{
	struct hist_cmd hist = {};
	const struct opt opts[] = {
		{ OPT_FLAG, 0, "regions", NULL, "count 2 MiB regions instead of 4 KiB pages",
		  &hist.regions },
		{ OPT_FLAG, 0, "all", NULL, "draw every bin, also those above the 16th",
		  &hist.all },
		OPT_TARGET(&hist.target),
		OPT_JSON(&hist.json),
		{ OPT_END },
	};

	return simple_cmd(cmd, argc, argv, opts, show, &hist);
}

const struct command cmd_hist = {
	.name = "hist",
	.synopsis = "[options]",
	.summary = "draw the histogram of pages by samples",
	.help = "Draws how many pages have how many samples.  Each bin is twice as wide as the\n"
		"one before.",
	.run = run_hist,
};
