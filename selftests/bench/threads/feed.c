// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "feed.h"
#include "record.h"

#define SAMPLE_TYPE	HTMM_SAMPLE_TYPE_MIN

static void feed_put(struct feed *feed, u64 vpn)
{
	const struct htmm_sample sample = { .addr = vpn << 12, .pid = 1 };

	htmm_record_write(htmm_ring_reserve(&feed->ring), SAMPLE_TYPE, &sample);
	htmm_ring_commit(&feed->ring);
}

void feed_open(struct feed *feed, const struct bench_space *space, feed_draw draw)
{
	u32 slot_size = htmm_record_slot_size(SAMPLE_TYPE), n = 0, i;
	size_t bytes = (size_t)FEED_RECORDS * slot_size;
	struct htmm_table_sample s[BENCH_BATCH];

	if (htmm_ring_init(&feed->ring, aligned_alloc(64, bytes), bytes, slot_size))
		exit(1);
	while (n < FEED_RECORDS) {
		draw(space, s, BENCH_BATCH);
		for (i = 0; i < BENCH_BATCH && n < FEED_RECORDS; i++, n++)
			feed_put(feed, s[i].page);
	}
}

void feed_close(struct feed *feed)
{
	free(feed->ring.slots);
}

u32 feed_take(struct feed *feed, struct htmm_table_sample *s)
{
	const struct htmm_record_layout layout = htmm_record_layout(SAMPLE_TYPE);
	struct htmm_ring *ring = &feed->ring;
	void *first;
	u32 i, n;

	n = min_t(u32, htmm_ring_peek(ring, &first), BENCH_BATCH);
	for (i = 0; i < n; i++)
		s[i] = (struct htmm_table_sample) {
			.page = ((u64 *)first)[i * layout.words + layout.addr] >> 12,
			.weight = 1,
		};
	htmm_ring_consume(ring, n);
	/* What was read is there again: a producer is not what is measured. */
	ring->head += n;
	return n;
}
