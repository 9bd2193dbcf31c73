/* SPDX-License-Identifier: GPL-2.0 */
/* Samples that user space hands in. */
#ifndef HTMM_FEED_H
#define HTMM_FEED_H

#include <linux/types.h>
#include <uapi/linux/htmm.h>

struct htmm_channel;

u32 htmm_feed(struct htmm_channel *channel, const struct htmm_feed_sample *samples, u32 n,
	      bool foreign);
void htmm_feed_drop(struct htmm_channel *channel, u32 n, enum htmm_drop drop);

#endif /* HTMM_FEED_H */
