/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels and architectures, and nothing else: the only
 * file of the module that may look at LINUX_VERSION_CODE or CONFIG_X86.
 */
#ifndef HTMM_COMPAT_H
#define HTMM_COMPAT_H

#include <linux/perf_event.h>
#include <linux/ptrace.h>

/*
 * What kernel/events/core.c stores in hw.interrupts while it throttles an
 * event.  The definition is private to that file.
 */
#define HTMM_THROTTLED		(~0ULL)

#ifdef CONFIG_X86
#include <asm/perf_event.h>

/* PERF_X86_EVENT_LARGE_PEBS, from the private arch/x86/events/perf_event_flags.h. */
#define HTMM_X86_LARGE_PEBS	0x00400

static inline bool htmm_large_pebs(const struct perf_event *event)
{
	return event->attr.precise_ip && event->hw.flags & HTMM_X86_LARGE_PEBS;
}

static inline bool htmm_exact_ip(const struct pt_regs *regs)
{
	return regs->flags & PERF_EFLAGS_EXACT;
}
#else
static inline bool htmm_large_pebs(const struct perf_event *event)
{
	return false;
}

static inline bool htmm_exact_ip(const struct pt_regs *regs)
{
	return false;
}
#endif

#endif /* HTMM_COMPAT_H */
