/* SPDX-License-Identifier: GPL-2.0 */
/* One simulation: samples, the module's table, the policy, and what becomes of it. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdio.h>
#include "policy/policy.h"
#include "source.h"

/**
 * struct sim_config - the machine, and how it is tiered
 * @policy: of the policy; its gap is the latencies' difference
 * @capacity: pages of the fast tier
 * @fast_ns: a load from the fast tier
 * @slow_ns: a load from the slow tier
 * @cpu_ns: what the program does besides, for each access
 * @sample_ns: what a sample costs
 * @recorded_ns: with @all_fast: what one has cost in the recording
 * @page_ns: what a page costs at a look that is listed, and decided about
 * @walk_ns: what a resident page costs at a look
 * @interval: most seconds between two looks; 0: no limit
 * @cooling_period: samples between two coolings; 0: it follows the number of pages
 * @list_pages: most pages in each list
 * @still: move nothing
 * @all_fast: a recording was made with all memory fast: what is slow takes more time, and so
 *	do looks and moves
 */
struct sim_config {
	struct policy_config policy;
	__u64 capacity;
	double fast_ns;
	double slow_ns;
	double cpu_ns;
	double sample_ns;
	double recorded_ns;
	double page_ns;
	double walk_ns;
	double interval;
	__u64 cooling_period;
	__u64 list_pages;
	bool still;
	bool all_fast;
};

/**
 * struct sim_result - what became of it
 * @seconds: how long it took, all costs included
 * @settled_seconds: the last fifth of the accesses, scaled to all of them
 * @samples: how many
 * @share: share of the accesses that the fast tier served
 * @settled: the same of the last fifth of the samples
 * @best: the share that one who knows the future could reach; below 0: not known
 * @recovery: samples from the last drop of the share to 90 % of the final one; 0: none
 * @promoted: pages of 4 KiB
 * @demoted: pages of 4 KiB
 * @pingpongs: pages that were moved back soon
 * @cost: seconds that sampling, looking and moving took
 * @looks: at how many times pages were listed
 * @listed: how many pages, at all looks together
 * @policy_ns: CPU time that the policy took for these looks, on the machine that simulates
 */
struct sim_result {
	double seconds;
	double settled_seconds;
	__u64 samples;
	double share;
	double settled;
	double best;
	__u64 recovery;
	__u64 promoted;
	__u64 demoted;
	__u64 pingpongs;
	double cost;
	__u64 looks;
	__u64 listed;
	__u64 policy_ns;
};

/**
 * sim_run() - simulate
 * @config: the machine
 * @source: the program; read to its end
 * @trace: a line is printed for each look; NULL: no
 * @result: filled
 * @err: says why it failed
 *
 * Return: 0 or a negative errno.
 */
int sim_run(const struct sim_config *config, struct source *source, FILE *trace,
	    struct sim_result *result, struct htmm_error *err);

#endif /* SIM_SIM_H */
