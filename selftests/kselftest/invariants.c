// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "child.h"
#include "device.h"
#include "invariants.h"

#define DEBUGFS		"/sys/kernel/debug/htmm/"
/* A longer list of pages is not read: tests of many pages would take too long. */
#define PAGES_MOST	8192
#define TEXT_MAX	0x40000
/*
 * Other programs may reset, cool or change the session between two calls: then look again. Nobody
 * does so each time.
 */
#define LOOKS		50
/* Nanoseconds that two clocks of the kernel may differ by. */
#define CLOCKS		1000000

/**
 * struct removals - targets that were removed, by whatever process of the test
 * @pending: calls that have not returned
 * @done: those that have succeeded
 * @at_start: @done before the call that started the session
 */
struct removals {
	int pending;
	__u64 done;
	__u64 at_start;
};

static struct removals *removals;

__attribute__((constructor))
static void share(void)
{
	removals = child_share(sizeof(*removals));
}

__u64 invariants_before(unsigned int cmd)
{
	if (!removals)
		return 0;
	if (cmd == HTMM_IOC_REMOVE_TARGET)
		__atomic_add_fetch(&removals->pending, 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&removals->done, __ATOMIC_SEQ_CST);
}

void invariants_after(unsigned int cmd, int ret, __u64 before)
{
	if (!removals)
		return;
	/* A target may be removed before the call that started the session has returned. */
	if (cmd == HTMM_IOC_START && !ret)
		__atomic_store_n(&removals->at_start, before, __ATOMIC_SEQ_CST);
	if (cmd == HTMM_IOC_REMOVE_TARGET) {
		if (!ret)
			__atomic_add_fetch(&removals->done, 1, __ATOMIC_SEQ_CST);
		__atomic_sub_fetch(&removals->pending, 1, __ATOMIC_SEQ_CST);
	}
}

/* May a target of this session have been removed? Then its targets are not all that there were. */
static bool target_was_removed(void)
{
	return removals && (__atomic_load_n(&removals->pending, __ATOMIC_SEQ_CST) ||
			    __atomic_load_n(&removals->done, __ATOMIC_SEQ_CST) !=
			    __atomic_load_n(&removals->at_start, __ATOMIC_SEQ_CST));
}

/**
 * struct seen - a stopped session
 * @fd: the device
 * @info: what GET_INFO says
 * @stats: what GET_STATS says
 * @targets: what GET_TARGETS says
 * @nr_targets: elements of @targets
 * @wrong: what does not hold
 */
struct seen {
	int fd;
	struct htmm_info info;
	struct stats stats;
	struct htmm_target_info targets[HTMM_MAX_TARGETS];
	int nr_targets;
	char wrong[256];
};

__attribute((__format__(printf, 2, 3)))
static void wrong(struct seen *seen, const char *fmt, ...)
{
	va_list args;

	if (*seen->wrong)
		return;
	va_start(args, fmt);
	vsnprintf(seen->wrong, sizeof(seen->wrong), fmt, args);
	va_end(args);
}

/*
 * Did a call fail that may not fail? Whoever has no rights may be refused: a process of a test of
 * rights.
 */
static bool failed(struct seen *seen, const char *what, int ret)
{
	if (ret >= 0)
		return false;
	if (!geteuid() || (ret != -EPERM && ret != -EACCES))
		wrong(seen, "%s cannot be read: %s", what, strerror(-ret));
	return true;
}

static void equal(struct seen *seen, const char *what, __u64 a, __u64 b)
{
	if (a != b)
		wrong(seen, "%s: %llu and %llu", what, a, b);
}

static void check_counters(struct seen *seen, const struct htmm_counters *c)
{
	int i;

	equal(seen, "overflows, and where they went", c->overflows,
	      c->counted + counters_drops(c) + c->in_flight);
	equal(seen, "in flight of a stopped session", c->in_flight, 0);
	for (i = HTMM_NR_DROPS; i < HTMM_DROP_SLOTS; i++)
		equal(seen, "drops without a reason", c->drops[i], 0);
	if (c->nmi > c->overflows || c->throttled > c->overflows)
		wrong(seen, "%llu overflows, %llu NMIs, %llu throttled", c->overflows, c->nmi,
		      c->throttled);
}

