// SPDX-License-Identifier: GPL-2.0
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "tracker_set.h"

static void htmm_member_release(struct kref *ref)
{
	struct htmm_member *member = container_of(ref, struct htmm_member, ref);

	htmm_tracker_destroy(member->tracker);
	htmm_target_put(&member->target);
	kfree(member);
}

static void htmm_member_put(struct htmm_member *member)
{
	kref_put(&member->ref, htmm_member_release);
}

/* Takes over the reference of @target, unless this fails. */
static struct htmm_member *
htmm_member_create(const struct htmm_target_ref *target,
		   const struct htmm_tracker_config *config)
{
	struct htmm_member *member;
	struct htmm_tracker *tracker;

	member = kzalloc(sizeof(*member), GFP_KERNEL);
	if (!member)
		return ERR_PTR(-ENOMEM);
	tracker = htmm_tracker_create(config);
	if (IS_ERR(tracker)) {
		kfree(member);
		return ERR_CAST(tracker);
	}
	kref_init(&member->ref);
	member->target = *target;
	member->tracker = tracker;
	return member;
}

static u32 htmm_member_number(const struct htmm_member *member)
{
	return member->tracker->config.owner;
}

/* A set of all members but @without, and of @with. */
static struct htmm_filter_set *
htmm_tracker_set_filter(struct htmm_tracker_set *trackers, const struct htmm_member *with,
			const struct htmm_member *without)
{
	struct htmm_filter_set *set = kzalloc(sizeof(*set), GFP_KERNEL);
	struct htmm_member *member;
	unsigned long number;

	if (!set)
		return NULL;
	xa_for_each(&trackers->members, number, member)
		if (member != without)
			htmm_filter_set_add(set, &member->target, number);
	if (with)
		htmm_filter_set_add(set, &with->target,
				    htmm_member_number(with));
	return set;
}

/* All tables together: half of the machine's memory, as for one alone. */
static int htmm_tracker_set_check_bytes(struct htmm_tracker_set *trackers, u64 more,
					struct htmm_error *err)
{
	u64 limit = htmm_config_max_bytes(), sum = more;
	struct htmm_member *member;
	unsigned long number;

	xa_for_each(&trackers->members, number, member)
		sum += member->tracker->config.max_bytes;
	if (sum > limit)
		return htmm_fail(err, -ERANGE,
				 "the tables of %u targets may take %llu bytes, above half of memory, %llu: give each less",
				 trackers->nr + 1, sum, limit);
	return 0;
}

static int htmm_tracker_set_check_new(struct htmm_tracker_set *trackers,
				      const struct htmm_target_ref *target,
				 struct htmm_error *err)
{
	struct htmm_member *member;
	unsigned long number;

	xa_for_each(&trackers->members, number, member)
		if (htmm_target_same(&member->target, target))
			return htmm_fail(err, -EEXIST,
					 "target %lu is the same already",
					 number);
	return 0;
}

static struct htmm_member *htmm_tracker_set_make(struct htmm_tracker_set *trackers,
						 const struct htmm_target_ref *ref,
					    const struct htmm_target *target,
					    struct htmm_error *err)
{
	struct htmm_tracker_config config = trackers->config;
	struct htmm_member *member;
	int ret;

	config.owner = trackers->last + 1;
	if (target->max_bytes)
		config.max_bytes = target->max_bytes;
	config.own_capacity = target->capacity_pages;
	if (config.own_capacity)
		config.capacity = target->capacity_pages;
	ret = htmm_tracker_set_check_new(trackers, ref, err);
	if (!ret)
		ret = htmm_tracker_set_check_bytes(trackers, config.max_bytes, err);
	if (ret)
		return ERR_PTR(ret);

	member = htmm_member_create(ref, &config);
	if (member == ERR_PTR(-EINVAL))
		return ERR_PTR(htmm_fail(err, -ERANGE,
					 "no hot-page table can have %llu bytes",
					 config.max_bytes));
	if (IS_ERR(member))
		htmm_fail(err, PTR_ERR(member),
			  "not enough memory for the hot-page table's directory");
	return member;
}

