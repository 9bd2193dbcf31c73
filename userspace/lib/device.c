// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <htmm/device.h>
#include <htmm/target.h>
#include "array.h"
#include "ioctl.h"

/* Advice by errno for a failed start. */
static const struct {
	int code;
	const char *todo;
} start_todo[] = {
	{ EPERM,
	  "run it as root or with CAP_PERFMON, and see 'htmmctl doctor' for kernel lockdown" },
	{ EBUSY,
	  "stop the other user of the PMU, or sample other events" },
	{ ESRCH,
	  "check the pid" },
	{ EBADF,
	  "give the directory of a cgroup of version 2" },
	{ EEXIST,
	  "name each of them once" },
	{ ENOENT,
	  "see 'htmmctl doctor'; page faults can be sampled everywhere" },
	{ EOPNOTSUPP,
	  "try a lower precision (:pp or :p), or a newer module; see 'htmmctl doctor'" },
	{ ENOMEM,
	  "ask for smaller rings or tables" },
	{ ENODEV,
	  "choose CPUs that are online, see lscpu" },
	{ E2BIG,
	  "use fewer events or targets, or a module as new as this program" },
	{ ERANGE,
	  "choose a value that this machine allows" },
	{ EINVAL,
	  "check the request, or try a lower precision (:pp or :p); see 'htmmctl doctor'" },
	{ ENOTTY,
	  "load the module that belongs to this program" },
};

static const char *start_advice(int code)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(start_todo); i++)
		if (start_todo[i].code == code)
			return start_todo[i].todo;
	return "see the kernel log (dmesg)";
}

#define LOAD_IT	"load the module: 'modprobe htmm', or 'insmod htmm.ko' where it was built"

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
		return htmm_error_set(err, ENOENT, LOAD_IT,
				      "%s does not exist", name);
	case ENODEV:
	case ENXIO:
		return htmm_error_set(err, errno, LOAD_IT,
				      "%s has no driver", name);
	case EPERM:
	case EACCES:
		return htmm_error_set(err, errno,
				      "run it as root, or as a member of its group, see htmm(4)",
				      "not permitted to open %s", name);
	}
	return htmm_error_set(err, errno, NULL, "cannot open %s: %s", name, strerror(errno));
}

/* -EBUSY: a session exists and blocks another one, but a PMU may be busy instead. */
static bool session_goes_on(int fd, struct htmm_info *info)
{
	return !htmm_device_info(fd, info, NULL) && info->owner &&
	       (info->state == HTMM_STATE_RUNNING || info->state == HTMM_STATE_STOPPING);
}

static int start_error(int fd, int code, char *text, struct htmm_error *err)
{
	struct htmm_info info;

	if (code == EBUSY && session_goes_on(fd, &info))
		return htmm_error_set(err, code, "stop it with 'htmmctl stop'",
				      "a session started by pid %u is %s", info.owner,
				      htmm_state_name(info.state));
	if (*text)
		return htmm_error_set(err, code, start_advice(code), "%s", text);
	if (code == EPERM)
		return htmm_error_set(err, code, start_advice(code), "not permitted to sample");
	return htmm_error_set(err, code, start_advice(code), "cannot start sampling: %s",
			      strerror(code));
}

int (htmm_device_start)(int fd, struct htmm_start *start, size_t size, struct htmm_error *err)
{
	char text[HTMM_ERROR_LEN];
	int ret;

	start->size = size;
	start->session = 0;
	start->event_size = sizeof(struct htmm_event);
	start->target_size = sizeof(struct htmm_target);
	ret = htmm_ioctl_told(fd, HTMM_IOC_START, start, &start->error,
			      &start->error_size, text);
	return ret ? start_error(fd, -ret, text, err) : 0;
}

static const char *set_advice(int code)
{
	switch (code) {
	case ENODATA:
		return "start one with 'htmmctl start'";
	case ENOENT:
		return "see 'htmmctl target list' and 'htmmctl status'";
	case EBUSY:
		return "start a session without a budget";
	case EPERM:
		return "choose a longer period";
	case ERANGE:
		return "choose another period, or start with a smaller min-period";
	}
	return "check the request";
}

