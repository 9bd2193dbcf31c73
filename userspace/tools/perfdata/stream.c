// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "stream.h"

static int stream_error(int error, struct htmm_error *err)
{
	switch (error) {
	case ENOTTY:
		return htmm_error_set(err, error, "load the htmm.ko that came with this program",
				      "the module has no record stream");
	case ESTALE:
		return htmm_error_set(err, error, NULL, "the session has ended");
	case EUSERS:
		return htmm_error_set(err, error, "end one of them",
				      "%d programs read the record stream already",
				      HTMM_MAX_STREAMS);
	case ERANGE:
		return htmm_error_set(err, error, NULL,
				      "the buffer must have %d to %d bytes, and the watermark at most half of that",
				      HTMM_MIN_STREAM_BYTES, HTMM_MAX_STREAM_BYTES);
	case EINVAL:
		return htmm_error_set(err, error, NULL,
				      "the bytes of the buffer are not a power of two");
	case EPERM:
		return htmm_error_set(err, error, "run it as root, or with CAP_PERFMON",
				      "no permission to read the record stream");
	default:
		return htmm_error_set(err, error, NULL, "cannot read the record stream: %s",
				      strerror(error));
	}
}

static int call(int fd, struct htmm_stream *stream, struct htmm_error *err)
{
	stream->size = sizeof(*stream);
	return ioctl(fd, HTMM_IOC_STREAM, stream) ? stream_error(errno, err) : 0;
}

int stream_join(int fd, __u64 session, __u64 buffer_bytes, __u32 watermark,
		struct htmm_error *err)
{
	struct htmm_stream stream = {
		.session = session, .buffer_bytes = buffer_bytes, .watermark = watermark,
	};

	return call(fd, &stream, err);
}

int stream_info(int fd, struct htmm_stream *stream, struct htmm_error *err)
{
	*stream = (struct htmm_stream) {};
	return call(fd, stream, err);
}

int stream_read(int fd, void *buffer, size_t bytes, struct htmm_error *err)
{
	ssize_t got = read(fd, buffer, bytes);

	if (got >= 0)
		return got;
	if (errno == EAGAIN || errno == EINTR)
		return -errno;
	return htmm_error_set(err, errno, NULL, "cannot read the record stream: %s",
			      strerror(errno));
}

const struct perf_event_header *stream_next(const void *buffer, size_t bytes, size_t *at)
{
	const struct perf_event_header *record = (const void *)((const char *)buffer + *at);

	if (bytes - *at < sizeof(*record) || record->size < sizeof(*record) ||
	    record->size > bytes - *at)
		return NULL;
	*at += record->size;
	return record;
}

/* Returns the next member if the sample has it, and moves *@at behind it. */
static __u64 take(const char **at, __u64 sample_type, __u64 bit)
{
	__u64 value = 0;

	if (sample_type & bit) {
		memcpy(&value, *at, sizeof(value));
		*at += sizeof(value);
	}
	return value;
}

/* The same for two 32-bit numbers, in memory order. */
static void take_pair(const char **at, __u64 sample_type, __u64 bit, __u32 pair[2])
{
	__u64 both = take(at, sample_type, bit);

	memcpy(pair, &both, sizeof(both));
}

int stream_sample(const struct perf_event_header *record, __u64 sample_type,
		  struct stream_sample *sample)
{
	const char *at = (const char *)(record + 1);
	__u32 task[2], cpu[2];

	if (record->type != PERF_RECORD_SAMPLE ||
	    record->size != sizeof(*record) + 8 * __builtin_popcountll(sample_type))
		return -EINVAL;
	sample->id = take(&at, sample_type, PERF_SAMPLE_IDENTIFIER);
	sample->ip = take(&at, sample_type, PERF_SAMPLE_IP);
	take_pair(&at, sample_type, PERF_SAMPLE_TID, task);
	sample->time = take(&at, sample_type, PERF_SAMPLE_TIME);
	sample->addr = take(&at, sample_type, PERF_SAMPLE_ADDR);
	take_pair(&at, sample_type, PERF_SAMPLE_CPU, cpu);
	sample->period = take(&at, sample_type, PERF_SAMPLE_PERIOD);
	sample->data_src = take(&at, sample_type, PERF_SAMPLE_DATA_SRC);
	sample->pid = task[0];
	sample->tid = task[1];
	sample->cpu = cpu[0];
	return 0;
}
