// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "device.h"
#include "invariants.h"

#define DEBUGFS		"/sys/kernel/debug/htmm/"
/* A longer list of pages is not read: tests of many pages would take too long. */
#define PAGES_MOST	8192
#define TEXT_MAX	0x40000
/* Other programs may reset, cool or change the session between two calls: then look again. */
#define LOOKS		5
/* Nanoseconds that two clocks of the kernel may differ by. */
#define CLOCKS		1000000

/* Not those of the header or the module: they would be wrong together. */
static const char *const drop_names[] = {
	"ring_full", "filtered", "no_addr", "kernel_addr", "nested", "stale", "table_full",
	"removed", "spaces_full",
};

static_assert(sizeof(drop_names) / sizeof(*drop_names) == HTMM_NR_DROPS, "name the new one");

/* Of this session, by whatever process of the test: the targets are not all then. */
static bool *target_was_removed;

__attribute__((constructor))
static void share(void)
{
	void *mem = mmap(NULL, sizeof(bool), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			 0);

	target_was_removed = mem == MAP_FAILED ? NULL : mem;
}

void invariants_note(unsigned int cmd, int ret)
{
	if (!target_was_removed)
		return;
	if (cmd == HTMM_IOC_START && !ret)
		*target_was_removed = false;
	/* One whose number could not be told is removed again. */
	if ((cmd == HTMM_IOC_REMOVE_TARGET && !ret) ||
	    (cmd == HTMM_IOC_ADD_TARGET && ret == -EFAULT))
		*target_was_removed = true;
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
static void check_event(struct seen *seen, const struct htmm_channel *channel)
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
	struct htmm_counters sum = {};
	__u32 i, j;

	check_counters(seen, &s->total);
	for (i = 0; i < s->nr_channels; i++) {
		const struct htmm_channel *channel = &seen->stats.channels[i];
		const struct htmm_counters *c = &channel->counters;

		check_counters(seen, c);
		check_event(seen, channel);
		sum.overflows += c->overflows;
		sum.counted += c->counted;
		sum.throttled += c->throttled;
		sum.nmi += c->nmi;
		for (j = 0; j < HTMM_DROP_SLOTS; j++)
			sum.drops[j] += c->drops[j];
	}
	if (memcmp(&sum, &s->total, sizeof(sum)))
		wrong(seen, "the totals are not the sums over channels");
	equal(seen, "samples and counted", s->samples, s->total.counted);
	if (s->total.counted && (!s->batches || !s->handler_ns || !s->drain_ns))
		wrong(seen, "%llu counted, in %llu batches, %llu ns of handlers, %llu of ksampled",
		      s->total.counted, s->batches, s->handler_ns, s->drain_ns);
	/* To write a record takes longer than this on any machine. */
	if (s->handler_ns < 20 * s->total.counted)
		wrong(seen, "handlers took %llu ns for %llu samples", s->handler_ns,
		      s->total.counted);
	/* No handler runs on a CPU for longer than the session. */
	if (s->handler_ns > seen->info.elapsed_ns * (seen->info.nr_cpus + 1) + 1000000)
		wrong(seen, "handlers took %llu ns of %llu", s->handler_ns, seen->info.elapsed_ns);
}

