/* SPDX-License-Identifier: GPL-2.0 */
/* For how long the scheduler lets this program run at a time. */
#ifndef TIER_SLICE_H
#define TIER_SLICE_H

/**
 * slice_ask() - ask for as much time as a look usually takes
 *
 * A look goes through megabytes several times. A program that runs in between takes the caches, and
 * they have to be filled again. Looks take no more time than before, but in fewer parts; a program
 * that sleeps and wakes up can still interrupt them. What the calling thread has been given
 * otherwise, its policy and nice value, stays. Kernels before 6.12 ignore it.
 */
void slice_ask(void);

#endif /* TIER_SLICE_H */
