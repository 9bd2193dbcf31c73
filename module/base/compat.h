/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels, their configurations and architectures, and nothing
 * else: the only file of the module that may look at CONFIG_* and at HTMM_HAVE_*, which
 * Kbuild sets by what it finds in the kernel's headers.
 */
#ifndef HTMM_COMPAT_H
#define HTMM_COMPAT_H

#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

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

/*
 * Sets @cpus to those of @mask that kernel threads use. In newer kernels the mask changes, and is
 * read under RCU.
 */
static inline bool htmm_housekeeping_cpus(struct cpumask *cpus, const struct cpumask *mask)
{
	bool any;

	rcu_read_lock();
	any = cpumask_and(cpus, mask, housekeeping_cpumask(HK_TYPE_KTHREAD));
	rcu_read_unlock();
	return any;
}

/* Where a page that belongs to the module can be linked; struct page is being cut down. */
static inline struct list_head *htmm_page_link(struct page *page)
{
	return &page->lru;
}

static inline struct page *htmm_page_of_link(struct list_head *link)
{
	return list_entry(link, struct page, lru);
}

/*
 * The workqueue for work that runs anywhere; the old name goes away. 6.12 has the new one as
 * well, where it was taken back from 6.17.
 */
#ifdef HTMM_HAVE_SYSTEM_DFL_WQ
#define htmm_unbound_wq		system_dfl_wq
#else
#define htmm_unbound_wq		system_unbound_wq
#endif

typedef unsigned long htmm_shrink_fn(struct shrinker *shrinker,
				     struct shrink_control *control);

/*
 * Asks the kernel to call @count and @scan when memory is short. NULL or an error pointer
 * if that cannot be.
 */
#ifdef HTMM_HAVE_SHRINKER_ALLOC
static inline struct shrinker *htmm_shrinker_register(htmm_shrink_fn *count,
						      htmm_shrink_fn *scan, long batch)
{
	struct shrinker *shrinker = shrinker_alloc(0, "htmm");

	if (!shrinker)
		return ERR_PTR(-ENOMEM);
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker->batch = batch;
	shrinker_register(shrinker);
	return shrinker;
}

static inline void htmm_shrinker_unregister(struct shrinker *shrinker)
{
	shrinker_free(shrinker);
}
#else
static inline struct shrinker *htmm_shrinker_register(htmm_shrink_fn *count,
						      htmm_shrink_fn *scan, long batch)
{
	struct shrinker *shrinker = kzalloc(sizeof(*shrinker), GFP_KERNEL);
	int ret;

	if (!shrinker)
		return ERR_PTR(-ENOMEM);
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker->batch = batch;
	shrinker->seeks = DEFAULT_SEEKS;
	ret = register_shrinker(shrinker, "htmm");
	if (ret) {
		kfree(shrinker);
		return ERR_PTR(ret);
	}
	return shrinker;
}

static inline void htmm_shrinker_unregister(struct shrinker *shrinker)
{
	unregister_shrinker(shrinker);
	kfree(shrinker);
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
