/* SPDX-License-Identifier: GPL-2.0 */
/* All results of a recording or a live session on the memory that it sampled. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "store.h"
#include <stdbool.h>
#include <htmm/device.h>
#include <htmm/target.h>
#include "functions.h"
#include "heat.h"
#include "htmmctl/hit.h"
#include "core/source.h"
#include "perfdata/losses.h"
#include "perfdata/pids.h"
#include "perfdata/reader.h"
#include "span.h"
#include "tasks.h"

/**
 * struct report_config - how to evaluate the samples
 * @store: how samples turn into hot pages
 * @weight_period: a sample counts as much as its period, in units of the smallest of all events
 * @min_level: samples are left out whose data came from nearer than this, or from nobody knows
 *	where; 0: none
 * @pids: only these processes
 * @span: only this part of the time
 * @curve: keep the count of each page, for the capacity curve and for comparisons
 * @ranges: divide anonymous memory and heaps into ranges that are hot or cold
 * @functions: count samples by instruction
 * @if_known: without an error if samples do not tell their instructions
 * @raw: list pages by their counts, not by their estimated rates
 */
struct report_config {
	struct store_config store;
	bool weight_period;
	enum htmm_source min_level;
	struct perfdata_pids pids;
	struct span span;
	bool curve;
	bool ranges;
	bool functions;
	bool if_known;
	bool raw;
};

/**
 * struct report_counts - where samples went
 * @samples: counted
 * @no_addr: dropped because they have no data address
 * @no_data: dropped because they are of instructions without data: IBS samples all
 * @kernel_addr: dropped because the address is the kernel's
 * @filtered: dropped because they are of other processes
 * @guest: dropped because they were taken in a virtual machine
 * @no_process: dropped because their process is not known: it is outside of the recorder's
 *	pid namespace, or was exiting
 * @near: dropped because of &report_config.min_level
 * @outside: dropped because of &report_config.span
 * @no_memory: dropped because the table was full, or there were too many processes
 * @lost: lost before they were counted or recorded
 * @throttled: times that the kernel throttled an event
 * @served: samples counted, by what served them
 */
struct report_counts {
	__u64 samples;
	__u64 no_addr;
	__u64 no_data;
	__u64 kernel_addr;
	__u64 filtered;
	__u64 guest;
	__u64 no_process;
	__u64 near;
	__u64 outside;
	__u64 no_memory;
	__u64 lost;
	__u64 throttled;
	__u64 served[HTMM_NR_SOURCES];
};

/**
 * struct report_page - a page, or a region
 * @space: number of its address space
 * @mapping: number of its mapping; -1: unknown
 * @addr: its first byte
 * @samples: its count, cooled
 * @bin: bin of @samples
 * @hot: at or above the hot threshold
 * @touched: for a region, pages with a count
 * @hot_pages: for a region, hot pages
 * @skew: for a region, its skew
 * @rate: for a page and unless &report_config.raw, samples expected, if the same was sampled once
 *	more
 * @low: the rate is between this
 * @high: and this with a probability of about 90 %
 * @node: in a live session, the NUMA node of the page; HTMM_NODE_UNKNOWN: not known
 * @mapping_shift: likewise, base-2 logarithm of the size of its mapping; or
 *	HTMM_MAPPING_UNKNOWN
 */
struct report_page {
	__u32 space;
	__s64 mapping;
	__u64 addr;
	__u64 samples;
	__u32 bin;
	bool hot;
	__u32 touched;
	__u32 hot_pages;
	__u64 skew;
	float rate;
	float low;
	float high;
	__s32 node;
	__u32 mapping_shift;
};

/**
 * struct report_place - where a page of a live session is
 * @space: number of its address space
 * @addr: its first byte
 * @node: as in struct htmm_page
 * @mapping_shift: likewise
 */
struct report_place {
	__u32 space;
	__u64 addr;
	__s32 node;
	__u32 mapping_shift;
};

/**
 * struct report_touched - the count of a page that has one
 * @count: its count, cooled
 * @space: number of its address space
 * @mapping: number of its mapping; -1: unknown
 * @addr: its first byte
 */
struct report_touched {
	__u32 count;
	__u32 space;
	__s64 mapping;
	__u64 addr;
};

