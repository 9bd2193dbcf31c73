/* SPDX-License-Identifier: GPL-2.0 */
/* The perf event of a channel: create, arm, query, release. */
#ifndef HTMM_PERF_EVENT_H
#define HTMM_PERF_EVENT_H

#include <linux/perf_event.h>
#include "base/error.h"
#include "channel.h"

int htmm_perf_event_create(struct htmm_channel *channel, const struct htmm_event *desc, u64 period,
			   struct htmm_error *err);
u64 htmm_perf_event_step(const struct htmm_channel *channel);
int htmm_perf_event_try_period(struct htmm_channel *channel,
			       const struct htmm_event *desc, u64 period, struct htmm_error *err);
void htmm_perf_event_arm(struct htmm_channel *channel);
int htmm_perf_event_set_period(struct htmm_channel *channel, u64 period);
void htmm_perf_event_disarm(struct htmm_channel *channel);
void htmm_perf_event_query(struct htmm_channel *channel);
void htmm_perf_event_release(struct htmm_channel *channel);

/* event_type.c */
bool htmm_event_type_allowed(const struct htmm_event *desc);

/* overflow.c */
perf_overflow_handler_t htmm_overflow_handler(u64 sample_type, bool picky);

#endif /* HTMM_PERF_EVENT_H */
