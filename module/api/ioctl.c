// SPDX-License-Identifier: GPL-2.0
/* The ioctls of /dev/htmm: copying and checking of arguments and results. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "api.h"
#include "base/config.h"
#include "listing.h"
#include "stream/stream.h"
#include "track/walker.h"

/*
 * Sizes of array elements in their first version; later versions are larger. The numbers
 * are part of the ABI.
 */
#define HTMM_FIRST(type, last, bytes)					\
	__builtin_choose_expr((bytes) == offsetofend(struct type, last),	\
			      (bytes), (void)0)
#define HTMM_FIRST_EVENT	HTMM_FIRST(htmm_event, min_level, 96)
#define HTMM_FIRST_TARGET	HTMM_FIRST(htmm_target, max_bytes, 32)
#define HTMM_FIRST_FEED_SAMPLE	HTMM_FIRST(htmm_feed_sample, tid, 56)

/* Arrays that one call fills, at most. */
#define HTMM_MAX_ARRAYS		2

/* @id is the beginning of all structs. */
union htmm_arg {
	struct htmm_session_id id;
	struct htmm_target_id target_id;
	struct htmm_start start;
	struct htmm_info info;
	struct htmm_stats stats;
	struct htmm_histogram histogram;
	struct htmm_hit_ratio hit_ratio;
	struct htmm_list_pages list;
	struct htmm_placement placement;
	struct htmm_served served;
	struct htmm_feed feed;
	struct htmm_add_target add;
	struct htmm_targets targets;
	struct htmm_stream stream;
	struct htmm_set set;
};

/**
 * struct htmm_call - one call of an ioctl
 * @file: the open file
 * @user: the caller's struct
 * @session: the session, if the ioctl needs it
 * @arg: a copy of the caller's struct
 * @err: why it failed, if the struct has room for that
 * @rows: what the arrays are filled with; freed after the call
 */
struct htmm_call {
	struct file *file;
	void __user *user;
	struct htmm_session *session;
	union htmm_arg arg;
	struct htmm_error err;
	struct htmm_rows rows[HTMM_MAX_ARRAYS];
};

static int htmm_copy_config(struct htmm_config *config, const struct htmm_start *start,
			    struct htmm_error *err)
{
	int ret;

	config->start = *start;
	if (start->session)
		return htmm_fail(err, -EINVAL,
				 "session is %llu, but one that starts has no number yet",
				 start->session);
	if (start->nr_events > HTMM_MAX_EVENTS)
		return htmm_fail(err, -E2BIG, "%u events, but %u is the most",
				 start->nr_events, HTMM_MAX_EVENTS);
	if (start->nr_targets > HTMM_MAX_TARGETS)
		return htmm_fail(err, -E2BIG, "%u targets, but %u is the most",
				 start->nr_targets, HTMM_MAX_TARGETS);

	ret = htmm_uaccess_array_in(config->events, sizeof(config->events[0]),
				    HTMM_FIRST_EVENT, start->events,
				    start->event_size, start->nr_events);
	if (ret)
		return htmm_fail(err, ret, "the array of events cannot be read");
	ret = htmm_uaccess_array_in(config->targets, sizeof(config->targets[0]),
				    HTMM_FIRST_TARGET, start->targets,
				    start->target_size, start->nr_targets);
	if (ret)
		return htmm_fail(err, ret, "the array of targets cannot be read");
	ret = htmm_uaccess_cpus(config->cpus, start->cpus, start->cpus_size, "cpus", err);
	if (ret)
		return ret;
	return htmm_uaccess_cpus(config->drain_cpus, start->drain_cpus,
				 start->drain_cpus_size, "drain_cpus", err);
}

