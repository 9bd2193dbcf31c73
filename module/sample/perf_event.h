/* SPDX-License-Identifier: GPL-2.0 */
/* The perf event of a sampler: create, arm, query, release. */
#ifndef HTMM_PERF_EVENT_H
#define HTMM_PERF_EVENT_H

#include "base/error.h"
#include "sampler.h"

int htmm_perf_event_create(struct htmm_sampler *sampler,
			   const struct htmm_event *desc, u64 period,
			   struct htmm_error *err);
u64 htmm_perf_event_step(const struct htmm_sampler *sampler);
int htmm_perf_event_try_period(struct htmm_sampler *sampler,
			       const struct htmm_event *desc, u64 period,
			       struct htmm_error *err);
void htmm_perf_event_arm(struct htmm_sampler *sampler);
int htmm_perf_event_set_period(struct htmm_sampler *sampler, u64 period);
void htmm_perf_event_disarm(struct htmm_sampler *sampler);
void htmm_perf_event_query(struct htmm_sampler *sampler);
void htmm_perf_event_release(struct htmm_sampler *sampler);

#endif /* HTMM_PERF_EVENT_H */
