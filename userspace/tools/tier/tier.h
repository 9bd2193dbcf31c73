/* SPDX-License-Identifier: GPL-2.0 */
/* The loop of `tier`: look, decide, move, log. */
#ifndef TIER_TIER_H
#define TIER_TIER_H

#include <stdio.h>
#include "busy.h"
#include "mover.h"
#include "policy/policy.h"
#include "tiers.h"

/* The most groups that share the fast tier. */
#define TIER_GROUPS	HTMM_MAX_TARGETS

/**
 * enum tier_work - what the loop spends its time on
 * @TIER_BEGIN: all before the first look
 * @TIER_GLANCE: lists of regions
 * @TIER_LIST: lists of pages
 * @TIER_DECIDE: the policies
 * @TIER_MOVE: moving pages
 * @TIER_REST: all else
 * @TIER_NR_WORKS: number of these
 */
enum tier_work {
	TIER_BEGIN,
	TIER_GLANCE,
	TIER_LIST,
	TIER_DECIDE,
	TIER_MOVE,
	TIER_REST,
	TIER_NR_WORKS,
};

/**
 * struct tally - the samples of some looks
 * @samples: how many
 * @fast: how many of them the fast tier served
 */
struct tally {
	double samples;
	double fast;
};

/**
 * struct hand - a place in a group's memory
 * @target: number of the target
 * @pid: the process; 0: none yet
 * @node: the node
 * @addr: the address
 */
struct hand {
	__u32 target;
	__u32 pid;
	int node;
	__u64 addr;
};

/**
 * struct group - pages that compete with each other for a part of the fast tier
 * @policy: decides among them
 * @target: whose pages: number of a target; 0: all targets'
 * @weight: its part of the fast tier, relative to the weights of the others
 * @limit: most pages of the fast tier that it may use; 0: no limit but the others
 * @alive: some of its processes or cgroups exist
 * @skips: looks in a row at which some of its page tables could not be read
 * @again: it was not looked at for that reason, and will be soon
 * @large: it had more pages than can be listed at each look, and has not become much smaller
 * @too_many: if so, about how many these were
 * @rests: there was nothing to do, so at most @regions were read
 * @regions: all its regions
 * @glance: seconds of CPU time that listing them took
 * @glanced: samples counted when they last showed that there is nothing to do, or at the last look
 * @pages: sampled pages of the slow tier, then pages of the fast tier
 * @nr_slow: how many of them are of the slow tier
 * @nr_rest: after them: pages of the slow tier without samples
 * @least: of the slow tier, only pages with at least this many samples are listed
 * @slow_cut: some of the slow tier with up to this many samples are not listed
 * @used: pages of the fast tier that are in use
 * @free: if it is large, pages of the fast tier that were free when @used was found
 * @distinct: otherwise, which part of the listed pages of the fast tier are not listed twice
 * @count_due: until this time of the session, @used may be computed from what is free, or listed
 * @capacity: pages of the fast tier that it may use
 * @told: the capacity that its target has in the session
 * @counted: samples counted of its pages
 * @tracked: its pages that have a count
 * @samples: those samples that the lists show
 * @hand: of a large group: from where on pages of the fast tier are listed at the next look
 * @find_s: CPU time that finding these took, in seconds
 * @ranges_s: CPU time that listing its regions' pages took
 * @hottest_s: the same of its hottest pages of the slow tier
 * @tallied: how many of them are in a tally
 * @plan: what its policy has decided
 */
struct group {
	struct policy *policy;
	__u32 target;
	__u32 weight;
	__u64 limit;
	bool alive;
	unsigned int skips;
	bool again;
	bool large;
	__u64 too_many;
	bool rests;
	struct htmm_page_list regions;
	double glance;
	__u64 glanced;
	struct htmm_page_list pages;
	size_t nr_slow;
	size_t nr_rest;
	__u32 least;
	__u64 slow_cut;
	__u64 used;
	__u64 free;
	double distinct;
	double count_due;
	__u64 capacity;
	__u64 told;
	__u64 counted;
	__u64 tracked;
	__u64 samples;
	__u64 tallied;
	struct hand hand;
	double find_s;
	double ranges_s;
	double hottest_s;
	const struct policy_plan *plan;
};

