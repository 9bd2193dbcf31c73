// SPDX-License-Identifier: GPL-2.0
/* The ioctls of /dev/htmm: what comes from user space, and what goes back. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "base/config.h"
#include "ioctl.h"
#include "session/session.h"
#include "snapshot.h"
#include "streamfile.h"
#include "uaccess.h"

/* Sizes of the elements of arrays in their first version; they only grow. */
#define HTMM_FIRST_EVENT	offsetofend(struct htmm_event, __reserved)
#define HTMM_FIRST_TARGET	offsetofend(struct htmm_target, max_bytes)
#define HTMM_FIRST_CHANNEL	offsetofend(struct htmm_channel, counters)
#define HTMM_FIRST_HOT_PAGE	offsetofend(struct htmm_hot_page, __reserved)
#define HTMM_FIRST_TARGET_INFO	offsetofend(struct htmm_target_info, space_bytes)

/**
 * struct htmm_added_target - a struct htmm_add_target, and what only undoing it takes
 * @add: the caller's
 * @name: whom it has added
 */
struct htmm_added_target {
	struct htmm_add_target add;
	struct htmm_target_name name;
};

union htmm_arg {
	struct htmm_simple simple;
	struct htmm_start start;
	struct htmm_info info;
	struct htmm_stats stats;
	struct htmm_histogram histogram;
	struct htmm_hit_ratio hit_ratio;
	struct htmm_hot_pages hot_pages;
	struct htmm_stream stream;
	struct htmm_cool cool;
	struct htmm_add_target add_target;
	struct htmm_remove_target remove_target;
	struct htmm_targets targets;
	struct htmm_set set;
	struct htmm_added_target added;
};

static int htmm_copy_config(struct htmm_config *config,
			    const struct htmm_start *start,
			    struct htmm_error *err)
{
	int ret;

	config->start = *start;
	if (start->nr_events > HTMM_MAX_EVENTS)
		return htmm_fail(err, -E2BIG, "%u events, but %u is the most",
				 start->nr_events, HTMM_MAX_EVENTS);
	if (start->nr_targets > HTMM_MAX_TARGETS)
		return htmm_fail(err, -E2BIG, "%u targets, but %u is the most",
				 start->nr_targets, HTMM_MAX_TARGETS);

	ret = htmm_copy_array_in(config->events, sizeof(config->events[0]),
				 HTMM_FIRST_EVENT, start->events,
				 start->event_size, start->nr_events);
	if (ret)
		return htmm_fail(err, ret, "the array of events cannot be read");
	ret = htmm_copy_array_in(config->targets, sizeof(config->targets[0]),
				 HTMM_FIRST_TARGET, start->targets,
				 start->target_size, start->nr_targets);
	if (ret)
		return htmm_fail(err, ret, "the array of targets cannot be read");
	ret = htmm_copy_cpus(config->cpus, start->cpus, start->cpus_size,
			     "cpus", err);
	if (ret)
		return ret;
	return htmm_copy_cpus(config->drain_cpus, start->drain_cpus,
			      start->drain_cpus_size, "drain_cpus", err);
}

static int htmm_start_session(const struct htmm_start *start, const void *holder,
			      struct htmm_error *err)
{
	struct htmm_config *config;
	int ret;

	ret = security_locked_down(LOCKDOWN_PERF);
	if (ret)
		return htmm_fail(err, ret, "kernel lockdown forbids perf");

	config = htmm_config_alloc();
	if (!config)
		return -ENOMEM;
	ret = htmm_copy_config(config, start, err);
	if (!ret)
		ret = htmm_config_check(config, err);
	if (!ret)
		ret = htmm_session_start(config, holder, err);
	if (ret)
		htmm_config_free(config);
	return ret;
}

/* What cannot be copied is lost: the errno says the most important part. */
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

static int htmm_ioctl_start(struct file *file, union htmm_arg *arg)
{
	bool detached = arg->start.flags & HTMM_START_DETACHED;
	struct htmm_error err = {};
	int ret;

	ret = htmm_start_session(&arg->start, detached ? NULL : file, &err);
	if (ret)
		htmm_report_error(arg->start.error, arg->start.error_size, &err);
	return ret;
}

