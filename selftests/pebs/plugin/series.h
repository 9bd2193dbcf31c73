/* SPDX-License-Identifier: GPL-2.0 */
/* Misses of each process by node, over time. */
#ifndef PEBS_SERIES_H
#define PEBS_SERIES_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * series_open() - create the file, with a line of its columns
 * @path: where
 *
 * Return: false, with the reason on stderr.
 */
bool series_open(const char *path);

/**
 * series_start() - find the machine's clock
 *
 * Context: the vCPU thread. Does not return without -icount: only then is there one
 * vCPU thread, and a time that does not depend on the host.
 */
void series_start(void);

/**
 * series_count() - count an access that missed the cache
 * @vcpu: where
 * @tgid: whose it is
 * @remote: it was served by the other node
 *
 * Context: the vCPU thread.
 */
void series_count(unsigned int vcpu, __u64 tgid, bool remote);

/**
 * series_close() - write what is left
 *
 * Return: false if writing failed, with errno set.
 */
bool series_close(void);

#endif /* PEBS_SERIES_H */
