// SPDX-License-Identifier: GPL-2.0
/* The placement of targets: their pages, samples and hotness by NUMA node. */
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "api.h"
#include "base/alloc.h"
#include "track/walker.h"

/* What is known of a frame: four flags, and the sum of its counts plus 1 if it is tracked. */
#define HTMM_FRAME_SEEN		BIT(31)
#define HTMM_FRAME_SHARED	BIT(30)
#define HTMM_FRAME_HOT		BIT(29)
#define HTMM_FRAME_WARM		BIT(28)
#define HTMM_FRAME_SUM		(BIT(28) - 1)
/* Frames whose knowledge is allocated together. */
#define HTMM_FRAMES		512

/**
 * struct htmm_sum - the placement of targets, being summed up
 * @walker: finds the pages
 * @index: element in @nodes for each node of the machine, plus 1; 0: none
 * @nodes: sums by node
 * @out: sums over all nodes
 * @thresholds: those of the target being visited
 * @hits: counts in all tables
 * @found_pages: tracked pages that were found
 * @found_samples: sum of their counts
 * @frames: what is known of each frame seen so far, to count it once: arrays of HTMM_FRAMES,
 *	allocated as needed. They take at most 1/1024 of the machine's memory
 */
struct htmm_sum {
	struct htmm_walker walker;
	u16 index[MAX_NUMNODES];
	struct htmm_node_placement *nodes;
	struct htmm_placement *out;
	struct htmm_thresholds thresholds;
	struct htmm_hits hits;
	u64 found_pages;
	u64 found_samples;
	struct xarray frames;
};

static u32 *htmm_sum_frame(struct htmm_sum *sum, unsigned long pfn)
{
	unsigned long block = pfn / HTMM_FRAMES;
	u32 *frames = xa_load(&sum->frames, block);

	if (!frames) {
		frames = kcalloc(HTMM_FRAMES, sizeof(*frames), HTMM_GFP);
		if (!frames || xa_err(xa_store(&sum->frames, block, frames, HTMM_GFP))) {
			kfree(frames);
			return NULL;
		}
	}
	return &frames[pfn % HTMM_FRAMES];
}

/* Add @change pages with a count to a node's sums; the flags of a frame tell which. */
static void htmm_sum_count(struct htmm_sum *sum, u32 node, u32 frame, int change)
{
	struct htmm_node_placement *to = &sum->nodes[node];
	u32 total = frame & HTMM_FRAME_SUM;

	if (!total)
		return;
	to->tracked_pages += change;
	to->hot_pages += frame & HTMM_FRAME_HOT ? change : 0;
	to->warm_pages += frame & HTMM_FRAME_WARM ? change : 0;
	to->bins[htmm_hist_bin(total - 1)] += change;
}

/* What is known of a frame when one more address space has @count for it. */
static u32 htmm_frame_add(const struct htmm_sum *sum, u32 frame, u32 count)
{
	u64 total = (u64)(frame & HTMM_FRAME_SUM ?: 1) + count;
	unsigned int bin;
	u32 class = 0;

	total = min_t(u64, total, HTMM_FRAME_SUM);
	bin = htmm_hist_bin(total - 1);
	if (bin >= sum->thresholds.hot || frame & HTMM_FRAME_HOT)
		class = HTMM_FRAME_HOT;
	else if (bin >= sum->thresholds.warm || frame & HTMM_FRAME_WARM)
		class = HTMM_FRAME_WARM;
	return (frame & (HTMM_FRAME_SEEN | HTMM_FRAME_SHARED)) | class | total;
}

static int htmm_sum_page(struct htmm_sum *sum, const struct htmm_place *place, u32 node,
			 bool tracked, u32 count)
{
	struct htmm_node_placement *to = &sum->nodes[node];
	u32 *frame = htmm_sum_frame(sum, place->pfn);

	if (!frame)
		return -ENOMEM;
	if (!*frame) {
		*frame = HTMM_FRAME_SEEN;
		to->pages++;
		to->huge_pages += place->shift > HTMM_PAGE_SHIFT;
	} else if (!(*frame & HTMM_FRAME_SHARED)) {
		*frame |= HTMM_FRAME_SHARED;
		sum->out->shared_pages++;
	}
	if (!tracked)
		return 0;
	to->samples += count;
	sum->found_samples += count;
	sum->found_pages++;
	htmm_sum_count(sum, node, *frame, -1);
	*frame = htmm_frame_add(sum, *frame, count);
	htmm_sum_count(sum, node, *frame, 1);
	return 0;
}

