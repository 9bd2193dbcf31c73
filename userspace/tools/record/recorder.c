// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "htmmctl/clock.h"
#include "lib/array.h"
#include "perf_clock.h"
#include "recorder.h"

#define BUFFER_BYTES	0x100000
/* Milliseconds between two looks for what no record tells. */
#define LOOK_MS		500

static void describe_event(struct perfdata_event *to, const struct htmm_event *event,
			   const struct htmm_stream *stream, __u64 id)
{
	*to = (struct perfdata_event) {
		.id = id,
		.name = event->name,
		.attr = {
			.type = event->type,
			.size = sizeof(to->attr),
			.config = event->config,
			.config1 = event->config1,
			.config2 = event->config2,
			.sample_period = event->period,
			.sample_type = stream->sample_type,
			.precise_ip = event->precise_ip,
			.disabled = 1,
			.exclude_kernel = 1,
			.exclude_hv = 1,
			.sample_id_all = 1,
			.mmap = 1,
			.mmap_data = 1,
			.mmap2 = 1,
			.comm = 1,
			.comm_exec = 1,
			.task = 1,
		},
	};
}

static __u64 throttle_key(const struct htmm_channel_info *channel)
{
	return (__u64)channel->cpu << 32 | channel->event;
}

/* Samples of an event that never became records. */
static __u64 lost_of_event(const struct htmm_stats_buf *stats, unsigned int event)
{
	__u64 lost = 0;
	unsigned int i;

	for (i = 0; i < stats->stats.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats->channels[i];

		if (channel->event == event)
			lost += channel->counters.drops[HTMM_DROP_RING_FULL] +
				channel->counters.drops[HTMM_DROP_NESTED];
	}
	return lost;
}

void recorder_join(struct recorder *recorder, const struct htmm_stats_buf *stats)
{
	unsigned int i;

	for (i = 0; i < HTMM_MAX_EVENTS; i++)
		recorder->lost_before[i] = lost_of_event(stats, i);
	for (i = 0; i < stats->stats.nr_channels; i++) {
		const struct htmm_channel_info *channel = &stats->channels[i];

		idmap_set(&recorder->throttled, throttle_key(channel),
			  channel->counters.throttled & RECORDER_THROTTLED_COUNT);
	}
}

int recorder_open(struct recorder *recorder, int fd, const struct htmm_event_list *list,
		  const char *path, int pipe, struct htmm_error *err)
{
	struct perfdata_writer *writer = &recorder->writer;
	struct htmm_info info;
	unsigned int i;
	int ret;

	ret = stream_info(fd, &recorder->stream, err);
	if (!ret)
		ret = htmm_device_info(fd, &info, err);
	if (ret)
		return ret;
	recorder->marks.session = info.session;
	for (i = 0; i < list->nr; i++)
		describe_event(&recorder->events[i], &list->event[i], &recorder->stream,
			       recorder->stream.ids[i]);
	recorder->list = list;
	writer->events = recorder->events;
	writer->nr_events = list->nr;

	recorder->buffer = malloc(BUFFER_BYTES);
	recorder->synth = perfdata_synth_new(writer, NULL);
	if (!recorder->buffer || !recorder->synth)
		ret = htmm_error_set(err, ENOMEM, NULL, "out of memory");
	else if (pipe >= 0)
		ret = perfdata_writer_open_pipe(writer, pipe, err);
	else
		ret = perfdata_writer_open(writer, path, err);
	if (!ret)
		return 0;
	perfdata_synth_free(recorder->synth);
	free(recorder->buffer);
	return ret;
}

static void note_time(struct perfdata_writer *writer, __u64 time)
{
	if (!writer->last_time || time < writer->first_time)
		writer->first_time = time;
	if (time > writer->last_time)
		writer->last_time = time;
}

/* Counts @samples and losses; returns the time of the earliest sample. */
static __u64 survey(struct recorder *recorder, size_t bytes, __u64 *samples)
{
	const struct perf_event_header *record;
	struct stream_sample sample;
	struct perfdata_lost lost;
	__u64 earliest = ~0ULL;
	size_t at = 0;

	while ((record = stream_next(recorder->buffer, bytes, &at))) {
		if (record->type == PERF_RECORD_LOST) {
			memcpy(&lost, record, sizeof(lost));
			recorder->lost += lost.lost;
		}
		if (stream_sample(record, recorder->stream.sample_type, &sample))
			continue;
		++*samples;
		note_time(&recorder->writer, sample.time);
		if (sample.time < earliest)
			earliest = sample.time;
	}
	return earliest;
}

