// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "device.h"
#include "invariants.h"
#include "module.h"

/* Elements requested at a time: fewer than most lists have, so that cursors are tested. */
#define PAGES_A_TIME	100

static void skip(const char *why)
{
	printf("TAP version 13\n1..0 # SKIP %s\n", why);
	exit(4);
}

int device_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	char path[64];
	ssize_t n;
	int nr = 0;

	while (dir && (entry = readdir(dir))) {
		n = readlinkat(dirfd(dir), entry->d_name, path, sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
		nr += !strcmp(path, DEVICE_PATH);
	}
	if (dir)
		closedir(dir);
	return nr;
}

void device_require(void)
{
	int state;

	if (geteuid())
		skip("needs root");
	state = device_state();
	if (state == -ENOENT)
		skip("there is no " DEVICE_PATH ": load htmm.ko");
	if (state == HTMM_STATE_RUNNING || state == HTMM_STATE_STOPPING)
		skip("somebody else is sampling: htmmctl stop");
}

int device_open(void)
{
	int fd = open(DEVICE_PATH, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int device_ioctl(int fd, unsigned int cmd, void *arg)
{
	const __u64 before = invariants_before(cmd);
	int ret = ioctl(fd, cmd, arg) < 0 ? -errno : 0;

	invariants_after(cmd, ret, before);
	return ret;
}

void request_init(struct request *req, const struct htmm_event *event)
{
	memset(req, 0, sizeof(*req));
	req->arg.size = sizeof(req->arg);
	req->arg.events = (uintptr_t)req->events;
	req->arg.event_size = sizeof(req->events[0]);
	req->arg.targets = (uintptr_t)req->targets;
	req->arg.target_size = sizeof(req->targets[0]);
	req->arg.error = (uintptr_t)req->error;
	req->arg.error_size = sizeof(req->error);
	request_add_event(req, event);
}

void request_add_event(struct request *req, const struct htmm_event *event)
{
	req->events[req->arg.nr_events++] = *event;
}

void request_add_target(struct request *req, pid_t pid)
{
	req->targets[req->arg.nr_targets++] = (struct htmm_target) {
		.type = HTMM_TARGET_TGID,
		.id = pid,
	};
}

void request_add_cgroup(struct request *req, int dir)
{
	req->targets[req->arg.nr_targets++] = (struct htmm_target) {
		.type = HTMM_TARGET_CGROUP,
		.id = dir,
	};
}

int device_start(int fd, struct request *req)
{
	memset(req->error, 0, sizeof(req->error));
	req->arg.session = 0;
	return device_ioctl(fd, HTMM_IOC_START, &req->arg);
}

int device_stop_unseen(int fd)
{
	struct htmm_session_id stop = { .size = sizeof(stop) };

	return device_ioctl(fd, HTMM_IOC_STOP, &stop);
}

/* A kernel that checks itself takes long to look: there, at the first sessions of each test. */
#define CHECKED_LOOKS	2

int device_stop(int fd)
{
	int ret = device_stop_unseen(fd);
	static int looks;

	if (!ret && (!kernel_checks_itself() || looks++ < CHECKED_LOOKS))
		invariants_hold(fd);
	return ret;
}

int device_reset(int fd)
{
	struct htmm_session_id reset = { .size = sizeof(reset) };

	return device_ioctl(fd, HTMM_IOC_RESET, &reset);
}

int device_cool(int fd, __u32 target)
{
	struct htmm_target_id cool = { .size = sizeof(cool), .target = target };

	return device_ioctl(fd, HTMM_IOC_COOL, &cool);
}

int device_add_target(int fd, __u32 type, __u64 id)
{
	struct htmm_target target = { .type = type, .id = id };
	struct htmm_add_target add = {
		.size = sizeof(add),
		.target = (uintptr_t)&target,
		.target_size = sizeof(target),
	};
	int ret = device_ioctl(fd, HTMM_IOC_ADD_TARGET, &add);

	return ret ?: (int)add.number;
}

int device_remove_target(int fd, __u32 target)
{
	struct htmm_target_id remove = {
		.size = sizeof(remove),
		.target = target,
	};

	return device_ioctl(fd, HTMM_IOC_REMOVE_TARGET, &remove);
}

int device_targets(int fd, struct htmm_target_info *targets)
{
	struct htmm_targets arg = {
		.size = sizeof(arg),
		.targets = (uintptr_t)targets,
		.nr_targets = HTMM_MAX_TARGETS,
		.target_size = sizeof(*targets),
	};
	int ret = device_ioctl(fd, HTMM_IOC_GET_TARGETS, &arg);

	return ret ?: (int)arg.nr_targets;
}

int device_set(int fd, struct htmm_set *set, char *error)
{
	memset(error, 0, HTMM_ERROR_LEN);
	set->size = sizeof(*set);
	set->error = (uintptr_t)error;
	set->error_size = HTMM_ERROR_LEN;
	return device_ioctl(fd, HTMM_IOC_SET, set);
}

int device_set_capacity(int fd, __u32 target, __u64 pages)
{
	char error[HTMM_ERROR_LEN];
	struct htmm_set set = {
		.flags = HTMM_SET_CAPACITY,
		.target = target,
		.capacity_pages = pages,
	};

	return device_set(fd, &set, error);
}

int device_set_period(int fd, __u32 event, __u64 period)
{
	char error[HTMM_ERROR_LEN];
	struct htmm_set set = {
		.flags = HTMM_SET_PERIOD,
		.event = event,
		.period = period,
	};

	return device_set(fd, &set, error);
}

int device_info(int fd, struct htmm_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return device_ioctl(fd, HTMM_IOC_GET_INFO, info);
}

int device_state(void)
{
	struct htmm_info info;
	int fd = device_open();
	int ret;

	if (fd < 0)
		return fd;
	ret = device_info(fd, &info);
	close(fd);
	return ret ?: (int)info.state;
}

int device_hit_ratio(int fd, enum htmm_unit unit, __u64 capacity, struct htmm_hit_ratio *ratio)
{
	*ratio = (struct htmm_hit_ratio) {
		.size = sizeof(*ratio),
		.unit = unit,
		.capacity_pages = capacity,
	};
	return device_ioctl(fd, HTMM_IOC_GET_HIT_RATIO, ratio);
}

int device_hist(int fd, enum htmm_unit unit, struct htmm_histogram *hist)
{
	return device_target_hist(fd, 0, unit, hist);
}

int device_target_hist(int fd, __u32 target, enum htmm_unit unit, struct htmm_histogram *hist)
{
	*hist = (struct htmm_histogram) {
		.size = sizeof(*hist),
		.unit = unit,
		.target = target,
	};
	return device_ioctl(fd, HTMM_IOC_GET_HIST, hist);
}

int stats_read(int fd, struct stats *stats)
{
	struct htmm_stats *s = &stats->s;
	__u32 room = 0;
	int ret;

	*s = (struct htmm_stats) {
		.size = sizeof(*s),
		.channel_size = sizeof(*stats->channels),
		.events = (uintptr_t)stats->events,
		.nr_events = HTMM_MAX_EVENTS,
		.event_size = sizeof(stats->events[0]),
	};
	ret = device_ioctl(fd, HTMM_IOC_GET_STATS, s);
	/* Between two calls a session with more channels may begin. */
	while (!ret && s->nr_channels > room) {
		room = s->nr_channels;
		stats->channels = realloc(stats->channels, room * sizeof(*stats->channels));
		if (!stats->channels)
			return -ENOMEM;
		s->channels = (uintptr_t)stats->channels;
		s->nr_events = HTMM_MAX_EVENTS;
		ret = device_ioctl(fd, HTMM_IOC_GET_STATS, s);
	}
	return ret;
}

int device_drained(int fd, __u64 left)
{
	static struct stats stats;
	int ret, tries = 20000;

	do {
		usleep(5000);
		ret = stats_read(fd, &stats);
		if (ret)
			return ret;
	} while (stats.s.total.in_flight > left && --tries);
	return tries ? 0 : -ETIMEDOUT;
}

int device_channel(int fd, int cpu, int event, struct htmm_channel_info *channel)
{
	static struct stats stats;
	int ret = stats_read(fd, &stats);
	__u32 i;

	if (ret)
		return ret;
	ret = -ENOENT;
	for (i = 0; ret && i < stats.s.nr_channels; i++) {
		if (stats.channels[i].cpu != cpu || stats.channels[i].event != event)
			continue;
		*channel = stats.channels[i];
		ret = 0;
	}
	return ret;
}

bool device_active(int fd, int cpu, int event)
{
	struct htmm_channel_info channel;

	return !device_channel(fd, cpu, event, &channel) && channel.flags & HTMM_CHANNEL_ACTIVE;
}

const char *const drop_names[HTMM_NR_DROPS] = { HTMM_DROP_NAMES };
const char *const stat_names[HTMM_STAT_SLOTS] = { HTMM_STAT_NAMES };

__u64 counters_drops(const struct htmm_counters *counters)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < HTMM_DROP_SLOTS; i++)
		sum += counters->drops[i];
	return sum;
}

