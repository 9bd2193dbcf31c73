// SPDX-License-Identifier: GPL-2.0
/* The phases of made-up programs. */
#include <math.h>
#include "phases/phases.h"
#include "test.h"

#define MIB		1048576ULL
#define BASE		0x7f0000000000ULL
#define SECOND		1000000000ULL
#define MOST		64

/* Of @runs, this many may be wrong. */
#define WRONG_MOST(runs)	((runs) / 20)

/**
 * struct program - a made-up program
 * @place: the address of a sample at a part of the time, 0 to 1
 * @samples: how many samples are taken, at regular distances
 * @burst: so many one after the other are near each other
 */
struct program {
	u64 (*place)(double at);
	unsigned int samples;
	unsigned int burst;
};

static const struct phases_config usual = { .windows = 128, .margin = 0.2 };
static const unsigned int sparse_and_rich[] = { 600, 2000, 10000, 60000 };

static u64 page_of(u64 bytes)
{
	return (u64)tap_below(bytes >> 12) << 12;
}

/* Some pages are hot, and the others are not so hot. */
static u64 some(u64 from, u64 bytes)
{
	return from + (tap_below(4) ? page_of(bytes / 8) : page_of(bytes));
}

static u64 place_steady(double at)
{
	(void)at;
	return some(BASE, 32 * MIB);
}

/* A quarter is always in another array. */
static u64 place_aba(double at)
{
	if (!tap_below(4))
		return some(BASE + 64 * MIB, 4 * MIB);
	return some(BASE + (at >= 0.25 && at < 0.6 ? 32 * MIB : 0), 16 * MIB);
}

static u64 place_alternating(double at)
{
	return some(BASE + ((unsigned int)(at * 20) % 2 ? 32 * MIB : 0), 16 * MIB);
}

/* From one array to another, little by little. */
static u64 place_drift(double at)
{
	return some(BASE + (tap_below(1000) < at * 1000 ? 32 * MIB : 0), 16 * MIB);
}

/* A hot megabyte wanders through all memory. */
static u64 place_wandering(double at)
{
	return BASE + (u64)(at * 255 * MIB) + page_of(MIB);
}

/* Each 32nd of the time has memory of its own. */
static u64 place_many(double at)
{
	return some(BASE + (u64)(at * 32) * 32 * MIB, 16 * MIB);
}

/* A tenth of the samples are in another array later. */
static u64 place_tenth(double at)
{
	return some(BASE + (at >= 0.5 && !tap_below(10) ? 32 * MIB : 0), 16 * MIB);
}

static struct heat *run(const struct program *program)
{
	struct heat *heat = heat_new();
	unsigned int i;
	u64 addr = 0;

	CHECK(heat);
	for (i = 0; i < program->samples; i++) {
		if (i % program->burst)
			addr ^= page_of(4 << 12);
		else
			addr = program->place((double)i / program->samples);
		heat_add(heat, 0, addr, 1 + 10 * SECOND / program->samples * i);
	}
	heat_sort(heat);
	return heat;
}

/**
 * struct result - the phases of a run
 * @names: a letter for each
 * @nr: how many there are
 * @border: where each begins, as a part of the time; the last one is the end
 * @window: part of the time that a window has
 */
struct result {
	char names[MOST + 1];
	unsigned int nr;
	double border[MOST + 1];
	double window;
};

static struct result find(const struct program *program, const struct phases_config *config)
{
	struct heat *heat = run(program);
	const double slices = heat_slices(heat);
	struct result result = {};
	struct phases phases;
	u64 samples = 0;
	unsigned int i;

	CHECK(!phases_find(&phases, heat, config));
	result.nr = phases.nr;
	result.window = phases.slices / slices;
	for (i = 0; i < phases.nr; i++) {
		const struct phase *phase = &phases.phase[i];

		CHECK(phase->from == (i ? phase[-1].to : 0) && phase->from < phase->to);
		CHECK(phase->name < phases.names && phases.names <= PHASES_NAMES);
		CHECK(!i || phase->name != phase[-1].name);
		samples += phase->samples;
		if (i >= MOST)
			continue;
		result.names[i] = 'A' + phase->name;
		result.border[i + 1] = phase->to / slices;
	}
	CHECK(samples == program->samples && phases.phase[i - 1].to == slices);
	phases_free(&phases);
	heat_free(heat);
	return result;
}

