// SPDX-License-Identifier: GPL-2.0
/*
 * bench [JSON]		time all stores, pair by pair with the bound
 * bench check		all stores count alike, whatever the load is, in small; prints TAP
 * bench count STORE	under callgrind: count instructions, a dump per stream
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include <valgrind/callgrind.h>

#include "bench.h"

#define CHUNK		BENCH_CHUNK
#define MAX_CHUNKS	64
#define COUNT_SAMPLES	(256 * 1024)
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static const struct bench_store *const stores[] = {
	&bench_htmm, &bench_dense, &bench_linear, &bench_robin_hood,
};

static const struct stream {
	const char *name;
	void (*draw)(const struct bench_space *space,
		     struct htmm_table_sample *s, u32 n);
} streams[] = {
	{ "uniform", bench_uniform },
	{ "zipf", bench_zipf },
	{ "hot-set", bench_hot_set },
	{ "sequential", bench_sequential },
	{ "phases", bench_phases },
};

static const struct bench_store *find_store(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stores); i++) {
		if (!strcmp(stores[i]->name, name))
			return stores[i];
	}
	return strcmp(bench_dense_prefetch.name, name) ? NULL : &bench_dense_prefetch;
}

static bool is_store(const char *name)
{
	return find_store(name) || !strcmp(name, "ring");
}

static bool is_stream(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		if (!strcmp(streams[i].name, name))
			return true;
	}
	return !strcmp(name, "churn");
}

#define COOL	(2 * 1024 * 1024)	/* samples: the least that the module chooses, rounded */
#define COOL_DEFAULT	1		/* as the module chooses */
/* Samples that are counted after a cooling, of a longer period: all is the same after that. */
#define COOL_MOST	(2 * COOL)
/* What pages have by then on average, at least. */
#define COOL_FILL	4

/*
 * What is measured of each stream: how many address spaces there are, what samples
 * weigh, and whether the table cools: each for itself, and together. Not all other stores
 * are measured with each.
 */
static const struct cell {
	u32 spaces, weight, cool, exit;
	bool rare;	/* htmm and the bound, not of all streams */
} cells[] = {
	{ .spaces = 1, .weight = 1 },
	{ .spaces = 8, .weight = BENCH_MIXED, .cool = COOL },
	{ .spaces = 8, .weight = BENCH_MIXED, .cool = COOL_DEFAULT, .rare = true },
	{ .spaces = 1, .weight = 2, .rare = true },
	{ .spaces = 1, .weight = BENCH_MIXED, .rare = true },
	{ .spaces = 1, .weight = 1, .cool = COOL, .rare = true },
	{ .spaces = 1, .weight = 1, .cool = COOL_DEFAULT, .rare = true },
	{ .spaces = 8, .weight = 1, .rare = true },
	{ .spaces = 64, .weight = 1, .rare = true },
	{ .spaces = 64, .weight = BENCH_MIXED, .cool = COOL, .rare = true },
	{ .spaces = 64, .weight = BENCH_MIXED, .cool = COOL, .exit = COOL, .rare = true },
};

static struct htmm_table_sample *samples;

void *bench_alloc(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED) {
		fprintf(stderr, "bench: no memory for %zu bytes\n", bytes);
		exit(1);
	}
	madvise(mem, bytes, MADV_HUGEPAGE);
	return mem;
}

void bench_free(void *mem, size_t bytes)
{
	munmap(mem, bytes);
}

static u64 setting(const char *name, u64 value)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : value;
}

/* Is it one of those named, or are none named? */
static bool wanted(const char *setting, const char *name)
{
	const char *word = getenv(setting);
	size_t length = strlen(name);

	if (!word || !*word)
		return true;
	for (; *word; word += strspn(word, " ")) {
		if (strcspn(word, " ") == length && !strncmp(word, name, length))
			return true;
		word += strcspn(word, " ");
	}
	return false;
}

