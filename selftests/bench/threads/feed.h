/* SPDX-License-Identifier: GPL-2.0 */
/* A ring of records that never runs dry: what the CPUs would fill. */
#ifndef HTMM_SELFTESTS_FEED_H
#define HTMM_SELFTESTS_FEED_H

#include "bench.h"
#include "ring.h"

/* Records in a ring, always the same ones. */
#define FEED_RECORDS	(1024 * 1024)

struct feed {
	struct htmm_ring ring;
};

/* Draws samples of a stream. */
typedef void (*feed_draw)(const struct bench_space *space,
			  struct htmm_table_sample *s, u32 n);

void feed_open(struct feed *feed, const struct bench_space *space, feed_draw draw);
void feed_close(struct feed *feed);

/* Take a batch out of it. Returns how many. */
u32 feed_take(struct feed *feed, struct htmm_table_sample *s);

#endif /* HTMM_SELFTESTS_FEED_H */
