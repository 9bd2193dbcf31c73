// SPDX-License-Identifier: GPL-2.0
/* htmm-sim: tiering without the machine. */
#include <errno.h>
#include <math.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "htmmctl/command.h"
#include "htmmctl/options.h"
#include "htmmctl/output.h"
#include "sim.h"

/* Values of an option that is swept. */
#define LIST_MAX	16
#define LIST_LARGEST	1e15

/**
 * struct list - the values of an option, each of which is simulated
 * @value: the values
 * @nr: how many
 */
struct list {
	double value[LIST_MAX];
	unsigned int nr;
};

/**
 * struct options - what the command line says
 * @config: the machine and the policy
 * @program: the program to make up
 * @size: its memory, in bytes
 * @accesses: how many it makes
 * @huge: it has huge pages
 * @ratio: the fast tier is one part of so many and one
 * @capacity: of the fast tier, in bytes; 0: by @ratio
 * @periods: accesses between two samples; of a recording: take each so many'th sample
 * @coolings: samples between two coolings
 * @intervals: most seconds between two looks; 0: no limit
 * @cpus: that a made-up program uses
 * @seed: of random numbers
 * @misses: the process whose misses a file has; 0: it has samples
 * @first: a file with the pages that were touched first
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
	struct list periods;
	struct list coolings;
	struct list intervals;
	__s64 cpus;
	__s64 seed;
	__s64 misses;
	const char *first;
	bool trace;
	bool json;
};

static int parse_list(struct list *list, const char *text, double least, struct htmm_error *err)
{
	char todo[64];
	const char *at = text;
	char *end;

	for (list->nr = 0; list->nr < LIST_MAX; at = end + 1) {
		list->value[list->nr] = strtod(at, &end);
		if (end == at || !(list->value[list->nr] >= least) ||
		    !(list->value[list->nr++] <= LIST_LARGEST) || (*end && *end != ','))
			break;
		if (!*end)
			return 0;
	}
	snprintf(todo, sizeof(todo), "give up to %d numbers from %g to %g, with commas", LIST_MAX,
		 least, LIST_LARGEST);
	return htmm_error_set(err, EINVAL, todo, "'%s' is not such a list", text);
}

static int call_periods(void *value, const char *text, struct htmm_error *err)
{
	return parse_list(value, text, 1, err);
}

static int call_intervals(void *value, const char *text, struct htmm_error *err)
{
	return parse_list(value, text, 0.001, err);
}

static int call_number(void *value, const char *text, struct htmm_error *err)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= 0 && isfinite(number)))
		return htmm_error_set(err, EINVAL, "give a number of 0 or more",
				      "'%s' is not such a number", text);
	*(double *)value = number;
	return 0;
}

static int call_without(void *value, const char *text, struct htmm_error *err)
{
	int rule = opt_word(policy_rule_names, POLICY_NR_RULES, text, "there is no rule", err);

	if (rule >= 0)
		*(__u32 *)value |= 1U << rule;
	return rule < 0 ? rule : 0;
}

static struct source *open_source(const struct options *opt, const char *path, __u64 period,
				  struct htmm_error *err)
{
	const struct source_config config = {
		.program = opt->program, .pages = opt->size >> HTMM_PAGE_SHIFT,
		.period = period, .accesses = opt->accesses,
		.page_shift = opt->huge ? HTMM_REGION_SHIFT : HTMM_PAGE_SHIFT,
		.seed = opt->seed,
	};
	const struct misses_config misses = {
		.path = path, .pid = opt->misses, .period = period, .seed = opt->seed,
		.first = opt->first,
	};

	if (path && opt->misses)
		return source_misses(&misses, err);
	return path ? source_recording(path, period, opt->config.all_fast, opt->first, err) :
		      source_program(&config, err);
}

static int simulate(const struct options *opt, const char *path, __u64 period,
		    const struct sim_config *config, struct sim_result *result,
		    struct htmm_error *err)
{
	struct source *source = open_source(opt, path, period, err);
	int ret;

	if (!source)
		return -err->code;
	ret = sim_run(config, source, opt->trace ? stderr : NULL, result, err);
	source->close(source);
	return ret;
}

static void print_head(void)
{
	printf("%8s %9s %8s | %8s %8s %7s %7s %7s | %8s %8s %8s %8s %7s\n", "period", "cooling",
	       "interval", "seconds", "settled", "share", "settled", "best", "samples",
	       "promoted", "demoted", "back", "cost s");
}

static void print_row(__u64 period, const struct sim_config *config,
		      const struct sim_result *result)
{
	printf("%8llu %9llu %8.3g | %8.2f %8.2f %7.4f %7.4f %7.4f | ", period,
	       config->cooling_period, config->interval, result->seconds,
	       result->settled_seconds, result->share, result->settled, result->best);
	printf("%8llu %8llu %8llu %8llu %7.3f\n", result->samples, result->promoted,
	       result->demoted, result->pingpongs, result->cost);
}

static void print_json(__u64 period, const struct sim_config *config,
		       const struct sim_result *result)
{
	struct json_object *obj = json_new();

	json_add_u64(obj, "period", period);
	json_add_u64(obj, "cooling_period", config->cooling_period);
	json_add(obj, "interval", json_object_new_double(config->interval));
	json_add(obj, "seconds", json_object_new_double(result->seconds));
	json_add(obj, "settled_seconds", json_object_new_double(result->settled_seconds));
	json_add_u64(obj, "samples", result->samples);
	json_add(obj, "fast_share", json_object_new_double(result->share));
	json_add(obj, "settled_share", json_object_new_double(result->settled));
	json_add(obj, "best_share", result->best < 0 ? NULL :
					json_object_new_double(result->best));
	json_add_u64(obj, "recovery_samples", result->recovery);
	json_add_u64(obj, "promoted", result->promoted);
	json_add_u64(obj, "demoted", result->demoted);
	json_add_u64(obj, "pingpongs", result->pingpongs);
	json_add(obj, "cost", json_object_new_double(result->cost));
	json_add_u64(obj, "looks", result->looks);
	json_add_u64(obj, "listed", result->listed);
	json_add_u64(obj, "policy_ns", result->policy_ns);
	json_print(stdout, obj);
}

/* Each combination of the values of lists. */
static int sweep(const struct options *opt, const char *path, struct htmm_error *err)
{
	struct sim_config config = opt->config;
	struct sim_result result;
	unsigned int i, nr = opt->periods.nr * opt->coolings.nr * opt->intervals.nr;
	int ret;

	if (opt->misses && !path)
		return htmm_error_set(err, EINVAL, "give the file that has them",
				      "--misses without a file");
	config.all_fast |= opt->misses > 0;
	config.capacity = opt->capacity >> HTMM_PAGE_SHIFT;
	if (!config.capacity)
		config.capacity = (opt->size >> HTMM_PAGE_SHIFT) / (opt->ratio + 1);
	config.policy.gap_ns = config.slow_ns - config.fast_ns;
	config.policy.cpus = opt->cpus;
	if (!opt->json)
		print_head();
	for (i = 0; i < nr; i++) {
		__u64 period = opt->periods.value[i % opt->periods.nr];
		unsigned int rest = i / opt->periods.nr;

		config.cooling_period = opt->coolings.value[rest % opt->coolings.nr];
		config.interval = opt->intervals.value[rest / opt->coolings.nr];
		ret = simulate(opt, path, period, &config, &result, err);
		if (ret)
			return ret;
		(opt->json ? print_json : print_row)(period, &config, &result);
	}
	return 0;
}

