// SPDX-License-Identifier: GPL-2.0
/* The ioctls of /dev/htmm: copying and checking of arguments and results. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "api.h"
#include "base/config.h"
#include "listing.h"
#include "session/privilege.h"
#include "track/walker.h"

/*
 * Sizes of array elements in their first version; later versions are larger. The numbers
 * are part of the ABI.
 */
#define HTMM_FIRST(type, last, bytes)					\
	__builtin_choose_expr((bytes) == offsetofend(struct type, last),	\
			      (bytes), (void)0)
#define HTMM_FIRST_EVENT	HTMM_FIRST(htmm_event, __reserved, 96)
#define HTMM_FIRST_TARGET	HTMM_FIRST(htmm_target, max_bytes, 32)
#define HTMM_FIRST_CHANNEL	HTMM_FIRST(htmm_channel_info, counters, 216)
#define HTMM_FIRST_BIN		HTMM_FIRST(htmm_bin, pages, 8)
#define HTMM_FIRST_PAGE		HTMM_FIRST(htmm_page, __reserved, 48)
#define HTMM_FIRST_TARGET_INFO	HTMM_FIRST(htmm_target_info, space_bytes, 1272)
#define HTMM_FIRST_NODE		HTMM_FIRST(htmm_node_placement, samples, 56)
#define HTMM_FIRST_SERVED_ROW	HTMM_FIRST(htmm_served_row, samples, 72)
#define HTMM_FIRST_STREAM_EVENT	HTMM_FIRST(htmm_stream_event, id, 8)

/**
 * struct htmm_head - the members at the start of the struct of every ioctl
 * @size: size of the struct as the caller knows it
 * @flags: flags of the ioctl
 * @session: number of the session; 0: the current one
 */
struct htmm_head {
	__u32 size;
	__u32 flags;
	__aligned_u64 session;
};

