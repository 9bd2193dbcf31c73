/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record stream: every sample that ksampled takes from a ring is offered to all
 * readers. Each reader has its own buffer.
 *
 * The lifetime of a reader is that of its open file, not of a session. So the list of
 * readers belongs to the module.
 */
#ifndef HTMM_STREAM_H
#define HTMM_STREAM_H

#include "reader.h"

struct htmm_reader *htmm_stream_join(const struct htmm_stream *arg);
void htmm_stream_leave(struct htmm_reader *reader);
void htmm_stream_describe(const struct htmm_reader *reader, struct htmm_stream *out);
void htmm_stream_finish(struct htmm_reader *reader);

void htmm_stream_begin(const struct htmm_layout *layout);
void htmm_stream_end(void);
void htmm_stream_offer(unsigned int event, const void *slots, u32 n, u32 slot_size);
void htmm_stream_round(void);

#endif /* HTMM_STREAM_H */
