// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "command.h"
#include "view.h"

int results_read(struct results *res, int fd, size_t max_pages, struct htmm_error *err)
{
	struct htmm_list_pages hottest = { .order = HTMM_ORDER_HOTTEST, .min_samples = 1 };
	int ret;

	if (!res->names)
		res->names = htmm_names_new();
	if (!res->names)
		return no_memory(err);
	ret = htmm_device_info(fd, &res->info, err);
	res->places = res->places && res->info.features & HTMM_FEATURE_PLACEMENT;
	hottest.flags = res->places ? HTMM_LIST_PLACEMENT : 0;
	if (!ret)
		ret = htmm_device_stats(fd, &res->stats, err);
	if (!ret)
		ret = htmm_target_hist(fd, 0, HTMM_UNIT_PAGE, &res->hist, err);
	if (!ret)
		ret = htmm_device_targets(fd, &res->targets, err);
	if (!ret)
		ret = served_read(&res->served, fd, &res->info, &res->stats, &res->targets, err);
	if (!ret)
		ret = htmm_device_list_pages(fd, &hottest, max_pages, &res->pages, err);
	if (!ret)
		htmm_names_note(res->names, res->info.session, &res->pages);
	return ret;
}

int results_hit(struct results *res, int fd, struct htmm_error *err)
{
	return hit_of_target(fd, 0, HTMM_UNIT_PAGE, &res->ratio, &res->hit, err);
}

void results_free(struct results *res)
{
	served_free(&res->served);
	htmm_stats_free(&res->stats);
	htmm_targets_free(&res->targets);
	htmm_pages_free(&res->pages);
	htmm_names_free(res->names);
	memset(res, 0, sizeof(*res));
}

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

void results_print(FILE *file, struct results *res, bool json, int exit_status)
{
	if (!json) {
		print_text(file, res);
		return;
	}
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