/**
 * struct tier - the state of the loop
 * @fd: the device
 * @session: number of the session
 * @tiers: the nodes
 * @config: of the policies
 * @capacity: most pages of the fast tier to use, also if set while it runs; 0: all that is free
 * @session_capacity: that of the session, which follows what is used here
 * @events: what is sampled
 * @period: events that a sample usually stands for
 * @thin: one of this many samples is taken now
 * @list_pages: a group with more pages to list is a large one
 * @cooling_period: samples between two coolings; 0: it follows the number of pages
 * @cooled: samples counted at the last one
 * @groups: what shares the fast tier
 * @nr_groups: how many
 * @mover: moves pages
 * @interval: most seconds between two looks; 0: as many as they need to pay
 * @looks: looks taken
 * @rests: how often only regions were listed, or nothing
 * @seconds: time of the session at the look
 * @busy: CPUs that were busy until then
 * @samples: counted at the look
 * @pages: pages that have a count at the look
 * @evicted: pages that the module has forgotten for lack of memory
 * @coolings: of each target at the look
 * @counted: samples of each target at the look
 * @removed: samples of targets that are not in the session any more
 * @alive: targets that can still be sampled
 * @wait: seconds until regions are listed again, so that this takes only a part of the time,
 *	or until a look is due
 * @due: when pages are listed, whether regions show a change or not
 * @before: samples until the first page was moved
 * @lately: samples of the last looks, older ones counting less
 * @cpu: seconds of CPU time, by what they were for
 * @charged: sum of @cpu
 */
struct tier {
	int fd;
	__u64 session;
	struct tiers tiers;
	struct policy_config config;
	__u64 capacity;
	__u64 session_capacity;
	const struct htmm_event_list *events;
	__u64 period;
	unsigned int thin;
	__u64 list_pages;
	__u64 cooling_period;
	__u64 cooled;
	struct group groups[TIER_GROUPS];
	unsigned int nr_groups;
	struct mover mover;
	double interval;
	__u64 looks;
	__u64 rests;
	double seconds;
	struct busy busy;
	__u64 samples;
	__u64 pages;
	__u64 evicted;
	struct by_target coolings;
	struct by_target counted;
	__u64 removed;
	unsigned int alive;
	double wait;
	double due;
	struct tally before;
	struct tally lately;
	double cpu[TIER_NR_WORKS];
	double charged;
};

/**
 * tier_open() - make the policies
 * @tier: the loop, of which the session, the options and the groups are set
 * @err: the error
 *
 * Return: 0 or a negative errno.
 */
int tier_open(struct tier *tier, struct htmm_error *err);

/**
 * tier_look() - look once, and decide
 * @tier: the loop
 * @err: says why it cannot go on
 *
 * Return: 0; -ESHUTDOWN if someone else has stopped the session; -ESRCH if nobody is left to look
 * at; or another negative errno.
 */
int tier_look(struct tier *tier, struct htmm_error *err);

/**
 * tier_move() - move what was decided
 * @tier: the loop
 */
void tier_move(struct tier *tier);

/**
 * tier_cool() - halve the counts if it is time to
 * @tier: the loop, after a look
 */
void tier_cool(struct tier *tier);

/**
 * tier_sample() - sample as often as the policies need it
 * @tier: the loop, after a look
 */
void tier_sample(struct tier *tier);

/**
 * tier_end() - note for how long it went on
 * @tier: the loop, after the last look
 */
void tier_end(struct tier *tier);

/**
 * tier_cpu_seconds() - CPU time of this program
 */
double tier_cpu_seconds(void);

/**
 * tier_charge() - note what the CPU time since the last call was for
 * @tier: the loop
 * @work: what it was
 */
void tier_charge(struct tier *tier, enum tier_work work);

/**
 * tier_work_name() - the name of a kind of work
 * @work: the kind
 */
const char *tier_work_name(enum tier_work work);

/**
 * tier_close() - free the memory
 * @tier: the loop
 */
void tier_close(struct tier *tier);

#endif /* TIER_TIER_H */
