// SPDX-License-Identifier: GPL-2.0
/*
 * Processes and what they have mapped: shared after a fork, and within limits. What served
 * samples.
 */
#include "shim/deps.h"
#include "core/source.h"
#include "report/tasks.h"

static struct tasks tasks;

static void map(u32 pid, u64 start, u64 len, const char *name)
{
	tasks_mmap(&tasks, pid, start, len, name, strlen(name), NULL);
}

/* Name of the mapping of an address, as a sample of it would find it. */
static const char *sampled(u32 pid, u64 addr)
{
	int space = tasks_space(&tasks, pid), mapping = tasks_find(&tasks, space, addr);

	CHECK(mapping >= 0 && tasks.mapping[mapping].space == (u32)space);
	tasks.space[space].samples++;
	tasks.mapping[mapping].samples++;
	return tasks.mapping[mapping].name;
}

static bool is(u32 pid, u64 addr, const char *name)
{
	return !strcmp(sampled(pid, addr), name);
}

static u32 vmas_of(u32 pid)
{
	return tasks.space[tasks_space(&tasks, pid)].vmas;
}

static void test_ranges(void)
{
	map(1, 0x1000, 0x9000, "a");
	map(1, 0x4000, 0x2000, "b");
	CHECK(is(1, 0x1000, "a") && is(1, 0x3fff, "a") && is(1, 0x4000, "b") && is(1, 0x6000, "a"));
	CHECK(is(1, 0x9fff, "a") && is(1, 0xa000, "[unknown]") && is(1, 0xfff, "[unknown]"));
	/* What was found last is not trusted once it has changed. */
	CHECK(is(1, 0x4000, "b"));
	map(1, 0x4000, 0x1000, "c");
	CHECK(is(1, 0x4000, "c") && is(1, 0x5000, "b"));
	CHECK(tasks.nr_mappings == 4 && !tasks.left_out);
	tasks_free(&tasks);
}

/* Name of the mapping of an address at the end. */
static bool ends_as(u32 pid, u64 addr, const char *name, u64 samples)
{
	int mapping = tasks_find(&tasks, tasks_space(&tasks, pid), addr);

	CHECK(mapping >= 0);
	tasks_name(&tasks);
	if (strcmp(tasks.mapping[mapping].name, name))
		printf("# %#llx is %s\n", addr, tasks.mapping[mapping].name);
	return !strcmp(tasks.mapping[mapping].name, name) &&
	       tasks.mapping[mapping].samples == samples;
}

/* Each range of anonymous memory is a mapping, which may grow and be joined with others. */
static void test_anon(void)
{
	map(1, 0x1000, 0x1000, "");
	map(1, 0x5000, 0x1000, "//anon");
	map(1, 0x6000, 0x1000, "file");
	map(1, 0x8000, 0x1000, "//anon");
	sampled(1, 0x1000);
	sampled(1, 0x5000);
	sampled(1, 0x8000);
	CHECK(tasks.nr_mappings == 3);
	/* A piece above it, and the whole as it is after it has grown at either end. */
	map(1, 0x2000, 0x1000, "//anon");
	sampled(1, 0x2000);
	map(1, 0x8000, 0x3000, "//anon");
	sampled(1, 0xa000);
	map(1, 0x7000, 0x4000, "//anon");
	sampled(1, 0x7000);
	CHECK(tasks.nr_mappings == 3);
	tasks_fork(&tasks, 2, 1, true);
	/* A part of it, as after mprotect(). */
	map(1, 0x8000, 0x1000, "//anon");
	CHECK(ends_as(1, 0x9000, "[anon 7000-b000]", 3));
	CHECK(ends_as(1, 0x6000, "file", 0));
	/* What lies between two of them; the child has none of it. */
	map(1, 0x3000, 0x2000, "//anon");
	CHECK(ends_as(1, 0x4000, "[anon 1000-6000]", 3));
	sampled(2, 0x2000);
	CHECK(ends_as(2, 0x2000, "[anon 1000-3000]", 1));
	CHECK(ends_as(2, 0x5000, "[anon 5000-6000]", 0));
	/* One that grows a lot takes the memory of one. */
	map(2, 0x100000, 0x1000, "//anon");
	for (u64 at = 1; at < 100000; at++)
		map(2, 0x100000 + (at << 12), 0x1000, "//anon");
	sampled(2, 0x100000);
	CHECK(ends_as(2, 0x2000000, "[anon 100000-187a0000]", 1));
	CHECK(tasks.nr_names < 3 && !tasks.left_out);
	tasks_free(&tasks);
}

