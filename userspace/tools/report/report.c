// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/format.h"
#include "ranges.h"
#include "rates.h"
#include "report.h"

/* Addresses of user space end here, with five-level page tables too. */
#define USER_END	BIT_ULL(56)

static int no_memory(struct htmm_error *err)
{
	return htmm_error_set(err, ENOMEM, "give less with --max-bytes, or fewer processes with -p",
			      "out of memory");
}

int report_init(struct report *report, const struct report_config *config, struct htmm_error *err)
{
	memset(report, 0, sizeof(*report));
	report->config = *config;
	report->hint_space = -1;
	report->weight_unit = 1;
	report->store = store_new(&config->store, err);
	if (!report->store)
		return -ENOMEM;
	report->heat = heat_new();
	return report->heat ? 0 : no_memory(err);
}

/* As in the module: a period divided by the smallest one, rounded, but at least 1. */
static __u32 weight_of(const struct report *report, const struct perfdata_sample *sample)
{
	const __u64 unit = report->weight_unit;

	if (!report->config.weight_period)
		return 1;
	return max_t(__u64, sample->period / unit + (sample->period % unit > (unit - 1) / 2), 1);
}

/* Returns the address at which the page counts. */
static inline __u64 count_page(struct report *report, __u32 space, __u64 addr, __u64 samples,
			       __u32 weight)
{
	int mapping = tasks_find(&report->tasks, space, addr);

	if (mapping < 0) {
		report->counts.no_memory += samples;
		return addr;
	}
	addr = tasks_home(&report->tasks, space, addr);
	report->tasks.space[space].samples += samples;
	report->tasks.mapping[mapping].samples += samples;
	report->counts.samples += samples;
	store_add(report->store, space, addr, weight);
	return addr;
}

void report_count(struct report *report, __u32 space, __u64 addr, __u64 samples, __u32 weight)
{
	count_page(report, space, addr, samples, weight);
}

/* Samples of one process, and from one place, mostly come in sequence. */
static int space_of(struct report *report, __u32 pid)
{
	if (report->hint_space < 0 || pid != report->hint_pid) {
		report->hint_space = tasks_space(&report->tasks, pid);
		report->hint_pid = pid;
	}
	return report->hint_space;
}

static enum htmm_source source_of(struct report *report, __u64 data_src)
{
	if (data_src != report->hint_src) {
		report->hint_source = htmm_source_of(data_src);
		report->hint_src = data_src;
	}
	return report->hint_source;
}

static void count(struct report *report, const struct perfdata_sample *sample)
{
	const __u64 before = report->counts.samples;
	const __u32 weight = weight_of(report, sample);
	int space = space_of(report, sample->pid);
	__u64 addr;

	if (space < 0) {
		report->counts.no_memory++;
		return;
	}
	addr = count_page(report, space, sample->addr, 1, weight);
	report->weight += weight;
	if (report->config.functions && report->counts.samples != before)
		functions_count(&report->functions, &report->tasks, space, sample->ip);
	report->counts.served[source_of(report, sample->data_src)]++;
	if (sample->time)
		heat_add(report->heat, space, addr, sample->time);
}

/* Neither a load nor a store, as its source says if it was recorded. */
static bool is_without_data(const struct perfdata_sample *sample)
{
	const union perf_mem_data_src src = { .val = sample->data_src };

	return src.mem_op == PERF_MEM_OP_NA;
}

/* What the module's overflow handler drops is dropped here. */
static void feed_sample(struct report *report, const struct perfdata_sample *sample)
{
	if (!span_has_sample(&report->config.span, sample->time))
		report->counts.outside++;
	else if (sample->pid == PERFDATA_GUEST)
		report->counts.guest++;
	else if (!sample->pid || sample->pid == ~0U)
		report->counts.no_process++;
	else if (!perfdata_pids_want(&report->config.pids, sample->pid))
		report->counts.filtered++;
	else if (!sample->addr && is_without_data(sample))
		report->counts.no_data++;
	else if (!sample->addr)
		report->counts.no_addr++;
	else if (sample->addr >= USER_END)
		report->counts.kernel_addr++;
	else if (source_of(report, sample->data_src) < report->config.min_level)
		report->counts.near++;
	else
		count(report, sample);
}