int (htmm_device_set)(int fd, struct htmm_set *set, size_t size, struct htmm_error *err)
{
	char text[HTMM_ERROR_LEN];
	int ret;

	set->size = size;
	ret = htmm_ioctl_told(fd, HTMM_IOC_SET, set, &set->error, &set->error_size, text);
	if (!ret)
		return 0;
	if (!*text)
		return htmm_ioctl_error(-ret, "change the session", err);
	return htmm_error_set(err, -ret, set_advice(-ret), "%s", text);
}

int htmm_device_stop(int fd, __u64 session, struct htmm_error *err)
{
	struct htmm_stop arg = { .size = sizeof(arg), .session = session };
	int ret = htmm_ioctl(fd, HTMM_IOC_STOP, &arg);

	return ret ? htmm_ioctl_error(-ret, "stop sampling", err) : 0;
}

int htmm_device_reset(int fd, __u64 session, struct htmm_error *err)
{
	struct htmm_reset arg = { .size = sizeof(arg), .session = session };
	int ret = htmm_ioctl(fd, HTMM_IOC_RESET, &arg);

	return ret ? htmm_ioctl_error(-ret, "reset the counts", err) : 0;
}

int (htmm_device_info)(int fd, struct htmm_info *info, size_t size, struct htmm_error *err)
{
	int ret;

	memset(info, 0, size);
	info->size = size;
	ret = htmm_ioctl(fd, HTMM_IOC_GET_INFO, info);
	return ret ? htmm_ioctl_error(-ret, "read the status", err) : 0;
}

/* One GET_STATS call, with room for what @buf holds. */
static int read_stats(int fd, struct htmm_stats_buf *buf, size_t size, __u32 channels,
		      __u32 events)
{
	struct htmm_stats *stats = &buf->stats;

	size -= offsetof(struct htmm_stats_buf, stats);
	memset(stats, 0, size);
	stats->size = size;
	stats->channels = (__u64)(unsigned long)buf->channels;
	stats->nr_channels = channels;
	stats->channel_size = sizeof(struct htmm_channel_info);
	stats->events = (__u64)(unsigned long)buf->events;
	stats->nr_events = events;
	stats->event_size = sizeof(struct htmm_event);
	return htmm_ioctl(fd, HTMM_IOC_GET_STATS, stats);
}

int (htmm_device_stats)(int fd, struct htmm_stats_buf *buf, size_t size, struct htmm_error *err)
{
	__u32 channels, events;
	int ret;

	memset(buf, 0, size);
	ret = read_stats(fd, buf, size, 0, 0);
	/* A larger session may start between two calls. */
	for (;;) {
		if (ret) {
			htmm_stats_free(buf);
			return htmm_ioctl_error(-ret, "read the statistics", err);
		}
		channels = buf->stats.nr_channels;
		events = buf->stats.nr_events;
		htmm_stats_free(buf);
		buf->channels = calloc(channels ?: 1, sizeof(*buf->channels));
		buf->events = calloc(events ?: 1, sizeof(*buf->events));
		if (!buf->channels || !buf->events) {
			ret = -ENOMEM;
			continue;
		}
		ret = read_stats(fd, buf, size, channels, events);
		if (!ret && buf->stats.nr_channels <= channels && buf->stats.nr_events <= events)
			return 0;
	}
}

void htmm_stats_free(struct htmm_stats_buf *buf)
{
	free(buf->channels);
	free(buf->events);
	/* No more: a program may know less of the counters. */
	memset(buf, 0, offsetof(struct htmm_stats_buf, stats));
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
	ret = htmm_ioctl(fd, HTMM_IOC_GET_HIT_RATIO, ratio);
	if (ret == -EOPNOTSUPP)
		return htmm_error_set(err, EOPNOTSUPP, "ask for that of pages",
				      "the module has no hit ratio of this unit");
	if (ret == -ENOENT)
		return htmm_target_missing(target, err);
	return ret ? htmm_ioctl_error(-ret, "read the hit ratio", err) : 0;
}