static void test_fork(void)
{
	map(1, 0x1000, 0x1000, "a");
	map(1, 0x2000, 0x1000, "b");
	tasks_fork(&tasks, 2, 1, true);
	tasks_fork(&tasks, 3, 1, true);
	CHECK(vmas_of(1) == vmas_of(2) && vmas_of(2) == vmas_of(3));
	/* Each has mappings of its own. */
	CHECK(is(2, 0x1000, "a") && is(1, 0x1000, "a") && is(3, 0x2000, "b"));
	CHECK(is(2, 0x2000, "b") && is(1, 0x2000, "b") && is(3, 0x1000, "a"));
	CHECK(tasks.nr_mappings == 6);
	/* What one maps, the others do not see. */
	map(2, 0x1000, 0x800, "c");
	CHECK(is(1, 0x1000, "a") && is(3, 0x1000, "a") && is(2, 0x1000, "c"));
	CHECK(is(2, 0x1800, "a") && vmas_of(2) != vmas_of(1));
	tasks_exit(&tasks, 1);
	CHECK(is(3, 0x2000, "b"));
	tasks_free(&tasks);
}

/* Ranges one below the other, each of them cut, and then one that covers all. */
static void test_many_ranges(void)
{
	const u32 ranges = 400000, cut = 250000;
	u32 i;

	for (i = ranges; i; i--)
		map(1, i * 0x4000ULL, 0x3000, "a");
	CHECK(tasks.vmas.used == ranges && tasks.vmas.steps < 100ULL * ranges);
	for (i = cut; i; i--)
		map(1, i * 0x4000ULL + 0x1000, 0x1000, "b");
	CHECK(tasks.vmas.used == ranges + 2 * cut && !tasks.left_out);
	CHECK(tasks.vmas.steps < 300ULL * ranges);
	CHECK(is(1, cut * 0x4000ULL, "a") && is(1, cut * 0x4000ULL + 0x1fff, "b") &&
	      is(1, cut * 0x4000ULL + 0x2000, "a"));
	map(1, 0x4001, ranges * 0x4000ULL + 0x1000, "c");
	CHECK(is(1, 0x4000, "a") && is(1, 0x4001, "c") && is(1, ranges * 0x4000ULL, "c"));
	tasks_free(&tasks);
}

/* A list in which each page knows its mapping, beside the real one. */
static void test_random_ranges(void)
{
	enum { PAGES = 64, SPACES = 4 };
	char name[SPACES][PAGES] = {};
	u32 round, space, page, from, to;
	char text[2] = "";

	for (round = 0; round < 3000; round++) {
		space = tap_below(SPACES);
		if (!tap_below(20)) {
			from = tap_below(SPACES);
			if (from == space)
				continue;
			tasks_fork(&tasks, space + 1, from + 1, true);
			memcpy(name[space], name[from], PAGES);
		} else {
			from = tap_below(PAGES);
			to = from + 1 + tap_below(PAGES - from);
			text[0] = 'a' + tap_below(26);
			map(space + 1, from << 12, (to - from) << 12, text);
			memset(name[space] + from, text[0], to - from);
		}
		for (space = 0; space < SPACES; space++) {
			page = tap_below(PAGES);
			text[0] = name[space][page];
			CHECK(is(space + 1, page << 12, text[0] ? text : "[unknown]"));
		}
	}
	CHECK(!tasks.left_out);
	tasks_free(&tasks);
}

/* A long list is not copied for each of many children, not even for those that change it. */
static void test_many_forks(void)
{
	const u32 ranges = 1000, children = 50000;
	u64 steps;
	u32 used, i;

	for (i = 0; i < ranges; i++)
		map(1, i * 0x2000ULL + 0x1000, 0x1000, "a");
	used = tasks.vmas.used;
	for (i = 2; i < children; i++)
		tasks_fork(&tasks, i, 1, true);
	CHECK(tasks.vmas.used == used && !tasks.left_out);
	CHECK(is(children - 1, 0x1000, "a"));
	steps = tasks.vmas.steps;
	for (i = 2; i < children; i++) {
		map(i, 0x5000, 0x1000, "b");
		tasks_exit(&tasks, i);
	}
	CHECK(tasks.vmas.steps - steps < 200ULL * children && tasks.vmas.used < used + 200);
	CHECK(is(1, 0x5000, "a") && is(children - 1, 0x5000, "b"));
	tasks_free(&tasks);
}

