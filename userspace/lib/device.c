// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <htmm/device.h>
#include <htmm/target.h>
#include "array.h"

#define LOAD_IT	"load the module: 'modprobe htmm', or 'insmod htmm.ko' where it was built"
/* Pages requested in one call. */
#define PAGES_BATCH	262144
/* Most lists are short, and the kernel allocates what it is asked for. */
#define PAGES_FIRST	4096

static const char *const drop_names[HTMM_NR_DROPS] = { HTMM_DROP_NAMES };

static const char *const state_names[] = {
	[HTMM_STATE_IDLE] = "idle",
	[HTMM_STATE_RUNNING] = "running",
	[HTMM_STATE_STOPPING] = "stopping",
	[HTMM_STATE_STOPPED] = "stopped",
};

static const char *const source_names[HTMM_NR_SOURCES] = {
	[HTMM_SOURCE_UNKNOWN] = "unknown",
	[HTMM_SOURCE_CACHE] = "cache",
	[HTMM_SOURCE_LOCAL] = "local",
	[HTMM_SOURCE_REMOTE] = "remote",
	[HTMM_SOURCE_SLOW] = "slow",
	[HTMM_SOURCE_OTHER] = "other",
};

static const char *const level_names[] = {
	[HTMM_SOURCE_UNKNOWN] = "any",
	[HTMM_SOURCE_LOCAL] = "memory",
	[HTMM_SOURCE_REMOTE] = "remote",
	[HTMM_SOURCE_SLOW] = "slow",
};

static const char *const target_names[] = {
	[HTMM_TARGET_TGID] = "process",
	[HTMM_TARGET_CGROUP] = "cgroup",
	[HTMM_TARGET_ALL] = "all",
};

const char *htmm_drop_name(unsigned int drop)
{
	return drop < HTMM_NR_DROPS ? drop_names[drop] : NULL;
}

const char *htmm_source_name(unsigned int source)
{
	return source < HTMM_NR_SOURCES ? source_names[source] : NULL;
}

const char *htmm_level_name(unsigned int level)
{
	return level < ARRAY_SIZE(level_names) ? level_names[level] : NULL;
}

const char *htmm_state_name(__u32 state)
{
	return state <= HTMM_STATE_STOPPED ? state_names[state] : "unknown";
}

const char *htmm_target_type_name(__u32 type)
{
	return (type < ARRAY_SIZE(target_names) ? target_names[type] : NULL) ?: "unknown";
}

static __u64 sum_drops(const struct htmm_counters *counters, __u32 reasons)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < HTMM_DROP_SLOTS; i++)
		if (reasons >> i & 1)
			sum += counters->drops[i];
	return sum;
}

__u64 htmm_counters_lost(const struct htmm_counters *counters)
{
	return sum_drops(counters, ~HTMM_DROPS_UNWANTED);
}

__u64 htmm_counters_filtered(const struct htmm_counters *counters)
{
	return sum_drops(counters, HTMM_DROPS_UNWANTED);
}

void htmm_counters_add(struct htmm_counters *sum, const struct htmm_counters *counters)
{
	int i;

	sum->overflows += counters->overflows;
	sum->counted += counters->counted;
	sum->in_flight += counters->in_flight;
	sum->throttled += counters->throttled;
	sum->nmi += counters->nmi;
	for (i = 0; i < HTMM_DROP_SLOTS; i++)
		sum->drops[i] += counters->drops[i];
}

/**
 * struct advice - what to do about an error
 * @code: the errno; 0: any other, at the end of a table
 * @todo: what to do
 */
struct advice {
	int code;
	const char *todo;
};

static const struct advice start_advice[] = {
	{ EPERM,
	  "run it as root or with CAP_PERFMON, and see 'htmmctl doctor' for kernel lockdown" },
	{ EBUSY, "stop the other user of the PMU, or sample other events" },
	{ ESRCH, "check the pid" },
	{ EBADF, "give the directory of a cgroup of version 2" },
	{ EEXIST, "name each of them once" },
	{ ENOENT, "see 'htmmctl doctor'; page faults can be sampled everywhere" },
	{ EOPNOTSUPP,
	  "try a lower precision (:pp or :p), or a newer module; see 'htmmctl doctor'" },
	{ ENOMEM, "ask for smaller rings or tables" },
	{ ENODEV, "choose CPUs that are online, see lscpu" },
	{ E2BIG, "use fewer events or targets, or a module as new as this program" },
	{ ERANGE, "choose a value that this machine allows" },
	{ EINVAL, "check the request, or try a lower precision (:pp or :p); see 'htmmctl doctor'" },
	{ ENOTTY, "load the module that belongs to this program" },
	{ 0, "see the kernel log (dmesg)" },
};

