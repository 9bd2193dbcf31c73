/* SPDX-License-Identifier: GPL-2.0 */
/* The n-th chance of a thread to fail, and that it does. */
#ifndef KSFT_NTH_H
#define KSFT_NTH_H

#include <stdbool.h>

#define NTH_FILE	"/proc/self/fail-nth"
/* More chances to fail than any operation has: a sweep does come to its end. */
#define NTH_MOST	3000

/* Before the harness plans anything: ends the program if there is nothing to test. */
void nth_require(void);
/* Lets all failures happen that the kernel has; 0 or a negative errno. */
int nth_everything(void);
/*
 * Allocations are a chance only below that function of the module, whoever calls it; NULL:
 * everywhere. 0 or a negative errno, -ENOENT if there is no such function.
 */
int nth_only_below(const char *function);
/* @fd: a thread's fail-nth. */
void nth_arm(int fd, unsigned int nth);
/* How many more chances until one fails; 0 if it has; negative if nobody knows. */
int nth_left(int fd);
/* Has the failure happened? No more will. */
bool nth_disarm(int fd);

#endif /* KSFT_NTH_H */
