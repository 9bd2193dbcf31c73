/* SPDX-License-Identifier: GPL-2.0 */
/* A made-up module and a made-up move_pages(2), which the loop of `htmmctl tier` sees. */
#ifndef HTMM_SELFTESTS_USERSPACE_TIER_MACHINE_H
#define HTMM_SELFTESTS_USERSPACE_TIER_MACHINE_H

#include "tier/tier.h"

#define PAGES		40000U
/* What most tests use of them. */
#define USUAL		4000U
#define BASE		0x40000000ULL
#define FAST		0
#define SLOW		1
#define NODES		4
/* What fits node 0 of the made-up machine. */
#define CAPACITY	512U
#define PID		77
#define PID2		70
#define CALLS		256
#define SLOW_MS		20ULL

/**
 * struct call - a call of move_pages(2) with nodes
 * @pid: the process
 * @nr: pages
 * @node: where to
 * @flags: its flags
 * @sorted: their addresses rise
 */
struct call {
	int pid;
	unsigned long nr;
	int node;
	int flags;
	bool sorted;
};

enum other { OTHER_DEAD, OTHER_ALIVE, OTHER_GONE };

/**
 * struct machine - the made-up machine
 * @size: how many pages there are
 * @node: where each page is
 * @samples: its count
 * @error: why it does not move; 0: it does
 * @whole: errno of each call; 0: none
 * @dead: the process has exited
 * @second: pages from here on are of a second process; 0: there is none
 * @both: pages below this are mapped by the second process, too, which does nothing now
 * @found: how often each page was listed as one of a process on a node
 * @removed: what is asked of one target is not there any more
 * @other: is the second target alive, dead, or not in the session any more?
 * @skipped: so many lists and counts of pages find none, as the process changes its mappings
 * @call: the calls
 * @nr_calls: how many
 * @list: what was asked of the lists, in order
 * @nr_lists: how many lists
 * @state: of the session
 * @period: of the events
 * @fixed: the period of the second one cannot be changed
 * @pages: that have a count, as it says
 * @total: samples since the start
 * @others: of the second target, which has no pages
 * @coolings: of all targets
 * @seconds: time of the session
 * @capacity: of the session, and of its targets
 * @sets: how often one was set
 * @refuses: none can be set
 * @maps: numa_maps of the process; NULL: there is no process of that number
 * @maps_read: how often it was read
 * @counts: how often the pages of the nodes were counted
 * @counted: only pages below this are, as a process changes its mappings; 0: all are
 * @count_ms: what that takes of a CPU
 * @taken: pages from 400 on that the program takes of the fast node before they are counted; and as
 *	many after that
 * @kept: pages of the fast node that the kernel gives to nobody
 * @more_free: pages of the fast node that others have freed
 * @second_node: pages of node 2
 * @no_memory: there is none for the policies
 * @home: nodes that are near to where PID runs
 * @homes_looked_up: how often it was looked up where a process runs
 * @slow: to read @maps takes so many times SLOW_MS of a CPU; each call that moves pages waits
 *	SLOW_MS, and takes 1 ms
 * @meanwhile: in how many rounds samples come before a page is listed, and again after that
 */
struct machine {
	u32 size;
	int node[PAGES];
	u32 samples[PAGES];
	int error[PAGES];
	int whole;
	bool dead;
	u32 second;
	u32 both;
	u32 found[PAGES];
	bool removed;
	enum other other;
	unsigned int skipped;
	struct call call[CALLS];
	unsigned int nr_calls;
	struct htmm_list_pages list[CALLS];
	unsigned int nr_lists;
	u32 state;
	u64 period[2];
	bool fixed;
	u64 pages;
	u64 total;
	u64 others;
	u64 coolings;
	u64 seconds;
	u32 meanwhile;
	u64 capacity[3];
	u32 sets;
	bool refuses;
	const char *maps;
	u32 maps_read;
	u32 counts;
	u32 counted;
	u64 count_ms;
	u32 taken;
	u64 kept;
	u64 more_free;
	u32 second_node;
	bool no_memory;
	struct htmm_cpus home;
	u32 homes_looked_up;
	unsigned int slow;
};

extern struct machine machine;

/*
 * A new machine, and the loop on it. The first pages are on the fast node. @list_pages: with more
 * pages than this, the loop lists only some. With make_targets(), two targets share the fast tier,
 * three to one.
 */
struct tier *make(u64 list_pages);
struct tier *make_targets(void);
void destroy(struct tier *tier);

/* Each page of @from to @to, without @to, is sampled @times times. */
void sample(u32 from, u32 to, u32 times);
/* Nine samples of the fast node for one of the slow one. */
void sample_rounds(u32 rounds);

/* One second passes, and the loop looks and moves. */
void look(struct tier *tier);

/* Pages of @from to @to, without @to, on the fast node. */
u32 fast_of(u32 from, u32 to);

#endif /* HTMM_SELFTESTS_USERSPACE_TIER_MACHINE_H */
