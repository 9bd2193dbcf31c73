/* SPDX-License-Identifier: GPL-2.0 */
/* What holds for every stopped session, whatever a test has done with it. */
#ifndef KSFT_INVARIANTS_H
#define KSFT_INVARIANTS_H

#include <linux/types.h>

/*
 * Looks at the stopped session of @fd and ends the program if something does not add up:
 * the equation of each channel and of the totals, sums over targets, histograms beside the
 * listing, and every number of debugfs beside that of the ioctl. device_stop() calls it, so
 * that it is done after every test.
 */
void invariants_hold(int fd);
/*
 * Called before and after each ioctl @cmd, which has returned @ret; @before is what the first of
 * them has returned.
 */
__u64 invariants_before(unsigned int cmd);
void invariants_after(unsigned int cmd, int ret, __u64 before);

#endif /* KSFT_INVARIANTS_H */
