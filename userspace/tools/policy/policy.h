/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pages to move between a fast and a slow tier: from lists of pages, with counts and
 * places, to a list of moves. No input or output, no clock.
 *
 * The policy asks one question: how many samples will a page get until the next look? The
 * answer is learnt. Pages are sorted in classes, by their count and by what they gained since
 * the previous look (see predict.h), and each look tells what the pages of each class have
 * gained since. A page is moved where another one is expected to gain clearly less, and the
 * time won is more than the copies take.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/htmm.h>
#include "by_target.h"

/**
 * enum policy_rule - the rules, each of which can be turned off
 * @POLICY_PREDICT: expect what pages of the class were seen to gain, not what the count says;
 *	this is what recognizes streaming
 * @POLICY_HYSTERESIS: promote what was hot in two looks, in place of what was cold in two
 * @POLICY_MARGIN: promote only what is clearly better than what must leave
 * @POLICY_PROFIT: move only if the time won is more than the copies take
 * @POLICY_BALANCE: only undo moves while all of them together have cost more than they have saved
 * @POLICY_BURST: look sooner, and with more samples, after a phase change
 * @POLICY_THIN: take fewer samples while little is to be moved
 * @POLICY_HUGE: move a huge page only if a quarter of it is in use
 * @POLICY_RESERVE: keep room in the fast tier for new pages
 * @POLICY_NR_RULES: number of rules
 */
enum policy_rule {
	POLICY_PREDICT,
	POLICY_HYSTERESIS,
	POLICY_MARGIN,
	POLICY_PROFIT,
	POLICY_BALANCE,
	POLICY_BURST,
	POLICY_THIN,
	POLICY_HUGE,
	POLICY_RESERVE,
	POLICY_NR_RULES,
};

/**
 * struct policy_config - what the policy must know of the machine, and what it may do
 * @off: bit r: rule r is turned off
 * @gap_ns: what a load from the slow tier takes longer than one from the fast tier
 * @copy_ns: CPU time to move one page of 4 KiB, until policy_copied() has measured it
 * @rate_pages: most pages to move in a second; 0: no limit
 * @cpus: CPUs that are sampled; 0: one
 * @dry: no move is made
 */
struct policy_config {
	__u32 off;
	double gap_ns;
	double copy_ns;
	__u64 rate_pages;
	unsigned int cpus;
	bool dry;
};

/**
 * struct policy_look - what one look has found
 * @slow: sampled pages of the slow tier, those with the most samples. In all lists of pages, those
 *	of a region should come by address: other orders take long
 * @nr_slow: how many there are
 * @slow_cut: 0: @slow is all of them; else some with up to this many samples are not in it
 * @fast: pages of the fast tier, also without any samples
 * @nr_fast: how many there are
 * @focused: @slow and @fast are the pages of the ranges that policy_focus() has chosen, and some of
 *	the hottest others of the slow tier
 * @rest: if so, all other pages of these ranges: those of the slow tier without samples
 * @nr_rest: how many there are
 * @regions: all sampled regions of 2 MiB, with %HTMM_REGION_SHIFT as @mapping_shift
 * @nr_regions: how many there are
 * @found: for policy_focus(): some pages of the fast tier, at each look others
 * @nr_found: how many there are
 * @capacity: pages of the fast tier that may be used, those in use included
 * @used: pages of the fast tier that are in use; may be more than @capacity
 * @samples: samples of these pages' processes since the start
 * @others: samples of all other processes since the start
 * @coolings: of each target, coolings since the start; each halved all its counts, after the
 *	previous look and before any sample. NULL: there were none
 * @period: events that a sample usually stands for
 * @thin: since the previous look only one of this many samples was taken; 0: all
 * @seconds: since the start
 * @busy: CPUs that were busy since the previous look, on average; 0: as many as are sampled
 */
struct policy_look {
	const struct htmm_page *slow;
	size_t nr_slow;
	__u64 slow_cut;
	const struct htmm_page *fast;
	size_t nr_fast;
	const struct htmm_page *rest;
	size_t nr_rest;
	bool focused;
	const struct htmm_page *regions;
	size_t nr_regions;
	const struct htmm_page *found;
	size_t nr_found;
	__u64 capacity;
	__u64 used;
	__u64 samples;
	__u64 others;
	const struct by_target *coolings;
	__u64 period;
	unsigned int thin;
	double seconds;
	double busy;
};

/**
 * struct policy_range - where pages are to be listed
 * @start: address of its first byte
 * @end: and after its last one
 * @pid: the process
 * @space: its address space, see struct htmm_page
 * @target: its target
 */
struct policy_range {
	__u64 start;
	__u64 end;
	__u32 pid;
	__u32 space;
	__u32 target;
};

