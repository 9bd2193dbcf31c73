// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "htmmctl/view.h"
#include "htmmctl/command.h"
#include "htmmctl/placement.h"
#include "perfdata/idmap.h"
#include "live.h"

/* Tell the user if samples of different weight count the same. */
static void weigh(int fd, const struct htmm_info *info)
{
	struct htmm_stats_buf stats;
	char text[160];

	if (htmm_device_stats(fd, &stats, NULL))
		return;
	if (!counts_compare(info, &stats, text, sizeof(text)))
		notice("%s", text);
	htmm_stats_free(&stats);
}

/* Room for all pages of all targets; with a single one, its capacity is the report's. */
static void limits_of(const struct htmm_info *info, const struct htmm_target_list *targets,
		      struct store_config *store)
{
	__u64 bytes = 0;
	size_t i;

	for (i = 0; i < targets->nr; i++)
		bytes += targets->target[i].max_bytes;
	if (store->max_bytes < bytes)
		store->max_bytes = min(bytes, HTMM_TABLE_MAX_BYTES);
	if (!store->capacity)
		store->capacity = targets->nr == 1 ? targets->target[0].capacity_pages :
						     info->capacity_pages;
}

int report_live_config(int fd, struct report_config *config, struct htmm_error *err)
{
	struct htmm_target_list targets;
	struct htmm_info info;
	int ret;

	ret = htmm_device_info(fd, &info, err);
	if (!ret)
		ret = htmm_device_targets(fd, &targets, err);
	if (ret)
		return ret;
	weigh(fd, &info);
	limits_of(&info, &targets, &config->store);
	htmm_targets_free(&targets);
	/* The module has cooled the counts already. */
	config->store.cooling_period = U64_MAX;
	return 0;
}

/* The module numbers address spaces separately for each target. */
static __u64 space_key(const struct htmm_page *page)
{
	return (__u64)page->target << 32 | page->space;
}

/* The index of a target in the list; one that was added meanwhile is not there. */
static __u32 target_of(const struct report *report, __u32 number)
{
	__u32 i;

	for (i = 0; i < report->targets.nr; i++)
		if (report->targets.target[i].number == number)
			break;
	return i;
}

/* What a live process has mapped, also where there are no samples. */
static void map_all(struct report *report, __u32 space, __u32 pid)
{
	struct htmm_maps maps;
	size_t i;

	report->tasks.space[space].partial = report->tasks.space[space].exited ||
					     htmm_maps_read(&maps, pid);
	if (report->tasks.space[space].partial)
		return;
	for (i = 0; i < maps.nr; i++)
		tasks_map(&report->tasks, space, maps.map[i].start,
			  maps.map[i].end - maps.map[i].start, maps.map[i].name,
			  strlen(maps.map[i].name));
	htmm_maps_free(&maps);
}

/* Converts the module's number of an address space to the report's. */
static int space_of(struct report *report, struct idmap *spaces, const struct htmm_page *page,
		    const struct htmm_place *place)
{
	__s64 known = idmap_get(spaces, space_key(page));
	int space;

	if (known >= 0)
		return known;
	space = tasks_new_space(&report->tasks, page->pid);
	if (space < 0 || idmap_set(spaces, space_key(page), space))
		return -ENOMEM;
	tasks_name_space(&report->tasks, space, place->comm, strlen(place->comm));
	report->tasks.space[space].target = target_of(report, page->target);
	report->tasks.space[space].exited = page->flags & HTMM_PAGE_EXITED;
	map_all(report, space, page->pid);
	return space;
}

static int feed_page(struct report *report, struct idmap *spaces, struct htmm_names *names,
		     const struct htmm_page *page)
{
	struct htmm_place place = htmm_names_find(names, page);
	int space = space_of(report, spaces, page, &place);

	if (space < 0)
		return space;
	tasks_map(&report->tasks, space, page->addr, 4096, place.mapping, strlen(place.mapping));
	report_count(report, space, page->addr, page->samples, page->samples);
	if (report->place)
		report->place[report->nr_places++] = (struct report_place) {
			.space = space,
			.addr = page->addr,
			.node = page->node,
			.mapping_shift = page->mapping_shift,
		};
	return 0;
}

