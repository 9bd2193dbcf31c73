// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "fields.h"
#include "placement.h"

/* A NULL pointer, for FIELD(). */
#define NODE	((struct htmm_node_placement *)NULL)

static const struct field node_fields[] = {
	FIELD(NODE->node, "node"),
	FIELD(NODE->flags, "fast", .flag = HTMM_NODE_FAST),
	FIELD(NODE->pages, "pages"),
	FIELD(NODE->huge_pages, "huge_pages"),
	FIELD(NODE->tracked_pages, "tracked_pages"),
	FIELD(NODE->hot_pages, "hot_pages"),
	FIELD(NODE->warm_pages, "warm_pages"),
	FIELD(NODE->samples, "samples"),
	{}
};

/* The module sees only which nodes have CPUs; the kernel may rank them otherwise. */
static void rank_nodes(struct htmm_placement_buf *where)
{
	struct htmm_cpus fast, memory;
	__u32 i;

	if (!htmm_tiers_nodes(&fast, &memory, NULL))
		return;
	for (i = 0; i < where->placement.nr_nodes; i++) {
		struct htmm_node_placement *node = &where->nodes[i];

		node->flags &= ~HTMM_NODE_FAST;
		if (htmm_cpus_has(&fast, node->node))
			node->flags |= HTMM_NODE_FAST;
	}
}

int placement_read(int fd, __u32 target, struct placement *placement, struct htmm_error *err)
{
	int ret;

	memset(placement, 0, sizeof(*placement));
	placement->target = target;
	ret = htmm_device_placement(fd, target, &placement->where, err);
	if (!ret)
		ret = htmm_target_hit_ratio(fd, target, HTMM_UNIT_PAGE, 0, &placement->best, err);
	if (!ret)
		ret = hit_read(&placement->hit, fd, &placement->best, &placement->where, err);
	if (ret)
		htmm_placement_free(&placement->where);
	else
		rank_nodes(&placement->where);
	return ret;
}

static int read_one(int fd, __u32 target, struct placement_list *list, struct htmm_error *err)
{
	int ret = placement_read(fd, target, &list->all[list->nr], err);

	if (!ret)
		list->nr++;
	return ret;
}

int placements_read(int fd, __u32 target, const struct htmm_target_list *targets,
		    struct placement_list *list, struct htmm_error *err)
{
	size_t i;
	int ret = 0;

	list->all = calloc(targets->nr + 1, sizeof(*list->all));
	if (!list->all)
		return no_memory(err);
	if (target || targets->nr != 1)
		ret = read_one(fd, target, list, err);
	for (i = 0; i < targets->nr && !target && !ret; i++) {
		ret = read_one(fd, targets->target[i].number, list, err);
		/* It may have been removed meanwhile. */
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

void placements_free(struct placement_list *list)
{
	while (list->nr)
		htmm_placement_free(&list->all[--list->nr].where);
	free(list->all);
}

bool placement_known(int fd)
{
	struct htmm_info info;

	return !htmm_device_info(fd, &info, NULL) && info.features & HTMM_FEATURE_PLACEMENT;
}

struct placement_sums placement_sum(const struct placement *placement)
{
	struct placement_sums sums = {};
	__u32 i;

	for (i = 0; i < placement->where.placement.nr_nodes; i++) {
		const struct htmm_node_placement *node = &placement->where.nodes[i];

		sums.samples += node->samples;
		if (node->flags & HTMM_NODE_FAST) {
			sums.fast_samples += node->samples;
			sums.cold_fast += placement_cold(node);
		} else {
			sums.hot_slow += node->hot_pages;
		}
	}
	if (sums.samples)
		sums.hit_ppm = (double)sums.fast_samples / (double)sums.samples * 1e6 + 0.5;
	return sums;
}

void place_print(FILE *file, __s32 node, __u32 mapping_shift)
{
	char name[16] = "-", size[SIZE_TEXT] = "-";

	if (node != HTMM_NODE_UNKNOWN)
		snprintf(name, sizeof(name), "%d", node);
	if (mapping_shift != HTMM_MAPPING_UNKNOWN)
		snprintf(size, sizeof(size), "%lluK", 1ULL << mapping_shift >> 10);
	fprintf(file, "%4s %5s ", name, size);
}

void place_json(struct json_object *obj, __s32 node, __u32 mapping_shift)
{
	json_add(obj, "node", node == HTMM_NODE_UNKNOWN ? NULL : json_object_new_int(node));
	json_add(obj, "mapping_bytes", mapping_shift == HTMM_MAPPING_UNKNOWN ? NULL :
		 json_object_new_uint64(1ULL << mapping_shift));
}

void places_notice(const struct htmm_page_list *list)
{
	if (list->nr && list->pages[0].flags & HTMM_PAGE_HIDDEN)
		notice("pages have no node without CAP_SYS_PTRACE, see 'htmmctl doctor'");
	if (list->skipped)
		notice("%zu processes were changing their mappings: their pages have no node",
		       list->skipped);
}

const char *placement_tier(const struct htmm_node_placement *node)
{
	return node->flags & HTMM_NODE_FAST ? "fast" : "slow";
}

static struct json_object *node_json(const struct htmm_node_placement *node, bool bins)
{
	struct json_object *obj = json_object_new_object(), *array;
	unsigned int bin;

	fields_json(obj, node_fields, node);
	json_add_u64(obj, "cold_pages", placement_cold(node));
	if (!bins)
		return obj;
	array = json_object_new_array();
	for (bin = 0; bin < HTMM_NR_BINS; bin++)
		json_object_array_add(array, json_object_new_uint64(node->bins[bin]));
	json_add(obj, "bins", array);
	return obj;
}

void placement_json(struct json_object *obj, const struct placement *placement, bool bins)
{
	const struct htmm_placement_buf *where = &placement->where;
	const struct placement_sums sums = placement_sum(placement);
	struct json_object *nodes = json_object_new_array();
	__u32 i;

	json_add_u64(obj, "target", placement->target);
	for (i = 0; i < where->placement.nr_nodes; i++)
		json_object_array_add(nodes, node_json(&where->nodes[i], bins));
	json_add(obj, "nodes", nodes);
	json_add_u64(obj, "unknown_pages", where->placement.unknown_pages);
	json_add_u64(obj, "unknown_samples", where->placement.unknown_samples);
	json_add_u64(obj, "shared_pages", where->placement.shared_pages);
	json_add_u64(obj, "spaces", where->placement.spaces);
	json_add_u64(obj, "skipped", where->placement.skipped);
	json_add_u64(obj, "hot_on_slow", sums.hot_slow);
	json_add_u64(obj, "cold_on_fast", sums.cold_fast);
	json_add(obj, "hit_ratio_ppm", sums.samples ? json_object_new_uint64(sums.hit_ppm) : NULL);
	json_add_u64(obj, "capacity_pages", placement->best.capacity_pages);
	json_add_u64(obj, "best_hit_ratio_ppm", placement->best.hit_ppm);
	json_add_u64(obj, "best_hit_ratio_error_ppm", placement->best.error_ppm);
	hit_json(obj, "best_hit_estimate", &placement->hit);
}
