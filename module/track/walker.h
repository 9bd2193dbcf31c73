/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the pages of address spaces are, read from their page tables.
 *
 * A walker reads one address space at a time, in slices of at most one region:
 *
 *	struct htmm_walker *walker = kvzalloc(sizeof(*walker), GFP_KERNEL_ACCOUNT);
 *
 *	if (htmm_walker_enter(walker, target, space, space, NULL)) {
 *		while (htmm_walker_next(walker, last) > 0)
 *			ask htmm_walker_place() about the walker->n pages from walker->vpn on
 *		htmm_walker_leave(walker);
 *	}
 *	kvfree(walker);
 *
 * Each slice takes the address space's lock again, and holds it while the page tables of at
 * most 512 pages are read. It never waits for the lock: it tries a few times, and gives the
 * address space up if others hold it for writing. Between two slices it has a reference only on
 * the struct, so an exiting process frees its memory at once.
 *
 * The answers may be out of date when they are given.
 */
#ifndef HTMM_WALKER_H
#define HTMM_WALKER_H

#include <linux/hmm.h>
#include <linux/mmzone.h>
#include <linux/mm_types.h>
#include <linux/numa.h>
#include <linux/pgtable.h>
#include <linux/types.h>
#include "core/region.h"

struct htmm_target_table;

/**
 * struct htmm_place - where a page is
 * @pfn: number of its frame, if @node is not NUMA_NO_NODE
 * @node: NUMA node; NUMA_NO_NODE: not resident, or not known
 * @shift: base-2 logarithm of the size of its mapping; 0: not known, because NUMA balancing
 *	has made the page inaccessible for a moment
 */
struct htmm_place {
	unsigned long pfn;
	s16 node;
	u8 shift;
};

/**
 * struct htmm_walker - a reader of page tables
 * @mm: the address space, whose struct is kept; NULL: none
 * @target: its target
 * @id: its number
 * @vpn: first page of the last slice
 * @n: pages in the last slice; may be 0
 * @place: where they are, after htmm_walker_translate()
 * @count: counts of all pages of the region that they are in
 * @tracked: bitmap of the pages of that region that are tracked
 * @next: the page at which the next slice begins
 * @longest_ns: longest time that a lock was held
 * @huge: where the last page of a huge page was
 * @huge_entry: its entry
 * @entry: buffer for a slice of page tables
 */
struct htmm_walker {
	struct mm_struct *mm;
	struct htmm_target_table *target;
	u32 id;
	u64 vpn;
	u32 n;
	struct htmm_place place[HTMM_REGION_PAGES];
	u32 count[HTMM_REGION_PAGES];
	u64 tracked[HTMM_REGION_PAGES / 64];
	u64 next;
	u64 longest_ns;
	struct htmm_place huge;
	unsigned long huge_entry;
	unsigned long entry[HTMM_REGION_PAGES];
};

bool htmm_placement_supported(void);

bool htmm_walker_enter(struct htmm_walker *walker, struct htmm_target_table *target,
		       u32 first, u32 last, const u64 *spaces);
void htmm_walker_leave(struct htmm_walker *walker);
int htmm_walker_read(struct htmm_walker *walker, u64 vpn, u32 n);
struct htmm_place htmm_walker_place(struct htmm_walker *walker, u32 i, int node);
void htmm_walker_translate(struct htmm_walker *walker, int node);
int htmm_walker_next(struct htmm_walker *walker, u64 last);
bool htmm_walker_count(struct htmm_walker *walker);

/* hole.c: parts of a mapping that have no page tables */
pmd_t *htmm_hole_find_pmd(struct mm_struct *mm, unsigned long addr, unsigned long *hole);
unsigned long htmm_hole_end(struct vm_area_struct *vma, unsigned long addr, unsigned long end,
			    unsigned int *budget);

/* frame.c: on which node frames are */
int htmm_frame_init(void);
void htmm_frame_exit(void);
int htmm_frame_node(unsigned long pfn, unsigned int shift);

/*
 * Can a frame be on a node (NUMA_NO_NODE: any)? Most frames of other nodes are known by their
 * number, without a look at their struct page.
 */
static inline bool htmm_frame_may_be_on(unsigned long pfn, int node)
{
	return node == NUMA_NO_NODE ||
	       (pfn >= NODE_DATA(node)->node_start_pfn && pfn < pgdat_end_pfn(NODE_DATA(node)));
}

/*
 * May page @i of the last slice be on @node? Costs less than htmm_walker_place(), which tells
 * where it is.
 */
static inline bool htmm_walker_may_be_on(const struct htmm_walker *walker, u32 i, int node)
{
	const unsigned long pfn = walker->entry[i] & ~HMM_PFN_FLAGS;

	return pfn && htmm_frame_may_be_on(pfn, node);
}

#endif /* HTMM_WALKER_H */