/* An event does not count for longer than the session. */
static void check_event(struct seen *seen, const struct htmm_channel_info *channel)
{
	if (channel->flags)
		wrong(seen, "flags %#x of a stopped channel", channel->flags);
	if (channel->time_running > channel->time_enabled)
		wrong(seen, "an event ran longer than it was enabled");
	if (channel->time_enabled > seen->info.elapsed_ns + CLOCKS)
		wrong(seen, "an event was enabled for %llu ns of %llu", channel->time_enabled,
		      seen->info.elapsed_ns);
}

static void check_channels(struct seen *seen)
{
	const struct htmm_stats *s = &seen->stats.s;
	const __u64 handler_ns = s->stats[HTMM_STAT_HANDLER_NS];
	const __u64 batches = s->stats[HTMM_STAT_BATCHES];
	struct htmm_counters sum = {};
	__u64 handled = 0;
	__u32 i, j;

	if (!s->nr_channels)
		wrong(seen, "no channels");
	check_counters(seen, &s->total);
	for (i = 0; i < s->nr_channels; i++) {
		const struct htmm_channel_info *channel = &seen->stats.channels[i];
		const struct htmm_counters *c = &channel->counters;

		check_counters(seen, c);
		check_event(seen, channel);
		/* No handler runs for samples that user space hands in. */
		if (seen->stats.events[channel->event].type != HTMM_TYPE_FEED)
			handled += c->counted;
		sum.overflows += c->overflows;
		sum.counted += c->counted;
		sum.throttled += c->throttled;
		sum.nmi += c->nmi;
		for (j = 0; j < HTMM_DROP_SLOTS; j++)
			sum.drops[j] += c->drops[j];
	}
	if (memcmp(&sum, &s->total, sizeof(sum)))
		wrong(seen, "the totals are not the sums over channels");
	equal(seen, "samples and counted", s->stats[HTMM_STAT_SAMPLES], s->total.counted);
	/* No batch is empty. */
	if (batches > s->total.overflows)
		wrong(seen, "%llu batches of %llu samples", batches, s->total.overflows);
	if (s->total.counted && (!batches || !s->stats[HTMM_STAT_DRAIN_NS]))
		wrong(seen, "%llu counted, in %llu batches, %llu ns of ksampled",
		      s->total.counted, batches, s->stats[HTMM_STAT_DRAIN_NS]);
	/* To write a record takes longer than this on any machine. */
	if (handler_ns < 20 * handled)
		wrong(seen, "handlers took %llu ns for %llu samples", handler_ns, handled);
	/*
	 * No handler runs on a CPU for longer than the session. But only one of 127 is timed, and
	 * stands for the others: in a short session, one that met a cold cache stands for too many.
	 */
	if (handler_ns > seen->info.elapsed_ns * (seen->info.nr_cpus + 1) + 127 * 200000)
		wrong(seen, "handlers took %llu ns of %llu", handler_ns, seen->info.elapsed_ns);
	for (i = 0; i < HTMM_STAT_SLOTS; i++)
		if (!stat_names[i])
			equal(seen, "statistics without a name", s->stats[i], 0);
}

