/* SPDX-License-Identifier: GPL-2.0 */
/* The capacity of the fast tier in words, and its default. */
#ifndef HTMMCTL_CAPACITY_H
#define HTMMCTL_CAPACITY_H

#include <stddef.h>
#include <linux/types.h>

/* Why such a capacity tells little. */
#define CAPACITY_ALL	"all memory, so every page fits; see --capacity"

/* Room for capacity_words(). */
#define CAPACITY_WORDS	160

/*
 * The fast tier's size if the user gives no capacity. Returns bytes of the first tier, if the
 * kernel ranks several; else 0: the module then takes the memory of all nodes that have CPUs.
 */
__u64 capacity_default(void);

/* Describes a capacity, and says if it is all memory of the machine. Returns @text. */
const char *capacity_words(char text[CAPACITY_WORDS], __u64 pages);

#endif /* HTMMCTL_CAPACITY_H */
