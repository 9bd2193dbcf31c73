// SPDX-License-Identifier: GPL-2.0
/* htmmctl placement: on which nodes the pages are, and how good that is. */
#include "htmmctl/options.h"
#include "htmmctl/placement.h"
#include "htmmctl/view.h"

/* Columns before the bar. */
#define BAR_INDENT	26

/**
 * struct placement_cmd - options and results of placement
 * @json: print JSON
 * @target: only this one; 0: each of them, and all together
 * @targets: the targets of the session
 * @list: the placements
 * @served: what served the samples of the targets, if the session counts that
 */
struct placement_cmd {
	bool json;
	__s64 target;
	struct htmm_target_list targets;
	struct placement_list list;
	struct served_list served;
};

/* The share of a target's loads from memory that the fast tier served, if its events tell. */
static bool measured(const struct placement_cmd *cmd, __u32 target, __u32 *ppm)
{
	size_t i;

	/* If there is one target, all together are that. */
	for (i = 0; i < cmd->served.nr; i++)
		if (cmd->served.all[i].target == target || cmd->served.nr == 1)
			return served_ratio(&cmd->served.all[i].tiers, ppm);
	return false;
}

static void print_node(FILE *file, const struct htmm_node_placement *node, __u64 samples)
{
	char size[SIZE_TEXT], huge[SIZE_TEXT];

	fprintf(file, "%4d %-4s %10s %10s %7llu %7llu %7llu %7llu %8llu %5.1f%%\n", node->node,
		placement_tier(node), size_text(size, node->pages << HTMM_PAGE_SHIFT),
		size_text(huge, node->huge_pages << HTMM_PAGE_SHIFT), node->tracked_pages,
		node->hot_pages, node->warm_pages, placement_cold(node), node->samples,
		percent(node->samples, samples));
}

static void print_bar(FILE *file, const struct htmm_node_placement *node, const char *what,
		      __u64 value, __u64 most)
{
	fprintf(file, "%s %5.1f%%  ", what, percent(value, most));
	out_colour(file, node->flags & HTMM_NODE_FAST ? COLOUR_GREEN : COLOUR_RED);
	out_bar(file, value, most, out_width(file) - BAR_INDENT - 1);
	out_colour(file, COLOUR_NONE);
	fputc('\n', file);
}

/* How much each node has of the memory and of the samples. */
static void print_bars(FILE *file, const struct htmm_placement_buf *where, __u64 samples)
{
	__u64 pages = 0;
	__u32 n;

	for (n = 0; n < where->placement.nr_nodes; n++)
		pages += where->nodes[n].pages;
	for (n = 0; n < where->placement.nr_nodes; n++) {
		const struct htmm_node_placement *node = &where->nodes[n];

		fprintf(file, "%4d %-4s ", node->node, placement_tier(node));
		print_bar(file, node, "memory ", node->pages, pages);
		fprintf(file, "%10s", "");
		print_bar(file, node, "samples", node->samples, samples);
	}
}

/* What the table does not have. */
static void print_rest(FILE *file, const struct htmm_placement *where)
{
	if (where->unknown_pages)
		fprintf(file, "not in memory, or process exited: %llu pages with %llu samples\n",
			where->unknown_pages, where->unknown_samples);
	if (where->shared_pages)
		fprintf(file, "shared by several processes, and counted once: %llu pages\n",
			where->shared_pages);
	if (where->skipped)
		fprintf(file, "not read: %u of %u processes, busy changing mappings; ask again\n",
			where->skipped, where->spaces + where->skipped);
}

static void print_summary(FILE *file, const struct placement *placement)
{
	const struct placement_sums sums = placement_sum(placement);
	char hot[SIZE_TEXT], cold[SIZE_TEXT], best[HIT_WORDS];

	print_rest(file, &placement->where.placement);
	fprintf(file, "hot on slow nodes: %s; cold on fast nodes: %s\n",
		size_text(hot, sums.hot_slow << HTMM_PAGE_SHIFT),
		size_text(cold, sums.cold_fast << HTMM_PAGE_SHIFT));
	if (!sums.samples) {
		fputs("no page in memory has samples\n", file);
		return;
	}
	hit_words(best, sizeof(best), &placement->hit);
	fprintf(file, "%.1f%% of the samples are on fast nodes; ", sums.hit_ppm / 1e4);
	fprintf(file, "at best, in a fast tier of this capacity: %s\n", best);
}