static void steady_program_has_one_phase(void)
{
	const unsigned int runs = tap_env("RUNS", 20);
	unsigned int i, j, wrong;
	struct program program = { .place = place_steady };

	for (i = 0; i < ARRAY_SIZE(sparse_and_rich); i++)
		for (program.burst = 1; program.burst <= 16; program.burst *= 16) {
			program.samples = sparse_and_rich[i];
			for (j = wrong = 0; j < runs; j++)
				wrong += find(&program, &usual).nr != 1;
			printf("# %u samples, bursts of %u: %u of %u\n", program.samples,
			       program.burst, wrong, runs);
			CHECK(wrong <= WRONG_MOST(runs));
		}
}

/* Within a window, and one sample. */
static bool is_aba(const struct result *result, unsigned int samples)
{
	const double most = result->window + 1.0 / samples;

	return !strcmp(result->names, "ABA") && fabs(result->border[1] - 0.25) <= most &&
	       fabs(result->border[2] - 0.6) <= most;
}

static void phases_come_back(void)
{
	const unsigned int runs = tap_env("RUNS", 20);
	unsigned int i, j, wrong;
	struct program program = { place_aba, .burst = 1 };

	for (i = 0; i < ARRAY_SIZE(sparse_and_rich); i++) {
		program.samples = sparse_and_rich[i];
		for (j = wrong = 0; j < runs; j++) {
			const struct result result = find(&program, &usual);

			wrong += !is_aba(&result, program.samples);
		}
		printf("# %u samples: %u of %u\n", program.samples, wrong, runs);
		CHECK(wrong <= WRONG_MOST(runs));
	}
}

static void phases_are_found_in_bursts(void)
{
	const struct program program = { place_aba, 20000, 16 };
	const struct result result = find(&program, &usual);

	CHECK(!strcmp(result.names, "ABA"));
}

static void many_phases_have_two_names(void)
{
	const struct program program = { place_alternating, 60000, 1 };
	const struct result result = find(&program, &usual);

	CHECK(!strcmp(result.names, "ABABABABABABABABABAB"));
}

static void drift_is_not_many_phases(void)
{
	unsigned int i, most = 0;
	struct program program = { .burst = 1 };

	for (i = 0; i < ARRAY_SIZE(sparse_and_rich); i++) {
		program.samples = sparse_and_rich[i];
		program.place = place_drift;
		most = fmax(most, find(&program, &usual).nr);
		program.place = place_wandering;
		most = fmax(most, find(&program, &usual).nr);
	}
	printf("# %u phases at most\n", most);
	CHECK(most <= 8);
}

/* There are 26 letters. */
static void names_do_not_run_out(void)
{
	const struct program program = { place_many, 60000, 1 };
	const struct phases_config fine = { .windows = HEAT_SLICES, .margin = 0.2 };
	const struct result result = find(&program, &fine);

	printf("# %s\n", result.names);
	CHECK(result.nr >= PHASES_NAMES && strchr(result.names, 'Z'));
}

static void margin_is_as_asked(void)
{
	const struct program program = { place_tenth, 40000, 1 };
	struct phases_config config = { .windows = 128, .margin = 0.15 };

	CHECK(find(&program, &config).nr == 1);
	config.margin = 0.05;
	CHECK(!strcmp(find(&program, &config).names, "AB"));
	config.margin = 0;
	CHECK(!strcmp(find(&program, &config).names, "AB"));
}

static void windows_are_as_asked(void)
{
	const struct program program = { place_aba, 60000, 1 };
	struct phases_config config = usual;
	unsigned int windows;

	for (windows = 16; windows <= HEAT_SLICES; windows *= 2) {
		struct result result;

		config.windows = windows;
		result = find(&program, &config);
		CHECK(1 / result.window <= windows + 1 && 1 / result.window > windows / 3);
		CHECK(is_aba(&result, program.samples));
	}
	config.windows = 2;
	CHECK(find(&program, &config).nr == 1);
}

static void few_samples_are_one_phase(void)
{
	struct program program = { place_aba, .burst = 1 };

	for (program.samples = 1; program.samples <= 64; program.samples *= 2)
		CHECK(find(&program, &usual).nr == 1);
}

static const struct tap_test tests[] = {
	TAP_TEST(steady_program_has_one_phase),
	TAP_TEST(phases_come_back),
	TAP_TEST(phases_are_found_in_bursts),
	TAP_TEST(many_phases_have_two_names),
	TAP_TEST(drift_is_not_many_phases),
	TAP_TEST(names_do_not_run_out),
	TAP_TEST(margin_is_as_asked),
	TAP_TEST(windows_are_as_asked),
	TAP_TEST(few_samples_are_one_phase),
};

int main(void)
{
	return tap_main(tests, ARRAY_SIZE(tests));
}
