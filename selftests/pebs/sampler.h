/* SPDX-License-Identifier: GPL-2.0 */
/* One perf event on one CPU, with its samples. */
#ifndef PEBS_SAMPLER_H
#define PEBS_SAMPLER_H

#include <linux/perf_event.h>
#include <linux/types.h>

/* What SAMPLER_TYPE makes the kernel write after a sample's header. */
struct sample {
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u64 addr;
	__u32 cpu;
	__u32 reserved;
	__u64 period;
	union perf_mem_data_src source;
};

#define SAMPLER_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC)

/**
 * struct sampler - an open event
 * @fd: of perf_event_open()
 * @cpu: the CPU on which it counts
 * @ring: mapped samples, NULL if it only counts
 * @samples: samples read so far
 * @lost: samples lost because the ring was full
 * @throttles: times that the kernel stopped the event for its rate
 */
struct sampler {
	int fd;
	int cpu;
	struct perf_event_mmap_page *ring;
	__u64 samples;
	__u64 lost;
	__u64 throttles;
};

typedef void (*sampler_fn)(const struct sample *sample, void *arg);

/**
 * sampler_attr() - attributes of a disabled event of user code
 * @config: raw event
 * @period: 0 to count only
 */
struct perf_event_attr sampler_attr(__u64 config, __u64 period);

/**
 * sampler_open() - open an event
 * @s: to fill in
 * @attr: attributes
 * @cpu: CPU
 * @leader: leader of its group, or NULL
 *
 * Return: 0 or a negative errno.
 */
int sampler_open(struct sampler *s, const struct perf_event_attr *attr, int cpu,
		 const struct sampler *leader);

/** sampler_close() - close an event */
void sampler_close(struct sampler *s);

/** sampler_enable() - begin to count */
void sampler_enable(const struct sampler *s);

/** sampler_disable() - stop counting */
void sampler_disable(const struct sampler *s);

/** sampler_count() - accesses counted so far */
__u64 sampler_count(const struct sampler *s);

/**
 * sampler_read() - take the samples out of the ring
 * @s: the event
 * @fn: called for each, may be NULL
 * @arg: passed to @fn
 *
 * Return: @s->samples.
 */
__u64 sampler_read(struct sampler *s, sampler_fn fn, void *arg);

#endif /* PEBS_SAMPLER_H */