static int htmm_ioctl_start(struct htmm_call *call)
{
	struct htmm_start __user *user = call->user;
	struct htmm_start *start = &call->arg.start;
	struct htmm_error *err = &call->err;
	bool detached = start->flags & HTMM_START_DETACHED;
	struct htmm_config *config;
	int ret;

	/* First: no session begins if its number cannot be written. */
	if (put_user(start->session, &user->session))
		return -EFAULT;
	ret = security_locked_down(LOCKDOWN_PERF);
	if (ret)
		return htmm_fail(err, ret, "kernel lockdown forbids perf");

	config = htmm_config_alloc();
	if (!config)
		return -ENOMEM;
	ret = htmm_copy_config(config, start, err);
	if (!ret)
		htmm_privilege_defaults(config);
	if (!ret)
		ret = htmm_config_check(config, err);
	if (!ret)
		ret = htmm_session_start(config, detached ? NULL : call->file,
					 &start->session, err);
	if (ret)
		htmm_config_free(config);
	return ret ?: put_user(start->session, &user->session);
}

static int htmm_ioctl_stop(struct htmm_call *call)
{
	return htmm_session_stop(call->arg.id.session);
}

static int htmm_ioctl_get_info(struct htmm_call *call)
{
	struct htmm_session *session = htmm_session_get(call->arg.id.session);

	if (IS_ERR(session))
		return PTR_ERR(session);
	htmm_snapshot_info(session, &call->arg.info);
	htmm_session_put(session);
	return 0;
}

static int htmm_ioctl_get_stats(struct htmm_call *call)
{
	const struct htmm_config *config = call->session->config;
	struct htmm_rows *events = &call->rows[1];

	events->nr = config->start.nr_events;
	events->at = kmemdup(config->events, events->nr * sizeof(config->events[0]), GFP_KERNEL);
	if (!events->at)
		return -ENOMEM;
	return htmm_snapshot_stats(call->session, &call->arg.stats, &call->rows[0]);
}

/* Check a unit, which is an index: not even speculation uses a larger one. */
static int htmm_check_unit(__u32 *unit)
{
	if (*unit > HTMM_UNIT_REGION)
		return -EOPNOTSUPP;
	*unit = array_index_nospec(*unit, HTMM_UNIT_REGION + 1);
	return 0;
}

static int htmm_ioctl_get_hist(struct htmm_call *call)
{
	struct htmm_histogram *hist = &call->arg.histogram;

	return htmm_check_unit(&hist->unit) ?: htmm_snapshot_histogram(call->session, hist);
}

static int htmm_ioctl_get_hit_ratio(struct htmm_call *call)
{
	struct htmm_hit_ratio *ratio = &call->arg.hit_ratio;

	return htmm_check_unit(&ratio->unit) ?: htmm_snapshot_hit_ratio(call->session, ratio);
}

/* Check the node that is asked for; a number in range stays in range in speculation, too. */
static bool htmm_check_list_node(struct htmm_list_pages *list)
{
	if (!(list->flags & HTMM_LIST_NODE))
		return !list->node;
	if (list->node < 0 || list->node >= MAX_NUMNODES)
		return false;
	list->node = array_index_nospec(list->node, MAX_NUMNODES);
	return node_online(list->node);
}

static int htmm_check_list_placement(struct htmm_list_pages *list)
{
	bool resident = list->flags & HTMM_LIST_RESIDENT, others = list->flags & HTMM_LIST_OTHERS;

	if (list->flags && !htmm_placement_supported())
		return -EOPNOTSUPP;
	if (resident && (list->order == HTMM_ORDER_HOTTEST || list->unit != HTMM_UNIT_PAGE))
		return -EOPNOTSUPP;
	if (others && resident && list->order != HTMM_ORDER_TABLE)
		return -EOPNOTSUPP;
	if (others && !(resident && list->flags & HTMM_LIST_NODE))
		return -EINVAL;
	if (!htmm_check_list_node(list))
		return -EINVAL;
	/* Without the right, a list can only leave out what it would tell. */
	return list->flags & ~HTMM_LIST_PLACEMENT && !htmm_places_permitted() ? -EPERM : 0;
}

static int htmm_check_list(struct htmm_list_pages *list)
{
	if (htmm_check_unit(&list->unit) || list->order > HTMM_ORDER_TABLE)
		return -EOPNOTSUPP;
	if (!list->nr_pages)
		return -EINVAL;
	if (list->end && list->end <= list->start)
		return -EINVAL;
	if (list->max_samples && list->max_samples < list->min_samples)
		return -EINVAL;
	return htmm_check_list_placement(list);
}

