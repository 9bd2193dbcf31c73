// SPDX-License-Identifier: GPL-2.0
/* What differs between two recordings: by how much counts differ by chance, and names of memory. */
#include <math.h>
#include "diff/changes.h"
#include "test.h"

#define PLACES		40
#define COMPARISONS	300
#define SAMPLES		20000
#define MIB		1048576ULL
#define ARRAY_BYTES	(4 * MIB)
#define PID		100

/* Of @nr comparisons in which nothing differs, this many may say so: 5 %, and four errors more. */
static unsigned int wrong_most(unsigned int nr)
{
	return nr * 0.05 + 4 * sqrt(nr * 0.05 * 0.95) + 1;
}

/* Draws the samples of places of which each is as hot as its number, @burst at a time. */
static void draw(struct compare_count *place, struct compare_count *all, unsigned int samples,
		 unsigned int burst, unsigned int hot)
{
	unsigned int i, at = 0;

	memset(place, 0, PLACES * sizeof(*place));
	memset(all, 0, sizeof(*all));
	for (i = 0; i < samples; i++) {
		const unsigned int part = (u64)i * COMPARE_PARTS / samples;

		if (i % burst == 0) {
			at = sqrt(tap_below(PLACES * PLACES));
			/* One place is twice as hot at the cost of its neighbour. */
			if (hot && at == hot - 1 && tap_below(2))
				at = hot;
		}
		place[at].samples++;
		place[at].part[part]++;
		all->samples++;
		all->part[part]++;
	}
}

/* How many places are said to differ; @even: as if each sample came by itself. */
static unsigned int compared(const struct compare_count place[2][PLACES],
			     const struct compare_count all[2], bool even, bool *differs)
{
	struct compare_side side[2];
	double chance[PLACES];
	unsigned int i, s, nr = 0;

	for (i = 0; i < PLACES; i++) {
		for (s = 0; s < 2; s++) {
			struct compare_spread own = {}, spread = {};
			unsigned int j;

			for (j = 0; j < PLACES; j++)
				compare_spread_add(&spread, &place[s][j], &all[s]);
			compare_spread_add(&own, &place[s][i], &all[s]);
			side[s] = (struct compare_side) {
				.samples = place[s][i].samples, .all = all[s].samples,
				.spread = even ? 1 : fmax(compare_spread(&own),
							  compare_spread(&spread)),
			};
		}
		chance[i] = compare_chance(&side[0], &side[1], 1);
	}
	CHECK(!compare_all(chance, PLACES, differs));
	for (i = 0; i < PLACES; i++)
		nr += differs[i];
	return nr;
}

static unsigned int wrong(unsigned int burst, bool even)
{
	struct compare_count place[2][PLACES], all[2];
	unsigned int i, nr = 0;
	bool differs[PLACES];

	for (i = 0; i < COMPARISONS; i++) {
		draw(place[0], &all[0], SAMPLES, burst, 0);
		draw(place[1], &all[1], SAMPLES / 5, burst, 0);
		nr += compared(place, all, even, differs) > 0;
	}
	printf("# bursts of %u: %u of %u comparisons\n", burst, nr, COMPARISONS);
	return nr;
}

static void equal_places_rarely_differ(void)
{
	CHECK(wrong(1, false) <= wrong_most(COMPARISONS));
	CHECK(wrong(16, false) <= wrong_most(COMPARISONS));
	/* Samples in bursts are not as many as they are. */
	CHECK(wrong(16, true) > COMPARISONS / 2);
}

static void twice_as_hot_differs(void)
{
	struct compare_count place[2][PLACES], all[2];
	const unsigned int hot = PLACES / 2;
	unsigned int i, missed = 0, others = 0;
	bool differs[PLACES];

	for (i = 0; i < COMPARISONS / 5; i++) {
		draw(place[0], &all[0], 4 * SAMPLES, 4, 0);
		draw(place[1], &all[1], 4 * SAMPLES, 4, hot);
		others += compared(place, all, false, differs) > 2;
		missed += !differs[hot] || !differs[hot - 1];
	}
	printf("# twice as hot: %u of %u missed, others in %u\n", missed, i, others);
	/* A spread that is too high hides one of 150. */
	CHECK(missed <= i / 12 && others <= wrong_most(i));
}

