// SPDX-License-Identifier: GPL-2.0
#include "hist.h"
#include "output.h"
#include "view.h"

static void print_text(FILE *file, struct results *res)
{
	status_print(file, &res->info, &res->stats, &res->targets);
	fputc('\n', file);
	stats_print(file, &res->info, &res->stats, &res->served, false);
	fputc('\n', file);
	hist_print(file, &res->hist, &res->hit, false);
	fputc('\n', file);
	hot_print(file, res->names, &res->pages, res->places);
}

static void print_json(FILE *file, struct results *res, int exit_status)
{
	fprintf(file, "{\"schema\":%d,", JSON_SCHEMA);
	if (exit_status >= 0)
		fprintf(file, "\"exit_status\":%d,", exit_status);
	fputs("\n\"status\":", file);
	json_write(file, status_json(&res->info, &res->stats));
	fputs(",\n\"targets\":", file);
	json_write(file, targets_json(&res->targets));
	fputs(",\n\"stats\":", file);
	json_write(file, stats_json(&res->info, &res->stats, &res->served));
	fputs(",\n\"hist\":", file);
	json_write(file, hist_json(&res->hist, &res->ratio, &res->hit));
	fputs(",\n\"hot\":", file);
	hot_json(file, res->names, &res->pages, res->places);
	fputs("}\n", file);
}

void results_print(FILE *file, struct results *res, bool json, int exit_status)
{
	if (json)
		print_json(file, res, exit_status);
	else
		print_text(file, res);
}
