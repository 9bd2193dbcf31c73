// SPDX-License-Identifier: GPL-2.0
/*
 * When the kernel reclaims memory, the tables give back what they do not use. They keep all counts:
 * these cannot be read again, and on a node that is full, as a fast tier should be, the kernel
 * reclaims all the time. Rings are not freed: sampling needs them.
 */
#include <linux/err.h>
#include "base/compat.h"
#include "session.h"

static struct shrinker *htmm_shrinker;

/* Add up the results of @step for each target, until the sum is @most pages. */
static unsigned long
htmm_shrinker_each(unsigned long (*step)(struct htmm_target_table *target, unsigned long nr),
		   unsigned long most)
{
	struct htmm_session *session = htmm_session_get(0);
	struct htmm_target_list list;
	unsigned long pages = 0;
	unsigned int i;

	if (!session)
		return 0;
	htmm_target_set_get(&session->targets, 0, &list);
	for (i = 0; i < list.nr && pages < most; i++)
		pages += step(list.target[i], most - pages);
	htmm_target_list_put(&list);
	htmm_session_put(session);
	return pages;
}

static unsigned long htmm_shrinker_count(struct shrinker *shrinker, struct shrink_control *control)
{
	return htmm_shrinker_each(htmm_target_unused, ULONG_MAX) ?: SHRINK_EMPTY;
}

static unsigned long htmm_shrinker_scan(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long pages = htmm_shrinker_each(htmm_target_shrink, control->nr_to_scan);

	htmm_account_reclaimed(pages);
	return pages ?: SHRINK_STOP;
}

int htmm_shrinker_init(void)
{
	htmm_shrinker = htmm_shrinker_register(htmm_shrinker_count, htmm_shrinker_scan,
					       HTMM_SHRINK_PAGES);
	return PTR_ERR_OR_ZERO(htmm_shrinker);
}

void htmm_shrinker_exit(void)
{
	htmm_shrinker_unregister(htmm_shrinker);
}