static void check_targets(struct seen *seen)
{
	const struct htmm_stats *s = &seen->stats.s;
	__u64 bytes = 0, samples = 0, evicted = 0, exited = 0, freed = 0;
	__u64 coolings = 0, adaptations = 0;
	__u64 drops[HTMM_DROP_SLOTS] = {};
	int i, j;

	for (i = 0; i < seen->nr_targets; i++) {
		const struct htmm_target_info *target = &seen->targets[i];

		bytes += target->bytes;
		samples += target->samples;
		evicted += target->evicted;
		exited += target->exited;
		freed += target->freed;
		coolings += target->coolings;
		adaptations += target->adaptations;
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
	if (target_was_removed && *target_was_removed)
		return;
	equal(seen, "samples of targets and of the session", samples, s->samples);
	equal(seen, "evictions of targets and of the session", evicted, s->evicted);
	equal(seen, "exits of targets and of the session", exited, s->exited);
	equal(seen, "freed pages of targets and of the session", freed, s->freed);
	equal(seen, "coolings of targets and of the session", coolings, s->coolings);
	equal(seen, "adaptations of targets and of the session", adaptations, s->adaptations);
	equal(seen, "full tables of targets and of channels", drops[HTMM_DROP_TABLE_FULL],
	      s->total.drops[HTMM_DROP_TABLE_FULL]);
	equal(seen, "full spaces of targets and of channels", drops[HTMM_DROP_SPACES_FULL],
	      s->total.drops[HTMM_DROP_SPACES_FULL]);
	equal(seen, "drops of removed targets, but none was", s->total.drops[HTMM_DROP_REMOVED], 0);
	if (drops[HTMM_DROP_STALE] > s->total.drops[HTMM_DROP_STALE])
		wrong(seen, "targets dropped more stale samples than there were");
}

static void check_listing(struct seen *seen, const struct histogram *hist, __u32 unit)
{
	const struct htmm_list_pages request = { .unit = unit, .min_samples = 1 };
	__u64 bins[HTMM_NR_BINS] = {}, last = ~0ULL;
	struct pages list;
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
	pages_free(&list);
}

static void check_histogram(struct seen *seen, __u32 unit)
{
	__u64 pages = 0, hot = 0, of_targets = 0;
	struct histogram hist;
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

/* Whatever the file has up to there. */
static void up_to(struct text *text, const char *mark)
{
	const char *at = strstr(text->at, mark);

	if (at)
		text->at = at;
}

static void text_end(struct text *text)
{
	if (*text->at)
		wrong(text->seen, "%s of debugfs goes on: %.60s", text->name, text->at);
	free(text->said);
}

static void says_counters(struct text *text, const struct htmm_counters *c)
{
	int i;

	says(text, " overflows %llu counted %llu in_flight %llu throttled %llu nmi %llu",
	     c->overflows, c->counted, c->in_flight, c->throttled, c->nmi);
	for (i = 0; i < HTMM_NR_DROPS; i++)
		says(text, " %s %llu", drop_names[i], c->drops[i]);
	says(text, "\n");
}

static void check_stats_file(struct seen *seen)
{
	const struct htmm_stats *s = &seen->stats.s;
	struct text text;
	__u32 i;

	if (!text_open(&text, seen, "stats"))
		return;
	says(&text, "total:");
	says_counters(&text, &s->total);
	for (i = 0; i < s->nr_channels; i++) {
		says(&text, "cpu %u event %u:", seen->stats.channels[i].cpu,
		     seen->stats.channels[i].event);
		says_counters(&text, &seen->stats.channels[i].counters);
	}
	says(&text, "samples: %llu\ncoolings: %llu\nadaptations: %llu\n", s->samples, s->coolings,
	     s->adaptations);
	says(&text, "evicted: %llu\nexited: %llu\nfreed: %llu\n", s->evicted, s->exited, s->freed);
	says(&text, "wakeups: %llu\nbatches: %llu\n", s->wakeups, s->batches);
	says(&text, "drain_ns: %llu\nhandler_ns: %llu\ncost_ppm: %u\n", s->drain_ns,
	     s->handler_ns, s->cost_ppm);
	says(&text, "period_changes: %llu\ncpus_failed: %u\n", s->period_changes, s->cpus_failed);
	text_end(&text);
}

static void check_status_file(struct seen *seen)
{
	const struct htmm_info *info = &seen->info;
	struct text text;

	if (!text_open(&text, seen, "status"))
		return;
	says(&text, "state: stopped\nsession: %llu\ndetached: %s\nkeep_exited: %s\n", info->session,
	     info->session_flags & HTMM_START_DETACHED ? "yes" : "no",
	     info->session_flags & HTMM_START_KEEP_EXITED ? "yes" : "no");
	says(&text, "owner: %u\nevents: %u\ntargets: %u\ncpus: ", info->owner, info->nr_events,
	     info->nr_targets);
	up_to(&text, "\n");
	says(&text, "\nelapsed_ms: %llu\nsample_type: %#llx\n", info->elapsed_ns / 1000000,
	     info->sample_type);
	says(&text, "ring_pages: %u\nring_bytes: %llu\n", info->ring_pages, info->ring_bytes);
	says(&text, "max_pages: %llu\nmax_bytes: %llu\ntable_bytes: %llu\n", info->max_pages,
	     info->max_bytes, info->table_bytes);
	says(&text, "capacity_pages: %llu\ncooling_period: %llu\nadaptation_period: %llu\n",
	     info->capacity_pages, info->cooling_period, info->adaptation_period);
	free(text.said);
}

static void check_histogram_file(struct seen *seen)
{
	static const char *const units[] = { "pages", "regions" };
	struct histogram hist;
	struct text text;
	int unit, i;
	__u64 fast;

	if (!text_open(&text, seen, "histogram"))
		return;
	for (unit = 0; unit < 2; unit++) {
		if (failed(seen, "a histogram", device_hist(seen->fd, unit, &hist)))
			break;
		fast = hist.pages - hist.bins[0];
		if (fast > hist.capacity_pages)
			fast = hist.capacity_pages;
		says(&text, "%s: tracked %llu hot %llu fast %llu capacity %llu", units[unit],
		     hist.pages, hist.hot_pages, fast, hist.capacity_pages);
		says(&text, " hot_threshold %u warm_threshold %u\n", hist.hot_threshold,
		     hist.warm_threshold);
		for (i = 0; i < HTMM_NR_BINS; i++)
			if (hist.bins[i])
				says(&text, "bin %d: %llu\n", i, hist.bins[i]);
	}
	if (unit == 2)
		text_end(&text);
	else
		free(text.said);
}

static void check_targets_file(struct seen *seen)
{
	static const char *const types[] = { "", "pid", "cgroup", "all" };
	struct text text;
	int i, j;

	if (!text_open(&text, seen, "targets"))
		return;
	for (i = 0; i < seen->nr_targets; i++) {
		const struct htmm_target_info *t = &seen->targets[i];

		says(&text, "target %u: %s", t->number, types[t->type & 3]);
		if (t->type != HTMM_TARGET_ALL)
			says(&text, " %llu", t->id);
		says(&text, "%s capacity_pages %llu max_bytes %llu bytes %llu",
		     t->flags & HTMM_TARGET_INFO_DEAD ? " dead" : "", t->capacity_pages,
		     t->max_bytes, t->bytes);
		says(&text, " pages %llu regions %llu samples %llu coolings %llu adaptations %llu",
		     t->pages, t->regions, t->samples, t->coolings, t->adaptations);
		says(&text, " evicted %llu exited %llu freed %llu spaces %llu space_bytes %llu",
		     t->evicted, t->exited, t->freed, t->spaces, t->space_bytes);
		for (j = 0; j < HTMM_NR_DROPS; j++)
			if (t->drops[j])
				says(&text, " %s %llu", drop_names[j], t->drops[j]);
		says(&text, " name ");
		/* With escapes; never two lines. */
		up_to(&text, "\n");
		says(&text, "\n");
	}
	text_end(&text);
}

static void check_events_file(struct seen *seen)
{
	struct text text;
	__u32 i;

	if (!text_open(&text, seen, "events"))
		return;
	up_to(&text, "\ncpu ");
	if (*text.at == '\n')
		text.at++;
	for (i = 0; i < seen->stats.s.nr_channels; i++) {
		const struct htmm_channel *c = &seen->stats.channels[i];

		says(&text, "cpu %u event %u: inactive precise_ip %u period %llu large_pebs off",
		     c->cpu, c->event, c->precise_ip, c->period);
		says(&text, " count %llu enabled_ns %llu running_ns %llu\n", c->count,
		     c->time_enabled, c->time_running);
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
	check_histogram_file(seen);
	check_targets_file(seen);
	check_events_file(seen);
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

/* All channels: they are where the pointer in the statistics says. */
static bool same_stats(const struct stats *a, const struct stats *b)
{
	struct htmm_stats s = a->s;

	s.channels = b->s.channels;
	return !memcmp(&s, &b->s, sizeof(s)) &&
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
	stats_free(&now->stats);
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

void invariants_hold(int fd)
{
	struct seen *seen = malloc(sizeof(*seen));
	struct htmm_info info;
	int looks;

	if (!seen || device_info(fd, &info)) {
		printf("# a stopped session cannot be looked at\n");
		fflush(stdout);
		abort();
	}
	for (looks = 0; looks < LOOKS && is_there(fd, info.session); looks++) {
		bool certain = look_once(fd, seen);

		stats_free(&seen->stats);
		if (!certain)
			continue;
		if (!*seen->wrong || !is_there(fd, info.session))
			break;
		printf("# a stopped session: %s\n", seen->wrong);
		fflush(stdout);
		abort();
	}
	free(seen);
}
