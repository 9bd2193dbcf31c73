/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of CPU time, as a test wants it. */
#ifndef FAKE_CLOCK_H
#define FAKE_CLOCK_H

#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

#endif /* FAKE_CLOCK_H */
