// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include "base/compat.h"
#include "target.h"
#include "walker.h"

/* Times that a slice tries to take the lock, and the pause between them in microseconds. */
#define HTMM_WALKER_TRIES	32
#define HTMM_WALKER_PAUSE	50
/* Empty entries of page tables that a slice passes over; and what a mapping counts for. */
#define HTMM_WALKER_BUDGET	512
#define HTMM_WALKER_MAPPING	32

static const struct htmm_place htmm_nowhere = { .node = NUMA_NO_NODE };

/* Not without CONFIG_HMM_MIRROR, or if the kernel's pages are not those of the interface. */
bool htmm_placement_supported(void)
{
	return HTMM_CAN_READ_PAGE_TABLES && PAGE_SHIFT == HTMM_PAGE_SHIFT;
}

/*
 * Begin to read the next address space of a target, of those from @first to @last and, unless
 * NULL, in the bitmap @spaces. Those whose processes have exited are passed over. Returns true,
 * with @walker->id set; false if there is none. May sleep. Takes @target->lock.
 */
bool htmm_walker_enter(struct htmm_walker *walker, struct htmm_target_table *target,
		       u32 first, u32 last, const u64 *spaces)
{
	const struct htmm_space *found;
	unsigned long id;

	mutex_lock(target->lock);
	xa_for_each_range(&target->spaces.by_id, id, found, first, last) {
		if (spaces && !(spaces[id / 64] >> id % 64 & 1))
			continue;
		walker->mm = htmm_space_get_mm(found);
		if (!walker->mm)
			continue;
		/* Keep the struct, but with no reference that would keep its memory. */
		mmgrab(walker->mm);
		mmput_async(walker->mm);
		break;
	}
	mutex_unlock(target->lock);
	walker->target = target;
	walker->id = id;
	walker->next = 0;
	return walker->mm;
}

void htmm_walker_leave(struct htmm_walker *walker)
{
	mmdrop(walker->mm);
	walker->mm = NULL;
}

/* Begin a slice: with its lock held, the address space cannot go away. */
static int htmm_walker_lock(struct htmm_walker *walker)
{
	unsigned int tries = 0;

	cond_resched();
	if (signal_pending(current))
		return -EINTR;
	if (!mmget_not_zero(walker->mm))
		return -ESRCH;
	while (!mmap_read_trylock(walker->mm)) {
		if (++tries == HTMM_WALKER_TRIES || signal_pending(current)) {
			mmput_async(walker->mm);
			return tries == HTMM_WALKER_TRIES ? -EBUSY : -EINTR;
		}
		usleep_range(HTMM_WALKER_PAUSE, 2 * HTMM_WALKER_PAUSE);
	}
	return 0;
}

static void htmm_walker_unlock(struct htmm_walker *walker, u64 since)
{
	mmap_read_unlock(walker->mm);
	walker->longest_ns = max(walker->longest_ns, ktime_get_ns() - since);
	/* If the process has exited meanwhile, its memory is not freed here. */
	mmput_async(walker->mm);
}

/* Read the page tables of a slice, under the lock. */
static void htmm_walker_load(struct htmm_walker *walker, u64 vpn, u32 n)
{
	unsigned long start = vpn << PAGE_SHIFT;

	walker->vpn = vpn;
	walker->n = n;
	walker->huge = htmm_nowhere;
	memset(walker->entry, 0, n * sizeof(walker->entry[0]));
	if (htmm_read_page_tables(walker->mm, start, start + n * PAGE_SIZE, walker->entry))
		memset(walker->entry, 0, n * sizeof(walker->entry[0]));
}

/*
 * The frame of a page table's entry. A page that NUMA balancing has made inaccessible has a
 * frame but no flags. A huge page's entry for a page that does not exist has an order but is
 * not valid. Returns 0 if there is none.
 */
static unsigned long htmm_entry_pfn(unsigned long entry)
{
	unsigned long flags = entry & HMM_PFN_FLAGS;

	return flags & HMM_PFN_VALID || !flags ? entry & ~HMM_PFN_FLAGS : 0;
}

/* Entries of a huge page differ only in the low bits of the frame. */
static bool htmm_walker_in_huge(const struct htmm_walker *walker, unsigned long entry)
{
	return walker->huge.shift > PAGE_SHIFT &&
	       !((entry ^ walker->huge_entry) >> (walker->huge.shift - PAGE_SHIFT));
}

/*
 * Where page @i of the last slice is; if it is not on @node (NUMA_NO_NODE: any), it may be
 * nowhere. Touches the page's struct page, so it is for those that are asked about only. The
 * pages of a huge page are all in one place. Context: rcu_read_lock().
 */
