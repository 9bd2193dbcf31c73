// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "htmmctl/clock.h"
#include "large.h"
#include "policy/share.h"
#include "tier.h"
#include "used.h"

/* A large group is listed whole again if so many times its pages would fit. */
#define LIST_SPARE	2
/* The fewest elements of a list to ask for. */
#define LIST_FIRST	512
/* While regions need not be listed, the session is read this often, which takes time, too. */
#define IDLE_WAIT_S	1.0
/* Smaller changes of the capacity than this share are not passed on to the session. */
#define SMALL_PART	32
/* Fewer new samples show no change of what is used. */
#define GLANCE_SAMPLES	32
/* What part of the time looks may take to see that limits are kept. */
#define LIMITS_PART	0.01
/* So often in a row a look waits for a process that changes its mappings. */
#define SKIPS_MOST	8

static const char *const works[TIER_NR_WORKS] = {
	[TIER_BEGIN] = "begin",
	[TIER_GLANCE] = "glance",
	[TIER_LIST] = "list",
	[TIER_DECIDE] = "decide",
	[TIER_MOVE] = "move",
	[TIER_REST] = "rest",
};

const char *tier_work_name(enum tier_work work)
{
	return works[work];
}

double tier_cpu_seconds(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

void tier_charge(struct tier *tier, enum tier_work work)
{
	const double seconds = tier_cpu_seconds();

	tier->cpu[work] += seconds - tier->charged;
	tier->charged = seconds;
}

static void read_busy(struct tier *tier)
{
	char line[256];

	if (!htmm_read_line(line, sizeof(line), "/proc/stat"))
		busy_read(&tier->busy, line, tier->seconds);
}

int tier_open(struct tier *tier, struct htmm_error *err)
{
	struct policy_config config = tier->config;
	unsigned int i;

	mover_open(&tier->mover, &tier->tiers);
	tier->thin = 1;
	read_busy(tier);
	/* The limit is that of all of them together. */
	if (config.rate_pages)
		config.rate_pages = config.rate_pages / tier->nr_groups ?: 1;
	for (i = 0; i < tier->nr_groups; i++) {
		tier->groups[i].policy = policy_new(&config);
		if (!tier->groups[i].policy)
			return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	return 0;
}

static void free_lists(struct group *group)
{
	htmm_pages_free(&group->regions);
	htmm_pages_free(&group->pages);
}

void tier_close(struct tier *tier)
{
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		free_lists(&tier->groups[i]);
		policy_free(tier->groups[i].policy);
	}
	mover_close(&tier->mover);
}

/*
 * Adds the pages of one node to a list. Returns whether the node may have more of them, or a
 * negative errno.
 */
static int list_node(struct tier *tier, struct htmm_list_pages *request, int node, size_t most,
		     struct htmm_page_list *list, struct htmm_error *err)
{
	struct htmm_page_list one = {};
	struct htmm_page *all;
	bool full;
	int ret;

	request->node = node;
	ret = htmm_device_list_pages(tier->fd, request, most, &one, err);
	if (ret)
		return ret;
	full = one.nr == most;
	one.skipped += list->skipped;
	if (!list->nr) {
		free(list->pages);
		*list = one;
		return full;
	}
	all = realloc(list->pages, (list->nr + one.nr) * sizeof(*all));
	if (all) {
		memcpy(all + list->nr, one.pages, one.nr * sizeof(*all));
		list->pages = all;
		list->nr += one.nr;
		list->skipped = one.skipped;
	}
	htmm_pages_free(&one);
	return all ? full : htmm_error_set(err, ENOMEM, NULL, "out of memory");
}

/*
 * Puts the pages of the slow tier first, then those of @node, each still in the order of the list:
 * units are found by it. Drops those of other nodes. Only pages of the slow tier are copied, which
 * are mostly fewer; the others move to the end.
 */
static int sort_out(const struct tier *tier, struct group *group, int node, struct htmm_error *err)
{
	struct htmm_page_list *list = &group->pages;
	struct htmm_page *slow, *page;
	size_t fast = list->nr, nr = 0, i;

	group->nr_slow = 0;
	if (!list->nr)
		return 0;
	slow = malloc(list->nr * sizeof(*slow));
	if (!slow)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	for (i = list->nr; i > 0; i--) {
		page = &list->pages[i - 1];
		if (page->node == node)
			list->pages[--fast] = *page;
		else if (htmm_cpus_has(&tier->tiers.slow, page->node))
			slow[list->nr - ++nr] = *page;
	}
	page = list->pages + fast - nr;
	if (nr)
		memcpy(page, slow + list->nr - nr, nr * sizeof(*slow));
	group->nr_slow = nr;
	list->nr = nr + list->nr - fast;
	if (list->nr && page > list->pages)
		memmove(list->pages, page, list->nr * sizeof(*page));
	free(slow);
	return 0;
}

/* Lists both tiers in one pass over the page tables. Returns whether there are more. */
static int list_both(struct tier *tier, struct group *group, struct htmm_error *err)
{
	const struct htmm_cpus *nodes = &tier->tiers.fast;
	struct htmm_list_pages request = {
		.flags = HTMM_LIST_NODE | HTMM_LIST_RESIDENT | HTMM_LIST_OTHERS,
		.session = tier->session, .order = HTMM_ORDER_TABLE,
		.target = group->target, .min_samples = group->least,
	};
	int node = tiers_next(nodes, -1);
	int full = list_node(tier, &request, node, tier->list_pages, &group->pages, err), ret = 0;

	if (full < 0)
		return full;
	ret = sort_out(tier, group, node, err);
	request.flags &= ~HTMM_LIST_OTHERS;
	request.min_samples = 0;
	for (node = tiers_next(nodes, node); node >= 0 && ret >= 0;
	     node = tiers_next(nodes, node)) {
		ret = list_node(tier, &request, node, tier->list_pages, &group->pages, err);
		full |= ret > 0;
	}
	return ret < 0 ? ret : full;
}

/* The kernel allocates room for what it is asked for: usually there are not many more now. */
static int list_regions(struct tier *tier, struct group *group, struct htmm_error *err)
{
	const struct htmm_list_pages request = {
		.session = tier->session, .order = HTMM_ORDER_HOTTEST, .unit = HTMM_UNIT_REGION,
		.target = group->target, .min_samples = 1,
	};
	size_t most = 2 * group->regions.nr + LIST_FIRST, i;
	int ret;

	do {
		htmm_pages_free(&group->regions);
		ret = htmm_device_list_pages(tier->fd, &request, most, &group->regions, err);
		most *= 2;
	} while (!ret && group->regions.nr == most / 2);
	for (i = 0; !ret && i < group->regions.nr; i++)
		group->regions.pages[i].mapping_shift = HTMM_REGION_SHIFT;
	return ret;
}

static bool cooling_due(const struct tier *tier)
{
	return tier->samples - tier->cooled >=
	       (tier->cooling_period ?: policy_cooling_period(tier->pages));
}

static struct policy_look look_of(const struct tier *tier, const struct group *group)
{
	return (struct policy_look) {
		.slow = group->pages.pages, .nr_slow = group->nr_slow, .slow_cut = group->slow_cut,
		.fast = group->pages.pages + group->nr_slow,
		.nr_fast = group->pages.nr - group->nr_slow,
		.rest = group->pages.pages + group->pages.nr, .nr_rest = group->nr_rest,
		.focused = group->large,
		.regions = group->regions.pages, .nr_regions = group->regions.nr,
		.capacity = group->capacity, .used = group->used,
		.samples = group->samples,
		.others = tier->samples - group->counted,
		.coolings = &tier->coolings, .period = tier->period,
		.thin = tier->thin, .seconds = tier->seconds, .busy = tier->busy.cpus,
	};
}

/* A cooling would hide what pages gained, so look before it. */
static bool look_due(const struct tier *tier)
{
	return tier->seconds >= tier->due || cooling_due(tier);
}

/* Is there nothing to do, whatever the regions show? */
static bool rests_unseen(const struct tier *tier, const struct group *group)
{
	if (!group->plan)
		return !policy_begins(group->policy, group->counted, tier->seconds);
	return !look_due(tier) &&
	       (group->counted - group->glanced < GLANCE_SAMPLES || !policy_watches(group->policy));
}

/* Is there nothing to do? */
static bool rests(const struct tier *tier, const struct group *group)
{
	struct policy_look look = look_of(tier, group);

	look.samples = group->counted;
	return group->plan && !look_due(tier) && !policy_changed(group->policy, &look);
}

/* Was a group not looked at because its page tables were changing? */
static bool looks_again(const struct tier *tier)
{
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++)
		if (tier->groups[i].again)
			return true;
	return false;
}