/* In this order, mappings are only appended at the end. */
static int by_address(const void *a, const void *b)
{
	const struct htmm_page *x = a, *y = b;

	if (space_key(x) != space_key(y))
		return space_key(x) < space_key(y) ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int feed_pages(struct report *report, struct htmm_names *names,
		      const struct htmm_page_list *list)
{
	struct idmap spaces = {};
	size_t i;
	int ret = 0;

	qsort(list->pages, list->nr, sizeof(*list->pages), by_address);
	for (i = 0; i < list->nr && !ret; i++)
		if (perfdata_pids_want(&report->config.pids, list->pages[i].pid))
			ret = feed_page(report, &spaces, names, &list->pages[i]);
	idmap_free(&spaces);
	return ret;
}

/* How many pages targets can have. Without placement, that is not known. */
static int feed_room(int fd, struct report *report, const struct htmm_info *info,
		     struct htmm_error *err)
{
	struct htmm_placement_buf where;
	__u32 i;

	report->target_room = calloc(report->targets.nr + 1, sizeof(*report->target_room));
	if (!report->target_room)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	if (report->config.pids.nr || htmm_device_placement(fd, 0, &where, NULL))
		return 0;
	report->known.most = hit_resident(info, &where);
	htmm_placement_free(&where);
	for (i = 0; i < report->targets.nr && report->config.curve; i++) {
		if (htmm_device_placement(fd, report->targets.target[i].number, &where, NULL))
			continue;
		report->target_room[i] = hit_resident(info, &where);
		htmm_placement_free(&where);
	}
	return 0;
}

/* What is known of the session besides its counts. */
static int feed_known(int fd, struct report *report, struct htmm_error *err)
{
	struct htmm_info info;
	int ret = hit_known(&report->known, fd, &info, err);

	return ret ? ret : feed_room(fd, report, &info, err);
}

/* Where the session's samples went; samples of removed pages are in no list. */
static int feed_counts(int fd, struct report *report, struct htmm_error *err)
{
	struct report_counts *counts = &report->counts;
	struct htmm_stats_buf stats;
	const __u64 *drops;
	int ret;

	/* These counts are not available for each process. */
	if (report->config.pids.nr)
		return 0;
	ret = htmm_device_stats(fd, &stats, err);
	if (ret)
		return ret;
	drops = stats.stats.total.drops;
	report->session_samples = stats.stats.stats[HTMM_STAT_SAMPLES];
	counts->filtered = htmm_counters_filtered(&stats.stats.total);
	counts->no_addr = drops[HTMM_DROP_NO_ADDR];
	counts->kernel_addr = drops[HTMM_DROP_KERNEL_ADDR];
	counts->no_memory = drops[HTMM_DROP_TABLE_FULL] + drops[HTMM_DROP_SPACES_FULL];
	counts->lost = htmm_counters_lost(&stats.stats.total) - counts->no_addr -
		       counts->kernel_addr - counts->no_memory;
	counts->throttled = stats.stats.total.throttled;
	htmm_stats_free(&stats);
	return 0;
}

/* All pages with samples, and where they are if the module tells. */
static int list_pages(int fd, struct report *report, struct htmm_page_list *list,
		      struct htmm_error *err)
{
	struct htmm_list_pages request = { .order = HTMM_ORDER_TABLE, .min_samples = 1 };
	bool placed = placement_known(fd);
	int ret;

	if (placed)
		request.flags = HTMM_LIST_PLACEMENT;
	ret = htmm_device_list_pages(fd, &request, 0, list, err);
	if (ret || !placed)
		return ret;
	places_notice(list);
	report->place = calloc(list->nr + 1, sizeof(*report->place));
	return report->place ? 0 : htmm_error_set(err, ENOMEM, NULL, "out of memory");
}

int report_live_feed(int fd, struct report *report, struct htmm_error *err)
{
	struct htmm_names *names = htmm_names_new();
	struct htmm_page_list list = {};
	int ret;

	if (!names)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	ret = feed_counts(fd, report, err);
	if (!ret)
		ret = htmm_device_targets(fd, &report->targets, err);
	if (!ret)
		ret = feed_known(fd, report, err);
	if (!ret)
		ret = list_pages(fd, report, &list, err);
	if (!ret) {
		names_recall(names, fd);
		htmm_names_note(names, 0, &list);
		ret = feed_pages(report, names, &list);
		if (ret)
			htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	htmm_names_free(names);
	htmm_pages_free(&list);
	return ret;
}
