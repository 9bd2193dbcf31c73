/* SPDX-License-Identifier: GPL-2.0 */
/* What the fast tier holds, in words, and where nobody says. */
#ifndef CMD_CAPACITY_H
#define CMD_CAPACITY_H

#include <stddef.h>
#include <linux/types.h>

/* Why a capacity is of little use. */
#define CAPACITY_ALL	"all memory, so every page fits; see --capacity"

/* Room for capacity_words(). */
#define CAPACITY_WORDS	160

/**
 * capacity_default() - what a session's fast tier holds that nobody gave one
 *
 * Return: bytes of the first of several tiers that the kernel ranks; 0: the module
 * knows as well, it takes the memory of all nodes that have CPUs.
 */
__u64 capacity_default(void);

/**
 * capacity_words() - say a capacity, and whether it is all memory there is
 * @text: filled
 * @pages: the capacity
 *
 * Return: @text.
 */
const char *capacity_words(char text[CAPACITY_WORDS], __u64 pages);

#endif /* CMD_CAPACITY_H */
