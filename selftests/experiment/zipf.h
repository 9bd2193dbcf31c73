/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of which few are frequent: rank i has a share of 1 / i^0.99, as YCSB has it. */
#ifndef EXPERIMENT_ZIPF_H
#define EXPERIMENT_ZIPF_H

#include <linux/types.h>

/**
 * struct zipf - a distribution over 0 to @n - 1
 * @n: how many numbers
 * @state: of the random numbers
 * @zeta: sum of all shares
 * @eta: see zipf_next()
 */
struct zipf {
	__u64 n;
	__u64 state;
	double zeta;
	double eta;
};

/** zipf_init() - prepare for @n numbers; takes time in proportion */
void zipf_init(struct zipf *zipf, __u64 n, __u64 seed);

/** zipf_rank() - the next number; the smaller, the more frequent */
__u64 zipf_rank(struct zipf *zipf);

/** zipf_next() - the next number; frequent ones are anywhere, not next to each other */
__u64 zipf_next(struct zipf *zipf);

#endif /* EXPERIMENT_ZIPF_H */