/*
 * Records whatever is new in the samples: before them in the file, and with a time at which
 * none of them was taken.
 */
static void say_news(struct recorder *recorder, size_t bytes, __u64 time)
{
	const struct perf_event_header *record;
	struct stream_sample sample;
	const __u64 now = now_ms();
	size_t at = 0;

	while ((record = stream_next(recorder->buffer, bytes, &at))) {
		if (stream_sample(record, recorder->stream.sample_type, &sample))
			continue;
		perfdata_synth_sample(recorder->synth, &(struct perfdata_access) {
			.pid = sample.pid,
			.tid = sample.tid,
			.ip = sample.ip,
			.addr = sample.addr,
			.time = time,
		}, now);
	}
}

static void put_throttle(struct recorder *recorder, const struct htmm_channel_info *channel,
			 __u32 type)
{
	const __u64 time = recorder->writer.last_time, id = recorder->events[channel->event].id;
	struct {
		struct perfdata_throttle throttle;
		__u64 id[PERFDATA_SAMPLE_ID_MAX];
	} record = {
		.throttle = { .header.type = type, .time = time, .id = id, .stream_id = id },
	};

	record.throttle.header.size = sizeof(record.throttle) +
		perfdata_writer_sample_id(&recorder->writer, record.id, 0, 0, time, channel->cpu,
					  id);
	perfdata_writer_put(&recorder->writer, &record, record.throttle.header.size);
}

/* An event is throttled on a CPU while its counter of that grows. */
static void look_at_channel(struct recorder *recorder, const struct htmm_channel_info *channel)
{
	const __u64 key = throttle_key(channel);
	const __u32 now = channel->counters.throttled & RECORDER_THROTTLED_COUNT;
	const __s64 known = idmap_get(&recorder->throttled, key);
	const __u32 before = known < 0 ? 0 : known & RECORDER_THROTTLED_COUNT;
	const bool was = known >= 0 && known & RECORDER_THROTTLED_NOW, is = now != before;

	if (was != is && channel->event < recorder->list->nr)
		put_throttle(recorder, channel,
			     is ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE);
	idmap_set(&recorder->throttled, key, now | (is ? RECORDER_THROTTLED_NOW : 0));
}

void recorder_look_at_stats(struct recorder *recorder, const struct htmm_stats_buf *stats)
{
	__u32 i;

	for (i = 0; i < stats->stats.nr_channels; i++)
		look_at_channel(recorder, &stats->channels[i]);
}

/* Finds what no record says: throttled events, and if all was read, processes that exited. */
static void look_around(struct recorder *recorder, int fd, bool all)
{
	struct htmm_stats_buf stats;
	const __u64 now = now_ms();

	if (now - recorder->looked < LOOK_MS)
		return;
	recorder->looked = now;
	if (all)
		perfdata_synth_reap(recorder->synth, recorder->writer.last_time);
	if (htmm_device_stats(fd, &stats, NULL))
		return;
	recorder_look_at_stats(recorder, &stats);
	htmm_stats_free(&stats);
}

/*
 * Called behind each read of samples. A mark that comes late, as who gave it had to wait, is moved
 * behind the samples that were written: readers put no record among these any more.
 */
static void take_marks(struct recorder *recorder)
{
	const __u64 written = recorder->writer.last_time;
	struct mark *found, *more;
	__s64 ahead;
	size_t i, nr = marks_take(&recorder->marks, &found);
	/* Without times of samples, no mark has a place among them. */
	const bool known = nr && recorder->stream.sample_type & PERF_SAMPLE_TIME &&
			   !perf_clock_ahead(&ahead);

	for (i = 0; i < nr; i++) {
		more = known ? array_grow(recorder->mark, recorder->nr_marks,
					  &recorder->room_marks, sizeof(*more)) : NULL;
		if (!more) {
			recorder->marks_missed++;
			continue;
		}
		found[i].time += ahead;
		if (found[i].time < written)
			found[i].time = written;
		recorder->mark = more;
		more[recorder->nr_marks++] = found[i];
	}
	free(found);
}