int device_served(int fd, __u32 target, struct served *served)
{
	struct htmm_served arg = {
		.size = sizeof(arg),
		.target = target,
		.row_size = sizeof(served->row[0]),
		.rows = (uintptr_t)served->row,
		.nr_rows = MAX_SERVED,
	};
	int ret;

	memset(served, 0, sizeof(*served));
	ret = device_ioctl(fd, HTMM_IOC_GET_SERVED, &arg);
	served->nr = ret ? 0 : arg.nr_rows;
	return ret;
}

__u64 served_samples(const struct served *served, __u32 event, int source)
{
	__u64 sum = 0;
	int slot;
	__u32 i;

	for (i = 0; i < served->nr; i++)
		for (slot = 0; slot < HTMM_SOURCE_SLOTS; slot++)
			if (served->row[i].event == event && (source < 0 || slot == source))
				sum += served->row[i].samples[slot];
	return sum;
}

int pages_read(int fd, struct pages *pages)
{
	return pages_read_target(fd, 0, pages);
}

int pages_read_target(int fd, __u32 target, struct pages *pages)
{
	const struct htmm_list_pages hottest = {
		.order = HTMM_ORDER_HOTTEST,
		.target = target,
		.min_samples = 1,
	};

	return pages_list(fd, &hottest, PAGES_A_TIME, pages);
}

