// SPDX-License-Identifier: GPL-2.0
/* What `htmmctl tier` prints: a line of the log for each look, a plan, and the sums at the end. */
#include <errno.h>
#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include "test.h"
#include "tier/log.h"
#include "tier/tier.h"

static const struct htmm_event_list two_events = {
	.nr = 2,
	.event = { { .name = "a-load", .period = 167 }, { .name = "a-store", .period = 173 } },
};

/* Two groups, and one that rests; no two members are equal. */
static void fill_primes(struct tier *tier, struct policy_plan *plan, struct policy_move *moves)
{
	unsigned int i;

	for (i = 0; i < 14; i++)
		moves[i] = (struct policy_move) {
			.addr = 0x10000 + 0x1000 * i, .pid = 1009 + i, .pages = 31 + i,
			.node = i & 3,
			.samples = 2003 + i, .value = 0.125f * (i + 1),
		};
	*plan = (struct policy_plan) {
		.moves = moves, .nr_demotions = 2, .nr_moves = 14, .demoted_pages = 3,
		.promoted_pages = 5, .forced_pages = 7, .reserve = 151,
		.ahead_pages = 157, .pingpong_pages = 11,
		.held = { 13, 17, 19, 199, 23, 29, 0, 37 }, .candidates = 41, .threshold = 43.5,
		.fast_share = 0.75, .saved_s = -13.25, .spent_s = 21.5, .burst = true,
	};
	plan[1] = (struct policy_plan) {
		.moves = moves, .fast_share = -1, .saved_s = 111, .spent_s = 3,
	};
	*tier = (struct tier) {
		.nr_groups = 3, .session = 163, .session_capacity = 181, .events = &two_events,
		.looks = 47, .rests = 53, .seconds = 59.25,
		.samples = 61,
		.evicted = 67, .thin = 71, .before = { 800, 100 },
		.lately = { 1600, 1000 }, .cpu = { 0.5, 1.5, 2.5, 3.5, 4.5, 5.5 },
		.mover = { .demoted = 73, .promoted = 79, .ns = 1250000000,
			   .refused = { 83, 89, 97, 101, 103, 0, 107 } },
	};
	tier->groups[0] = (struct group) {
		.target = 109, .used = 113, .capacity = 127, .limit = 179, .least = 131,
		.plan = plan,
		.nr_slow = 137, .pages.nr = 1137,
	};
	tier->groups[1] = (struct group) { .rests = true, .plan = plan };
	tier->groups[2] = (struct group) { .used = 139, .capacity = 149, .plan = plan + 1 };
}

/* What @print says of it, without CPU time. */
static char *said(void (*print)(FILE *file, const struct tier *tier), const struct tier *tier)
{
	char *text = NULL, *at, *end;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	CHECK(file);
	print(file, tier);
	CHECK(!fclose(file));
	for (at = text; (at = strstr(at, "\"cpu_seconds_total\":")); at = end) {
		end = strchr(at, ',');
		CHECK(end);
		memmove(at, end + 1, strlen(end));
		end = at;
	}
	return text;
}

/* It is what the file with that name has. */
static bool same(char *text, const char *name)
{
	char path[256], want[8192];
	FILE *file;
	bool same;

	snprintf(path, sizeof(path), EXPECTED_DIR "/%s", name);
	file = fopen(path, "re");
	CHECK(file);
	want[fread(want, 1, sizeof(want) - 1, file)] = '\0';
	fclose(file);
	same = !strcmp(text, want);
	if (!same)
		printf("# said: %s\n# not: %s\n", text, want);
	free(text);
	return same;
}

static void print_look(FILE *file, const struct tier *tier)
{
	struct htmm_error err;

	CHECK(!log_look(file, tier, &err));
}

static void print_plan(FILE *file, const struct tier *tier)
{
	struct htmm_error err;

	CHECK(!log_plan(file, tier, &err));
}

static void print_plan_json(FILE *file, const struct tier *tier)
{
	struct htmm_error err;

	CHECK(!log_plan_json(file, tier, &err));
}

static struct json_object *member(struct json_object *obj, const char *key)
{
	struct json_object *value;

	CHECK(json_object_object_get_ex(obj, key, &value));
	return value;
}

static double number(struct json_object *obj, const char *key)
{
	return json_object_get_double(member(obj, key));
}

static void tell_moves(FILE *file, struct json_object *moves, const char *verb)
{
	size_t nr = json_object_array_length(moves), i;

	for (i = 0; i < nr && i < 10; i++) {
		struct json_object *move = json_object_array_get_idx(moves, i);

		fprintf(file, "  %s pid %.0f address %s, %.0f KiB on node %.0f: ", verb,
			number(move, "pid"), json_object_get_string(member(move, "addr")),
			4 * number(move, "pages"), number(move, "node"));
		fprintf(file, "%.0f samples, expected %.3g/s\n", number(move, "samples"),
			number(move, "expected"));
	}
	if (nr > 10)
		fprintf(file, "  and %zu more\n", nr - 10);
}

