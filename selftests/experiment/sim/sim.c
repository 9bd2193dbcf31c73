// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "htmmctl/clock.h"
#include "sim.h"
#include "world.h"

#define TABLE_BYTES	BIT_ULL(30)
/* The last of these parts shows the settled state. */
#define PARTS		5
/* Seconds between two looks, and until the first one. */
#define LEAST_WAIT	0.05
#define FIRST_LOOK	0.25

/**
 * struct sim - a simulation in progress
 * @config: the machine
 * @source: the program
 * @world: the memory
 * @store: the counts
 * @policy: the policy
 * @plan: of the last look
 * @regions: room for a list of all regions
 * @room_regions: for so many
 * @slow: room for a list
 * @fast: room for a list
 * @seconds: time that has passed
 * @late: what of it is not in the recording
 * @next_look: when to look
 * @due: when not only at the regions
 * @glance: seconds that the last list of regions took
 * @large: there are more pages than can be listed
 * @found: the region from which on pages of the fast tier are found next
 * @ranges_ns: what listing the chosen regions took
 * @hottest_ns: and the hottest pages
 * @cooled: samples counted at the last cooling
 * @taken: samples so far, those included that were left out
 * @period: accesses that a sample stands for
 * @trace: a line is printed for each look
 * @fast_accesses: accesses served fast
 * @accesses: all accesses
 * @look_fast: accesses served fast since the last look
 * @look_all: all accesses since the last look
 * @result: the result
 */
struct sim {
	const struct sim_config *config;
	struct source *source;
	struct world world;
	struct store *store;
	struct policy *policy;
	const struct policy_plan *plan;
	struct htmm_page *regions;
	size_t room_regions;
	struct htmm_page *slow;
	struct htmm_page *fast;
	struct htmm_page *rest;
	double seconds;
	double late;
	double next_look;
	double due;
	double glance;
	bool large;
	size_t found;
	double ranges_ns;
	double hottest_ns;
	__u64 cooled;
	__u64 taken;
	__u64 period;
	FILE *trace;
	double fast_accesses;
	double accesses;
	double look_fast;
	double look_all;
	struct sim_result *result;
};

static void spend(struct sim *sim, double ns)
{
	sim->result->cost += ns / 1e9;
	if (sim->source->timed && !sim->config->all_fast)
		return;
	/* The program goes on meanwhile on all CPUs but one. */
	sim->seconds += ns / 1e9 / sim->config->policy.cpus;
	sim->late += ns / 1e9 / sim->config->policy.cpus;
}

/* Time passes as the program makes the accesses of a sample. */
static void pass(struct sim *sim, const struct sim_sample *sample, bool fast)
{
	const struct sim_config *config = sim->config;
	double ns = config->cpu_ns + (fast ? config->fast_ns : config->slow_ns);

	if (!sim->source->timed) {
		sim->seconds += sample->accesses * ns / 1e9 / config->policy.cpus;
		return;
	}
	/* The simulation has samples of its own. */
	if (config->all_fast)
		sim->late -= sample->recorded * config->recorded_ns / 1e9;
	if (config->all_fast && !fast)
		sim->late += sample->accesses * (config->slow_ns - config->fast_ns) / 1e9;
	sim->seconds = sample->ns / 1e9 + sim->late;
}

static void move(struct sim *sim, const struct policy_plan *plan)
{
	__u64 moved = 0;
	size_t i;

	for (i = 0; i < plan->nr_moves; i++) {
		const struct policy_move *one = &plan->moves[i];

		if (!world_move(&sim->world, one->space, one->addr, one->pages,
				one->promote ? PLACE_FAST : PLACE_SLOW)) {
			policy_refused(sim->policy, one);
			continue;
		}
		moved += one->pages;
		*(one->promote ? &sim->result->promoted : &sim->result->demoted) += one->pages;
	}
	spend(sim, moved * sim->config->policy.copy_ns);
	policy_spent(sim->policy, moved * sim->config->policy.copy_ns / 1e9);
	policy_copied(sim->policy, moved, moved * sim->config->policy.copy_ns);
	sim->result->pingpongs += plan->pingpong_pages;
}

static bool cooling_due(const struct sim *sim)
{
	__u64 pages = sim->store->table.stats.pages;

	return sim->store->samples - sim->cooled >=
	       (sim->config->cooling_period ?: policy_cooling_period(pages));
}

