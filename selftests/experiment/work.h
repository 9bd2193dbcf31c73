/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs of an experiment have in common: when they begin, how far they are. */
#ifndef EXPERIMENT_WORK_H
#define EXPERIMENT_WORK_H

#include <stdbool.h>
#include <linux/types.h>
#include <stdnoreturn.h>

#define PAGE	4096UL

/** work_fail() - end the program with a sentence on stderr */
noreturn void work_fail(const char *fmt, ...);

/** work_map() - memory from the kernel, zero, at an address of a huge page */
void *work_map(__u64 bytes);

/** work_ready() - say that the memory is there, wait for the word, start the clock */
void work_ready(void);

/** work_done() - so many more operations are done */
void work_done(__u64 ops);

/**
 * work_phase() - the memory that is hot changes now
 * @hot: its pages from now on, the best first
 * @n: their number
 *
 * If this is the oracle's run, they are moved to the fast node, and the clock stands still
 * meanwhile. The first call comes before work_ready().
 */
void work_phase(const __u64 *hot, __u64 n);

/** work_stop() - all is done: stop the clock, say so, and wait until what was measured is read */
void work_stop(void);

/**
 * work_end() - print how it went
 * @checksum: of the program's result, the same in each run
 */
void work_end(__u64 checksum);

/** work_random() - the next of a sequence of 64-bit numbers, not 0 to begin with */
static inline __u64 work_random(__u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/** work_argument() - a number from the command line, or the end with a sentence */
__u64 work_argument(int argc, char **argv, int i, const char *what);

#endif /* EXPERIMENT_WORK_H */