static void tell_target(FILE *file, struct json_object *target)
{
	if (number(target, "target"))
		fprintf(file, "target %.0f: ", number(target, "target"));
	fprintf(file, "%.0f of %.0f pages of the fast tier in use; ", number(target, "used_pages"),
		number(target, "capacity_pages"));
	if (member(target, "fast_share"))
		fprintf(file, "it served %.1f %% of the new samples; ",
			100 * number(target, "fast_share"));
	fprintf(file, "%.0f pages of the slow tier are hotter than the page that would leave ",
		number(target, "candidates"));
	fprintf(file, "(%.3g/s)\n", number(target, "threshold"));
	tell_moves(file, member(target, "demotions"), "demote");
	tell_moves(file, member(target, "promotions"), "promote");
	json_object_object_foreach(member(target, "held"), reason, pages)
		if (json_object_get_int64(pages))
			fprintf(file, "  not promoted (%s): %lld pages\n", reason,
				(long long)json_object_get_int64(pages));
}

/* What people read of a plan, from its JSON alone. */
static char *told_by_json(const struct tier *tier)
{
	char *json = said(print_plan_json, tier), *text = NULL;
	struct json_object *obj = json_tokener_parse(json), *targets;
	size_t size, i;
	FILE *file = open_memstream(&text, &size);

	CHECK(obj && file);
	targets = member(obj, "targets");
	for (i = 0; i < json_object_array_length(targets); i++) {
		fprintf(file, "%.1f s: ", number(obj, "seconds"));
		tell_target(file, json_object_array_get_idx(targets, i));
	}
	CHECK(!fclose(file));
	json_object_put(obj);
	free(json);
	return text;
}

/* The JSON has all that the text has, and nothing of what rests. */
static void test_plan_json(void)
{
	struct policy_move moves[14];
	struct policy_plan plan[2];
	char *text, *again;
	struct tier tier;

	fill_primes(&tier, plan, moves);
	CHECK(same(said(print_plan_json, &tier), "tier_plan.json"));
	text = said(print_plan, &tier);
	again = told_by_json(&tier);
	CHECK(!strcmp(text, again));
	free(text);
	free(again);
	tier.groups[0].rests = true;
	tier.groups[2].rests = true;
	text = said(print_plan_json, &tier);
	CHECK(!*text);
	free(text);
}

/* Every member has a value of its own in each line. */
static void test_log(void)
{
	struct policy_move moves[14];
	struct policy_plan plan[2];
	struct htmm_error err;
	FILE *file;
	struct tier tier;

	fill_primes(&tier, plan, moves);
	CHECK(same(said(print_look, &tier), "tier_log.json"));
	CHECK(same(said(print_plan, &tier), "tier_plan.txt"));
	file = fopen("/dev/full", "we");
	CHECK(file);
	CHECK(log_look(file, &tier, &err) == -ENOSPC);
	CHECK(strstr(err.what, "cannot write the log: No space"));
	CHECK(log_plan(file, &tier, &err) == -ENOSPC);
	CHECK(strstr(err.what, "cannot write the plan: No space"));
	CHECK(log_plan_json(file, &tier, &err) == -ENOSPC);
	CHECK(strstr(err.what, "cannot write the plan: No space"));
	fclose(file);
}

static void test_sums(void)
{
	struct policy_move moves[14];
	struct policy_plan plan[2];
	struct tier tier;
	double seconds;
	char *text, *cpu;

	fill_primes(&tier, plan, moves);
	text = said(log_sums, &tier);
	cpu = strstr(text, "59.2 s; ");
	CHECK(cpu && sscanf(cpu, "59.2 s; %lf s", &seconds) == 1 && seconds >= 0 && seconds < 60);
	cpu = strstr(cpu, " s of CPU");
	CHECK(cpu && !strncmp(text, "79 pages promoted, 73 demoted in 59.2 s; ", 41));
	CHECK(!strcmp(cpu, " s of CPU time, 4.50 s of it for moves\n"
		      "83 pages not moved (gone)\n89 pages not moved (absent)\n"
		      "97 pages not moved (shared)\n101 pages not moved (busy)\n"
		      "103 pages not moved (full)\n107 pages not moved (other)\n"
		      "the fast tier served 12.5 % of the samples before the first move, and 62.5 % at the end\n"
		      "moves have saved about 84.5 s of CPU time; samples, looks and moves took 46.0 s\n"
		      ));
	free(text);
	tier.mover = (struct mover) {};
	text = said(log_sums, &tier);
	CHECK(strstr(text, "for moves\nthe fast tier served 12.5 % of the samples\n"));
	free(text);
	tier.before = (struct tally) {};
	text = said(log_sums, &tier);
	CHECK(!strstr(text, "served"));
	free(text);
	tier.config.dry = true;
	text = said(log_sums, &tier);
	CHECK(!strstr(text, "saved"));
	free(text);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_log),
		TAP_TEST(test_plan_json),
		TAP_TEST(test_sums),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
