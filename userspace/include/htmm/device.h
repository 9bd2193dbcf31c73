/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The ioctls of /dev/htmm, with errors as text. */
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

/**
 * htmm_device_open() - open the device of the module
 * @path: its path; NULL: HTMM_DEVICE_PATH
 * @err: says why it cannot be opened
 *
 * Return: a file descriptor (close-on-exec, for close(2)), or a negative errno.
 */
int htmm_device_open(const char *path, struct htmm_error *err);

/**
 * htmm_device_start() - start the session
 * @fd: the device
 * @start: what to sample; size, strides and the error buffer are filled in; session is
 *	set to the number of the session
 * @size: bytes of @start that the caller knows; the macro of this name gives them
 * @err: says why it did not start; the module's own message if there is one
 *
 * Return: 0 or a negative errno, see struct htmm_start.
 */
int htmm_device_start(int fd, struct htmm_start *start, size_t size,
		      struct htmm_error *err);
#define htmm_device_start(fd, start, err) \
	htmm_device_start(fd, start, sizeof(struct htmm_start), err)

/**
 * htmm_device_stop() - stop the session; its results stay readable
 * @fd: the device
 * @session: its number; 0: the current one
 * @err: the error
 *
 * Return: 0 or a negative errno, see struct htmm_session_id.
 */
int htmm_device_stop(int fd, __u64 session, struct htmm_error *err);

/**
 * htmm_device_set() - change a capacity or a period of the running session
 * @fd: the device
 * @set: what to change; size and the error buffer are filled in
 * @size: bytes of @set that the caller knows; the macro of this name gives them
 * @err: says why nothing was changed; the module's own message if there is one
 *
 * Return: 0 or a negative errno, see struct htmm_set.
 */
int htmm_device_set(int fd, struct htmm_set *set, size_t size,
		    struct htmm_error *err);
#define htmm_device_set(fd, set, err) \
	htmm_device_set(fd, set, sizeof(struct htmm_set), err)

/**
 * htmm_device_reset() - forget all pages and zero every counter
 * @fd: the device
 * @session: number of the session; 0: the current one
 * @err: the error
 *
 * Return: 0 or a negative errno, see struct htmm_session_id.
 */
int htmm_device_reset(int fd, __u64 session, struct htmm_error *err);

/**
 * htmm_device_info() - read the state of the session
 * @fd: the device
 * @info: filled
 * @size: bytes of @info that the caller knows; the macro of this name gives them
 * @err: the error
 *
 * Return: 0 or a negative errno.
 */
int htmm_device_info(int fd, struct htmm_info *info, size_t size,
		     struct htmm_error *err);
#define htmm_device_info(fd, info, err) \
	htmm_device_info(fd, info, sizeof(struct htmm_info), err)

/**
 * htmm_device_stats() - read all counters of the session
 * @fd: the device
 * @buf: filled; free it with htmm_stats_free()
 * @size: bytes of @buf that the caller knows; the macro of this name gives them
 * @err: the error
 *
 * Return: 0 or a negative errno, see struct htmm_stats.
 */
int htmm_device_stats(int fd, struct htmm_stats_buf *buf, size_t size,
		      struct htmm_error *err);
#define htmm_device_stats(fd, buf, err) \
	htmm_device_stats(fd, buf, sizeof(struct htmm_stats_buf), err)

/**
 * htmm_stats_free() - free the arrays of statistics
 * @buf: the statistics; may be all zero
 */
void htmm_stats_free(struct htmm_stats_buf *buf);

/**
 * htmm_device_list_pages() - list pages or regions
 * @fd: the device
 * @request: which ones, and in what order; only flags, session, unit, order, target, pid,
 *	start, end, min_samples, max_samples and node are used
 * @max: the most to read; 0: all
 * @list: filled; free it with htmm_pages_free()
 * @err: the error
 *
 * HTMM_ORDER_TABLE is the fastest order for many pages. Flags need a module with
 * HTMM_FEATURE_PLACEMENT.
 *
 * Return: 0 or a negative errno, see struct htmm_list_pages.
 */
