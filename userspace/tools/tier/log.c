// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <json.h>
#include <string.h>
#include <sys/resource.h>
#include "htmmctl/output.h"
#include "log.h"

/* Moves that log_plan() prints of each direction, as text. */
#define SHOWN	10

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void add_number(struct json_object *obj, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", value);
	json_add(obj, key, json_object_new_double_s(value, text));
}

static struct json_object *refused_json(const struct mover *mover)
{
	struct json_object *obj = json_object_new_object();
	unsigned int i;

	for (i = 0; i < NR_REFUSALS; i++)
		json_add_u64(obj, refusal_name(i), mover->refused[i]);
	return obj;
}

static struct json_object *cpu_json(const struct tier *tier)
{
	struct json_object *obj = json_object_new_object();
	unsigned int i;

	for (i = 0; i < TIER_NR_WORKS; i++)
		add_number(obj, tier_work_name(i), tier->cpu[i]);
	return obj;
}

static struct json_object *held_json(const struct policy_plan *plan)
{
	struct json_object *obj = json_object_new_object();
	unsigned int i;

	for (i = 0; i < POLICY_NR_HELD; i++)
		json_add_u64(obj, policy_held_name(i), plan->held[i]);
	return obj;
}

/* What a look is of. */
static struct json_object *look_json(const struct tier *tier)
{
	struct json_object *obj = json_new();

	json_add_u64(obj, "session", tier->session);
	add_number(obj, "seconds", tier->seconds);
	json_add_u64(obj, "look", tier->looks);
	json_add_u64(obj, "samples", tier->samples);
	json_add_u64(obj, "thin", tier->thin);
	return obj;
}

/* Adds what a look has found and decided of one group. */
static void add_group(struct json_object *obj, const struct group *group)
{
	const struct policy_plan *plan = group->plan;

	json_add_u64(obj, "target", group->target);
	json_add(obj, "fast_share", plan->fast_share < 0 ? NULL :
					json_object_new_double(plan->fast_share));
	json_add_u64(obj, "capacity_pages", group->capacity);
	json_add(obj, "limit_pages", group->limit ? json_object_new_uint64(group->limit) : NULL);
	json_add_u64(obj, "used_pages", group->used);
	add_number(obj, "threshold", plan->threshold);
	json_add_u64(obj, "candidates", plan->candidates);
	json_add(obj, "held", held_json(plan));
	add_number(obj, "saved_seconds", plan->saved_s);
	add_number(obj, "spent_seconds", plan->spent_s);
	json_add_u64(obj, "listed", group->pages.nr);
	json_add_u64(obj, "least", group->least);
	json_add_u64(obj, "planned_demotions", plan->demoted_pages);
	json_add_u64(obj, "planned_promotions", plan->promoted_pages);
	json_add_u64(obj, "forced", plan->forced_pages);
	json_add_u64(obj, "reserve", plan->reserve);
	json_add_u64(obj, "ahead", plan->ahead_pages);
	json_add_u64(obj, "pingpongs", plan->pingpong_pages);
	json_add_bool(obj, "burst", plan->burst);
}

static struct json_object *line_json(const struct tier *tier, const struct group *group)
{
	struct json_object *obj = look_json(tier);

	json_add_u64(obj, "rests_total", tier->rests);
	add_group(obj, group);
	json_add_u64(obj, "demoted_total", tier->mover.demoted);
	json_add_u64(obj, "promoted_total", tier->mover.promoted);
	json_add(obj, "refused_total", refused_json(&tier->mover));
	json_add_u64(obj, "evicted_total", tier->evicted);
	add_number(obj, "move_seconds_total", tier->mover.ns / 1e9);
	add_number(obj, "cpu_seconds_total", cpu_seconds());
	json_add(obj, "cpu_seconds_by_work", cpu_json(tier));
	return obj;
}

static int flush(FILE *file, const char *name, struct htmm_error *err)
{
	if (!fflush(file))
		return 0;
	return htmm_error_set(err, errno, NULL, "cannot write %s: %s", name, strerror(errno));
}

int log_look(FILE *file, const struct tier *tier, struct htmm_error *err)
{
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++)
		if (!tier->groups[i].rests)
			json_print(file, line_json(tier, &tier->groups[i]));
	return flush(file, "the log", err);
}

static void print_moves(FILE *file, const struct policy_move *moves, size_t nr, const char *verb)
{
	size_t i;

	for (i = 0; i < nr && i < SHOWN; i++) {
		fprintf(file, "  %s pid %u address 0x%llx, %u KiB on node %d: %llu samples, ",
			verb, moves[i].pid, moves[i].addr, moves[i].pages * 4, moves[i].node,
			moves[i].samples);
		fprintf(file, "expected %.3g/s\n", moves[i].value);
	}
	if (nr > SHOWN)
		fprintf(file, "  and %zu more\n", nr - SHOWN);
}

static void print_held(FILE *file, const struct policy_plan *plan)
{
	unsigned int i;

	for (i = 0; i < POLICY_NR_HELD; i++)
		if (plan->held[i])
			fprintf(file, "  not promoted (%s): %llu pages\n", policy_held_name(i),
				plan->held[i]);
}

