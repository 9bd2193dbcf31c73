// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include <htmm/target.h>
#include "array.h"
#include "ioctl.h"

int htmm_cgroup_mount(char *path, size_t size, struct htmm_error *err)
{
	FILE *file = setmntent("/proc/self/mounts", "re");
	struct mntent entry = {};
	char line[2 * PATH_MAX];
	bool found = false;

	while (file && !found && getmntent_r(file, &entry, line, sizeof(line)))
		found = !strcmp(entry.mnt_type, "cgroup2");
	if (file)
		endmntent(file);
	if (!found)
		return htmm_error_set(err, ENOENT, "mount -t cgroup2 none /sys/fs/cgroup",
				      "cgroups of version 2 are not mounted");
	if (snprintf(path, size, "%s", entry.mnt_dir) >= (int)size)
		return htmm_error_set(err, ENAMETOOLONG, NULL,
				      "the path where cgroups are mounted is too long");
	return 0;
}

/* Opens the directory of a cgroup. Returns a file descriptor, or -1. */
static int open_cgroup(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || (!fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC))
		return fd;
	close(fd);
	errno = ENOTDIR;
	return -1;
}

/* Makes the path of @path below the cgroup mount. */
static int below_mount(char *full, size_t size, const char *path, struct htmm_error *err)
{
	char mount[PATH_MAX];
	int ret = htmm_cgroup_mount(mount, sizeof(mount), err);

	if (ret)
		return ret;
	path += strspn(path, "/");
	if (snprintf(full, size, "%s/%s", mount, path) >= (int)size)
		return htmm_error_set(err, ENAMETOOLONG, NULL, "the cgroup's path is too long");
	return 0;
}

static bool is_version_1(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == CGROUP_SUPER_MAGIC;
}

int htmm_target_cgroup(struct htmm_target *target, const char *path, struct htmm_error *err)
{
	int fd = *path == '/' ? open_cgroup(path) : -1, ret;
	char full[2 * PATH_MAX];

	if (!*path)
		return htmm_error_set(err, EINVAL, "give its path; / stands for all processes",
				      "the cgroup has no name");
	if (fd < 0 && *path == '/' && is_version_1(path))
		return htmm_error_set(err, ENOTDIR, "give one of version 2, see 'mount -t cgroup2'",
				      "'%s' is a cgroup of version 1", path);
	if (fd < 0) {
		ret = below_mount(full, sizeof(full), path, err);
		if (ret)
			return ret;
		fd = open_cgroup(full);
	}
	if (fd < 0 && *path == '/' && !access(path, F_OK))
		return htmm_error_set(err, ENOTDIR, "see systemd-cgls for a list",
				      "'%s' is not the directory of a cgroup", path);
	if (fd < 0)
		return htmm_error_set(err, errno, "see systemd-cgls for a list",
				      "there is no cgroup '%s': %s", path, strerror(errno));
	*target = (struct htmm_target) { .type = HTMM_TARGET_CGROUP, .id = fd };
	return 0;
}

static const char *add_advice(int code)
{
	switch (code) {
	case ENODATA:
		return "start one with 'htmmctl start'";
	case EEXIST:
	case ENOSPC:
		return "see 'htmmctl target list'";
	case ESRCH:
		return "check the pid";
	case ERANGE:
	case ENOMEM:
		return "ask for a smaller table, or remove another target";
	case EBADF:
		return "give the directory of a cgroup of version 2";
	}
	return "check the request";
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
	int ret = htmm_ioctl_told(fd, HTMM_IOC_ADD_TARGET, &arg, &arg.error,
				  &arg.error_size, text);

	*number = arg.number;
	if (!ret)
		return 0;
	if (!*text)
		return htmm_ioctl_error(-ret, "add a target", err);
	return htmm_error_set(err, -ret, add_advice(-ret), "%s", text);
}

int htmm_target_missing(__u32 number, struct htmm_error *err)
{
	return htmm_error_set(err, ENOENT, "see 'htmmctl target list'",
			      "the session has no target %u", number);
}

int htmm_device_remove_target(int fd, __u32 number, struct htmm_error *err)
{
	struct htmm_remove_target arg = {
		.size = sizeof(arg),
		.target = number,
	};
	int ret = htmm_ioctl(fd, HTMM_IOC_REMOVE_TARGET, &arg);

	if (ret == -ENOENT)
		return htmm_target_missing(number, err);
	return ret ? htmm_ioctl_error(-ret, "remove a target", err) : 0;
}

int htmm_target_cool(int fd, __u32 target, struct htmm_error *err)
{
	struct htmm_cool arg = { .size = sizeof(arg), .target = target };
	int ret = htmm_ioctl(fd, HTMM_IOC_COOL, &arg);

	if (ret == -ENOENT)
		return htmm_target_missing(target, err);
	return ret ? htmm_ioctl_error(-ret, "cool the counts", err) : 0;
}

/* One GET_TARGETS call, with this much room; sets *@nr to the number of targets. */
static int read_targets(int fd, struct htmm_target_list *list, size_t room, __u32 *nr)
{
	struct htmm_targets arg = {
		.size = sizeof(arg),
		.nr_targets = room,
		.target_size = sizeof(struct htmm_target_info),
	};
	int ret;

	list->target = calloc(room, sizeof(*list->target));
	if (!list->target)
		return -ENOMEM;
	arg.targets = (__u64)(unsigned long)list->target;
	ret = htmm_ioctl(fd, HTMM_IOC_GET_TARGETS, &arg);
	*nr = arg.nr_targets;
	return ret;
}

int htmm_device_targets(int fd, struct htmm_target_list *list, struct htmm_error *err)
{
	__u32 nr = HTMM_MAX_TARGETS;
	size_t room;
	int ret;

	memset(list, 0, sizeof(*list));
	/* A newer module may have more targets than this library knows. */
	do {
		free(list->target);
		room = nr;
		ret = read_targets(fd, list, room, &nr);
	} while (!ret && nr > room);
	if (ret) {
		htmm_targets_free(list);
		return htmm_ioctl_error(-ret, "read the targets", err);
	}
	list->nr = nr;
	return 0;
}

void htmm_targets_free(struct htmm_target_list *list)
{
	free(list->target);
	memset(list, 0, sizeof(*list));
}

const char *htmm_target_type_name(__u32 type)
{
	static const char *const names[] = {
		[HTMM_TARGET_TGID] = "process",
		[HTMM_TARGET_CGROUP] = "cgroup",
		[HTMM_TARGET_ALL] = "all",
	};

	return type < ARRAY_SIZE(names) && names[type] ? names[type] : "unknown";
}