static void check_targets(struct seen *seen)
{
	const struct htmm_stats *s = &seen->stats.s;
	__u64 bytes = 0, stats[HTMM_TARGET_STATS] = {};
	__u64 drops[HTMM_DROP_SLOTS] = {};
	int i, j;

	for (i = 0; i < seen->nr_targets; i++) {
		const struct htmm_target_info *target = &seen->targets[i];

		bytes += target->bytes;
		for (j = 0; j < HTMM_TARGET_STATS; j++)
			stats[j] += target->stats[j];
		for (j = 0; j < HTMM_DROP_SLOTS; j++)
			drops[j] += target->drops[j];
		if (target->bytes > target->max_bytes)
			wrong(seen, "target %u takes %llu bytes, above its limit of %llu",
			      target->number, target->bytes, target->max_bytes);
		/* A region whose pages were forgotten is tracked for as long as it has a count. */
		if (target->pages && !target->regions)
			wrong(seen, "target %u has %llu pages and no region", target->number,
			      target->pages);
		if (target->__reserved || !memchr(target->name, '\0', sizeof(target->name)))
			wrong(seen, "target %u was not filled", target->number);
		for (j = strlen(target->name); j < (int)sizeof(target->name); j++)
			if (target->name[j])
				wrong(seen, "memory behind the name of target %u", target->number);
	}
	equal(seen, "targets told and counted", seen->nr_targets, seen->info.nr_targets);
	equal(seen, "bytes of targets and of tables", bytes, seen->info.table_bytes);
	if (target_was_removed())
		return;
	for (i = 0; i < HTMM_TARGET_STATS; i++)
		if (stat_names[i])
			equal(seen, stat_names[i], stats[i], s->stats[i]);
	equal(seen, "full tables of targets and of channels", drops[HTMM_DROP_TABLE_FULL],
	      s->total.drops[HTMM_DROP_TABLE_FULL]);
	equal(seen, "full spaces of targets and of channels", drops[HTMM_DROP_SPACES_FULL],
	      s->total.drops[HTMM_DROP_SPACES_FULL]);
	equal(seen, "drops of removed targets, but none was", s->total.drops[HTMM_DROP_REMOVED], 0);
	if (drops[HTMM_DROP_STALE] > s->total.drops[HTMM_DROP_STALE])
		wrong(seen, "targets dropped more stale samples than there were");
}

static void check_listing(struct seen *seen, const struct htmm_histogram *hist, __u32 unit)
{
	const struct htmm_list_pages request = { .unit = unit, .min_samples = 1 };
	__u64 bins[HTMM_NR_BINS] = {}, last = ~0ULL;
	struct pages list = {};
	size_t i;
	bool hot;

	if (failed(seen, "a list of pages", pages_list(seen->fd, &request, 1000, &list)))
		return;
	for (i = 0; i < list.nr; i++) {
		const struct htmm_page *page = &list.page[i];

		if (!page->samples || page->bin != 64U - __builtin_clzll(page->samples)) {
			wrong(seen, "%llu samples in bin %u", page->samples, page->bin);
			break;
		}
		if (page->samples > last)
			wrong(seen, "a hotter page behind a colder one");
		hot = page->bin >= hist->hot_threshold;
		if (seen->nr_targets == 1 && hot != !!(page->flags & HTMM_PAGE_HOT))
			wrong(seen, "a page of bin %u, hot from %u on, has flags %#x", page->bin,
			      hist->hot_threshold, page->flags);
		last = page->samples;
		bins[page->bin]++;
	}
	bins[0] = hist->bins[0];
	if (memcmp(bins, hist->bins, sizeof(bins)))
		wrong(seen, "the histogram of unit %u is not that of the listing", unit);
	free(list.page);
}

static void check_histogram(struct seen *seen, __u32 unit)
{
	__u64 pages = 0, hot = 0, of_targets = 0;
	struct htmm_histogram hist;
	int i;

	if (failed(seen, "a histogram", device_hist(seen->fd, unit, &hist)))
		return;
	for (i = 0; i < HTMM_NR_BINS; i++) {
		pages += hist.bins[i];
		hot += i >= hist.hot_threshold ? hist.bins[i] : 0;
	}
	for (i = 0; i < seen->nr_targets; i++)
		of_targets += unit ? seen->targets[i].regions : seen->targets[i].pages;
	equal(seen, "pages of a histogram and of its bins", hist.pages, pages);
	equal(seen, "hot pages of a histogram and of its bins", hist.hot_pages, hot);
	equal(seen, "pages of a histogram and of targets", hist.pages, of_targets);
	if (hist.warm_threshold > hist.hot_threshold || !hist.hot_threshold)
		wrong(seen, "hot from bin %u, warm from bin %u", hist.hot_threshold,
		      hist.warm_threshold);
	if (hist.pages <= PAGES_MOST)
		check_listing(seen, &hist, unit);
}

/**
 * struct text - what a file of debugfs must say
 * @seen: the session
 * @name: the file
 * @said: what it says
 * @at: the part of it that was not compared yet
 */
struct text {
	struct seen *seen;
	const char *name;
	char *said;
	const char *at;
};