/* Handlers may match the member as soon as it is in the filter, and not before. */
static int htmm_tracker_set_insert(struct htmm_tracker_set *trackers,
				   struct htmm_member *member)
{
	u32 number = htmm_member_number(member);
	struct htmm_filter_set *set, *old;
	int ret;

	set = htmm_tracker_set_filter(trackers, member, NULL);
	if (!set)
		return -ENOMEM;
	ret = xa_insert(&trackers->members, number, member, GFP_KERNEL);
	if (ret) {
		kfree(set);
		return ret;
	}
	WRITE_ONCE(trackers->nr, trackers->nr + 1);
	trackers->last = number;
	old = htmm_filter_publish(&trackers->filter, set);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

/**
 * htmm_tracker_set_add - add a target
 * @trackers: the trackers
 * @target: the target, checked by htmm_config_check_target()
 * @number: set to its number
 * @err: on failure, the reason
 *
 * Context: process context of the caller, whose pid namespace and files count; may
 * sleep.
 * Return: 0, or an errno documented with struct htmm_add_target.
 */
int htmm_tracker_set_add(struct htmm_tracker_set *trackers,
			 const struct htmm_target *target, u32 *number,
		    struct htmm_error *err)
{
	struct htmm_target_ref ref;
	struct htmm_member *member;
	int ret;

	if (trackers->nr == HTMM_MAX_TARGETS)
		return htmm_fail(err, -ENOSPC, "there are %u targets already",
				 HTMM_MAX_TARGETS);
	ret = htmm_target_find(&ref, target, err);
	if (ret)
		return ret;
	member = htmm_tracker_set_make(trackers, &ref, target, err);
	if (IS_ERR(member)) {
		htmm_target_put(&ref);
		return PTR_ERR(member);
	}
	ret = htmm_tracker_set_insert(trackers, member);
	if (ret) {
		htmm_member_put(member);
		return htmm_fail(err, ret, "not enough memory for a target");
	}
	*number = htmm_member_number(member);
	return 0;
}

static void htmm_stats_add(struct htmm_tracker_stats *sum,
			   struct htmm_tracker *tracker)
{
	struct htmm_tracker_stats stats;
	unsigned int i;

	htmm_tracker_get_stats(tracker, &stats);
	sum->samples += stats.samples;
	sum->coolings += stats.coolings;
	sum->adaptations += stats.adaptations;
	sum->evicted += stats.evicted;
	sum->exited += stats.exited;
	sum->bytes += stats.bytes;
	sum->pages += stats.pages;
	sum->regions += stats.regions;
	for (i = 0; i < HTMM_NR_DROPS; i++)
		sum->drops[i] += stats.drops[i];
}

/* No batch is under way while the lock is held: these are its last totals. */
static void htmm_tracker_set_take_away(struct htmm_tracker_set *trackers,
				       struct htmm_member *member)
{
	struct htmm_tracker_stats *departed = &trackers->departed;

	down_write(&trackers->lock);
	xa_erase(&trackers->members, htmm_member_number(member));
	WRITE_ONCE(trackers->nr, trackers->nr - 1);
	htmm_stats_add(departed, member->tracker);
	departed->bytes = 0;
	departed->pages = 0;
	departed->regions = 0;
	up_write(&trackers->lock);
}

/**
 * htmm_tracker_set_remove - remove a target
 * @trackers: the trackers
 * @number: its number
 * @gone: empty; gets the member, for htmm_members_put() without a lock
 *
 * Its table is freed when the last reader has done with it.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT if there is no such target, or -ENOMEM.
 */
int htmm_tracker_set_remove(struct htmm_tracker_set *trackers, u32 number,
			    struct htmm_members *gone)
{
	struct htmm_member *member = xa_load(&trackers->members, number);
	struct htmm_filter_set *set, *old;

	if (!member)
		return -ENOENT;
	set = htmm_tracker_set_filter(trackers, NULL, member);
	if (!set)
		return -ENOMEM;