/* Divides the cost of a look between the groups that were looked at. */
static void note_cost(const struct tier *tier, double cost)
{
	unsigned int nr = 0, i;

	for (i = 0; i < tier->nr_groups; i++)
		nr += !tier->groups[i].rests;
	for (i = 0; i < tier->nr_groups; i++)
		if (!tier->groups[i].rests)
			policy_looked(tier->groups[i].policy, cost / nr);
}

/*
 * One of how many samples to take: as often as any policy needs it. A group without samples would
 * not have more of them.
 */
static unsigned int thin_of(const struct tier *tier)
{
	unsigned int thin = UINT_MAX, i;

	for (i = 0; i < tier->nr_groups; i++) {
		const struct policy_plan *plan = tier->groups[i].plan;

		if (!plan)
			return 1;
		if (plan->fast_share >= 0 && plan->thin < thin)
			thin = plan->thin;
	}
	return thin < UINT_MAX ? thin : 1;
}

/* Seconds until the next look: as soon as any of the policies wants it. */
static double wait_of(const struct tier *tier, double cost)
{
	const unsigned int thin = thin_of(tier);
	double wait = tier->interval ?: INFINITY;
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		if (!tier->groups[i].alive)
			continue;
		wait = fmin(wait, policy_wait(tier->groups[i].policy, cost, thin));
		/* The kernel gives more to a program that takes new memory. */
		if (tier->groups[i].limit)
			wait = fmin(wait, cost / LIMITS_PART);
	}
	return wait;
}