/* A name that nothing has would measure nothing. */
static void check_names(const char *setting, bool (*is_known)(const char *name))
{
	char *copy = strdup(getenv(setting) ?: ""), *name;

	for (name = strtok(copy, " "); name; name = strtok(NULL, " ")) {
		if (is_known(name))
			continue;
		fprintf(stderr, "bench: %s: there is no '%s'\n", setting, name);
		exit(1);
	}
	free(copy);
}

double bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double bench_quartile(double *values, u32 n, u32 quarters)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[(n - 1) * quarters / 4];
}

/* Are the histograms of two stores alike that have had the same samples? */
static bool are_alike(const struct bench_store *a, void *store_a,
		      const struct bench_store *b, void *store_b)
{
	const struct htmm_hist *x = a->hist(store_a), *y = b->hist(store_b);
	u32 unit, bin;

	for (unit = 0; unit < HTMM_UNITS; unit++) {
		for (bin = 1; bin < HTMM_NR_BINS; bin++) {
			if (x[unit].bin[bin] == y[unit].bin[bin])
				continue;
			fprintf(stderr, "bench: %s and %s differ in bin %u: %llu and %llu\n",
				a->name, b->name, bin, x[unit].bin[bin], y[unit].bin[bin]);
			return false;
		}
	}
	return true;
}

static void each_once(const struct bench_store *type, void *store,
		      const struct bench_space *space, const struct bench_load *load)
{
	static struct htmm_table_sample samples[CHUNK];
	u64 page;
	u32 n;

	for (page = 0; page < space->pages; page += n) {
		n = min_t(u64, CHUNK, space->pages - page);
		bench_each_once(space, page, samples, n);
		bench_weigh(samples, n, load->period > load->cool ? COOL_FILL : 1);
		type->add(store, samples, n);
	}
}

static bool cools_first(const struct bench_load *load, u32 chunk)
{
	return load->cool && chunk * CHUNK % load->cool == 0;
}

static double timed(const struct bench_store *type, void *store,
		    const struct bench_space *space,
		    const struct bench_load *load, u32 chunk)
{
	u32 done = (chunk + 1) * CHUNK;
	double start = bench_now();

	if (cools_first(load, chunk))
		type->cool(store);
	type->add(store, &samples[(u64)chunk * CHUNK], CHUNK);
	if (load->exit && done % load->exit == 0)
		type->exit(store, (done / load->exit - 1) % space->spaces);
	return (bench_now() - start) / CHUNK;
}

/*
 * Nanoseconds a sample of the bound in one way, over one period of cooling. Another bound
 * takes the place of the store in the caches.
 */
static double time_way(void *store, void *other, struct bench_way way,
		       const struct bench_space *space,
		       const struct bench_load *load, u32 first)
{
	const struct bench_load still = { .stream = load->stream };
	double ns[COOL / CHUNK], sum = 0;
	u32 i;

	bench_dense_set(store, way);
	if (load->period == COOL)
		bench_dense_prefetch.cool(store);
	for (i = 0; i < COOL / CHUNK; i++) {
		timed(&bench_dense_prefetch, other, space, &still, first + i);
		ns[i] = timed(&bench_dense_prefetch, store, space, &still, first + i);
		sum += ns[i] / (COOL / CHUNK);
	}
	/* The cost of cooling comes in the first turn. */
	return load->period == COOL ? sum : bench_quartile(ns, COOL / CHUNK, 1);
}

/* The bound at its best: in the way that takes the least time for the stream's beginning. */
static struct bench_way best_way(const struct bench_space *space,
				 const struct bench_load *load, u32 chunks)
{
	static const u32 ahead[] = { 16, 32, 64, 128, 256 };
	struct bench_way way, best = { 0 };
	double ns, least = 1e9;
	char label[64];
	void *store, *other = bench_dense_prefetch.open(space);
	u32 i, by_page;

	bench_label(label, space, load);
	for (by_page = 0; by_page <= !!load->cool; by_page++) {
		way = (struct bench_way) { .by_page = by_page };
		printf("# bound %s%s:", label, by_page ? ", by page" : "");
		store = bench_dense_prefetch.open(space);
		bench_dense_set(store, way);
		each_once(&bench_dense_prefetch, store, space, load);
		for (i = 0; i < ARRAY_SIZE(ahead); i++) {
			way.ahead = ahead[i];
			/* Other samples than before: else counts would change together. */
			ns = time_way(store, other, way, space, load,
				      i * (COOL / CHUNK) % (chunks / 4 * 4));
			printf(" %u: %.2f", way.ahead, ns);
			/* Equally fast, the longer distance suits more caches. */
			if (ns < least * (ahead[i] > best.ahead ? 1.05 : 1)) {
				least = ns;
				best = way;
			}
		}
		printf("\n");
		bench_dense_prefetch.close(store);
	}
	bench_dense_prefetch.close(other);
	return best;
}

