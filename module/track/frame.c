// SPDX-License-Identifier: GPL-2.0
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/rcupdate.h>
#include "walker.h"

/*
 * Memory has just been taken offline, and its struct pages may be removed after this. Wait for
 * those who found it online.
 */
static int htmm_frame_notify(struct notifier_block *block, unsigned long action, void *data)
{
	if (action == MEM_OFFLINE)
		synchronize_rcu();
	return NOTIFY_OK;
}

static struct notifier_block htmm_frame_block = { .notifier_call = htmm_frame_notify };

/* Watch memory go offline. Returns 0 or a negative errno. */
int htmm_frame_init(void)
{
	return register_memory_notifier(&htmm_frame_block);
}

void htmm_frame_exit(void)
{
	unregister_memory_notifier(&htmm_frame_block);
}

/* Does a page take none of a process's memory? The huge page of zeroes has no owner. */
static bool htmm_frame_of_nobody(struct page *page, unsigned int shift)
{
	return PageReserved(page) || (shift > PAGE_SHIFT && !READ_ONCE(page_folio(page)->mapping));
}

/*
 * The node of a frame that was seen in a page table, in a mapping of 2^@shift bytes (0: not
 * known). The page may be freed and used for something else at any time: its node remains the
 * same, and a wrong answer does no harm. NUMA_NO_NODE if the frame takes none of the process's
 * memory, as device memory, pages of zeroes that all processes share, and the kernel's own
 * pages, or if it has gone offline. Context: rcu_read_lock(); no lock keeps the memory online.
 */
int htmm_frame_node(unsigned long pfn, unsigned int shift)
{
	struct page *page = pfn_to_online_page(pfn);

	return page && !htmm_frame_of_nobody(page, shift) ? page_to_nid(page) : NUMA_NO_NODE;
}