/* Children that change all they have reach the limit; the rest is left out. */
static void test_too_many_ranges(void)
{
	const u32 ranges = 1000, children = 2000;
	u64 refused;
	u32 i, r;

	for (r = 0; r < ranges; r++)
		map(1, r * 0x2000ULL + 0x1000, 0x1000, "a");
	for (i = 2; i < children; i++) {
		tasks_fork(&tasks, i, 1, true);
		for (r = 0; r < ranges; r++)
			map(i, r * 0x2000ULL + 0x1000, 0x1000, "b");
		CHECK(tasks.vmas.used <= VMAS_MAX);
	}
	refused = tasks.left_out;
	CHECK(refused && is(2, 0x1000, "b") && is(children - 1, 0x1000, "a"));
	/* Those that go make room. */
	for (i = 3; i < children - 1; i++)
		tasks_exit(&tasks, i);
	CHECK(tasks.vmas.used < 4 * ranges);
	map(children - 1, 0x1000, 0x1000, "c");
	CHECK(tasks.left_out == refused && is(children - 1, 0x1000, "c"));
	tasks_free(&tasks);
}

/* A process lives until its last thread exits, whichever that is. */
static void test_threads(void)
{
	tasks_comm(&tasks, 1, "first", 5, true);
	map(1, 0x1000, 0x1000, "a");
	tasks_clone(&tasks, 1);
	tasks_exit(&tasks, 1);
	CHECK(is(1, 0x1000, "a"));
	CHECK(!strcmp(tasks.space[tasks_space(&tasks, 1)].comm, "first"));
	CHECK(!tasks.space[tasks_space(&tasks, 1)].exited);
	tasks_exit(&tasks, 1);
	CHECK(tasks.space[tasks_space(&tasks, 1)].exited);
	/* More exits than threads: the file had lost something. */
	tasks_exit(&tasks, 1);
	CHECK(is(1, 0x1000, "a"));
	tasks_free(&tasks);
}

static void test_too_many_spaces(void)
{
	u32 i;

	for (i = 1; i <= TASKS_SPACES_MAX; i++)
		CHECK(tasks_space(&tasks, i) >= 0);
	CHECK(tasks_space(&tasks, i) == -ENOMEM && !tasks.left_out);
	tasks_comm(&tasks, i, "x", 1, false);
	tasks_fork(&tasks, i, 1, true);
	map(i, 0x1000, 0x1000, "a");
	CHECK(tasks.left_out == 3);
	tasks_exit(&tasks, 7);
	CHECK(tasks_space(&tasks, i) >= 0);
	tasks_free(&tasks);
}

/* Processes that come and go, however many, take no memory that stays. */
static void test_short_lives(void)
{
	u32 i;

	CHECK(is(1, 0x1000, "[unknown]"));
	for (i = 2; i < 20 * TASKS_SPACES_MAX; i++) {
		tasks_fork(&tasks, i, 1, true);
		tasks_exit(&tasks, i);
	}
	CHECK(tasks.nr_spaces == 2 && tasks.by_pid.nr <= 2 * TASKS_SPACES_MAX);
	CHECK(tasks.space[tasks_space(&tasks, 1)].samples == 1 && !tasks.left_out);
	tasks_free(&tasks);
}

static void test_too_many_names(void)
{
	char name[4096];
	u32 i;

	memset(name, 'x', sizeof(name));
	for (i = 0; !tasks.left_out; i++) {
		snprintf(name, 9, "%08x", i);
		name[8] = 'x';
		tasks_mmap(&tasks, 1, 0x1000, 0x1000, name, sizeof(name), NULL);
		CHECK(i <= TASKS_NAME_BYTES / sizeof(name));
	}
	CHECK(i > 1 && tasks.name_bytes <= TASKS_NAME_BYTES);
	tasks_free(&tasks);
}

