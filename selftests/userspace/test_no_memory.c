// SPDX-License-Identifier: GPL-2.0
/*
 * A report or rates for which there is no memory: each allocation fails once, and the work ends
 * with an error, or is complete.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "estimate/estimate.h"
#include "report/view.h"

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t nr, size_t size);
void *__wrap_reallocarray(void *old, size_t nr, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);

/* Allocations of the report so far, and the number of the one that fails; 0: none. */
static u32 nr_allocations, fails_at;
static bool counting;

static bool fails(void)
{
	return counting && ++nr_allocations == fails_at;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __real_calloc(nr, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t nr, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, nr, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
	return fails() ? NULL : __real_strndup(text, size);
}

#define SAMPLES	200

static void map(struct report *report, u32 pid, u64 addr, const char *name)
{
	struct perfdata_record_view view = {
		.type = PERF_RECORD_MMAP2, .pid = pid, .tid = pid, .addr = addr, .len = 1 << 20,
		.name = name, .name_len = strlen(name), .shared = *name == '/', .dev = *name == '/',
		.ino = 1,
	};

	report_feed(report, &(struct perfdata_sample) { .other = &view }, 1);
}

/*
 * Two processes with memory of several kinds, and a sample or more on each of 132 pages; one has
 * anonymous memory that is hot at its beginning.
 */
static void feed(struct report *report)
{
	u32 pid, i;

	for (pid = 1; pid <= 2; pid++) {
		map(report, pid, 0x100000, "/data/file");
		map(report, pid, 0x200000, "//anon");
		map(report, pid, 0x300000, "/data/file");
		for (i = 0; i < 50; i++)
			report_feed(report, &(struct perfdata_sample) {
				.pid = pid, .period = 1, .time = 1 + i, .ip = 0x100000 + 16 * i,
				.addr = 0x100000 + ((u64)i << 13),
			}, 1);
	}
	for (i = 0; i < 100; i++)
		report_feed(report, &(struct perfdata_sample) {
			.pid = 2, .period = 1, .time = 51 + i, .ip = 0x100000,
			.addr = 0x200000 + ((u64)i % 32 << 12),
		}, 1);
}

/* What all formats call. */
static bool look(const struct report *report)
{
	struct report_view view = { .report = report };
	struct curve *curve = report_curve(&view);
	struct report_command *commands;
	struct report_order order;
	bool whole = curve && !panels_make(&view.panels, report->heat, 4, 16, 4);
	u32 nr;

	if (whole)
		whole = panels_most(&view.panels, report->heat);
	commands = report_commands(&view, &nr);
	order = report_order_mappings(&view);
	whole = whole && commands && order.index && nr == 1 && order.nr;
	free(order.index);
	free(commands);
	free(curve);
	panels_free(&view.panels);
	return whole;
}

/* Returns whether all was there. */
static bool make(bool raw)
{
	const struct report_config config = {
		.store = { .max_bytes = 1 << 20, .capacity = 16, .cooling_period = ~0ULL },
		.raw = raw, .curve = true, .ranges = true, .functions = true,
	};
	const struct perfdata_notes notes = {};
	struct report report;
	struct htmm_error err = {};
	bool whole = false;
	int ret;

	nr_allocations = 0;
	counting = true;
	ret = report_init(&report, &config, &err);
	if (!ret) {
		feed(&report);
		ret = report_finish(&report, 10, &err);
		CHECK(ret || report.counts.samples + report.counts.no_memory +
			     report.tasks.left_out >= SAMPLES);
	}
	CHECK(!ret || (err.code == ENOMEM && ret == -ENOMEM));
	if (!ret)
		whole = !functions_name(&report.functions, &report.tasks, &notes) && look(&report);
	counting = false;
	if (whole && nr_allocations < fails_at)
		CHECK(report.counts.samples == SAMPLES && report.nr_pages == 10);
	report_free(&report);
	return whole;
}

static void try_all(bool raw)
{
	u32 incomplete = 0;

	for (fails_at = 1; fails_at <= 10000; fails_at++) {
		incomplete += !make(raw);
		if (nr_allocations < fails_at)
			break;
	}
	CHECK(fails_at > 50 && fails_at < 10000 && incomplete > 20 && incomplete < fails_at);
	printf("# %u of %u allocations are needed\n", incomplete, fails_at - 1);
}

static void test_by_rate(void)
{
	try_all(false);
}

static void test_by_count(void)
{
	try_all(true);
}

/* Without memory no page is filled; with it, all are, and their sum is that of the counts. */
static void test_rates(void)
{
	struct estimate_page page[3000];
	u32 i, incomplete = 0;
	double sum;
	int ret;

	for (fails_at = 1; fails_at <= 1000; fails_at++) {
		for (i = 0; i < ARRAY_SIZE(page); i++)
			page[i] = (struct estimate_page) {
				.page = 7 * i, .space = 1 + i / 2000, .count = i % 3 * (i / 400),
				.rate = -1, .low = -1, .high = -1, .less = -1,
			};
		nr_allocations = 0;
		counting = true;
		ret = estimate_rates(page, ARRAY_SIZE(page));
		counting = false;
		CHECK(ret == 0 || ret == -ENOMEM);
		incomplete += !!ret;
		for (i = 0, sum = 0; i < ARRAY_SIZE(page); i++) {
			CHECK(!!ret == (page[i].rate == -1 && page[i].low == -1 &&
					page[i].high == -1 && page[i].less == -1));
			sum += page[i].rate - page[i].count;
		}
		CHECK(ret || fabs(sum) < 1);
		if (nr_allocations < fails_at)
			break;
		CHECK(ret);
	}
	CHECK(incomplete == fails_at - 1 && incomplete > 10);
	printf("# %u allocations are needed\n", incomplete);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_by_rate),
		TAP_TEST(test_by_count),
		TAP_TEST(test_rates),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