static int htmm_ioctl_list_pages(struct htmm_call *call)
{
	struct htmm_list_pages *list = &call->arg.list;
	struct htmm_rows *pages = &call->rows[0];
	int ret;
	u32 room;

	ret = htmm_check_list(list);
	if (ret)
		return ret;
	room = min_t(u32, list->nr_pages, HTMM_SNAPSHOT_PAGES);
	/* What is copied to the caller is set as a whole. */
	pages->at = kvmalloc_array(room, sizeof(struct htmm_page), GFP_KERNEL_ACCOUNT);
	if (!pages->at)
		return -ENOMEM;
	ret = htmm_snapshot_pages(call->session, list, pages->at, room);
	if (ret < 0)
		return ret;
	pages->nr = ret;
	return 0;
}

static int htmm_ioctl_get_placement(struct htmm_call *call)
{
	if (!htmm_places_permitted())
		return -EPERM;
	return htmm_snapshot_placement(call->session, &call->arg.placement, &call->rows[0]);
}

static int htmm_ioctl_get_served(struct htmm_call *call)
{
	return htmm_snapshot_served(call->session, call->arg.served.target, &call->rows[0]);
}

/* Samples that are copied from user space at a time. */
#define HTMM_FEED_BATCH		256

/* What is told of an event instead of its samples. */
#define HTMM_FEED_NOTES		(HTMM_FEED_LOST | HTMM_FEED_THROTTLED)

/* Check the caller, the event, and what the session must be like. */
static int htmm_check_feed(const struct htmm_session *session, struct htmm_feed *feed)
{
	const struct htmm_start *start = &session->config->start;

	/* As for the start of such a session: an open file must not be enough. */
	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	if (feed->event >= start->nr_events)
		return -EINVAL;
	feed->event = array_index_nospec(feed->event, start->nr_events);
	if (session->config->events[feed->event].type != HTMM_TYPE_FEED)
		return -EINVAL;
	if (feed->flags & HTMM_FEED_FOREIGN && !(start->flags & HTMM_START_KEEP_EXITED))
		return -EINVAL;
	if (feed->cpu && !(feed->flags & HTMM_FEED_CPU))
		return -EINVAL;
	if (feed->flags & HTMM_FEED_NOTES)
		return feed->samples || feed->sample_size ||
		       !is_power_of_2(feed->flags & ~HTMM_FEED_CPU) ? -EINVAL : 0;
	return htmm_uaccess_check_stride(feed->sample_size, HTMM_FIRST_FEED_SAMPLE);
}

/* The CPU that has taken the samples, as far as is known. */
static u32 htmm_feed_cpu(const struct htmm_feed *feed)
{
	return feed->flags & HTMM_FEED_CPU ? feed->cpu : raw_smp_processor_id();
}

/* Is no sample of a batch other than struct htmm_feed_sample says? */
static bool htmm_check_fed(const struct htmm_feed_sample *samples, u32 n, bool foreign)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (samples[i].period > S64_MAX || (samples[i].cookie && !foreign))
			return false;
	return true;
}

/* Feed samples from number @from on, one batch at most. Returns how many were taken. */
static int htmm_feed_batch(struct htmm_call *call, struct htmm_feed_sample *samples, u32 from)
{
	const struct htmm_feed *feed = &call->arg.feed;
	bool foreign = feed->flags & HTMM_FEED_FOREIGN;
	u32 n = min_t(u32, feed->nr_samples - from, HTMM_FEED_BATCH);
	int ret;

	ret = htmm_uaccess_array_in(samples, sizeof(*samples), HTMM_FIRST_FEED_SAMPLE,
				    feed->samples + (u64)from * feed->sample_size,
				    feed->sample_size, n);
	if (ret)
		return ret;
	if (!htmm_check_fed(samples, n, foreign))
		return -EINVAL;
	return htmm_channel_set_feed(&call->session->channels, feed->event, htmm_feed_cpu(feed),
				     samples, n, foreign);
}

