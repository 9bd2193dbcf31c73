/* SPDX-License-Identifier: GPL-2.0 */
/* The overflow handler: the producer's side of every ring. */
#ifndef HTMM_OVERFLOW_H
#define HTMM_OVERFLOW_H

#include <linux/perf_event.h>

perf_overflow_handler_t htmm_overflow_handler(u64 sample_type, bool picky);

#endif /* HTMM_OVERFLOW_H */
