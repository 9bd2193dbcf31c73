// SPDX-License-Identifier: GPL-2.0
#include <linux/hugetlb.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include "walker.h"

/*
 * Find the entry of the page directories that leads to the page table of @addr. NULL if a
 * directory above has an empty entry, and *@hole is its size; or one of a huge page, and *@hole
 * is 0. Context: the lock of @mm is held for reading, and a mapping in the page table's range
 * keeps the directories.
 */
pmd_t *htmm_hole_find_pmd(struct mm_struct *mm, unsigned long addr, unsigned long *hole)
{
	pgd_t *pgdp = pgd_offset(mm, addr), pgd = READ_ONCE(*pgdp);
	p4d_t *p4dp, p4d;
	pud_t *pudp, pud;

	*hole = pgd_none(pgd) ? PGDIR_SIZE : 0;
	if (*hole || pgd_bad(pgd))
		return NULL;
	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
	p4d = READ_ONCE(*p4dp);
	*hole = p4d_none(p4d) ? P4D_SIZE : 0;
	if (*hole || p4d_bad(p4d))
		return NULL;
	pudp = pud_offset_lockless(p4dp, p4d, addr);
	pud = READ_ONCE(*pudp);
	*hole = pud_none(pud) ? PUD_SIZE : 0;
	if (*hole || pud_bad(pud))
		return NULL;
	return pmd_offset_lockless(pudp, pud, addr);
}

/* The size of the empty entry that covers @addr, in the highest table that has one, or 0. */
static unsigned long htmm_hole_size(struct vm_area_struct *vma, unsigned long addr)
{
	unsigned long hole;
	pmd_t *pmd = htmm_hole_find_pmd(vma->vm_mm, addr, &hole);

	if (!pmd)
		return hole;
	/* The tables of huge pages that processes share may be taken away without the lock. */
	if (is_vm_hugetlb_page(vma) && vma->vm_flags & VM_MAYSHARE)
		return 0;
	return pmd_none(READ_ONCE(*pmd)) ? PMD_SIZE : 0;
}

/*
 * Pass over what has no page tables, from @addr in @vma up to @end, and at most *@budget empty
 * entries, by which it is reduced. Reads the tables above those of single pages: within a mapping
 * they stay while the lock of the address space is held, for reading. Returns the lowest address
 * that may have a page, or that the budget was not enough for; @end if there is none.
 */
unsigned long htmm_hole_end(struct vm_area_struct *vma, unsigned long addr,
			    unsigned long end, unsigned int *budget)
{
	unsigned long size;

	end = min(end, vma->vm_end);
	for (; addr < end && *budget; --*budget) {
		size = htmm_hole_size(vma, addr);
		if (!size)
			break;
		/* Not beyond the end, which may be the last entry of all. */
		addr += min(size - (addr & (size - 1)), end - addr);
	}
	return addr;
}
