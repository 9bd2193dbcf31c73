// SPDX-License-Identifier: GPL-2.0
/*
 * Look for pages whose memory was freed, by munmap(), madvise() or mremap() for example, and
 * forget them: they would be hot for as long as it takes to cool them.
 *
 * A page is absent if its page table has nothing for it: not even the entry of a page that is
 * swapped out or being moved, of one that NUMA balancing or mprotect() has made inaccessible, or
 * of a device. For a moment this is also true while the fault that was sampled is handled. So a
 * page is forgotten if it had a count and was absent in two looks, HTMM_LOOK_WAIT apart, and had
 * no sample in between; but at once if there is no mapping in its region.
 *
 * All is done in small steps by the drain thread, under the lock of the target.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched/mm.h>
#include "target.h"
#include "walker.h"

/* A page table has the entries of one region. */
#define HTMM_CAN_LOOK \
	(PAGE_SHIFT == HTMM_PAGE_SHIFT && PMD_SHIFT == HTMM_PAGE_SHIFT + HTMM_REGION_ORDER)

/* Regions that one step looks at. */
#define HTMM_LOOK_REGIONS	32
/* What it may cost to find them in a table: as much as a step of other housekeeping. */
#define HTMM_LOOK_BUDGET	(256 * HTMM_SCAN_REGION)
/* Between two looks at an absent page, and between the beginnings of two passes. */
#define HTMM_LOOK_WAIT		NSEC_PER_SEC

/* The address space that the last look was at. */
struct htmm_look_at {
	struct htmm_target_table *target;
	u32 id;
	struct mm_struct *mm;
};

static void htmm_look_leave(struct htmm_look_at *at)
{
	/* If the process has exited meanwhile, its memory is not freed here. */
	if (at->mm)
		mmput_async(at->mm);
	at->mm = NULL;
}

/* Returns NULL if the process of the address space has exited. */
static struct mm_struct *htmm_look_enter(struct htmm_look_at *at, u32 id)
{
	const struct htmm_space *space;

	if (at->id == id)
		return at->mm;
	htmm_look_leave(at);
	at->id = id;
	space = xa_load(&at->target->spaces.by_id, id);
	if (space)
		at->mm = htmm_space_get_mm(space);
	return at->mm;
}

/* Under its lock, a page table does not change, and has not if its entry is still the same. */
static void htmm_look_at_table(struct mm_struct *mm, pmd_t *pmdp, pmd_t pmd, u64 *pages)
{
	spinlock_t *lock = pte_lockptr(mm, &pmd);
	pte_t *pte = pte_offset_kernel(&pmd, 0);
	u64 absent;
	u32 i, j;

	spin_lock(lock);
	if (!pmd_same(pmd, READ_ONCE(*pmdp)))
		memset(pages, 0, HTMM_REGION_PAGES / 8);
	for (i = 0; i < HTMM_REGION_PAGES / 64; i++, pte += 64) {
		if (!pages[i])
			continue;
		absent = 0;
		/* Most of what a look costs; -O2 does not unroll. */
#pragma GCC unroll 8
		for (j = 0; j < 64; j++)
			if (pte_none(ptep_get(&pte[j])))
				absent |= BIT_ULL(j);
		pages[i] &= absent;
	}
	spin_unlock(lock);
}

/*
 * Look at pages of a region in which there is a mapping. The lock of @mm and the mapping keep
 * the directories; a page table may be freed nevertheless, after an RCU grace period, when its
 * pages become a huge page.
 */
static void htmm_look_at_tables(struct mm_struct *mm, unsigned long addr, u64 *pages)
{
	unsigned long hole;
	pmd_t *pmdp, pmd;

	rcu_read_lock();
	pmdp = htmm_hole_find_pmd(mm, addr, &hole);
	pmd = pmdp ? READ_ONCE(*pmdp) : __pmd(0);
	if (pmdp && pmd_present(pmd) && !pmd_leaf(pmd) && !pmd_bad(pmd))
		htmm_look_at_table(mm, pmdp, pmd, pages);
	else if (!hole && !(pmdp && pmd_none(pmd)))
		memset(pages, 0, HTMM_REGION_PAGES / 8);
	rcu_read_unlock();
}

/*
 * Of the pages of a region in the bitmap @pages, leave those that are absent: none if it is not
 * possible to tell now. True if there is no mapping in the region. Huge pages of hugetlbfs have
 * page tables with other rules, and are left alone as long as they are mapped.
 */
static bool htmm_look_at_region(struct mm_struct *mm, u64 page, u64 *pages)
{
	unsigned long addr = (page & HTMM_VPN_MAX) << PAGE_SHIFT;
	const struct vm_area_struct *vma = NULL;
	bool locked = mmap_read_trylock(mm), mapped = true;

	if (locked) {
		vma = find_vma(mm, addr);
		mapped = vma && vma->vm_start < addr + PMD_SIZE;
	}
	if (!locked || (mapped && vma->vm_flags & VM_HUGETLB))
		memset(pages, 0, HTMM_REGION_PAGES / 8);
	else if (mapped)
		htmm_look_at_tables(mm, addr, pages);
	if (locked)
		mmap_read_unlock(mm);
	return !mapped;
}

static void htmm_look_forget(struct htmm_look_at *at, u64 page, const u64 *pages)
{
	at->target->stats[HTMM_STAT_FREED] += htmm_table_forget(&at->target->table, page, pages);
}