static bool text_open(struct text *text, struct seen *seen, const char *name)
{
	char path[64];
	FILE *file;
	size_t n;

	/* Not all machines have it mounted. */
	if (access(DEBUGFS, X_OK))
		return false;
	snprintf(path, sizeof(path), DEBUGFS "%s", name);
	file = fopen(path, "re");
	if (failed(seen, path, file ? 0 : -errno))
		return false;
	*text = (struct text) { .seen = seen, .name = name, .said = malloc(TEXT_MAX) };
	n = text->said ? fread(text->said, 1, TEXT_MAX - 1, file) : 0;
	fclose(file);
	if (text->said)
		text->said[n] = '\0';
	text->at = text->said;
	return text->said;
}

/* The file goes on with this text. */
__attribute((__format__(printf, 2, 3)))
static void says(struct text *text, const char *fmt, ...)
{
	char want[1024];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(want, sizeof(want), fmt, args);
	va_end(args);
	if (strncmp(text->at, want, len)) {
		wrong(text->seen, "%s of debugfs says '%.60s', not '%.60s'", text->name, text->at,
		      want);
		return;
	}
	text->at += len;
}

static void text_end(struct text *text)
{
	if (*text->at)
		wrong(text->seen, "%s of debugfs goes on: %.60s", text->name, text->at);
	free(text->said);
}

/* The file goes on with a name and a value. */
static void says_value(struct text *text, const char *name, __u64 value, const char *how)
{
	says(text, "%s ", name);
	says(text, how, value);
}

/* The file goes on with a member, given as FROM->MEMBER. */
#define SAYS(text, member, how)	says_value(text, strstr(#member, "->") + 2, member, how)

static void says_drops(struct text *text, const __u64 *drops)
{
	int i;

	for (i = 0; i < HTMM_NR_DROPS; i++)
		says_value(text, drop_names[i], drops[i], "%llu ");
}

static void says_stats(struct text *text, const __u64 *stats, int nr, const char *how)
{
	int i;

	for (i = 0; i < nr; i++)
		if (stat_names[i])
			says_value(text, stat_names[i], stats[i], how);
}

static void says_counters(struct text *text, const struct htmm_counters *c)
{
	SAYS(text, c->overflows, "%llu ");
	SAYS(text, c->counted, "%llu ");
	SAYS(text, c->in_flight, "%llu ");
	SAYS(text, c->throttled, "%llu ");
	SAYS(text, c->nmi, "%llu ");
	says_drops(text, c->drops);
	says(text, "\n");
}

static void check_stats_file(struct seen *seen)
{
	const struct htmm_stats *s = &seen->stats.s;
	struct text text;
	__u32 i;

	if (!text_open(&text, seen, "stats"))
		return;
	says_stats(&text, s->stats, HTMM_STAT_SLOTS, "%llu\n");
	SAYS(&text, s->cost_ppm, "%llu\n");
	says_counters(&text, &s->total);
	for (i = 0; i < s->nr_events; i++) {
		const struct htmm_event *e = &seen->stats.events[i];

		says(&text, "event %u name %s ", i, e->name);
		SAYS(&text, e->type, "%llu ");
		SAYS(&text, e->precise_ip, "%llu ");
		SAYS(&text, e->config, "0x%llx ");
		SAYS(&text, e->config1, "0x%llx ");
		SAYS(&text, e->config2, "0x%llx ");
		SAYS(&text, e->period, "%llu ");
		SAYS(&text, e->min_period, "%llu ");
		SAYS(&text, e->max_period, "%llu ");
		SAYS(&text, e->min_level, "%llu ");
		says(&text, "\n");
	}
	for (i = 0; i < s->nr_channels; i++) {
		const struct htmm_channel_info *c = &seen->stats.channels[i];

		SAYS(&text, c->cpu, "%llu ");
		SAYS(&text, c->event, "%llu ");
		SAYS(&text, c->flags, "0x%llx ");
		SAYS(&text, c->precise_ip, "%llu ");
		SAYS(&text, c->period, "%llu ");
		SAYS(&text, c->count, "%llu ");
		SAYS(&text, c->time_enabled, "%llu ");
		SAYS(&text, c->time_running, "%llu ");
		says_counters(&text, &c->counters);
	}
	text_end(&text);
}

