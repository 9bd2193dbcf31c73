/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What can be moved, as of one look: pages, and huge pages as a whole.
 *
 * Lists name the pages of a region one after the other, by address, so units are found by the
 * region's runs of units: lists of tens of thousands of pages are compared in their order, without
 * a cache miss for each page.
 */
#ifndef POLICY_UNITS_H
#define POLICY_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/htmm.h>

/* Pages of 4 KiB in the largest page that can be moved. */
#define UNIT_LARGEST	(1U << (HTMM_REGION_SHIFT - HTMM_PAGE_SHIFT))

/**
 * struct unit - a page, or a huge page
 * @addr: its address
 * @samples: samples of all of it
 * @gain: samples that it has gained since the previous look
 * @recent: what it has gained lately in this phase, old gains counting less; see policy_look()
 * @pid: its process
 * @space: its address space
 * @target: its target
 * @pages: its size, in pages of 4 KiB
 * @used: how many of these have samples
 * @earlier: how many of @samples it had before the last phase change, halved as often as these
 * @old: its number in the previous look, plus one; 0: it was not there
 * @node: where it is
 * @class: see predict.h
 * @fast: in the fast tier
 * @before: it was in the list of the same tier at the previous look
 * @seen: it is in the next look, too
 * @fresh: it was not there at the previous look, neither in a list nor beyond its end
 * @promoted: the plan promotes it
 */
struct unit {
	__u64 addr;
	__u32 samples;
	__u32 gain;
	float recent;
	__u32 pid;
	__u32 space;
	__u32 target;
	__u32 pages;
	__u32 used;
	__u32 earlier;
	__u32 old;
	__s16 node;
	__u16 class : 10;
	bool fast : 1;
	bool before : 1;
	bool seen : 1;
	bool fresh : 1;
	bool promoted : 1;
};

/**
 * struct run - units of one region of 2 MiB that follow one another, by address
 * @addr: address of the region
 * @space: its address space
 * @target: its target
 * @begin: number of the first unit
 * @next: number of the next run of the region, plus one; 0: none
 * @place: private: where the index has the region
 * @nr: how many units there are
 * @at: private: the first of its units that was not below the address searched last
 */
struct run {
	__u64 addr;
	__u32 space;
	__u32 target;
	__u32 begin;
	__u32 next;
	__u32 place;
	__u16 nr;
	__u16 at;
};

/**
 * struct units - the units of one look
 * @unit: the units, those of the slow tier first, in the order of the lists
 * @nr: how many there are
 * @nr_slow: how many of them are in the slow tier
 * @run: the runs that they are in, in the same order
 * @nr_runs: how many there are
 * @index: private: finds a region's first run; 0: none, else its number, plus one
 * @mask: private: the size of @index, less one
 * @room: private: room in @unit, and in @run
 */
struct units {
	struct unit *unit;
	size_t nr;
	size_t nr_slow;
	struct run *run;
	size_t nr_runs;
	__u32 *index;
	size_t mask;
	size_t room;
};

/**
 * units_reset() - begin a new look
 * @units: emptied
 * @pages: the most pages that will be added
 *
 * Return: 0 or -ENOMEM.
 */
int units_reset(struct units *units, size_t pages);

/**
 * units_add() - add pages of one tier
 * @units: added to
 * @pages: the pages; pages of one huge page become one unit. Those of a region by address: any
 *	order gives the same units, but takes long
 * @nr: how many there are
 * @fast: of the fast tier
 */
void units_add(struct units *units, const struct htmm_page *pages, size_t nr, bool fast);

/**
 * units_runs() - find the runs of a region
 * @units: where to look
 * @like: a unit of the region
 *
 * Return: the number of the first one, plus one; 0: there is none.
 */
__u32 units_runs(const struct units *units, const struct unit *like);

/**
 * units_find_in() - find the unit of some runs that is at the same place as another one
 * @units: where to look
 * @runs: number of the first run, see units_runs()
 * @like: the other one
 *
 * Return: the unit, or NULL.
 */
struct unit *units_find_in(const struct units *units, __u32 runs, const struct unit *like);

/**
 * page_by_place() - in which order units_add() takes pages best, for qsort()
 * @a: a struct htmm_page
 * @b: another one
 *
 * Return: below 0 if @a comes first, above 0 if @b does.
 */
int page_by_place(const void *a, const void *b);

/**
 * units_find() - find the unit that is at the same place as another one
 * @units: where to look
 * @like: the other one
 *
 * Return: the unit, or NULL.
 */
struct unit *units_find(const struct units *units, const struct unit *like);

/**
 * units_free() - free the memory
 * @units: may be all zero
 */
void units_free(struct units *units);

/**
 * halved() - a count after coolings
 * @count: the count before
 * @times: how many coolings
 */
static inline __u32 halved(__u32 count, __u64 times)
{
	return times < 32 ? count >> times : 0;
}

/**
 * unit_hash() - spread places over numbers
 * @unit: the unit
 */
__u64 unit_hash(const struct unit *unit);

#endif /* POLICY_UNITS_H */
