// SPDX-License-Identifier: GPL-2.0
/* The command target: adds and removes targets while sampling runs. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "fields.h"
#include "session.h"
#include "view.h"

#define MIB(bytes)	((double)(bytes) / (1024 * 1024))

/**
 * struct target_cmd - the options of target
 * @verb: "add", "remove" or "list"
 * @words: what follows the options
 * @session: the targets to add
 * @capacity: bytes of the fast tier for each; 0: the session's
 * @max_bytes: most memory for each table, in bytes; 0: the session's
 * @json: print JSON
 * @list: the targets of the session
 */
struct target_cmd {
	const char *verb;
	char **words;
	struct session session;
	__s64 capacity;
	__s64 max_bytes;
	bool json;
	struct htmm_target_list list;
};

void target_words(char *text, size_t size, const struct htmm_target_info *target)
{
	const char *dead = target->flags & HTMM_TARGET_INFO_DEAD ? ", gone" : "";

	if (target->type == HTMM_TARGET_ALL)
		snprintf(text, size, "all processes");
	else if (target->type == HTMM_TARGET_CGROUP)
		snprintf(text, size, "cgroup %s%s", target->name, dead);
	else
		snprintf(text, size, "process %llu%s%s%s%s", target->id, *target->name ? " (" : "",
			 target->name, *target->name ? ")" : "", dead);
}

/* Filtered samples belong to no target. */
static struct json_object *losses_json(const struct htmm_target_info *target)
{
	struct json_object *losses = json_object_new_object();
	unsigned int i;

	for (i = 0; i < HTMM_NR_DROPS; i++)
		if (!(HTMM_DROPS_UNWANTED >> i & 1))
			json_add_u64(losses, htmm_drop_name(i), target->drops[i]);
	return losses;
}

static struct json_object *target_json(const struct htmm_target_info *target)
{
	struct json_object *obj = json_object_new_object();

	fields_json(obj, target_fields, target);
	stats_values_json(obj, target->stats, HTMM_TARGET_STATS);
	json_add_name(obj, "type", htmm_target_type_name(target->type));
	json_add_name(obj, "name", target->name);
	json_add(obj, "losses", losses_json(target));
	return obj;
}

struct json_object *targets_json(const struct htmm_target_list *targets)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < targets->nr; i++)
		json_object_array_add(array, target_json(&targets->target[i]));
	return array;
}

static void print_targets(FILE *file, const struct htmm_target_list *targets)
{
	char words[HTMM_TARGET_NAME_LEN + 32];
	size_t i;

	if (!targets->nr) {
		fputs("there is no target: nothing is counted; add one with 'htmmctl target add'\n",
		      file);
		return;
	}
	fprintf(file, "%6s %12s %10s %10s %10s %10s  %s\n", "target", "samples", "pages", "MiB",
		"fast MiB", "table MiB", "who");
	for (i = 0; i < targets->nr; i++) {
		const struct htmm_target_info *target = &targets->target[i];

		target_words(words, sizeof(words), target);
		fprintf(file, "%6u %12llu %10llu %10.1f %10.1f %10.1f  ", target->number,
			target->stats[HTMM_STAT_SAMPLES], target->pages,
			MIB(target->pages << HTMM_PAGE_SHIFT),
			MIB(target->capacity_pages << HTMM_PAGE_SHIFT), MIB(target->bytes));
		out_name(file, words);
		fputc('\n', file);
	}
}

static int read_list(int fd, void *arg, struct htmm_error *err)
{
	struct target_cmd *cmd = arg;

	return htmm_device_targets(fd, &cmd->list, err);
}

static int print_list(void *arg, struct json_object *obj, struct htmm_error *err)
{
	const struct target_cmd *cmd = arg;

	if (obj) {
		json_add(obj, "targets", targets_json(&cmd->list));
		json_print(stdout, obj);
	} else {
		print_targets(stdout, &cmd->list);
	}
	return 0;
}

static int list(int fd, struct target_cmd *cmd, struct htmm_error *err)
{
	int ret = session_answer(fd, cmd->json, read_list, print_list, cmd, err);

	htmm_targets_free(&cmd->list);
	return ret;
}

