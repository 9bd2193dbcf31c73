/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only file of the core that includes kernel headers.
 *
 * User-space builds include a replacement first (userspace/shim, with the compiler's
 * -include), which has the same include guard and provides the same names.
 */
#ifndef HTMM_CORE_DEPS_H
#define HTMM_CORE_DEPS_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/list.h>
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
 * Prefetch data that is used more than once. The kernel's prefetch() is prefetchnta on x86,
 * which does not keep the cache line in the L2 cache: that is right only for a walk that
 * visits data once.
 */
#define htmm_fetch(p)	__builtin_prefetch(p, 0, 3)

#endif /* HTMM_CORE_DEPS_H */
