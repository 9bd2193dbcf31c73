// SPDX-License-Identifier: GPL-2.0
/* What has been measured: a line each, JSON of all, and the tables of docs/core.md. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

struct row {
	const char *structure;
	struct bench_load load;
	u64 pages;
	u32 one_in;
	u32 spaces;
	struct bench_result result;
	double bytes_per_page;
	double instructions;	/* negative: not counted */
};

static struct row *rows;
static u32 nr_rows;

/* Instructions per sample that callgrind has counted before, or -1. */
static double counted(const char *store, const char *label, const char *part)
{
	const char *path = getenv("COUNTS");
	char a[32], b[96], wanted[96];
	double found = -1, value;
	FILE *file = path ? fopen(path, "r") : NULL;

	if (!file)
		return -1;
	snprintf(wanted, sizeof(wanted), "%s%s", label, part);
	while (fscanf(file, "%31s %95s %lf%*[^\n]", a, b, &value) == 3) {
		if (!strcmp(a, store) && !strcmp(b, wanted))
			found = value;
	}
	fclose(file);
	return found;
}

/* Of a long period of cooling, a turn after the cooling was counted, and a later one. */
static double instructions(const char *store, const char *label, const struct bench_load *load)
{
	double first = counted(store, label, ""), later = counted(store, label, ",later");

	return later < 0 ? first : later + (first - later) * BENCH_CHUNK / load->period;
}

static const char *weight_name(u32 weight)
{
	return weight == BENCH_MIXED ? "mixed" : weight == 1 ? "1" : "2";
}

void bench_label(char label[64], const struct bench_space *space,
		 const struct bench_load *load)
{
	snprintf(label, 64, "%s,pages=%lluk/%u,spaces=%u,weight=%s,cool=%llu",
		 load->stream, (unsigned long long)space->pages >> 10, space->one_in, space->spaces,
		 weight_name(load->weight), (unsigned long long)load->period);
}

void bench_report_head(void)
{
	printf("%-15s %-10s %9s %-4s %6s %6s %4s %5s %6s %6s %5s %6s %14s %7s %7s\n",
	       "structure", "stream", "pages", "of", "spaces", "weight", "cool",
	       "turns", "ns", "bound", "ahead", "ratio", "quartiles", "B/page",
	       "instr");
}

void bench_report(const char *structure, const struct bench_space *space,
		  const struct bench_load *load,
		  const struct bench_result *result, double bytes_per_page)
{
	struct row *row;
	char label[64];

	bench_label(label, space, load);
	rows = realloc(rows, (nr_rows + 1) * sizeof(*rows));
	row = &rows[nr_rows++];
	*row = (struct row) {
		.structure = structure,
		.load = *load,
		.pages = space->pages,
		.one_in = space->one_in,
		.spaces = space->spaces,
		.result = *result,
		.bytes_per_page = bytes_per_page,
		.instructions = instructions(structure, label, load),
	};
	printf("%-15s %-10s %9llu 1/%-2u %6u %6s %3lluM %5u ", structure, load->stream,
	       row->pages, row->one_in, space->spaces, weight_name(load->weight),
	       (unsigned long long)load->period >> 20, result->turns);
	printf("%6.2f %6.2f %5u %6.2f %6.2f..%-6.2f %7.2f", result->ns, result->bound,
	       result->way.ahead, result->ratio[1],
	       result->ratio[0], result->ratio[2], bytes_per_page);
	if (row->instructions >= 0)
		printf(" %7.1f", row->instructions);
	printf("\n");
	fflush(stdout);
}

static void write_row(FILE *json, const struct row *row)
{
	fprintf(json, "  {\"structure\": \"%s\", \"stream\": \"%s\", ",
		row->structure, row->load.stream);
	fprintf(json, "\"pages\": %llu, \"touched\": %.6f, \"spaces\": %u, ",
		row->pages, 1.0 / row->one_in, row->spaces);
	fprintf(json, "\"weight\": \"%s\", \"cool\": %llu, \"turns\": %u, ",
		weight_name(row->load.weight), (unsigned long long)row->load.period,
		row->result.turns);
	fprintf(json, "\"ns\": %.3f, \"bound_ns\": %.3f, \"bound_ahead\": %u, ",
		row->result.ns, row->result.bound, row->result.way.ahead);
	fprintf(json, "\"ratio\": %.3f, \"spread\": [%.3f, %.3f], ",
		row->result.ratio[1], row->result.ratio[0], row->result.ratio[2]);
	fprintf(json, "\"bytes_per_page\": %.3f, \"instructions\": ",
		row->bytes_per_page);
	if (row->instructions >= 0)
		fprintf(json, "%.1f}", row->instructions);
	else
		fprintf(json, "null}");
}

