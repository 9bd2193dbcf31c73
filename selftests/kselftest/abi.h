/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All numbers of the interface that programs have compiled in: sizes, offsets and values.
 * None of them may ever change; only new ones may be added.
 */
#ifndef KSFT_ABI_H
#define KSFT_ABI_H

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <linux/htmm.h>

#define SIZE(type, bytes)						\
	static_assert(sizeof(struct type) == (bytes), #type " has another size")
#define MEMBER(type, member, at, bytes)					\
	static_assert(offsetof(struct type, member) == (at) &&		\
		      sizeof(((struct type *)0)->member) == (bytes),	\
		      #type "." #member " is elsewhere")
#define VALUE(name, value)						\
	static_assert((name) == (value), #name " is another number")

SIZE(htmm_event, 96);
MEMBER(htmm_event, type, 0, 4);
MEMBER(htmm_event, precise_ip, 4, 4);
MEMBER(htmm_event, config, 8, 8);
MEMBER(htmm_event, config1, 16, 8);
MEMBER(htmm_event, config2, 24, 8);
MEMBER(htmm_event, period, 32, 8);
MEMBER(htmm_event, min_period, 40, 8);
MEMBER(htmm_event, max_period, 48, 8);
MEMBER(htmm_event, name, 56, 32);
MEMBER(htmm_event, flags, 88, 4);
MEMBER(htmm_event, min_level, 92, 4);
SIZE(htmm_target, 32);
MEMBER(htmm_target, type, 0, 4);
MEMBER(htmm_target, flags, 4, 4);
MEMBER(htmm_target, id, 8, 8);
MEMBER(htmm_target, capacity_pages, 16, 8);
MEMBER(htmm_target, max_bytes, 24, 8);
SIZE(htmm_start, 152);
MEMBER(htmm_start, size, 0, 4);
MEMBER(htmm_start, flags, 4, 4);
MEMBER(htmm_start, session, 8, 8);
MEMBER(htmm_start, events, 16, 8);
MEMBER(htmm_start, nr_events, 24, 4);
MEMBER(htmm_start, event_size, 28, 4);
MEMBER(htmm_start, targets, 32, 8);
MEMBER(htmm_start, nr_targets, 40, 4);
MEMBER(htmm_start, target_size, 44, 4);
MEMBER(htmm_start, cpus, 48, 8);
MEMBER(htmm_start, drain_cpus, 56, 8);
MEMBER(htmm_start, cpus_size, 64, 4);
MEMBER(htmm_start, drain_cpus_size, 68, 4);
MEMBER(htmm_start, drain_nice, 72, 4);
MEMBER(htmm_start, drain_interval_ms, 76, 4);
MEMBER(htmm_start, sample_type, 80, 8);
MEMBER(htmm_start, ring_pages, 88, 4);
MEMBER(htmm_start, __reserved, 92, 4);
MEMBER(htmm_start, max_bytes, 96, 8);
MEMBER(htmm_start, capacity_pages, 104, 8);
MEMBER(htmm_start, cooling_period, 112, 8);
MEMBER(htmm_start, adaptation_period, 120, 8);
MEMBER(htmm_start, error, 128, 8);
MEMBER(htmm_start, error_size, 136, 4);
MEMBER(htmm_start, budget_ppm, 140, 4);
MEMBER(htmm_start, interrupt_ns, 144, 4);
MEMBER(htmm_start, budget_interval_ms, 148, 4);
SIZE(htmm_session_id, 16);
MEMBER(htmm_session_id, size, 0, 4);
MEMBER(htmm_session_id, flags, 4, 4);
MEMBER(htmm_session_id, session, 8, 8);
SIZE(htmm_target_id, 24);
MEMBER(htmm_target_id, size, 0, 4);
MEMBER(htmm_target_id, flags, 4, 4);
MEMBER(htmm_target_id, session, 8, 8);
MEMBER(htmm_target_id, target, 16, 4);
MEMBER(htmm_target_id, __reserved, 20, 4);
SIZE(htmm_info, 144);
MEMBER(htmm_info, size, 0, 4);
MEMBER(htmm_info, flags, 4, 4);
MEMBER(htmm_info, session, 8, 8);
MEMBER(htmm_info, features, 16, 8);
MEMBER(htmm_info, state, 24, 4);
MEMBER(htmm_info, max_events, 28, 4);
MEMBER(htmm_info, max_targets, 32, 4);
MEMBER(htmm_info, max_ring_pages, 36, 4);
MEMBER(htmm_info, session_flags, 40, 4);
MEMBER(htmm_info, owner, 44, 4);
MEMBER(htmm_info, nr_events, 48, 4);
MEMBER(htmm_info, nr_targets, 52, 4);
MEMBER(htmm_info, nr_cpus, 56, 4);
MEMBER(htmm_info, ring_pages, 60, 4);
MEMBER(htmm_info, elapsed_ns, 64, 8);
MEMBER(htmm_info, sample_type, 72, 8);
MEMBER(htmm_info, record_size, 80, 4);
MEMBER(htmm_info, budget_ppm, 84, 4);
MEMBER(htmm_info, max_bytes, 88, 8);
MEMBER(htmm_info, capacity_pages, 96, 8);
MEMBER(htmm_info, cooling_period, 104, 8);
MEMBER(htmm_info, adaptation_period, 112, 8);
MEMBER(htmm_info, table_bytes, 120, 8);
MEMBER(htmm_info, ring_bytes, 128, 8);
MEMBER(htmm_info, drain_pid, 136, 4);
MEMBER(htmm_info, __reserved, 140, 4);
SIZE(htmm_counters, 168);
MEMBER(htmm_counters, overflows, 0, 8);
MEMBER(htmm_counters, counted, 8, 8);
MEMBER(htmm_counters, in_flight, 16, 8);
MEMBER(htmm_counters, throttled, 24, 8);
MEMBER(htmm_counters, nmi, 32, 8);
MEMBER(htmm_counters, drops, 40, 128);
SIZE(htmm_channel_info, 216);
MEMBER(htmm_channel_info, cpu, 0, 4);
MEMBER(htmm_channel_info, event, 4, 4);
MEMBER(htmm_channel_info, flags, 8, 4);
MEMBER(htmm_channel_info, precise_ip, 12, 4);
MEMBER(htmm_channel_info, period, 16, 8);
MEMBER(htmm_channel_info, count, 24, 8);
MEMBER(htmm_channel_info, time_enabled, 32, 8);
MEMBER(htmm_channel_info, time_running, 40, 8);
MEMBER(htmm_channel_info, counters, 48, 168);
SIZE(htmm_stats, 480);
MEMBER(htmm_stats, size, 0, 4);
MEMBER(htmm_stats, flags, 4, 4);
MEMBER(htmm_stats, session, 8, 8);
MEMBER(htmm_stats, channels, 16, 8);
MEMBER(htmm_stats, nr_channels, 24, 4);
MEMBER(htmm_stats, channel_size, 28, 4);
MEMBER(htmm_stats, events, 32, 8);
MEMBER(htmm_stats, nr_events, 40, 4);
MEMBER(htmm_stats, event_size, 44, 4);
MEMBER(htmm_stats, total, 48, 168);
MEMBER(htmm_stats, stats, 216, 256);
MEMBER(htmm_stats, cost_ppm, 472, 4);
MEMBER(htmm_stats, __reserved, 476, 4);
SIZE(htmm_histogram, 328);
MEMBER(htmm_histogram, size, 0, 4);
MEMBER(htmm_histogram, flags, 4, 4);
MEMBER(htmm_histogram, session, 8, 8);
MEMBER(htmm_histogram, unit, 16, 4);
MEMBER(htmm_histogram, target, 20, 4);
MEMBER(htmm_histogram, hot_threshold, 24, 4);
MEMBER(htmm_histogram, warm_threshold, 28, 4);
MEMBER(htmm_histogram, pages, 32, 8);
MEMBER(htmm_histogram, hot_pages, 40, 8);
MEMBER(htmm_histogram, capacity_pages, 48, 8);
MEMBER(htmm_histogram, samples, 56, 8);
MEMBER(htmm_histogram, bins, 64, 264);
SIZE(htmm_hit_ratio, 64);
MEMBER(htmm_hit_ratio, size, 0, 4);
MEMBER(htmm_hit_ratio, flags, 4, 4);
MEMBER(htmm_hit_ratio, session, 8, 8);
MEMBER(htmm_hit_ratio, unit, 16, 4);
MEMBER(htmm_hit_ratio, target, 20, 4);
MEMBER(htmm_hit_ratio, capacity_pages, 24, 8);
MEMBER(htmm_hit_ratio, pages, 32, 8);
MEMBER(htmm_hit_ratio, fast_pages, 40, 8);
MEMBER(htmm_hit_ratio, samples, 48, 8);
MEMBER(htmm_hit_ratio, hit_ppm, 56, 4);
MEMBER(htmm_hit_ratio, error_ppm, 60, 4);
SIZE(htmm_page, 48);
MEMBER(htmm_page, addr, 0, 8);
MEMBER(htmm_page, samples, 8, 8);
MEMBER(htmm_page, pid, 16, 4);
MEMBER(htmm_page, space, 20, 4);
MEMBER(htmm_page, bin, 24, 4);
MEMBER(htmm_page, flags, 28, 4);
MEMBER(htmm_page, target, 32, 4);
MEMBER(htmm_page, node, 36, 4);
MEMBER(htmm_page, mapping_shift, 40, 4);
MEMBER(htmm_page, __reserved, 44, 4);
SIZE(htmm_list_pages, 120);
MEMBER(htmm_list_pages, size, 0, 4);
MEMBER(htmm_list_pages, flags, 4, 4);
MEMBER(htmm_list_pages, session, 8, 8);
MEMBER(htmm_list_pages, pages, 16, 8);
MEMBER(htmm_list_pages, nr_pages, 24, 4);
MEMBER(htmm_list_pages, page_size, 28, 4);
MEMBER(htmm_list_pages, unit, 32, 4);
MEMBER(htmm_list_pages, order, 36, 4);
MEMBER(htmm_list_pages, target, 40, 4);
MEMBER(htmm_list_pages, pid, 44, 4);
MEMBER(htmm_list_pages, start, 48, 8);
MEMBER(htmm_list_pages, end, 56, 8);
MEMBER(htmm_list_pages, min_samples, 64, 8);
MEMBER(htmm_list_pages, max_samples, 72, 8);
MEMBER(htmm_list_pages, cursor, 80, 32);
MEMBER(htmm_list_pages, node, 112, 4);
MEMBER(htmm_list_pages, skipped, 116, 4);
SIZE(htmm_node_placement, 320);
MEMBER(htmm_node_placement, node, 0, 4);
MEMBER(htmm_node_placement, flags, 4, 4);
MEMBER(htmm_node_placement, pages, 8, 8);
MEMBER(htmm_node_placement, huge_pages, 16, 8);
MEMBER(htmm_node_placement, tracked_pages, 24, 8);
MEMBER(htmm_node_placement, hot_pages, 32, 8);
MEMBER(htmm_node_placement, warm_pages, 40, 8);
MEMBER(htmm_node_placement, samples, 48, 8);
MEMBER(htmm_node_placement, bins, 56, 264);
SIZE(htmm_placement, 72);
MEMBER(htmm_placement, size, 0, 4);
MEMBER(htmm_placement, flags, 4, 4);
MEMBER(htmm_placement, session, 8, 8);
MEMBER(htmm_placement, target, 16, 4);
MEMBER(htmm_placement, node_size, 20, 4);
MEMBER(htmm_placement, nodes, 24, 8);
MEMBER(htmm_placement, nr_nodes, 32, 4);
MEMBER(htmm_placement, spaces, 36, 4);
MEMBER(htmm_placement, skipped, 40, 4);
MEMBER(htmm_placement, longest_lock_ns, 44, 4);
MEMBER(htmm_placement, unknown_pages, 48, 8);
MEMBER(htmm_placement, unknown_samples, 56, 8);
MEMBER(htmm_placement, shared_pages, 64, 8);
SIZE(htmm_served_row, 72);
MEMBER(htmm_served_row, cpu_node, 0, 4);
MEMBER(htmm_served_row, event, 4, 4);
MEMBER(htmm_served_row, samples, 8, 64);
SIZE(htmm_served, 40);
MEMBER(htmm_served, size, 0, 4);
MEMBER(htmm_served, flags, 4, 4);
MEMBER(htmm_served, session, 8, 8);
MEMBER(htmm_served, target, 16, 4);
MEMBER(htmm_served, row_size, 20, 4);
MEMBER(htmm_served, rows, 24, 8);
MEMBER(htmm_served, nr_rows, 32, 4);
MEMBER(htmm_served, __reserved, 36, 4);
SIZE(htmm_feed_sample, 56);
MEMBER(htmm_feed_sample, addr, 0, 8);
MEMBER(htmm_feed_sample, ip, 8, 8);
MEMBER(htmm_feed_sample, time, 16, 8);
MEMBER(htmm_feed_sample, period, 24, 8);
MEMBER(htmm_feed_sample, data_src, 32, 8);
MEMBER(htmm_feed_sample, cookie, 40, 8);
MEMBER(htmm_feed_sample, pid, 48, 4);
MEMBER(htmm_feed_sample, tid, 52, 4);
SIZE(htmm_feed, 40);
MEMBER(htmm_feed, size, 0, 4);
MEMBER(htmm_feed, flags, 4, 4);
MEMBER(htmm_feed, session, 8, 8);
MEMBER(htmm_feed, samples, 16, 8);
MEMBER(htmm_feed, nr_samples, 24, 4);
MEMBER(htmm_feed, sample_size, 28, 4);
MEMBER(htmm_feed, event, 32, 4);
MEMBER(htmm_feed, cpu, 36, 4);
SIZE(htmm_add_target, 48);
MEMBER(htmm_add_target, size, 0, 4);
MEMBER(htmm_add_target, flags, 4, 4);
MEMBER(htmm_add_target, session, 8, 8);
MEMBER(htmm_add_target, target, 16, 8);
MEMBER(htmm_add_target, target_size, 24, 4);
MEMBER(htmm_add_target, number, 28, 4);
MEMBER(htmm_add_target, error, 32, 8);
MEMBER(htmm_add_target, error_size, 40, 4);
MEMBER(htmm_add_target, __reserved, 44, 4);
SIZE(htmm_target_info, 1360);
MEMBER(htmm_target_info, number, 0, 4);
MEMBER(htmm_target_info, type, 4, 4);
MEMBER(htmm_target_info, flags, 8, 4);
MEMBER(htmm_target_info, __reserved, 12, 4);
MEMBER(htmm_target_info, id, 16, 8);
MEMBER(htmm_target_info, capacity_pages, 24, 8);
MEMBER(htmm_target_info, max_bytes, 32, 8);
MEMBER(htmm_target_info, bytes, 40, 8);
MEMBER(htmm_target_info, pages, 48, 8);
MEMBER(htmm_target_info, regions, 56, 8);
MEMBER(htmm_target_info, spaces, 64, 8);
MEMBER(htmm_target_info, space_bytes, 72, 8);
MEMBER(htmm_target_info, stats, 80, 128);
MEMBER(htmm_target_info, drops, 208, 128);
MEMBER(htmm_target_info, name, 336, 1024);
SIZE(htmm_targets, 32);
MEMBER(htmm_targets, size, 0, 4);
MEMBER(htmm_targets, flags, 4, 4);
MEMBER(htmm_targets, session, 8, 8);
MEMBER(htmm_targets, targets, 16, 8);
MEMBER(htmm_targets, nr_targets, 24, 4);
MEMBER(htmm_targets, target_size, 28, 4);
SIZE(htmm_set, 56);
MEMBER(htmm_set, size, 0, 4);
MEMBER(htmm_set, flags, 4, 4);
MEMBER(htmm_set, session, 8, 8);
MEMBER(htmm_set, target, 16, 4);
MEMBER(htmm_set, event, 20, 4);
MEMBER(htmm_set, capacity_pages, 24, 8);
MEMBER(htmm_set, period, 32, 8);
MEMBER(htmm_set, error, 40, 8);
MEMBER(htmm_set, error_size, 48, 4);
MEMBER(htmm_set, __reserved, 52, 4);
SIZE(htmm_stream, 144);
MEMBER(htmm_stream, size, 0, 4);
MEMBER(htmm_stream, flags, 4, 4);
MEMBER(htmm_stream, session, 8, 8);
MEMBER(htmm_stream, buffer_bytes, 16, 8);
MEMBER(htmm_stream, watermark, 24, 4);
MEMBER(htmm_stream, state, 28, 4);
MEMBER(htmm_stream, sample_type, 32, 8);
MEMBER(htmm_stream, record_size, 40, 4);
MEMBER(htmm_stream, nr_events, 44, 4);
MEMBER(htmm_stream, offered, 48, 8);
MEMBER(htmm_stream, delivered, 56, 8);
MEMBER(htmm_stream, lost, 64, 8);
MEMBER(htmm_stream, waiting_bytes, 72, 8);
MEMBER(htmm_stream, ids, 80, 64);
VALUE(HTMM_UNIT_PAGE, 0);
VALUE(HTMM_UNIT_REGION, 1);
VALUE(HTMM_DROP_RING_FULL, 0);
VALUE(HTMM_DROP_FILTERED, 1);
VALUE(HTMM_DROP_NO_ADDR, 2);
VALUE(HTMM_DROP_KERNEL_ADDR, 3);
VALUE(HTMM_DROP_NESTED, 4);
VALUE(HTMM_DROP_STALE, 5);
VALUE(HTMM_DROP_TABLE_FULL, 6);
VALUE(HTMM_DROP_REMOVED, 7);
VALUE(HTMM_DROP_SPACES_FULL, 8);
VALUE(HTMM_DROP_KERNEL, 9);
VALUE(HTMM_DROP_NO_DATA, 10);
VALUE(HTMM_DROP_NEAR, 11);
VALUE(HTMM_NR_DROPS, 12);
VALUE(HTMM_STAT_SAMPLES, 0);
VALUE(HTMM_STAT_COOLINGS, 1);
VALUE(HTMM_STAT_ADAPTATIONS, 2);
VALUE(HTMM_STAT_EVICTED, 3);
VALUE(HTMM_STAT_EXITED, 4);
VALUE(HTMM_STAT_FREED, 5);
VALUE(HTMM_TARGET_STATS, 16);
VALUE(HTMM_STAT_WAKEUPS, 16);
VALUE(HTMM_STAT_BATCHES, 17);
VALUE(HTMM_STAT_DRAIN_NS, 18);
VALUE(HTMM_STAT_HANDLER_NS, 19);
VALUE(HTMM_STAT_PERIOD_CHANGES, 20);
VALUE(HTMM_STAT_CPUS_FAILED, 21);
VALUE(HTMM_STAT_PAUSED_NS, 22);
VALUE(HTMM_NR_STATS, 23);
VALUE(HTMM_TARGET_TGID, 1);
VALUE(HTMM_TARGET_CGROUP, 2);
VALUE(HTMM_TARGET_ALL, 3);
VALUE(HTMM_STATE_IDLE, 0);
VALUE(HTMM_STATE_RUNNING, 1);
VALUE(HTMM_STATE_STOPPING, 2);
VALUE(HTMM_STATE_STOPPED, 3);
VALUE(HTMM_ORDER_HOTTEST, 0);
VALUE(HTMM_ORDER_COLDEST, 1);
VALUE(HTMM_ORDER_TABLE, 2);
VALUE(HTMM_LIST_PLACEMENT, 1);
VALUE(HTMM_LIST_NODE, 2);
VALUE(HTMM_LIST_RESIDENT, 4);
VALUE(HTMM_LIST_OTHERS, 8);
VALUE(HTMM_NODE_FAST, 1);
VALUE(HTMM_STREAM_WAITING, 0);
VALUE(HTMM_STREAM_RUNNING, 1);
VALUE(HTMM_STREAM_ENDED, 2);
VALUE(HTMM_MAX_EVENTS, 8);
VALUE(HTMM_MAX_TARGETS, 64);
VALUE(HTMM_MAX_RING_PAGES, 4096);
VALUE(HTMM_MAX_STREAMS, 8);
VALUE(HTMM_MIN_STREAM_BYTES, 4096);
VALUE(HTMM_MAX_STREAM_BYTES, 67108864);
VALUE(HTMM_MAX_DRAIN_MS, 10000);
VALUE(HTMM_MAX_INTERRUPT_NS, 1000000);
VALUE(HTMM_MIN_BUDGET_MS, 10);
VALUE(HTMM_MAX_BUDGET_MS, 60000);
VALUE(HTMM_EVENT_NAME_LEN, 32);
VALUE(HTMM_TARGET_NAME_LEN, 1024);
VALUE(HTMM_ERROR_LEN, 192);
VALUE(HTMM_NR_BINS, 33);
VALUE(HTMM_PAGE_SHIFT, 12);
VALUE(HTMM_REGION_SHIFT, 21);
VALUE(HTMM_DROP_SLOTS, 16);
VALUE(HTMM_STAT_SLOTS, 32);
VALUE(HTMM_START_DETACHED, 1);
VALUE(HTMM_START_KEEP_EXITED, 2);
VALUE(HTMM_START_BUDGET, 4);
VALUE(HTMM_START_WEIGHT_PERIOD, 8);
VALUE(HTMM_START_SERVED, 16);
VALUE(HTMM_START_PAUSED, 32);
VALUE(HTMM_START_KEEP, 64);
VALUE(HTMM_TYPE_FEED, 0xfeed0000);
VALUE(HTMM_FEED_FOREIGN, 1);
VALUE(HTMM_FEED_LOST, 2);
VALUE(HTMM_FEED_THROTTLED, 4);
VALUE(HTMM_FEED_CPU, 8);
VALUE(HTMM_SOURCE_UNKNOWN, 0);
VALUE(HTMM_SOURCE_CACHE, 1);
VALUE(HTMM_SOURCE_LOCAL, 2);
VALUE(HTMM_SOURCE_REMOTE, 3);
VALUE(HTMM_SOURCE_SLOW, 4);
VALUE(HTMM_SOURCE_OTHER, 5);
VALUE(HTMM_SOURCE_SLOTS, 8);
VALUE(HTMM_FEATURE_CGROUPS, 1);
VALUE(HTMM_FEATURE_PLACEMENT, 2);
VALUE(HTMM_CHANNEL_ACTIVE, 1);
VALUE(HTMM_CHANNEL_LARGE_PEBS, 2);
VALUE(HTMM_PAGE_HOT, 1);
VALUE(HTMM_PAGE_EXITED, 2);
VALUE(HTMM_PAGE_HIDDEN, 4);
VALUE(HTMM_NODE_UNKNOWN, -1);
VALUE(HTMM_MAPPING_UNKNOWN, 0);
VALUE(HTMM_TARGET_INFO_DEAD, 1);
VALUE(HTMM_SET_CAPACITY, 1);
VALUE(HTMM_SET_PERIOD, 2);
VALUE(HTMM_SET_PAUSE, 4);
VALUE(HTMM_SET_RESUME, 8);
VALUE(HTMM_RECORD_ROUND, 68);
VALUE(HTMM_IOC_TYPE, 188);
VALUE(HTMM_IOC_START, 48128);
VALUE(HTMM_IOC_STOP, 48129);
VALUE(HTMM_IOC_GET_INFO, 48130);
VALUE(HTMM_IOC_GET_STATS, 48131);
VALUE(HTMM_IOC_GET_HIST, 48132);
VALUE(HTMM_IOC_LIST_PAGES, 48133);
VALUE(HTMM_IOC_COOL, 48134);
VALUE(HTMM_IOC_RESET, 48135);
VALUE(HTMM_IOC_ADD_TARGET, 48136);
VALUE(HTMM_IOC_REMOVE_TARGET, 48137);
VALUE(HTMM_IOC_GET_TARGETS, 48138);
VALUE(HTMM_IOC_STREAM, 48139);
VALUE(HTMM_IOC_SET, 48140);
VALUE(HTMM_IOC_GET_HIT_RATIO, 48141);
VALUE(HTMM_IOC_GET_PLACEMENT, 48142);
VALUE(HTMM_IOC_GET_SERVED, 48143);
VALUE(HTMM_IOC_FEED, 48144);

/**
 * struct call - one ioctl with a valid argument
 * @cmd: its number
 * @size: bytes of its struct in the first version of the interface
 * @known: bytes of its struct in this version
 * @idle: what it returns while there is no session
 */
static const struct call {
	const char *name;
	unsigned int cmd;
	__u32 size;
	__u32 known;
	int idle;
} ioctls[] = {
	{ "START", HTMM_IOC_START, 152, sizeof(struct htmm_start), 0 },
	{ "STOP", HTMM_IOC_STOP, 16, sizeof(struct htmm_session_id), -EALREADY },
	{ "GET_INFO", HTMM_IOC_GET_INFO, 144, sizeof(struct htmm_info), 0 },
	{ "GET_STATS", HTMM_IOC_GET_STATS, 480, sizeof(struct htmm_stats), -ENODATA },
	{ "GET_HIST", HTMM_IOC_GET_HIST, 328, sizeof(struct htmm_histogram), -ENODATA },
	{ "LIST_PAGES", HTMM_IOC_LIST_PAGES, 112, sizeof(struct htmm_list_pages), -ENODATA },
	{ "COOL", HTMM_IOC_COOL, 24, sizeof(struct htmm_target_id), -ENODATA },
	{ "RESET", HTMM_IOC_RESET, 16, sizeof(struct htmm_session_id), -ENODATA },
	{ "ADD_TARGET", HTMM_IOC_ADD_TARGET, 48, sizeof(struct htmm_add_target), -ENODATA },
	{ "REMOVE_TARGET", HTMM_IOC_REMOVE_TARGET, 24, sizeof(struct htmm_target_id), -ENODATA },
	{ "GET_TARGETS", HTMM_IOC_GET_TARGETS, 32, sizeof(struct htmm_targets), -ENODATA },
	{ "STREAM", HTMM_IOC_STREAM, 144, sizeof(struct htmm_stream), 0 },
	{ "SET", HTMM_IOC_SET, 56, sizeof(struct htmm_set), -ENODATA },
	{ "GET_HIT_RATIO", HTMM_IOC_GET_HIT_RATIO, 64, sizeof(struct htmm_hit_ratio), -ENODATA },
	{ "GET_PLACEMENT", HTMM_IOC_GET_PLACEMENT, 72, sizeof(struct htmm_placement), -ENODATA },
	{ "GET_SERVED", HTMM_IOC_GET_SERVED, 40, sizeof(struct htmm_served), -ENODATA },
	{ "FEED", HTMM_IOC_FEED, 40, sizeof(struct htmm_feed), -ENODATA },
};

#define NR_IOCTLS	ARRAY_SIZE(ioctls)

#endif /* KSFT_ABI_H */
