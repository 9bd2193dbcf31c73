// SPDX-License-Identifier: GPL-2.0
/*
 * A page of HTML with all parts of a report: pictures of gnuplot and tables, in one file. It is
 * well-formed XML, too, so that programs can read it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "htmmctl/command.h"
#include "htmmctl/output.h"
#include "estimate/rate.h"
#include "view.h"

/* Columns of the summary before its texts. */
#define SUMMARY_INDENT	10
/* Pictures, in pixels: for desks and for phones, up to a width of the window. */
#define WIDE		960
#define NARROW		360
#define NARROW_UP_TO	640
#define WIDE_HEIGHT	380
#define NARROW_HEIGHT	300

/**
 * struct page - a page in the making
 * @file: what there is of it
 * @path: where it is to be written
 * @view: the report
 * @ret: 0, or a negative errno of the first picture that failed
 * @err: says why it failed
 */
struct page {
	FILE *file;
	const char *path;
	const struct report_view *view;
	int ret;
	struct htmm_error *err;
};

static const char head[] =
"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"/>\n"
"<style>\n"
":root { color-scheme: light }\n"
"body { margin: 0 auto; padding: 0 12px 3em; max-width: 960px; background: #fff; color: #222;\n"
"       font: 16px/1.45 system-ui, sans-serif }\n"
"h1 { font-size: 1.5em; overflow-wrap: anywhere } h2 { font-size: 1.2em; margin: 2em 0 .3em }\n"
"p { margin: .3em 0 .8em; color: #555; max-width: 45em } figure { margin: 1em 0 }\n"
"figcaption { font-size: .9em; overflow-wrap: anywhere }\n"
"img { display: block; width: 100%; height: auto; max-width: 960px }\n"
".scroll { overflow-x: auto } table { border-collapse: collapse; font-size: .9em }\n"
"th, td { padding: .25em .6em; text-align: right; white-space: nowrap; vertical-align: top;\n"
"         border-bottom: 1px solid #ddd; font-variant-numeric: tabular-nums }\n"
"thead th { border-bottom: 2px solid #888 }\n"
".text { text-align: left; white-space: normal; overflow-wrap: anywhere }\n"
"td.text { min-width: 8em } tbody th { white-space: nowrap !important }\n"
".bar { min-width: 5em; background: linear-gradient(#d0d8f0 0 0) no-repeat left / var(--part) 100% }\n"
"</style>\n";

/* A text that is not trusted. */
static void put_text(FILE *file, const char *text)
{
	int len;

	for (; *text; text += len ?: 1) {
		len = out_printable(text);
		switch (*text) {
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		default:
			fwrite(len ? text : "?", 1, len ?: 1, file);
		}
	}
}

/* The titles of columns, with commas between them, and @ before those of texts. */
static void begin_table(struct page *page, const char *titles)
{
	const char *end;

	fputs("<div class=\"scroll\"><table>\n<thead><tr>", page->file);
	for (; *titles; titles = *end ? end + 1 : end) {
		const bool text = *titles == '@';

		end = strchrnul(titles += text, ',');
		fprintf(page->file, "<th%s>%.*s</th>", text ? " class=\"text\"" : "",
			(int)(end - titles), titles);
	}
	fputs("</tr></thead>\n<tbody>\n", page->file);
}

static void end_table(struct page *page)
{
	fputs("</tbody></table></div>\n", page->file);
}

static void put_name(struct page *page, const char *name)
{
	fputs("<td class=\"text\">", page->file);
	put_text(page->file, name);
	fputs("</td>", page->file);
}

static void put_number(struct page *page, __u64 number)
{
	fprintf(page->file, "<td>%llu</td>", number);
}

static void put_words(struct page *page, const char *words)
{
	fprintf(page->file, "<td>%s</td>", words);
}

/* @part of @whole, as a bar, and what is written on it. */
static void put_bar(struct page *page, __u64 part, __u64 whole, const char *words)
{
	fprintf(page->file, "<td class=\"bar\" style=\"--part: %.1f%%\">%s</td>",
		percent(part, whole), words);
}