static int htmm_ioctl_feed(struct htmm_call *call)
{
	struct htmm_feed __user *user = call->user;
	struct htmm_feed *feed = &call->arg.feed;
	struct htmm_feed_sample *samples;
	u32 fed = 0;
	int ret;

	ret = htmm_check_feed(call->session, feed);
	if (ret)
		return ret;
	/* Nothing is taken if it cannot be told. */
	if (put_user(feed->nr_samples, &user->nr_samples))
		return -EFAULT;
	if (feed->flags & HTMM_FEED_NOTES) {
		ret = htmm_channel_set_feed_note(&call->session->channels, feed->event,
						 htmm_feed_cpu(feed), feed->nr_samples,
						 feed->flags & HTMM_FEED_THROTTLED);
		if (!ret)
			feed->nr_samples = 0;
		return ret;
	}
	samples = kvmalloc_array(HTMM_FEED_BATCH, sizeof(*samples), GFP_KERNEL_ACCOUNT);
	if (!samples)
		return -ENOMEM;
	while (fed < feed->nr_samples) {
		/* Samples that are dropped fill no ring: their number alone ends the loop. */
		ret = signal_pending(current) ? -EINTR : htmm_feed_batch(call, samples, fed);
		if (ret <= 0)
			break;
		fed += ret;
		cond_resched();
	}
	kvfree(samples);
	/* What was taken is told first; an error comes again with the next call. */
	if (!fed && feed->nr_samples)
		return ret ?: -EAGAIN;
	feed->nr_samples -= fed;
	return 0;
}

static int htmm_ioctl_cool(struct htmm_call *call)
{
	return htmm_session_cool(call->session, call->arg.target_id.target);
}

static int htmm_ioctl_reset(struct htmm_call *call)
{
	return htmm_session_reset(call->arg.id.session);
}

static int htmm_ioctl_add_target(struct htmm_call *call)
{
	struct htmm_add_target __user *user = call->user;
	struct htmm_add_target *add = &call->arg.add;
	struct htmm_target target = {};
	int ret;

	/* First: no target is added if its number cannot be written. */
	if (put_user(add->number, &user->number))
		return -EFAULT;
	ret = htmm_uaccess_array_in(&target, sizeof(target), HTMM_FIRST_TARGET,
				    add->target, add->target_size, 1);
	if (ret)
		return htmm_fail(&call->err, ret, "the target cannot be read");
	ret = htmm_session_add_target(add->session, &target, &add->number, &call->err);
	return ret ?: put_user(add->number, &user->number);
}

static int htmm_ioctl_remove_target(struct htmm_call *call)
{
	return htmm_session_remove_target(call->arg.id.session, call->arg.target_id.target);
}

static int htmm_ioctl_get_targets(struct htmm_call *call)
{
	return htmm_snapshot_targets(call->session, &call->rows[0]);
}

static int htmm_ioctl_set(struct htmm_call *call)
{
	return htmm_session_set(&call->arg.set, &call->err);
}

/* Make the file a reader of the record stream, unless it is one already. */
static int htmm_ioctl_stream(struct htmm_call *call)
{
	struct htmm_reader *reader = htmm_file_reader(call->file);
	struct htmm_stream *stream = &call->arg.stream;
	const struct htmm_stream asked = *stream;

	if (!reader) {
		reader = htmm_stream_join(stream);
		if (IS_ERR(reader))
			return PTR_ERR(reader);
		if (cmpxchg(&call->file->private_data, NULL, reader)) {
			/* Another thread has set a reader first. */
			htmm_stream_leave(reader);
			return -EBUSY;
		}
	}
	htmm_stream_describe(reader, stream);
	if (asked.session && asked.session != stream->session)
		return -ESTALE;
	if ((asked.buffer_bytes && asked.buffer_bytes != stream->buffer_bytes) ||
	    (asked.watermark && asked.watermark != stream->watermark))
		return -EBUSY;
	return 0;
}

