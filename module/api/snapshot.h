/* SPDX-License-Identifier: GPL-2.0 */
/* A session in the terms of the interface. */
#ifndef HTMM_SNAPSHOT_H
#define HTMM_SNAPSHOT_H

#include "session/session.h"

/* Most pages that one call of htmm_snapshot_hot_pages() lists. */
#define HTMM_SNAPSHOT_PAGES	65536

void htmm_snapshot_info(struct htmm_session *session, struct htmm_info *info);
unsigned int htmm_snapshot_stats(struct htmm_session *session,
				 struct htmm_stats *stats,
				 struct htmm_channel *channels);
int htmm_snapshot_histogram(struct htmm_session *session,
			    struct htmm_histogram *out);
int htmm_snapshot_hit_ratio(struct htmm_session *session,
			    struct htmm_hit_ratio *out);
int htmm_snapshot_hot_pages(struct htmm_session *session, u32 target,
			    u64 cursor[4], struct htmm_hot_page *pages, u32 n);
u32 htmm_snapshot_targets(struct htmm_session *session,
			  struct htmm_target_info *targets);
int htmm_snapshot_cool(struct htmm_session *session, u32 target);

#endif /* HTMM_SNAPSHOT_H */
