// SPDX-License-Identifier: GPL-2.0
/* Samples of perf.data files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/reader.h"
#include "source.h"

#define USER_END	0x800000000000ULL
#define PAGE		4096ULL

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

static int by_address(const void *a, const void *b)
{
	const struct sim_page *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* What is between two pages that were sampled is memory, too, if it is not more than this. */
#define GAP		(512 * PAGE)

/* Leaves one of each page of @from, and adds those between. */
static int fill_gaps(struct source *to, const struct sim_page *from, size_t nr,
		     struct htmm_error *err)
{
	size_t room = 0, i;

	for (i = 0; i < nr; i++) {
		struct sim_page page = from[i];

		if (i && page.space == from[i - 1].space && page.addr - from[i - 1].addr <= GAP)
			page.addr = from[i - 1].addr + PAGE;
		for (; page.addr <= from[i].addr; page.addr += PAGE) {
			if (to->nr_touched == room) {
				struct sim_page *more;

				room = room ? 2 * room : 4096;
				more = realloc(to->touched, room * sizeof(*more));
				if (!more)
					return htmm_error_set(err, ENOMEM, NULL, "out of memory");
				to->touched = more;
			}
			to->touched[to->nr_touched++] = page;
		}
	}
	return 0;
}

/* Finds the pages of all samples of @from, in order of their addresses. */
static int find_touched(struct source *to, struct source *from, struct htmm_error *err)
{
	struct sim_page *page = NULL;
	struct sim_sample sample;
	size_t room = 0, nr = 0;
	int ret;

	while ((ret = from->next(from, &sample, err)) > 0) {
		if (nr == room) {
			struct sim_page *more;

			room = room ? 2 * room : 4096;
			more = realloc(page, room * sizeof(*more));
			if (!more) {
				ret = htmm_error_set(err, ENOMEM, NULL, "out of memory");
				break;
			}
			page = more;
		}
		page[nr++] = (struct sim_page) { sample.space, sample.addr & -PAGE };
	}
	if (nr)
		qsort(page, nr, sizeof(*page), by_address);
	if (!ret)
		ret = fill_gaps(to, page, nr, err);
	free(page);
	return ret;
}

/* Puts the pages of a file before all others. */
static int put_first(struct source *to, const char *path, struct htmm_error *err)
{
	__u32 space = to->nr_touched ? to->touched[0].space : 0;
	__u64 addr, pages;
	struct sim_page *page = NULL, *more;
	size_t nr = 0;
	int ret = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		return htmm_error_set(err, errno, NULL, "cannot open '%s'", path);
	while (!ret && fscanf(file, "%llx %llx", &addr, &pages) == 2) {
		more = realloc(page, (nr + pages + to->nr_touched) * sizeof(*page));
		if (!more) {
			ret = htmm_error_set(err, ENOMEM, NULL, "out of memory");
			break;
		}
		page = more;
		for (; pages; pages--, addr += PAGE)
			page[nr++] = (struct sim_page) { space, addr };
	}
	if (!ret && !nr)
		ret = htmm_error_set(err, EINVAL, "give lines of an address and a number of pages",
				     "'%s' has no pages", path);
	fclose(file);
	if (ret) {
		free(page);
		return ret;
	}
	memcpy(page + nr, to->touched, to->nr_touched * sizeof(*page));
	free(to->touched);
	to->touched = page;
	to->nr_touched += nr;
	return 0;
}

struct source *source_recording(const char *path, __u64 step, bool touched, const char *first,
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
	if (!ret && first)
		ret = put_first(source, first, err);
	if (!ret)
		return source;
	source->close(source);
	return NULL;
}
