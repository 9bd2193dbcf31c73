/* SPDX-License-Identifier: GPL-2.0 */
/* Makes the n-th possible failure of a thread happen. */
#ifndef KSFT_NTH_H
#define KSFT_NTH_H

#include <stdbool.h>

#define NTH_FILE	"/proc/self/fail-nth"
/* More than any operation has, so that a sweep ends. */
#define NTH_MOST	3000

/* Call before the harness starts: ends the program if nothing can be tested. */
void nth_require(void);
/* Enables all kinds of failures that the kernel has; 0 or a negative errno. */
int nth_everything(void);
/*
 * Allocations fail only in calls from this function of the module or of the kernel; NULL:
 * everywhere.
 * Returns 0 or a negative errno, -ENOENT if there is no such function.
 */
int nth_only_below(const char *function);
/* @fd: the fail-nth file of a thread. */
void nth_arm(int fd, unsigned int nth);
/* How many more possible failures until one fails; 0: it has failed; negative: unknown. */
int nth_left(int fd);
/* Stops further failures; tells if the failure happened. */
bool nth_disarm(int fd);

#endif /* KSFT_NTH_H */
