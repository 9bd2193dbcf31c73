// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <unistd.h>
#include "htmmctl/command.h"
#include "htmmctl/view.h"
#include "live.h"
#include "load.h"
#include "perfdata/decode_thread.h"
#include "progress.h"

/* The default capacity of the fast tier: the memory of nodes with CPUs. */
static __u64 recorded_capacity(struct report_view *view)
{
	const struct perfdata_notes *notes = view->notes;

	if (notes->fast_mem && notes->fast_mem != notes->total_mem) {
		view->capacity_from = CAPACITY_CPU_NODES;
		return notes->fast_mem >> 12;
	}
	if (notes->total_mem) {
		view->capacity_from = CAPACITY_ALL_MEMORY;
		return notes->total_mem >> 12;
	}
	view->capacity_from = CAPACITY_THIS_MACHINE;
	notice("the file does not say how much memory its machine has; "
	       "using this machine's, see --capacity");
	return (__u64)sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) >> 12);
}

static int read_records(struct report *report, struct perfdata_reader *reader,
			struct htmm_error *err)
{
	struct decode_thread *ahead = decode_thread_new(reader, err);
	const struct perfdata_batch *batch;
	struct progress progress;
	int ret;

	if (!ahead)
		return -err->code;
	progress_begin(&progress);
	while ((ret = decode_thread_next(ahead, &batch, err)) > 0) {
		report_feed(report, batch->sample, batch->nr);
		progress_update(&progress, batch->status.offset, batch->status.size,
				report->counts.samples, "samples");
	}
	progress_end(&progress);
	decode_thread_free(ahead);
	return ret;
}

static void say_status(const struct perfdata_status *status, const struct report *report)
{
	if (status->damaged)
		notice("the file is damaged at byte %llu; the report ends there",
		       status->offset);
	else if (status->truncated)
		notice("the file is incomplete; the report has what is in it");
	if (status->malformed)
		notice("%llu malformed records were left out", status->malformed);
	if (status->unknown)
		notice("%llu samples of unknown events were left out", status->unknown);
	if (status->late)
		notice("%llu records came too late to be put in order of time", status->late);
	if (report->tasks.left_out)
		notice("%llu records of processes and mappings were left out: there are too many",
		       report->tasks.left_out);
	if (report->config.span.left_out)
		notice("%llu marks were not kept: there are too many; --mark still finds them",
		       report->config.span.left_out);
}

/* Nothing was counted: the reason that most samples have. */
static int no_samples(const struct report_counts *counts, const char *path, struct htmm_error *err)
{
	const struct {
		__u64 nr;
		const char *what;
		const char *hint;
	} reasons[] = {
		{ counts->no_addr, "have no data address",
		  "record with 'htmmctl record' or 'perf record -d'" },
		{ counts->no_data, "are of instructions without data",
		  "record an event of loads or stores: 'htmmctl list'" },
		{ counts->filtered, "are of other processes", "give another process with -p" },
		{ counts->guest, "were taken in virtual machines", "record inside of these" },
		{ counts->no_process, "are of processes that the recording does not know",
		  "record outside of the container" },
		{ counts->kernel_addr, "are of kernel memory", NULL },
		{ counts->near, "came from nearer than --min-level, or do not tell from where",
		  "give a nearer level, or leave it out" },
		{ counts->outside, "are outside of --mark or --time", "give another part" },
		{ counts->no_memory, "did not fit the table", "give more with --max-bytes" },
	};
	size_t i, most = 0;
	__u64 all = 0;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		all += reasons[i].nr;
		most = reasons[i].nr > reasons[most].nr ? i : most;
	}
	if (!all)
		return htmm_error_set(err, ENODATA, "record for longer, or more often with -c",
				      "there is no sample in '%s'", path);
	return htmm_error_set(err, ENODATA, reasons[most].hint,
			      "no sample of '%s' was counted: %llu of %llu %s", path,
			      reasons[most].nr, all, reasons[most].what);
}

/* Are no accesses without a sample? The counter of a processor misses some even then. */
static bool is_census(const struct perfdata_events *events, const struct perfdata_status *status,
		      const struct report_counts *counts)
{
	__u32 i;

	for (i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->event[i].attr;

		if (report_takes_none(attr))
			continue;
		if (attr->type != PERF_TYPE_SOFTWARE || attr->freq || attr->sample_period != 1)
			return false;
	}
	return !report_lost(counts) && !counts->throttled && !status->malformed &&
	       !status->unknown && !status->truncated && !status->damaged;
}

/*
 * Like counts_compare() for a session: a recording's events may have different periods.
 * Returns the largest.
 */
static __u64 weigh(const struct report_config *config, const struct perfdata_events *events)
{
	__u64 min = ~0ULL, max = 0;
	__u32 i;

	for (i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->event[i].attr;

		if (attr->freq || report_takes_none(attr))
			continue;
		min = attr->sample_period < min ? attr->sample_period : min;
		max = attr->sample_period > max ? attr->sample_period : max;
	}
	if (min < max && !config->weight_period)
		notice(COUNTS_DIFFER, min, max);
	return max;
}

