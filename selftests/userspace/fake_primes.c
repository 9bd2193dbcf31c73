// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fake_primes.h"

/* FAKE_RANDOM=SEED: instead of a number any other, mostly one at the end of a type's range. */
static __u64 any(__u64 number)
{
	static const __u64 ends[] = {
		0, 1, 1000000, UINT32_MAX, INT64_MAX, 1ULL << 63, UINT64_MAX,
	};
	const char *seed = getenv("FAKE_RANDOM");
	static __u64 state;
	unsigned int which;

	if (!seed)
		return number;
	state = (state ?: (__u64)atoi(seed)) * 6364136223846793005ULL +
		1442695040888963407ULL;
	which = (state >> 32) % 10;
	return which < sizeof(ends) / sizeof(*ends) ? ends[which] : state >> (state >> 58);
}

void primes_info(struct htmm_info *info)
{
	/* The same one, as often as it is asked for. */
	static __u64 session;

	session = session ?: any(10151) ?: 1;
	info->owner = any(10007);
	info->nr_targets = 10009;
	info->nr_cpus = 10037;
	info->elapsed_ns = any(10039030117ULL);
	info->sample_type = any(10061);
	info->ring_pages = any(10067);
	info->record_size = any(10069);
	info->max_bytes = any(10091);
	info->capacity_pages = any(10093);
	info->cooling_period = any(10099);
	info->adaptation_period = any(10103);
	info->table_bytes = any(10111);
	info->ring_bytes = any(10133);
	info->drain_pid = any(10139);
	info->session = session;
	info->session_flags = HTMM_START_KEEP_EXITED;
}

static void primes_counters(struct htmm_counters *c, unsigned int channel)
{
	static const __u64 drops[HTMM_NR_DROPS] = {
		10597, 10601, 10607, 10613, 10627, 10631, 10639, 10651, 10657, 10799, 10831, 10837,
	};
	unsigned int i;

	memset(c, 0, sizeof(*c));
	c->overflows = any(10529) << 4 * channel;
	c->counted = any(10531) << 4 * channel;
	c->in_flight = any(10559) << 4 * channel;
	c->throttled = any(10567) << 4 * channel;
	c->nmi = any(10589) << 4 * channel;
	for (i = 0; i < HTMM_NR_DROPS; i++)
		c->drops[i] = any(drops[i]) << 4 * channel;
}

void primes_channel(struct htmm_channel_info *channel, unsigned int number)
{
	channel->precise_ip = any(10663) + number;
	channel->period = any(10667) + number ?: 1;
	channel->count = any(10687) + number;
	channel->time_enabled = any(10691) + number;
	channel->time_running = any(10709) + number;
	channel->flags = HTMM_CHANNEL_ACTIVE;
	primes_counters(&channel->counters, number);
}

static void primes_values(__u64 *stats, const __u64 *values, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		stats[i] = values[i] ? any(values[i]) : 0;
}

void primes_stats(struct htmm_stats *stats)
{
	static const __u64 values[HTMM_STAT_SLOTS] = {
		10159, 10163, 10169, 10177, 10181, 10463,
		[HTMM_TARGET_STATS] = 10193, 10211, 10223030669ULL, 10243030729ULL, 10247, 10259,
		10267030811ULL,
	};

	primes_counters(&stats->total, 4);
	primes_values(stats->stats, values, HTMM_STAT_SLOTS);
	stats->cost_ppm = any(10253);
}

void primes_target(struct htmm_target_info *target)
{
	static const __u64 values[HTMM_TARGET_STATS] = {
		10313, 10321, 10331, 10333, 10337, 10529,
	};
	static const __u64 drops[HTMM_NR_DROPS] = {
		10711, 10723, 10729, 10733, 10739, 10753, 10771, 10781, 10789, 10847, 10853, 10859,
	};
	unsigned int i;

	target->id = any(10267);
	target->capacity_pages = any(10271);
	target->max_bytes = any(10273);
	target->bytes = any(10289);
	target->pages = any(10301);
	target->regions = any(10303);
	primes_values(target->stats, values, HTMM_TARGET_STATS);
	target->spaces = any(10343);
	target->space_bytes = any(10357);
	for (i = 0; i < HTMM_NR_DROPS; i++)
		target->drops[i] = any(drops[i]);
	snprintf(target->name, sizeof(target->name), "a \"b\\c\nd\374e");
}

void primes_hist(struct htmm_histogram *hist)
{
	unsigned int bin;

	hist->pages = any(10369);
	hist->hot_pages = any(10391);
	hist->capacity_pages = any(10399);
	hist->samples = any(10427);
	hist->hot_threshold = 13;
	hist->warm_threshold = 11;
	for (bin = 0; bin < HTMM_NR_BINS; bin++)
		hist->bins[bin] = any(bin * bin + 3);
}

void primes_ratio(struct htmm_hit_ratio *ratio)
{
	ratio->capacity_pages = any(10429);
	ratio->pages = any(10433);
	ratio->fast_pages = any(10453);
	ratio->samples = any(10457);
	ratio->hit_ppm = any(10459) % 1000001;
	ratio->error_ppm = any(4987) % 5001;
}

void primes_page(struct htmm_page *page)
{
	page->samples = any(10477);
	page->pid = any(10487);
	page->space = any(10499);
	page->bin = any(10501);
	page->target = any(10513);
	page->addr = 0x7f1234567000;
	page->flags = HTMM_PAGE_HOT;
}