static int htmm_ioctl_stop(struct file *file, union htmm_arg *arg)
{
	return htmm_session_stop();
}

static int htmm_ioctl_get_info(struct file *file, union htmm_arg *arg)
{
	struct htmm_session *session = htmm_session_get();

	htmm_snapshot_info(session, &arg->info);
	htmm_session_put(session);
	return 0;
}

static int htmm_get_stats(struct htmm_session *session, struct htmm_stats *stats)
{
	const struct htmm_config *config = session->config;
	struct htmm_channel *channels;
	u32 n;
	int ret;

	channels = kvcalloc(session->samplers.nr_samplers, sizeof(*channels),
			    GFP_KERNEL);
	if (!channels)
		return -ENOMEM;

	n = htmm_snapshot_stats(session, stats, channels);
	ret = htmm_copy_array_out(stats->channels, stats->channel_size,
				  channels, sizeof(*channels),
				  min(stats->nr_channels, n));
	if (!ret)
		ret = htmm_copy_array_out(stats->events, stats->event_size,
					  config->events,
					  sizeof(config->events[0]),
					  min(stats->nr_events,
					      config->start.nr_events));
	stats->nr_channels = n;
	stats->nr_events = config->start.nr_events;
	kvfree(channels);
	return ret;
}

static int htmm_ioctl_get_stats(struct file *file, union htmm_arg *arg)
{
	struct htmm_stats *stats = &arg->stats;
	struct htmm_session *session;
	int ret = 0;

	if (stats->nr_channels)
		ret = htmm_check_stride(stats->channel_size, HTMM_FIRST_CHANNEL);
	if (!ret && stats->nr_events)
		ret = htmm_check_stride(stats->event_size, HTMM_FIRST_EVENT);
	if (ret)
		return ret;

	session = htmm_session_get();
	if (!session)
		return -ENODATA;
	ret = htmm_get_stats(session, stats);
	htmm_session_put(session);
	return ret;
}

static int htmm_ioctl_get_hist(struct file *file, union htmm_arg *arg)
{
	struct htmm_session *session;
	int ret;

	if (arg->histogram.kind > HTMM_HIST_HUGE || arg->histogram.__reserved)
		return -EINVAL;

	session = htmm_session_get();
	if (!session)
		return -ENODATA;
	ret = htmm_snapshot_histogram(session, &arg->histogram);
	htmm_session_put(session);
	return ret;
}

static int htmm_ioctl_get_hit_ratio(struct file *file, union htmm_arg *arg)
{
	struct htmm_session *session;
	int ret;

	if (arg->hit_ratio.kind > HTMM_HIST_HUGE)
		return -EINVAL;

	session = htmm_session_get();
	if (!session)
		return -ENODATA;
	ret = htmm_snapshot_hit_ratio(session, &arg->hit_ratio);
	htmm_session_put(session);
	return ret;
}

static int htmm_get_hot_pages(struct htmm_session *session,
			      struct htmm_hot_pages *hot)
{
	u32 room = min_t(u32, hot->nr_pages, HTMM_SNAPSHOT_PAGES);
	struct htmm_hot_page *pages;
	int n, ret;

