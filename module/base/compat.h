/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels, their configurations and architectures, and nothing
 * else: the only file of the module that may look at LINUX_VERSION_CODE or CONFIG_*.
 */
#ifndef HTMM_COMPAT_H
#define HTMM_COMPAT_H

#include <linux/cgroup.h>
#include <linux/err.h>
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

#ifdef CONFIG_CGROUPS
/*
 * The cgroup of version 2 that a task is in.
 *
 * Context: any with preemption disabled, NMI included: no cgroup of a task that runs
 * goes away before an RCU grace period has passed.
 */
static inline struct cgroup *htmm_cgroup_of(struct task_struct *task)
{
	return task_dfl_cgroup(task);
}

static inline int htmm_cgroup_level(const struct cgroup *cgroup)
{
	return cgroup->level;
}

static inline struct cgroup *htmm_cgroup_ancestor(struct cgroup *cgroup, int level)
{
	return cgroup_ancestor(cgroup, level);
}

static inline struct cgroup *htmm_cgroup_from_fd(int fd)
{
	return cgroup_get_from_fd(fd);
}

static inline void htmm_cgroup_get(struct cgroup *cgroup)
{
	css_get(&cgroup->self);
}

static inline void htmm_cgroup_put(struct cgroup *cgroup)
{
	css_put(&cgroup->self);
}

static inline u64 htmm_cgroup_id(const struct cgroup *cgroup)
{
	return cgroup_id(cgroup);
}

static inline bool htmm_cgroup_dead(const struct cgroup *cgroup)
{
	return !(READ_ONCE(cgroup->self.flags) & CSS_ONLINE);
}

/* Negative if the path does not fit; what is in @path means nothing then. */
static inline int htmm_cgroup_path(struct cgroup *cgroup, char *path, size_t size)
{
	int len = cgroup_path_ns(cgroup, path, size,
				 current->nsproxy->cgroup_ns);

	return len < 0 || (size_t)len >= size ? -E2BIG : 0;
}
#else
static inline struct cgroup *htmm_cgroup_of(struct task_struct *task)
{
	return NULL;
}

static inline int htmm_cgroup_level(const struct cgroup *cgroup)
{
	return -1;
}

static inline struct cgroup *htmm_cgroup_ancestor(struct cgroup *cgroup, int level)
{
	return NULL;
}

static inline struct cgroup *htmm_cgroup_from_fd(int fd)
{
	return ERR_PTR(-EBADF);
}

static inline void htmm_cgroup_get(struct cgroup *cgroup)
{
}

static inline void htmm_cgroup_put(struct cgroup *cgroup)
{
}

static inline u64 htmm_cgroup_id(const struct cgroup *cgroup)
{
	return 0;
}

static inline bool htmm_cgroup_dead(const struct cgroup *cgroup)
{
	return true;
}

static inline int htmm_cgroup_path(struct cgroup *cgroup, char *path, size_t size)
{
	return -E2BIG;
}
#endif

#endif /* HTMM_COMPAT_H */