/* Seconds until regions are listed again, or only the session is read. */
static double glance_wait_of(const struct tier *tier)
{
	bool watches = false;
	double cost = 0;
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		if (!tier->groups[i].alive)
			continue;
		cost += tier->groups[i].glance;
		watches |= !tier->groups[i].plan || policy_watches(tier->groups[i].policy);
	}
	return watches ? policy_glance_wait(cost) : fmax(policy_glance_wait(cost), IDLE_WAIT_S);
}

/* Somebody has set another capacity, which is the limit from now on. */
static void follow_capacity(struct tier *tier, const struct htmm_info *info)
{
	if (info->session != tier->session || info->capacity_pages == tier->session_capacity)
		return;
	tier->capacity = info->capacity_pages;
	tier->session_capacity = info->capacity_pages;
	tier->due = 0;
}

/* Results stay readable after a stop, but tell nothing new; or they are another session's. */
static int check_session(struct tier *tier, struct htmm_error *err)
{
	struct htmm_info info;
	int ret = htmm_device_info(tier->fd, &info, err);

	if (ret)
		return ret;
	tier->seconds = info.elapsed_ns / 1e9;
	follow_capacity(tier, &info);
	if (info.session != tier->session || info.state != HTMM_STATE_RUNNING)
		return htmm_error_set(err, ESHUTDOWN, "pages are no longer moved",
				      "session %llu was stopped by someone else", tier->session);
	return 0;
}

static void count_samples(struct tier *tier, const struct htmm_target_info *target)
{
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		struct group *group = &tier->groups[i];

		if (group->target && group->target != target->number)
			continue;
		group->alive |= !(target->flags & HTMM_TARGET_INFO_DEAD);
		group->counted += target->stats[HTMM_STAT_SAMPLES];
		group->tracked += target->pages;
	}
}

/*
 * A target that is removed takes its counts with it. What it had at the last look stays in all
 * sums: if these fell, what they have grown by would be wrong.
 */
static void keep_removed(struct tier *tier, const struct by_target *before)
{
	unsigned int i;

	/* Of one that is there, samples never become none again. */
	for (i = 0; i < before->nr; i++)
		if (!by_target_get(&tier->counted, before->number[i]))
			tier->removed += before->value[i];
	tier->samples += tier->removed;
	for (i = 0; i < tier->nr_groups; i++)
		if (!tier->groups[i].target)
			tier->groups[i].counted += tier->removed;
}