union htmm_arg {
	struct htmm_head head;
	struct htmm_start start;
	struct htmm_stop stop;
	struct htmm_info info;
	struct htmm_stats stats;
	struct htmm_histogram histogram;
	struct htmm_hit_ratio hit_ratio;
	struct htmm_list_pages list;
	struct htmm_placement placement;
	struct htmm_served served;
	struct htmm_cool cool;
	struct htmm_reset reset;
	struct htmm_add_target add;
	struct htmm_remove_target remove;
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
 */
struct htmm_call {
	struct file *file;
	void __user *user;
	struct htmm_session *session;
	union htmm_arg arg;
};

static int htmm_copy_config(struct htmm_config *config,
			    const struct htmm_start *start,
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
	ret = htmm_uaccess_cpus(config->cpus, start->cpus, start->cpus_size,
				"cpus", err);
	if (ret)
		return ret;
	return htmm_uaccess_cpus(config->drain_cpus, start->drain_cpus,
				 start->drain_cpus_size, "drain_cpus", err);
}

static int htmm_start_session(struct htmm_call *call, struct htmm_error *err)
{
	struct htmm_start __user *user = call->user;
	struct htmm_start *start = &call->arg.start;
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

/* Copy the message to the caller. A fault here is ignored: the errno is still returned. */
static void htmm_report_error(u64 text, u32 size, const struct htmm_error *err)
{
	size_t len = min_t(size_t, size, strlen(err->text) + 1);
	void __user *to = u64_to_user_ptr(text);

	if (!text || !len)
		return;
	if (copy_to_user(to, err->text, len - 1) ||
	    clear_user(to + len - 1, 1))
		pr_debug("htmm: the error text's buffer is bad\n");
}

static int htmm_ioctl_start(struct htmm_call *call)
{
	struct htmm_start *start = &call->arg.start;
	struct htmm_error err = {};
	int ret;

	ret = htmm_start_session(call, &err);
	if (ret)
		htmm_report_error(start->error, start->error_size, &err);
	return ret;
}

static int htmm_ioctl_stop(struct htmm_call *call)
{
	return htmm_session_stop(call->arg.stop.session);
}

static int htmm_ioctl_get_info(struct htmm_call *call)
{
	htmm_snapshot_info(call->session, &call->arg.info);
	return 0;
}

static int htmm_ioctl_get_stats(struct htmm_call *call)
{
	const struct htmm_config *config = call->session->config;
	struct htmm_stats *stats = &call->arg.stats;
	struct htmm_channel_info *channels;
	u32 n;
	int ret;

	channels = htmm_snapshot_stats(call->session, stats, &n);
	if (!channels)
		return -ENOMEM;
	ret = htmm_uaccess_array_out(stats->channels, stats->channel_size,
				     channels, sizeof(*channels),
				     min(stats->nr_channels, n));
	if (!ret)
		ret = htmm_uaccess_array_out(stats->events, stats->event_size,
					     config->events,
					     sizeof(config->events[0]),
					     min(stats->nr_events,
						 config->start.nr_events));
	stats->nr_channels = n;
	stats->nr_events = config->start.nr_events;
	kvfree(channels);
	return ret;
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
	struct htmm_bin bins[HTMM_NR_BINS];
	u32 room = hist->nr_bins;
	int ret;

	ret = htmm_check_unit(&hist->unit);
	if (!ret)
		ret = htmm_snapshot_histogram(call->session, hist, bins);
	if (ret)
		return ret;
	return htmm_uaccess_array_out(hist->bins, hist->bin_size, bins,
				      sizeof(bins[0]), min(room, hist->nr_bins));
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
	struct htmm_page *pages;
	int n, ret;
	u32 room;

	ret = htmm_check_list(list);
	if (ret)
		return ret;
	room = min_t(u32, list->nr_pages, HTMM_SNAPSHOT_PAGES);
	/* What is copied to the caller is set as a whole. */
	pages = kvmalloc_array(room, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return -ENOMEM;

	n = htmm_snapshot_pages(call->session, list, pages, room);
	ret = n < 0 ? n : htmm_uaccess_array_out(list->pages, list->page_size,
						 pages, sizeof(*pages), n);
	if (!ret)
		list->nr_pages = n;
	kvfree(pages);
	return ret;
}

static int htmm_ioctl_get_placement(struct htmm_call *call)
{
	struct htmm_placement *placement = &call->arg.placement;
	u32 room = placement->nr_nodes, bins;
	struct htmm_placed by_node;
	int ret;

	if (!htmm_places_permitted())
		return -EPERM;
	ret = htmm_snapshot_placement(call->session, placement, &by_node);
	if (ret)
		goto out;
	bins = by_node.nr * HTMM_NR_BINS;
	ret = htmm_uaccess_array_out(placement->nodes, placement->node_size, by_node.nodes,
				     sizeof(*by_node.nodes), min(room, by_node.nr));
	if (!ret && placement->bins && placement->nr_bins >= bins)
		ret = htmm_uaccess_array_out(placement->bins, placement->bin_size,
					     by_node.bins, sizeof(*by_node.bins), bins);
	placement->nr_nodes = by_node.nr;
	placement->nr_bins = HTMM_NR_BINS;
out:
	htmm_placed_free(&by_node);
	return ret;
}

static int htmm_ioctl_get_served(struct htmm_call *call)
{
	struct htmm_served *served = &call->arg.served;
	struct htmm_served_rows rows;
	int ret;

	ret = htmm_snapshot_served(call->session, served->target, &rows);
	if (!ret)
		ret = htmm_uaccess_array_out(served->rows, served->row_size, rows.row,
					     sizeof(*rows.row), min(served->nr_rows, rows.nr));
	served->nr_rows = rows.nr;
	kvfree(rows.row);
	return ret;
}

static int htmm_ioctl_cool(struct htmm_call *call)
{
	return htmm_session_cool(call->session, call->arg.cool.target);
}

static int htmm_ioctl_reset(struct htmm_call *call)
{
	return htmm_session_reset(call->arg.reset.session);
}

static int htmm_ioctl_add_target(struct htmm_call *call)
{
	struct htmm_add_target __user *user = call->user;
	struct htmm_add_target *add = &call->arg.add;
	struct htmm_target target = {};
	struct htmm_error err = {};
	int ret;

	/* First: no target is added if its number cannot be written. */
	if (put_user(add->number, &user->number))
		return -EFAULT;
	ret = htmm_uaccess_array_in(&target, sizeof(target), HTMM_FIRST_TARGET,
				    add->target, add->target_size, 1);
	if (ret)
		htmm_fail(&err, ret, "the target cannot be read");
	else
		ret = htmm_session_add_target(add->session, &target, &add->number, &err);
	if (ret)
		htmm_report_error(add->error, add->error_size, &err);
	return ret ?: put_user(add->number, &user->number);
}

static int htmm_ioctl_remove_target(struct htmm_call *call)
{
	return htmm_session_remove_target(call->arg.remove.session,
					  call->arg.remove.target);
}

static int htmm_ioctl_get_targets(struct htmm_call *call)
{
	struct htmm_targets *targets = &call->arg.targets;
	struct htmm_target_info *info;
	u32 n;
	int ret;

	info = htmm_snapshot_targets(call->session, &n);
	if (!info)
		return -ENOMEM;
	ret = htmm_uaccess_array_out(targets->targets, targets->target_size,
				     info, sizeof(*info),
				     min(targets->nr_targets, n));
	targets->nr_targets = n;
	kvfree(info);
	return ret;
}

static int htmm_ioctl_set(struct htmm_call *call)
{
	struct htmm_set *set = &call->arg.set;
	struct htmm_error err = {};
	int ret;

	ret = htmm_session_set(set, &err);
	if (ret)
		htmm_report_error(set->error, set->error_size, &err);
	return ret;
}

static int htmm_ioctl_stream(struct htmm_call *call)
{
	struct htmm_stream_event events[HTMM_MAX_EVENTS] = {};
	struct htmm_stream *stream = &call->arg.stream;
	u32 room = stream->nr_events;
	int ret;

	ret = htmm_chardev_attach(call->file, stream, events);
	if (ret)
		return ret;
	return htmm_uaccess_array_out(stream->events, stream->event_size,
				      events, sizeof(events[0]),
				      min(room, stream->nr_events));
}

/**
 * enum htmm_need - how an ioctl uses the session
 * @HTMM_NEED_NOTHING: it finds the session itself, or needs none
 * @HTMM_NEED_IF_ANY: it uses the session, if there is one
 * @HTMM_NEED_SESSION: it reads the session
 */
enum htmm_need {
	HTMM_NEED_NOTHING,
	HTMM_NEED_IF_ANY,
	HTMM_NEED_SESSION,
};

/**
 * struct htmm_array - an array that the module fills
 * @count: offset of the member with the room in elements; 0: no array
 * @stride: offset of the member with the size of an element
 * @first: size of an element in the first version
 */
struct htmm_array {
	u16 count;
	u16 stride;
	u16 first;
};

/**
 * struct htmm_ioctl - one ioctl of /dev/htmm
 * @size: size of its struct in this version
 * @min_size: size of its struct in the first version
 * @flags: known bits of the struct's member @flags
 * @reserved: offset of the struct's member __reserved; 0: none
 * @arrays: arrays that the module fills
 * @needs_session: how the struct's member @session is used
 * @open: the ioctl needs no capability
 * @copy_out: the struct is written back as a whole
 * @run: runs the ioctl
 */
struct htmm_ioctl {
	u16 size;
	u16 min_size;
	u32 flags;
	u16 reserved;
	struct htmm_array arrays[2];
	enum htmm_need needs_session;
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
					  offsetof(struct htmm_head, session)), \
		.min_size = HTMM_FIRST(type, last, bytes),		\
		__VA_ARGS__						\
	}
#define HTMM_RESERVED(type)	.reserved = offsetof(struct type, __reserved)
#define HTMM_ARRAY(type, nr, elem_size, size_of_first)			\
	{								\
		.count = offsetof(struct type, nr),			\
		.stride = offsetof(struct type, elem_size),		\
		.first = size_of_first,					\
	}

static const struct htmm_ioctl htmm_ioctls[] = {
	/* htmm_config_check() checks the flags of START and sets a better message. */
	HTMM_IOCTL(START, htmm_start, budget_interval_ms, 152, .flags = ~0U,
		   .run = htmm_ioctl_start),
	HTMM_IOCTL(STOP, htmm_stop, session, 16, .run = htmm_ioctl_stop),
	HTMM_IOCTL(GET_INFO, htmm_info, __reserved, 144, HTMM_RESERVED(htmm_info),
		   .needs_session = HTMM_NEED_IF_ANY, .open = true,
		   .copy_out = true, .run = htmm_ioctl_get_info),
	HTMM_IOCTL(GET_STATS, htmm_stats, cpus_failed, 304,
		   .arrays = { HTMM_ARRAY(htmm_stats, nr_channels, channel_size,
					  HTMM_FIRST_CHANNEL),
			       HTMM_ARRAY(htmm_stats, nr_events, event_size,
					  HTMM_FIRST_EVENT) },
		   .needs_session = HTMM_NEED_SESSION, .copy_out = true,
		   .run = htmm_ioctl_get_stats),
	HTMM_IOCTL(GET_HIST, htmm_histogram, samples, 80,
		   .arrays = { HTMM_ARRAY(htmm_histogram, nr_bins, bin_size,
					  HTMM_FIRST_BIN) },
		   .needs_session = HTMM_NEED_SESSION, .copy_out = true,
		   .run = htmm_ioctl_get_hist),
	HTMM_IOCTL(LIST_PAGES, htmm_list_pages, cursor, 112,
		   .flags = HTMM_LIST_ANY_PLACEMENT,
		   .arrays = { HTMM_ARRAY(htmm_list_pages, nr_pages, page_size,
					  HTMM_FIRST_PAGE) },
		   .needs_session = HTMM_NEED_SESSION, .copy_out = true,
		   .run = htmm_ioctl_list_pages),
	HTMM_IOCTL(COOL, htmm_cool, __reserved, 24, HTMM_RESERVED(htmm_cool),
		   .needs_session = HTMM_NEED_SESSION, .run = htmm_ioctl_cool),
	HTMM_IOCTL(RESET, htmm_reset, session, 16, .run = htmm_ioctl_reset),
	HTMM_IOCTL(ADD_TARGET, htmm_add_target, __reserved, 48,
		   HTMM_RESERVED(htmm_add_target), .run = htmm_ioctl_add_target),
	HTMM_IOCTL(REMOVE_TARGET, htmm_remove_target, __reserved, 24,
		   HTMM_RESERVED(htmm_remove_target),
		   .run = htmm_ioctl_remove_target),
	HTMM_IOCTL(GET_TARGETS, htmm_targets, target_size, 32,
		   .arrays = { HTMM_ARRAY(htmm_targets, nr_targets, target_size,
					  HTMM_FIRST_TARGET_INFO) },
		   .needs_session = HTMM_NEED_SESSION, .copy_out = true,
		   .run = htmm_ioctl_get_targets),
	HTMM_IOCTL(STREAM, htmm_stream, waiting_bytes, 96,
		   HTMM_RESERVED(htmm_stream),
		   .arrays = { HTMM_ARRAY(htmm_stream, nr_events, event_size,
					  HTMM_FIRST_STREAM_EVENT) },
		   .copy_out = true, .run = htmm_ioctl_stream),
	HTMM_IOCTL(SET, htmm_set, __reserved, 56, HTMM_RESERVED(htmm_set),
		   .flags = HTMM_SET_CAPACITY | HTMM_SET_PERIOD,
		   .run = htmm_ioctl_set),
	HTMM_IOCTL(GET_HIT_RATIO, htmm_hit_ratio, error_ppm, 64,
		   .needs_session = HTMM_NEED_SESSION, .copy_out = true,
		   .run = htmm_ioctl_get_hit_ratio),
	HTMM_IOCTL(GET_PLACEMENT, htmm_placement, shared_pages, 88,
		   .arrays = { HTMM_ARRAY(htmm_placement, nr_nodes, node_size,
					  HTMM_FIRST_NODE),
			       HTMM_ARRAY(htmm_placement, nr_bins, bin_size,
					  HTMM_FIRST_BIN) },
		   .needs_session = HTMM_NEED_SESSION, .copy_out = true,
		   .run = htmm_ioctl_get_placement),
	HTMM_IOCTL(GET_SERVED, htmm_served, __reserved, 40, HTMM_RESERVED(htmm_served),
		   .arrays = { HTMM_ARRAY(htmm_served, nr_rows, row_size,
					  HTMM_FIRST_SERVED_ROW) },
		   .needs_session = HTMM_NEED_SESSION, .copy_out = true,
		   .run = htmm_ioctl_get_served),
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

/* Checks that are the same for all ioctls. */
static int htmm_ioctl_check(const struct htmm_ioctl *ioctl,
			    const union htmm_arg *arg)
{
	const struct htmm_array *array = ioctl->arrays;
	int ret;

	if (arg->head.flags & ~ioctl->flags)
		return -EOPNOTSUPP;
	if (ioctl->reserved && htmm_arg_u32(arg, ioctl->reserved))
		return -EOPNOTSUPP;
	for (; array < ioctl->arrays + ARRAY_SIZE(ioctl->arrays); array++) {
		if (!array->count || !htmm_arg_u32(arg, array->count))
			continue;
		ret = htmm_uaccess_check_stride(htmm_arg_u32(arg, array->stride),
						array->first);
		if (ret)
			return ret;
	}
	return 0;
}

static int htmm_ioctl_run(const struct htmm_ioctl *ioctl, struct htmm_call *call)
{
	int ret;

	if (ioctl->needs_session != HTMM_NEED_NOTHING) {
		call->session = htmm_session_get(call->arg.head.session);
		if (IS_ERR(call->session))
			return PTR_ERR(call->session);
		if (!call->session && ioctl->needs_session == HTMM_NEED_SESSION)
			return -ENODATA;
	}
	ret = ioctl->run(call);
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

	call.arg.head.size = size;
	return copy_to_user(user, &call.arg, min_t(u32, size, ioctl->size)) ? -EFAULT : 0;
}