/**
 * struct htmm_array - an array that the module fills
 * @at: offset of the member that points to it; 0: no array
 * @count: offset of the member with the room in elements
 * @stride: offset of the member with the size of an element
 * @elem: size of an element in this version
 * @first: size of an element in the first version
 */
struct htmm_array {
	u16 at;
	u16 count;
	u16 stride;
	u16 elem;
	u16 first;
};

/**
 * struct htmm_ioctl - one ioctl of /dev/htmm
 * @size: size of its struct in this version
 * @min_size: size of its struct in the first version
 * @flags: known bits of the struct's member @flags
 * @reserved: offset of the struct's member __reserved; 0: none
 * @error: offset of the struct's member error, which error_size follows; 0: none
 * @arrays: arrays that the module fills
 * @needs_session: it reads the session; else it finds one itself, or needs none
 * @open: the ioctl needs no capability
 * @copy_out: the struct is written back as a whole
 * @run: runs the ioctl
 */
struct htmm_ioctl {
	u16 size;
	u16 min_size;
	u32 flags;
	u16 reserved;
	u16 error;
	struct htmm_array arrays[HTMM_MAX_ARRAYS];
	bool needs_session;
	bool open;
	bool copy_out;
	int (*run)(struct htmm_call *call);
};

/* @last is the last member of the first version, in which the struct had @bytes bytes. */
#define HTMM_IOCTL(cmd, type, last, bytes, ...)				\
	[_IOC_NR(HTMM_IOC_##cmd)] = {					\
		.size = sizeof(struct type) +				\
			BUILD_BUG_ON_ZERO(sizeof(struct type) >		\
					  sizeof(union htmm_arg)) +	\
			BUILD_BUG_ON_ZERO(offsetof(struct type, session) != \
					  offsetof(struct htmm_session_id, session)), \
		.min_size = HTMM_FIRST(type, last, bytes),		\
		__VA_ARGS__						\
	}
#define HTMM_RESERVED(type)	.reserved = offsetof(struct type, __reserved)
#define HTMM_ERROR(type)	.error = offsetof(struct type, error) +		\
		BUILD_BUG_ON_ZERO(offsetof(struct type, error_size) !=		\
				  offsetofend(struct type, error))
/* @last and @bytes: as for HTMM_IOCTL(). */
#define HTMM_ELEM(type, last, bytes)					\
	.elem = sizeof(struct type), .first = HTMM_FIRST(type, last, bytes)
#define HTMM_ARRAY(type, array, nr, elem_size, ...)			\
	{								\
		.at = offsetof(struct type, array),			\
		.count = offsetof(struct type, nr),			\
		.stride = offsetof(struct type, elem_size),		\
		__VA_ARGS__						\
	}

static const struct htmm_ioctl htmm_ioctls[] = {
	/* htmm_config_check() checks the flags of START and sets a better message. */
	HTMM_IOCTL(START, htmm_start, budget_interval_ms, 152, HTMM_ERROR(htmm_start),
		   .flags = ~0U, .run = htmm_ioctl_start),
	HTMM_IOCTL(STOP, htmm_session_id, session, 16, .run = htmm_ioctl_stop),
	HTMM_IOCTL(GET_INFO, htmm_info, __reserved, 144, HTMM_RESERVED(htmm_info),
		   .open = true, .copy_out = true, .run = htmm_ioctl_get_info),
	HTMM_IOCTL(GET_STATS, htmm_stats, __reserved, 480, HTMM_RESERVED(htmm_stats),
		   .arrays = { HTMM_ARRAY(htmm_stats, channels, nr_channels, channel_size,
					  HTMM_ELEM(htmm_channel_info, counters, 216)),
			       HTMM_ARRAY(htmm_stats, events, nr_events, event_size,
					  HTMM_ELEM(htmm_event, min_level, 96)) },
		   .needs_session = true, .copy_out = true, .run = htmm_ioctl_get_stats),
	HTMM_IOCTL(GET_HIST, htmm_histogram, bins, 328,
		   .needs_session = true, .copy_out = true, .run = htmm_ioctl_get_hist),
	HTMM_IOCTL(LIST_PAGES, htmm_list_pages, cursor, 112, .flags = HTMM_LIST_ANY_PLACEMENT,
		   .arrays = { HTMM_ARRAY(htmm_list_pages, pages, nr_pages, page_size,
					  HTMM_ELEM(htmm_page, __reserved, 48)) },
		   .needs_session = true, .copy_out = true, .run = htmm_ioctl_list_pages),
	HTMM_IOCTL(COOL, htmm_target_id, __reserved, 24, HTMM_RESERVED(htmm_target_id),
		   .needs_session = true, .run = htmm_ioctl_cool),
	HTMM_IOCTL(RESET, htmm_session_id, session, 16, .run = htmm_ioctl_reset),
	HTMM_IOCTL(ADD_TARGET, htmm_add_target, __reserved, 48, HTMM_RESERVED(htmm_add_target),
		   HTMM_ERROR(htmm_add_target), .run = htmm_ioctl_add_target),
	HTMM_IOCTL(REMOVE_TARGET, htmm_target_id, __reserved, 24,
		   HTMM_RESERVED(htmm_target_id), .run = htmm_ioctl_remove_target),
	HTMM_IOCTL(GET_TARGETS, htmm_targets, target_size, 32,
		   .arrays = { HTMM_ARRAY(htmm_targets, targets, nr_targets, target_size,
					  HTMM_ELEM(htmm_target_info, name, 1360)) },
		   .needs_session = true, .copy_out = true, .run = htmm_ioctl_get_targets),
	HTMM_IOCTL(STREAM, htmm_stream, ids, 144, .copy_out = true, .run = htmm_ioctl_stream),
	HTMM_IOCTL(SET, htmm_set, __reserved, 56, HTMM_RESERVED(htmm_set),
		   HTMM_ERROR(htmm_set), .flags = HTMM_SET_CAPACITY | HTMM_SET_PERIOD |
			    HTMM_SET_PAUSE | HTMM_SET_RESUME,
		   .run = htmm_ioctl_set),
	HTMM_IOCTL(GET_HIT_RATIO, htmm_hit_ratio, error_ppm, 64,
		   .needs_session = true, .copy_out = true, .run = htmm_ioctl_get_hit_ratio),
	HTMM_IOCTL(GET_PLACEMENT, htmm_placement, shared_pages, 72,
		   .arrays = { HTMM_ARRAY(htmm_placement, nodes, nr_nodes, node_size,
					  HTMM_ELEM(htmm_node_placement, bins, 320)) },
		   .needs_session = true, .copy_out = true, .run = htmm_ioctl_get_placement),
	HTMM_IOCTL(GET_SERVED, htmm_served, __reserved, 40, HTMM_RESERVED(htmm_served),
		   .arrays = { HTMM_ARRAY(htmm_served, rows, nr_rows, row_size,
					  HTMM_ELEM(htmm_served_row, samples, 72)) },
		   .needs_session = true, .copy_out = true, .run = htmm_ioctl_get_served),
	HTMM_IOCTL(FEED, htmm_feed, cpu, 40,
		   .flags = HTMM_FEED_FOREIGN | HTMM_FEED_NOTES | HTMM_FEED_CPU,
		   .needs_session = true, .copy_out = true, .run = htmm_ioctl_feed),
};

static const struct htmm_ioctl *htmm_ioctl_find(unsigned int cmd)
{
	const struct htmm_ioctl *ioctl;
	unsigned int nr = _IOC_NR(cmd);

	if (_IOC_TYPE(cmd) != HTMM_IOC_TYPE || nr >= ARRAY_SIZE(htmm_ioctls) ||
	    cmd != _IO(HTMM_IOC_TYPE, nr))
		return NULL;
	ioctl = &htmm_ioctls[array_index_nospec(nr, ARRAY_SIZE(htmm_ioctls))];
	return ioctl->run ? ioctl : NULL;
}

static u32 htmm_arg_u32(const union htmm_arg *arg, u16 offset)
{
	return *(const u32 *)((const char *)arg + offset);
}

static u64 htmm_arg_u64(const union htmm_arg *arg, u16 offset)
{
	return *(const u64 *)((const char *)arg + offset);
}

/* Checks that are the same for all ioctls. */
static int htmm_ioctl_check(const struct htmm_ioctl *ioctl, const union htmm_arg *arg)
{
	const struct htmm_array *array = ioctl->arrays;
	int ret;

	if (arg->id.flags & ~ioctl->flags)
		return -EOPNOTSUPP;
	if (ioctl->reserved && htmm_arg_u32(arg, ioctl->reserved))
		return -EOPNOTSUPP;
	for (; array < ioctl->arrays + HTMM_MAX_ARRAYS; array++) {
		if (!array->at || !htmm_arg_u32(arg, array->count))
			continue;
		ret = htmm_uaccess_check_stride(htmm_arg_u32(arg, array->stride), array->first);
		if (ret)
			return ret;
	}
	return 0;
}

/* Copy as many rows as there is room for, and set their number. */
static int htmm_ioctl_copy_rows(const struct htmm_ioctl *ioctl, struct htmm_call *call)
{
	const struct htmm_array *array;
	union htmm_arg *arg = &call->arg;
	u32 *count;
	int i, ret;

	for (i = 0; i < HTMM_MAX_ARRAYS && ioctl->arrays[i].at; i++) {
		array = &ioctl->arrays[i];
		count = (void *)arg + array->count;
		ret = htmm_uaccess_array_out(htmm_arg_u64(arg, array->at),
					     htmm_arg_u32(arg, array->stride), call->rows[i].at,
					     array->elem, min(*count, call->rows[i].nr));
		if (ret)
			return ret;
		*count = call->rows[i].nr;
	}
	return 0;
}

/* Copy the message to the caller. A fault here is ignored: the errno is still returned. */
static void htmm_ioctl_explain(const struct htmm_ioctl *ioctl, const struct htmm_call *call)
{
	void __user *to = u64_to_user_ptr(htmm_arg_u64(&call->arg, ioctl->error));
	u32 size = htmm_arg_u32(&call->arg, ioctl->error + sizeof(u64));
	size_t len = min_t(size_t, size, strlen(call->err.text) + 1);

	if (!to || !len)
		return;
	if (copy_to_user(to, call->err.text, len - 1) || clear_user(to + len - 1, 1))
		pr_debug("htmm: the error text's buffer is bad\n");
}

static int htmm_ioctl_run(const struct htmm_ioctl *ioctl, struct htmm_call *call)
{
	int i, ret;

	if (ioctl->needs_session) {
		call->session = htmm_session_get(call->arg.id.session);
		if (IS_ERR(call->session))
			return PTR_ERR(call->session);
		if (!call->session)
			return -ENODATA;
	}
	ret = ioctl->run(call);
	if (!ret)
		ret = htmm_ioctl_copy_rows(ioctl, call);
	else if (ioctl->error)
		htmm_ioctl_explain(ioctl, call);
	for (i = 0; i < HTMM_MAX_ARRAYS; i++)
		kvfree(call->rows[i].at);
	htmm_session_put(call->session);
	return ret;
}

/* Returns 0 or an errno documented in uapi/linux/htmm.h. */
long htmm_ioctl(struct file *file, unsigned int cmd, unsigned long uarg)
{
	const struct htmm_ioctl *ioctl = htmm_ioctl_find(cmd);
	void __user *user = (void __user *)uarg;
	struct htmm_call call = { .file = file, .user = user };
	u32 size;
	int ret;

	if (!ioctl)
		return -ENOTTY;
	if (!ioctl->open && !perfmon_capable())
		return -EPERM;
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < ioctl->min_size)
		return -EINVAL;
	if (size > HTMM_MAX_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&call.arg, ioctl->size, user, size);
	if (!ret)
		ret = htmm_ioctl_check(ioctl, &call.arg);
	if (!ret)
		ret = htmm_ioctl_run(ioctl, &call);
	if (ret || !ioctl->copy_out)
		return ret;

	call.arg.id.size = size;
	return copy_to_user(user, &call.arg, min_t(u32, size, ioctl->size)) ? -EFAULT : 0;
}