/* By a normal distribution: counts are large. */
static void chance_is_known(void)
{
	const struct compare_side a = { 10000, 100000, 1 }, twice = { 20000, 200000, 1 };
	const struct compare_side more = { 10400, 100000, 1 }, bursts = { 10400, 100000, 4 };
	const struct compare_side calm = { 10000, 100000, 4 };
	const double error = sqrt(20400) * M_SQRT2;

	CHECK(compare_chance(&a, &twice, 1) > 0.99);
	/* 400 of an error of sqrt(20400), or of twice as much */
	CHECK(fabs(compare_chance(&a, &more, 1) / erfc(400 / error) - 1) < 0.02);
	CHECK(fabs(compare_chance(&calm, &bursts, 1) / erfc(200 / error) - 1) < 0.02);
	CHECK(compare_chance(&a, &more, 1) == compare_chance(&more, &a, 1));
	/* It is not more than 1.04 times as hot by more than chance. */
	CHECK(compare_chance(&a, &more, 1.04) > 0.99);
	CHECK(compare_chance(&a, &more, 1.1) == 1);
}

/* The smallest of 10 may be 1 / 10 %, the next of the 9 others 1 / 9 %, and so on. */
static void some_differ_of_many(void)
{
	const double chance[10] = { 0.9, 0.0011, 0.3, 0.0012, 0.5, 0.0009, 0.7, 0.04, 1, 0.6 };
	bool differs[10];
	unsigned int i;

	CHECK(!compare_all(chance, 10, differs));
	for (i = 0; i < 10; i++)
		CHECK(differs[i] == (chance[i] <= 0.0012));
	CHECK(!compare_all((double []) { 0.004, 0.02 }, 2, differs) && differs[0] && !differs[1]);
	CHECK(!compare_all((double []) { 0.006, 0.007 }, 2, differs) && !differs[0] && !differs[1]);
}

/**
 * struct program - a made-up program: three arrays in anonymous memory, a heap and a bss
 * @hot: the array that most samples are of
 * @arrays: bytes of an array
 * @heap_hot: so many of 8 samples of the heap are in its first eighth
 * @samples: how many samples
 * @load: what served one of this many from the cache
 */
struct program {
	unsigned int hot;
	u64 arrays;
	unsigned int heap_hot;
	unsigned int samples;
	unsigned int load;
};

static const struct program usual = {
	.hot = 0, .arrays = ARRAY_BYTES, .heap_hot = 2, .samples = 30000, .load = 4,
};

static void map(struct report *report, u64 addr, u64 len, const char *name)
{
	struct perfdata_record_view view = {
		.type = PERF_RECORD_MMAP2, .pid = PID, .tid = PID, .addr = addr, .len = len,
		.name = name, .name_len = strlen(name),
	};

	report_feed(report, &(struct perfdata_sample) { .other = &view }, 1);
}

static void name_process(struct report *report, const char *comm)
{
	struct perfdata_record_view view = {
		.type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC, .pid = PID,
		.tid = PID, .name = comm, .name_len = strlen(comm),
	};

	report_feed(report, &(struct perfdata_sample) { .other = &view }, 1);
}

static u64 page_of(u64 bytes)
{
	return (u64)tap_below(bytes >> 12) << 12;
}

static void sample(struct report *report, u64 addr, u64 time, bool cached)
{
	const union perf_mem_data_src src = {
		.mem_op = PERF_MEM_OP_LOAD, .mem_lvl = PERF_MEM_LVL_HIT |
			(cached ? PERF_MEM_LVL_L3 : PERF_MEM_LVL_LOC_RAM),
	};

	report_feed(report, &(struct perfdata_sample) {
		.pid = PID, .period = 1, .addr = addr, .time = time, .data_src = src.val,
	}, 1);
}

