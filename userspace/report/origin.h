/* SPDX-License-Identifier: GPL-2.0 */
/* Where samples found their data, as far as the processor tells. */
#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

#include <linux/types.h>

/**
 * enum origin - what a sample's data came from
 * @ORIGIN_CACHE: a cache of the same node
 * @ORIGIN_DRAM: memory of the same node
 * @ORIGIN_REMOTE: cache or memory of another node
 * @ORIGIN_SLOW: persistent memory or CXL
 * @ORIGIN_OTHER: I/O, uncached memory
 * @ORIGIN_UNKNOWN: the processor does not tell
 * @ORIGINS: number of origins
 */
enum origin {
	ORIGIN_CACHE,
	ORIGIN_DRAM,
	ORIGIN_REMOTE,
	ORIGIN_SLOW,
	ORIGIN_OTHER,
	ORIGIN_UNKNOWN,
	ORIGINS
};

/**
 * origin_of() - what a sample's data came from
 * @data_src: union perf_mem_data_src of the sample; 0: not recorded
 *
 * Return: the origin.
 */
enum origin origin_of(__u64 data_src);

/**
 * origin_name() - the name of an origin
 * @origin: the origin
 *
 * Return: a word.
 */
const char *origin_name(enum origin origin);

#endif /* REPORT_ORIGIN_H */