struct htmm_place htmm_walker_place(struct htmm_walker *walker, u32 i, int node)
{
	unsigned long entry = walker->entry[i], pfn = htmm_entry_pfn(entry);
	struct htmm_place place;
	u8 shift = 0;

	if (!pfn || !htmm_frame_may_be_on(pfn, node))
		return htmm_nowhere;
	if (htmm_walker_in_huge(walker, entry)) {
		place = walker->huge;
		place.pfn = pfn;
		return place;
	}
	if (entry & HMM_PFN_VALID)
		shift = PAGE_SHIFT + hmm_pfn_to_map_order(entry);
	place = (struct htmm_place) {
		.pfn = pfn, .node = htmm_frame_node(pfn, shift), .shift = shift,
	};
	if (place.node == NUMA_NO_NODE)
		return htmm_nowhere;
	if (shift > PAGE_SHIFT) {
		walker->huge = place;
		walker->huge_entry = entry;
	}
	return place;
}

/* Set @walker->place to where all pages of the last slice are. */
void htmm_walker_translate(struct htmm_walker *walker, int node)
{
	u32 i;

	rcu_read_lock();
	for (i = 0; i < walker->n; i++)
		walker->place[i] = htmm_walker_place(walker, i, node);
	rcu_read_unlock();
}

/*
 * Read a slice of @n pages of a region from @vpn on; then htmm_walker_place() or
 * htmm_walker_translate() tell where they are. May sleep. Returns 0; -ESRCH if the process has
 * exited, -EBUSY if it changes its mappings all the time, -EINTR if there is a signal.
 */
int htmm_walker_read(struct htmm_walker *walker, u64 vpn, u32 n)
{
	int ret = htmm_walker_lock(walker);
	u64 since;

	if (ret)
		return ret;
	since = ktime_get_ns();
	htmm_walker_load(walker, vpn, n);
	htmm_walker_unlock(walker, since);
	return 0;
}

/* Has a mapping pages that page tables tell of? hmm_range_fault() asks the same. */
static bool htmm_vma_readable(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_READ && !(vma->vm_flags & (VM_IO | VM_PFNMAP));
}

/*
 * Find the next page that may exist, under the lock: *@vpn is set to it. Returns 0 if there is
 * none up to @last, 1 if there is, -EAGAIN if that takes too long: then *@vpn is where to go on.
 */
static int htmm_walker_seek(const struct htmm_walker *walker, u64 *vpn, u64 last)
{
	unsigned int budget = HTMM_WALKER_BUDGET;
	struct vm_area_struct *vma;
	unsigned long addr;

	for (; budget; budget -= min_t(u32, budget, HTMM_WALKER_MAPPING)) {
		vma = find_vma(walker->mm, *vpn << PAGE_SHIFT);
		if (!vma)
			return 0;
		*vpn = max_t(u64, *vpn, vma->vm_start >> PAGE_SHIFT);
		if (*vpn > last)
			return 0;
		addr = vma->vm_end;
		if (htmm_vma_readable(vma))
			addr = htmm_hole_end(vma, *vpn << PAGE_SHIFT, (last + 1) << PAGE_SHIFT,
					     &budget);
		*vpn = addr >> PAGE_SHIFT;
		if (addr < vma->vm_end && *vpn <= last)
			return budget ? 1 : -EAGAIN;
	}
	return -EAGAIN;
}

/*
 * Read the next mapped slice up to page @last, which may be empty; @walker->next may be set to
 * a page after htmm_walker_enter(). Sets @walker->vpn and @walker->n. May sleep. Returns 1; 0
 * at the end of the address space; or an errno of htmm_walker_read().
 */
int htmm_walker_next(struct htmm_walker *walker, u64 last)
{
	u64 vpn = walker->next, end, since;
	int ret = htmm_walker_lock(walker);

	if (ret)
		return ret;
	since = ktime_get_ns();
	walker->n = 0;
	ret = htmm_walker_seek(walker, &vpn, last);
	end = vpn;
	if (ret > 0) {
		end = min_t(u64, (vpn | (HTMM_REGION_PAGES - 1)) + 1, last + 1);
		htmm_walker_load(walker, vpn, end - vpn);
	}
	htmm_walker_unlock(walker, since);
	walker->next = end;
	return ret != 0;
}

/*
 * Get the counts of the pages of the last slice into @walker->count and @walker->tracked. Returns
 * false if the page tables have no page of it. May sleep. Takes the target's lock.
 */
bool htmm_walker_count(struct htmm_walker *walker)
{
	u32 i;

	for (i = 0; i < walker->n && !walker->entry[i]; i++)
		;
	if (i == walker->n)
		return false;
	mutex_lock(walker->target->lock);
	htmm_table_counts(&walker->target->table, walker->id, walker->vpn, walker->count,
			  walker->tracked);
	mutex_unlock(walker->target->lock);
	return true;
}
