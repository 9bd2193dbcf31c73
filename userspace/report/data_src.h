/* SPDX-License-Identifier: GPL-2.0 */
/* Where samples found their data, as far as the CPU reports it. */
#ifndef REPORT_DATA_SRC_H
#define REPORT_DATA_SRC_H

#include <linux/types.h>

/**
 * enum data_src - what a sample's data came from
 * @DATA_SRC_CACHE: a cache of the same node
 * @DATA_SRC_DRAM: memory of the same node
 * @DATA_SRC_REMOTE: cache or memory of another node
 * @DATA_SRC_SLOW: persistent memory or CXL
 * @DATA_SRC_OTHER: I/O, uncached memory
 * @DATA_SRC_UNKNOWN: the CPU does not report it
 * @NR_DATA_SRCS: number of kinds
 */
enum data_src {
	DATA_SRC_CACHE,
	DATA_SRC_DRAM,
	DATA_SRC_REMOTE,
	DATA_SRC_SLOW,
	DATA_SRC_OTHER,
	DATA_SRC_UNKNOWN,
	NR_DATA_SRCS
};

/**
 * data_src_of() - what a sample's data came from
 * @data_src: union perf_mem_data_src of the sample; 0: not recorded
 *
 * Return: the kind.
 */
enum data_src data_src_of(__u64 data_src);

/**
 * data_src_name() - the name of a kind
 * @kind: the kind
 *
 * Return: a word.
 */
const char *data_src_name(enum data_src kind);

#endif /* REPORT_DATA_SRC_H */
