/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/htmm as the tests use it. Every function returns 0 or a negative errno. */
#ifndef KSFT_DEVICE_H
#define KSFT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/htmm.h>

#define DEVICE_PATH	"/dev/htmm"

/* A number that no ioctl of the module uses. */
#define NO_SUCH_IOCTL	_IO(HTMM_IOC_TYPE, 0x7f)

/**
 * struct request - an argument of HTMM_IOC_START with all that it points to
 * @arg: the argument
 * @events: its events
 * @targets: its targets
 * @error: buffer for the module's error message
 */
struct request {
	struct htmm_start arg;
	struct htmm_event events[HTMM_MAX_EVENTS + 1];
	struct htmm_target targets[HTMM_MAX_TARGETS + 1];
	char error[HTMM_ERROR_LEN];
};

/**
 * struct stats - all statistics of a session at one time; zero before they are first read
 * @s: totals
 * @events: @s.nr_events of them
 * @channels: @s.nr_channels of them, in memory that the next read uses again
 */
struct stats {
	struct htmm_stats s;
	struct htmm_event events[HTMM_MAX_EVENTS];
	struct htmm_channel_info *channels;
};

/* Names of drops by enum htmm_drop. */
extern const char *const drop_names[HTMM_NR_DROPS];
extern const char *const stat_names[HTMM_STAT_SLOTS];

/**
 * struct pages - a list of pages; zero before it is first read
 * @page: the list, in memory that the next read uses again
 * @nr: its length
 */
struct pages {
	struct htmm_page *page;
	size_t nr;
};

/* Members of struct htmm_list_pages: room for so many elements. */
#define LIST_ROOM(room, nr)						\
	.size = sizeof(struct htmm_list_pages),				\
	.pages = (uintptr_t)(room),					\
	.nr_pages = (nr),						\
	.page_size = sizeof((room)[0])

/* Nodes of the machines that the tests run on. */
#define MAX_NODES	16

/**
 * struct placement - what HTMM_IOC_GET_PLACEMENT tells
 * @s: sums over all nodes
 * @nodes: @s.nr_nodes of them
 */
struct placement {
	struct htmm_placement s;
	struct htmm_node_placement nodes[MAX_NODES];
};

/* Rows of struct served: each event of a session on the nodes of the machine. */
#define MAX_SERVED	(HTMM_MAX_EVENTS * MAX_NODES)

/**
 * struct served - what HTMM_IOC_GET_SERVED tells
 * @row: the rows
 * @nr: number of rows
 */
struct served {
	struct htmm_served_row row[MAX_SERVED];
	__u32 nr;
};

/* Files of the device that this process has open. */
int device_files(void);
/* Ends the program with exit status 4 (skip) if nothing can be tested here. */
void device_require(void);
int device_open(void);
int device_ioctl(int fd, unsigned int cmd, void *arg);

void request_init(struct request *req, const struct htmm_event *event);
void request_add_event(struct request *req, const struct htmm_event *event);
void request_add_target(struct request *req, pid_t pid);
void request_add_cgroup(struct request *req, int dir);
int device_start(int fd, struct request *req);

/* Also looks whether what holds for every stopped session holds; see invariants.h. */
int device_stop(int fd);
/* Only stops. */
int device_stop_unseen(int fd);
int device_reset(int fd);
/* Of all targets if @target is 0. */
int device_cool(int fd, __u32 target);
/* Returns the number of the new target. */
int device_add_target(int fd, __u32 type, __u64 id);
int device_remove_target(int fd, __u32 target);
/* @targets has room for HTMM_MAX_TARGETS; returns their number. */
int device_targets(int fd, struct htmm_target_info *targets);
/* @error, of HTMM_ERROR_LEN bytes, gets the module's message. */
int device_set(int fd, struct htmm_set *set, char *error);
int device_set_capacity(int fd, __u32 target, __u64 pages);
int device_set_period(int fd, __u32 event, __u64 period);
int device_info(int fd, struct htmm_info *info);
/* The state, read through a separate fd, or a negative errno. */
int device_state(void);
int device_hit_ratio(int fd, enum htmm_unit unit, __u64 capacity, struct htmm_hit_ratio *ratio);
int device_hist(int fd, enum htmm_unit unit, struct htmm_histogram *hist);
int device_target_hist(int fd, __u32 target, enum htmm_unit unit, struct htmm_histogram *hist);

int stats_read(int fd, struct stats *stats);
/*
 * Waits until at most @left samples are in rings; -ETIMEDOUT if the drain thread does not
 * take the others.
 */
int device_drained(int fd, __u64 left);

/* Waits until all rings are empty. */
static inline int device_settle(int fd)
{
	return device_drained(fd, 0);
}
/* Reads the channel of an event on a CPU; -ENOENT if the session never had it. */
int device_channel(int fd, int cpu, int event, struct htmm_channel_info *channel);
/* The event counts there now. */
bool device_active(int fd, int cpu, int event);
__u64 counters_drops(const struct htmm_counters *counters);

/* Of all targets if @target is 0. */
int device_placement(int fd, __u32 target, struct placement *placement);
/* Of all targets if @target is 0. */
int device_served(int fd, __u32 target, struct served *served);
/* The sum over all rows of an event, on any node, of one source or of all (-1). */
__u64 served_samples(const struct served *served, __u32 event, int source);

int pages_read(int fd, struct pages *pages);
/* Lists what @request asks for, with @a_time elements for each call. */
int pages_list(int fd, const struct htmm_list_pages *request, __u32 a_time, struct pages *pages);
/* The pages of one target. */
int pages_read_target(int fd, __u32 target, struct pages *pages);
/* Sums the samples in an address range, of one process, or of all if @pid is 0. */
__u64 pages_samples(const struct pages *pages, pid_t pid, const void *addr, size_t bytes);
__u64 pages_total(const struct pages *pages, pid_t pid);
/* The same of the list as it is now. ~0: it cannot be read. */
__u64 device_samples(int fd, pid_t pid, const void *addr, size_t bytes);

#endif /* KSFT_DEVICE_H */
