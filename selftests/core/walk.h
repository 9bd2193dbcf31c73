/* SPDX-License-Identifier: GPL-2.0 */
/* A random walk of the table and its model through all operations. */
#ifndef HTMM_SELFTESTS_WALK_H
#define HTMM_SELFTESTS_WALK_H

#include "model.h"

/**
 * struct walk - parameters of a walk
 * @config: limits of the table
 * @limited: samples can reach the limits, or the pool can be empty
 * @starve: the pool is refilled before one of this many batches
 * @batch: number of samples to refill for; 0: WORLD_BATCH
 * @held: most pages the pool may hold; 0: as many as fit
 * @crowded: all regions are in one chain, and share four fronts
 */
struct walk {
	struct htmm_table_config config;
	bool limited;
	u32 starve;
	u32 batch;
	u32 held;
	bool crowded;
};

/*
 * Does at least @ops operations: each sample and each other call is one. Compares totals
 * after each call, all the rest one time in 16, listings more rarely.
 */
void walk(struct world *world, const struct walk *how, u64 ops);

#endif /* HTMM_SELFTESTS_WALK_H */
