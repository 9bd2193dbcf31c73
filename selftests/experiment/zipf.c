// SPDX-License-Identifier: GPL-2.0
/*
 * By the approximation in J. Gray et al., "Quickly generating billion-record synthetic
 * databases", SIGMOD 1994, which YCSB uses, too.
 */
#include <math.h>

#include "work.h"
#include "zipf.h"

#define THETA	0.99

void zipf_init(struct zipf *zipf, __u64 n, __u64 seed)
{
	zipf->n = n;
	zipf->state = seed;
	zipf->zeta = 0;
	for (__u64 i = 1; i <= n; i++)
		zipf->zeta += pow(i, -THETA);
	zipf->eta = (1 - pow(2.0 / n, 1 - THETA)) /
		    (1 - (1 + pow(0.5, THETA)) / zipf->zeta);
}

__u64 zipf_rank(struct zipf *zipf)
{
	double u = (double)(work_random(&zipf->state) >> 11) / (1ULL << 53);
	double share = u * zipf->zeta;

	if (share < 1)
		return 0;
	if (share < 1 + pow(0.5, THETA))
		return 1;
	return zipf->n * pow(zipf->eta * u - zipf->eta + 1, 1 / (1 - THETA));
}

__u64 zipf_next(struct zipf *zipf)
{
	return (zipf_rank(zipf) * 0x9e3779b97f4a7c15ULL >> 13) % zipf->n;
}
