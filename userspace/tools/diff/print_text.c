// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "diff.h"
#include "htmmctl/output.h"

/* Columns before the name of a place. */
#define NAME_INDENT	27

static void print_events(FILE *file, const struct report_view *view)
{
	char buf[64];
	__u32 i;

	for (i = 0; i < view->events->nr; i++) {
		const struct perf_event_attr *attr = &view->events->event[i].attr;

		if (report_event_counts(view, i))
			continue;
		fputs(", ", file);
		out_name(file, report_event_name(view, i, buf, sizeof(buf)));
		fprintf(file, attr->freq ? " at %llu Hz" : "/%llu", attr->sample_period);
	}
}

/* The end of a path tells more than its beginning. */
static void print_end(FILE *file, const char *name, int room)
{
	const int len = strlen(name);

	if (len > room && room > 3) {
		fputs("...", file);
		name += len - room + 3;
	}
	out_name(file, name);
}

static void print_side(FILE *file, const struct diff *diff, int side)
{
	const struct report_view *view = &diff->loaded[side].view;

	fprintf(file, "%c: ", 'A' + side);
	if (view->path)
		print_end(file, view->path, 36);
	else
		fprintf(file, "session %llu", diff->session[side]);
	fprintf(file, ": %llu samples", view->report->counts.samples);
	if (view->events)
		print_events(file, view);
	fputc('\n', file);
}

static void print_need(FILE *file, const struct curve_need *need)
{
	char size[SIZE_TEXT], low[SIZE_TEXT], high[SIZE_TEXT];

	if (!need->pages) {
		fputs("unknown: too few samples\n", file);
		return;
	}
	fprintf(file, "%s (%s to %s)\n", size_text(size, need->pages << 12),
		size_text(low, need->low << 12),
		need->high ? size_text(high, need->high << 12) : "unknown");
}

static void print_needs(FILE *file, const struct diff *diff)
{
	fputs("\ncapacity for a hit ratio of 95 %:\n", file);
	fputs("  A ", file);
	print_need(file, &diff->need[A]);
	fputs("  B ", file);
	print_need(file, &diff->need[B]);
	if (diff->need[A].pages && diff->need[B].pages)
		fprintf(file, "  %s\n", diff_needs(diff) ? "the difference is more than chance" :
			"the difference may be chance");
}

/* Without a capacity, it is that of each machine, and not of interest here. */
static void print_hits(FILE *file, const struct diff *diff)
{
	char size[SIZE_TEXT], words[HIT_WORDS];
	int side;

	if (!diff->capacity)
		return;
	fprintf(file, "\nhit ratio of the best placement with %s of fast memory:\n",
		size_text(size, diff->capacity));
	for (side = A; side < SIDES; side++) {
		hit_words(words, sizeof(words), &diff->loaded[side].report.hit[HTMM_UNIT_PAGE]);
		fprintf(file, "  %c %s\n", 'A' + side, words);
	}
}

static void print_header(FILE *file, const char *what)
{
	fprintf(file, "\n%6s %6s  %-10s  %s\n", "A", "B", "", what);
}

static void print_shares(FILE *file, const double share[SIDES], const char *word)
{
	fprintf(file, "%5.1f%% %5.1f%%  %-10s  ", 100 * share[A], 100 * share[B], word);
}

/* How many of @nr lines were left out. */
static void print_more(FILE *file, const struct diff *diff, size_t nr)
{
	if (diff->max && nr > diff->max)
		fprintf(file, "and %zu more, see -n\n", nr - diff->max);
}

static void print_list(FILE *file, const struct diff *diff, enum place_kind kind,
		       const char *what)
{
	const struct places *places = &diff->places;
	unsigned int lines = 0;
	size_t i;

	for (i = 0; i < places->nr; i++) {
		const struct place *place = &places->place[i];
		const double share[] = {
			place_share(places, place, A), place_share(places, place, B),
		};

		if (place->kind != kind || !place->differs)
			continue;
		if (!lines++)
			print_header(file, what);
		if (diff->max && lines > diff->max)
			continue;
		print_shares(file, share, share[B] > share[A] ? "more" : "less");
		out_name(file, *place->comm ? place->comm : place->name);
		fputc('\n', file);
	}
	print_more(file, diff, lines);
}

/* " + 8.0 - 16.0 MiB": a unit that both have is printed once. */
static void offset_text(char *text, size_t size, const struct range *range)
{
	char start[SIZE_TEXT], end[SIZE_TEXT];
	char *unit;

	size_text(start, range->start);
	size_text(end, range->end);
	unit = strchr(start, ' ');
	if (!range->start)
		snprintf(start, sizeof(start), "0");
	else if (unit && !strcmp(unit, strchrnul(end, ' ')))
		*unit = '\0';
	snprintf(text, size, " + %s - %s", start, end);
}

static void print_range(FILE *file, const struct range *range)
{
	const char *comm = range->mapping->comm;
	char offset[64] = "";

	if (!range->whole)
		offset_text(offset, sizeof(offset), range);
	out_name(file, comm);
	fputc(' ', file);
	print_end(file, range->mapping->name,
		  out_width(file) - NAME_INDENT - (int)strlen(comm) - 1 - (int)strlen(offset));
	fprintf(file, "%s\n", offset);
}

static void print_change(FILE *file, const struct change *change)
{
	static const char *const words[] = {
		[CHANGE_HOT] = "hotter", [CHANGE_COLD] = "colder", [CHANGE_MOVED] = "moved from",
	};

	print_shares(file, change->at.share, words[change->kind]);
	print_range(file, &change->at);
	if (change->kind != CHANGE_MOVED)
		return;
	print_shares(file, change->to.share, "        to");
	print_range(file, &change->to);
}

static void print_changes(FILE *file, const struct diff *diff)
{
	const struct changes *changes = &diff->changes;
	size_t i;

	if (!changes->nr)
		return;
	print_header(file, "memory");
	for (i = 0; i < changes->nr && (!diff->max || i < diff->max); i++)
		print_change(file, &changes->change[i]);
	print_more(file, diff, changes->nr);
}

void diff_print(FILE *file, const struct diff *diff)
{
	size_t i, differ = 0;

	print_side(file, diff, A);
	print_side(file, diff, B);
	print_needs(file, diff);
	print_hits(file, diff);
	print_list(file, diff, PLACE_SOURCE, "served by");
	print_list(file, diff, PLACE_PROCESS, "process");
	print_changes(file, diff);
	for (i = 0; i < diff->places.nr; i++)
		differ += diff->places.place[i].differs;
	fprintf(file, "\n%zu of %zu places differ by more than %.0f %% and chance\n", differ,
		diff->places.compared, 100 * (diff->most - 1));
}
