// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the tables give back. When the kernel reclaims memory they give what they do
 * not use: counts cannot be read again, and a node that is full, as a fast tier should be,
 * has the kernel reclaim all the time. Before it kills a process they also give what cold
 * regions use. Rings are not freed: sampling needs them.
 */
#include <linux/err.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include "base/compat.h"
#include "session.h"
#include "shrinker.h"

/* Most pages that are given back, each time before a process would be killed. */
#define HTMM_OOM_PAGES	256

static struct shrinker *htmm_shrinker;

/* Add up the results of @step for each target, until the sum is @most pages. */
static unsigned long
htmm_shrinker_each(unsigned long (*step)(struct htmm_tracker *tracker, unsigned long nr),
		   unsigned long most)
{
	struct htmm_session *session = htmm_session_get(0);
	struct htmm_tracker_list list;
	unsigned long pages = 0;
	unsigned int i;

	if (!session)
		return 0;
	htmm_tracker_set_get(&session->trackers, 0, &list);
	for (i = 0; i < list.nr && pages < most; i++)
		pages += step(list.tracker[i], most - pages);
	htmm_tracker_list_put(&list);
	htmm_session_put(session);
	return pages;
}

static unsigned long htmm_shrinker_count(struct shrinker *shrinker,
					 struct shrink_control *control)
{
	return htmm_shrinker_each(htmm_tracker_unused, ULONG_MAX) ?: SHRINK_EMPTY;
}

static unsigned long htmm_shrinker_scan(struct shrinker *shrinker,
					struct shrink_control *control)
{
	unsigned long pages = htmm_shrinker_each(htmm_tracker_shrink, control->nr_to_scan);

	htmm_account_reclaimed(pages);
	return pages ?: SHRINK_STOP;
}

/* Not called for the limit of a cgroup. */
static int htmm_shrinker_oom(struct notifier_block *nb, unsigned long action, void *freed)
{
	unsigned long pages = 0, n;

	do {
		n = htmm_shrinker_each(htmm_tracker_evict, HTMM_OOM_PAGES - pages);
		pages += n;
	} while (n && pages < HTMM_OOM_PAGES);
	*(unsigned long *)freed += pages;
	return NOTIFY_OK;
}

static struct notifier_block htmm_shrinker_oom_nb = {
	.notifier_call = htmm_shrinker_oom,
};

/**
 * htmm_shrinker_init - let the kernel ask for memory
 *
 * Return: 0 or a negative errno.
 */
int htmm_shrinker_init(void)
{
	int ret;

	htmm_shrinker = htmm_shrinker_register(htmm_shrinker_count, htmm_shrinker_scan,
					       HTMM_SHRINK_PAGES);
	if (IS_ERR(htmm_shrinker))
		return PTR_ERR(htmm_shrinker);
	ret = register_oom_notifier(&htmm_shrinker_oom_nb);
	if (ret)
		htmm_shrinker_unregister(htmm_shrinker);
	return ret;
}

/**
 * htmm_shrinker_exit - the kernel asks for no more memory
 *
 * Context: process, may sleep.
 */
void htmm_shrinker_exit(void)
{
	unregister_oom_notifier(&htmm_shrinker_oom_nb);
	htmm_shrinker_unregister(htmm_shrinker);
}