	old = htmm_filter_publish(&trackers->filter, set);
	/* From here on no handler matches it; what is in the rings is dropped. */
	synchronize_rcu();
	kfree(old);
	htmm_tracker_set_take_away(trackers, member);
	gone->member[gone->nr++] = member;
	return 0;
}

static int htmm_tracker_set_fill(struct htmm_tracker_set *trackers,
				 const struct htmm_config *config,
			    struct htmm_error *err)
{
	static const struct htmm_target all = { .type = HTMM_TARGET_ALL };
	unsigned int i;
	u32 number;
	int ret = 0;

	if (!config->start.nr_targets)
		return htmm_tracker_set_add(trackers, &all, &number, err);
	for (i = 0; !ret && i < config->start.nr_targets; i++)
		ret = htmm_tracker_set_add(trackers, &config->targets[i], &number, err);
	return ret;
}

/**
 * htmm_tracker_set_init - look up the targets of a session
 * @trackers: zeroed
 * @config: what was asked for, checked
 * @err: on failure, the reason
 *
 * Context: process context of the caller, whose pid namespace and files count; may
 * sleep.
 * Return: 0, or an errno documented with struct htmm_start.
 */
int htmm_tracker_set_init(struct htmm_tracker_set *trackers,
			  const struct htmm_config *config, struct htmm_error *err)
{
	const struct htmm_start *start = &config->start;
	int ret;

	trackers->config = (struct htmm_tracker_config) {
		.shards = start->drain_threads,
		.max_bytes = start->max_bytes,
		.max_pages = start->max_pages,
		.capacity = start->capacity_pages,
		.cooling_period = start->cooling_period,
		.adaptation_period = start->adaptation_period,
		.keep_exited = start->flags & HTMM_START_KEEP_EXITED,
	};
	init_rwsem(&trackers->lock);
	xa_init(&trackers->members);
	ret = htmm_tracker_set_fill(trackers, config, err);
	if (ret)
		htmm_tracker_set_destroy(trackers);
	return ret;
}

/**
 * htmm_tracker_set_destroy - let go of all targets
 * @trackers: the trackers, that no handler, drain thread or reader uses any more
 *
 * Context: process, may sleep.
 */
void htmm_tracker_set_destroy(struct htmm_tracker_set *trackers)
{
	struct htmm_filter_set *set = htmm_filter_publish(&trackers->filter, NULL);
	struct htmm_member *member;
	unsigned long number;

	kfree(set);
	xa_for_each(&trackers->members, number, member)
		htmm_member_put(member);
	xa_destroy(&trackers->members);
}

/**
 * htmm_tracker_set_renew - make a member without pages for each that there is
 * @trackers: the trackers, which stays as it is
 * @fresh: set to the new members, for htmm_tracker_set_replace()
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int htmm_tracker_set_renew(struct htmm_tracker_set *trackers, struct htmm_members *fresh)
{
	struct htmm_member *member, *copy;
	unsigned long number;

	fresh->nr = 0;
	xa_for_each(&trackers->members, number, member) {
		copy = htmm_member_create(&member->target,
					  &member->tracker->config);
		if (IS_ERR(copy)) {
			htmm_members_put(fresh);
			return PTR_ERR(copy);
		}
		htmm_target_get(&copy->target);
		fresh->member[fresh->nr++] = copy;
	}
	return 0;
}

/**
 * htmm_tracker_set_replace - put new members in the place of the old ones
 * @trackers: the trackers
 * @members: from htmm_tracker_set_renew(); set to the old ones, to be put without the lock
 *
 * Context: process; @trackers->lock is held for writing.
 */
void htmm_tracker_set_replace(struct htmm_tracker_set *trackers,
			      struct htmm_members *members)
{
	struct htmm_member *fresh;
	unsigned int i;

	lockdep_assert_held_write(&trackers->lock);

