// SPDX-License-Identifier: GPL-2.0
/* Samples of perf.data files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/reader.h"
#include "source.h"

#define USER_END	0x800000000000ULL

/**
 * struct recording - a perf.data file
 * @source: what others see of it
 * @reader: the file
 * @step: take each @step-th sample
 * @seen: samples seen
 * @begin: time of the first sample
 */
struct recording {
	struct source source;
	struct perfdata_reader *reader;
	__u64 step;
	__u64 seen;
	__u64 begin;
};

static int next(struct source *source, struct sim_sample *to, struct htmm_error *err)
{
	struct recording *recording = (struct recording *)source;
	struct perfdata_sample sample;
	int ret;

	for (;;) {
		ret = perfdata_reader_read(recording->reader, &sample, 1, err);
		if (ret <= 0)
			return ret;
		if (perfdata_other(&sample)) {
			free(perfdata_other(&sample));
			continue;
		}
		if (!sample.addr || sample.addr >= USER_END || !sample.pid ||
		    sample.pid >= PERFDATA_GUEST)
			continue;
		if (!recording->seen)
			recording->begin = sample.time;
		if (recording->seen++ % recording->step == 0)
			break;
	}
	*to = (struct sim_sample) {
		.space = sample.pid, .addr = sample.addr,
		.ns = sample.time > recording->begin ? sample.time - recording->begin : 0,
		.accesses = sample.period * recording->step,
		.period = sample.period * recording->step,
		.recorded = recording->step,
	};
	return 1;
}

static void close_recording(struct source *source)
{
	struct recording *recording = (struct recording *)source;

	perfdata_reader_close(recording->reader);
	free(source->touched);
	free(recording);
}

static struct source *open_recording(const char *path, __u64 step, struct htmm_error *err)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording) {
		htmm_error_set(err, ENOMEM, NULL, "out of memory");
		return NULL;
	}
	recording->source = (struct source) {
		.next = next, .close = close_recording, .timed = true, .page_shift = 12,
	};
	recording->step = step;
	if (!perfdata_reader_open(&recording->reader, path, err))
		return &recording->source;
	free(recording);
	return NULL;
}

struct source *source_recording(const char *path, __u64 step, bool touched, const char *first,
				struct htmm_error *err)
{
	struct source *source = open_recording(path, step, err), *again;
	int ret = -1;

	if (!source || !touched)
		return source;
	again = open_recording(path, 1, err);
	if (again) {
		ret = source_touch(source, again, first, err);
		again->close(again);
	}
	if (!ret)
		return source;
	source->close(source);
	return NULL;
}