/* Does a region wait for its second look, as the other pass has found it? */
static bool htmm_look_waits(const struct htmm_looks *looks, u64 page)
{
	unsigned int i;

	for (i = 0; i < looks->nr; i++)
		if (looks->waiting[(looks->first + i) % HTMM_LOOK_WAITING].page == page)
			return true;
	return false;
}

/*
 * The first look at the next region of a pass. There is room to let it wait. False if the budget
 * is used up, or at the end of the table.
 */
static bool htmm_look_first(struct htmm_look_at *at, struct htmm_look_pass *pass,
			    u32 *budget, u64 now)
{
	struct htmm_table *table = &at->target->table;
	struct htmm_looks *looks = &at->target->looks;
	struct htmm_absent region = { .since = now };
	const struct htmm_region *found = htmm_scan_next(&pass->scan, table, budget);
	struct mm_struct *mm;

	if (!found) {
		pass->running = !htmm_scan_ended(&pass->scan, table);
		return false;
	}
	region.page = found->key << HTMM_REGION_ORDER;
	mm = htmm_look_enter(at, htmm_region_space(found));
	if (!mm)
		return true;
	/* Of a sparse region it is known quickly which pages have counts. */
	memset(region.pages, 0xff, sizeof(region.pages));
	if (!found->digits)
		htmm_table_sum(table, region.page, region.pages);
	if (htmm_look_at_region(mm, region.page, region.pages)) {
		htmm_look_forget(at, region.page, region.pages);
		return true;
	}
	if (bitmap_empty((unsigned long *)region.pages, HTMM_REGION_PAGES))
		return true;
	region.sum = htmm_table_sum(table, region.page, region.pages);
	if (region.sum && !htmm_look_waits(looks, region.page))
		looks->waiting[(looks->first + looks->nr++) % HTMM_LOOK_WAITING] = region;
	return true;
}

/*
 * The second look at the region that has waited longest. If one of the pages had a sample since
 * the first, this may be of a fault that is still handled.
 */
static void htmm_look_second(struct htmm_look_at *at)
{
	struct htmm_looks *looks = &at->target->looks;
	struct htmm_absent *region = &looks->waiting[looks->first];
	struct mm_struct *mm = htmm_look_enter(at, region->page >> HTMM_VPN_BITS);
	u64 absent[HTMM_REGION_PAGES / 64];

	if (mm && htmm_table_sum(&at->target->table, region->page, region->pages) == region->sum) {
		memcpy(absent, region->pages, sizeof(absent));
		htmm_look_at_region(mm, region->page, absent);
		if (!bitmap_empty((unsigned long *)absent, HTMM_REGION_PAGES))
			htmm_look_forget(at, region->page, absent);
	}
	looks->first = (looks->first + 1) % HTMM_LOOK_WAITING;
	looks->nr--;
}

/* Begin a pass, if there were samples since the last one began. */
static bool htmm_look_begin(struct htmm_target_table *target, struct htmm_look_pass *pass, u64 now)
{
	u64 samples = target->table.stats.counted;

	if (pass->running)
		return true;
	if (samples == pass->samples || now - pass->began < HTMM_LOOK_WAIT)
		return false;
	*pass = (struct htmm_look_pass) { .running = true, .began = now, .samples = samples };
	pass->scan.unit = HTMM_UNIT_REGION;
	if (pass == &target->looks.hot) {
		pass->scan.unit = HTMM_UNIT_PAGE;
		/* The lowest count of a warm page. */
		pass->scan.least = BIT_ULL(htmm_target_thresholds(target, HTMM_UNIT_PAGE).warm - 1);
	}
	return true;
}

/*
 * The pass to go on with; NULL if there is nothing to do. When the one over all regions takes
 * long, the one over what is hot has every other turn.
 */
static struct htmm_look_pass *htmm_look_choose(struct htmm_target_table *target, u64 now)
{
	struct htmm_looks *looks = &target->looks;

	if (looks->nr == HTMM_LOOK_WAITING || !htmm_look_begin(target, &looks->all, now))
		return NULL;
	looks->turn = !looks->turn;
	if (looks->turn && now - looks->all.began >= HTMM_LOOK_WAIT &&
	    htmm_look_begin(target, &looks->hot, now))
		return &looks->hot;
	return &looks->all;
}

/*
 * Look for freed pages, and forget them, in a bounded step; it is @now, in nanoseconds. The
 * counts of exited processes are left alone. Returns true if it has done something, so that
 * there may be more to do. Context: the drain thread; @target->lock is held. Takes the lock of
 * an address space if it is free.
 */
bool htmm_target_look(struct htmm_target_table *target, u64 now)
{
	struct htmm_look_at at = { .target = target };
	struct htmm_looks *looks = &target->looks;
	struct htmm_look_pass *pass = NULL;
	u32 looked = 0, budget = HTMM_LOOK_BUDGET;

	if (!HTMM_CAN_LOOK)
		return false;
	for (; looked < HTMM_LOOK_REGIONS && looks->nr; looked++) {
		if (now - looks->waiting[looks->first].since < HTMM_LOOK_WAIT)
			break;
		htmm_look_second(&at);
	}
	if (!looked)
		pass = htmm_look_choose(target, now);
	while (pass && looked < HTMM_LOOK_REGIONS && looks->nr < HTMM_LOOK_WAITING &&
	       htmm_look_first(&at, pass, &budget, now))
		looked++;
	htmm_look_leave(&at);
	return pass || looked;
}
