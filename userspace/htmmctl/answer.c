// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "output.h"
#include "view.h"

const char *event_name(const struct htmm_stats_buf *stats, __u32 event)
{
	return event < stats->stats.nr_events ? stats->events[event].name : "?";
}

static struct json_object *periods_json(const struct htmm_stats_buf *stats)
{
	struct json_object *periods = json_object_new_object();
	__u32 event, i;

	for (event = 0; event < stats->stats.nr_events; event++) {
		const char *name = event_name(stats, event);
		__u64 most = 0;

		for (i = 0; i < stats->stats.nr_channels; i++) {
			const struct htmm_channel_info *channel = &stats->channels[i];

			/* On CPUs of two kinds, two events have one name. */
			if (!strcmp(event_name(stats, channel->event), name) &&
			    channel->period > most)
				most = channel->period;
		}
		json_add_under_name(periods, name, json_object_new_uint64(most));
	}
	return periods;
}

struct json_object *session_json(const struct htmm_info *info, const struct htmm_stats_buf *stats)
{
	struct json_object *obj = json_new();

	json_add_u64(obj, "session", info->session);
	json_add(obj, "periods", periods_json(stats));
	json_add_u64(obj, "capacity_pages", info->capacity_pages);
	return obj;
}

struct json_object *session_json_read(int fd, struct htmm_error *err)
{
	struct htmm_stats_buf stats;
	struct json_object *obj;
	struct htmm_info info;

	if (htmm_device_info(fd, &info, err) || htmm_device_stats(fd, &stats, err))
		return NULL;
	obj = session_json(&info, &stats);
	htmm_stats_free(&stats);
	return obj;
}

int session_answer(int fd, bool json, int (*read)(int fd, void *arg, struct htmm_error *err),
		   int (*print)(void *arg, struct json_object *obj, struct htmm_error *err),
		   void *arg, struct htmm_error *err)
{
	struct json_object *obj = NULL;
	struct htmm_info info;
	int ret = htmm_device_info(fd, &info, err) ?: read(fd, arg, err);

	if (!ret && json) {
		obj = session_json_read(fd, err);
		ret = obj ? 0 : -err->code;
	}
	if (!ret)
		ret = session_is(info.session, fd, err);
	if (!ret)
		return print(arg, obj, err);
	json_object_put(obj);
	return ret;
}
