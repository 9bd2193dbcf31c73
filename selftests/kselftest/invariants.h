/* SPDX-License-Identifier: GPL-2.0 */
/* What holds for every stopped session, whatever a test has done with it. */
#ifndef KSFT_INVARIANTS_H
#define KSFT_INVARIANTS_H

/*
 * Looks at the stopped session of @fd and ends the program if something does not add up:
 * the equation of each channel and of the totals, sums over targets, histograms beside the
 * listing, and every number of debugfs beside that of the ioctl. device_stop() calls it, so
 * that it is done after every test.
 */
void invariants_hold(int fd);
/* @cmd was called, and returned @ret. */
void invariants_note(unsigned int cmd, int ret);

#endif /* KSFT_INVARIANTS_H */
