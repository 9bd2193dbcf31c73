// SPDX-License-Identifier: GPL-2.0
/* What has been measured: a line each, JSON of all, and the tables of docs/core.md. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

struct row {
	const char *structure;
	const char *stream;
	u64 pages;
	u32 one_in;
	struct bench_result result;
	double bytes_per_page;
	double instructions;	/* negative: not counted */
};

static struct row *rows;
static u32 nr_rows;

/* Instructions per sample that callgrind has counted before, or -1. */
static double instructions(const char *store, const char *stream)
{
	const char *path = getenv("COUNTS");
	char a[32], b[32];
	double counted = -1, value;
	FILE *file = path ? fopen(path, "r") : NULL;

	if (!file)
		return -1;
	while (fscanf(file, "%31s %31s %lf", a, b, &value) == 3) {
		if (!strcmp(a, store) && !strcmp(b, stream))
			counted = value;
	}
	fclose(file);
	return counted;
}

void bench_report_head(void)
{
	printf("%-15s %-10s %9s %-4s %5s %8s %7s %14s %7s %7s\n", "structure",
	       "stream", "pages", "of", "turns", "ns", "ratio", "quartiles",
	       "B/page", "instr");
}

void bench_report(const char *structure, const char *stream,
		  const struct bench_space *space,
		  const struct bench_result *result, double bytes_per_page)
{
	struct row *row;

	rows = realloc(rows, (nr_rows + 1) * sizeof(*rows));
	row = &rows[nr_rows++];
	*row = (struct row) {
		.structure = structure,
		.stream = stream,
		.pages = space->pages,
		.one_in = space->one_in,
		.result = *result,
		.bytes_per_page = bytes_per_page,
		.instructions = instructions(structure, stream),
	};
	printf("%-15s %-10s %9llu 1/%-2u %5u %8.2f %7.2f %6.2f..%-6.2f %7.2f",
	       structure, stream, row->pages, row->one_in, result->turns,
	       result->ns, result->ratio[1], result->ratio[0],
	       result->ratio[2], bytes_per_page);
	if (row->instructions >= 0)
		printf(" %7.1f", row->instructions);
	printf("\n");
	fflush(stdout);
}

static void write_row(FILE *json, const struct row *row)
{
	fprintf(json, "  {\"structure\": \"%s\", \"stream\": \"%s\", ",
		row->structure, row->stream);
	fprintf(json, "\"pages\": %llu, \"touched\": %.6f, \"turns\": %u, ",
		row->pages, 1.0 / row->one_in, row->result.turns);
	fprintf(json, "\"ns\": %.3f, \"ratio\": %.3f, \"spread\": [%.3f, %.3f], ",
		row->result.ns, row->result.ratio[1], row->result.ratio[0],
		row->result.ratio[2]);
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

static bool same_load(const struct row *a, const struct row *b)
{
	return a->pages == b->pages && !strcmp(a->stream, b->stream);
}

/*
 * Of the rows of one table, that of stores where one page in so many is touched:
 * the next after @row (NULL: the first) that is like no row before it by @same.
 */
static const struct row *
next_row(const struct row *row, u32 one_in,
	 bool (*same)(const struct row *a, const struct row *b))
{
	const struct row *other;

	for (row = row ? row + 1 : rows; row < rows + nr_rows; row++) {
		if (row->one_in != one_in || row->pages < BENCH_LEAST_PAGES)
			continue;
		for (other = rows; other < row; other++) {
			if (other->one_in == one_in && same(other, row))
				break;
		}
		if (other == row)
			return row;
	}
	return NULL;
}

static const struct row *find(const struct row *structure, const struct row *load)
{
	const struct row *row;

	for (row = rows; row < rows + nr_rows; row++) {
		if (row->one_in == load->one_in &&
		    same_structure(row, structure) && same_load(row, load))
			return row;
	}
	return NULL;
}

static void table_head(u32 one_in)
{
	const struct row *load = NULL;

	printf("\n| structure |");
	while ((load = next_row(load, one_in, same_load)))
		printf(" %llu M %s |", load->pages >> 20, load->stream);
	printf(" B/page | instr |\n|---|---|---|");
	while ((load = next_row(load, one_in, same_load)))
		printf("---|");
	printf("\n");
}

/* A structure's ratios or times; memory at the largest size. */
static void table_line(const struct row *structure, bool ratio)
{
	const struct row *load = NULL, *row, *last = structure;

	printf("| %s |", structure->structure);
	while ((load = next_row(load, structure->one_in, same_load))) {
		row = find(structure, load);
		if (row)
			last = row;
		if (!row)
			printf(" - |");
		else if (ratio)
			printf(" %.2f |", row->result.ratio[1]);
		else
			printf(" %.1f |", row->result.ns);
	}
	printf(" %.2f |", last->bytes_per_page);
	if (structure->instructions >= 0)
		printf(" %.0f |\n", structure->instructions);
	else
		printf(" - |\n");
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

void bench_print_tables(void)
{
	static const u32 one_in[] = { 1, 8, 64 };
	u32 i;

	for (i = 0; i < 3; i++) {
		table(one_in[i], true);
		table(one_in[i], false);
	}
}