int device_placement(int fd, __u32 target, struct placement *placement)
{
	*placement = (struct placement) {
		.s = {
			.size = sizeof(placement->s),
			.target = target,
			.node_size = sizeof(placement->nodes[0]),
			.nodes = (uintptr_t)placement->nodes,
			.nr_nodes = MAX_NODES,
		},
	};
	return device_ioctl(fd, HTMM_IOC_GET_PLACEMENT, &placement->s);
}

int pages_list(int fd, const struct htmm_list_pages *request, __u32 a_time, struct pages *pages)
{
	struct htmm_list_pages arg = *request;
	int ret;

	arg.size = sizeof(arg);
	arg.page_size = sizeof(struct htmm_page);
	pages->nr = 0;
	do {
		pages->page = realloc(pages->page, (pages->nr + a_time) * sizeof(*pages->page));
		if (!pages->page)
			return -ENOMEM;
		arg.pages = (uintptr_t)(pages->page + pages->nr);
		arg.nr_pages = a_time;
		ret = device_ioctl(fd, HTMM_IOC_LIST_PAGES, &arg);
		if (ret)
			arg.nr_pages = 0;
		pages->nr += arg.nr_pages;
	} while (arg.nr_pages);
	return ret;
}

__u64 pages_samples(const struct pages *pages, pid_t pid, const void *addr, size_t bytes)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < pages->nr; i++) {
		const struct htmm_page *page = &pages->page[i];

		if ((!pid || page->pid == (__u32)pid) && page->addr - (uintptr_t)addr < bytes)
			sum += page->samples;
	}
	return sum;
}

__u64 pages_total(const struct pages *pages, pid_t pid)
{
	return pages_samples(pages, pid, NULL, SIZE_MAX);
}

__u64 device_samples(int fd, pid_t pid, const void *addr, size_t bytes)
{
	static struct pages pages;

	return pages_read(fd, &pages) ? ~0ULL : pages_samples(&pages, pid, addr, bytes);
}