static int htmm_sum_visit(struct htmm_sum *sum)
{
	const struct htmm_walker *walker = &sum->walker;
	const struct htmm_place *place;
	u32 i, page, node;
	int ret = 0;

	for (i = 0; !ret && i < walker->n; i++) {
		place = &walker->place[i];
		/* A node that got memory after the call began has no place in the result. */
		node = place->node == NUMA_NO_NODE ? 0 : sum->index[place->node];
		if (!node)
			continue;
		page = (walker->vpn + i) % HTMM_REGION_PAGES;
		ret = htmm_sum_page(sum, place, node - 1,
				    walker->tracked[page / 64] >> page % 64 & 1,
				    walker->count[page]);
	}
	return ret;
}

/* Sum up one address space. Returns 0 even if it had to be given up. */
static int htmm_sum_space(struct htmm_sum *sum)
{
	struct htmm_walker *walker = &sum->walker;
	int ret;

	while ((ret = htmm_walker_next(walker, HTMM_VPN_MAX)) > 0) {
		if (!htmm_walker_count(walker))
			continue;
		htmm_walker_translate(walker, NUMA_NO_NODE);
		ret = htmm_sum_visit(sum);
		if (ret)
			return ret;
	}
	sum->out->spaces += !ret;
	sum->out->skipped += ret == -EBUSY;
	return ret == -EINTR ? ret : 0;
}

static int htmm_sum_target(struct htmm_sum *sum, struct htmm_target_table *target)
{
	struct htmm_walker *walker = &sum->walker;
	int ret = 0;
	u32 space = 0;

	mutex_lock(target->lock);
	sum->thresholds = htmm_target_thresholds(target, HTMM_UNIT_PAGE);
	mutex_unlock(target->lock);
	while (!ret && htmm_walker_enter(walker, target, space, HTMM_SPACE_MAX, NULL)) {
		ret = htmm_sum_space(sum);
		htmm_walker_leave(walker);
		space = walker->id + 1;
	}
	return ret;
}

/* What the tables have, less what was found. They may have changed during the walk. */
static int htmm_sum_unknown(struct htmm_sum *sum, struct htmm_target_list *targets)
{
	struct htmm_share all;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < targets->nr; i++)
		ret = htmm_target_get_hits(targets->target[i], HTMM_UNIT_PAGE, &sum->hits);
	all = htmm_hits_share(&sum->hits, 0);
	sum->out->unknown_pages = all.pages - min(all.pages, sum->found_pages);
	sum->out->unknown_samples = all.samples - min(all.samples, sum->found_samples);
	return ret;
}

/* Set the numbers of the nodes that have memory, and which of them have CPUs. */
static int htmm_sum_nodes(struct htmm_sum *sum, struct htmm_rows *nodes)
{
	u32 max = num_node_state(N_MEMORY);
	int node;

	sum->nodes = kvcalloc(max, sizeof(*sum->nodes), GFP_KERNEL_ACCOUNT);
	nodes->at = sum->nodes;
	if (!sum->nodes)
		return -ENOMEM;
	for_each_node_state(node, N_MEMORY) {
		if (nodes->nr == max)
			break;
		sum->nodes[nodes->nr].node = node;
		if (node_state(node, N_CPU))
			sum->nodes[nodes->nr].flags = HTMM_NODE_FAST;
		sum->index[node] = ++nodes->nr;
	}
	return 0;
}

static void htmm_sum_free(struct htmm_sum *sum)
{
	unsigned long block;
	u32 *frames;

	xa_for_each(&sum->frames, block, frames) {
		kfree(frames);
		cond_resched();
	}
	xa_destroy(&sum->frames);
	kvfree(sum);
}

/*
 * Where the pages of @out->target are. Returns 0, -EOPNOTSUPP if this kernel cannot tell, -ENOENT
 * if there is no such target, -ENOMEM or -EINTR.
 */
int htmm_snapshot_placement(struct htmm_session *session, struct htmm_placement *out,
			    struct htmm_rows *nodes)
{
	struct htmm_target_list targets;
	struct htmm_sum *sum;
	unsigned int i;
	int ret;

	out->spaces = 0;
	out->skipped = 0;
	out->shared_pages = 0;
	if (!htmm_placement_supported())
		return -EOPNOTSUPP;
	sum = kvzalloc(sizeof(*sum), GFP_KERNEL_ACCOUNT);
	if (!sum)
		return -ENOMEM;
	xa_init(&sum->frames);
	sum->out = out;
	ret = htmm_target_set_get(&session->targets, out->target, &targets);
	if (!ret)
		ret = htmm_sum_nodes(sum, nodes);
	for (i = 0; !ret && i < targets.nr; i++)
		ret = htmm_sum_target(sum, targets.target[i]);
	if (!ret)
		ret = htmm_sum_unknown(sum, &targets);
	htmm_target_list_put(&targets);
	out->longest_lock_ns = min_t(u64, sum->walker.longest_ns, U32_MAX);
	htmm_sum_free(sum);
	return ret;
}