static void check_status_file(struct seen *seen)
{
	const struct htmm_info *info = &seen->info;
	struct text text;

	if (!text_open(&text, seen, "status"))
		return;
	says(&text, "state stopped\ncpus ");
	text.at = strchrnul(text.at, '\n');
	says(&text, "\n");
	SAYS(&text, info->session, "%llu\n");
	SAYS(&text, info->session_flags, "0x%llx\n");
	SAYS(&text, info->owner, "%llu\n");
	SAYS(&text, info->nr_events, "%llu\n");
	SAYS(&text, info->nr_targets, "%llu\n");
	SAYS(&text, info->nr_cpus, "%llu\n");
	SAYS(&text, info->elapsed_ns, "%llu\n");
	SAYS(&text, info->sample_type, "0x%llx\n");
	SAYS(&text, info->record_size, "%llu\n");
	SAYS(&text, info->ring_pages, "%llu\n");
	SAYS(&text, info->ring_bytes, "%llu\n");
	SAYS(&text, info->budget_ppm, "%llu\n");
	SAYS(&text, info->max_bytes, "%llu\n");
	SAYS(&text, info->table_bytes, "%llu\n");
	SAYS(&text, info->capacity_pages, "%llu\n");
	SAYS(&text, info->cooling_period, "%llu\n");
	SAYS(&text, info->adaptation_period, "%llu\n");
	SAYS(&text, info->drain_pid, "%llu\n");
	text_end(&text);
}

static void check_hist_file(struct seen *seen)
{
	static const char *const units[] = { "page", "region" };
	struct htmm_histogram seen_hist, *hist = &seen_hist;
	struct text text;
	int unit, i;

	if (!text_open(&text, seen, "hist"))
		return;
	for (unit = 0; unit < 2; unit++) {
		if (failed(seen, "a histogram", device_hist(seen->fd, unit, hist)))
			break;
		says(&text, "unit %s ", units[unit]);
		SAYS(&text, hist->hot_threshold, "%llu ");
		SAYS(&text, hist->warm_threshold, "%llu ");
		SAYS(&text, hist->pages, "%llu ");
		SAYS(&text, hist->hot_pages, "%llu ");
		SAYS(&text, hist->capacity_pages, "%llu ");
		SAYS(&text, hist->samples, "%llu ");
		says(&text, "\n");
		for (i = 0; i < HTMM_NR_BINS; i++)
			if (hist->bins[i])
				says(&text, "bin %d pages %llu\n", i, hist->bins[i]);
	}
	if (unit == 2)
		text_end(&text);
	else
		free(text.said);
}

/* The flags of a page. Its process may have exited since the file was read. */
static void says_flags(struct text *text, const struct htmm_page *page)
{
	unsigned int said = 0, late;

	sscanf(text->at, "flags 0x%x ", &said);
	late = page->flags & ~said & HTMM_PAGE_EXITED;
	says(text, "flags 0x%x ", page->flags & ~late);
}

static void check_hot_pages_file(struct seen *seen)
{
	struct htmm_page pages[64];
	struct htmm_list_pages list = { LIST_ROOM(pages, 64), .min_samples = 1 };
	struct text text;
	__u32 i;

	if (!text_open(&text, seen, "hot_pages"))
		return;
	if (failed(seen, "the hottest pages", device_ioctl(seen->fd, HTMM_IOC_LIST_PAGES, &list)))
		list.nr_pages = 0;
	for (i = 0; i < list.nr_pages; i++) {
		const struct htmm_page *page = &pages[i];

		SAYS(&text, page->addr, "0x%llx ");
		SAYS(&text, page->samples, "%llu ");
		SAYS(&text, page->pid, "%llu ");
		SAYS(&text, page->space, "%llu ");
		SAYS(&text, page->bin, "%llu ");
		says_flags(&text, page);
		SAYS(&text, page->target, "%llu ");
		says(&text, "\n");
	}
	text_end(&text);
}

