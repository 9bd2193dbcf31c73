/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The ioctls of /dev/htmm, with errors as text.
 *
 * Where nothing else is said, a function returns 0 or a negative errno: linux/htmm.h tells what
 * they mean beside the struct of the ioctl. It says in @err what was wrong and what to do; @err may
 * be NULL. The target 0 stands for all targets together, the session 0 for the current one.
 *
 * Programs pass the size of what they know of a struct that grows; macros of the functions' names
 * do that. What is to be freed may be all zero.
 */
#ifndef HTMM_DEVICE_H
#define HTMM_DEVICE_H

#include <stddef.h>
#include <linux/htmm.h>
#include <htmm/error.h>

#define HTMM_DEVICE_PATH	"/dev/htmm"

/**
 * struct htmm_stats_buf - statistics with their arrays
 * @channels: @stats.nr_channels elements, one for each CPU and event
 * @events: @stats.nr_events elements
 * @stats: the totals; only libhtmm uses its array members. The last member, as it grows
 */
struct htmm_stats_buf {
	struct htmm_channel_info *channels;
	struct htmm_event *events;
	struct htmm_stats stats;
};

/**
 * struct htmm_page_list - pages, or regions
 * @pages: the pages
 * @nr: how many there are
 * @skipped: how often the page tables of an address space could not be read; the nodes of
 *	its pages are unknown, or, if only pages of a node or resident ones were asked for,
 *	they are missing
 */
struct htmm_page_list {
	struct htmm_page *pages;
	size_t nr;
	size_t skipped;
};

/**
 * struct htmm_placement_buf - where pages are, with its array
 * @placement: the totals; only libhtmm uses its array members
 * @nodes: @placement.nr_nodes elements, by ascending number
 */
struct htmm_placement_buf {
	struct htmm_placement placement;
	struct htmm_node_placement *nodes;
};

/**
 * struct htmm_served_buf - what served the samples of a target, with its array
 * @served: the totals; only libhtmm uses its array members
 * @rows: @served.nr_rows elements, by node of the CPUs and event
 */
struct htmm_served_buf {
	struct htmm_served served;
	struct htmm_served_row *rows;
};

/*
 * Opens the device. @path: NULL: HTMM_DEVICE_PATH. Returns a file descriptor (close-on-exec, for
 * close(2)), or a negative errno.
 */
int htmm_device_open(const char *path, struct htmm_error *err);

/*
 * Starts the session. @start: what to sample; size, strides and the error buffer are filled in, and
 * session is set to its number. @err: the module's own message if there is one.
 */
int htmm_device_start(int fd, struct htmm_start *start, size_t size, struct htmm_error *err);
#define htmm_device_start(fd, start, err) \
	htmm_device_start(fd, start, sizeof(struct htmm_start), err)

/* Stops the session; its results stay readable. */
int htmm_device_stop(int fd, __u64 session, struct htmm_error *err);

/*
 * Changes a capacity or a period of the running session. @set: size and the error buffer are filled
 * in. @err: the module's own message if there is one.
 */
int htmm_device_set(int fd, struct htmm_set *set, size_t size, struct htmm_error *err);
#define htmm_device_set(fd, set, err) \
	htmm_device_set(fd, set, sizeof(struct htmm_set), err)

/*
 * Count nothing, and count again. What was counted stays. A pause is not part of the session's time
 * and cost. To pause what is paused, or to resume what runs, changes nothing.
 */
int htmm_device_pause(int fd, __u64 session, struct htmm_error *err);
int htmm_device_resume(int fd, __u64 session, struct htmm_error *err);

/* Forgets all pages, and counts overflows and samples from 0. */
int htmm_device_reset(int fd, __u64 session, struct htmm_error *err);

/* Reads the state of the session. */
int htmm_device_info(int fd, struct htmm_info *info, size_t size, struct htmm_error *err);
#define htmm_device_info(fd, info, err) \
	htmm_device_info(fd, info, sizeof(struct htmm_info), err)

/* Reads all counters of the session, which htmm_stats_free() frees. */
int htmm_device_stats(int fd, struct htmm_stats_buf *buf, size_t size, struct htmm_error *err);
#define htmm_device_stats(fd, buf, err) \
	htmm_device_stats(fd, buf, sizeof(struct htmm_stats_buf), err)
void htmm_stats_free(struct htmm_stats_buf *buf);

/*
 * Lists pages or regions, which htmm_pages_free() frees. @request: which ones, and in what order;
 * only flags, session, unit, order, target, pid, start, end, min_samples, max_samples and node are
 * used. @max: the most to read; 0: all. HTMM_ORDER_TABLE is the fastest order for many pages. Flags
 * need a module with HTMM_FEATURE_PLACEMENT.
 */
int htmm_device_list_pages(int fd, const struct htmm_list_pages *request, size_t max,
			   struct htmm_page_list *list, struct htmm_error *err);
void htmm_pages_free(struct htmm_page_list *list);

/*
 * Reads on which nodes the pages of a target are; htmm_placement_free() frees that. Needs a module
 * with HTMM_FEATURE_PLACEMENT.
 */
int htmm_device_placement(int fd, __u32 target, struct htmm_placement_buf *buf,
			  struct htmm_error *err);
void htmm_placement_free(struct htmm_placement_buf *buf);

/*
 * Reads what served the samples of a target; htmm_served_free() frees that. There are no rows
 * unless the session was started with HTMM_START_SERVED.
 */
int htmm_device_served(int fd, __u32 target, struct htmm_served_buf *buf, struct htmm_error *err);
void htmm_served_free(struct htmm_served_buf *buf);

/*
 * Hands in samples, and waits while the ring is full. @flags: 0 or HTMM_FEED_FOREIGN. @event: index
 * of an event of HTMM_TYPE_FEED. @nr: in: their number; out: how many of them, the last ones, were
 * not taken because of an error.
 */
int htmm_device_feed(int fd, __u64 session, __u32 flags, __u32 event,
		     const struct htmm_feed_sample *samples, __u32 *nr, struct htmm_error *err);

/*
 * Names: of an enum htmm_source; of the same as min_level of an event, such as "memory"; of an enum
 * htmm_state; of an enum htmm_drop. NULL for what this library does not know; of a state "unknown".
 */
const char *htmm_source_name(unsigned int source);
const char *htmm_level_name(unsigned int level);
const char *htmm_state_name(__u32 state);
const char *htmm_drop_name(unsigned int drop);

/* The overflows that nobody wanted, which are the drops of HTMM_DROPS_UNWANTED, and all others. */
__u64 htmm_counters_filtered(const struct htmm_counters *counters);
__u64 htmm_counters_lost(const struct htmm_counters *counters);

/* Adds counters to a sum. */
void htmm_counters_add(struct htmm_counters *sum, const struct htmm_counters *counters);

#endif /* HTMM_DEVICE_H */