static void put_share(struct page *page, __u64 samples)
{
	const __u64 all = page->view->report->counts.samples;
	char words[16];

	snprintf(words, sizeof(words), "%.1f %%", percent(samples, all));
	put_bar(page, samples, all, words);
	put_number(page, samples);
}

static void put_base64(FILE *file, int fd)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char bytes[3 * 1024];
	ssize_t got, i;
	off_t at;

	/* Of a file in memory, only the last read is short. */
	for (at = 0; (got = pread(fd, bytes, sizeof(bytes), at)) > 0; at += got) {
		memset(bytes + got, 0, sizeof(bytes) - got);
		for (i = 0; i < got; i += 3) {
			const unsigned int word = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];

			fputc(digits[word >> 18], file);
			fputc(digits[word >> 12 & 63], file);
			fputc(i + 1 < got ? digits[word >> 6 & 63] : '=', file);
			fputc(i + 2 < got ? digits[word & 63] : '=', file);
		}
	}
}

static void put_picture(struct page *page, struct report_figure *figure, unsigned int width,
			unsigned int height)
{
	int fd;

	figure->view = page->view;
	figure->width = width;
	figure->height = height;
	fd = page->ret ? page->ret : report_figure(figure, page->path, page->err);
	if (fd < 0) {
		page->ret = fd;
		return;
	}
	fputs("data:image/svg+xml;base64,", page->file);
	put_base64(page->file, fd);
	close(fd);
}

/* Begins a figure; its caption follows. */
static void begin_figure(struct page *page, struct report_figure *figure, const char *what)
{
	fprintf(page->file, "<figure><picture><source media=\"(max-width: %dpx)\" srcset=\"",
		NARROW_UP_TO);
	put_picture(page, figure, NARROW, NARROW_HEIGHT);
	fprintf(page->file, "\"/><img alt=\"%s\" src=\"", what);
	put_picture(page, figure, WIDE, WIDE_HEIGHT);
	fputs("\"/></picture>\n<figcaption>", page->file);
}

static void end_figure(struct page *page)
{
	fputs("</figcaption></figure>\n", page->file);
}

/* What the text says, line by line: a label, and what goes on below it. */
static void print_summary(struct page *page)
{
	struct report_view view = *page->view;
	char *text = NULL, *line, *next;
	FILE *file;
	size_t size;

	file = open_memstream(&text, &size);
	if (!file)
		return;
	view.parts = PART_SUMMARY;
	report_print_text(file, &view);
	fclose(file);
	fputs("<div class=\"scroll\"><table><tbody>\n", page->file);
	for (line = text; line && *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (strnlen(line, SUMMARY_INDENT) < SUMMARY_INDENT || *line == ' ') {
			put_text(page->file, line + strspn(line, " "));
		} else {
			fprintf(page->file, "%s<tr><th class=\"text\" scope=\"row\">%.*s</th>",
				line == text ? "" : "</td></tr>\n", SUMMARY_INDENT, line);
			fputs("<td class=\"text\">", page->file);
			put_text(page->file, line + SUMMARY_INDENT);
		}
		if (*next == ' ')
			fputc(' ', page->file);
	}
	fputs("</td></tr>\n</tbody></table></div>\n", page->file);
	free(text);
}

static void put_need(struct page *page, const struct curve *curve, unsigned int hit)
{
	const struct curve_need need = report_need(curve, hit / 100.0);
	char size[SIZE_TEXT];

	fprintf(page->file, "<tr><td>%u %%</td>", hit);
	put_words(page, size_text(size, need.pages << HTMM_PAGE_SHIFT));
	put_words(page, need.low ? size_text(size, need.low << HTMM_PAGE_SHIFT) : "-");
	put_words(page, need.high ? size_text(size, need.high << HTMM_PAGE_SHIFT) : "-");
	fputs("</tr>\n", page->file);
}

