/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Files of one line in sysfs. */
#ifndef HTMM_SYSFS_H
#define HTMM_SYSFS_H

#include <stddef.h>
#include <htmm/error.h>

/*
 * Reads the first line of the file at a path in the form of printf(), without its newline.
 * Returns 0 or a negative errno; -ENOENT if the file is empty. @line is empty then.
 */
htmm_printf(3, 4)
int sysfs_line(char *line, size_t size, const char *path, ...);

#endif /* HTMM_SYSFS_H */
