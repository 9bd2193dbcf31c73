// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "hotness.h"
#include "trace.h"

static_assert(HTMM_HIST_BINS == HTMM_NR_BINS);

/* Memory for knowing what is hot is not worth killing anyone for. */
#define HTMM_GFP	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

/* Directory entries that a reader visits before it lets ksampled in again. */
#define HTMM_LIST_SLICE		256
/* A reader leaves the lock alone for so many times as long as it has held it, */
#define HTMM_LIST_PAUSE			47
/* but not longer than this, in microseconds: it may have lost its CPU meanwhile. */
#define HTMM_LIST_MAX_PAUSE		10000
/* Directory entries that ksampled tidies up between two batches. */
#define HTMM_TIDY_SLICE		256
/* Address spaces that ksampled checks for their end between two batches. */
#define HTMM_TIDY_SPACES	64

/* No drop reason: the sample was counted. */
#define HTMM_DROP_NONE		HTMM_NR_DROPS

static void htmm_hotness_free_pool(struct htmm_hotness *hotness)
{
	unsigned long freed = 0;
	void *page;

	while ((page = htmm_pool_take_back(&hotness->pool))) {
		free_page((unsigned long)page);
		if (++freed % 1024 == 0)
			cond_resched();
	}
}

/**
 * htmm_hotness_create - make an empty hot-page table
 * @config: how samples turn into hot pages, with all defaults filled in
 *
 * Context: process, may sleep.
 * Return: the table, -EINVAL for limits no table can have, or -ENOMEM.
 */
struct htmm_hotness *
htmm_hotness_create(const struct htmm_hotness_config *config)
{
	const struct htmm_table_config limits = {
		.max_bytes = config->max_bytes,
		.max_pages = config->max_pages,
		.seed = get_random_u64(),
		.batch = HTMM_HOTNESS_BATCH,
	};
	size_t bytes = htmm_table_dir_bytes(&limits);
	struct htmm_hotness *hotness;
	int ret = -ENOMEM;

	if (!bytes)
		return ERR_PTR(-EINVAL);

	hotness = kvzalloc(sizeof(*hotness), GFP_KERNEL);
	if (!hotness)
		return ERR_PTR(-ENOMEM);
	hotness->directory = __vmalloc(bytes, HTMM_GFP);
	if (!hotness->directory)
		goto err_hotness;

	hotness->config = *config;
	hotness->next_cooling = config->cooling_period;
	hotness->next_adaptation = config->adaptation_period;
	mutex_init(&hotness->lock);
	htmm_spaces_init(&hotness->spaces);
	htmm_pool_init(&hotness->pool);
	ret = htmm_table_init(&hotness->table, &limits, hotness->directory,
			      &hotness->pool);
	if (ret)
		goto err_directory;
	htmm_hotness_adapt(hotness);
	hotness->stats.adaptations = 0;
	return hotness;

err_directory:
	vfree(hotness->directory);
err_hotness:
	kvfree(hotness);
	return ERR_PTR(ret);
}

/**
 * htmm_hotness_destroy - free a hot-page table
 * @hotness: the table, used by nobody any more
 */
void htmm_hotness_destroy(struct htmm_hotness *hotness)
{
	htmm_table_clear(&hotness->table);
	htmm_hotness_free_pool(hotness);
	htmm_spaces_destroy(&hotness->spaces);
	vfree(hotness->directory);
	mutex_destroy(&hotness->lock);
	kvfree(hotness);
}

/* A page waiting to go into the pool; the link lies in the page itself. */
struct htmm_spare {
	struct htmm_spare *next;
};

/*
 * Fills the pool for the next batch. Memory is allocated without the lock, for
 * that may take its time; only ksampled takes from the pool, so the need cannot
 * grow meanwhile. What cannot be had shows as samples refused.
 */
static void htmm_hotness_refill(struct htmm_hotness *hotness)
{
	struct htmm_spare *spares = NULL, *spare;
	u32 need;

	mutex_lock(&hotness->lock);
	need = htmm_table_need(&hotness->table);
	mutex_unlock(&hotness->lock);
	if (!need)
		return;

	while (need--) {
		spare = (void *)__get_free_page(HTMM_GFP);
		if (!spare)
			break;
		spare->next = spares;
		spares = spare;
	}

	mutex_lock(&hotness->lock);
	while ((spare = spares)) {
		spares = spare->next;
		htmm_pool_put(&hotness->pool, spare);
	}
	mutex_unlock(&hotness->lock);
}

/* The sample at which something is due; a period may mean never. */
static u64 htmm_hotness_due(const struct htmm_hotness *hotness, u64 period)
{
	u64 due;

	if (check_add_overflow(hotness->stats.samples, period, &due))
		return U64_MAX;
	return due;
}