/* A run: all is at other addresses. */
static void run(struct loaded *loaded, const struct program *program)
{
	const struct report_config config = {
		.store = { .max_bytes = 8 << 20, .capacity = 1000, .cooling_period = ~0ULL },
		.curve = true, .raw = true,
	};
	const u64 exe = 0x555000000000 + page_of(1 << 30), lib = 0x7f0000000000 + page_of(1 << 30);
	const u64 heap = exe + 64 * MIB + page_of(16 * MIB);
	const u64 stack = 0x7ff000000000 + page_of(1 << 24);
	const u64 step = program->arrays + 4096;
	struct report *report = &loaded->report;
	struct htmm_error err;
	u64 addr = 0;
	u32 i;

	*loaded = (struct loaded) { .view.report = report };
	CHECK(!report_init(report, &config, &err));
	name_process(report, "prog");
	map(report, exe, MIB, "/bin/prog");
	map(report, exe + MIB, MIB, "//anon");
	map(report, heap, 8 * MIB, "[heap]");
	map(report, lib, MIB, "/lib/libc.so.6");
	for (i = 0; i < 3; i++)
		map(report, lib - (i + 1) * step, program->arrays, "//anon");
	map(report, stack - MIB, MIB, "[stack]");
	for (i = 0; i < program->samples; i++) {
		const u32 what = tap_below(100);

		/* Some come in a row. */
		if (i && tap_below(3))
			;
		else if (what < 60)
			addr = lib - (program->hot + 1) * step + page_of(program->arrays);
		else if (what < 70)
			addr = lib - 2 * step + page_of(program->arrays);
		else if (what < 80)
			addr = heap + (tap_below(8) < program->heap_hot ? page_of(MIB) :
				       MIB + page_of(7 * MIB));
		else if (what < 95)
			addr = exe + MIB + page_of(MIB);
		else
			addr = stack - 4096 - page_of(16384);
		sample(report, addr, 1 + 1000ULL * i, !tap_below(program->load));
	}
	CHECK(!report_finish(report, 1, &err));
}

/**
 * struct result - two runs, and what differs
 */
struct result {
	struct loaded loaded[SIDES];
	struct places places;
	struct changes changes;
};

static void compare(struct result *result, const struct program *a, const struct program *b)
{
	const struct loaded *const loaded[] = { &result->loaded[A], &result->loaded[B] };

	run(&result->loaded[A], a);
	run(&result->loaded[B], b);
	CHECK(!places_make(&result->places, loaded, 1.1));
	CHECK(!changes_make(&result->changes, &result->places, 1.1));
}

static void finish(struct result *result)
{
	changes_free(&result->changes);
	places_free(&result->places);
	report_free(&result->loaded[A].report);
	report_free(&result->loaded[B].report);
}

static const struct place *find(const struct result *result, enum place_kind kind,
				const char *name)
{
	size_t i;

	for (i = 0; i < result->places.nr; i++)
		if (result->places.place[i].kind == kind &&
		    !strcmp(result->places.place[i].name, name))
			return &result->places.place[i];
	return NULL;
}

static unsigned int nr_differ(const struct result *result)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < result->places.nr; i++)
		nr += result->places.place[i].differs;
	return nr;
}

static void same_program_does_not_differ(void)
{
	const unsigned int runs = tap_env("RUNS", 20);
	struct program shorter = usual;
	struct result result;
	unsigned int i, nr = 0;

	shorter.samples /= 3;
	for (i = 0; i < runs; i++) {
		compare(&result, &usual, i % 2 ? &shorter : &usual);
		CHECK(result.places.compared > 50);
		nr += nr_differ(&result) > 0;
		finish(&result);
	}
	printf("# of %u pairs of runs, %u are said to differ\n", runs, nr);
	CHECK(nr <= runs / 20);
}

static void memory_has_the_same_names(void)
{
	static const char *const names[] = {
		"/bin/prog [bss]", "[heap]", "[stack]", "[anon 4.0 MiB below libc.so.6]",
		"[anon 4.0 MiB below libc.so.6, 2]",
	};
	struct result result;
	unsigned int i;

	compare(&result, &usual, &usual);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct place *place = find(&result, PLACE_MAPPING, names[i]);

		CHECK(place && !strcmp(place->comm, "prog"));
		CHECK(place->count[A].samples > 500 && place->count[B].samples > 500);
		/* The stack has other offsets in each run. */
		CHECK(!place->nr == !strcmp(names[i], "[stack]"));
	}
	CHECK(find(&result, PLACE_PROCESS, "")->count[B].samples == usual.samples);
	finish(&result);
}

