// SPDX-License-Identifier: GPL-2.0
/* What `top` shows, without a terminal: rates, mappings, keys; against fake_device.c. */
#include <unistd.h>
#include "test.h"
#include "top/top.h"

static char live[32];

static bool becomes(const char *state)
{
	FILE *file = fopen(live, "w");

	if (!file)
		return false;
	fprintf(file, "%s\n", state);
	return !fclose(file);
}

static bool near(double value, double expected)
{
	bool ok = value > expected - 0.01 && value < expected + 0.01;

	if (!ok)
		printf("# %f is not %f\n", value, expected);
	return ok;
}

static void test_looks(void)
{
	struct top top = { .max_pages = 1000 };
	struct htmm_error err = {};
	double drops = 0;
	int i;

	CHECK(becomes("running") && !top_look(&top, &err));
	CHECK(top.activity.since_start && near(top.activity.seconds, 1.5));
	CHECK(!top_look(&top, &err));
	CHECK(!top.activity.since_start && near(top.activity.seconds, 1.5));
	/* 10,000 and 120 in 1.5 s: 10 for each reason, of which 4 say what was not asked for. */
	CHECK(near(top.activity.total.counted, 10000 / 1.5));
	CHECK(near(top.activity.total.filtered, 40 / 1.5));
	CHECK(near(top.activity.total.lost, 80 / 1.5));
	for (i = 0; i < HTMM_DROP_SLOTS; i++)
		drops += top.activity.total.drops[i];
	CHECK(near(drops, top.activity.total.filtered + top.activity.total.lost));
	CHECK(near(lost_percent(&top.activity.total), 100.0 * 80 / 10080));
	CHECK(near(top.activity.total.overflows, 10120 / 1.5));
	CHECK(top.activity.nr_events == 2);
	CHECK(near(top.activity.events[0].flow.overflows + top.activity.events[1].flow.overflows,
		   top.activity.total.overflows));
	CHECK(near(top.activity.cost, 1.23) && near(top.activity.budget, 3));
	CHECK(top.now.pages.nr == 1000 && !top.was.pages.nr);
	CHECK(top.nr_maps == top.nr_shown && top.maps[0].samples >= top.maps[1].samples);
	top_free(&top);
}

static void test_ends(void)
{
	struct top top = {};
	struct htmm_error err = {};

	CHECK(becomes("running") && !top_look(&top, &err));
	CHECK(becomes("idle") && top_look(&top, &err) == -ENODATA);
	CHECK(top.now.info.session == 3);
	CHECK(becomes("gone") && top_look(&top, &err) == -ENOENT);
	CHECK(becomes("running") && !top_look(&top, &err));
	top_free(&top);
}

/* A session of one event on two CPUs. */
static void make(struct results *res, struct htmm_channel_info channels[2],
		 struct htmm_event *event, u64 seconds, u64 counted)
{
	*res = (struct results) {
		.info = { .session = 1, .elapsed_ns = seconds * 1000000000, .nr_cpus = 2 },
		.stats = {
			.stats = {
				.nr_channels = 2, .nr_events = 1,
				.stats[HTMM_STAT_HANDLER_NS] = seconds * 30000000,
				.stats[HTMM_STAT_DRAIN_NS] = seconds * 50000000,
				.total = { .overflows = counted, .counted = counted },
			},
			.channels = channels, .events = event,
		},
	};
}

