// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampler.h"

#define RING_SIZE	(4UL << 20)
#define PAGE		4096UL

struct perf_event_attr sampler_attr(__u64 config, __u64 period)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_RAW,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = period,
		.sample_type = SAMPLER_TYPE,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.precise_ip = 2,
	};
}

int sampler_open(struct sampler *s, const struct perf_event_attr *attr, int cpu,
		 const struct sampler *leader)
{
	void *ring;

	*s = (struct sampler) { .cpu = cpu };
	s->fd = syscall(SYS_perf_event_open, attr, -1, cpu,
			leader ? leader->fd : -1, PERF_FLAG_FD_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	if (!attr->sample_period)
		return 0;
	ring = mmap(NULL, RING_SIZE + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		    s->fd, 0);
	if (ring == MAP_FAILED) {
		int err = -errno;

		close(s->fd);
		return err;
	}
	s->ring = ring;
	return 0;
}

void sampler_close(struct sampler *s)
{
	if (s->ring)
		munmap(s->ring, RING_SIZE + PAGE);
	close(s->fd);
}

void sampler_enable(const struct sampler *s)
{
	ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
}

void sampler_disable(const struct sampler *s)
{
	ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
}

__u64 sampler_count(const struct sampler *s)
{
	__u64 count;

	return read(s->fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

/* Copies a record's @len bytes from @offset out of the ring, which may wrap. */
static void copy_out(const struct sampler *s, __u64 offset, void *to, size_t len)
{
	const char *data = (const char *)s->ring + PAGE;
	size_t first = RING_SIZE - offset % RING_SIZE;

	if (first > len)
		first = len;
	memcpy(to, data + offset % RING_SIZE, first);
	memcpy((char *)to + first, data, len - first);
}

static void take(struct sampler *s, __u64 offset, __u32 type, sampler_fn fn,
		 void *arg)
{
	struct sample sample;
	__u64 lost[2];		/* id, number */

	offset += sizeof(struct perf_event_header);
	if (type == PERF_RECORD_SAMPLE) {
		s->samples++;
		copy_out(s, offset, &sample, sizeof(sample));
		if (fn)
			fn(&sample, arg);
	} else if (type == PERF_RECORD_LOST) {
		copy_out(s, offset, lost, sizeof(lost));
		s->lost += lost[1];
	} else if (type == PERF_RECORD_THROTTLE) {
		s->throttles++;
	}
}

__u64 sampler_read(struct sampler *s, sampler_fn fn, void *arg)
{
	/* Pairs with the kernel's release when it publishes records. */
	__u64 head = __atomic_load_n(&s->ring->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = s->ring->data_tail;

	while (tail < head) {
		struct perf_event_header header;

		copy_out(s, tail, &header, sizeof(header));
		take(s, tail, header.type, fn, arg);
		tail += header.size;
	}
	/* Pairs with the kernel's acquire before it overwrites them. */
	__atomic_store_n(&s->ring->data_tail, tail, __ATOMIC_RELEASE);
	return s->samples;
}
