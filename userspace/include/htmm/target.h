/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Targets: processes and cgroups, each counted separately. Functions return 0 or a negative errno,
 * and say in @err what was wrong, as those of device.h do.
 */
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

/* Finds the directory where the cgroup2 filesystem is mounted. Also returns -ENAMETOOLONG. */
int htmm_cgroup_mount(char *path, size_t size, struct htmm_error *err);

/*
 * Makes a target from a cgroup. @target: its id is a file descriptor; close it after adding the
 * target. @path: the cgroup's directory: an absolute path; if that does not exist, a path below the
 * cgroup mount, with or without a leading '/'.
 */
int htmm_target_cgroup(struct htmm_target *target, const char *path, struct htmm_error *err);

/* Adds a target to the running session. @err: the module's own message if there is one. */
int htmm_device_add_target(int fd, const struct htmm_target *target, __u32 *number,
			   struct htmm_error *err);

/* Removes a target and all that was counted for it. */
int htmm_device_remove_target(int fd, __u32 number, struct htmm_error *err);

/* Reads state and counters of each target, which htmm_targets_free() frees. */
int htmm_device_targets(int fd, struct htmm_target_list *list, struct htmm_error *err);
void htmm_targets_free(struct htmm_target_list *list);

/* A word for an enum htmm_target_type; "unknown" for what this library does not know. */
const char *htmm_target_type_name(__u32 type);

/*
 * Reads the share of the samples on the hottest pages. @unit: what the fast tier is filled with.
 * @capacity_pages: of 4 KiB, that the fast tier holds; 0: what the target or the session has. The
 * same samples have chosen these pages, so for the accesses this is an upper bound.
 */
int htmm_target_hit_ratio(int fd, __u32 target, __u32 unit, __u64 capacity_pages,
			  struct htmm_hit_ratio *ratio, struct htmm_error *err);

/* Reads a histogram. */
int htmm_target_hist(int fd, __u32 target, __u32 unit, struct htmm_histogram *hist,
		     struct htmm_error *err);

/* Halves every count now. */
int htmm_target_cool(int fd, __u32 target, struct htmm_error *err);

#endif /* HTMM_TARGET_H */