int htmm_device_list_pages(int fd, const struct htmm_list_pages *request, size_t max,
			   struct htmm_page_list *list, struct htmm_error *err);

/**
 * htmm_pages_free() - free a list of pages
 * @list: the list; may be all zero
 */
void htmm_pages_free(struct htmm_page_list *list);

/**
 * htmm_device_placement() - read on which nodes the pages of a target are
 * @fd: the device
 * @target: its number; 0: all targets together
 * @buf: filled; free it with htmm_placement_free()
 * @err: the error
 *
 * Needs a module with HTMM_FEATURE_PLACEMENT.
 *
 * Return: 0 or a negative errno, see struct htmm_placement; -ENOTTY if the module is too
 * old for this call.
 */
int htmm_device_placement(int fd, __u32 target, struct htmm_placement_buf *buf,
			  struct htmm_error *err);

/**
 * htmm_placement_free() - free the arrays of a placement
 * @buf: the placement; may be all zero
 */
void htmm_placement_free(struct htmm_placement_buf *buf);

/**
 * htmm_device_served() - read what served the samples of a target
 * @fd: the device
 * @target: its number; 0: all targets together
 * @buf: filled; free it with htmm_served_free()
 * @err: the error
 *
 * There are no rows unless the session was started with HTMM_START_SERVED.
 *
 * Return: 0 or a negative errno, see struct htmm_served.
 */
int htmm_device_served(int fd, __u32 target, struct htmm_served_buf *buf, struct htmm_error *err);

/**
 * htmm_served_free() - free the array
 * @buf: what was read; may be all zero
 */
void htmm_served_free(struct htmm_served_buf *buf);

/**
 * htmm_device_feed() - hand in samples; waits while the ring is full
 * @fd: the device
 * @flags: HTMM_FEED_*
 * @event: index of an event of HTMM_TYPE_FEED
 * @samples: array of @nr samples
 * @nr: number of samples
 * @err: the error
 *
 * Return: 0, or a negative errno: see struct htmm_feed. Some may have been taken then.
 */
int htmm_device_feed(int fd, __u32 flags, __u32 event, const struct htmm_feed_sample *samples,
		     __u32 nr, struct htmm_error *err);

/**
 * htmm_source_name() - the name of what serves samples
 * @source: enum htmm_source
 *
 * Return: the name, such as "remote", or NULL.
 */
const char *htmm_source_name(unsigned int source);

/**
 * htmm_level_name() - the name of a level from which samples are counted
 * @level: enum htmm_source, as min_level of &struct htmm_event
 *
 * Return: the name, such as "memory", or NULL: nothing has this one.
 */
const char *htmm_level_name(unsigned int level);

/**
 * htmm_state_name() - the name of a session's state
 * @state: enum htmm_state
 *
 * Return: a word, "unknown" for states this library does not know.
 */
const char *htmm_state_name(__u32 state);

/**
 * htmm_drop_name() - the name of a reason for a drop
 * @drop: enum htmm_drop
 *
 * Return: a word, or NULL for reasons this library does not know.
 */
const char *htmm_drop_name(unsigned int drop);

/**
 * htmm_counters_lost() - number of samples that were lost
 * @counters: from a channel or from the totals
 *
 * Return: the sum of the drops for all reasons but those of HTMM_DROPS_UNWANTED.
 */
__u64 htmm_counters_lost(const struct htmm_counters *counters);

/**
 * htmm_counters_filtered() - number of overflows that nobody wanted
 * @counters: from a channel or from the totals
 *
 * Return: the sum of the drops for the reasons of HTMM_DROPS_UNWANTED.
 */
__u64 htmm_counters_filtered(const struct htmm_counters *counters);

/**
 * htmm_counters_add() - add counters up
 * @sum: added to
 * @counters: the counters to add
 */
void htmm_counters_add(struct htmm_counters *sum, const struct htmm_counters *counters);

#endif /* HTMM_DEVICE_H */