static void test_activity(void)
{
	struct htmm_channel_info channels[2] = {
		{ .flags = HTMM_CHANNEL_ACTIVE, .period = 1009, .precise_ip = 3 },
		{ .cpu = 1, .flags = HTMM_CHANNEL_ACTIVE, .period = 2003, .precise_ip = 2 },
	};
	struct htmm_event event = { .period = 97, .precise_ip = 3 };
	struct results was, now, none = {};
	struct activity activity;

	make(&was, channels, &event, 10, 5000);
	make(&now, channels, &event, 12, 5600);
	activity_between(&activity, &was, &now);
	CHECK(near(activity.total.counted, 300) && !activity.since_start);
	CHECK(near(activity.handlers, 1.5) && near(activity.ksampled, 5));
	CHECK(activity.budget < 0);
	CHECK(activity.events[0].mode.period_min == 1009);
	CHECK(activity.events[0].mode.period_max == 2003);
	CHECK(activity.events[0].mode.precise_ip == 2 && activity.events[0].mode.active == 2);

	/* In a pause, time goes by for all but the session. */
	now.stats.stats.stats[HTMM_STAT_PAUSED_NS] = 2000000000;
	activity_between(&activity, &was, &now);
	CHECK(near(activity.seconds, 4) && near(activity.total.counted, 150));
	CHECK(near(activity.handlers, 0.75) && near(activity.ksampled, 2.5));
	now.stats.stats.stats[HTMM_STAT_PAUSED_NS] = 0;

	/* A CPU that is off does not count, unless all are. */
	channels[0].flags = 0;
	activity_between(&activity, &was, &now);
	CHECK(activity.events[0].mode.period_min == 2003 && activity.events[0].mode.active == 1);
	channels[1].flags = 0;
	activity_between(&activity, &was, &now);
	CHECK(activity.events[0].mode.period_min == 1009);
	CHECK(activity.events[0].mode.period_max == 2003);
	CHECK(activity.events[0].mode.active == 0);

	/* Counters that were reset. */
	now.stats.stats.total.counted = 40;
	activity_between(&activity, &was, &now);
	CHECK(near(activity.total.counted, 20));

	/* Another session, and none before. */
	now.info.session = 2;
	activity_between(&activity, &was, &now);
	CHECK(activity.since_start && near(activity.total.counted, 40 / 12.0));
	activity_between(&activity, &none, &now);
	CHECK(activity.since_start && near(activity.seconds, 12));

	/* A session that has stopped: no time goes by. */
	activity_between(&activity, &now, &now);
	CHECK(near(activity.total.counted, 0) && near(activity.ksampled, 0));
}

static void test_choose(void)
{
	static const struct mapping maps[] = {
		{ .place = { "redis", "[heap]" }, .pid = 30, .pages = 5, .hot = 1, .samples = 90 },
		{ .place = { "sqlite3", "/tmp/Shop.db" }, .pid = 20, .pages = 9, .samples = 50 },
		{ .place = { "sqlite3", "[heap]" }, .pid = 20, .pages = 2, .hot = 2,
		  .samples = 50 },
	};
	struct mapping copy[3];
	static const struct {
		enum order order;
		u32 first;
		u64 pages;
	} orders[] = {
		{ ORDER_SAMPLES, 30, 5 }, { ORDER_PAGES, 20, 9 }, { ORDER_HOT, 20, 2 },
		{ ORDER_PID, 20, 9 }, { ORDER_NAME, 20, 9 },
	};
	unsigned int i;

	for (i = 0; i < NR_ORDERS; i++) {
		memcpy(copy, maps, sizeof(copy));
		CHECK(mappings_choose(copy, 3, orders[i].order, "") == 3);
		CHECK(copy[0].pid == orders[i].first && copy[0].pages == orders[i].pages);
	}
	memcpy(copy, maps, sizeof(copy));
	CHECK(mappings_choose(copy, 3, ORDER_SAMPLES, "SHOP") == 1 && copy[0].pages == 9);
	memcpy(copy, maps, sizeof(copy));
	CHECK(mappings_choose(copy, 3, ORDER_SAMPLES, "sqlite") == 2 && copy[0].pages == 9);
	memcpy(copy, maps, sizeof(copy));
	CHECK(mappings_choose(copy, 3, ORDER_SAMPLES, "30") == 1 && copy[0].pid == 30);
	memcpy(copy, maps, sizeof(copy));
	CHECK(mappings_choose(copy, 3, ORDER_SAMPLES, "elephant") == 0);
}