static void print_title(FILE *file, const struct htmm_target_list *targets, __u32 number)
{
	char words[HTMM_TARGET_NAME_LEN + 32];
	size_t i;

	if (!number) {
		fputs("all targets together:\n", file);
		return;
	}
	for (i = 0; i < targets->nr; i++) {
		if (targets->target[i].number != number)
			continue;
		target_words(words, sizeof(words), &targets->target[i]);
		fprintf(file, "target %u, ", number);
		out_name(file, words);
		fputs(":\n", file);
	}
}

static void print_one(FILE *file, const struct placement_cmd *cmd, size_t number)
{
	const struct placement *placement = &cmd->list.all[number];
	const struct htmm_placement_buf *where = &placement->where;
	const __u64 samples = placement_sum(placement).samples;
	__u32 n, ppm;

	if (number)
		fputc('\n', file);
	print_title(file, &cmd->targets, placement->target);
	fprintf(file, "%31s %31s\n", "memory", "pages");
	fprintf(file, "%4s %-4s %10s %10s %7s %7s %7s %7s %8s %6s\n", "node", "tier", "resident",
		"huge", "tracked", "hot", "warm", "cold", "samples", "share");
	for (n = 0; n < where->placement.nr_nodes; n++)
		print_node(file, &where->nodes[n], samples);
	print_bars(file, where, samples);
	print_summary(file, placement);
	if (measured(cmd, placement->target, &ppm))
		fprintf(file, "measured: the fast tier served %.1f %% of the loads from memory\n",
			ppm / 1e4);
	else if (samples && cmd->served.nr)
		fputs("not measured: no event tells what served its samples, and pages may move\n",
		      file);
}

/* Where no event tells, by the nodes on which the sampled pages are now. */
static void add_measured(struct json_object *obj, const struct placement_cmd *cmd,
			 const struct placement *placement)
{
	const struct placement_sums sums = placement_sum(placement);
	__u32 ppm = sums.hit_ppm;
	const char *by = measured(cmd, placement->target, &ppm) ? "served" :
			 sums.samples ? "pages" : NULL;

	json_add(obj, "measured_hit_ratio_ppm", by ? json_object_new_uint64(ppm) : NULL);
	json_add(obj, "measured_by", by ? json_object_new_string(by) : NULL);
}

static void print_json(FILE *file, struct json_object *obj, const struct placement_cmd *cmd)
{
	struct json_object *array = json_object_new_array(), *one;
	size_t i;

	for (i = 0; i < cmd->list.nr; i++) {
		one = json_object_new_object();
		placement_json(one, &cmd->list.all[i], true);
		add_measured(one, cmd, &cmd->list.all[i]);
		json_object_array_add(array, one);
	}
	json_add(obj, "placements", array);
	json_print(file, obj);
}

static int read_served(int fd, struct placement_cmd *cmd, struct htmm_error *err)
{
	struct htmm_stats_buf stats = {};
	struct htmm_info info;
	int ret = htmm_device_info(fd, &info, err);

	if (!ret && served_known(&info))
		ret = htmm_device_stats(fd, &stats, err);
	if (!ret)
		ret = served_read(&cmd->served, fd, &info, &stats, &cmd->targets, err);
	htmm_stats_free(&stats);
	return ret;
}

static int read_all(int fd, void *arg, struct htmm_error *err)
{
	struct placement_cmd *cmd = arg;

	return htmm_device_targets(fd, &cmd->targets, err) ?: read_served(fd, cmd, err) ?:
	       placements_read(fd, cmd->target, &cmd->targets, &cmd->list, err);
}

static int print_all(void *arg, struct json_object *obj, struct htmm_error *err)
{
	const struct placement_cmd *cmd = arg;
	size_t i;

	if (obj)
		print_json(stdout, obj, cmd);
	for (i = 0; !obj && i < cmd->list.nr; i++)
		print_one(stdout, cmd, i);
	return 0;
}

static int show(int fd, void *arg, struct htmm_error *err)
{
	struct placement_cmd *cmd = arg;
	int ret = session_answer(fd, cmd->json, read_all, print_all, cmd, err);

	placements_free(&cmd->list);
	served_free(&cmd->served);
	htmm_targets_free(&cmd->targets);
	return ret;
}

static int run_placement(const struct command *cmd, int argc, char **argv)
{
	struct placement_cmd placement = {};
	const struct opt opts[] = {
		OPT_TARGET(&placement.target),
		OPT_JSON(&placement.json),
		{ OPT_END },
	};

	return simple_cmd(cmd, argc, argv, opts, show, &placement);
}

static const struct command cmd_placement = {
	.name = "placement",
	.synopsis = "[options]",
	.help = "Shows for each target and node how much memory is resident, hot and cold, and\n"
		"which share of the samples is on fast nodes, now and with the best placement.",
	.run = run_placement,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_placement, argc, argv);
}
