// SPDX-License-Identifier: GPL-2.0
#include <linux/hugetlb.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include "hole.h"

/*
 * The tables of huge pages that processes share can be taken away without the lock of the
 * address space.
 */
static bool htmm_has_own_pmds(struct vm_area_struct *vma)
{
	return !is_vm_hugetlb_page(vma) || !(vma->vm_flags & VM_MAYSHARE);
}

/*
 * The size of the empty entry that covers @addr, in the highest table that has one; 0 if
 * there may be pages. An entry that is neither empty nor a table is of a huge page.
 */
static unsigned long htmm_hole_size(struct vm_area_struct *vma, unsigned long addr)
{
	pgd_t *pgd = pgd_offset(vma->vm_mm, addr);
	p4d_t *p4d;
	pud_t *pud;

	if (pgd_none(READ_ONCE(*pgd)))
		return PGDIR_SIZE;
	if (pgd_bad(READ_ONCE(*pgd)))
		return 0;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(READ_ONCE(*p4d)))
		return P4D_SIZE;
	if (p4d_bad(READ_ONCE(*p4d)))
		return 0;
	pud = pud_offset(p4d, addr);
	if (pud_none(READ_ONCE(*pud)))
		return PUD_SIZE;
	if (pud_bad(READ_ONCE(*pud)) || !htmm_has_own_pmds(vma))
		return 0;
	return pmd_none(READ_ONCE(*pmd_offset(pud, addr))) ? PMD_SIZE : 0;
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