static int read_targets(struct tier *tier, struct htmm_error *err)
{
	const struct by_target before = tier->counted;
	struct htmm_target_list list;
	int ret = htmm_device_targets(tier->fd, &list, err);
	size_t i;

	if (ret)
		return ret;
	tier->alive = 0;
	tier->samples = 0;
	tier->pages = 0;
	tier->evicted = 0;
	tier->coolings.nr = 0;
	tier->counted.nr = 0;
	for (i = 0; i < tier->nr_groups; i++) {
		tier->groups[i].alive = false;
		tier->groups[i].counted = 0;
		tier->groups[i].tracked = 0;
	}
	for (i = 0; i < list.nr; i++) {
		const struct htmm_target_info *target = &list.target[i];

		tier->alive += !(target->flags & HTMM_TARGET_INFO_DEAD);
		tier->samples += target->stats[HTMM_STAT_SAMPLES];
		tier->pages += target->pages;
		tier->evicted += target->stats[HTMM_STAT_EVICTED];
		count_samples(tier, target);
		by_target_add(&tier->coolings, target->number, target->stats[HTMM_STAT_COOLINGS]);
		by_target_add(&tier->counted, target->number, target->stats[HTMM_STAT_SAMPLES]);
	}
	htmm_targets_free(&list);
	keep_removed(tier, &before);
	if (!tier->alive)
		return htmm_error_set(err, ESRCH, NULL, "no process is left to look at");
	return 0;
}

/*
 * Samples are counted while a list is read, which may take long on a busy CPU. The list is treated
 * as of the middle of that time; otherwise the share of the fast tier would seem to change.
 */
static int count_listed(struct tier *tier, struct group *group, struct htmm_error *err)
{
	__u64 before = group->counted;
	int ret = read_targets(tier, err);

	group->samples = (before + group->counted) / 2;
	return ret;
}

/* Of a large group, list only the pages that are most likely to be moved. */
static int list_some(struct tier *tier, struct group *group, struct htmm_error *err)
{
	struct policy_look look = look_of(tier, group);
	int ret;

	look.samples = group->counted;
	ret = large_list(tier, group, &look, err);
	ret = ret ?: count_listed(tier, group, err);
	return ret ?: used_unlisted(tier, group, err);
}

/*
 * How many pages a list of all would have, if no two processes map the same: those with samples,
 * and those of the fast tier without.
 */
static __u64 pages_to_list(const struct group *group)
{
	return group->tracked + group->used;
}

static int list_all(struct tier *tier, struct group *group, struct htmm_error *err)
{
	int full = list_both(tier, group, err), ret;

	if (full < 0)
		return full;
	/* Pages that could not be looked at would seem to be gone, and later to be new. */
	if (group->pages.skipped && group->skips++ < SKIPS_MOST) {
		group->rests = true;
		group->again = true;
		return 0;
	}
	if (!group->pages.skipped)
		group->skips = 0;
	group->large = full;
	ret = count_listed(tier, group, err);
	/* What is in use was not counted together with what is free. */
	if (full) {
		group->count_due = 0;
		group->too_many = pages_to_list(group);
	} else if (!ret && !group->pages.skipped) {
		ret = used_listed(tier, group, err);
	}
	return ret;
}

/*
 * Has a large group become so small that it fits the list? If several processes map the same pages,
 * it may not, which is tried only as often as it has become much smaller.
 */
static bool fits_list(const struct tier *tier, const struct group *group)
{
	const __u64 most = tier->list_pages < group->too_many ? tier->list_pages : group->too_many;

	return pages_to_list(group) <= most / LIST_SPARE;
}

static void empty_lists(struct group *group)
{
	htmm_pages_free(&group->pages);
	group->nr_slow = 0;
	group->nr_rest = 0;
	group->least = group->plan ? group->plan->least : 1;
	group->slow_cut = group->least - 1;
}

