/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core's only door to kernel headers.
 *
 * User-space builds include a replacement first (userspace/shim,
 * by the compiler's -include), which shares this guard and provides the same
 * names; the core's files are then compiled unchanged.
 */
#ifndef HTMM_CORE_DEPS_H
#define HTMM_CORE_DEPS_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/prefetch.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/linux/perf_event.h>

#include <asm/barrier.h>

/*
 * What is used again soon. The kernel's prefetch() is prefetchnta on x86, after which
 * a cache line has no place in the L2 cache: right for a walk, and for nothing else.
 */
#define htmm_fetch(p)	__builtin_prefetch(p, 0, 3)

#endif /* HTMM_CORE_DEPS_H */