static void put_mark(struct recorder *recorder, const struct mark *mark)
{
	struct {
		struct perfdata_cgroup cgroup;
		char text[PERFDATA_MARK_MAX + PERFDATA_SAMPLE_ID_MAX * sizeof(__u64)];
	} record = {
		.cgroup = { .header.type = PERF_RECORD_CGROUP, .id = mark->time },
	};
	__u64 id[PERFDATA_SAMPLE_ID_MAX];
	size_t len = snprintf(record.text, PERFDATA_MARK_MAX, PERFDATA_MARK "%s", mark->text);
	size_t id_bytes = perfdata_writer_sample_id(&recorder->writer, id, 0, 0, mark->time, 0,
						    PERFDATA_NO_ID);

	len = (len + 8) & ~7UL;
	memcpy(record.text + len, id, id_bytes);
	record.cgroup.header.size = sizeof(record.cgroup) + len + id_bytes;
	perfdata_writer_put(&recorder->writer, &record, record.cgroup.header.size);
}

static void put_marks_until(struct recorder *recorder, __u64 time)
{
	while (recorder->marks_put < recorder->nr_marks &&
	       recorder->mark[recorder->marks_put].time <= time)
		put_mark(recorder, &recorder->mark[recorder->marks_put++]);
}

/* Each mark comes before the first sample that is newer, so that it keeps to the rounds. */
static void put_records(struct recorder *recorder, size_t bytes)
{
	const struct perf_event_header *record;
	struct stream_sample sample;
	size_t at = 0, begin = 0, here = 0;

	while (recorder->marks_put < recorder->nr_marks &&
	       (record = stream_next(recorder->buffer, bytes, &at))) {
		if (!stream_sample(record, recorder->stream.sample_type, &sample) &&
		    sample.time >= recorder->mark[recorder->marks_put].time) {
			perfdata_writer_put(&recorder->writer, recorder->buffer + begin,
					    here - begin);
			begin = here;
			put_marks_until(recorder, sample.time);
		}
		here = at;
	}
	perfdata_writer_put(&recorder->writer, recorder->buffer + begin, bytes - begin);
}

int recorder_take(struct recorder *recorder, int fd, struct htmm_error *err)
{
	int got = stream_read(fd, recorder->buffer, BUFFER_BYTES, err);
	__u64 samples = 0;
	int ret;

	take_marks(recorder);
	if (got > 0) {
		say_news(recorder, got, survey(recorder, got, &samples));
		put_records(recorder, got);
	}
	if (got)
		look_around(recorder, fd, got < BUFFER_BYTES / 2);
	ret = perfdata_writer_flush(&recorder->writer, err);
	if (ret)
		return ret;
	recorder->samples += samples;
	return got;
}

void recorder_look(struct recorder *recorder, __u32 pid)
{
	perfdata_synth_process(recorder->synth, pid, recorder->writer.last_time);
}

/* Samples that never became records: where they are missing is unknown. */
static void say_lost_samples(struct recorder *recorder, unsigned int event, __u64 lost)
{
	struct {
		struct perfdata_lost_samples lost;
		__u64 id[PERFDATA_SAMPLE_ID_MAX];
	} record = {
		.lost.header.type = PERF_RECORD_LOST_SAMPLES,
		.lost.lost = lost,
	};

	if (!lost)
		return;
	record.lost.header.size = sizeof(record.lost) +
		perfdata_writer_sample_id(&recorder->writer, record.id, 0, 0,
					  recorder->writer.last_time, 0,
					  recorder->events[event].id);
	perfdata_writer_put(&recorder->writer, &record, record.lost.header.size);
}

int recorder_close(struct recorder *recorder, const struct htmm_stats_buf *stats,
		   struct htmm_error *err)
{
	unsigned int i;

	take_marks(recorder);
	put_marks_until(recorder, ~0ULL);
	for (i = 0; stats && i < recorder->list->nr; i++) {
		const __u64 lost = lost_of_event(stats, i), before = recorder->lost_before[i];

		/* After a reset, the module counts from 0. */
		say_lost_samples(recorder, i, lost < before ? lost : lost - before);
	}
	/* No sample follows: mark exited processes as exited, and events as no longer throttled. */
	for (i = 0; stats && i < 2; i++) {
		recorder_look_at_stats(recorder, stats);
		perfdata_synth_reap(recorder->synth, recorder->writer.last_time);
	}
	idmap_free(&recorder->throttled);
	free(recorder->mark);
	perfdata_synth_free(recorder->synth);
	free(recorder->buffer);
	return perfdata_writer_close(&recorder->writer, err);
}
