/* SPDX-License-Identifier: GPL-2.0 */
/* A machine whose accesses a test scripts, and whose pages the policy moves. */
#ifndef HTMM_SELFTESTS_USERSPACE_POLICY_MEMORY_H
#define HTMM_SELFTESTS_USERSPACE_POLICY_MEMORY_H

#include "policy/policy.h"

#define PAGES		131072U
#define HUGE		512U
#define REGIONS		(PAGES / HUGE)
/* The fast tier of most tests, and what is kept free of it (1/256). */
#define CAPACITY	1024U
/* What a sample of the slow tier takes longer, in seconds: 499 misses. */
#define GAP_S		(499 * 0.00000017)
/* The pages' target, among those of a session in which many have come and gone. */
#define TARGET		200U

/**
 * struct memory - a machine's pages and what they have
 * @policy: the policy
 * @samples: of each page
 * @fast: is it in the fast tier?
 * @first: was it there at first?
 * @saved: samples that moves have brought to the fast tier, less those that they have kept away
 * @pages: the last page that exists
 * @capacity: pages of the fast tier
 * @shift: size of the mappings
 * @total: samples counted
 * @others: of other processes
 * @coolings: how often counts were halved, of each target
 * @seconds: since the start
 * @busy: CPUs that are busy; 0: as many as are sampled
 * @thin: one of so many samples was taken; 0: all
 * @slow_cut: slow pages with at most so many samples are not listed
 * @focused: only pages of the regions are listed that the policy chooses,
 * @hottest: and the hottest ones of the slow tier
 * @hand: where to go on to find pages of the fast tier
 * @nr_ranges: how many ranges the policy has chosen
 * @range: these
 * @hidden: a page whose region's process is not visible
 * @slow_list: for a look
 * @fast_list: for a look
 * @rest_list: for a look
 * @regions: for a look
 * @plan: of the last look
 */
struct memory {
	struct policy *policy;
	u32 samples[PAGES];
	bool fast[PAGES];
	bool first[PAGES];
	long long saved;
	u32 pages;
	u64 capacity;
	u32 shift;
	u64 total;
	u64 others;
	struct by_target coolings;
	double seconds;
	double busy;
	unsigned int thin;
	u32 slow_cut;
	bool focused;
	bool hottest;
	u32 hand;
	ssize_t nr_ranges;
	const struct policy_range *range;
	u32 hidden;
	struct htmm_page slow_list[PAGES];
	struct htmm_page fast_list[PAGES];
	struct htmm_page rest_list[PAGES];
	struct htmm_page regions[REGIONS];
	const struct policy_plan *plan;
};

/* What the policy is told, unless a test needs something else. */
extern const struct policy_config usual;

/* The bit of a rule that is to be off. */
static inline u32 bit(enum policy_rule rule)
{
	return 1U << rule;
}

/*
 * The first pages are in the fast tier, which they fill. @off: rules that are off. make() is for a
 * program that does not allocate: all of the fast tier is for its pages.
 */
struct memory *make_with(u32 pages, u32 off);
struct memory *make(u32 pages, u32 off);
void destroy(struct memory *memory);

/* Each page of @from to @to, without @to, is sampled @times times. */
void sample(struct memory *memory, u32 from, u32 to, u32 times);
/* Halve all counts. */
void cool(struct memory *memory);

/* One second passes, and the policy looks. */
const struct policy_plan *look(struct memory *memory);
/* One second passes, and pages cannot be listed. */
void fail(struct memory *memory);
/* One second passes. Is another look needed? */
bool changed(struct memory *memory);
/* Is a page listed at the last look, where the policy has chosen? */
bool in_focus(const struct memory *memory, u32 page);
/* When to look again after a look that took @cost seconds, with as few samples as it wants. */
double wait_after(const struct memory *memory, double cost);
/* Do what the last plan says. */
void obey(struct memory *memory);
/* Sample, look and obey, @looks times. */
void work(struct memory *memory, u32 from, u32 to, u32 times, u32 looks);

/* Is @a @b, but for this part of it? */
bool near(double a, double b, double part);
/* Does the policy know, but for this part of it, how much time its moves have saved? */
bool knows(const struct memory *memory, double part);

/* Pages in the fast tier: all, or those of @from to @to, without @to. */
u64 used(const struct memory *memory);
u64 fast_of(const struct memory *memory, u32 from, u32 to);

/* Looked at in parts: of 256 regions, the first 32 are in the fast tier. */
struct memory *make_large(void);
/* Each page of regions @from to @to, without @to, is sampled @times times. */
void sample_regions(struct memory *memory, u32 from, u32 to, u32 times);
/* Each region has samples, and the slow tier @times times as many in each. */
void sample_all(struct memory *memory, u32 times);
/* How many of these regions are in focus? */
u32 focused_regions(const struct memory *memory, u32 from, u32 to);

#endif /* HTMM_SELFTESTS_USERSPACE_POLICY_MEMORY_H */