static void htmm_hotness_adapt_locked(struct htmm_hotness *hotness)
{
	const u64 capacity[HTMM_KINDS] = {
		[HTMM_KIND_BASE] = hotness->config.capacity,
		[HTMM_KIND_HUGE] = hotness->config.capacity >> HTMM_REGION_SHIFT,
	};
	struct htmm_thresholds *thresholds;
	struct htmm_hist hist;
	enum htmm_kind kind;

	lockdep_assert_held(&hotness->lock);

	for (kind = 0; kind < HTMM_KINDS; kind++) {
		thresholds = &hotness->thresholds[kind];
		htmm_table_hist(&hotness->table, kind, &hist);
		thresholds->hot = htmm_hist_hot_threshold(&hist, capacity[kind]);
		thresholds->warm = htmm_hist_warm_threshold(&hist, capacity[kind],
							    thresholds->hot);
		trace_htmm_threshold(kind, thresholds->hot, thresholds->warm,
				     capacity[kind]);
	}
	hotness->stats.adaptations++;
	hotness->next_adaptation =
		htmm_hotness_due(hotness, hotness->config.adaptation_period);
}

static void htmm_hotness_cool_locked(struct htmm_hotness *hotness)
{
	lockdep_assert_held(&hotness->lock);

	htmm_table_cool(&hotness->table);
	hotness->stats.coolings++;
	trace_htmm_cool(hotness->stats.coolings, hotness->stats.samples,
			hotness->table.pages);
	hotness->next_cooling =
		htmm_hotness_due(hotness, hotness->config.cooling_period);
	htmm_hotness_adapt_locked(hotness);
}

/* Turns accesses into the table's samples; those without a space are dropped. */
static u32 htmm_hotness_resolve(struct htmm_hotness *hotness,
				const struct htmm_access *accesses, u32 n,
				enum htmm_drop *drops)
{
	const struct htmm_access *access, *last = NULL;
	struct htmm_space *space = NULL;
	u32 i, resolved = 0;

	for (i = 0; i < n; i++) {
		access = &accesses[i];
		if (!last || access->pid != last->pid ||
		    access->cookie != last->cookie)
			space = htmm_spaces_get(&hotness->spaces, access->pid,
						access->cookie,
						hotness->config.keep_exited);
		last = access;
		if (IS_ERR(space)) {
			drops[i] = PTR_ERR(space) == -ESRCH ?
				HTMM_DROP_STALE : HTMM_DROP_TABLE_FULL;
			continue;
		}
		drops[i] = HTMM_DROP_NONE;
		hotness->samples[resolved] = (struct htmm_table_sample) {
			.vpn = access->addr >> HTMM_PAGE_SHIFT,
			.space = space->id,
			.weight = access->weight,
		};
		hotness->origin[resolved++] = i;
	}
	return resolved;
}

/*
 * Adds up to @n samples from @start on, as many as may be counted before the
 * next cooling or adaptation is due, so that both happen at the exact sample.
 */
static u32 htmm_hotness_add_some(struct htmm_hotness *hotness, u32 start, u32 n,
				 enum htmm_drop *drops)
{
	u64 due = min(hotness->next_cooling, hotness->next_adaptation);
	u32 chunk = min_t(u64, n, due - hotness->stats.samples);
	u32 i, refused;

	refused = htmm_table_add(&hotness->table, hotness->samples + start,
				 chunk, hotness->refused);
	for (i = 0; i < refused; i++)
		drops[hotness->origin[start + hotness->refused[i]]] =
			HTMM_DROP_TABLE_FULL;

	hotness->stats.samples += chunk - refused;
	if (hotness->stats.samples >= hotness->next_cooling)
		htmm_hotness_cool_locked(hotness);
	else if (hotness->stats.samples >= hotness->next_adaptation)
		htmm_hotness_adapt_locked(hotness);
	return chunk;
}

/**
 * htmm_hotness_add - count a batch of accesses
 * @hotness: the table
 * @accesses: the batch
 * @n: elements in @accesses, up to HTMM_HOTNESS_BATCH
 * @drops: for each access, set to why it was not counted, or to HTMM_NR_DROPS
 *	if it was
 *
 * Context: ksampled, which alone adds; may sleep. Takes @hotness->lock.
 */
void htmm_hotness_add(struct htmm_hotness *hotness,
		      const struct htmm_access *accesses, u32 n,
		      enum htmm_drop *drops)
{
	u32 resolved, done;

	htmm_hotness_refill(hotness);