/*
 * The mean over a period of cooling: the turns that follow a cooling, which have all of its
 * cost, are so large a part of it.
 */
static double period_mean(const struct bench_load *load, const double *ns, u32 turns)
{
	double first = 0, later = 0, part = (double)CHUNK / load->period;
	u32 i, n = 0;

	for (i = 0; i < turns; i++) {
		if (cools_first(load, i)) {
			first += ns[i];
			n++;
		} else {
			later += ns[i];
		}
	}
	return first / n * part + later / (turns - n) * (1 - part);
}

/* One stream through the bound and a store, in turns. */
static struct bench_result run_turns(const struct bench_store *const type[2],
				     void *const store[2],
				     const struct bench_space *space,
				     const struct bench_load *load, u32 chunks)
{
	double ns[MAX_CHUNKS], bound[MAX_CHUNKS], ratio[MAX_CHUNKS], turn[2];
	struct bench_result result = { 0 };
	u32 i, first;

	for (i = 0; i < chunks; i++) {
		first = i % 2;
		turn[first] = timed(type[first], store[first], space, load, i);
		turn[!first] = timed(type[!first], store[!first], space, load, i);
		bound[i] = turn[0];
		ns[i] = turn[1];
		ratio[i] = turn[1] / turn[0];
	}
	if (!are_alike(type[1], store[1], type[0], store[0]))
		exit(1);
	result.turns = chunks;
	if (load->cool) {
		result.ns = period_mean(load, ns, chunks);
		result.bound = period_mean(load, bound, chunks);
		for (i = 0; i < 3; i++)
			result.ratio[i] = i == 1 ? result.ns / result.bound :
					  bench_quartile(ratio, chunks, i + 1);
		return result;
	}
	result.ns = bench_quartile(ns, chunks, 2);
	result.bound = bench_quartile(bound, chunks, 2);
	for (i = 0; i < 3; i++)
		result.ratio[i] = bench_quartile(ratio, chunks, i + 1);
	return result;
}

static void run_store(const struct bench_store *measured,
		      const struct bench_space *space,
		      const struct bench_load *load, struct bench_way way,
		      u32 chunks)
{
	const struct bench_store *const type[2] = {
		&bench_dense_prefetch, measured,
	};
	void *const store[2] = { type[0]->open(space), type[1]->open(space) };
	struct bench_result result;

	bench_dense_set(store[0], way);
	if (measured == type[0])
		bench_dense_set(store[1], way);
	each_once(type[0], store[0], space, load);
	each_once(type[1], store[1], space, load);
	result = run_turns(type, store, space, load, chunks);
	result.way = way;
	bench_report(measured->name, space, load, &result,
		     (double)measured->bytes(store[1]) / space->pages);
	type[1]->close(store[1]);
	type[0]->close(store[0]);
}

/* The worst store needs 48 bytes a page, and the bound 4 per page of the span. */
static bool fits(u64 pages, u32 one_in)
{
	u64 need = pages * (48 + 4 * one_in), available = 0;
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "MemAvailable: %llu kB", &available);
	if (file)
		fclose(file);
	return need < available * 1024 / 10 * 8;
}

static void draw(const struct stream *stream, const struct bench_space *space,
		 const struct bench_load *load, u32 n)
{
	stream->draw(space, samples, n);
	bench_weigh(samples, n, load->weight);
	if (load->exit)
		bench_renumber(space, samples, n, load->exit);
}