static void print_curve(struct page *page)
{
	struct curve *curve = report_curve(page->view);
	struct report_figure figure = { .part = PART_CURVE, .curve = curve };

	if (!curve) {
		page->ret = page->ret ? page->ret : no_memory(page->err);
	} else if (curve->few || !curve->nr) {
		fprintf(page->file, "<p>Unknown: there are too few samples (%llu).</p>\n",
			curve->samples);
	} else {
		begin_figure(page, &figure, "share of the samples by the size of fast memory");
		fprintf(page->file, "From %llu samples of %llu pages. ", curve->samples,
			curve->sampled_pages);
		fputs("The points are what 90, 95 and 99 % need", page->file);
		fputs(curve->census ? "." : "; the shaded bounds are true in 95 of 100 samplings.",
		      page->file);
		end_figure(page);
		begin_table(page, "samples served,fast memory needed,at least,at most");
		put_need(page, curve, 90);
		put_need(page, curve, 95);
		put_need(page, curve, 99);
		end_table(page);
	}
	free(curve);
}

static void print_heat(struct page *page)
{
	const struct report_view *view = page->view;
	unsigned int others;

	if (!view->panels.nr)
		fputs("<p>Unknown: the samples have no times.</p>\n", page->file);
	for (unsigned int p = 0; p < view->panels.nr; p++) {
		struct report_figure figure = { .part = PART_HEAT, .panel = p };
		const struct panel *panel = &view->panels.panel[p];
		const struct space *space = &view->report->tasks.space[panel->space];

		begin_figure(page, &figure, "samples by address and time");
		put_text(page->file, panels_mapping(view->report, panel, &others));
		if (others)
			fprintf(page->file, " and %u more", others);
		fprintf(page->file, " of %u ", space->pid);
		put_text(page->file, space->comm);
		fprintf(page->file, ", addresses %llx to %llx: %llu samples", panel->start,
			panel->end, panel->samples);
		end_figure(page);
	}
}

static void print_wss(struct page *page)
{
	struct report_figure figure = { .part = PART_WSS };

	if (!heat_slices(page->view->report->heat)) {
		fputs("<p>Unknown: the samples have no times.</p>\n", page->file);
		return;
	}
	begin_figure(page, &figure, "memory touched by time");
	fputs("Pages with samples in each interval.", page->file);
	end_figure(page);
}

static void print_processes(struct page *page)
{
	struct report_order order = report_order_spaces(page->view);
	__u32 i;

	begin_table(page, "@command,share,samples,pages,hot,pid");
	for (i = 0; i < order.nr; i++) {
		const struct space *space = &page->view->report->tasks.space[order.index[i]];

		fputs("<tr>", page->file);
		put_name(page, space->comm);
		put_share(page, space->samples);
		put_number(page, space->pages);
		put_number(page, space->hot_pages);
		put_number(page, space->pid);
		fputs("</tr>\n", page->file);
	}
	end_table(page);
	free(order.index);
}

static void print_commands(struct page *page)
{
	struct report_command *command;
	__u32 nr, i;

	command = report_commands(page->view, &nr);
	if (!command)
		return;
	begin_table(page, "@command,share,samples,pages,hot,processes");
	for (i = 0; i < nr; i++) {
		fputs("<tr>", page->file);
		put_name(page, command[i].comm);
		put_share(page, command[i].samples);
		put_number(page, command[i].pages);
		put_number(page, command[i].hot_pages);
		put_number(page, command[i].processes);
		fputs("</tr>\n", page->file);
	}
	end_table(page);
	free(command);
}

/* Below their mapping. */
static void print_ranges(struct page *page, const struct mapping *mapping)
{
	__u32 i;

	for (i = 0; i < mapping->nr_ranges; i++) {
		const struct mapping_range *range = &mapping->ranges[i];

		fprintf(page->file, "<tr><td class=\"text\">&#8195;%llx-%llx</td>", range->start,
			range->end);
		put_share(page, range->samples);
		put_number(page, range->pages);
		put_number(page, range->hot_pages);
		fputs("<td></td><td></td></tr>\n", page->file);
	}
}