static void take_hist(struct htmm_hist_buf *buf, const struct htmm_histogram *hist,
		      const struct htmm_bin *bins)
{
	__u32 bin;

	*buf = (struct htmm_hist_buf) {
		.unit = hist->unit,
		.nr_bins = hist->nr_bins < HTMM_NR_BINS ? hist->nr_bins : HTMM_NR_BINS,
		.hot_threshold = hist->hot_threshold,
		.warm_threshold = hist->warm_threshold,
		.pages = hist->pages,
		.hot_pages = hist->hot_pages,
		.capacity_pages = hist->capacity_pages,
		.samples = hist->samples,
	};
	for (bin = 0; bin < buf->nr_bins; bin++)
		buf->bins[bin] = bins[bin].pages;
}

int htmm_target_hist(int fd, __u32 target, __u32 unit, struct htmm_hist_buf *buf,
		     struct htmm_error *err)
{
	struct htmm_bin bins[HTMM_NR_BINS];
	struct htmm_histogram hist = {
		.size = sizeof(hist),
		.unit = unit,
		.target = target,
		.bins = (__u64)(unsigned long)bins,
		.nr_bins = HTMM_NR_BINS,
		.bin_size = sizeof(bins[0]),
	};
	int ret = htmm_ioctl(fd, HTMM_IOC_GET_HIST, &hist);

	if (!ret) {
		take_hist(buf, &hist, bins);
		return 0;
	}
	memset(buf, 0, sizeof(*buf));
	if (ret == -EOPNOTSUPP)
		return htmm_error_set(err, EOPNOTSUPP, "ask for that of pages",
				      "the module has no histogram of this unit");
	if (ret == -ENOENT)
		return htmm_target_missing(target, err);
	return htmm_ioctl_error(-ret, "read the histogram", err);
}

static int placement_missing(int code, struct htmm_error *err)
{
	return htmm_error_set(err, code,
			      "load a newer module, on a kernel with CONFIG_HMM_MIRROR",
			      "the module cannot tell where pages are");
}

static int placement_denied(struct htmm_error *err)
{
	return htmm_error_set(err, EPERM, "run it as root or with CAP_PERFMON and CAP_SYS_PTRACE",
			      "not permitted to read what is in memory, and where");
}

/* One GET_PLACEMENT call, with room for @room nodes. */
static int read_placement(int fd, __u32 target, __u32 room, struct htmm_placement_buf *buf)
{
	buf->nodes = calloc(room, sizeof(*buf->nodes));
	buf->bins = calloc((size_t)room * HTMM_NR_BINS, sizeof(*buf->bins));
	if (!buf->nodes || !buf->bins)
		return -ENOMEM;
	buf->placement = (struct htmm_placement) {
		.size = sizeof(buf->placement),
		.target = target,
		.node_size = sizeof(*buf->nodes),
		.nodes = (__u64)(unsigned long)buf->nodes,
		.nr_nodes = room,
		.nr_bins = room * HTMM_NR_BINS,
		.bins = (__u64)(unsigned long)buf->bins,
		.bin_size = sizeof(*buf->bins),
	};
	return htmm_ioctl(fd, HTMM_IOC_GET_PLACEMENT, &buf->placement);
}

int htmm_device_placement(int fd, __u32 target, struct htmm_placement_buf *buf,
			  struct htmm_error *err)
{
	/* Enough for most machines, as a second call would read all page tables again. */
	__u32 room = 16;
	int ret;

	memset(buf, 0, sizeof(*buf));
	for (;;) {
		ret = read_placement(fd, target, room, buf);
		if (!ret && buf->placement.nr_nodes <= room)
			return 0;
		room = buf->placement.nr_nodes;
		htmm_placement_free(buf);
		if (ret)
			break;
	}
	if (ret == -ENOENT)
		return htmm_target_missing(target, err);
	if (ret == -EOPNOTSUPP || ret == -ENOTTY)
		return placement_missing(-ret, err);
	if (ret == -EPERM)
		return placement_denied(err);
	return htmm_ioctl_error(-ret, "read the placement", err);
}

void htmm_placement_free(struct htmm_placement_buf *buf)
{
	free(buf->nodes);
	free(buf->bins);
	memset(buf, 0, sizeof(*buf));
}

