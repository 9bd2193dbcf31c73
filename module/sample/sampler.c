// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include <linux/topology.h>
#include "base/alloc.h"
#include "sampler.h"

struct htmm_sampler *htmm_sampler_create(unsigned int cpu, unsigned int index,
					 u64 sample_type)
{
	struct htmm_sampler *sampler;

	sampler = kzalloc_node(sizeof(*sampler), GFP_KERNEL_ACCOUNT, cpu_to_node(cpu));
	if (!sampler)
		return NULL;
	sampler->cpu = cpu;
	sampler->index = index;
	sampler->sample_type = sample_type;
	return sampler;
}

/* A concurrent reader of the ring calls htmm_sampler_has_ring() first. Returns 0 or -ENOMEM. */
int htmm_sampler_make_ring(struct htmm_sampler *sampler, size_t bytes)
{
	void *mem = kvmalloc_node(bytes, HTMM_GFP, cpu_to_node(sampler->cpu));
	int ret;

	if (!mem)
		return -ENOMEM;
	ret = htmm_ring_init(&sampler->ring, mem, bytes,
			     htmm_record_slot_size(sampler->sample_type));
	if (ret)
		goto err_mem;
	/* Pairs with the load-acquire in htmm_sampler_has_ring(). */
	smp_store_release(&sampler->mem, mem);
	return 0;

err_mem:
	kvfree(mem);
	return ret;
}

/* The event is released, and the ring drained. The counters stay. */
void htmm_sampler_free_ring(struct htmm_sampler *sampler)
{
	kvfree(sampler->mem);
	WRITE_ONCE(sampler->mem, NULL);
}

void htmm_sampler_destroy(struct htmm_sampler *sampler)
{
	htmm_sampler_free_ring(sampler);
	kfree(sampler);
}

/*
 * The counters since the last RESET. They are exact if the event is not counting; else a
 * concurrent overflow may be in one counter and not yet in another. Under &struct
 * htmm_tracker_set.lock.
 */
void htmm_sampler_read(const struct htmm_sampler *sampler,
		       struct htmm_counters *counters)
{
	const struct htmm_counters *base = &sampler->base;
	u64 overflows, outside;
	unsigned int i;

	memset(counters, 0, sizeof(*counters));
	counters->counted = sampler->counted - base->counted;
	if (htmm_sampler_has_ring(sampler))
		counters->in_flight = htmm_ring_used(&sampler->ring);
	for (i = 0; i < HTMM_NR_DROPS; i++)
		counters->drops[i] = local64_read(&sampler->dropped[i]) +
				     sampler->discarded[i] - base->drops[i];
	counters->throttled = local64_read(&sampler->throttled) -
			      base->throttled;
	/* The handler counts in the opposite order, so the difference is not below 0. */
	outside = local64_read(&sampler->outside_nmi);
	overflows = local64_read(&sampler->overflows);
	counters->nmi = overflows - outside - base->nmi;
	counters->overflows = overflows - base->overflows;
}

/*
 * Set all counters to zero. Records in the ring are accounted later, so they are counted after
 * the reset. Either all overflows of a sampler are in NMI context or none is. Under &struct
 * htmm_tracker_set.lock.
 */
void htmm_sampler_reset(struct htmm_sampler *sampler)
{
	struct htmm_counters *base = &sampler->base;
	unsigned int i;

	memset(base, 0, sizeof(*base));
	htmm_sampler_read(sampler, base);
	base->overflows = base->counted;
	for (i = 0; i < HTMM_NR_DROPS; i++)
		base->overflows += base->drops[i];
	base->nmi -= min(base->nmi, base->in_flight);
	base->in_flight = 0;
}
