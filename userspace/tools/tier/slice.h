/* SPDX-License-Identifier: GPL-2.0 */
/* For how long the scheduler lets this program run at a time. */
#ifndef TIER_SLICE_H
#define TIER_SLICE_H

/**
 * slice_ask() - ask for as much time as a look usually takes
 *
 * A look goes through megabytes several times. A program that runs in between takes the caches, and
 * they have to be filled again. Looks take no more time than before, but in fewer parts: a program
 * that computes all the time on the same CPU may wait for 30 ms, and not for 3. One that sleeps,
 * and has not had more than its share, still runs when it wakes up.
 *
 * A slice that is longer stays, as do policy and nice value. Kernels before 6.12 ignore it, and so
 * does this function if the policy is another one than those of usual programs.
 */
void slice_ask(void);

#endif /* TIER_SLICE_H */
