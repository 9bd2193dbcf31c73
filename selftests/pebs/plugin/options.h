/* SPDX-License-Identifier: GPL-2.0 */
/* Options of the plugin, as in -plugin pebs.so,llc=2M,truth=FILE. */
#ifndef PEBS_OPTIONS_H
#define PEBS_OPTIONS_H

#include <stdbool.h>

#include "../mailbox.h"
#include "stall.h"

/**
 * struct options - what the command line asked for
 * @llc: size of the last-level cache in bytes, 0 for none (default 2 MiB)
 * @ways: its associativity (default 16)
 * @stlb: pages that the second-level TLB of a vCPU holds, 0 for none (default 1536, as Skylake's)
 * @remote: guest-physical memory of another node (default none)
 * @pmem: guest-physical persistent memory (default none)
 * @latency: what accesses and records cost (default nothing)
 * @ibs: there is an IBS unit, too (default no, as it makes the machine slow)
 * @truth: file for the ground truth, or NULL
 * @profile: file for the profile of the kernel, or NULL
 * @series: file for misses over time, or NULL
 * @misses: file for every miss, and each store that missed the STLB, or NULL
 */
struct options {
	__u64 llc;
	unsigned int ways;
	unsigned int stlb;
	struct pebs_range remote;
	struct pebs_range pmem;
	struct latency latency;
	bool ibs;
	const char *truth;
	const char *profile;
	const char *series;
	const char *misses;
};

/**
 * options_parse() - fill in the options
 * @options: to fill in
 * @argc: number of @argv
 * @argv: "NAME=VALUE" strings, which must outlive @options
 *
 * Return: false, with the reason on stderr, for an unknown name or a bad value.
 */
bool options_parse(struct options *options, int argc, char **argv);

#endif /* PEBS_OPTIONS_H */
