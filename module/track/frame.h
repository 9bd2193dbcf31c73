/* SPDX-License-Identifier: GPL-2.0 */
/* Frames of memory: on which node they are. */
#ifndef HTMM_FRAME_H
#define HTMM_FRAME_H

#include <linux/types.h>

int htmm_frame_init(void);
void htmm_frame_exit(void);
int htmm_frame_node(unsigned long pfn, unsigned int shift);
bool htmm_frame_may_be_on(unsigned long pfn, int node);

#endif /* HTMM_FRAME_H */