static void print_mappings(struct page *page)
{
	const struct tasks *tasks = &page->view->report->tasks;
	struct report_order order = report_order_mappings(page->view);
	__u32 i;

	begin_table(page, "@mapping,share,samples,pages,hot,@command,pid");
	for (i = 0; i < order.nr; i++) {
		const struct mapping *mapping = &tasks->mapping[order.index[i]];

		fputs("<tr>", page->file);
		put_name(page, mapping->name);
		put_share(page, mapping->samples);
		put_number(page, mapping->pages);
		put_number(page, mapping->hot_pages);
		put_name(page, tasks->space[mapping->space].comm);
		put_number(page, tasks->space[mapping->space].pid);
		fputs("</tr>\n", page->file);
		print_ranges(page, mapping);
	}
	end_table(page);
	free(order.index);
}

static void print_functions(struct page *page)
{
	const struct functions *functions = &page->view->report->functions;
	__u32 i;

	if (!functions->nr_named) {
		fputs("<p>Unknown: the samples do not tell their instructions.</p>\n", page->file);
		return;
	}
	begin_table(page, "@function,share,samples,@file");
	for (i = 0; i < functions->nr_named && (!page->view->max || i < page->view->max); i++) {
		fputs("<tr>", page->file);
		put_name(page, functions->named[i].name ?: "[unknown]");
		put_share(page, functions->named[i].samples);
		put_name(page, functions->named[i].file);
		fputs("</tr>\n", page->file);
	}
	end_table(page);
}

static void put_bins(struct page *page, const struct htmm_histogram *hist, const char *titles)
{
	const int shift = hist->unit == HTMM_UNIT_REGION ? HTMM_REGION_SHIFT : HTMM_PAGE_SHIFT;
	char words[64];
	__u64 most = 1;
	unsigned int bin;

	for (bin = 1; bin < HTMM_NR_BINS; bin++)
		most = hist->bins[bin] > most ? hist->bins[bin] : most;
	begin_table(page, titles);
	for (bin = 1; bin < HTMM_NR_BINS; bin++) {
		if (!hist->bins[bin])
			continue;
		snprintf(words, sizeof(words), bin > 1 ? "%llu to %llu" : "%llu", 1ULL << (bin - 1),
			 (1ULL << bin) - 1);
		fputs("<tr>", page->file);
		put_words(page, words);
		put_words(page, bin >= hist->hot_threshold ? "hot" :
				bin >= hist->warm_threshold ? "warm" : "");
		snprintf(words, sizeof(words), "%llu", hist->bins[bin]);
		put_bar(page, hist->bins[bin], most, words);
		put_words(page, size_text(words, hist->bins[bin] << shift));
		fputs("</tr>\n", page->file);
	}
	end_table(page);
}

static void print_hist(struct page *page)
{
	const struct report *report = page->view->report;

	put_bins(page, &report->hist[HTMM_UNIT_PAGE], "samples,heat,pages,memory");
	fputs("<p></p>\n", page->file);
	put_bins(page, &report->hist[HTMM_UNIT_REGION], "samples,heat,2 MiB regions,memory");
}

static void put_page(struct page *page, const struct report_page *one, __u32 nr)
{
	const struct space *space = &page->view->report->tasks.space[one->space];
	char words[32];

	fputs("<tr>", page->file);
	put_name(page, report_mapping_name(page->view, one->mapping));
	snprintf(words, sizeof(words), "%llx", one->addr);
	put_words(page, words);
	put_number(page, nr);
	put_number(page, one->samples);
	if (!page->view->report->config.raw) {
		put_words(page, rate_text(words, one->rate));
		put_words(page, rate_text(words, one->low));
		put_words(page, rate_text(words, one->high));
	}
	put_words(page, one->hot ? "yes" : "");
	put_name(page, space->comm);
	put_number(page, space->pid);
	fputs("</tr>\n", page->file);
}

static void print_pages(struct page *page)
{
	const struct report *report = page->view->report;
	__u32 i, nr;

	begin_table(page, report->config.raw ? "@mapping,address,pages,samples,hot,@command,pid" :
		    "@mapping,address,pages,samples,rate,low,high,hot,@command,pid");
	for (i = 0; i < report->nr_pages; i += nr) {
		nr = report_equal_pages(report, i);
		put_page(page, &report->page[i], nr);
	}
	end_table(page);
}