static void run_load(const struct stream *stream, const struct bench_space *space,
		     const struct bench_load *load, bool all, u32 chunks)
{
	struct bench_way way;
	u32 i;

	draw(stream, space, load, chunks * CHUNK);
	way = best_way(space, load, chunks);
	for (i = 0; i < ARRAY_SIZE(stores); i++) {
		if (i && (!all || (load->exit && !stores[i]->exit)))
			continue;
		if (wanted("STORES", stores[i]->name))
			run_store(stores[i], space, load, way, chunks);
	}
	/* The bound against itself shows how much the machine's noise is. */
	if (all && wanted("STORES", bench_dense_prefetch.name))
		run_store(&bench_dense_prefetch, space, load, way, chunks);
}

static struct bench_load load_of(const struct cell *cell,
				 const struct stream *stream, u64 pages)
{
	u64 period = cell->cool == COOL_DEFAULT ? htmm_cooling_due(0, 0, pages) : cell->cool;

	return (struct bench_load) {
		.stream = cell->exit ? "churn" : stream->name,
		.weight = cell->weight,
		.cool = min_t(u64, period, COOL_MOST),
		.period = period,
		.cools = !period ? "no" : cell->cool == COOL ? "2M" : "default",
		.exit = cell->exit,
	};
}

/* Streams other than uniform and zipf are measured where they say something of their own. */
static bool pairs_with(const struct cell *cell, const struct stream *stream)
{
	if (stream->draw == bench_uniform || stream->draw == bench_zipf)
		return !cell->exit || stream->draw == bench_zipf;
	if (stream->draw == bench_phases)
		return !cell->rare && cell->cool;
	return !cell->rare && !cell->cool;
}

static void run_cell(const struct cell *cell, u64 pages, u32 one_in, u32 chunks)
{
	struct bench_space space;
	struct bench_load load;
	u32 i;

	if (one_in > 1 && cell->spaces > 1)
		return;
	if (setting("COOL", cell->cool) != cell->cool ||
	    setting("SPACES", cell->spaces) != cell->spaces ||
	    setting("WEIGHT", cell->weight) != cell->weight)
		return;
	if (!bench_space_open(&space, pages, one_in, cell->spaces))
		return;
	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		load = load_of(cell, &streams[i], pages);
		if (pairs_with(cell, &streams[i]) && wanted("STREAMS", load.stream))
			run_load(&streams[i], &space, &load, !cell->rare, chunks);
	}
	bench_space_close(&space);
}

static void run_space(u64 pages, u32 one_in, u32 chunks)
{
	u32 i;

	if (setting("ONE_IN", one_in) != one_in ||
	    pages < setting("LEAST_PAGES", 0))
		return;
	if (!fits(pages, one_in)) {
		printf("# %llu pages, one in %u: skipped, too little memory\n",
		       pages, one_in);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(cells); i++)
		run_cell(&cells[i], pages, one_in, chunks);
}

static void run_spaces(u64 most, u32 chunks)
{
	u64 pages;

	for (pages = min_t(u64, most, BENCH_LEAST_PAGES); pages <= most;
	     pages *= pages < 16 << 20 ? 16 : 4)
		run_space(pages, 1, chunks);
	most = min_t(u64, most, 16 << 20);
	for (pages = min_t(u64, most, BENCH_LEAST_PAGES); pages <= most;
	     pages *= 16) {
		run_space(pages, 8, chunks);
		run_space(pages, 64, chunks);
	}
}

static int time_all(const char *path)
{
	bool quick = setting("QUICK", 0);
	u64 most = setting("PAGES", quick ? 1 << 20 : 64 << 20);
	u32 chunks = setting("SAMPLES", 8 << 20) / CHUNK;
	time_t start = time(NULL);

	if (chunks < COOL / CHUNK || chunks > MAX_CHUNKS) {
		fprintf(stderr, "bench: SAMPLES must be %u to %u\n", COOL,
			MAX_CHUNKS * CHUNK);
		return 1;
	}
	samples = bench_alloc((u64)chunks * CHUNK * sizeof(*samples));
	printf("# %u turns of %u samples\n", chunks, CHUNK);
	bench_report_head();
	if (wanted("STORES", "ring"))
		bench_ring();
	run_spaces(most, chunks);
	bench_print_tables();
	printf("\n# took %.0f s\n", difftime(time(NULL), start));
	if (path && *path && !bench_write_json(path)) {
		fprintf(stderr, "bench: %s cannot be written\n", path);
		return 1;
	}
	return 0;
}

