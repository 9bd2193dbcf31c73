/* SPDX-License-Identifier: GPL-2.0 */
/* A random walk of the table and its model through everything that can be done. */
#ifndef HTMM_SELFTESTS_WALK_H
#define HTMM_SELFTESTS_WALK_H

#include "model.h"

/**
 * struct walk - where a walk may go
 * @config: limits of the table
 * @limited: they can be reached, or the pool be empty
 * @starve: the pool is refilled before one batch in so many
 * @batch: and for so many samples; 0: for WORLD_BATCH
 * @held: most pages the pool may hold, 0: as many as fit
 */
struct walk {
	struct htmm_table_config config;
	bool limited;
	u32 starve;
	u32 batch;
	u32 held;
};

/*
 * Do at least @ops operations, each sample and each other call being one. Totals
 * are compared after each call, all the rest one time in 16, listings more rarely.
 */
void walk(struct world *world, const struct walk *how, u64 ops);

#endif /* HTMM_SELFTESTS_WALK_H */