static void type(struct top *top, const char *text)
{
	while (*text)
		top_key(top, *text++, 10);
}

static void test_keys(void)
{
	struct top top = { .interval_ms = 1000, .max_pages = 1000 };
	unsigned int i;

	CHECK(becomes("running") && !top_look(&top, NULL) && top.nr_shown > 50);
	type(&top, " ");
	CHECK(top.paused);
	type(&top, "p");
	CHECK(!top.paused);
	for (i = 1; i <= NR_ORDERS; i++) {
		type(&top, "s");
		CHECK(top.order == i % NR_ORDERS);
	}
	type(&top, "h");
	CHECK(top.help);
	type(&top, "q");
	CHECK(!top.help && !top.quit);
	type(&top, "+");
	CHECK(top.interval_ms == 2000);
	type(&top, "-");
	CHECK(top.interval_ms == 1000);
	for (i = 0; i < 40; i++)
		type(&top, "-");
	CHECK(top.interval_ms == TOP_INTERVAL_MIN);
	for (i = 0; i < 40; i++)
		type(&top, "+");
	CHECK(top.interval_ms == TOP_INTERVAL_MAX);
	type(&top, "q");
	CHECK(top.quit);
	top_free(&top);
}

static void test_filter_keys(void)
{
	struct top top = { .max_pages = 1000 };
	size_t all;
	int i;

	CHECK(becomes("running") && !top_look(&top, NULL));
	all = top.nr_shown;
	top.scroll = all - 1;
	type(&top, "/[stackq");
	CHECK(top.editing && !top.quit && !top.nr_shown && !top.scroll);
	top_key(&top, TOP_BACKSPACE, 10);
	CHECK(top.nr_shown == 1);
	type(&top, "\n");
	CHECK(!top.editing && !strcmp(top.filter, "[stack"));
	CHECK(!top_look(&top, NULL) && top.nr_shown == 1);
	type(&top, "/\033");
	CHECK(!top.editing && !*top.filter && top.nr_shown == all);
	type(&top, "/");
	for (i = 0; i < 200; i++)
		type(&top, "x");
	CHECK(strlen(top.filter) == sizeof(top.filter) - 1);
	top_free(&top);
}

static void test_scroll(void)
{
	struct top top = { .max_pages = 1000 };

	CHECK(becomes("running") && !top_look(&top, NULL) && top.nr_shown > 50);
	top_key(&top, TOP_UP, 10);
	CHECK(top.scroll == 0);
	top_key(&top, TOP_DOWN, 10);
	top_key(&top, TOP_PAGE_DOWN, 10);
	CHECK(top.scroll == 11);
	top_key(&top, TOP_UP, 10);
	top_key(&top, TOP_PAGE_UP, 10);
	CHECK(top.scroll == 0);
	/* Less than a page from the top. */
	top_key(&top, TOP_DOWN, 10);
	top_key(&top, TOP_PAGE_UP, 10);
	CHECK(top.scroll == 0);
	top_key(&top, TOP_PAGE_DOWN, 1000000);
	CHECK(top.scroll == top.nr_shown - 1);
	top_key(&top, TOP_HOME, 10);
	CHECK(top.scroll == 0);
	top_free(&top);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_looks),
		TAP_TEST(test_ends),
		TAP_TEST(test_activity),
		TAP_TEST(test_choose),
		TAP_TEST(test_keys),
		TAP_TEST(test_filter_keys),
		TAP_TEST(test_scroll),
	};
	int fd, status;

	snprintf(live, sizeof(live), "/tmp/htmm-live-XXXXXX");
	fd = mkstemp(live);
	if (fd < 0) {
		printf("Bail out! cannot make %s\n", live);
		return EXIT_FAILURE;
	}
	close(fd);
	setenv("FAKE_LIVE", live, 1);
	status = tap_main(tests, ARRAY_SIZE(tests));
	unlink(live);
	return status;
}
