/* SPDX-License-Identifier: GPL-2.0 */
/* Build ids: they identify one build of a program or library, wherever the file is. */
#ifndef PERFDATA_BUILDID_H
#define PERFDATA_BUILDID_H

#include <linux/types.h>

/* Most bytes of a build id: a SHA-1. */
#define BUILD_ID_MAX	20

/**
 * struct build_id - a build id
 * @bytes: the bytes
 * @len: number of bytes
 */
struct build_id {
	__u8 bytes[BUILD_ID_MAX];
	__u8 len;
};

/**
 * build_id_of_file() - read the build id of a program or library
 * @path: a file of any type
 * @id: filled
 *
 * Return: 0 or a negative errno; -ENOENT if it has no build id.
 */
int build_id_of_file(const char *path, struct build_id *id);

/**
 * build_id_of_kernel() - read the build id of the running kernel
 * @id: filled
 *
 * Return: as build_id_of_file().
 */
int build_id_of_kernel(struct build_id *id);

#endif /* PERFDATA_BUILDID_H */