/* After a look, as htmmctl tier does it. */
static void cool(struct sim *sim, bool wanted)
{
	bool due = cooling_due(sim);

	if (due)
		sim->cooled = sim->store->samples;
	if (!due && !wanted)
		return;
	htmm_table_cool(&sim->store->table);
	sim->store->coolings++;
}

static void print_look(const struct sim *sim, const struct policy_plan *plan)
{
	unsigned int i;

	fprintf(sim->trace, "%7.2f s share %.3f seen %.3f used %llu/%llu threshold %.3g ",
		sim->seconds, sim->look_all ? sim->look_fast / sim->look_all : 0, plan->fast_share,
		sim->world.used, sim->world.capacity, plan->threshold);
	fprintf(sim->trace, "candidates %llu promote %llu demote %llu forced %llu back %llu ",
		plan->candidates, plan->promoted_pages, plan->demoted_pages, plan->forced_pages,
		plan->pingpong_pages);
	fprintf(sim->trace, "budget %llu won %.4f%s held", plan->budget, plan->won,
		plan->burst ? " burst" : "");
	for (i = 0; i < POLICY_NR_HELD; i++)
		if (plan->held[i])
			fprintf(sim->trace, " %s %llu", policy_held_name(i), plan->held[i]);
	fputc('\n', sim->trace);
}

/* Lists of regions take no more than their part of the time. */
static double next_look(const struct sim *sim)
{
	const double due = fmin(sim->seconds + policy_glance_wait(sim->glance), sim->due);

	return fmax(due, sim->seconds + LEAST_WAIT);
}

/* The memory that a program uses may grow. Returns 0 or -ENOMEM. */
static int room_for_regions(struct sim *sim)
{
	struct htmm_page *more;

	if (sim->world.nr <= sim->room_regions)
		return 0;
	more = realloc(sim->regions, 2 * sim->world.nr * sizeof(*more));
	if (!more)
		return -ENOMEM;
	sim->regions = more;
	sim->room_regions = 2 * sim->world.nr;
	return 0;
}

static void list_all(struct sim *sim, struct policy_look *look)
{
	look->nr_slow = world_list(&sim->world, sim->store, PLACE_SLOW,
				   sim->plan ? sim->plan->least : 1, sim->config->list_pages,
				   sim->slow, &look->slow_cut);
	look->nr_fast = world_list(&sim->world, sim->store, PLACE_FAST, 0, sim->config->list_pages,
				   sim->fast, NULL);
	sim->large = look->nr_slow + look->nr_fast >= sim->config->list_pages;
	spend(sim, (look->nr_slow + look->nr_fast) * sim->config->page_ns);
	/* The list of a large group ends when it is full. */
	spend(sim, (sim->large ? sim->config->list_pages : sim->world.nr * WORLD_PAGES) *
	      sim->config->walk_ns);
}

static ssize_t choose_ranges(struct sim *sim, const struct policy_look *look,
			     const struct policy_range **range)
{
	const __u64 before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const ssize_t nr = policy_focus(sim->policy, look, range);

	sim->result->policy_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	return nr;
}

static const struct policy_plan *decide(struct sim *sim, const struct policy_look *look)
{
	const __u64 before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const struct policy_plan *plan = policy_look(sim->policy, look);

	sim->result->policy_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	sim->result->listed += look->nr_slow + look->nr_fast + look->nr_rest;
	sim->result->looks++;
	return plan;
}

/* Lists the pages of the slow tier in a range, those without samples apart. */
static void list_slow(struct sim *sim, struct policy_look *look, const struct policy_range *range)
{
	const struct htmm_page *page = sim->rest + look->nr_rest;
	size_t nr = world_range(&sim->world, sim->store, PLACE_SLOW, range,
				sim->rest + look->nr_rest);

	for (; nr; nr--, page++) {
		if (page->samples)
			sim->slow[look->nr_slow++] = *page;
		else
			sim->rest[look->nr_rest++] = *page;
	}
}

/* Lists what the policy chooses. Returns what it takes, in ns, without what is done with a page. */
static double list_ranges(struct sim *sim, struct policy_look *look)
{
	const struct policy_range *range;
	__u64 walked;
	ssize_t nr, i;

	look->found = sim->fast;
	look->nr_found = world_find(&sim->world, policy_find(sim->policy), &sim->found, sim->fast,
				    &walked);
	nr = choose_ranges(sim, look, &range);
	/* Without memory, nothing is listed. */
	for (i = 0; i < nr; i++) {
		list_slow(sim, look, &range[i]);
		look->nr_fast += world_range(&sim->world, sim->store, PLACE_FAST, &range[i],
					     sim->fast + look->nr_fast);
		walked += (range[i].end - range[i].start) >> HTMM_PAGE_SHIFT;
	}
	return walked * sim->config->walk_ns;
}