/* In small: pages, and samples between two coolings, exits and looks. */
#define SMALL_PAGES	(64 * 1024)
#define SMALL_CHUNK	(32 * 1024)
#define SMALL_CHUNKS	4

/* A store beside the bound, with samples that are drawn. */
static bool agrees(const struct bench_store *type, const struct bench_space *space,
		   const struct bench_load *load, struct bench_way way)
{
	const struct bench_store *const bound = &bench_dense_prefetch;
	void *store = type->open(space), *other = bound->open(space);
	bool alike;
	u32 i;

	bench_dense_set(other, way);
	each_once(type, store, space, load);
	each_once(bound, other, space, load);
	for (i = 0; i < SMALL_CHUNKS; i++) {
		if (load->cool) {
			type->cool(store);
			bound->cool(other);
		}
		type->add(store, &samples[i * SMALL_CHUNK], SMALL_CHUNK);
		bound->add(other, &samples[i * SMALL_CHUNK], SMALL_CHUNK);
		if (load->exit) {
			type->exit(store, i % space->spaces);
			bound->exit(other, i % space->spaces);
		}
	}
	alike = are_alike(type, store, bound, other);
	type->close(store);
	bound->close(other);
	return alike;
}

/* A store with all that is measured of a stream. */
static bool agrees_on(const struct bench_store *type, const struct cell *cell, u32 one_in)
{
	struct bench_way way = { .by_page = cell->weight == BENCH_MIXED, .ahead = 64 };
	struct bench_space space;
	struct bench_load load;
	bool alike = true;
	u32 i;

	if ((one_in > 1 && cell->spaces > 1) || (cell->exit && !type->exit))
		return true;
	if (!bench_space_open(&space, SMALL_PAGES, one_in, cell->spaces))
		return false;
	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		load = load_of(cell, &streams[i], SMALL_PAGES);
		load.cool = cell->cool ? SMALL_CHUNK : 0;
		load.period = load.cool;
		load.exit = cell->exit ? SMALL_CHUNK : 0;
		if (!pairs_with(cell, &streams[i]))
			continue;
		draw(&streams[i], &space, &load, SMALL_CHUNKS * SMALL_CHUNK);
		if (agrees(type, &space, &load, way))
			continue;
		alike = false;
		fprintf(stderr, "bench: %s: %s, %u address spaces, one page in %u\n", type->name,
			load.stream, cell->spaces, one_in);
	}
	bench_space_close(&space);
	return alike;
}

static int check(void)
{
	bool alike, all = true;
	u32 i, c;

	samples = bench_alloc(SMALL_CHUNKS * SMALL_CHUNK * sizeof(*samples));
	printf("1..%zu\n", ARRAY_SIZE(stores));
	for (i = 0; i < ARRAY_SIZE(stores); i++) {
		alike = true;
		for (c = 0; c < ARRAY_SIZE(cells); c++) {
			alike &= agrees_on(stores[i], &cells[c], 1);
			alike &= agrees_on(stores[i], &cells[c], 8);
		}
		printf("%sok %u %s counts as the bound does\n", alike ? "" : "not ", i + 1,
		       stores[i]->name);
		fflush(stdout);
		all &= alike;
	}
	return !all;
}

static void count_some(const struct bench_store *type, void *store, u32 n,
		       const char *label, const char *part)
{
	char dump[96];

	snprintf(dump, sizeof(dump), "%s%s@%u", label, part, n);
	CALLGRIND_START_INSTRUMENTATION;
	CALLGRIND_ZERO_STATS;
	CALLGRIND_TOGGLE_COLLECT;
	type->add(store, samples, n);
	CALLGRIND_TOGGLE_COLLECT;
	CALLGRIND_DUMP_STATS_AT(dump);
	CALLGRIND_STOP_INSTRUMENTATION;
}