	mutex_lock(&hotness->lock);
	resolved = htmm_hotness_resolve(hotness, accesses, n, drops);
	for (done = 0; done < resolved; )
		done += htmm_hotness_add_some(hotness, done, resolved - done,
					      drops);
	mutex_unlock(&hotness->lock);
}

/* Removes some pages of a process that has gone. Returns true if more remain. */
static bool htmm_hotness_remove_some(struct htmm_hotness *hotness)
{
	u64 before = hotness->table.pages;
	bool more;

	more = htmm_table_remove_space(&hotness->table, hotness->leaving->id,
				       hotness->leaving_first, HTMM_TIDY_SLICE);
	hotness->leaving_first = false;
	hotness->stats.exited += before - hotness->table.pages;
	if (!more) {
		htmm_spaces_remove(&hotness->spaces, hotness->leaving);
		hotness->leaving = NULL;
	}
	return more;
}

/**
 * htmm_hotness_tidy - one bounded step of housekeeping
 * @hotness: the table
 *
 * Forgets pages that have cooled to zero and, unless the session keeps them,
 * those of processes that have gone.
 *
 * Context: ksampled; may sleep. Takes @hotness->lock.
 * Return: true if more is known to be left to do.
 */
bool htmm_hotness_tidy(struct htmm_hotness *hotness)
{
	struct htmm_space *space;
	bool more;

	mutex_lock(&hotness->lock);
	more = htmm_table_reclaim(&hotness->table, HTMM_TIDY_SLICE);
	if (!hotness->leaving) {
		space = htmm_spaces_find_gone(&hotness->spaces,
					      HTMM_TIDY_SPACES);
		/* Where one has gone there may be more. */
		more |= !!space;
		if (space && !hotness->config.keep_exited) {
			hotness->leaving = space;
			hotness->leaving_first = true;
		}
	}
	if (hotness->leaving)
		more |= htmm_hotness_remove_some(hotness);
	mutex_unlock(&hotness->lock);
	return more;
}

/**
 * htmm_hotness_cool - halve every count now
 * @hotness: the table
 *
 * Context: process, may sleep. Takes @hotness->lock.
 */
void htmm_hotness_cool(struct htmm_hotness *hotness)
{
	mutex_lock(&hotness->lock);
	htmm_hotness_cool_locked(hotness);
	mutex_unlock(&hotness->lock);
}

/**
 * htmm_hotness_adapt - compute the thresholds now
 * @hotness: the table
 *
 * Context: process, may sleep. Takes @hotness->lock.
 */
void htmm_hotness_adapt(struct htmm_hotness *hotness)
{
	mutex_lock(&hotness->lock);
	htmm_hotness_adapt_locked(hotness);
	mutex_unlock(&hotness->lock);
}

/**
 * htmm_hotness_reset - forget all pages and totals
 * @hotness: the table
 *
 * Context: process, may sleep. Takes @hotness->lock.
 */
void htmm_hotness_reset(struct htmm_hotness *hotness)
{
	mutex_lock(&hotness->lock);
	htmm_table_clear(&hotness->table);
	htmm_hotness_free_pool(hotness);
	hotness->leaving = NULL;
	htmm_spaces_clear(&hotness->spaces);
	memset(&hotness->stats, 0, sizeof(hotness->stats));
	hotness->evicted_before = hotness->table.evicted;
	hotness->next_cooling = hotness->config.cooling_period;
	htmm_hotness_adapt_locked(hotness);
	hotness->stats.adaptations = 0;
	mutex_unlock(&hotness->lock);
}

/**
 * htmm_hotness_get_stats - read the totals
 * @hotness: the table
 * @stats: set to the totals
 *
 * Context: process, may sleep. Takes @hotness->lock.
 */
void htmm_hotness_get_stats(struct htmm_hotness *hotness,
			    struct htmm_hotness_stats *stats)
{
	struct htmm_table_stats table;

	mutex_lock(&hotness->lock);
	*stats = hotness->stats;
	htmm_table_get_stats(&hotness->table, &table);
	stats->evicted = table.evicted - hotness->evicted_before;
	stats->bytes = table.bytes;
	mutex_unlock(&hotness->lock);
}

/**
 * htmm_hotness_get_hist - read a histogram and its thresholds
 * @hotness: the table
 * @kind: of base pages or of regions
 * @out: all members from nr_bins on are set
 *
 * Context: process, may sleep. Takes @hotness->lock.
 */
void htmm_hotness_get_hist(struct htmm_hotness *hotness, enum htmm_kind kind,
			   struct htmm_histogram *out)
{
	struct htmm_thresholds thresholds;
	struct htmm_hist hist;

