// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include <htmm/target.h>

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
