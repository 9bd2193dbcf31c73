// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include "cmd/output.h"
#include "view.h"

int results_read(struct results *res, int fd, size_t max_pages, struct htmm_error *err)
{
	int ret;

	if (!res->names)
		res->names = htmm_names_new();
	if (!res->names)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	ret = htmm_device_info(fd, &res->info, err);
	if (!ret)
		ret = htmm_device_stats(fd, &res->stats, err);
	if (!ret)
		ret = htmm_device_hist(fd, HTMM_HIST_BASE, &res->hist, err);
	if (!ret)
		ret = htmm_device_targets(fd, &res->targets, err);
	if (!ret)
		ret = htmm_device_hot_pages(fd, max_pages, &res->pages, err);
	if (!ret)
		htmm_names_note(res->names, res->info.session, &res->pages);
	return ret;
}

static void print_text(FILE *file, struct results *res)
{
	status_print(file, &res->info, &res->stats, &res->targets);
	fputc('\n', file);
	stats_print(file, &res->stats, false);
	fputc('\n', file);
	hist_print(file, &res->hist, false);
	fputc('\n', file);
	hot_print(file, res->names, &res->pages, NULL);
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
	json_write(file, stats_json(&res->info, &res->stats));
	fputs(",\n\"hist\":", file);
	json_write(file, hist_json(&res->hist));
	fputs(",\n\"hot\":", file);
	hot_json(file, res->names, &res->pages);
	fputs("}\n", file);
}

void results_print(FILE *file, struct results *res, bool json, int exit_status)
{
	if (json)
		print_json(file, res, exit_status);
	else
		print_text(file, res);
}

void results_free(struct results *res)
{
	htmm_stats_free(&res->stats);
	htmm_targets_free(&res->targets);
	htmm_pages_free(&res->pages);
	htmm_names_free(res->names);
	memset(res, 0, sizeof(*res));
}