static int read_served(int fd, __u32 target, __u32 room, struct htmm_served_buf *buf)
{
	buf->rows = calloc(room, sizeof(*buf->rows));
	if (!buf->rows)
		return -ENOMEM;
	buf->served = (struct htmm_served) {
		.size = sizeof(buf->served),
		.target = target,
		.row_size = sizeof(*buf->rows),
		.rows = (__u64)(unsigned long)buf->rows,
		.nr_rows = room,
	};
	return htmm_ioctl(fd, HTMM_IOC_GET_SERVED, &buf->served);
}

int htmm_device_served(int fd, __u32 target, struct htmm_served_buf *buf,
		       struct htmm_error *err)
{
	__u32 room = 8 * HTMM_MAX_EVENTS;
	int ret;

	memset(buf, 0, sizeof(*buf));
	for (;;) {
		ret = read_served(fd, target, room, buf);
		if (!ret && buf->served.nr_rows <= room)
			return 0;
		room = buf->served.nr_rows;
		htmm_served_free(buf);
		if (ret)
			break;
	}
	if (ret == -ENOENT)
		return htmm_target_missing(target, err);
	if (ret == -ENOTTY)
		return htmm_error_set(err, ENOTTY, "load a newer module",
				      "the module does not count what served samples");
	return htmm_ioctl_error(-ret, "read what served samples", err);
}

void htmm_served_free(struct htmm_served_buf *buf)
{
	free(buf->rows);
	memset(buf, 0, sizeof(*buf));
}

/* Pages requested in one call. */
#define PAGES_BATCH	262144
/* Most lists are short, and the kernel allocates what it is asked for. */
#define PAGES_FIRST	4096

/* Makes room for @want more, at least doubling it. */
static int grow(struct htmm_page_list *list, size_t *room, size_t want)
{
	struct htmm_page *pages;

	if (list->nr + want <= *room)
		return 0;
	*room = list->nr + (list->nr > want ? list->nr : want);
	pages = realloc(list->pages, *room * sizeof(*pages));
	if (!pages)
		return -ENOMEM;
	list->pages = pages;
	return 0;
}

static int list_error(int code, const struct htmm_list_pages *request, struct htmm_error *err)
{
	if (code == ENOENT)
		return htmm_target_missing(request->target, err);
	if (code == EOPNOTSUPP && request->flags)
		return placement_missing(code, err);
	/* Without these flags, the list only does not tell where pages are. */
	if (code == EPERM && request->flags & ~HTMM_LIST_PLACEMENT)
		return placement_denied(err);
	if (code == ESTALE)
		return htmm_error_set(err, ESTALE, "ask again",
				      "another session began while the pages were read");
	return htmm_ioctl_error(code, "list the pages", err);
}

int htmm_device_list_pages(int fd, const struct htmm_list_pages *request, size_t max,
			   struct htmm_page_list *list, struct htmm_error *err)
{
	struct htmm_list_pages arg = *request;
	/* Only in this order a call goes on where the last one has ended. */
	size_t batch = arg.order == HTMM_ORDER_TABLE ? PAGES_FIRST : PAGES_BATCH;
	size_t room = 0, want;
	int ret;

	arg.size = sizeof(arg);
	arg.page_size = sizeof(struct htmm_page);
	memset(list, 0, sizeof(*list));
	do {
		want = max && max - list->nr < batch ? max - list->nr : batch;
		batch = batch < PAGES_BATCH ? 2 * batch : batch;
		ret = grow(list, &room, want);
		if (ret)
			break;
		arg.pages = (__u64)(unsigned long)(list->pages + list->nr);
		arg.nr_pages = want;
		ret = htmm_ioctl(fd, HTMM_IOC_LIST_PAGES, &arg);
		if (ret)
			break;
		list->nr += arg.nr_pages;
		list->skipped += arg.skipped;
	} while (arg.nr_pages && list->nr != max);

	if (!ret)
		return 0;
	htmm_pages_free(list);
	return list_error(-ret, request, err);
}

void htmm_pages_free(struct htmm_page_list *list)
{
	free(list->pages);
	memset(list, 0, sizeof(*list));
}
