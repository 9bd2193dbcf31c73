/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions, configurations and architectures, and nothing else.
 * Only this file of the module may test CONFIG_* and HTMM_HAVE_*. Kbuild sets HTMM_HAVE_*
 * according to the kernel's headers.
 */
#ifndef HTMM_COMPAT_H
#define HTMM_COMPAT_H

#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hmm.h>
#include <linux/perf_event.h>
#include <linux/mm.h>
#include <linux/mmu_context.h>
#include <linux/mmu_notifier.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/swap.h>
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
static inline bool htmm_large_pebs(const struct perf_event *event) { return false; }
static inline bool htmm_exact_ip(const struct pt_regs *regs) { return false; }
#endif

/*
 * Mask of the bits of a pointer that are its address. Bit 63 is always one of them, so that an
 * address of the kernel stays one.
 *
 * Context: any, NMI included; @mm is that of the current task.
 */
static inline unsigned long htmm_untag_mask(struct mm_struct *mm)
{
#ifdef HTMM_HAVE_UNTAG_MASK
	return mm_untag_mask(mm);
#else
	return -1UL;
#endif
}

/*
 * Set @cpus to those CPUs of @mask that kernel threads may use. In newer kernels the
 * housekeeping mask can change, so it is read under RCU.
 */
static inline bool htmm_housekeeping_cpus(struct cpumask *cpus, const struct cpumask *mask)
{
	bool any;

	rcu_read_lock();
	any = cpumask_and(cpus, mask, housekeeping_cpumask(HK_TYPE_KTHREAD));
	rcu_read_unlock();
	return any;
}

/* The list head in a page of the module. The layout of struct page changes between kernels. */
static inline struct list_head *htmm_page_link(struct page *page)
{
	return &page->lru;
}

static inline struct page *htmm_page_of_link(struct list_head *link)
{
	return list_entry(link, struct page, lru);
}

/*
 * Read page tables: set @pfns to what is mapped in [@start, @end). A snapshot: nothing is
 * faulted in, no reference is taken and no flag changes. The notifier, of which only the
 * members used here are read, is not registered: the answer may be out of date at once.
 *
 * Context: process, with the lock of @mm held for reading.
 */
#ifdef CONFIG_HMM_MIRROR
#define HTMM_CAN_READ_PAGE_TABLES	true

static inline int htmm_read_page_tables(struct mm_struct *mm, unsigned long start,
					unsigned long end, unsigned long *pfns)
{
	struct mmu_interval_notifier notifier = { .mm = mm };
	struct hmm_range range = {
		.notifier = &notifier,
		.start = start,
		.end = end,
		.hmm_pfns = pfns,
	};

	return hmm_range_fault(&range);
}
#else
#define HTMM_CAN_READ_PAGE_TABLES	false

static inline int htmm_read_page_tables(struct mm_struct *mm, unsigned long start,
					unsigned long end, unsigned long *pfns)
{
	return -EOPNOTSUPP;
}
#endif

/*
 * The workqueue for work that may run on any CPU. Newer kernels remove the old name; the
 * new name is from 6.17 and was backported to some 6.12 kernels.
 */
#ifdef HTMM_HAVE_SYSTEM_DFL_WQ
#define htmm_unbound_wq		system_dfl_wq
#else
#define htmm_unbound_wq		system_unbound_wq
#endif

typedef unsigned long htmm_shrink_fn(struct shrinker *shrinker, struct shrink_control *control);

/*
 * Register a shrinker: the kernel calls @count and @scan when memory is short. Returns NULL
 * or an error pointer on failure.
 */
static inline struct shrinker *htmm_shrinker_register(htmm_shrink_fn *count,
						      htmm_shrink_fn *scan, long batch)
{
#ifdef HTMM_HAVE_SHRINKER_ALLOC
	struct shrinker *shrinker = shrinker_alloc(0, "htmm");
#else
	struct shrinker *shrinker = kzalloc(sizeof(*shrinker), GFP_KERNEL);
	int ret;
#endif

	if (!shrinker)
		return ERR_PTR(-ENOMEM);
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker->batch = batch;
	shrinker->seeks = DEFAULT_SEEKS;
#ifdef HTMM_HAVE_SHRINKER_ALLOC
	shrinker_register(shrinker);
#else
	ret = register_shrinker(shrinker, "htmm");
	if (ret) {
		kfree(shrinker);
		return ERR_PTR(ret);
	}
#endif
	return shrinker;
}

static inline void htmm_shrinker_unregister(struct shrinker *shrinker)
{
#ifdef HTMM_HAVE_SHRINKER_ALLOC
	shrinker_free(shrinker);
#else
	unregister_shrinker(shrinker);
	kfree(shrinker);
#endif
}

/*
 * If the caller runs in the context of reclaim, tell it that pages were freed. Otherwise reclaim
 * assumes that nothing was freed, and asks again until nothing is left.
 */
static inline void htmm_account_reclaimed(unsigned long pages)
{
#ifdef HTMM_HAVE_ACCOUNT_RECLAIMED
	mm_account_reclaimed_pages(pages);
#else
	if (current->reclaim_state)
		current->reclaim_state->reclaimed_slab += pages;
#endif
}

#ifdef CONFIG_CGROUPS
/*
 * The cgroup (version 2) of a task.
 *
 * Context: any with preemption disabled, NMI included: the cgroup of a running task is not
 * freed before an RCU grace period has passed.
 */
static inline struct cgroup *htmm_cgroup_of(struct task_struct *task)
{
	return task_dfl_cgroup(task);
}

static inline int htmm_cgroup_level(const struct cgroup *cgroup)
{
	return cgroup->level;
}

/* A number that no other cgroup ever has, not even one that is created later. */
static inline u64 htmm_cgroup_serial(const struct cgroup *cgroup)
{
	return cgroup->self.serial_nr;
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

/* Returns a negative value if the path does not fit; @path is then undefined. */
static inline int htmm_cgroup_path(struct cgroup *cgroup, char *path, size_t size)
{
	int len = cgroup_path_ns(cgroup, path, size, current->nsproxy->cgroup_ns);

	return len < 0 || (size_t)len >= size ? -E2BIG : 0;
}
#else
static inline struct cgroup *htmm_cgroup_of(struct task_struct *task) { return NULL; }
static inline int htmm_cgroup_level(const struct cgroup *cgroup) { return -1; }
static inline u64 htmm_cgroup_serial(const struct cgroup *cgroup) { return 0; }
static inline struct cgroup *htmm_cgroup_ancestor(struct cgroup *cgroup, int level) { return NULL; }
static inline struct cgroup *htmm_cgroup_from_fd(int fd) { return ERR_PTR(-EBADF); }
static inline void htmm_cgroup_get(struct cgroup *cgroup) {}
static inline void htmm_cgroup_put(struct cgroup *cgroup) {}
static inline u64 htmm_cgroup_id(const struct cgroup *cgroup) { return 0; }
static inline bool htmm_cgroup_dead(const struct cgroup *cgroup) { return true; }
static inline int htmm_cgroup_path(struct cgroup *cgroup, char *path, size_t size)
{
	return -E2BIG;
}
#endif

#endif /* HTMM_COMPAT_H */