/**
 * struct policy_move - a page to move
 * @addr: its address; for a huge page that of its beginning
 * @pid: its process
 * @space: its address space, see struct htmm_page
 * @target: its target
 * @pages: its size, in pages of 4 KiB
 * @node: the node where it is
 * @samples: its count
 * @value: samples that it is expected to gain in a second, for each page of 4 KiB
 * @promote: to the fast tier; else to the slow one
 * @forced: it leaves because more is in use than may be
 * @ahead: it leaves because room is kept for new pages
 */
struct policy_move {
	__u64 addr;
	__u32 pid;
	__u32 space;
	__u32 target;
	__u32 pages;
	__s32 node;
	__u64 samples;
	float value;
	bool promote;
	bool forced;
	bool ahead;
};

/**
 * enum policy_held - why a candidate is not promoted now
 * @POLICY_HELD_NEW: it was not hot in the previous look, or was demoted not long ago; or the next
 *	looks of a burst will tell if it is worth the copies
 * @POLICY_HELD_MARGIN: the page that would have to leave is not clearly worse
 * @POLICY_HELD_PROFIT: the copies take more time than will probably be won
 * @POLICY_HELD_BALANCE: moves have cost more time than they have saved
 * @POLICY_HELD_ROOM: no page of the fast tier may leave
 * @POLICY_HELD_RATE: the limit of this look is reached
 * @POLICY_HELD_HUGE: a huge page of which less than a quarter is in use
 * @POLICY_HELD_STUCK: it could not be moved not long ago, is larger than 2 MiB, or its
 *	process is not visible
 * @POLICY_NR_HELD: number of reasons
 */
enum policy_held {
	POLICY_HELD_NEW,
	POLICY_HELD_MARGIN,
	POLICY_HELD_PROFIT,
	POLICY_HELD_BALANCE,
	POLICY_HELD_ROOM,
	POLICY_HELD_RATE,
	POLICY_HELD_HUGE,
	POLICY_HELD_STUCK,
	POLICY_NR_HELD,
};

/**
 * struct policy_plan - what to do after a look; valid until the next one
 * @moves: the moves, demotions first; each part by process and address
 * @nr_demotions: how many of them are demotions
 * @nr_moves: all of them
 * @demoted_pages: pages of 4 KiB to demote
 * @promoted_pages: pages of 4 KiB to promote
 * @forced_pages: number of @demoted_pages that leave because more is in use than may be
 * @ahead_pages: number of @demoted_pages that leave because room is kept for new pages
 * @reserve: pages of the fast tier to keep free for these
 * @pingpong_pages: number of @promoted_pages that were demoted not long ago
 * @held: pages of 4 KiB that are not promoted, by enum policy_held
 * @candidates: pages of 4 KiB in the slow tier that are better than what would have to leave
 * @threshold: expected samples a second of what would have to leave next; 0: there is room, or a
 *	phase begins, and nothing is expected yet
 * @fast_share: share of the samples since the previous look that were of the fast tier; below
 *	0: there were none, or it is not known
 * @budget: most pages that this look may move, by the limit
 * @won: what part of the time these moves save, and those of pages that may be promoted
 *	at the next look; what leaves for new pages, which gain more, is not counted
 * @saved_s: seconds of CPU time that moves have saved since the start; below 0: that they have cost
 * @spent_s: seconds of CPU time that samples, looks and copies have taken
 * @thin: take only one of this many samples until the next look: there is little to learn
 * @least: pages of the slow tier with fewer samples need not be listed at the next look
 * @burst: a phase change was seen, here or a few looks ago
 * @cool: it was seen here: old counts are misleading, so cooling is advised
 */
struct policy_plan {
	struct policy_move *moves;
	size_t nr_demotions;
	size_t nr_moves;
	__u64 demoted_pages;
	__u64 promoted_pages;
	__u64 forced_pages;
	__u64 ahead_pages;
	__u64 reserve;
	__u64 pingpong_pages;
	__u64 held[POLICY_NR_HELD];
	__u64 candidates;
	double threshold;
	double fast_share;
	__u64 budget;
	double won;
	double saved_s;
	double spent_s;
	unsigned int thin;
	__u32 least;
	bool burst;
	bool cool;
};

/* With policy_focus(), the lists of a look never have more pages than this. */
#define POLICY_LARGE_PAGES	262144

struct policy;

/**
 * policy_new() - make a policy for pages that compete for one fast tier
 * @config: copied
 *
 * Return: the policy, or NULL if there is no memory.
 */
struct policy *policy_new(const struct policy_config *config);

/**
 * policy_free() - free a policy
 * @policy: the policy, or NULL
 */
void policy_free(struct policy *policy);

