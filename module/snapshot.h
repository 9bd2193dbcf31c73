/* SPDX-License-Identifier: GPL-2.0 */
/* A session in the terms of the interface: the only core-to-uapi converter. */
#ifndef HTMM_SNAPSHOT_H
#define HTMM_SNAPSHOT_H

#include "session.h"

/* Most pages that one call of htmm_snapshot_hot_pages() lists. */
#define HTMM_SNAPSHOT_PAGES	4096

void htmm_snapshot_info(struct htmm_session *session, struct htmm_info *info);
unsigned int htmm_snapshot_stats(struct htmm_session *session,
				 struct htmm_stats *stats,
				 struct htmm_channel *channels);
void htmm_snapshot_histogram(struct htmm_session *session,
			     enum htmm_hist_kind kind,
			     struct htmm_histogram *out);
int htmm_snapshot_hot_pages(struct htmm_session *session, u64 cursor[4],
			    struct htmm_hot_page *pages, u32 n);

#endif /* HTMM_SNAPSHOT_H */
