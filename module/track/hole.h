/* SPDX-License-Identifier: GPL-2.0 */
/* Holes: parts of a mapping that have no page tables. */
#ifndef HTMM_HOLE_H
#define HTMM_HOLE_H

#include <linux/mm_types.h>
#include <linux/pgtable.h>

pmd_t *htmm_hole_find_pmd(struct mm_struct *mm, unsigned long addr, unsigned long *hole);
unsigned long htmm_hole_end(struct vm_area_struct *vma, unsigned long addr,
			    unsigned long end, unsigned int *budget);

#endif /* HTMM_HOLE_H */