static void feed_mapping(struct tasks *tasks, const struct perfdata_record_view *view)
{
	const struct tasks_file file = {
		.dev = view->dev, .ino = view->dev ? view->ino : 0, .pgoff = view->pgoff,
		.shared = view->shared,
	};

	tasks_mmap(tasks, view->pid, view->addr, view->len, view->name, view->name_len, &file);
}

/* Cgroups have paths that begin with a slash. */
static void feed_cgroup(struct span *span, const struct perfdata_record_view *view)
{
	const size_t prefix = strlen(PERFDATA_MARK);

	if (view->name_len > prefix && !memcmp(view->name, PERFDATA_MARK, prefix))
		span_pass(span, view->time, view->name + prefix, view->name_len - prefix);
}

static bool is_mapping(const struct perfdata_record_view *view)
{
	return view->type == PERF_RECORD_MMAP || view->type == PERF_RECORD_MMAP2;
}

/* Handles records of all processes, even unwanted ones: a child inherits from its parent. */
static void feed_other(struct report *report, const struct perfdata_record_view *view)
{
	struct tasks *tasks = &report->tasks;

	/* The next sample may be in another address space. */
	report->hint_space = -1;
	functions_forget(&report->functions);
	perfdata_losses_add(&report->losses, view);
	report->counts.lost = perfdata_lost(&report->losses);
	if (view->type == PERF_RECORD_THROTTLE)
		report->counts.throttled++;
	if (view->type == PERF_RECORD_CGROUP)
		feed_cgroup(&report->config.span, view);
	if (view->pid == ~0U && is_mapping(view) && !perfdata_in_guest(view->misc))
		functions_kernel(&report->functions, view);
	/* The kernel's own mappings have no process; one that is not known has the pid 0. */
	if (view->pid == ~0U || !view->pid)
		return;
	if (is_mapping(view) && perfdata_in_guest(view->misc))
		return;
	switch (view->type) {
	case PERF_RECORD_COMM:
		if (view->pid == view->tid)
			tasks_comm(tasks, view->pid, view->name, view->name_len,
				   view->misc & PERF_RECORD_MISC_COMM_EXEC);
		break;
	case PERF_RECORD_FORK:
		if (view->pid == view->ppid)
			tasks_clone(tasks, view->pid);
		else
			tasks_fork(tasks, view->pid, view->ppid,
				   !(view->misc & PERF_RECORD_MISC_FORK_EXEC));
		break;
	case PERF_RECORD_EXIT:
		tasks_exit(tasks, view->pid);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		feed_mapping(tasks, view);
		break;
	default:
		break;
	}
}

void report_feed(struct report *report, const struct perfdata_sample *sample, size_t nr)
{
	for (; nr; nr--, sample++) {
		if (perfdata_other(sample))
			feed_other(report, sample->other);
		else
			feed_sample(report, sample);
	}
}

static void finish_hist(struct report *report, enum htmm_unit unit)
{
	struct htmm_histogram *hist = &report->hist[unit];
	struct store_heat heat;

	store_heat(report->store, unit, &heat);
	hist->unit = unit;
	hist->hot_threshold = heat.hot;
	hist->warm_threshold = heat.warm;
	hist->pages = heat.pages;
	hist->hot_pages = heat.hot_pages;
	hist->capacity_pages = heat.capacity;
	hist->samples = report->session_samples ?: report->counts.samples;
	memcpy(hist->bins, heat.hist.bin, sizeof(hist->bins));
	store_ratio(report->store, unit, &report->ratio[unit]);
}

static void describe(struct report *report, const struct htmm_topn_entry *entry,
		     struct report_page *page)
{
	*page = (struct report_page) {
		.space = entry->space,
		.addr = entry->vpn << 12,
		.samples = entry->value,
		.bin = htmm_hist_bin(entry->value),
	};
	page->mapping = tasks_find(&report->tasks, page->space, page->addr);
	page->hot = page->bin >= report->hist[HTMM_UNIT_PAGE].hot_threshold;
}

