/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FAKE_PRIMES: every member its own prime number, so that a mix-up shows. What test_cli expects of
 * them is written there once more.
 */
#ifndef HTMM_FAKE_PRIMES_H
#define HTMM_FAKE_PRIMES_H

#include <linux/htmm.h>

void primes_info(struct htmm_info *info);
void primes_channel(struct htmm_channel_info *channel, unsigned int number);
void primes_stats(struct htmm_stats *stats);
void primes_target(struct htmm_target_info *target);
void primes_hist(struct htmm_histogram *hist);
void primes_ratio(struct htmm_hit_ratio *ratio);
void primes_page(struct htmm_page *page);

#endif /* HTMM_FAKE_PRIMES_H */