	pages = kvcalloc(room, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return -ENOMEM;

	n = htmm_snapshot_hot_pages(session, hot->target, hot->cursor, pages,
				    room);
	ret = n < 0 ? n : htmm_copy_array_out(hot->pages, hot->page_size, pages,
					      sizeof(*pages), n);
	if (!ret)
		hot->nr_pages = n;
	kvfree(pages);
	return ret;
}

static int htmm_ioctl_get_hot_pages(struct file *file, union htmm_arg *arg)
{
	struct htmm_hot_pages *hot = &arg->hot_pages;
	struct htmm_session *session;
	int ret;

	if (!hot->nr_pages || hot->__reserved)
		return -EINVAL;
	ret = htmm_check_stride(hot->page_size, HTMM_FIRST_HOT_PAGE);
	if (ret)
		return ret;

	session = htmm_session_get();
	if (!session)
		return -ENODATA;
	ret = htmm_get_hot_pages(session, hot);
	htmm_session_put(session);
	return ret;
}

static int htmm_ioctl_cool(struct file *file, union htmm_arg *arg)
{
	struct htmm_session *session;
	int ret;

	if (arg->cool.__reserved)
		return -EINVAL;
	session = htmm_session_get();
	if (!session)
		return -ENODATA;
	ret = htmm_snapshot_cool(session, arg->cool.target);
	htmm_session_put(session);
	return ret;
}

static int htmm_ioctl_reset(struct file *file, union htmm_arg *arg)
{
	return htmm_session_reset();
}

static int htmm_ioctl_add_target(struct file *file, union htmm_arg *arg)
{
	struct htmm_target_name *name = &arg->added.name;
	struct htmm_add_target *add = &arg->add_target;
	struct htmm_target target = {};
	struct htmm_error err = {};
	int ret;

	if (add->__reserved)
		return -EINVAL;
	ret = htmm_copy_array_in(&target, sizeof(target), HTMM_FIRST_TARGET,
				 add->target, add->target_size, 1);
	if (ret)
		htmm_fail(&err, ret, "the target cannot be read");
	else
		ret = htmm_session_add_target(&target, name, &err);
	if (ret)
		htmm_report_error(add->error, add->error_size, &err);
	else
		add->number = name->number;
	return ret;
}

/* A caller that does not learn the number could not remove it again. */
static void htmm_undo_add_target(union htmm_arg *arg)
{
	htmm_session_undo_target(&arg->added.name);
}

static int htmm_ioctl_remove_target(struct file *file, union htmm_arg *arg)
{
	if (arg->remove_target.__reserved)
		return -EINVAL;
	return htmm_session_remove_target(arg->remove_target.target);
}

static int htmm_get_targets(struct htmm_session *session,
			    struct htmm_targets *targets)
{
	struct htmm_target_info *info;
	u32 n;
	int ret;

