/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Targets: processes and cgroups, each counted separately. */
#ifndef HTMM_TARGET_H
#define HTMM_TARGET_H

#include <linux/htmm.h>
#include <htmm/device.h>
#include <htmm/error.h>

/**
 * struct htmm_target_list - the targets of a session
 * @target: the targets, by number
 * @nr: how many there are
 */
struct htmm_target_list {
	struct htmm_target_info *target;
	size_t nr;
};

/**
 * htmm_cgroup_mount() - find where the cgroup2 filesystem is mounted
 * @path: receives the directory
 * @size: room in @path
 * @err: says if it is not mounted
 *
 * Return: 0, -ENOENT, -ENAMETOOLONG.
 */
int htmm_cgroup_mount(char *path, size_t size, struct htmm_error *err);

/**
 * htmm_target_cgroup() - make a target from a cgroup
 * @target: filled; its id is a file descriptor; close it after adding the target
 * @path: the cgroup's directory: an absolute path; if that does not exist, a path below the
 *	cgroup mount, with or without a leading '/'
 * @err: says what is wrong with it
 *
 * Return: 0 or a negative errno.
 */
int htmm_target_cgroup(struct htmm_target *target, const char *path, struct htmm_error *err);

/**
 * htmm_device_add_target() - add a target to the running session
 * @fd: the device
 * @target: the target
 * @number: receives its number
 * @err: says why it was not added; the module's own message if there is one
 *
 * Return: 0 or a negative errno, see struct htmm_add_target.
 */
int htmm_device_add_target(int fd, const struct htmm_target *target, __u32 *number,
			   struct htmm_error *err);

/**
 * htmm_device_remove_target() - remove a target and all that was counted for it
 * @fd: the device
 * @number: its number
 * @err: the error
 *
 * Return: 0 or a negative errno, see struct htmm_target_id.
 */
int htmm_device_remove_target(int fd, __u32 number, struct htmm_error *err);

/**
 * htmm_device_targets() - read the state and the counters of each target
 * @fd: the device
 * @list: filled; free it with htmm_targets_free()
 * @err: the error
 *
 * Return: 0 or a negative errno, see struct htmm_targets.
 */
int htmm_device_targets(int fd, struct htmm_target_list *list, struct htmm_error *err);

/**
 * htmm_targets_free() - free a list of targets
 * @list: the list; may be all zero
 */
void htmm_targets_free(struct htmm_target_list *list);

/**
 * htmm_target_type_name() - the name of a target's type
 * @type: enum htmm_target_type
 *
 * Return: a word, "unknown" for types this library does not know.
 */
const char *htmm_target_type_name(__u32 type);

/**
 * htmm_target_hit_ratio() - the share of the samples on the hottest pages
 * @fd: the device
 * @target: number of a target; 0: all targets together
 * @unit: enum htmm_unit, what the fast tier is filled with
 * @capacity_pages: capacity of the fast tier, in 4 KiB pages; 0: that of the target or the
 *	session
 * @ratio: filled
 * @err: the error
 *
 * The same samples have chosen these pages, so for the accesses this is an upper bound.
 *
 * Return: 0 or a negative errno, see struct htmm_hit_ratio; -ENOTTY if the module is too
 * old for this call.
 */
int htmm_target_hit_ratio(int fd, __u32 target, __u32 unit, __u64 capacity_pages,
			  struct htmm_hit_ratio *ratio, struct htmm_error *err);

/**
 * htmm_target_hist() - read a histogram
 * @fd: the device
 * @target: number of a target; 0: all targets together
 * @unit: enum htmm_unit
 * @hist: filled
 * @err: the error
 *
 * Return: 0 or a negative errno, see struct htmm_histogram.
 */
int htmm_target_hist(int fd, __u32 target, __u32 unit, struct htmm_histogram *hist,
		     struct htmm_error *err);

/**
 * htmm_target_cool() - halve every count now
 * @fd: the device
 * @target: number of a target; 0: all targets together
 * @err: the error
 *
 * Return: 0 or a negative errno, see struct htmm_target_id.
 */
int htmm_target_cool(int fd, __u32 target, struct htmm_error *err);

#endif /* HTMM_TARGET_H */
