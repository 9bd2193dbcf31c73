// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include <linux/topology.h>
#include "base/alloc.h"
#include "sampler.h"

/**
 * htmm_sampler_create - create a sampler without a ring and without a perf event
 * @cpu: its CPU, on whose node its memory is allocated
 * @index: index of the event in the session
 * @sample_type: PERF_SAMPLE_* bits of a record
 *
 * Context: process, may sleep.
 * Return: the sampler, or NULL if there is no memory for it.
 */
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

/**
 * htmm_sampler_make_ring - give a sampler its ring
 * @sampler: a sampler without a ring
 * @bytes: size of the ring
 *
 * A concurrent reader of the ring must call htmm_sampler_has_ring() first.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
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

/**
 * htmm_sampler_free_ring - free the ring's memory, keep the counters
 * @sampler: a sampler whose event is released and whose ring is drained
 */
void htmm_sampler_free_ring(struct htmm_sampler *sampler)
{
	kvfree(sampler->mem);
	WRITE_ONCE(sampler->mem, NULL);
}

/**
 * htmm_sampler_destroy - free a sampler
 * @sampler: a sampler whose event is released
 */
void htmm_sampler_destroy(struct htmm_sampler *sampler)
{
	htmm_sampler_free_ring(sampler);
	kfree(sampler);
}

/**
 * htmm_sampler_read - the counters of a sampler since the last RESET
 * @sampler: the sampler
 * @counters: every member is set
 *
 * The counters are exact if the event is not counting. Otherwise, a concurrent overflow may
 * be in one counter and not yet in another.
 *
 * Context: process, under &struct htmm_tracker_set.lock.
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

/**
 * htmm_sampler_reset - set all counters to zero
 * @sampler: the sampler
 *
 * Records in the ring are accounted later, so they are counted after the reset. Either all
 * overflows of a sampler are in NMI context or none is.
 *
 * Context: process, under &struct htmm_tracker_set.lock.
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