/**
 * policy_focus() - choose where to look, if there are too many pages to list all
 * @policy: the policy
 * @look: the regions, what was found, the coolings and the samples, as they are now
 * @range: set to the ranges, which are valid until the next call
 *
 * policy_look() must follow, with all resident pages of these ranges.
 *
 * Return: how many ranges there are, or -ENOMEM.
 */
ssize_t policy_focus(struct policy *policy, const struct policy_look *look,
		     const struct policy_range **range);

/**
 * policy_in_focus() - is a page in one of the ranges?
 * @policy: the policy, after policy_focus()
 * @page: the page
 */
bool policy_in_focus(const struct policy *policy, const struct htmm_page *page);

/**
 * policy_hottest() - how many of the hottest pages of the slow tier to list besides
 * @policy: the policy
 */
size_t policy_hottest(const struct policy *policy);

/**
 * policy_find() - how many pages of the fast tier policy_focus() wants
 * @policy: the policy
 *
 * Return: pages of 4 KiB, which follow those that were found for the previous look.
 */
size_t policy_find(const struct policy *policy);

/**
 * policy_look() - decide what to move
 * @policy: the policy
 * @look: what is known now
 *
 * Return: the plan, or NULL if there is no memory.
 */
const struct policy_plan *policy_look(struct policy *policy, const struct policy_look *look);

/**
 * policy_wait() - when to look again
 * @policy: the policy, after a look
 * @cost: seconds that the look took
 * @thin: one of so many samples is taken from now on: the plan's number, or a smaller one
 *
 * Return: in how many seconds.
 */
double policy_wait(const struct policy *policy, double cost, unsigned int thin);

/**
 * policy_spent() - tell what moving pages has cost
 * @policy: the policy
 * @seconds: CPU time
 */
void policy_spent(struct policy *policy, double seconds);

/**
 * policy_looked() - tell what a look has cost
 * @policy: the policy, after the look
 * @seconds: CPU time, without that of moving pages
 *
 * While all moves together lose time, looks are few, but others may need more of them: these do not
 * count.
 */
void policy_looked(struct policy *policy, double seconds);

/**
 * policy_begins() - is there enough to see for the first look?
 * @policy: the policy, which takes no time into account in which there were no samples
 * @samples: samples until now
 * @seconds: since the start
 *
 * A look takes as long however few samples there are.
 */
bool policy_begins(struct policy *policy, __u64 samples, double seconds);

/**
 * policy_cooling_period() - how many samples to count between two coolings
 * @pages: pages that have a count
 *
 * As by the module's default, so many for each page: with fewer, most pages would be forgotten
 * before it is known which of them are hot.
 *
 * Return: the number, for all targets together.
 */
__u64 policy_cooling_period(__u64 pages);

/**
 * policy_glance_wait() - when to list regions again, for policy_changed()
 * @cost: seconds that it took
 *
 * Return: in how many seconds.
 */
double policy_glance_wait(double cost);

/**
 * policy_watches() - can policy_changed() find anything before the next look?
 * @policy: the policy, after a look
 *
 * Return: false if the fast tier serves so little that it cannot become much less, or if it is
 * not known yet what is usual. Then regions need not be listed. True while there are hardly any
 * samples: when they come, a look is due.
 */
bool policy_watches(const struct policy *policy);

/**
 * policy_changed() - does the program use other pages than at the last look?
 * @policy: the policy
 * @look: the regions and the coolings, as they are now
 *
 * A region's new samples are taken to be divided between the tiers as its samples were at
 * the last look. This takes no list of pages, so it can be asked much more often than looks
 * can be taken. What changes within regions is seen by the next look.
 *
 * Return: true if less is served by the fast tier than usual, or if the program did hardly anything
 * before the last look, and does now: then look.
 */
bool policy_changed(struct policy *policy, const struct policy_look *look);

/**
 * policy_refused() - tell that a page could not be moved
 * @policy: the policy
 * @move: the move
 *
 * For some looks the page is not moved again.
 *
 * Return: true if this is the first time, as far as it is remembered.
 */
bool policy_refused(struct policy *policy, const struct policy_move *move);

/**
 * policy_copied() - tell what moving pages has cost
 * @policy: the policy
 * @pages: pages of 4 KiB that were moved
 * @ns: CPU time of the copies
 */
void policy_copied(struct policy *policy, __u64 pages, __u64 ns);

/* The names of the rules, each a word. */
extern const char *const policy_rule_names[POLICY_NR_RULES];

/**
 * policy_held_name() - the name of a reason not to promote
 * @held: the reason
 *
 * Return: a word, or NULL if there is no such reason.
 */
const char *policy_held_name(unsigned int held);

#endif /* POLICY_POLICY_H */