/* Lists no pages if the regions show that nothing has changed; nor these if they cannot. */
static int list_group(struct tier *tier, struct group *group, struct htmm_error *err)
{
	const double before = tier->charged;
	int ret;

	/* What has exited, or was removed from the session, has no pages. */
	if (!group->alive) {
		empty_lists(group);
		group->used = 0;
	}
	group->again = false;
	group->rests = !group->alive || rests_unseen(tier, group);
	if (!group->rests) {
		ret = list_regions(tier, group, err);
		if (ret)
			return ret;
		group->rests = rests(tier, group);
		if (group->rests)
			group->glanced = group->counted;
		tier_charge(tier, TIER_GLANCE);
		group->glance = tier->charged - before;
	}
	if (group->rests)
		return 0;
	empty_lists(group);
	if (group->large && fits_list(tier, group)) {
		group->large = false;
		group->count_due = 0;
	}
	if (!group->large)
		ret = list_all(tier, group, err);
	if (!ret && group->large) {
		empty_lists(group);
		group->slow_cut = 0;
		ret = list_some(tier, group, err);
	}
	tier_charge(tier, TIER_LIST);
	return ret;
}

/* Is a capacity so different from the one that the session has that it is passed on? */
static bool differs(__u64 capacity, __u64 told)
{
	return (__u64)llabs((long long)(capacity - told)) > told / SMALL_PART;
}

static bool set_capacity(const struct tier *tier, __u32 target, __u64 pages)
{
	struct htmm_set set = {
		.flags = HTMM_SET_CAPACITY, .session = tier->session, .target = target,
		.capacity_pages = pages ?: 1,
	};
	struct htmm_error ignored;

	return !htmm_device_set(tier->fd, &set, &ignored);
}

/*
 * Sets the session's capacity to the memory that is shared here, so that it calls those pages hot
 * that belong in the fast tier. Free memory changes all the time; small changes do not matter.
 */
static void set_session_capacity(struct tier *tier, __u64 room)
{
	struct htmm_info info;
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		struct group *group = &tier->groups[i];

		if (!group->target || !differs(group->capacity, group->told))
			continue;
		if (set_capacity(tier, group->target, group->capacity))
			group->told = group->capacity;
	}
	if (!differs(room, tier->session_capacity))
		return;
	set_capacity(tier, 0, room);
	if (!htmm_device_info(tier->fd, &info, NULL))
		tier->session_capacity = info.capacity_pages;
}

/*
 * Of the slow tier, it would use all that was sampled. Of a large group it is not known which of
 * its sampled pages are there.
 */
static struct share share_of(const struct group *group)
{
	const __u64 more = group->large ? group->tracked : group->nr_slow;

	if (!group->alive)
		return (struct share) {};
	return (struct share) {
		.weight = group->weight, .limit = group->limit,
		.wanted = group->used + more + (group->plan ? group->plan->reserve : 0),
	};
}

/* Shares the fast tier among the groups. */
static void share(struct tier *tier)
{
	struct share shares[TIER_GROUPS];
	__u64 room = tiers_sum(&tier->tiers.fast, tiers_free_pages), sum = 0;
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		room += tier->groups[i].used;
		shares[i] = share_of(&tier->groups[i]);
	}
	if (tier->capacity && room > tier->capacity)
		room = tier->capacity;
	share_divide(shares, tier->nr_groups, room);
	for (i = 0; i < tier->nr_groups; i++) {
		tier->groups[i].capacity = shares[i].capacity;
		sum += shares[i].capacity;
	}
	/* With limits, a part may be nobody's; without, division leaves a page or two. */
	set_session_capacity(tier, sum < room ? sum : room);
}

static void add_to(struct tally *tally, __u64 samples, double share)
{
	tally->samples += samples;
	tally->fast += share * samples;
}

/* Counts what the fast tier has served since the last look, before any page moves. */
static void count_served(struct tier *tier)
{
	bool moved = tier->mover.promoted || tier->mover.demoted;
	__u64 all = 0;
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++)
		if (!tier->groups[i].rests)
			all += tier->groups[i].samples - tier->groups[i].tallied;
	/* What is known of the last samples is kept until there are others. */
	if (!all)
		return;
	tier->lately.samples /= 2;
	tier->lately.fast /= 2;
	for (i = 0; i < tier->nr_groups; i++) {
		struct group *group = &tier->groups[i];
		const __u64 samples = group->samples - group->tallied;

		if (group->rests)
			continue;
		group->tallied = group->samples;
		if (group->plan->fast_share < 0)
			continue;
		add_to(&tier->lately, samples, group->plan->fast_share);
		if (!moved)
			add_to(&tier->before, samples, group->plan->fast_share);
	}
}