bool bench_write_json(const char *path)
{
	FILE *json = fopen(path, "w");
	u32 i;

	if (!json)
		return false;
	for (i = 0; i < nr_rows; i++) {
		fprintf(json, i ? ",\n" : "[\n");
		write_row(json, &rows[i]);
	}
	fprintf(json, "\n]\n");
	return !fclose(json);
}

static bool same_structure(const struct row *a, const struct row *b)
{
	return !strcmp(a->structure, b->structure);
}

static bool same_stream(const struct row *a, const struct row *b)
{
	return !strcmp(a->load.stream, b->load.stream);
}

static bool same_size(const struct row *a, const struct row *b)
{
	return a->pages == b->pages && same_stream(a, b);
}

static bool same_load(const struct row *a, const struct row *b)
{
	return same_stream(a, b) && a->spaces == b->spaces &&
	       a->load.weight == b->load.weight && a->load.cools == b->load.cools;
}

static bool is_plain(const struct row *row)
{
	return row->spaces == 1 && row->load.weight == 1 && !row->load.period;
}

/*
 * Of the rows of one table, that of stores where one page in so many is touched, samples
 * weigh one and nothing cools: the next after @row (NULL: the first) that is like no row
 * before it by @same.
 */
static const struct row *
next_row(const struct row *row, u32 one_in,
	 bool (*same)(const struct row *a, const struct row *b))
{
	const struct row *other;

	for (row = row ? row + 1 : rows; row < rows + nr_rows; row++) {
		if (row->one_in != one_in || row->pages < BENCH_LEAST_PAGES ||
		    !is_plain(row))
			continue;
		for (other = rows; other < row; other++) {
			if (other->one_in == one_in && is_plain(other) &&
			    same(other, row))
				break;
		}
		if (other == row)
			return row;
	}
	return NULL;
}

static const struct row *find(const struct row *structure, const struct row *size)
{
	const struct row *row;

	for (row = rows; row < rows + nr_rows; row++) {
		if (row->one_in == size->one_in && is_plain(row) &&
		    same_structure(row, structure) && same_size(row, size))
			return row;
	}
	return NULL;
}

static void table_head(u32 one_in)
{
	const struct row *size = NULL;

	printf("\n| structure |");
	while ((size = next_row(size, one_in, same_size)))
		printf(" %llu M %s |", size->pages >> 20, size->load.stream);
	printf(" B/page |\n|---|---|");
	while ((size = next_row(size, one_in, same_size)))
		printf("---|");
	printf("\n");
}

/* A structure's ratios or times; memory at the largest size. */
static void table_line(const struct row *structure, bool ratio)
{
	const struct row *size = NULL, *row, *last = structure;

	printf("| %s |", structure->structure);
	while ((size = next_row(size, structure->one_in, same_size))) {
		row = find(structure, size);
		if (row)
			last = row;
		if (!row)
			printf(" - |");
		else if (ratio)
			printf(" %.2f |", row->result.ratio[1]);
		else
			printf(" %.1f |", row->result.ns);
	}
	printf(" %.2f |\n", last->bytes_per_page);
}

static void table(u32 one_in, bool ratio)
{
	const struct row *structure = NULL;

	if (!next_row(NULL, one_in, same_structure))
		return;
	printf("\n%s, 1/%u of all pages touched:\n", ratio ?
	       "Ratio to the bound" : "Nanoseconds per sample", one_in);
	table_head(one_in);
	while ((structure = next_row(structure, one_in, same_structure)))
		table_line(structure, ratio);
}

/* htmm's rows of one load, a column for each size. */
static void load_line(const struct row *first)
{
	const struct row *row;

	printf("| %s | %u | %s | %s |", first->load.stream, first->spaces,
	       weight_name(first->load.weight), first->load.cools);
	for (row = first; row < rows + nr_rows; row++) {
		if (row->one_in == 1 && same_structure(row, first) &&
		    same_load(row, first))
			printf(" %.1f, %.1f: %.2f | %.0f |", row->result.ns,
			       row->result.bound, row->result.ratio[1],
			       row->instructions);
	}
	printf("\n");
}

static void load_table(void)
{
	const struct row *row, *other;

	printf("\nhtmm, bound: ratio, and instructions, for each size:\n");
	for (row = rows; row < rows + nr_rows; row++) {
		if (row->one_in != 1 || strcmp(row->structure, "htmm"))
			continue;
		for (other = rows; other < row; other++) {
			if (other->one_in == 1 && same_structure(other, row) &&
			    same_load(other, row))
				break;
		}
		if (other == row)
			load_line(row);
	}
}

void bench_print_tables(void)
{
	static const u32 one_in[] = { 1, 8, 64 };
	u32 i;

	load_table();
	for (i = 0; i < 3; i++) {
		table(one_in[i], true);
		table(one_in[i], false);
	}
}
