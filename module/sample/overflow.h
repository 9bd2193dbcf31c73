/* SPDX-License-Identifier: GPL-2.0 */
/* The overflow handler: the producer's side of every ring. */
#ifndef HTMM_OVERFLOW_H
#define HTMM_OVERFLOW_H

struct perf_event;
struct perf_sample_data;
struct pt_regs;

void htmm_overflow(struct perf_event *event, struct perf_sample_data *data,
		   struct pt_regs *regs);

#endif /* HTMM_OVERFLOW_H */
