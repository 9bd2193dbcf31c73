/* SPDX-License-Identifier: GPL-2.0 */
/* Build ids: what tells a program or library from all others, wherever it lies. */
#ifndef PERFDATA_BUILDID_H
#define PERFDATA_BUILDID_H

#include <linux/types.h>

/* Most bytes of a build id: a SHA-1. */
#define BUILD_ID_MAX	20

/**
 * struct build_id - a build id
 * @bytes: the bytes
 * @len: how many
 */
struct build_id {
	__u8 bytes[BUILD_ID_MAX];
	__u8 len;
};

/**
 * build_id_of_file() - read the build id of a program or library
 * @path: the file, of any kind
 * @id: filled
 *
 * Return: 0 or a negative errno; -ENOENT if it has none.
 */
int build_id_of_file(const char *path, struct build_id *id);

/**
 * build_id_of_kernel() - read the build id of the kernel that runs
 * @id: filled
 *
 * Return: as build_id_of_file().
 */
int build_id_of_kernel(struct build_id *id);

#endif /* PERFDATA_BUILDID_H */