static void check_targets_file(struct seen *seen)
{
	struct text text;
	int i;

	if (!text_open(&text, seen, "targets"))
		return;
	for (i = 0; i < seen->nr_targets; i++) {
		const struct htmm_target_info *t = &seen->targets[i];

		SAYS(&text, t->number, "%llu ");
		SAYS(&text, t->type, "%llu ");
		SAYS(&text, t->flags, "0x%llx ");
		SAYS(&text, t->id, "%llu ");
		SAYS(&text, t->capacity_pages, "%llu ");
		SAYS(&text, t->max_bytes, "%llu ");
		SAYS(&text, t->bytes, "%llu ");
		SAYS(&text, t->pages, "%llu ");
		SAYS(&text, t->regions, "%llu ");
		SAYS(&text, t->spaces, "%llu ");
		SAYS(&text, t->space_bytes, "%llu ");
		says_stats(&text, t->stats, HTMM_TARGET_STATS, "%llu ");
		says_drops(&text, t->drops);
		says(&text, "name ");
		/* With escapes; never two lines. */
		text.at = strchrnul(text.at, '\n');
		says(&text, "\n");
	}
	text_end(&text);
}

static void look(struct seen *seen)
{
	check_channels(seen);
	check_targets(seen);
	check_histogram(seen, HTMM_UNIT_PAGE);
	check_histogram(seen, HTMM_UNIT_REGION);
	check_stats_file(seen);
	check_status_file(seen);
	check_hist_file(seen);
	check_hot_pages_file(seen);
	check_targets_file(seen);
}

/* Reads what all else is compared with. */
static void read_all(int fd, struct seen *seen)
{
	*seen = (struct seen) { .fd = fd };
	/* Not zeroes, as members that the module does not set would not show. */
	memset(seen->targets, 0xa5, sizeof(seen->targets));
	if (failed(seen, "the state", device_info(fd, &seen->info)) ||
	    failed(seen, "statistics", stats_read(fd, &seen->stats)))
		return;
	seen->nr_targets = device_targets(fd, seen->targets);
	failed(seen, "targets", seen->nr_targets);
}

/* All channels and events: they are where the pointers in the statistics say. */
static bool same_stats(const struct stats *a, const struct stats *b)
{
	struct htmm_stats s = a->s;

	s.channels = b->s.channels;
	s.events = b->s.events;
	return !memcmp(&s, &b->s, sizeof(s)) &&
	       !memcmp(a->events, b->events, sizeof(a->events)) &&
	       !memcmp(a->channels, b->channels, s.nr_channels * sizeof(*a->channels));
}

/* Is it the stopped session that @seen is of, and has nobody changed it since? */
static bool is_unchanged(const struct seen *seen)
{
	struct seen *now = malloc(sizeof(*now));
	bool same = false;

	if (!now)
		return false;
	read_all(seen->fd, now);
	if (!*now->wrong)
		same = !memcmp(&seen->info, &now->info, sizeof(now->info)) &&
		       same_stats(&seen->stats, &now->stats) &&
		       !memcmp(seen->targets, now->targets, sizeof(now->targets));
	free(now->stats.channels);
	free(now);
	return same;
}

/* The stopped session is still there. */
static bool is_there(int fd, __u64 session)
{
	struct htmm_info info;

	return !device_info(fd, &info) && info.state == HTMM_STATE_STOPPED &&
	       info.session == session;
}

/*
 * Returns whether this is a verdict: nothing is wrong; or something is, and nobody has changed
 * the session meanwhile; or it cannot be read.
 */
static bool look_once(int fd, struct seen *seen)
{
	bool readable;

	read_all(fd, seen);
	readable = !*seen->wrong;
	if (readable && seen->nr_targets >= 0)
		look(seen);
	return !*seen->wrong || !readable || is_unchanged(seen);
}

static void fail(const char *why)
{
	printf("# a stopped session: %s\n", why);
	fflush(stdout);
	abort();
}

void invariants_hold(int fd)
{
	struct seen *seen = malloc(sizeof(*seen));
	struct htmm_info info;
	bool certain = false;
	int looks;

	if (!seen || device_info(fd, &info))
		fail("it cannot be looked at");
	for (looks = 0; looks < LOOKS && !certain && is_there(fd, info.session); looks++) {
		certain = look_once(fd, seen);
		free(seen->stats.channels);
		if (*seen->wrong && is_there(fd, info.session) && (certain || looks == LOOKS - 1))
			fail(seen->wrong);
	}
	free(seen);
}