static int run_sim(const struct command *cmd, int argc, char **argv)
{
	struct options opt = {
		.config = {
			.policy = { .copy_ns = 12000 },
			.fast_ns = 80, .slow_ns = 250, .cpu_ns = 20, .sample_ns = 1500,
			.recorded_ns = 3000, .page_ns = 4200, .walk_ns = 180, .list_pages = 1 << 16,
		},
		.program = "gups", .size = 180 << 20, .accesses = 400000000, .ratio = 2,
		.periods = { { 499 }, 1 }, .coolings = { { 0 }, 1 },
		.intervals = { { 0 }, 1 }, .cpus = 1, .seed = 1,
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
		{ OPT_NUMBER, 0, "cpus", "N", "CPUs that a made-up program uses (1)", &opt.cpus, 1,
		  65536 },
		{ OPT_SIZE, 0, "capacity", "SIZE", "the fast tier", &opt.capacity, 4096,
		  LLONG_MAX },
		{ OPT_CALL, 'c', "count", "PERIOD,...", "accesses between samples (499)",
		  &opt.periods, .call = call_periods },
		{ OPT_CALL, 0, "cooling-period", "N,...", "samples between coolings (4 a page)",
		  &opt.coolings, .call = call_periods },
		{ OPT_CALL, 'i', "interval", "SECONDS,...", "most time between two looks",
		  &opt.intervals, .call = call_intervals },
		{ OPT_CALL, 0, "fast-ns", "NS", "a load from the fast tier (80)",
		  &opt.config.fast_ns, .call = call_number },
		{ OPT_CALL, 0, "slow-ns", "NS", "a load from the slow tier (250)",
		  &opt.config.slow_ns, .call = call_number },
		{ OPT_CALL, 0, "sample-ns", "NS", "taking a sample (1500)",
		  &opt.config.sample_ns, .call = call_number },
		{ OPT_CALL, 0, "recorded-ns", "NS", "with --all-fast: recording one (3000)",
		  &opt.config.recorded_ns, .call = call_number },
		{ OPT_CALL, 0, "copy-ns", "NS", "moving a page (12000)",
		  &opt.config.policy.copy_ns, .call = call_number },
		{ OPT_LIST, 0, "without", "RULE,...", "leave rules of the policy out",
		  &opt.config.policy.off, .call = call_without },
		{ OPT_NUMBER, 0, "seed", "N", "of random numbers (1)", &opt.seed, 0, LLONG_MAX },
		{ OPT_FLAG, 0, "all-fast", NULL, "FILE was recorded with all memory fast",
		  &opt.config.all_fast },
		{ OPT_NUMBER, 0, "misses", "PID", "FILE has every miss: simulate this process",
		  &opt.misses, 1, (1 << 22) - 1 },
		{ OPT_TEXT, 0, "first", "FILE",
		  "with --all-fast or --misses: pages that were touched first", &opt.first },
		{ OPT_FLAG, 0, "still", NULL, "move nothing", &opt.config.still },
		{ OPT_FLAG, 0, "trace", NULL, "print a line for each look", &opt.trace },
		OPT_JSON(&opt.json),
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct htmm_error err = {};
	int ret, rest;

	ret = opts_parse(cmd, argc, argv, tables, &rest);
	if (ret != OPTS_GO_ON)
		return ret;
	if (argc - rest > 1)
		return usage_error(cmd, NULL, "unexpected argument '%s'", argv[rest + 1]);
	return sweep(&opt, argv[rest], &err) ? print_error(&err) : EXIT_OK;
}

static const struct command cmd_sim = {
	.name = "sim",
	.synopsis = "[options] [FILE]",
	.help = "Simulates tiering: samples of a recording, or of a made-up program, are counted\n"
		"by the module's own code, and the policy of 'htmmctl tier' moves pages.  Of a\n"
		"recording, each sample stands for the accesses until the next one, and time passes as\n"
		"recorded; with --all-fast, the samples' own time is left out, and accesses of the\n"
		"slow tier, looks and moves take more.  With --misses, FILE has each miss of a machine\n"
		"that had all memory fast: what is served fast is known of all, and counted are samples\n"
		"of the loads.  Pages that were touched first are in lines of an address and a number\n"
		"of pages, in hexadecimal; others follow by their addresses.  Without these lines, a\n"
		"page of --misses is touched where it first misses.",
	.run = run_sim,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_sim, argc, argv);
}