int log_plan(FILE *file, const struct tier *tier, struct htmm_error *err)
{
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		const struct group *group = &tier->groups[i];
		const struct policy_plan *plan = group->plan;

		if (group->rests)
			continue;
		fprintf(file, "%.1f s: ", tier->seconds);
		if (group->target)
			fprintf(file, "target %u: ", group->target);
		fprintf(file, "%llu of %llu pages of the fast tier in use; ", group->used,
			group->capacity);
		if (plan->fast_share >= 0)
			fprintf(file, "it served %.1f %% of the new samples; ",
				100 * plan->fast_share);
		fprintf(file, "%llu pages of the slow tier are hotter ", plan->candidates);
		fprintf(file, "than the page that would leave (%.3g/s)\n", plan->threshold);
		print_moves(file, plan->moves, plan->nr_demotions, "demote");
		print_moves(file, plan->moves + plan->nr_demotions,
			    plan->nr_moves - plan->nr_demotions, "promote");
		print_held(file, plan);
	}
	return flush(file, "the plan", err);
}

static struct json_object *periods_json(const struct tier *tier)
{
	const struct htmm_event_list *events = tier->events;
	struct json_object *obj = json_object_new_object();
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		const __u64 period = events->event[i].period * tier->thin;

		json_add_under_name(obj, events->event[i].name, json_object_new_uint64(period));
	}
	return obj;
}

static struct json_object *move_json(const struct policy_move *move)
{
	struct json_object *obj = json_object_new_object();

	json_add_u64(obj, "pid", move->pid);
	json_add_hex(obj, "addr", move->addr);
	json_add_u64(obj, "pages", move->pages);
	json_add_u64(obj, "node", move->node);
	json_add_u64(obj, "samples", move->samples);
	add_number(obj, "expected", move->value);
	return obj;
}

/* Written move by move, as there may be many. */
static void write_moves(FILE *file, const struct policy_move *moves, size_t nr, const char *key)
{
	size_t i;

	fprintf(file, ",\"%s\":[", key);
	for (i = 0; i < nr; i++) {
		if (i)
			fputc(',', file);
		json_write(file, move_json(&moves[i]));
	}
	fputc(']', file);
}

static void write_group(FILE *file, const struct group *group)
{
	const struct policy_plan *plan = group->plan;
	struct json_object *obj = json_object_new_object();

	add_group(obj, group);
	json_begin(file, obj);
	write_moves(file, plan->moves, plan->nr_demotions, "demotions");
	write_moves(file, plan->moves + plan->nr_demotions, plan->nr_moves - plan->nr_demotions,
		    "promotions");
	fputc('}', file);
}

static const struct group *next_decided(const struct tier *tier, const struct group *group)
{
	const struct group *end = tier->groups + tier->nr_groups;

	while (group < end && group->rests)
		group++;
	return group < end ? group : NULL;
}

int log_plan_json(FILE *file, const struct tier *tier, struct htmm_error *err)
{
	const struct group *group = next_decided(tier, tier->groups);
	struct json_object *obj;

	if (!group)
		return 0;
	obj = look_json(tier);
	json_add(obj, "periods", periods_json(tier));
	json_add_u64(obj, "capacity_pages", tier->session_capacity);
	json_begin(file, obj);
	fputs(",\"targets\":[", file);
	while (group) {
		write_group(file, group);
		group = next_decided(tier, group + 1);
		if (group)
			fputc(',', file);
	}
	fputs("]}\n", file);
	return flush(file, "the plan", err);
}

static double share_of(const struct tally *tally)
{
	return 100 * tally->fast / tally->samples;
}

/* Without moves, all looks were before the first of them. */
static void print_effect(FILE *file, const struct tier *tier)
{
	if (!(tier->before.samples > 0))
		return;
	fprintf(file, "the fast tier served %.1f %% of the samples", share_of(&tier->before));
	if (tier->mover.promoted || tier->mover.demoted)
		fprintf(file, " before the first move, and %.1f %% at the end",
			share_of(&tier->lately));
	fputc('\n', file);
}

/* Nothing is saved where nothing may be moved. */
static void print_balance(FILE *file, const struct tier *tier)
{
	double saved = 0, spent = 0;
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		const struct policy_plan *plan = tier->groups[i].plan;

		if (!plan)
			continue;
		saved += plan->saved_s;
		spent += plan->spent_s;
	}
	if (!tier->config.dry && spent > 0)
		fprintf(file,
			"moves have saved about %.1f s of CPU time; samples, looks and moves took %.1f s\n",
			saved, spent);
}

void log_sums(FILE *file, const struct tier *tier)
{
	const struct mover *mover = &tier->mover;
	unsigned int i;

	fprintf(file, "%llu pages promoted, %llu demoted in %.*f s; ", mover->promoted,
		mover->demoted, tier->seconds < 1 ? 3 : 1, tier->seconds);
	fprintf(file, "%.2f s of CPU time, %.2f s of it for moves\n", cpu_seconds(),
		tier->cpu[TIER_MOVE]);
	for (i = 0; i < NR_REFUSALS; i++)
		if (mover->refused[i])
			fprintf(file, "%llu pages not moved (%s)\n", mover->refused[i],
				refusal_name(i));
	print_effect(file, tier);
	print_balance(file, tier);
}