static void moved_array_is_found(void)
{
	struct program moved = usual;
	struct result result;
	const struct change *change;

	moved.hot = 2;
	compare(&result, &usual, &moved);
	/* One more may be chance; it is smaller. */
	CHECK(result.changes.nr == 1 || result.changes.nr == 2);
	change = result.changes.change;
	CHECK(change->kind == CHANGE_MOVED && change->at.whole && change->to.whole);
	CHECK(!strcmp(change->at.mapping->name, "[anon 4.0 MiB below libc.so.6]"));
	CHECK(!strcmp(change->to.mapping->name, "[anon 4.0 MiB below libc.so.6, 3]"));
	CHECK(fabs(change->at.share[A] - 0.6) < 0.05 && !change->at.share[B]);
	CHECK(fabs(change->to.share[B] - 0.6) < 0.05 && !change->to.share[A]);
	finish(&result);
}

/* What has few samples of both recordings, but most of one that is much shorter, is compared. */
static void hot_in_a_short_recording_is_found(void)
{
	struct program longer = usual, moved = usual;
	const struct place *place;
	struct result result;

	longer.samples = 400000;
	moved.samples = 600;
	moved.hot = 2;
	compare(&result, &longer, &moved);
	place = find(&result, PLACE_MAPPING, "[anon 4.0 MiB below libc.so.6, 3]");
	CHECK(place && !place->count[A].samples && place->differs);
	/* 360, with an error of 27, as three come in a row. */
	CHECK(place->count[B].samples > 225 && place->count[B].samples < 495);
	finish(&result);
	compare(&result, &moved, &longer);
	place = find(&result, PLACE_MAPPING, "[anon 4.0 MiB below libc.so.6, 3]");
	CHECK(place && !place->count[B].samples && place->differs);
	finish(&result);
}

/* The first megabyte of the heap is hotter, the rest is colder; a third change may be chance. */
static bool hot_part_of_heap(const struct result *result)
{
	const struct change *change = result->changes.change;
	const struct range *range;

	if (result->changes.nr < 2 || result->changes.nr > 3 ||
	    change[0].kind + change[1].kind != CHANGE_COLD)
		return false;
	range = &change[change[1].kind == CHANGE_HOT].at;
	return !strcmp(range->mapping->name, "[heap]") && !range->whole && !range->start &&
	       range->end == MIB && range->pages[A] <= 256;
}

/* From a quarter of the samples of the heap to all of them: the rest becomes cold. */
static void hot_part_is_found(void)
{
	struct program hot = usual;
	unsigned int i, found = 0;
	struct result result;

	hot.heap_hot = 8;
	for (i = 0; i < 10; i++) {
		compare(&result, &usual, &hot);
		found += hot_part_of_heap(&result);
		finish(&result);
	}
	printf("# found in %u of %u pairs of runs\n", found, i);
	CHECK(found >= i - 3);
}

static void other_size_is_the_same_memory(void)
{
	struct program larger = usual;
	const struct place *place;
	struct result result;

	larger.arrays *= 2;
	compare(&result, &usual, &larger);
	place = find(&result, PLACE_MAPPING, "[anon 4.0 MiB below libc.so.6]");
	CHECK(place && place->count[B].samples > 10000 && !place->nr && !place->differs);
	CHECK(!find(&result, PLACE_MAPPING, "[anon 8.0 MiB below libc.so.6]"));
	CHECK(!result.changes.nr);
	finish(&result);
}

static void what_served_is_compared(void)
{
	struct program cached = usual;
	struct result result;

	cached.load = 2;
	compare(&result, &usual, &cached);
	CHECK(find(&result, PLACE_SOURCE, "cache")->differs);
	CHECK(find(&result, PLACE_SOURCE, "dram")->differs);
	CHECK(!result.changes.nr && nr_differ(&result) == 2);
	finish(&result);
}

static const struct tap_test tests[] = {
	TAP_TEST(equal_places_rarely_differ),
	TAP_TEST(twice_as_hot_differs),
	TAP_TEST(chance_is_known),
	TAP_TEST(some_differ_of_many),
	TAP_TEST(same_program_does_not_differ),
	TAP_TEST(memory_has_the_same_names),
	TAP_TEST(moved_array_is_found),
	TAP_TEST(hot_in_a_short_recording_is_found),
	TAP_TEST(hot_part_is_found),
	TAP_TEST(other_size_is_the_same_memory),
	TAP_TEST(what_served_is_compared),
};

int main(void)
{
	return tap_main(tests, ARRAY_SIZE(tests));
}