static void print_regions(struct page *page)
{
	const struct report *report = page->view->report;
	char words[32];
	__u32 i;

	begin_table(page, "@mapping,address,touched pages,hot pages,samples,skew,@command,pid");
	for (i = 0; i < report->nr_regions; i++) {
		const struct report_page *region = &report->region[i];

		fputs("<tr>", page->file);
		put_name(page, report_mapping_name(page->view, region->mapping));
		snprintf(words, sizeof(words), "%llx", region->addr);
		put_words(page, words);
		put_number(page, region->touched);
		put_number(page, region->hot_pages);
		put_number(page, region->samples);
		put_number(page, region->skew);
		put_name(page, report->tasks.space[region->space].comm);
		put_number(page, report->tasks.space[region->space].pid);
		fputs("</tr>\n", page->file);
	}
	end_table(page);
}

static void print_parts(struct page *page)
{
	static const struct {
		enum report_part part;
		const char *title;
		const char *text;
		void (*print)(struct page *page);
	} parts[] = {
		{ PART_SUMMARY, "Summary", "", print_summary },
		{ PART_CURVE, "How much fast memory is needed",
		  "The share of the samples that fast memory serves if it holds the hottest pages.",
		  print_curve },
		{ PART_HEAT, "Heat map", "Samples by address and time.", print_heat },
		{ PART_WSS, "Working set", "How much memory was touched.", print_wss },
		{ PART_PROCESSES, "Processes", "", print_processes },
		{ PART_COMMANDS, "Commands", "Processes of the same name.", print_commands },
		{ PART_MAPPINGS, "Mappings", "", print_mappings },
		{ PART_FUNCTIONS, "Functions", "The code that made the accesses.",
		  print_functions },
		{ PART_HIST, "Histogram", "How much memory has how many samples.", print_hist },
		{ PART_PAGES, "Hottest pages",
		  "Neighbours that are alike share a line. The rate is the number of samples to expect, by those of the page and of its neighbours.",
		  print_pages },
		{ PART_REGIONS, "Skewed regions",
		  "2 MiB regions with few, very hot pages. Skew: squares of the pages' samples, by the square of the number of hot pages.",
		  print_regions },
	};
	const struct report_view *view = page->view;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		/* Without samples there is nothing but the reason. */
		if (!(view->parts & parts[i].part) ||
		    (!view->report->counts.samples && parts[i].part != PART_SUMMARY))
			continue;
		fprintf(page->file, "<section>\n<h2>%s</h2>\n", parts[i].title);
		if (*parts[i].text)
			fprintf(page->file, "<p>%s</p>\n", parts[i].text);
		parts[i].print(page);
		fputs("</section>\n", page->file);
	}
}

static void print_page(struct page *page)
{
	const char *path = page->view->path ? page->view->path : "the present session";

	fprintf(page->file, "%s<title>htmm: ", head);
	put_text(page->file, path);
	fputs("</title>\n</head>\n<body>\n<h1>Memory accesses: ", page->file);
	put_text(page->file, path);
	fputs("</h1>\n", page->file);
	print_parts(page);
	fputs("</body>\n</html>\n", page->file);
}

static int write_page(const char *path, const char *text, size_t bytes, struct htmm_error *err)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "we") : stdout;
	bool failed = !file || fwrite(text, 1, bytes, file) < bytes;

	if (file)
		failed |= file == stdout ? fflush(file) : fclose(file);
	if (!failed)
		return 0;
	return htmm_error_set(err, errno, "choose another file with --html",
			      "cannot write '%s': %s", path, strerror(errno));
}

int report_html(const char *path, const struct report_view *view, struct htmm_error *err)
{
	struct page page = { .path = path, .view = view, .err = err };
	char *text = NULL;
	size_t bytes;
	int ret;

	page.file = open_memstream(&text, &bytes);
	if (!page.file)
		return no_memory(err);
	print_page(&page);
	ret = ferror(page.file) | fclose(page.file) ? no_memory(err) : page.ret;
	if (!ret)
		ret = write_page(path, text, bytes, err);
	free(text);
	return ret;
}
