/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that make the accesses, which the module does not keep. */
#ifndef HOT_CODE_H
#define HOT_CODE_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct code_config - what to print
 * @ms: record the running session for so long
 * @max: functions to list; 0: all
 * @json: print JSON
 */
struct code_config {
	__u32 ms;
	__s64 max;
	bool json;
};

/**
 * code_print() - record the running session, and print the functions of its samples
 * @config: what to print
 *
 * htmmctl record and htmmctl report do it, and say what was wrong.
 *
 * Return: the exit status.
 */
int code_print(const struct code_config *config);

#endif /* HOT_CODE_H */