/*
 * Add the samples under callgrind: what is counted is the third of three periods of cooling.
 * Of a long one the turn that follows the cooling is counted, and the one after it.
 */
static void count_load(const struct bench_store *type,
		       const struct bench_space *space,
		       const struct stream *stream, const struct bench_load *load)
{
	bool is_long = load->period > COOL;
	u32 n = is_long ? CHUNK : load->cool ?: COUNT_SAMPLES, turn;
	void *store = type->open(space);
	char label[64];

	bench_label(label, space, load);
	if (type == &bench_dense_prefetch)
		bench_dense_set(store, (struct bench_way) {
			.by_page = load->period == COOL, .ahead = 64,
		});
	each_once(type, store, space, load);
	draw(stream, space, load, n);
	for (turn = 0; turn < 3; turn++) {
		if (load->cool)
			type->cool(store);
		if (turn < 2)
			type->add(store, samples, n);
	}
	count_some(type, store, n, label, "");
	if (is_long)
		count_some(type, store, n, label, ",later");
	type->close(store);
}

/* Is the load counted? The most expensive ones are left out, and many of the other stores. */
static bool is_counted(const struct cell *cell, const struct stream *stream,
		       const struct bench_load *load, u32 one_in, bool other)
{
	return cell->spaces <= (one_in > 1 ? 1 : 8) && !(cell->rare && other) &&
	       stream->draw != bench_phases && pairs_with(cell, stream) &&
	       setting("COOL", cell->cool) == cell->cool &&
	       setting("SPACES", cell->spaces) == cell->spaces &&
	       setting("WEIGHT", cell->weight) == cell->weight &&
	       wanted("STREAMS", load->stream);
}

static void count_space(const struct bench_store *type, u64 pages, u32 one_in, bool other)
{
	const struct stream *stream;
	struct bench_space space;
	struct bench_load load;
	u32 c;

	if (setting("ONE_IN", one_in) != one_in || pages < setting("LEAST_PAGES", 0))
		return;
	for (c = 0; c < ARRAY_SIZE(cells) * ARRAY_SIZE(streams); c++) {
		stream = &streams[c % ARRAY_SIZE(streams)];
		load = load_of(&cells[c / ARRAY_SIZE(streams)], stream, pages);
		if (!is_counted(&cells[c / ARRAY_SIZE(streams)], stream, &load, one_in, other))
			continue;
		bench_space_open(&space, pages, one_in, cells[c / ARRAY_SIZE(streams)].spaces);
		count_load(type, &space, stream, &load);
		bench_space_close(&space);
	}
}

/* Callgrind's figures count from one dump to the next. */
static int count(const char *name)
{
	const struct bench_store *type = find_store(name);
	u64 pages, most;
	bool other;

	if (!type) {
		fprintf(stderr, "bench: there is no store '%s'\n", name);
		return 1;
	}
	other = type != stores[0] && type != &bench_dense_prefetch;
	most = other ? BENCH_LEAST_PAGES : setting("PAGES", 16 << 20);
	samples = bench_alloc(COOL * sizeof(*samples));
	for (pages = min_t(u64, most, BENCH_LEAST_PAGES); pages <= most;
	     pages *= pages < 16 << 20 ? 16 : 4)
		count_space(type, pages, 1, other);
	/* Sparse ones have one size, as the largest take long. */
	pages = max_t(u64, BENCH_LEAST_PAGES, setting("LEAST_PAGES", 0));
	count_space(type, pages, 8, other);
	count_space(type, pages, 64, other);
	return 0;
}

int main(int argc, char **argv)
{
	u32 i;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (i = 0; i < ARRAY_SIZE(stores); i++)
			printf("%s\n", stores[i]->name);
		printf("%s\n", bench_dense_prefetch.name);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "check"))
		return check();
	check_names("STORES", is_store);
	check_names("STREAMS", is_stream);
	if (argc == 3 && !strcmp(argv[1], "count"))
		return count(argv[2]);
	return time_all(argc > 1 ? argv[1] : NULL);
}
