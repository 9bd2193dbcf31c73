// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include "session.h"
#include "view.h"

int results_counted(struct results *res, int fd, struct htmm_error *err)
{
	int ret = htmm_device_info(fd, &res->info, err);

	if (!ret)
		ret = htmm_device_stats(fd, &res->stats, err);
	if (!ret)
		ret = htmm_device_targets(fd, &res->targets, err);
	if (!ret)
		ret = served_read(&res->served, fd, &res->info, &res->stats, &res->targets, err);
	return ret;
}

int results_read(struct results *res, int fd, size_t max_pages, struct htmm_error *err)
{
	struct htmm_list_pages hottest = { .order = HTMM_ORDER_HOTTEST, .min_samples = 1 };
	int ret;

	if (!res->names)
		res->names = htmm_names_new();
	if (!res->names)
		return no_memory(err);
	ret = results_counted(res, fd, err);
	res->places = res->places && res->info.features & HTMM_FEATURE_PLACEMENT;
	hottest.flags = res->places ? HTMM_LIST_PLACEMENT : 0;
	if (!ret)
		ret = htmm_target_hist(fd, 0, HTMM_UNIT_PAGE, &res->hist, err);
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

int session_is(__u64 number, int fd, struct htmm_error *err)
{
	struct htmm_info now;
	int ret = htmm_device_info(fd, &now, err);

	if (ret || now.session == number)
		return ret;
	return htmm_error_set(err, ESTALE, "run it again",
			      "another session began before the results were read");
}

int results_end(struct results *res, const struct session *session, int fd, size_t max_pages,
		struct htmm_error *err)
{
	const int stopped = session_end(session, fd, err);
	const struct htmm_error early = *err;
	int ret;

	if (stopped && stopped != -EALREADY)
		return stopped;
	ret = results_read(res, fd, max_pages, err) ?: results_hit(res, fd, err) ?:
	      session_is(session->start.session, fd, err);
	if (ret)
		return ret;
	names_keep(res->names, &res->info);
	*err = early;
	return stopped;
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