	mutex_lock(&hotness->lock);
	htmm_table_hist(&hotness->table, kind, &hist);
	thresholds = hotness->thresholds[kind];
	out->samples = hotness->stats.samples;
	mutex_unlock(&hotness->lock);

	out->nr_bins = HTMM_NR_BINS;
	out->hot_threshold = thresholds.hot;
	out->warm_threshold = thresholds.warm;
	out->pages = htmm_hist_pages_from(&hist, 0);
	out->hot_pages = htmm_hist_pages_from(&hist, thresholds.hot);
	out->capacity_pages = hotness->config.capacity;
	if (kind == HTMM_KIND_HUGE)
		out->capacity_pages >>= HTMM_REGION_SHIFT;
	memcpy(out->bins, hist.bin, sizeof(out->bins));
}

/*
 * Between two slices of a reader's walk, the first of which began at @since
 * nanoseconds. A reader that came back at once would have the lock as often as
 * ksampled, and a slice takes longer than a batch: ksampled would mostly wait. And
 * what is walked over leaves ksampled's cache. Returns when the next slice begins.
 */
static u64 htmm_hotness_pause(struct htmm_hotness *hotness, u64 since)
{
	u64 pause;

	mutex_unlock(&hotness->lock);
	pause = (ktime_get_ns() - since) * HTMM_LIST_PAUSE / NSEC_PER_USEC;
	pause = clamp_t(u64, pause, 1, HTMM_LIST_MAX_PAUSE);
	usleep_range(pause, pause + pause / 4);
	mutex_lock(&hotness->lock);
	return ktime_get_ns();
}

/**
 * htmm_hotness_list - the hottest pages after a cursor
 * @hotness: the table
 * @cursor: the last page of the list before, or NULL to begin
 * @entries: filled with pages, hottest first
 * @n: room in @entries
 *
 * ksampled goes on working: the lock is given up between slices of the table, and
 * held for one part in 48 of the time at most.
 *
 * Context: process, may sleep. Takes @hotness->lock.
 * Return: number of pages, fewer than @n only at the end of the list.
 */
u32 htmm_hotness_list(struct htmm_hotness *hotness,
		      const struct htmm_list_entry *cursor,
		      struct htmm_list_entry *entries, u32 n)
{
	struct htmm_list list;
	u64 since;

	htmm_list_init(&list, HTMM_LIST_PAGES, 0, entries, n);
	if (cursor)
		htmm_list_after(&list, cursor);

	mutex_lock(&hotness->lock);
	since = ktime_get_ns();
	htmm_list_begin(&list, &hotness->table);
	/* Who is killed never sees the list. */
	while (htmm_list_scan(&list, &hotness->table, HTMM_LIST_SLICE) &&
	       !fatal_signal_pending(current))
		since = htmm_hotness_pause(hotness, since);
	mutex_unlock(&hotness->lock);

	return htmm_list_finish(&list);
}

static void htmm_hotness_describe_one(struct htmm_hotness *hotness,
				      const struct htmm_list_entry *entry,
				      struct htmm_hot_page *page)
{
	const struct htmm_space *space =
		htmm_spaces_find(&hotness->spaces, entry->space);

	*page = (struct htmm_hot_page) {
		.addr = entry->vpn << HTMM_PAGE_SHIFT,
		.samples = entry->value,
		.space = entry->space,
		.bin = htmm_hist_bin(entry->value),
	};
	if (space && space->pid)
		page->pid = pid_vnr(space->pid);
	else if (space && task_active_pid_ns(current) == &init_pid_ns)
		page->pid = space->nr;
	if (!space || !htmm_space_alive(space))
		page->flags |= HTMM_PAGE_EXITED;
	if (page->bin >= hotness->thresholds[HTMM_KIND_BASE].hot)
		page->flags |= HTMM_PAGE_HOT;
}

/**
 * htmm_hotness_describe - say what list entries are to the caller
 * @hotness: the table
 * @entries: from htmm_hotness_list()
 * @pages: set, one for each entry
 * @n: elements in @entries and @pages
 *
 * Context: process context of the reader, whose pid namespace counts; may
 * sleep. Takes @hotness->lock.
 */
void htmm_hotness_describe(struct htmm_hotness *hotness,
			   const struct htmm_list_entry *entries,
			   struct htmm_hot_page *pages, u32 n)
{
	u32 i, end;

	for (i = 0; i < n; ) {
		end = min(n, i + HTMM_LIST_SLICE);
		mutex_lock(&hotness->lock);
		for (; i < end; i++)
			htmm_hotness_describe_one(hotness, &entries[i], &pages[i]);
		mutex_unlock(&hotness->lock);
		cond_resched();
	}
}