#define HIT(level)	(PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, level))
#define MISS(level)	(PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVL, level))
/* By number: some of these are unknown to older headers. */
#define NUMBER(level)	((u64)(level) << PERF_MEM_LVLNUM_SHIFT)
#define REMOTE		PERF_MEM_S(REMOTE, REMOTE)

/* What served an access is not the cache that it missed, and no memory if it is a cache. */
static void test_source(void)
{
	static const struct {
		u64 data_src;
		enum htmm_source source;
	} cases[] = {
		{ 0, HTMM_SOURCE_UNKNOWN },
		{ PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, NA), HTMM_SOURCE_UNKNOWN },
		/* Sets of levels. */
		{ HIT(L1), HTMM_SOURCE_CACHE },
		{ HIT(LFB), HTMM_SOURCE_CACHE },
		{ HIT(L2), HTMM_SOURCE_CACHE },
		{ HIT(L3), HTMM_SOURCE_CACHE },
		{ HIT(REM_CCE1), HTMM_SOURCE_CACHE },
		{ HIT(REM_CCE2), HTMM_SOURCE_CACHE },
		{ HIT(LOC_RAM), HTMM_SOURCE_LOCAL },
		{ HIT(REM_RAM1), HTMM_SOURCE_REMOTE },
		{ HIT(REM_RAM2), HTMM_SOURCE_REMOTE },
		{ HIT(IO), HTMM_SOURCE_OTHER },
		{ HIT(UNC), HTMM_SOURCE_OTHER },
		{ MISS(L1), HTMM_SOURCE_UNKNOWN },
		{ MISS(L3) | NUMBER(PERF_MEM_LVLNUM_L3), HTMM_SOURCE_UNKNOWN },
		/* Numbers, which count more. */
		{ NUMBER(PERF_MEM_LVLNUM_L1), HTMM_SOURCE_CACHE },
		{ NUMBER(PERF_MEM_LVLNUM_L2), HTMM_SOURCE_CACHE },
		{ NUMBER(PERF_MEM_LVLNUM_L3), HTMM_SOURCE_CACHE },
		{ NUMBER(PERF_MEM_LVLNUM_L3) | REMOTE, HTMM_SOURCE_CACHE },
		{ NUMBER(PERF_MEM_LVLNUM_L4), HTMM_SOURCE_CACHE },
		{ NUMBER(PERF_MEM_LVLNUM_LFB), HTMM_SOURCE_CACHE },
		{ NUMBER(PERF_MEM_LVLNUM_ANY_CACHE), HTMM_SOURCE_CACHE },
		{ NUMBER(PERF_MEM_LVLNUM_RAM), HTMM_SOURCE_LOCAL },
		{ NUMBER(PERF_MEM_LVLNUM_RAM) | REMOTE, HTMM_SOURCE_REMOTE },
		{ NUMBER(PERF_MEM_LVLNUM_PMEM), HTMM_SOURCE_SLOW },
		{ NUMBER(PERF_MEM_LVLNUM_PMEM) | HIT(LOC_RAM), HTMM_SOURCE_SLOW },
		{ NUMBER(0x09) | REMOTE, HTMM_SOURCE_SLOW },	/* CXL */
		{ NUMBER(0x0a), HTMM_SOURCE_OTHER },		/* I/O */
		{ NUMBER(0x08), HTMM_SOURCE_OTHER },		/* not cached */
		{ NUMBER(PERF_MEM_LVLNUM_NA), HTMM_SOURCE_UNKNOWN },
		{ NUMBER(PERF_MEM_LVLNUM_NA) | HIT(REM_RAM2), HTMM_SOURCE_REMOTE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		enum htmm_source source = htmm_source_of(cases[i].data_src);

		if (source != cases[i].source)
			printf("# %#llx is %d\n", cases[i].data_src, source);
		CHECK(source == cases[i].source);
	}
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_ranges),
		TAP_TEST(test_anon),
		TAP_TEST(test_fork),
		TAP_TEST(test_many_ranges),
		TAP_TEST(test_random_ranges),
		TAP_TEST(test_many_forks),
		TAP_TEST(test_too_many_ranges),
		TAP_TEST(test_threads),
		TAP_TEST(test_too_many_spaces),
		TAP_TEST(test_short_lives),
		TAP_TEST(test_too_many_names),
		TAP_TEST(test_source),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
