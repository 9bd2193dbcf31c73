// SPDX-License-Identifier: GPL-2.0
/*
 * accuracy MISSES PID PROGRAM [METHOD NS SEEN]: how well samples show the hot pages of a program.
 *
 * MISSES has every miss of a process and others, as selftests/pebs/plugin/misses.h says. Each
 * P-th load of the process that missed is a sample, as it is for a CPU; for the method "stores",
 * so is each P/16-th store that missed the STLB. Methods say which pages are best; the
 * misses to these are compared with the misses to as many pages as well as can be chosen: once
 * for the whole run, with all samples, and for each second, with those before it. What is estimated
 * for the next second are the counts of a session, which forgets by itself. Prints lines of
 * "program,method,period,budget,past,next,cpu,share,low,high,truth": the last ones are what share
 * of the loads the best pages are said to have, its bounds, and the share that they have.
 *
 * METHOD, if given, is another one, which took NS of a CPU beside the program. Lines of SEEN are
 * what it saw: when, in ns since the first miss, the first page, the one behind the last, how much.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

#include "estimate/share.h"
#include "core/scan.h"
#include "core/table.h"

#define PAGE_BITS	0xfffffffffULL
#define STORE		0x1000000000ULL
#define TGID_SHIFT	37
#define TGID_BITS	0x3fffffULL
#define STLB_MISS	0x800000000000000ULL
#define HIT		0x1000000000000000ULL
#define TIME		0x8000000000000000ULL
#define NS		1000000000ULL
/* What a sample costs: entry and exit of the interrupt, the handler, and the drain. */
#define SAMPLE_NS	2150

#define NR_BUDGETS	4
#define NR_PERIODS	4
/* So many misses of the cache a sample of a store stands for: others of its page often follow. */
#define STORES		16
/* Pages that are found are added so many at a time. */
#define NR_NEW		65536

static const double budgets[NR_BUDGETS] = { 0.01, 0.05, 0.1, 0.25 };
static const unsigned int periods[NR_PERIODS] = { 199, 997, 4999, 19997 };

/**
 * struct miss - a miss of the cache, or a store that missed the STLB
 * @page: index of its page
 * @store: it is a store
 * @stlb: it missed the STLB
 * @hit: the cache had its data
 */
struct miss {
	unsigned int page : 29;
	unsigned int store : 1;
	unsigned int stlb : 1;
	unsigned int hit : 1;
};

/**
 * struct run - what a program did
 * @pages: the numbers of the pages of all these accesses, ascending
 * @nr_pages: how many there are
 * @misses: its misses, in order of time, and between them the stores that missed the STLB only
 * @nr_misses: how many elements there are
 * @second: index of the first of them in each second, and @nr_misses at the end
 * @nr_seconds: whole seconds
 * @ns: how long it took
 */
struct run {
	__u64 *pages;
	size_t nr_pages;
	struct miss *misses;
	size_t nr_misses;
	size_t *second;
	size_t nr_seconds;
	__u64 ns;
};

/* What is done with samples. */
enum use {
	COUNT,			/* pages are ranked by their number */
	ESTIMATE,		/* by rates that are estimated from these */
	ESTIMATE_STORES,	/* the same, of stores, too */
};

/**
 * struct scores - shares of the best that a method has
 * @past: of the whole run, by budget
 * @next: of the next second, the mean of all
 * @samples: how many were taken
 * @ns: CPU time that an estimate took
 * @said: the share of all loads that the best pages are said to have, by budget
 * @had: the share that they have
 */