	for (i = 0; i < members->nr; i++) {
		fresh = members->member[i];
		/* The entry is there: nothing is allocated. */
		members->member[i] = xa_store(&trackers->members,
					      htmm_member_number(fresh), fresh,
					      GFP_NOWAIT);
	}
	trackers->departed = (struct htmm_tracker_stats) {};
}

/**
 * htmm_tracker_set_find - where samples of a target go
 * @trackers: the trackers
 * @number: the target's number
 *
 * Context: a drain thread; @trackers->lock is held, and the result is valid for as long.
 * Return: the target's tables, or NULL if it was removed.
 */
struct htmm_tracker *htmm_tracker_set_find(struct htmm_tracker_set *trackers, u32 number)
{
	struct htmm_member *member = xa_load(&trackers->members, number);

	lockdep_assert_held(&trackers->lock);
	return member ? member->tracker : NULL;
}

/**
 * htmm_tracker_set_get - the members with that number
 * @trackers: the trackers
 * @number: number of a target; 0: all of them
 * @members: set to the members, with references for htmm_members_put()
 *
 * Context: process.
 */
void htmm_tracker_set_get(struct htmm_tracker_set *trackers, u32 number,
			  struct htmm_members *members)
{
	unsigned long first = number, last = number ?: U32_MAX, at;
	struct htmm_member *member;

	members->nr = 0;
	xa_lock(&trackers->members);
	xa_for_each_range(&trackers->members, at, member, first, last) {
		kref_get(&member->ref);
		members->member[members->nr++] = member;
	}
	xa_unlock(&trackers->members);
}

/**
 * htmm_members_put - drop the references
 * @members: from htmm_tracker_set_get()
 *
 * Context: process, may sleep.
 */
void htmm_members_put(struct htmm_members *members)
{
	while (members->nr)
		htmm_member_put(members->member[--members->nr]);
}

/**
 * htmm_tracker_set_get_stats - totals of all members, those removed included
 * @trackers: the trackers
 * @stats: set to the totals
 *
 * Context: process, may sleep. Takes @trackers->lock.
 */
void htmm_tracker_set_get_stats(struct htmm_tracker_set *trackers,
				struct htmm_tracker_stats *stats)
{
	struct htmm_member *member;
	unsigned long number;

	down_read(&trackers->lock);
	*stats = trackers->departed;
	xa_for_each(&trackers->members, number, member)
		htmm_stats_add(stats, member->tracker);
	up_read(&trackers->lock);
}

/**
 * htmm_tracker_set_adapt - compute all thresholds now
 * @trackers: the trackers
 *
 * Context: process, may sleep. Takes @trackers->lock.
 */
void htmm_tracker_set_adapt(struct htmm_tracker_set *trackers)
{
	struct htmm_member *member;
	unsigned long number;

	down_read(&trackers->lock);
	xa_for_each(&trackers->members, number, member)
		htmm_tracker_adapt(member->tracker);
	up_read(&trackers->lock);
}

/**
 * htmm_tracker_set_tidy - one bounded step of housekeeping
 * @trackers: the trackers
 * @shard: the shard to tidy up, of each target
 * @next: number of the target to begin with, kept by the caller from step to step
 * @all: look at all targets, not at one
 *
 * Context: a drain thread; may sleep. Takes @trackers->lock.
 * Return: true if more is known to be left to do.
 */
bool htmm_tracker_set_tidy(struct htmm_tracker_set *trackers, unsigned int shard,
			   u32 *next, bool all)
{
	struct htmm_member *member;
	unsigned long number = *next;
	unsigned int left;
	bool more = false;

	down_read(&trackers->lock);
	for (left = all ? READ_ONCE(trackers->nr) : 1; left; left--) {
		member = xa_find(&trackers->members, &number, U32_MAX, XA_PRESENT);
		if (!member) {
			number = 0;
			member = xa_find(&trackers->members, &number, U32_MAX,
					 XA_PRESENT);
		}
		if (!member)
			break;
		more |= htmm_tracker_tidy(member->tracker, shard);
		number++;
	}
	*next = number;
	up_read(&trackers->lock);
	return more;
}