static int decide(struct tier *tier, struct group *group, struct htmm_error *err)
{
	const struct policy_look look = look_of(tier, group);

	group->plan = policy_look(group->policy, &look);
	group->glanced = group->counted;
	return group->plan ? 0 : htmm_error_set(err, ENOMEM, NULL, "out of memory");
}

int tier_look(struct tier *tier, struct htmm_error *err)
{
	double before;
	bool rest = true;
	unsigned int i;
	int ret;

	tier_charge(tier, tier->looks ? TIER_REST : TIER_BEGIN);
	before = tier->charged;
	ret = check_session(tier, err);
	if (!ret)
		ret = read_targets(tier, err);
	for (i = 0; i < tier->nr_groups && !ret; i++)
		ret = list_group(tier, &tier->groups[i], err);
	for (i = 0; i < tier->nr_groups && !ret; i++)
		rest &= tier->groups[i].rests;
	if (ret)
		return ret;
	if (!rest) {
		share(tier);
		read_busy(tier);
	}
	for (i = 0; i < tier->nr_groups && !ret; i++)
		if (!tier->groups[i].rests)
			ret = decide(tier, &tier->groups[i], err);
	tier_charge(tier, rest ? TIER_GLANCE : TIER_DECIDE);
	if (ret)
		return ret;
	*(rest ? &tier->rests : &tier->looks) += 1;
	if (!rest) {
		count_served(tier);
		note_cost(tier, tier->charged - before);
		tier->due = tier->seconds + wait_of(tier, tier->charged - before);
	}
	if (looks_again(tier))
		tier->due = 0;
	tier->wait = fmin(glance_wait_of(tier), tier->due - tier->seconds);
	return 0;
}

void tier_move(struct tier *tier)
{
	unsigned int i;

	if (tier->config.dry)
		return;
	/* All demotions first: one group's may make the room for another's promotions. */
	for (i = 0; i < tier->nr_groups; i++) {
		const struct group *group = &tier->groups[i];

		if (!group->rests)
			mover_move(&tier->mover, group->policy, group->plan->moves,
				   group->plan->nr_demotions);
	}
	for (i = 0; i < tier->nr_groups; i++) {
		const struct group *group = &tier->groups[i];
		const struct policy_plan *plan = group->plan;

		if (!group->rests)
			mover_move(&tier->mover, group->policy, plan->moves + plan->nr_demotions,
				   plan->nr_moves - plan->nr_demotions);
	}
	tier_charge(tier, TIER_MOVE);
}

/*
 * Cooling is requested here, not done by the module, so that none happens while a list is read, or
 * before a look that was put off. After a phase change, the plan asks for an additional one.
 */
void tier_cool(struct tier *tier)
{
	bool due = tier->due > 0 && cooling_due(tier);
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		struct htmm_error ignored;

		if (due || (!tier->groups[i].rests && tier->groups[i].plan->cool))
			htmm_target_cool(tier->fd, tier->groups[i].target, &ignored);
	}
	if (due)
		tier->cooled = tier->samples;
}

/* Sets the periods of the first @nr events. Returns for how many it could. */
static unsigned int set_periods(const struct tier *tier, unsigned int nr, unsigned int thin)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct htmm_set set = {
			.flags = HTMM_SET_PERIOD, .session = tier->session, .event = i,
			.period = tier->events->event[i].period * thin,
		};
		struct htmm_error ignored;

		if (htmm_device_set(tier->fd, &set, &ignored))
			break;
	}
	return i;
}

/* If one fails, the periods of all stay, and the policies get the old one. */
void tier_sample(struct tier *tier)
{
	const unsigned int thin = thin_of(tier);
	unsigned int i;

	if (thin == tier->thin)
		return;
	i = set_periods(tier, tier->events->nr, thin);
	if (i < tier->events->nr)
		set_periods(tier, i, tier->thin);
	else
		tier->thin = thin;
}

void tier_end(struct tier *tier)
{
	struct htmm_info info;

	if (!htmm_device_info(tier->fd, &info, NULL) && info.session == tier->session)
		tier->seconds = info.elapsed_ns / 1e9;
}