struct scores {
	double past[NR_BUDGETS];
	double next[NR_BUDGETS];
	size_t samples;
	double ns;
	struct share said[NR_BUDGETS];
	double had[NR_BUDGETS];
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void *get(size_t nr, size_t size)
{
	void *memory = calloc(nr + 1, size);

	if (!memory)
		fail("accuracy");
	return memory;
}

static int by_number(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* Index of the first page that has this number or a higher one. */
static size_t first_page(const struct run *run, __u64 page)
{
	size_t low = 0, high = run->nr_pages;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (run->pages[middle] < page)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The page's index, or -1. */
static ssize_t find_page(const struct run *run, __u64 page)
{
	const size_t i = first_page(run, page);

	return i < run->nr_pages && run->pages[i] == page ? (ssize_t)i : -1;
}

static void add_pages(struct run *run, __u64 *new, size_t nr)
{
	size_t i, kept = 0;

	run->pages = realloc(run->pages, (run->nr_pages + nr) * sizeof(*run->pages));
	if (!run->pages)
		fail("accuracy");
	memcpy(run->pages + run->nr_pages, new, nr * sizeof(*new));
	nr += run->nr_pages;
	qsort(run->pages, nr, sizeof(*run->pages), by_number);
	for (i = 0; i < nr; i++)
		if (!i || run->pages[i] != run->pages[i - 1])
			run->pages[kept++] = run->pages[i];
	run->nr_pages = kept;
}

static bool is_of(__u64 word, __u64 tgid)
{
	return !(word & TIME) && (word >> TGID_SHIFT & TGID_BITS) == tgid;
}

/* Pages that are not known are collected, and added some at a time. */
static void find_pages(struct run *run, const __u64 *word, size_t nr, __u64 tgid)
{
	static __u64 new[NR_NEW];
	size_t i, nr_new = 0;

	for (i = 0; i < nr; i++) {
		if (!is_of(word[i], tgid) || find_page(run, word[i] & PAGE_BITS) >= 0)
			continue;
		new[nr_new++] = word[i] & PAGE_BITS;
		if (nr_new == NR_NEW) {
			add_pages(run, new, nr_new);
			nr_new = 0;
		}
	}
	add_pages(run, new, nr_new);
}

/* Time begins with the process's first miss. */
static void read_misses(struct run *run, const __u64 *word, size_t nr, __u64 tgid)
{
	__u64 begin = 0, now = 0;
	size_t i;

	run->misses = get(nr, sizeof(*run->misses));
	run->second = get(4096, sizeof(*run->second));
	for (i = 0; i < nr; i++) {
		if (word[i] & TIME) {
			now = word[i] & ~TIME;
			if (!run->nr_misses)
				begin = now;
			while (run->nr_seconds < 4095 && now - begin >= (run->nr_seconds + 1) * NS)
				run->second[++run->nr_seconds] = run->nr_misses;
		} else if (is_of(word[i], tgid)) {
			run->misses[run->nr_misses++] = (struct miss) {
				.page = find_page(run, word[i] & PAGE_BITS),
				.store = !!(word[i] & STORE),
				.stlb = !!(word[i] & STLB_MISS),
				.hit = !!(word[i] & HIT),
			};
			run->ns = now - begin;
		}
	}
}

/* By what pages are sorted, and the number that decides between equals. */
static const float *value;

static unsigned int lot(unsigned int page)
{
	return page * 2654435761U ^ page >> 7;
}

static int best_first(const void *a, const void *b)
{
	const unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	if (value[x] != value[y])
		return value[x] > value[y] ? -1 : 1;
	return lot(x) < lot(y) ? -1 : lot(x) > lot(y);
}

/* Adds the share of the best for each budget. @rate: of the pages; @truth: misses of these. */
static void add_scores(const struct run *run, const float *rate, const float *truth, double *score,
		       double part)
{
	unsigned int *order = get(run->nr_pages, sizeof(*order));
	unsigned int *best = get(run->nr_pages, sizeof(*best));
	double got = 0, most = 0;
	size_t i, budget;

	for (i = 0; i < run->nr_pages; i++)
		order[i] = i;
	memcpy(best, order, run->nr_pages * sizeof(*best));
	value = rate;
	qsort(order, run->nr_pages, sizeof(*order), best_first);
	value = truth;
	qsort(best, run->nr_pages, sizeof(*best), best_first);
	for (i = 0, budget = 0; budget < NR_BUDGETS; budget++) {
		for (; i < (size_t)(run->nr_pages * budgets[budget]); i++) {
			got += truth[order[i]];
			most += truth[best[i]];
		}
		score[budget] += part * (most ? got / most : 1);
	}
	free(order);
	free(best);
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

/* The pages that were touched. Free what is returned. @nr: filled, how many there are. */
static struct estimate_page *touched_pages(const struct run *run, const float *count,
					   const bool *touched, size_t *nr)
{
	struct estimate_page *page = get(run->nr_pages, sizeof(*page));
	size_t i;

	for (i = 0, *nr = 0; i < run->nr_pages; i++)
		if (touched[i])
			page[(*nr)++] = (struct estimate_page) {
				.page = run->pages[i], .count = count[i],
			};
	return page;
}

static void estimate(const struct run *run, const float *count, const bool *touched, float *rate)
{
	struct estimate_page *page;
	size_t i, nr;

	page = touched_pages(run, count, touched, &nr);
	if (estimate_rates(page, nr))
		fail("accuracy");
	for (i = 0, nr = 0; i < run->nr_pages; i++)
		rate[i] = touched[i] ? page[nr++].rate : 0;
	free(page);
}

static int by_rate(const void *a, const void *b)
{
	const struct estimate_page *x = a, *y = b;

	if (x->rate != y->rate)
		return x->rate > y->rate ? -1 : 1;
	return lot(x->page) < lot(y->page) ? -1 : lot(x->page) > lot(y->page);
}

/*
 * The share of the loads that the best pages have. By counts, it is their share of the samples.
 * @count: the samples of each page
 */
static void add_shares(const struct run *run, const float *count, bool pooled,
		       struct scores *scores)
{
	float *loads = get(run->nr_pages, sizeof(*loads));
	bool *touched = get(run->nr_pages, sizeof(*touched));
	double all = 0, samples = 0, had = 0, counted = 0;
	struct estimate_page *page;
	size_t i, nr, budget;

	for (i = 0; i < run->nr_misses; i++) {
		touched[run->misses[i].page] = true;
		loads[run->misses[i].page] += !run->misses[i].store;
		all += !run->misses[i].store;
	}
	/* All that missed was touched. */
	page = touched_pages(run, count, touched, &nr);
	if (pooled && estimate_rates(page, nr))
		fail("accuracy");
	for (i = 0; i < nr; i++) {
		samples += page[i].count;
		if (!pooled)
			page[i].rate = page[i].count;
	}
	qsort(page, nr, sizeof(*page), by_rate);
	for (i = 0, budget = 0; budget < NR_BUDGETS; budget++) {
		const size_t fit = nr * budgets[budget];

		for (; i < fit; i++) {
			had += loads[find_page(run, page[i].page)] / all;
			counted += page[i].count / samples;
		}
		scores->had[budget] = had;
		scores->said[budget] = estimate_share(page, nr, fit, samples);
		if (!pooled)
			scores->said[budget].at = counted;
	}
	free(page);
	free(touched);
	free(loads);
}

/* Enough for all pages of these programs. */
#define SESSION_BYTES	(1024UL << 20)

/**
 * struct session - what the module counts by default
 * @table: the hot-page table
 * @pool: its memory
 * @memory: the table's directory, and pages for @pool
 * @used: bytes of @memory that are in use
 * @cooled: samples at the last cooling
 */
struct session {
	struct htmm_table table;
	struct htmm_pool pool;
	char *memory;
	size_t used;
	u64 cooled;
};

static struct session *session_new(void)
{
	const struct htmm_table_config config = { .max_bytes = SESSION_BYTES };
	const size_t bytes = htmm_table_dir_bytes(&config);
	struct session *session = get(1, sizeof(*session));

	/* Only what is used takes memory. */
	session->memory = mmap(NULL, 2 * SESSION_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (session->memory == MAP_FAILED ||
	    htmm_table_init(&session->table, &config, session->memory, &session->pool))
		fail("accuracy");
	session->used = (bytes + HTMM_POOL_PAGE_SIZE - 1) / HTMM_POOL_PAGE_SIZE *
			HTMM_POOL_PAGE_SIZE;
	return session;
}

static void session_free(struct session *session)
{
	munmap(session->memory, 2 * SESSION_BYTES);
	free(session);
}

static void session_cool(struct session *session, unsigned int times)
{
	while (times--)
		htmm_table_cool(&session->table);
	session->cooled = session->table.stats.counted;
}

static void session_count(struct session *session, __u64 page)
{
	const struct htmm_table_sample sample = { .page = htmm_page(1, page), .weight = 1 };
	struct htmm_table *table = &session->table;
	u32 need = htmm_table_need(table, 1), dropped;

	for (; need; need--, session->used += HTMM_POOL_PAGE_SIZE)
		htmm_pool_put(&session->pool, session->memory + session->used);
	if (htmm_table_add(table, &sample, 1, &dropped) || table->stats.evicted) {
		fputs("accuracy: a session needs more than its memory\n", stderr);
		exit(1);
	}
	if (htmm_table_changed(table))
		session_cool(session, HTMM_CHANGE_COOLINGS);
	else if (table->stats.counted >= htmm_cooling_due(session->cooled, 0, table->stats.pages))
		session_cool(session, 1);
}

/* The present counts of all pages. */
static void session_counts(const struct session *session, const struct run *run, float *count)
{
	u32 counts[HTMM_REGION_PAGES];
	__u64 region = ~0ULL;
	size_t i;

	for (i = 0; i < run->nr_pages; i++) {
		if (run->pages[i] / HTMM_REGION_PAGES != region)
			htmm_table_counts(&session->table, 1, run->pages[i], counts, NULL);
		region = run->pages[i] / HTMM_REGION_PAGES;
		count[i] = counts[run->pages[i] % HTMM_REGION_PAGES];
	}
}

/**
 * struct sampler - counters that take samples
 * @period: one of so many loads is a sample, and of stores one of @period / STORES; 1: each miss is
 * @takes_stores: samples are of stores, too
 * @loads: loads that missed
 * @stores: stores that missed the STLB
 */
struct sampler {
	unsigned int period;
	bool takes_stores;
	size_t loads;
	size_t stores;
};

static bool is_sample(struct sampler *sampler, struct miss miss)
{
	if (sampler->period == 1)
		return !miss.hit;
	if (!miss.store)
		return ++sampler->loads % sampler->period == 0;
	return sampler->takes_stores && miss.stlb &&
	       ++sampler->stores % (sampler->period / STORES) == 0;
}

/* @period: see struct sampler */
static struct scores measure(const struct run *run, unsigned int period, enum use use)
{
	struct sampler sampler = { .period = period, .takes_stores = use == ESTIMATE_STORES };
	const bool pooled = use != COUNT;
	float *count = get(run->nr_pages, sizeof(*count)), *rate = count, *now = count;
	struct session *session = pooled ? session_new() : NULL;
	float *truth = get(run->nr_pages, sizeof(*truth));
	bool *touched = get(run->nr_pages, sizeof(*touched));
	struct scores scores = {};
	size_t i, second;
	double begin;

	if (pooled) {
		rate = get(run->nr_pages, sizeof(*rate));
		now = get(run->nr_pages, sizeof(*now));
	}
	for (second = 0; second <= run->nr_seconds; second++) {
		const bool last = second == run->nr_seconds;
		const size_t from = run->second[second];
		const size_t to = last ? run->nr_misses : run->second[second + 1];

		if (second && !last) {
			memset(truth, 0, run->nr_pages * sizeof(*truth));
			for (i = from; i < to; i++)
				truth[run->misses[i].page] += !run->misses[i].hit;
			if (pooled) {
				session_counts(session, run, now);
				estimate(run, now, touched, rate);
			}
			add_scores(run, rate, truth, scores.next, 1.0 / (run->nr_seconds - 1));
		}
		for (i = from; i < to; i++) {
			const struct miss miss = run->misses[i];

			touched[miss.page] = true;
			if (!is_sample(&sampler, miss))
				continue;
			scores.samples++;
			count[miss.page]++;
			if (pooled)
				session_count(session, run->pages[miss.page]);
		}
	}
	memset(truth, 0, run->nr_pages * sizeof(*truth));
	for (i = 0; i < run->nr_misses; i++)
		truth[run->misses[i].page] += !run->misses[i].hit;
	begin = cpu_ns();
	if (pooled)
		estimate(run, count, touched, rate);
	scores.ns = cpu_ns() - begin;
	add_scores(run, rate, truth, scores.past, 1);
	if (period > 1 && use != ESTIMATE_STORES)
		add_shares(run, count, pooled, &scores);
	if (pooled) {
		session_free(session);
		free(now);
		free(rate);
	}
	free(count);
	free(truth);
	free(touched);
	return scores;
}

/* An estimate is made each second. */
static void print(const char *program, const struct run *run, unsigned int period, enum use use,
		  const struct scores *scores)
{
	static const char *const methods[] = {
		[COUNT] = "raw", [ESTIMATE] = "htmm", [ESTIMATE_STORES] = "stores",
	};
	const double cpu = (double)scores->samples * SAMPLE_NS / run->ns + scores->ns / NS;
	size_t budget;

	for (budget = 0; budget < NR_BUDGETS; budget++) {
		const struct share *said = &scores->said[budget];

		printf("%s,%s,%u,%.2f,%.4f,%.4f,", program, period == 1 ? "exact" : methods[use],
		       period, budgets[budget], scores->past[budget], scores->next[budget]);
		if (period == 1)
			puts(",,,,");
		else if (use == ESTIMATE)
			printf("%.5f,%.4f,%.4f,%.4f,%.4f\n", cpu, said->at, said->low, said->high,
			       scores->had[budget]);
		else if (use == COUNT)
			printf("%.5f,%.4f,,,%.4f\n", cpu, said->at, scores->had[budget]);
		else
			printf("%.5f,,,,\n", cpu);
	}
}

/**
 * struct range - what another method saw of neighbouring pages
 * @ns: when
 * @first: number of the first page
 * @end: number of the page behind the last one
 * @seen: how often it saw them accessed
 */
struct range {
	__u64 ns;
	__u64 first;
	__u64 end;
	unsigned int seen;
};

/* In order of time; the last one is after all others. */
static struct range *read_ranges(const char *path)
{
	FILE *file = fopen(path, "r");
	struct range *range = NULL, r;
	size_t nr = 0;

	if (!file)
		fail(path);
	do {
		if (fscanf(file, "%llu %llu %llu %u", &r.ns, &r.first, &r.end, &r.seen) != 4)
			r = (struct range) { .ns = ~0ULL };
		if (!(nr & (nr + 1)))
			range = realloc(range, 2 * (nr + 1) * sizeof(*range));
		if (!range)
			fail("accuracy");
		range[nr++] = r;
	} while (r.ns != ~0ULL);
	fclose(file);
	return range;
}

static void add_range(const struct run *run, const struct range *range, float *past, float *now)
{
	size_t i = first_page(run, range->first);

	for (; i < run->nr_pages && run->pages[i] < range->end; i++) {
		past[i] += range->seen;
		now[i] += range->seen;
	}
}

/* For the next second, what was seen in the one before it. */
static struct scores measure_seen(const struct run *run, const char *path)
{
	float *past = get(run->nr_pages, sizeof(*past));
	float *now = get(run->nr_pages, sizeof(*now));
	float *truth = get(run->nr_pages, sizeof(*truth));
	float *all = get(run->nr_pages, sizeof(*all));
	struct range *ranges = read_ranges(path), *range = ranges;
	struct scores scores = {};
	size_t i, second;

	for (second = 0; second <= run->nr_seconds; second++) {
		const bool last = second == run->nr_seconds;
		const size_t to = last ? run->nr_misses : run->second[second + 1];
		const __u64 end = last ? run->ns : (second + 1) * NS;

		memset(truth, 0, run->nr_pages * sizeof(*truth));
		for (i = run->second[second]; i < to; i++) {
			truth[run->misses[i].page] += !run->misses[i].hit;
			all[run->misses[i].page] += !run->misses[i].hit;
		}
		if (second && !last)
			add_scores(run, now, truth, scores.next, 1.0 / (run->nr_seconds - 1));
		memset(now, 0, run->nr_pages * sizeof(*now));
		for (; range->ns <= end; range++)
			add_range(run, range, past, now);
	}
	add_scores(run, past, all, scores.past, 1);
	free(ranges);
	free(past);
	free(now);
	free(truth);
	free(all);
	return scores;
}

static void print_seen(const char *program, const char *method, const struct scores *scores,
		       double cpu)
{
	size_t budget;

	for (budget = 0; budget < NR_BUDGETS; budget++)
		printf("%s,%s,,%.2f,%.4f,%.4f,%.5f,,,,\n", program, method, budgets[budget],
		       scores->past[budget], scores->next[budget], cpu);
}

int main(int argc, char **argv)
{
	const __u64 tgid = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	struct run run = {};
	struct scores scores;
	struct stat stat;
	__u64 *word;
	enum use use;
	size_t i, nr;
	int fd;

	if (argc != 4 && argc != 7) {
		fputs("usage: accuracy MISSES PID PROGRAM [METHOD NS SEEN]\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &stat))
		fail(argv[1]);
	nr = stat.st_size / sizeof(*word);
	word = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (word == MAP_FAILED)
		fail(argv[1]);
	find_pages(&run, word, nr, tgid);
	read_misses(&run, word, nr, tgid);
	if (run.nr_seconds < 2) {
		fprintf(stderr, "accuracy: %s has misses of process %llu in %zu seconds only\n",
			argv[1], tgid, run.nr_seconds);
		return 1;
	}
	if (argc == 7) {
		scores = measure_seen(&run, argv[6]);
		print_seen(argv[3], argv[4], &scores, strtod(argv[5], NULL) / run.ns);
		return 0;
	}
	scores = measure(&run, 1, COUNT);
	print(argv[3], &run, 1, COUNT, &scores);
	for (i = 0; i < NR_PERIODS; i++) {
		for (use = COUNT; use <= ESTIMATE_STORES; use++) {
			scores = measure(&run, periods[i], use);
			print(argv[3], &run, periods[i], use, &scores);
		}
	}
	return 0;
}