/* Adds a page to the process and the mapping that it belongs to. */
static int attribute(struct report *report, __u32 space, __u64 vpn, __u32 samples)
{
	bool hot = htmm_hist_bin(samples) >= report->hist[HTMM_UNIT_PAGE].hot_threshold;
	int mapping;

	if (!samples)
		return 0;
	report->tasks.space[space].pages++;
	report->tasks.space[space].hot_pages += hot;
	mapping = tasks_find(&report->tasks, space, vpn << 12);
	if (report->touched)
		report->touched[report->nr_touched++] = (struct report_touched) {
			.count = samples, .space = space, .mapping = mapping, .addr = vpn << 12,
		};
	if (mapping >= 0) {
		report->tasks.mapping[mapping].pages++;
		report->tasks.mapping[mapping].hot_pages += hot;
	}
	return tally_add(&report->tally[HTMM_UNIT_PAGE], samples, report->known.unit);
}

/* A region's details, from the counts of its pages. */
static struct report_page describe_region(struct report *report,
					  const struct htmm_topn_entry *entry, const u32 *count)
{
	struct report_page region = {
		.space = entry->space,
		.mapping = -1,
		.addr = entry->vpn << 12,
		.samples = entry->value,
		.bin = htmm_hist_bin(entry->value),
	};
	__u64 squares = 0;
	u32 i;

	region.hot = region.bin >= report->hist[HTMM_UNIT_REGION].hot_threshold;
	for (i = 0; i < HTMM_REGION_PAGES; i++) {
		if (!count[i])
			continue;
		/* The region itself may begin in another mapping. */
		if (!region.touched++)
			region.mapping = tasks_find(&report->tasks, region.space,
						    (entry->vpn + i) << 12);
		region.hot_pages += htmm_hist_bin(count[i]) >=
				    report->hist[HTMM_UNIT_PAGE].hot_threshold;
		if (check_add_overflow(squares, (__u64)count[i] * count[i], &squares))
			squares = U64_MAX;
	}
	if (region.hot_pages)
		region.skew = squares / ((__u64)region.hot_pages * region.hot_pages);
	return region;
}

static int by_skew(const void *a, const void *b)
{
	const struct report_page *x = a, *y = b;

	if (x->skew != y->skew)
		return x->skew > y->skew ? -1 : 1;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->addr < y->addr ? -1 : 1;
}

/* Region by region, as a list of all pages may be long. Keeps the most skewed regions. */
static int attribute_all(struct report *report, __u32 most)
{
	struct htmm_topn_entry *regions;
	u32 count[HTMM_REGION_PAGES];
	u32 nr, i, page;
	int ret = 0;

	if (report->config.curve) {
		report->touched = calloc(report->hist[HTMM_UNIT_PAGE].pages + 1,
					 sizeof(*report->touched));
		if (!report->touched)
			return -ENOMEM;
	}
	regions = store_list(report->store, HTMM_UNIT_REGION, 0, &nr);
	report->region = calloc(nr + 1UL, sizeof(*report->region));
	if (!regions || !report->region) {
		free(regions);
		return -ENOMEM;
	}
	for (i = 0; i < nr && !ret; i++) {
		htmm_table_counts(&report->store->table, regions[i].space, regions[i].vpn, count,
				  NULL);
		for (page = 0; page < HTMM_REGION_PAGES && !ret; page++)
			ret = attribute(report, regions[i].space, regions[i].vpn + page,
					count[page]);
		if (!ret)
			ret = tally_add(&report->tally[HTMM_UNIT_REGION], regions[i].value,
					report->known.unit);
		report->region[report->nr_regions] = describe_region(report, &regions[i], count);
		report->nr_regions += report->region[report->nr_regions].skew > 0;
	}
	free(regions);
	qsort(report->region, report->nr_regions, sizeof(*report->region), by_skew);
	if (most && report->nr_regions > most)
		report->nr_regions = most;
	return ret;
}