/* The hottest pages, as far as they are not listed yet. */
static double list_hottest(struct sim *sim, struct policy_look *look)
{
	struct htmm_page *page = sim->slow + look->nr_slow;
	size_t nr, i;

	nr = world_list(&sim->world, sim->store, PLACE_SLOW, 1, policy_hottest(sim->policy), page,
			NULL);
	for (i = 0; i < nr; i++)
		if (page[i].mapping_shift == HTMM_PAGE_SHIFT &&
		    !policy_in_focus(sim->policy, &page[i]))
			sim->slow[look->nr_slow++] = page[i];
	/* Only pages that have a count are looked up. */
	return sim->store->table.stats.pages * sim->config->walk_ns;
}

/* As htmmctl tier does it with a large group. */
static void list_some(struct sim *sim, struct policy_look *look)
{
	double ns;

	look->nr_slow = 0;
	look->slow_cut = 0;
	look->nr_fast = 0;
	look->focused = true;
	ns = list_ranges(sim, look);
	sim->ranges_ns += ns;
	spend(sim, ns);
	if (sim->hottest_ns <= sim->ranges_ns) {
		const double hottest_ns = list_hottest(sim, look);

		sim->hottest_ns += hottest_ns;
		spend(sim, hottest_ns);
	}
	spend(sim, (look->nr_slow + look->nr_fast) * sim->config->page_ns);
}

static int sim_look(struct sim *sim, struct htmm_error *err)
{
	struct by_target coolings = {};
	struct policy_look look = {
		.slow = sim->slow, .fast = sim->fast, .rest = sim->rest,
		.capacity = sim->world.capacity, .used = sim->world.used,
		.coolings = &coolings,
		.seconds = sim->seconds,
	};
	double before = sim->result->cost;
	const struct policy_plan *plan;
	bool due;

	store_flush(sim->store);
	due = sim->plan && (sim->seconds >= sim->due || cooling_due(sim));
	if (sim->plan && !due && !policy_watches(sim->policy)) {
		sim->next_look = next_look(sim);
		return 0;
	}
	by_target_add(&coolings, 0, sim->store->coolings);
	look.samples = sim->store->samples;
	look.period = sim->period;
	look.thin = sim->plan ? sim->plan->thin : 1;
	if (room_for_regions(sim))
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	look.regions = sim->regions;
	look.nr_regions = world_regions(&sim->world, sim->store, sim->regions);
	spend(sim, look.nr_regions * sim->config->page_ns);
	sim->glance = sim->result->cost - before;
	if (!sim->plan && !policy_begins(sim->policy, sim->store->samples, sim->seconds)) {
		sim->next_look = next_look(sim);
		return 0;
	}
	if (sim->plan && !due && !policy_changed(sim->policy, &look)) {
		sim->next_look = next_look(sim);
		return 0;
	}
	if (!sim->large)
		list_all(sim, &look);
	if (sim->large)
		list_some(sim, &look);
	plan = decide(sim, &look);
	if (!plan)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	sim->plan = plan;
	before = sim->result->cost - before;
	policy_looked(sim->policy, before);
	sim->due = sim->seconds + fmin(policy_wait(sim->policy, before, plan->thin),
				       sim->config->interval ?: INFINITY);
	if (sim->trace)
		print_look(sim, plan);
	sim->look_fast = 0;
	sim->look_all = 0;
	move(sim, plan);
	cool(sim, plan->cool);
	sim->next_look = next_look(sim);
	return 0;
}

static void touch_all(struct sim *sim)
{
	__u64 page;

	for (page = 0; page < sim->source->pages; page++)
		world_touch(&sim->world, 0, page << HTMM_PAGE_SHIFT);
	for (page = 0; page < sim->source->nr_touched; page++)
		world_touch(&sim->world, sim->source->touched[page].space,
			    sim->source->touched[page].addr);
}

