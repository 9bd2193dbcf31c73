// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include <linux/topology.h>
#include "base/alloc.h"
#include "channel.h"

/* A concurrent reader of the ring calls htmm_channel_has_ring() first. Returns 0 or -ENOMEM. */
int htmm_channel_make_ring(struct htmm_channel *channel, size_t bytes)
{
	void *mem = kvmalloc_node(bytes, HTMM_GFP, cpu_to_node(channel->cpu));
	int ret;

	if (!mem)
		return -ENOMEM;
	ret = htmm_ring_init(&channel->ring, mem, bytes,
			     htmm_record_slot_size(channel->sample_type));
	if (ret) {
		kvfree(mem);
		return ret;
	}
	/* Pairs with the load-acquire in htmm_channel_has_ring(). */
	smp_store_release(&channel->mem, mem);
	return 0;
}

/* The event is released, and the ring drained. The counters stay. */
void htmm_channel_free_ring(struct htmm_channel *channel)
{
	kvfree(channel->mem);
	WRITE_ONCE(channel->mem, NULL);
}

/*
 * The counters since the last RESET. They are exact if the event is not counting; else a concurrent
 * overflow may be in one counter and not yet in another. Under &struct htmm_target_set.lock.
 */
void htmm_channel_read(const struct htmm_channel *channel, struct htmm_counters *counters)
{
	const struct htmm_counters *base = &channel->base;
	unsigned int i;

	memset(counters, 0, sizeof(*counters));
	counters->counted = channel->counted - base->counted;
	if (htmm_channel_has_ring(channel))
		counters->in_flight = htmm_ring_used(&channel->ring);
	for (i = 0; i < HTMM_NR_DROPS; i++)
		counters->drops[i] = local64_read(&channel->dropped[i]) +
				     channel->discarded[i] - base->drops[i];
	counters->throttled = local64_read(&channel->throttled) - base->throttled;
	counters->overflows = local64_read(&channel->overflows) - base->overflows;
	counters->nmi = READ_ONCE(channel->outside_nmi) ? 0 : counters->overflows;
}

/*
 * Set all counters to zero. Records in the ring are accounted later, so they are counted after
 * the reset. Under &struct htmm_target_set.lock.
 */
void htmm_channel_reset(struct htmm_channel *channel)
{
	struct htmm_counters *base = &channel->base;
	unsigned int i;

	memset(base, 0, sizeof(*base));
	htmm_channel_read(channel, base);
	base->overflows = base->counted;
	for (i = 0; i < HTMM_NR_DROPS; i++)
		base->overflows += base->drops[i];
	base->in_flight = 0;
}