	info = kvcalloc(HTMM_MAX_TARGETS, sizeof(*info), GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	n = htmm_snapshot_targets(session, info);
	ret = htmm_copy_array_out(targets->targets, targets->target_size, info,
				  sizeof(*info), min(targets->nr_targets, n));
	targets->nr_targets = n;
	kvfree(info);
	return ret;
}

static int htmm_ioctl_get_targets(struct file *file, union htmm_arg *arg)
{
	struct htmm_targets *targets = &arg->targets;
	struct htmm_session *session;
	int ret = 0;

	if (targets->nr_targets)
		ret = htmm_check_stride(targets->target_size,
					HTMM_FIRST_TARGET_INFO);
	if (ret)
		return ret;
	session = htmm_session_get();
	if (!session)
		return -ENODATA;
	ret = htmm_get_targets(session, targets);
	htmm_session_put(session);
	return ret;
}

static int htmm_ioctl_set(struct file *file, union htmm_arg *arg)
{
	struct htmm_set *set = &arg->set;
	struct htmm_error err = {};
	int ret;

	if (set->__reserved)
		return -EINVAL;
	ret = htmm_session_set(set, &err);
	if (ret)
		htmm_report_error(set->error, set->error_size, &err);
	return ret;
}

static int htmm_ioctl_stream(struct file *file, union htmm_arg *arg)
{
	return htmm_streamfile_attach(file, &arg->stream);
}

/**
 * struct htmm_ioctl - one ioctl of /dev/htmm
 * @size: size of its struct in this version
 * @min_size: size of its struct in the first version, of which the member given to
 *	HTMM_IOCTL() was the last
 * @flags: bits of the struct's member of that name that are known here
 * @open: needs no capability
 * @copy_out: the struct is written back
 * @run: does it; the argument is a copy in kernel memory
 * @undo: undoes it if the struct cannot be written back; may be NULL
 */
struct htmm_ioctl {
	u32 size;
	u32 min_size;
	u32 flags;
	bool open;
	bool copy_out;
	int (*run)(struct file *file, union htmm_arg *arg);
	void (*undo)(union htmm_arg *arg);
};

#define HTMM_IOCTL(cmd, type, last, ...)				\
	[_IOC_NR(HTMM_IOC_##cmd)] = {					\
		.size = sizeof(struct type),				\
		.min_size = offsetofend(struct type, last),		\
		__VA_ARGS__						\
	}

static const struct htmm_ioctl htmm_ioctls[] = {
	/* htmm_config_check() looks at the flags of START, to say more. */
	HTMM_IOCTL(START, htmm_start, drain_threads, .flags = ~0U,
		   .run = htmm_ioctl_start),
	HTMM_IOCTL(STOP, htmm_simple, flags, .run = htmm_ioctl_stop),
	HTMM_IOCTL(GET_INFO, htmm_info, __reserved, .open = true,
		   .copy_out = true, .run = htmm_ioctl_get_info),
	HTMM_IOCTL(GET_STATS, htmm_stats, cpus_failed, .copy_out = true,
		   .run = htmm_ioctl_get_stats),
	HTMM_IOCTL(GET_HIST, htmm_histogram, __reserved, .copy_out = true,
		   .run = htmm_ioctl_get_hist),
	HTMM_IOCTL(GET_HOT_PAGES, htmm_hot_pages, __reserved, .copy_out = true,
		   .run = htmm_ioctl_get_hot_pages),
	HTMM_IOCTL(COOL, htmm_cool, __reserved, .run = htmm_ioctl_cool),
	HTMM_IOCTL(RESET, htmm_simple, flags, .run = htmm_ioctl_reset),
	HTMM_IOCTL(ADD_TARGET, htmm_add_target, __reserved, .copy_out = true,
		   .run = htmm_ioctl_add_target, .undo = htmm_undo_add_target),
	HTMM_IOCTL(REMOVE_TARGET, htmm_remove_target, __reserved,
		   .run = htmm_ioctl_remove_target),
	HTMM_IOCTL(GET_TARGETS, htmm_targets, target_size, .copy_out = true,
		   .run = htmm_ioctl_get_targets),
	HTMM_IOCTL(STREAM, htmm_stream, waiting_bytes, .copy_out = true,
		   .run = htmm_ioctl_stream),
	HTMM_IOCTL(SET, htmm_set, __reserved,
		   .flags = HTMM_SET_CAPACITY | HTMM_SET_PERIOD,
		   .run = htmm_ioctl_set),
	HTMM_IOCTL(GET_HIT_RATIO, htmm_hit_ratio, error_ppm, .copy_out = true,
		   .run = htmm_ioctl_get_hit_ratio),
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

/**
 * htmm_ioctl - an ioctl of /dev/htmm
 * @file: the open file
 * @cmd: HTMM_IOC_*
 * @uarg: pointer to its struct in user space
 *
 * Context: process context of the caller, may sleep.
 * Return: 0 or an errno documented in uapi/linux/htmm.h.
 */
long htmm_ioctl(struct file *file, unsigned int cmd, unsigned long uarg)
{
	const struct htmm_ioctl *ioctl = htmm_ioctl_find(cmd);
	void __user *user = (void __user *)uarg;
	union htmm_arg arg = {};
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
	ret = copy_struct_from_user(&arg, ioctl->size, user, size);
	if (ret)
		return ret;
	/* Every struct begins with its size and its flags. */
	if (arg.simple.flags & ~ioctl->flags)
		return -EINVAL;

	ret = ioctl->run(file, &arg);
	if (ret || !ioctl->copy_out)
		return ret;
	arg.simple.size = size;
	if (!copy_to_user(user, &arg, min(size, ioctl->size)))
		return 0;
	if (ioctl->undo)
		ioctl->undo(&arg);
	return -EFAULT;
}