static void take(struct sim *sim, const struct sim_sample *sample)
{
	bool fast = world_touch(&sim->world, sample->space, sample->addr) == PLACE_FAST;

	sim->fast_accesses += fast * (double)sample->accesses;
	sim->look_fast += fast * (double)sample->accesses;
	sim->accesses += sample->accesses;
	sim->look_all += sample->accesses;
	pass(sim, sample, fast);
	if (sim->config->still || !sample->period)
		return;
	sim->period = sample->period;
	if (sim->plan && sim->taken++ % sim->plan->thin)
		return;
	sim->result->samples++;
	spend(sim, sim->config->sample_ns);
	store_add(sim->store, sample->space, sample->addr, 1);
}

/**
 * struct series - what was measured in one part of the samples
 * @samples: how many there were before its end
 * @seconds: time at its end
 * @fast: accesses served fast before its end
 * @all: accesses before its end
 */
struct series {
	__u64 samples;
	double seconds;
	double fast;
	double all;
};

static double share_between(const struct series *from, const struct series *to)
{
	return to->all > from->all ? (to->fast - from->fast) / (to->all - from->all) : 0;
}

/* Samples from the last low of the share to where it is 90 % of the final one. */
static __u64 recovery(const struct series *series, size_t nr, double final)
{
	size_t i, end = 0;

	for (i = nr - 1; i > 0; i--) {
		bool low = share_between(&series[i - 1], &series[i]) < 0.9 * final;

		if (!end && low)
			end = i;
		else if (end && !low)
			return series[end].samples - series[i].samples;
	}
	return end ? series[end].samples : 0;
}

static void sum_up(struct sim *sim, const struct series *series, size_t nr)
{
	const struct series *last = &series[nr - 1], *late = &series[nr - 1 - (nr - 1) / PARTS];
	struct sim_result *result = sim->result;

	result->seconds = sim->seconds;
	result->share = sim->accesses ? sim->fast_accesses / sim->accesses : 0;
	result->settled = share_between(late, last);
	result->settled_seconds = last->all > late->all ?
		(last->seconds - late->seconds) * last->all / (last->all - late->all) : 0;
	result->recovery = recovery(series, nr, result->settled);
	result->best = sim->source->best ?
		sim->source->best(sim->source, sim->world.capacity) : -1;
}

static int simulate(struct sim *sim, struct htmm_error *err)
{
	struct series *series = calloc(1, sizeof(*series)), *more;
	struct sim_sample sample;
	size_t nr = 1;
	double next_point = 0.1;
	int ret = -ENOMEM;

	touch_all(sim);
	sim->next_look = FIRST_LOOK;
	sim->due = INFINITY;
	while (series && (ret = sim->source->next(sim->source, &sample, err)) > 0) {
		take(sim, &sample);
		if (sim->seconds >= next_point) {
			more = realloc(series, (nr + 1) * sizeof(*series));
			if (!more)
				break;
			series = more;
			series[nr++] = (struct series) { sim->result->samples, sim->seconds,
							 sim->fast_accesses, sim->accesses };
			next_point = sim->seconds + 0.1;
		}
		if (sim->seconds < sim->next_look || sim->config->still)
			continue;
		ret = sim_look(sim, err);
		if (ret)
			break;
	}
	if (series && !ret)
		sum_up(sim, series, nr);
	free(series);
	return ret;
}

int sim_run(const struct sim_config *config, struct source *source, FILE *trace,
	    struct sim_result *result, struct htmm_error *err)
{
	const struct store_config store = {
		.max_bytes = TABLE_BYTES, .capacity = config->capacity,
		.cooling_period = U64_MAX,
	};
	struct sim sim = {
		.config = config, .source = source, .trace = trace, .result = result,
		.world = { .capacity = config->capacity, .page_shift = source->page_shift },
	};
	const size_t room = config->list_pages + POLICY_LARGE_PAGES;
	int ret = -ENOMEM;

	*result = (struct sim_result) {};
	sim.store = store_new(&store, err);
	sim.policy = policy_new(&config->policy);
	sim.slow = malloc(room * sizeof(*sim.slow));
	sim.fast = malloc(room * sizeof(*sim.fast));
	sim.rest = malloc(room * sizeof(*sim.rest));
	if (sim.store && sim.policy && sim.slow && sim.fast && sim.rest)
		ret = simulate(&sim, err);
	free(sim.regions);
	free(sim.slow);
	free(sim.fast);
	free(sim.rest);
	policy_free(sim.policy);
	store_free(sim.store);
	world_free(&sim.world);
	return ret;
}
