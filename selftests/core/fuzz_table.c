// SPDX-License-Identifier: GPL-2.0
/*
 * The table against the naive model, as libFuzzer leads them: each byte of the
 * input is a choice, and every check that fails ends the run.
 */
#include "model.h"

static const unsigned char *input;
static size_t left;
static u64 state;
static struct world world;

static u32 byte(void)
{
	if (!left)
		return 0;
	left--;
	return *input++;
}

void tap_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
	abort();
}

/*
 * The input decides where regions lie and which are sampled, too. There is always
 * another number, even when the input has come to its end.
 */
u64 tap_random(void)
{
	state = (state + byte() + 1) * 0x9e3779b97f4a7c15ULL;
	return state ^ state >> 29;
}

u32 tap_below(u32 n)
{
	return tap_random() % n;
}

u64 tap_env(const char *name, u64 value)
{
	(void)name;
	return value;
}

static void fuzz_add(void)
{
	struct htmm_table_sample batch[64];
	u32 n = 1 + byte() % 64, i, run = 0;

	for (i = 0; i < n; i++) {
		/* A choice for each sample, or the next page of the last one. */
		if (i && run) {
			run--;
			batch[i] = batch[i - 1];
			batch[i].vpn ^= 1 + byte() % 2;
			continue;
		}
		batch[i] = world_sample(&world);
		batch[i].weight = byte() & 1 ? 1U << byte() % 32 : 1;
		run = byte() % 16;
	}
	world_add(&world, batch, n);
}

/* Nothing of the space is added meanwhile. */
static void fuzz_remove(void)
{
	u32 space = world.model.space[byte() % MODEL_SPACES], i;
	bool more = true, first = true;

	for (i = 0; more; i++) {
		world_remove_space(&world, space, first, 1 + byte() % 8, &more);
		first = false;
		if (byte() % 4 == 0)
			world_reclaim(&world, byte() % 8, &(bool){ false });
	}
}

static void fuzz_step(void)
{
	bool more;
	u32 i;

	switch (byte() % 8) {
	case 0:
		for (i = 1 + byte() % 40; i; i--)
			world_cool(&world);
		break;
	case 1:
		world_reclaim(&world, byte() % 16, &more);
		break;
	case 2:
		fuzz_remove();
		break;
	case 3:
		if (byte() % 16 == 0)
			world_clear(&world);
		break;
	default:
		if (!world.limited || byte() % 4)
			world_refill(&world);
		fuzz_add();
	}
}

int fuzz_one_input(const unsigned char *data, size_t size)
{
	struct htmm_table_config config = { .batch = 64 };

	input = data;
	left = size;
	state = 0;
	config.max_bytes = byte() & 1 ? HTMM_TABLE_MIN_BYTES : 1024 * 1024;
	config.max_pages = byte() & 1 ? 100 : 0;
	config.seed = byte();
	world_open(&world, &config, config.max_pages ||
		   config.max_bytes == HTMM_TABLE_MIN_BYTES);
	while (left) {
		fuzz_step();
		world_totals_match(&world);
	}
	world_matches(&world);
	world_close(&world);
	return 0;
}