static int add(int fd, struct target_cmd *cmd, struct htmm_error *err)
{
	struct htmm_target *target = cmd->session.targets;
	__u32 number, i;

	for (i = 0; i < cmd->session.start.nr_targets; i++, target++) {
		target->capacity_pages = cmd->capacity >> HTMM_PAGE_SHIFT;
		target->max_bytes = cmd->max_bytes;
		if (htmm_device_add_target(fd, target, &number, err)) {
			advise(err, ERANGE, "ask for less with --max-bytes");
			return advise(err, ENOMEM,
				      "ask for less with --max-bytes, or remove another target");
		}
		if (!verbosity.quiet)
			printf("target %u added\n", number);
	}
	return 0;
}

static int remove_all(int fd, char **words, struct htmm_error *err)
{
	__s64 number;
	int ret = 0;

	for (; !ret && *words; words++) {
		ret = htmm_parse_number(*words, 1, UINT_MAX, &number, err);
		if (!ret)
			ret = htmm_device_remove_target(fd, number, err);
	}
	return ret;
}

/* What is wrong with the remaining words, or NULL. */
static const char *misuse(const struct target_cmd *cmd, int words)
{
	const char *verb = cmd->verb;
	bool given = cmd->session.start.nr_targets;

	if (cmd->json && strcmp(verb, "list"))
		return "--json is for 'target list'";
	if (!strcmp(verb, "add"))
		return words ? "name targets with -p, --cgroup or -a" :
		       given ? NULL : "no target given: name some with -p, --cgroup or -a";
	if (given || cmd->capacity || cmd->max_bytes)
		return "-p, --cgroup, -a, --capacity and --max-bytes are for 'target add'";
	if (!strcmp(verb, "remove"))
		return words ? NULL : "no number given: see 'htmmctl target list'";
	if (!strcmp(verb, "list"))
		return words ? "'target list' takes no words" : NULL;
	return "give 'add', 'remove' or 'list'";
}

static int go(int fd, void *arg, struct htmm_error *err)
{
	struct target_cmd *cmd = arg;

	if (!strcmp(cmd->verb, "add"))
		return add(fd, cmd, err);
	if (!strcmp(cmd->verb, "remove"))
		return remove_all(fd, cmd->words, err);
	return list(fd, cmd, err);
}

static int run_target(const struct command *cmd, int argc, char **argv)
{
	const struct htmm_target all = { .type = HTMM_TARGET_ALL };
	struct target_cmd target = { .verb = argc > 1 && *argv[1] != '-' ? argv[1] : "" };
	struct opt opts[TARGET_OPTS + 4] = {};
	const struct opt more[] = {
		{ OPT_SIZE, 0, "capacity", "SIZE", "fast tier for each: 512M, 4G, 1000p",
		  &target.capacity, 4096, LLONG_MAX },
		{ OPT_SIZE, 0, "max-bytes", "SIZE", "most memory for each one's table",
		  &target.max_bytes, 1, LLONG_MAX },
		OPT_JSON(&target.json),
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	const char *wrong;
	int ret, rest;

	target_opts(&target.session, opts);
	memcpy(opts + TARGET_OPTS, more, sizeof(more));
	/* usage_error() expects the command's name where the verb is. */
	if (*target.verb) {
		argc--;
		argv++;
	}
	ret = opts_parse(cmd, argc, argv, tables, &rest);
	if (ret != OPTS_GO_ON)
		return ret;
	if (target.session.all && session_add_target(&target.session, &all, &err))
		return print_error(&err);
	target.words = argv + rest;
	wrong = misuse(&target, argc - rest);
	if (wrong)
		return usage_error(cmd, NULL, "%s", wrong);
	return device_call(go, &target);
}

const struct command cmd_target = {
	.name = "target",
	.synopsis = "add|remove|list [options] [NUMBER...]",
	.summary = "add, remove or list targets, while sampling",
	.help = "Each process or cgroup that is added has counts, histograms and thresholds\n"
		"of its own.  A sample counts for one target, the most specific: a process\n"
		"before a cgroup, an inner cgroup before an outer one, all processes last.\n"
		"'remove' takes the numbers that 'list' shows.",
	.run = run_target,
};
