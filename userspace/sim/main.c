// SPDX-License-Identifier: GPL-2.0
/* htmm-sim: tiering without the machine. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "sim.h"

/**
 * struct options - what the command line says
 * @config: the machine and the policy
 * @program: the program to make up
 * @size: its memory, in bytes
 * @accesses: how many it makes
 * @huge: it has huge pages
 * @ratio: the fast tier is one part of so many and one
 * @capacity: of the fast tier, in bytes; 0: by @ratio
 * @period: accesses between two samples; of a recording: take each so many'th sample
 * @cooling: samples between two coolings
 * @trace: print a line for each look
 * @json: print JSON
 */
struct options {
	struct sim_config config;
	const char *program;
	__s64 size;
	__s64 accesses;
	bool huge;
	__s64 ratio;
	__s64 capacity;
	__s64 period;
	__s64 cooling;
	__s64 seed;
	bool trace;
	bool json;
};

static int call_number(void *value, const char *text, struct htmm_error *err)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= 0))
		return htmm_error_set(err, EINVAL, "give a number of 0 or more",
				      "'%s' is not such a number", text);
	*(double *)value = number;
	return 0;
}

static int call_without(void *value, const char *text, struct htmm_error *err)
{
	const char *names[POLICY_NR_RULES];
	int i;

	for (i = 0; i < POLICY_NR_RULES; i++)
		names[i] = policy_rule_name(i);
	i = opt_word(names, POLICY_NR_RULES, text, "there is no rule", err);
	if (i >= 0)
		*(__u32 *)value |= 1U << i;
	return i < 0 ? i : 0;
}

static struct source *open_source(const struct options *opt, const char *path,
				  struct htmm_error *err)
{
	const struct source_config config = {
		.program = opt->program, .pages = opt->size >> HTMM_PAGE_SHIFT,
		.period = opt->period, .accesses = opt->accesses,
		.page_shift = opt->huge ? HTMM_REGION_SHIFT : HTMM_PAGE_SHIFT,
		.seed = opt->seed,
	};

	return path ? source_recording(path, opt->period, err) : source_program(&config, err);
}

static int simulate(const struct options *opt, const char *path, struct sim_result *result,
		    struct htmm_error *err)
{
	struct sim_config config = opt->config;
	struct source *source = open_source(opt, path, err);
	int ret;

	if (!source)
		return -err->code;
	config.capacity = opt->capacity >> HTMM_PAGE_SHIFT;
	if (!config.capacity)
		config.capacity = (opt->size >> HTMM_PAGE_SHIFT) / (opt->ratio + 1);
	config.policy.gap_ns = config.slow_ns - config.fast_ns;
	config.cooling_period = opt->cooling;
	ret = sim_run(&config, source, opt->trace ? stderr : NULL, result, err);
	source->close(source);
	return ret;
}

static void print_text(const struct sim_result *result)
{
	printf("%.2f s (settled %.2f), share %.4f (settled %.4f, best %.4f), recovery %llu samples of %llu, promoted %llu demoted %llu pingpongs %llu, cost %.3f s\n",
	       result->seconds, result->settled_seconds, result->share, result->settled,
	       result->best, result->recovery, result->samples, result->promoted,
	       result->demoted, result->pingpongs, result->cost);
}

static int run_sim(const struct command *cmd, int argc, char **argv)
{
	struct options opt = {
		.config = {
			.policy = { .copy_ns = 5000 },
			.fast_ns = 80, .slow_ns = 250, .cpu_ns = 20, .sample_ns = 3000,
			.page_ns = 200, .interval = 1, .list_pages = 1 << 18,
		},
		.program = "gups", .size = 180 << 20, .accesses = 400000000, .ratio = 2,
		.period = 499, .cooling = 40000, .seed = 1,
	};
	const struct opt opts[] = {
		{ OPT_TEXT, 0, "program", "NAME", "gups, phases, zipf, stream or uniform (gups)",
		  &opt.program },
		{ OPT_SIZE, 0, "size", "SIZE", "memory of the program (180M)", &opt.size,
		  1 << 22, LLONG_MAX },
		{ OPT_NUMBER, 0, "accesses", "N", "accesses that it makes (400000000)",
		  &opt.accesses, 1, LLONG_MAX },
		{ OPT_FLAG, 0, "huge", NULL, "with huge pages", &opt.huge },
		{ OPT_NUMBER, 0, "ratio", "N", "fast tier to slow tier is 1 to N (2)",
		  &opt.ratio, 1, 1000 },
		{ OPT_SIZE, 0, "capacity", "SIZE", "the fast tier", &opt.capacity, 4096,
		  LLONG_MAX },
		{ OPT_NUMBER, 'c', "count", "PERIOD", "accesses between samples (499)",
		  &opt.period, 1, LLONG_MAX },
		{ OPT_NUMBER, 0, "cooling-period", "N", "samples between coolings (40000)",
		  &opt.cooling, 1, LLONG_MAX },
		{ OPT_CALL, 'i', "interval", "SECONDS", "time between two looks (1)",
		  &opt.config.interval, .call = call_number },
		{ OPT_CALL, 0, "fast-ns", "NS", "a load from the fast tier (80)",
		  &opt.config.fast_ns, .call = call_number },
		{ OPT_CALL, 0, "slow-ns", "NS", "a load from the slow tier (250)",
		  &opt.config.slow_ns, .call = call_number },
		{ OPT_CALL, 0, "copy-ns", "NS", "moving a page (5000)",
		  &opt.config.policy.copy_ns, .call = call_number },
		{ OPT_CALL, 0, "without", "RULE", "leave out a rule of the policy",
		  &opt.config.policy.off, .call = call_without },
		{ OPT_NUMBER, 0, "seed", "N", "of random numbers (1)", &opt.seed, 0, LLONG_MAX },
		{ OPT_FLAG, 0, "still", NULL, "move nothing", &opt.config.still },
		{ OPT_FLAG, 0, "trace", NULL, "print a line for each look", &opt.trace },
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	struct sim_result result;
	int ret, rest;

	ret = opts_parse(cmd, argc, argv, tables, &rest);
	if (ret != OPTS_GO_ON)
		return ret;
	if (simulate(&opt, argv[rest], &result, &err))
		return print_error(&err);
	print_text(&result);
	return EXIT_OK;
}

static const struct command cmd_sim = {
	.name = "sim",
	.synopsis = "[options] [FILE]",
	.help = "Simulates tiering: samples of a recording, or of a made-up program, are counted\n"
		"by the module's own code, and the policy of 'htmmctl tier' moves pages.",
	.run = run_sim,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_sim, argc, argv);
}
