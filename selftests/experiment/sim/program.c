// SPDX-License-Identifier: GPL-2.0
/* Samples of made-up programs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "source.h"

#define PAGE		4096ULL
#define LINE		64
/* Of gups: a tenth of the pages get nine tenths of the accesses. */
#define HOT_PART	10
#define HOT_SHARE	0.9
/* Times that the hot pages of gups, and of phases, change. */
#define GUPS_PHASES	3
#define PHASES_PHASES	30
#define EXPONENT	0.99

/**
 * struct program - a made-up program
 * @source: what others see of it
 * @config: how it was made
 * @made: accesses so far
 * @random: state of the random numbers
 * @zeta: of zipf: sums of the frequencies up to each rank
 * @address: gives the address of an access
 */
struct program {
	struct source source;
	struct source_config config;
	__u64 made;
	__u64 random;
	double *zeta;
	__u64 (*address)(struct program *program);
};

/* splitmix64 */
static __u64 next_random(struct program *program)
{
	__u64 z = program->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static double fraction(struct program *program)
{
	return ldexp(next_random(program) >> 11, -53);
}

static __u64 below(struct program *program, __u64 n)
{
	return next_random(program) % n;
}

/* Page number @page of a random order of all pages. */
static __u64 scattered(const struct program *program, __u64 page)
{
	/* A prime maps pages to different ones. */
	return page * 1000000007ULL % program->config.pages;
}

static __u64 uniform(struct program *program)
{
	return below(program, program->config.pages) * PAGE;
}

static __u64 with_phases(struct program *program, unsigned int phases)
{
	__u64 hot = program->config.pages / HOT_PART;
	__u64 phase = program->made * phases / (program->config.accesses + 1);

	if (fraction(program) >= HOT_SHARE)
		return uniform(program);
	/* The first hot pages are those that were touched last. */
	return (program->config.pages - (phase + 1) % HOT_PART * hot - hot +
		(phase ? 0 : hot) + below(program, hot)) % program->config.pages * PAGE;
}

static __u64 gups(struct program *program)
{
	return with_phases(program, GUPS_PHASES);
}

static __u64 phases(struct program *program)
{
	return with_phases(program, PHASES_PHASES);
}

static __u64 zipf(struct program *program)
{
	double at = fraction(program) * program->zeta[program->config.pages];
	__u64 low = 0, high = program->config.pages;

	while (high - low > 1) {
		__u64 middle = (low + high) / 2;

		if (program->zeta[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return scattered(program, low) * PAGE;
}

static __u64 stream(struct program *program)
{
	/* Exactly each so many'th line would come back to a page only after many rounds. */
	return (program->made + below(program, program->config.period)) * LINE %
	       (program->config.pages * PAGE);
}

static double best_gups(const struct source *source, __u64 pages)
{
	const struct program *program = (const struct program *)source;
	double all = program->config.pages, hot = all / HOT_PART;

	if (pages >= all)
		return 1;
	if (pages <= hot)
		return (HOT_SHARE + (1 - HOT_SHARE) * hot / all) * pages / hot;
	return HOT_SHARE + (1 - HOT_SHARE) * pages / all;
}

static double best_zipf(const struct source *source, __u64 pages)
{
	const struct program *program = (const struct program *)source;
	__u64 all = program->config.pages;

	return program->zeta[pages < all ? pages : all] / program->zeta[all];
}

static double best_alike(const struct source *source, __u64 pages)
{
	const struct program *program = (const struct program *)source;

	return fmin(1, (double)pages / program->config.pages);
}

static int next(struct source *source, struct sim_sample *sample, struct htmm_error *err)
{
	struct program *program = (struct program *)source;

	if (program->made >= program->config.accesses)
		return 0;
	program->made += program->config.period;
	*sample = (struct sim_sample) {
		.addr = program->address(program),
		.accesses = program->config.period,
		.period = program->config.period,
	};
	return 1;
}

static void close_program(struct source *source)
{
	struct program *program = (struct program *)source;

	free(program->zeta);
	free(program);
}

static bool make_zeta(struct program *program)
{
	__u64 i;

	program->zeta = malloc((program->config.pages + 1) * sizeof(*program->zeta));
	if (!program->zeta)
		return false;
	program->zeta[0] = 0;
	for (i = 1; i <= program->config.pages; i++)
		program->zeta[i] = program->zeta[i - 1] + pow(i, -EXPONENT);
	return true;
}

static const struct {
	const char *name;
	__u64 (*address)(struct program *program);
	double (*best)(const struct source *source, __u64 pages);
} programs[] = {
	{ "gups", gups, best_gups },
	{ "phases", phases, best_gups },
	{ "zipf", zipf, best_zipf },
	{ "stream", stream, best_alike },
	{ "uniform", uniform, best_alike },
};

#define NR_PROGRAMS	(sizeof(programs) / sizeof(*programs))

struct source *source_program(const struct source_config *config, struct htmm_error *err)
{
	struct program *program;
	size_t i = 0;

	while (i < NR_PROGRAMS && strcmp(programs[i].name, config->program))
		i++;
	if (i == NR_PROGRAMS) {
		htmm_error_set(err, EINVAL, "give gups, phases, zipf, stream or uniform",
			       "there is no program '%s'", config->program);
		return NULL;
	}
	program = calloc(1, sizeof(*program));
	if (program) {
		program->config = *config;
		program->random = config->seed;
		program->address = programs[i].address;
		program->source = (struct source) {
			.next = next, .best = programs[i].best, .close = close_program,
			.pages = config->pages, .page_shift = config->page_shift,
		};
		if (program->address != zipf || make_zeta(program))
			return &program->source;
		close_program(&program->source);
	}
	htmm_error_set(err, ENOMEM, NULL, "out of memory");
	return NULL;
}
