// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "activity.h"
#include "htmmctl/command.h"
#include "htmmctl/output.h"

#define NSEC_PER_SEC	1000000000.0

/* The growth of a counter; a counter that was reset started at zero. */
static __u64 grown(__u64 was, __u64 now)
{
	return now >= was ? now - was : now;
}

static double rate(__u64 was, __u64 now, double seconds)
{
	return seconds > 0 ? (double)grown(was, now) / seconds : 0;
}

static struct flow flow_between(const struct htmm_counters *was, const struct htmm_counters *now,
				double seconds)
{
	struct flow flow = {
		.overflows = rate(was->overflows, now->overflows, seconds),
		.counted = rate(was->counted, now->counted, seconds),
		.throttled = rate(was->throttled, now->throttled, seconds),
	};
	int i;

	for (i = 0; i < HTMM_DROP_SLOTS; i++) {
		flow.drops[i] = rate(was->drops[i], now->drops[i], seconds);
		if (HTMM_DROPS_UNWANTED >> i & 1)
			flow.filtered += flow.drops[i];
		else
			flow.lost += flow.drops[i];
	}
	return flow;
}

static void event_between(struct event_activity *event, unsigned int number,
			  const struct results *was, const struct results *now, double seconds)
{
	struct htmm_counters before = stats_sum(&was->stats, -1, number);
	struct htmm_counters after = stats_sum(&now->stats, -1, number);

	event->flow = flow_between(&before, &after, seconds);
	event->mode = event_mode(&now->stats, number);
}

void activity_between(struct activity *activity, const struct results *was,
		      const struct results *now)
{
	static const struct results nothing;
	const struct htmm_stats *before, *after = &now->stats.stats;
	double seconds;
	unsigned int i;

	*activity = (struct activity) { .budget = -1, .nr_events = after->nr_events };
	activity->since_start = was->info.session != now->info.session;
	if (activity->since_start)
		was = &nothing;
	before = &was->stats.stats;
	/* In a pause the session's time stands still, but not that of ksampled. */
	seconds = (double)(grown(was->info.elapsed_ns, now->info.elapsed_ns) +
			   grown(before->stats[HTMM_STAT_PAUSED_NS],
				 after->stats[HTMM_STAT_PAUSED_NS])) / NSEC_PER_SEC;

	activity->seconds = seconds;
	activity->total = flow_between(&before->total, &after->total, seconds);
	for (i = 0; i < activity->nr_events; i++)
		event_between(&activity->events[i], i, was, now, seconds);

	activity->cost = after->cost_ppm / 1e4;
	if (now->info.session_flags & HTMM_START_BUDGET)
		activity->budget = now->info.budget_ppm / 1e4;
	activity->ksampled = 100 * rate(before->stats[HTMM_STAT_DRAIN_NS],
					after->stats[HTMM_STAT_DRAIN_NS], seconds) / NSEC_PER_SEC;
	if (now->info.nr_cpus)
		activity->handlers = 100 * rate(before->stats[HTMM_STAT_HANDLER_NS],
						after->stats[HTMM_STAT_HANDLER_NS], seconds) /
				     NSEC_PER_SEC / now->info.nr_cpus;
}

const char *order_name(enum order order)
{
	static const char *const names[NR_ORDERS] = {
		[ORDER_SAMPLES] = "samples",
		[ORDER_PAGES] = "pages",
		[ORDER_HOT] = "hot",
		[ORDER_PID] = "pid",
		[ORDER_NAME] = "mapping",
	};

	return names[order];
}

static int compare_numbers(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *a, const void *b, void *data)
{
	const struct mapping *x = a, *y = b;
	const enum order *order = data;
	int diff = 0;

	if (*order == ORDER_PAGES)
		diff = compare_numbers(y->pages, x->pages);
	else if (*order == ORDER_HOT)
		diff = compare_numbers(y->hot, x->hot);
	else if (*order == ORDER_PID)
		diff = compare_numbers(x->pid, y->pid);
	else if (*order == ORDER_NAME)
		diff = strcmp(x->place.mapping, y->place.mapping);
	/* Equal elements must keep their order from one update to the next. */
	if (!diff)
		diff = compare_numbers(y->samples, x->samples);
	if (!diff)
		diff = compare_numbers(x->pid, y->pid);
	return diff ? diff : strcmp(x->place.mapping, y->place.mapping);
}

static bool matches(const struct mapping *map, const char *filter)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", map->pid);
	return strcasestr(map->place.mapping, filter) || strcasestr(map->place.comm, filter) ||
	       strstr(pid, filter);
}

size_t mappings_choose(struct mapping *maps, size_t nr, enum order order, const char *filter)
{
	size_t i, kept = 0;

	for (i = 0; i < nr; i++)
		if (matches(&maps[i], filter))
			maps[kept++] = maps[i];
	qsort_r(maps, kept, sizeof(*maps), compare, &order);
	return kept;
}