static const struct advice set_advice[] = {
	{ ENODATA, "start one with 'htmmctl start'" },
	{ ENOENT, "see 'htmmctl target list' and 'htmmctl status'" },
	{ EBUSY, "start a session without a budget" },
	{ EPERM, "choose a longer period" },
	{ ERANGE, "choose another period, or start with a smaller min-period" },
	{ 0, "check the request" },
};

static const struct advice add_advice[] = {
	{ ENODATA, "start one with 'htmmctl start'" },
	{ EEXIST, "see 'htmmctl target list'" },
	{ ENOSPC, "see 'htmmctl target list'" },
	{ ESRCH, "check the pid" },
	{ ERANGE, "ask for a smaller table, or remove another target" },
	{ ENOMEM, "ask for a smaller table, or remove another target" },
	{ EBADF, "give the directory of a cgroup of version 2" },
	{ 0, "check the request" },
};

static const char *advice_of(const struct advice *advice, int code)
{
	while (advice->code && advice->code != code)
		advice++;
	return advice->todo;
}

/* Calls the ioctl, again after a signal. Returns 0 or a negative errno. */
static int call(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

/*
 * The same for an ioctl with an error buffer: @error and @error_size are those members of
 * @arg, set to zero afterwards. The module's own message, if any, is copied to @text without its
 * full stop.
 */
static int call_told(int fd, unsigned long request, void *arg, __u64 *error, __u32 *error_size,
		     char text[HTMM_ERROR_LEN])
{
	size_t len;
	int ret;

	*text = '\0';
	*error = (__u64)(unsigned long)text;
	*error_size = HTMM_ERROR_LEN;
	ret = call(fd, request, arg);
	*error = 0;
	*error_size = 0;
	text[HTMM_ERROR_LEN - 1] = '\0';
	for (len = strlen(text); len && strchr(".\n", text[len - 1]); len--)
		text[len - 1] = '\0';
	return ret;
}

/* Explains an errno that means the same for every ioctl. Returns it, negative; 0: there is none. */
static int failed(int code, const char *verb, struct htmm_error *err)
{
	switch (code) {
	case 0:
		return 0;
	case EPERM:
		return htmm_error_set(err, code, "run it as root or with CAP_PERFMON",
				      "not permitted to %s", verb);
	case ENODATA:
		return htmm_error_set(err, code, "start one with 'htmmctl start'",
				      "there is no session, running or stopped");
	case EALREADY:
		return htmm_error_set(err, code, "start one with 'htmmctl start'",
				      "no session is running");
	case ESTALE:
		return htmm_error_set(err, code, "see 'htmmctl status'",
				      "the session has ended, and another one may have begun");
	case EOPNOTSUPP:
		return htmm_error_set(err, code, "load a newer module",
				      "the module does not support this way to %s", verb);
	case ENOTTY:
		return htmm_error_set(err, code, "load the module that belongs to this program",
				      "the module does not know how to %s", verb);
	}
	return htmm_error_set(err, code, "see the kernel log (dmesg)", "cannot %s: %s",
			      verb, strerror(code));
}

/* The same for ioctls about a target. */
static int failed_target(int code, __u32 target, const char *verb, struct htmm_error *err)
{
	if (code == ENOENT)
		return htmm_error_set(err, ENOENT, "see 'htmmctl target list'",
				      "the session has no target %u", target);
	return failed(code, verb, err);
}

int htmm_device_open(const char *path, struct htmm_error *err)
{
	const char *name = path ? path : HTMM_DEVICE_PATH;
	int fd = open(name, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	switch (errno) {
	case ENOENT:
		if (!path && !access("/sys/module/htmm", F_OK))
			return htmm_error_set(err, ENOENT, "mount devtmpfs on /dev, or run udev",
					      "%s is missing although the module is loaded", name);
		return htmm_error_set(err, ENOENT, LOAD_IT, "%s does not exist", name);
	case ENODEV:
	case ENXIO:
		return htmm_error_set(err, errno, LOAD_IT, "%s has no driver", name);
	case EPERM:
	case EACCES:
		return htmm_error_set(err, errno,
				      "run it as root, or as a member of its group, see htmm(4)",
				      "not permitted to open %s", name);
	}
	return htmm_error_set(err, errno, NULL, "cannot open %s: %s", name, strerror(errno));
}

int (htmm_device_start)(int fd, struct htmm_start *start, size_t size, struct htmm_error *err)
{
	char text[HTMM_ERROR_LEN];
	struct htmm_info info;
	const char *todo;
	int code;

	start->size = size;
	start->session = 0;
	start->event_size = sizeof(struct htmm_event);
	start->target_size = sizeof(struct htmm_target);
	code = -call_told(fd, HTMM_IOC_START, start, &start->error, &start->error_size, text);
	todo = advice_of(start_advice, code);
	if (!code)
		return 0;
	/* Another session may be busy, or a PMU. */
	if (code == EBUSY && !htmm_device_info(fd, &info, NULL) && info.owner &&
	    (info.state == HTMM_STATE_RUNNING || info.state == HTMM_STATE_STOPPING))
		return htmm_error_set(err, code, "stop it with 'htmmctl stop'",
				      "a session started by pid %u is %s", info.owner,
				      htmm_state_name(info.state));
	if (*text)
		return htmm_error_set(err, code, todo, "%s", text);
	if (code == EPERM)
		return htmm_error_set(err, code, todo, "not permitted to sample");
	return htmm_error_set(err, code, todo, "cannot start sampling: %s", strerror(code));
}

int (htmm_device_set)(int fd, struct htmm_set *set, size_t size, struct htmm_error *err)
{
	char text[HTMM_ERROR_LEN];
	int code;

	set->size = size;
	code = -call_told(fd, HTMM_IOC_SET, set, &set->error, &set->error_size, text);
	if (!*text)
		return failed(code, "change the session", err);
	return htmm_error_set(err, code, advice_of(set_advice, code), "%s", text);
}

int htmm_device_pause(int fd, __u64 session, struct htmm_error *err)
{
	struct htmm_set set = { .flags = HTMM_SET_PAUSE, .session = session };

	return htmm_device_set(fd, &set, err);
}

int htmm_device_resume(int fd, __u64 session, struct htmm_error *err)
{
	struct htmm_set set = { .flags = HTMM_SET_RESUME, .session = session };

	return htmm_device_set(fd, &set, err);
}

int htmm_device_add_target(int fd, const struct htmm_target *target, __u32 *number,
			   struct htmm_error *err)
{
	char text[HTMM_ERROR_LEN];
	struct htmm_add_target arg = {
		.size = sizeof(arg),
		.target = (__u64)(unsigned long)target,
		.target_size = sizeof(*target),
	};
	int code = -call_told(fd, HTMM_IOC_ADD_TARGET, &arg, &arg.error, &arg.error_size, text);

	*number = arg.number;
	if (!*text)
		return failed(code, "add a target", err);
	return htmm_error_set(err, code, advice_of(add_advice, code), "%s", text);
}

int htmm_device_remove_target(int fd, __u32 number, struct htmm_error *err)
{
	struct htmm_target_id arg = { .size = sizeof(arg), .target = number };
	int code = -call(fd, HTMM_IOC_REMOVE_TARGET, &arg);

	return failed_target(code, number, "remove a target", err);
}

int htmm_target_cool(int fd, __u32 target, struct htmm_error *err)
{
	struct htmm_target_id arg = { .size = sizeof(arg), .target = target };

	return failed_target(-call(fd, HTMM_IOC_COOL, &arg), target, "cool the counts", err);
}

int htmm_device_stop(int fd, __u64 session, struct htmm_error *err)
{
	struct htmm_session_id arg = { .size = sizeof(arg), .session = session };

	return failed(-call(fd, HTMM_IOC_STOP, &arg), "stop sampling", err);
}

int htmm_device_reset(int fd, __u64 session, struct htmm_error *err)
{
	struct htmm_session_id arg = { .size = sizeof(arg), .session = session };

	return failed(-call(fd, HTMM_IOC_RESET, &arg), "reset the counts", err);
}

int (htmm_device_info)(int fd, struct htmm_info *info, size_t size, struct htmm_error *err)
{
	memset(info, 0, size);
	info->size = size;
	return failed(-call(fd, HTMM_IOC_GET_INFO, info), "read the status", err);
}

int htmm_device_feed(int fd, __u64 session, __u32 flags, __u32 event,
		     const struct htmm_feed_sample *samples, __u32 *nr, struct htmm_error *err)
{
	const struct htmm_feed_sample *const end = samples + *nr;
	struct htmm_feed arg = { .size = sizeof(arg), .session = session, .flags = flags,
				 .event = event, .nr_samples = *nr,
				 .sample_size = sizeof(*samples) };
	int ret = 0;

	while (arg.nr_samples && !ret) {
		arg.samples = (__u64)(unsigned long)(end - arg.nr_samples);
		ret = call(fd, HTMM_IOC_FEED, &arg);
		if (ret != -EAGAIN)
			continue;
		usleep(1000);
		ret = 0;
	}
	*nr = arg.nr_samples;
	return failed(-ret, "hand in samples", err);
}

/* Below, a call tells how many elements there are; if it is more than fit, ask again. */

int (htmm_device_stats)(int fd, struct htmm_stats_buf *buf, size_t size, struct htmm_error *err)
{
	const size_t known = size - offsetof(struct htmm_stats_buf, stats);
	struct htmm_stats *stats = &buf->stats;
	__u32 channels = 0, events = 0;
	int ret;

	memset(buf, 0, size);
	for (;; channels = stats->nr_channels, events = stats->nr_events) {
		htmm_stats_free(buf);
		buf->channels = calloc(channels ?: 1, sizeof(*buf->channels));
		buf->events = calloc(events ?: 1, sizeof(*buf->events));
		memset(stats, 0, known);
		stats->size = known;
		stats->channels = (__u64)(unsigned long)buf->channels;
		stats->nr_channels = channels;
		stats->channel_size = sizeof(struct htmm_channel_info);
		stats->events = (__u64)(unsigned long)buf->events;
		stats->nr_events = events;
		stats->event_size = sizeof(struct htmm_event);
		ret = buf->channels && buf->events ? call(fd, HTMM_IOC_GET_STATS, stats) : -ENOMEM;
		if (ret || (stats->nr_channels <= channels && stats->nr_events <= events))
			break;
	}
	if (ret)
		htmm_stats_free(buf);
	return failed(-ret, "read the statistics", err);
}

void htmm_stats_free(struct htmm_stats_buf *buf)
{
	free(buf->channels);
	free(buf->events);
	/* No more: a program may know less of the counters. */
	memset(buf, 0, offsetof(struct htmm_stats_buf, stats));
}

/*
 * Calls an ioctl that fills an array, until there is room for all. @arg: of the ioctl, with @at,
 * where the array is, and @nr, its elements of @size bytes. Returns the array; NULL: see @ret.
 */
static void *call_rows(int fd, unsigned long request, void *arg, __u64 *at, __u32 *nr,
		       size_t size, int *ret)
{
	void *rows = NULL;
	__u32 room;

	do {
		room = *nr;
		free(rows);
		rows = calloc(room, size);
		*at = (__u64)(unsigned long)rows;
		*ret = rows ? call(fd, request, arg) : -ENOMEM;
	} while (!*ret && *nr > room);
	if (!*ret)
		return rows;
	free(rows);
	return NULL;
}

int htmm_device_targets(int fd, struct htmm_target_list *list, struct htmm_error *err)
{
	struct htmm_targets arg = {
		.size = sizeof(arg),
		.nr_targets = 4, /* most have fewer; else it is called again */
		.target_size = sizeof(*list->target),
	};
	int ret;

	list->target = call_rows(fd, HTMM_IOC_GET_TARGETS, &arg, &arg.targets, &arg.nr_targets,
				 sizeof(*list->target), &ret);
	list->nr = ret ? 0 : arg.nr_targets;
	return failed(-ret, "read the targets", err);
}

void htmm_targets_free(struct htmm_target_list *list)
{
	free(list->target);
	memset(list, 0, sizeof(*list));
}

int htmm_target_hit_ratio(int fd, __u32 target, __u32 unit, __u64 capacity_pages,
			  struct htmm_hit_ratio *ratio, struct htmm_error *err)
{
	int ret;

	*ratio = (struct htmm_hit_ratio) {
		.size = sizeof(*ratio),
		.unit = unit,
		.target = target,
		.capacity_pages = capacity_pages,
	};
	ret = call(fd, HTMM_IOC_GET_HIT_RATIO, ratio);
	if (ret == -EOPNOTSUPP)
		return htmm_error_set(err, EOPNOTSUPP, "ask for that of pages",
				      "the module has no hit ratio of this unit");
	return failed_target(-ret, target, "read the hit ratio", err);
}

int htmm_target_hist(int fd, __u32 target, __u32 unit, struct htmm_histogram *hist,
		     struct htmm_error *err)
{
	int ret;

	*hist = (struct htmm_histogram) { .size = sizeof(*hist), .unit = unit, .target = target };
	ret = call(fd, HTMM_IOC_GET_HIST, hist);
	if (ret == -EOPNOTSUPP)
		return htmm_error_set(err, EOPNOTSUPP, "ask for that of pages",
				      "the module has no histogram of this unit");
	return failed_target(-ret, target, "read the histogram", err);
}

static int placement_missing(int code, struct htmm_error *err)
{
	return htmm_error_set(err, code, "load a newer module, on a kernel with CONFIG_HMM_MIRROR",
			      "the module cannot tell where pages are");
}

static int placement_denied(struct htmm_error *err)
{
	return htmm_error_set(err, EPERM, "run it as root or with CAP_PERFMON and CAP_SYS_PTRACE",
			      "not permitted to read what is in memory, and where");
}

int htmm_device_placement(int fd, __u32 target, struct htmm_placement_buf *buf,
			  struct htmm_error *err)
{
	struct htmm_placement *arg = &buf->placement;
	int ret;

	*arg = (struct htmm_placement) {
		.size = sizeof(*arg),
		.target = target,
		.node_size = sizeof(*buf->nodes),
		/* Enough for most machines: another call would read all page tables again. */
		.nr_nodes = 16,
	};
	buf->nodes = call_rows(fd, HTMM_IOC_GET_PLACEMENT, arg, &arg->nodes, &arg->nr_nodes,
			       sizeof(*buf->nodes), &ret);
	if (!ret)
		return 0;
	htmm_placement_free(buf);
	if (ret == -EOPNOTSUPP || ret == -ENOTTY)
		return placement_missing(-ret, err);
	if (ret == -EPERM)
		return placement_denied(err);
	return failed_target(-ret, target, "read the placement", err);
}

void htmm_placement_free(struct htmm_placement_buf *buf)
{
	free(buf->nodes);
	memset(buf, 0, sizeof(*buf));
}

int htmm_device_served(int fd, __u32 target, struct htmm_served_buf *buf, struct htmm_error *err)
{
	struct htmm_served *arg = &buf->served;
	int ret;

	*arg = (struct htmm_served) {
		.size = sizeof(*arg),
		.target = target,
		.row_size = sizeof(*buf->rows),
		.nr_rows = 8 * HTMM_MAX_EVENTS,
	};
	buf->rows = call_rows(fd, HTMM_IOC_GET_SERVED, arg, &arg->rows, &arg->nr_rows,
			      sizeof(*buf->rows), &ret);
	if (ret)
		htmm_served_free(buf);
	return failed_target(-ret, target, "read what served samples", err);
}

void htmm_served_free(struct htmm_served_buf *buf)
{
	free(buf->rows);
	memset(buf, 0, sizeof(*buf));
}

static int list_failed(int code, const struct htmm_list_pages *request, struct htmm_error *err)
{
	if (code == EOPNOTSUPP && request->flags)
		return placement_missing(code, err);
	/* Without these flags, the list only does not tell where pages are. */
	if (code == EPERM && request->flags & ~HTMM_LIST_PLACEMENT)
		return placement_denied(err);
	if (code == ESTALE)
		return htmm_error_set(err, ESTALE, "ask again",
				      "another session began while the pages were read");
	return failed_target(code, request->target, "list the pages", err);
}

int htmm_device_list_pages(int fd, const struct htmm_list_pages *request, size_t max,
			   struct htmm_page_list *list, struct htmm_error *err)
{
	struct htmm_list_pages arg = *request;
	/* Only in this order a call goes on where the last one has ended. */
	size_t batch = arg.order == HTMM_ORDER_TABLE ? PAGES_FIRST : PAGES_BATCH;
	size_t room = 0, want;
	struct htmm_page *pages;
	int ret = 0;

	arg.size = sizeof(arg);
	arg.page_size = sizeof(struct htmm_page);
	memset(list, 0, sizeof(*list));
	do {
		want = max && max - list->nr < batch ? max - list->nr : batch;
		batch = batch < PAGES_BATCH ? 2 * batch : batch;
		if (list->nr + want > room) {
			room = list->nr + (list->nr > want ? list->nr : want);
			pages = realloc(list->pages, room * sizeof(*pages));
			if (!pages) {
				ret = -ENOMEM;
				break;
			}
			list->pages = pages;
		}
		arg.pages = (__u64)(unsigned long)(list->pages + list->nr);
		arg.nr_pages = want;
		ret = call(fd, HTMM_IOC_LIST_PAGES, &arg);
		if (ret)
			break;
		list->nr += arg.nr_pages;
		list->skipped += arg.skipped;
	} while (arg.nr_pages && list->nr != max);

	if (!ret)
		return 0;
	htmm_pages_free(list);
	return list_failed(-ret, request, err);
}

void htmm_pages_free(struct htmm_page_list *list)
{
	free(list->pages);
	memset(list, 0, sizeof(*list));
}
