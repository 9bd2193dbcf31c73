// SPDX-License-Identifier: GPL-2.0
/* Samples of perf.data files. */
#include <errno.h>
#include <stdlib.h>
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
		if (!sample.addr || sample.addr >= USER_END)
			continue;
		if (!recording->seen)
			recording->begin = sample.time;
		if (recording->seen++ % recording->step == 0)
			break;
	}
	*to = (struct sim_sample) {
		.space = sample.pid, .addr = sample.addr,
		.ns = sample.time > recording->begin ? sample.time - recording->begin : 0,
		.period = sample.period * recording->step,
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

static int by_address(const void *a, const void *b)
{
	const struct sim_page *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Adds the pages of all samples of @from to @to, in order of their addresses. */
static int find_touched(struct source *to, struct source *from, struct htmm_error *err)
{
	struct sim_sample sample;
	size_t room = 0, nr = 0;
	int ret;

	while ((ret = from->next(from, &sample, err)) > 0) {
		if (nr == room) {
			struct sim_page *more;

			room = room ? 2 * room : 4096;
			more = realloc(to->touched, room * sizeof(*more));
			if (!more)
				return htmm_error_set(err, ENOMEM, NULL, "out of memory");
			to->touched = more;
		}
		to->touched[nr++] = (struct sim_page) { sample.space, sample.addr };
	}
	if (nr)
		qsort(to->touched, nr, sizeof(*to->touched), by_address);
	to->nr_touched = nr;
	return ret;
}

struct source *source_recording(const char *path, __u64 step, bool touched,
				struct htmm_error *err)
{
	struct source *source = open_recording(path, step, err), *again;
	int ret;

	if (!source || !touched)
		return source;
	again = open_recording(path, 1, err);
	ret = again ? find_touched(source, again, err) : -1;
	if (again)
		again->close(again);
	if (!ret)
		return source;
	source->close(source);
	return NULL;
}