/*
 * What a sample counts at most: that of the largest period. Of events with a frequency or a budget,
 * it is not known, but the mean.
 */
static __u32 largest_weight(const struct report *report, __u64 largest)
{
	const __u64 samples = report->counts.samples ?: 1;
	const __u64 most = max(largest / report->weight_unit, report->weight / samples);

	return clamp_t(__u64, most, 1, U32_MAX);
}

/* What is known besides the counts. A pipe describes its machine and events in the records. */
static void know(struct loaded *loaded)
{
	struct report_view *view = &loaded->view;
	struct report *report = &loaded->report;
	const __u64 largest = weigh(&report->config, view->events);

	if (!report->config.store.capacity)
		report->store->config.capacity = recorded_capacity(view);
	if (report->config.weight_period)
		report->known.unit = largest_weight(report, largest);
	report->known.census = is_census(view->events, &view->status, &report->counts);
}

static bool has_instructions(const struct perfdata_events *events)
{
	__u32 i;

	for (i = 0; i < events->nr; i++)
		if (events->event[i].attr.sample_type & PERF_SAMPLE_IP)
			return true;
	return false;
}

static int name_functions(struct report *report, const struct report_view *view,
			  struct htmm_error *err)
{
	if (!has_instructions(view->events) && report->config.if_known)
		return 0;
	if (!has_instructions(view->events))
		return htmm_error_set(err, ENODATA,
				      "record with 'htmmctl record' or 'perf record -d'",
				      "the samples of '%s' do not say which instruction made the access",
				      view->path);
	if (functions_name(&report->functions, &report->tasks, view->notes))
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	return 0;
}

/* The report points to what it is of, so that it is made in its place. */
static int read_file(struct loaded *loaded, const struct report_config *config, __u32 max,
		     struct htmm_error *err)
{
	struct report_view *view = &loaded->view;
	struct report *report = &loaded->report;
	int ret;

	view->notes = perfdata_reader_notes(loaded->reader);
	view->events = perfdata_reader_events(loaded->reader);
	ret = report_init(report, config, err);
	if (ret)
		return ret;
	/* The events of a pipe are among its first records: read these before the others. */
	if (config->weight_period && perfdata_reader_fill(loaded->reader, 1, err) < 0)
		return -err->code;
	report->weight_unit = perfdata_events_period(view->events);
	heat_expect(report->heat, view->notes->length);
	ret = read_records(report, loaded->reader, err);
	if (!ret)
		ret = span_check(&report->config.span, view->path, err);
	if (ret)
		return ret;
	perfdata_reader_status(loaded->reader, &view->status);
	know(loaded);
	ret = report_finish(report, max, err);
	if (ret)
		return ret;
	say_status(&view->status, report);
	if (config->functions && report->counts.samples)
		ret = name_functions(report, view, err);
	return ret;
}

int load_file(struct loaded *loaded, const char *path, const struct report_config *config,
	      __u32 max, struct htmm_error *err)
{
	int ret;

	*loaded = (struct loaded) {
		.view = { .report = &loaded->report, .path = path, .max = max },
	};
	ret = perfdata_reader_open(&loaded->reader, path, err);
	if (ret)
		return ret;
	ret = read_file(loaded, config, max, err);
	if (ret)
		load_free(loaded);
	return ret;
}

int load_session(struct loaded *loaded, const struct report_config *config, __u32 max,
		 struct htmm_error *err)
{
	struct report_config live = *config;
	int fd = htmm_device_open(NULL, err), ret;

	*loaded = (struct loaded) {
		.view = {
			.report = &loaded->report, .max = max,
			.capacity_from = config->store.capacity ? CAPACITY_OPTION :
								  CAPACITY_SESSION,
		},
	};
	if (fd < 0)
		return fd;
	ret = report_live_config(fd, &live, err);
	if (!ret)
		ret = report_init(&loaded->report, &live, err);
	if (!ret)
		ret = report_live_feed(fd, &loaded->report, err);
	loaded->view.session = ret ? NULL : session_json_read(fd, err);
	if (!ret && !loaded->view.session)
		ret = -err->code;
	if (!ret)
		ret = report_finish(&loaded->report, max, err);
	close(fd);
	if (ret)
		load_free(loaded);
	return ret;
}

int load_check(const struct loaded *loaded, struct htmm_error *err)
{
	const struct report_view *view = &loaded->view;

	if (view->status.damaged)
		return htmm_error_set(err, EBADMSG, NULL, "'%s' is damaged", view->path);
	if (loaded->report.counts.samples)
		return 0;
	if (!view->path)
		return htmm_error_set(err, ENODATA, "let it run for longer",
				      loaded->report.config.pids.nr ?
				      "no page of these processes has samples in the session" :
				      "no page has samples in the session");
	return no_samples(&loaded->report.counts, view->path, err);
}

void load_free(struct loaded *loaded)
{
	json_object_put(loaded->view.session);
	report_free(&loaded->report);
	perfdata_reader_close(loaded->reader);
}
