/* SPDX-License-Identifier: GPL-2.0 */
/* Samples that a recording does not have. */
#ifndef PERFDATA_LOSSES_H
#define PERFDATA_LOSSES_H

#include "decode.h"

/**
 * struct perfdata_losses - samples lost, by who reported it
 * @reported: by the kernel, for records missing in a buffer
 * @summed_up: the same, summed by perf at the end
 * @others: samples that never reached a buffer
 */
struct perfdata_losses {
	__u64 reported;
	__u64 summed_up;
	__u64 others;
};

/**
 * perfdata_losses_add() - add what a record says
 * @losses: the losses so far
 * @view: any record that is no sample
 */
void perfdata_losses_add(struct perfdata_losses *losses, const struct perfdata_record_view *view);

/**
 * perfdata_lost() - the samples that were lost
 * @losses: the losses
 *
 * Return: their number.
 */
static inline __u64 perfdata_lost(const struct perfdata_losses *losses)
{
	return losses->others + (losses->reported > losses->summed_up ?
				 losses->reported : losses->summed_up);
}

#endif /* PERFDATA_LOSSES_H */