/**
 * struct report - a report, unfinished or finished
 * @config: how to evaluate the samples
 * @store: hotness
 * @tasks: processes and mappings
 * @functions: by instruction, if &report_config.functions
 * @heat: by address and time; empty if the samples have no time
 * @counts: where samples went
 * @session_samples: for a live session, all samples since its start, while @counts has only
 *	those of pages tracked now; 0: for a file
 * @hist: histograms and thresholds, by unit
 * @ratio: share of the samples that the hottest pages have, by unit; too much, as the same
 *	samples have chosen the pages
 * @tally: the counts of all pages, by unit
 * @weight_unit: the period of a sample that counts 1, if samples are weighted
 * @weight: what all samples of a file count together
 * @known: what is known besides the counts; set before report_finish()
 * @hit: the hit ratio of the best placement, by unit
 * @losses: private: the parts of the losses in @counts
 * @hint_pid: private: process of the previous sample
 * @hint_space: private: its address space; -1: look it up
 * @hint_src: private: data source of the previous sample
 * @hint_source: private: what served that sample
 * @page: the pages with the highest estimated rates, sampled or not; or with the most samples
 * @nr_pages: how many there are
 * @region: most skewed regions
 * @nr_regions: how many there are
 * @touched: each page with a count, if &report_config.curve
 * @nr_touched: how many there are
 * @ranges: private: the ranges of all mappings, if &report_config.ranges
 * @targets: the targets of a live session
 * @target_room: pages that each can have; NULL: not known
 * @place: where its pages are, by space and address; NULL: that is not known
 * @nr_places: how many there are
 */
struct report {
	struct report_config config;
	struct store *store;
	struct tasks tasks;
	struct functions functions;
	struct heat *heat;
	struct report_counts counts;
	__u64 session_samples;
	struct htmm_histogram hist[HTMM_UNITS];
	struct htmm_hit_ratio ratio[HTMM_UNITS];
	struct tally tally[HTMM_UNITS];
	__u64 weight_unit;
	__u64 weight;
	struct curve_config known;
	struct hit hit[HTMM_UNITS];
	struct perfdata_losses losses;
	__u32 hint_pid;
	int hint_space;
	__u64 hint_src;
	enum htmm_source hint_source;
	struct report_page *page;
	__u32 nr_pages;
	struct report_page *region;
	__u32 nr_regions;
	struct report_touched *touched;
	size_t nr_touched;
	struct mapping_range *ranges;
	struct htmm_target_list targets;
	__u64 *target_room;
	struct report_place *place;
	size_t nr_places;
};

/**
 * report_lost() - count the samples of wanted processes that were not counted
 * @counts: where samples went
 *
 * Return: all samples but those counted and those filtered.
 */
static inline __u64 report_lost(const struct report_counts *counts)
{
	return counts->no_addr + counts->kernel_addr + counts->no_memory + counts->lost;
}

/**
 * report_init() - begin a report
 * @report: the report
 * @config: what to make of the samples
 * @err: says why it cannot begin
 *
 * Return: 0 or a negative errno.
 */
int report_init(struct report *report, const struct report_config *config,
		struct htmm_error *err);

/**
 * report_feed() - add records
 * @report: the report
 * @sample: the records, in order of time
 * @nr: how many there are
 */
void report_feed(struct report *report, const struct perfdata_sample *sample, size_t nr);

/**
 * report_count() - count samples of a page
 * @report: the report
 * @space: number of its address space
 * @addr: address of the page
 * @samples: how many samples
 * @weight: what they add to the page's count
 */
void report_count(struct report *report, __u32 space, __u64 addr, __u64 samples, __u32 weight);

/**
 * report_finish() - compute what is known only at the end
 * @report: the report
 * @most: pages, and regions, to list; 0: all
 * @err: says if there is no memory
 *
 * Return: 0 or -ENOMEM.
 */
int report_finish(struct report *report, __u32 most, struct htmm_error *err);

/**
 * report_slice_ns() - tell when a slice of the heat map begins
 * @report: the report
 * @slice: its number
 *
 * Return: nanoseconds after the first sample of the recording, whether or not this one was counted,
 * as --time and marks are told; 0 if there is nothing in the map.
 */
__u64 report_slice_ns(const struct report *report, unsigned int slice);

/**
 * report_free() - free the report
 * @report: the report; may be all zero
 */
void report_free(struct report *report);

#endif /* REPORT_REPORT_H */
