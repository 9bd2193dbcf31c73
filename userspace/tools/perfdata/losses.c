// SPDX-License-Identifier: GPL-2.0
#include "format.h"
#include "losses.h"

/*
 * Since version 6.1, perf writes a sum of the losses in its buffers at the end, as records
 * without time. It includes what the kernel reported during the recording, and losses that
 * it could not report because no record followed. All other losses are added.
 */
void perfdata_losses_add(struct perfdata_losses *losses, const struct perfdata_record_view *view)
{
	if (view->type == PERF_RECORD_LOST)
		losses->reported += view->lost;
	/* A filter of the user drops samples on purpose. */
	else if (view->type != PERF_RECORD_LOST_SAMPLES || view->misc & PERFDATA_LOST_SAMPLES_BPF)
		return;
	else if (!view->time)
		losses->summed_up += view->lost;
	else
		losses->others += view->lost;
}