static int by_place(const void *a, const void *b)
{
	const struct report_place *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Say where pages are, if that is known. */
static void place(const struct report *report, struct report_page *page)
{
	const struct report_place like = { .space = page->space, .addr = page->addr }, *found;

	page->node = HTMM_NODE_UNKNOWN;
	page->mapping_shift = HTMM_MAPPING_UNKNOWN;
	if (!report->nr_places)
		return;
	found = bsearch(&like, report->place, report->nr_places, sizeof(like), by_place);
	if (!found)
		return;
	page->node = found->node;
	page->mapping_shift = found->mapping_shift;
}

static int list_by_count(struct report *report, __u32 most)
{
	struct htmm_topn_entry *entries;
	u32 i;

	entries = store_list(report->store, HTMM_UNIT_PAGE, most, &report->nr_pages);
	report->page = calloc(report->nr_pages + 1UL, sizeof(*report->page));
	if (!entries || !report->page) {
		free(entries);
		report->nr_pages = 0;
		return -ENOMEM;
	}
	for (i = 0; i < report->nr_pages; i++)
		describe(report, &entries[i], &report->page[i]);
	free(entries);
	return 0;
}

static int list_by_rate(struct report *report, __u32 most)
{
	const double unit = report->known.unit ?: 1;
	struct ranking ranking;
	size_t i;
	int ret = report_rates(report, most, &ranking);

	if (!ret)
		report->page = calloc(ranking.best.nr + 1, sizeof(*report->page));
	if (!report->page)
		ret = -ENOMEM;
	for (i = 0; i < ranking.best.nr && !ret; i++) {
		const struct estimate_page *from = &ranking.best.page[i];
		struct report_page *page = &report->page[report->nr_pages++];

		describe(report, &(struct htmm_topn_entry) {
			.space = from->space, .vpn = from->page,
			.value = from->count * unit + 0.5,
		}, page);
		page->rate = from->rate;
		page->low = from->low;
		page->high = from->high;
	}
	ranking_free(&ranking);
	return ret;
}

static int list_pages(struct report *report, __u32 most)
{
	int ret = report->config.raw ? list_by_count(report, most) : list_by_rate(report, most);
	u32 i;

	if (report->nr_places)
		qsort(report->place, report->nr_places, sizeof(*report->place), by_place);
	for (i = 0; i < report->nr_pages; i++)
		place(report, &report->page[i]);
	return ret;
}

/* Regions have no bound: how much of each is mapped is not known. */
static int find_hits(struct report *report)
{
	const __u64 room = tasks_measure(&report->tasks);
	struct curve_config known = report->known;
	int ret;

	if (!report->known.most)
		report->known.most = room;
	known.most = 0;
	ret = hit_tally(&report->hit[HTMM_UNIT_PAGE], &report->tally[HTMM_UNIT_PAGE],
			&report->known, report->ratio[HTMM_UNIT_PAGE].capacity_pages);
	if (ret)
		return ret;
	return hit_tally(&report->hit[HTMM_UNIT_REGION], &report->tally[HTMM_UNIT_REGION], &known,
			 report->ratio[HTMM_UNIT_REGION].capacity_pages);
}

int report_finish(struct report *report, __u32 most, struct htmm_error *err)
{
	store_flush(report->store);
	finish_hist(report, HTMM_UNIT_PAGE);
	finish_hist(report, HTMM_UNIT_REGION);
	heat_sort(report->heat);
	report->counts.no_memory += report->store->refused;
	if (attribute_all(report, most) || list_pages(report, most) || find_hits(report))
		return no_memory(err);
	tasks_name(&report->tasks);
	if (report->config.ranges && report_ranges(report, most))
		return no_memory(err);
	return 0;
}

void report_free(struct report *report)
{
	store_free(report->store);
	heat_free(report->heat);
	tasks_free(&report->tasks);
	functions_free(&report->functions);
	free(report->page);
	free(report->region);
	free(report->touched);
	free(report->ranges);
	tally_free(&report->tally[HTMM_UNIT_PAGE]);
	tally_free(&report->tally[HTMM_UNIT_REGION]);
	free(report->target_room);
	free(report->targets.target);
	free(report->place);
	span_free(&report->config.span);
	memset(report, 0, sizeof(*report));
}

__u64 report_slice_ns(const struct report *report, unsigned int slice)
{
	const struct heat *heat = report->heat;
	const __u64 first = report->config.span.start;
	/* The map may be empty, or begin with a sample that came too late. */
	const __u64 start = heat->start > first ? heat->start - first : 0;

	return start + ((__u64)slice << heat->slice_shift);
}
