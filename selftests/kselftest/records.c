// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "records.h"

#define READ_BYTES	65536

/* PERF_RECORD_LOST with the sample_id of RECORDS_SAMPLE_TYPE. */
struct lost {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u32 cpu;
	__u32 reserved;
	__u64 identifier;
};

int stream_join(int fd, __u64 buffer_bytes, __u32 watermark)
{
	struct htmm_stream stream = {
		.size = sizeof(stream),
		.buffer_bytes = buffer_bytes,
		.watermark = watermark,
	};

	return device_ioctl(fd, HTMM_IOC_STREAM, &stream);
}

int stream_report(int fd, struct htmm_stream *stream)
{
	memset(stream, 0, sizeof(*stream));
	stream->size = sizeof(*stream);
	return device_ioctl(fd, HTMM_IOC_STREAM, stream);
}

int stream_ids(int fd, __u64 *ids)
{
	struct htmm_stream stream;
	int ret = stream_report(fd, &stream);

	memcpy(ids, stream.ids, sizeof(stream.ids));
	return ret;
}

int stream_poll(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, 0) < 0 ? -errno : pollfd.revents;
}

/* The index of an event from its id. */
static unsigned int event_of(__u64 id)
{
	return (id - 1) % HTMM_MAX_EVENTS;
}

/* Records of an event on a CPU are in order, and no older than the round before the last. */
static void take_time(struct tally *tally, __u32 cpu, __u64 id, __u64 time)
{
	__u64 *newest;

	if (cpu >= RECORDS_CPUS) {
		tally->disorder++;
		return;
	}
	newest = &tally->newest[cpu][event_of(id)];
	tally->disorder += time < *newest || time < tally->time[2];
	*newest = time;
	if (time > tally->time[0])
		tally->time[0] = time;
}

static void take_sample(struct tally *tally, const void *record)
{
	struct sample *last = &tally->last;

	memcpy(last, record + sizeof(struct perf_event_header), sizeof(*last));
	tally->samples[event_of(last->id)]++;
	tally->resumed += tally->gap;
	take_time(tally, last->cpu, last->id, last->time);
	if (tally->nr_addr < RECORDS_ADDRESSES)
		tally->addr[tally->nr_addr++] = last->addr;
}

static void take_lost(struct tally *tally, const void *record)
{
	struct lost lost;

	memcpy(&lost, record, sizeof(lost));
	if (lost.id != lost.identifier || !lost.lost || lost.cpu >= RECORDS_CPUS)
		tally->unknown++;
	/* It is told in the place of the last sample that is missing. */
	take_time(tally, lost.cpu, lost.id, lost.time);
	tally->lost[event_of(lost.id)] += lost.lost;
	tally->losses++;
}

static void take(struct tally *tally, const void *record, const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_SAMPLE &&
	    header->size == sizeof(*header) + sizeof(struct sample)) {
		take_sample(tally, record);
	} else if (header->type == PERF_RECORD_LOST && header->size == sizeof(struct lost)) {
		take_lost(tally, record);
	} else if (header->type == HTMM_RECORD_ROUND && header->size == sizeof(*header)) {
		tally->rounds++;
		tally->time[2] = tally->time[1];
		tally->time[1] = tally->time[0];
	} else {
		tally->unknown++;
	}
	tally->gap = header->type == PERF_RECORD_LOST;
}

int records_read(int fd, size_t room, struct tally *tally)
{
	struct perf_event_header header;
	void *buffer = malloc(room), *at = buffer;
	ssize_t got;

	if (!buffer)
		return -ENOMEM;
	got = read(fd, buffer, room);
	if (got < 0)
		got = -errno;
	while (at < buffer + got) {
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size > buffer + got - at) {
			tally->unknown++;
			break;
		}
		take(tally, at, &header);
		at += header.size;
	}
	free(buffer);
	return got;
}

int records_drain(int fd, struct tally *tally)
{
	int got;

	do {
		got = records_read(fd, READ_BYTES, tally);
	} while (got > 0);
	return got;
}

static __u64 sum(const __u64 *numbers)
{
	__u64 total = 0;
	int i;

	for (i = 0; i < HTMM_MAX_EVENTS; i++)
		total += numbers[i];
	return total;
}

__u64 tally_samples(const struct tally *tally)
{
	return sum(tally->samples);
}

__u64 tally_lost(const struct tally *tally)
{
	return sum(tally->lost);
}
