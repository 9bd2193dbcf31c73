// SPDX-License-Identifier: GPL-2.0
#include "fuzz.h"

static const unsigned char *input;
static size_t left;
static u64 state;

void fuzz_begin(const unsigned char *data, size_t size)
{
	input = data;
	left = size;
	state = 0;
}

size_t fuzz_left(void)
{
	return left;
}

u32 fuzz_byte(void)
{
	if (!left)
		return 0;
	left--;
	return *input++;
}

u64 fuzz_u64(void)
{
	u64 x = 0;
	u32 i;

	for (i = 0; i < 8; i++)
		x = x << 8 | fuzz_byte();
	return x >> fuzz_byte() % 64;
}

void tap_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
	abort();
}

/* The input also decides where regions are and which are sampled. */
u64 tap_random(void)
{
	state = (state + fuzz_byte() + 1) * 0x9e3779b97f4a7c15ULL;
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

static void fuzz_add(struct world *world)
{
	struct htmm_table_sample batch[64];
	u32 n = 1 + fuzz_byte() % 64, i, run = 0;

	for (i = 0; i < n; i++) {
		/* A new choice for each sample, or the page after the last one. */
		if (i && run) {
			run--;
			batch[i] = batch[i - 1];
			batch[i].page ^= 1 + fuzz_byte() % 2;
			continue;
		}
		batch[i] = world_sample(world);
		batch[i].weight = fuzz_byte() & 1 ? 1U << fuzz_byte() % 32 : 1;
		run = fuzz_byte() % 16;
	}
	world_add(world, batch, n);
}

/* Nothing is added to the address space meanwhile. */
static void fuzz_remove(struct world *world)
{
	u32 space = world->model.space[fuzz_byte() % MODEL_SPACES], i;
	bool more = true, first = true;

	for (i = 0; more; i++) {
		world_remove_space(world, space, first, 1 + fuzz_byte() % 8, &more);
		first = false;
		if (fuzz_byte() % 4 == 0)
			world_reclaim(world, fuzz_byte() % 8, &(bool){ false });
	}
}

static void fuzz_forget(struct world *world)
{
	u64 pages[HTMM_REGION_PAGES / 64];
	u32 i, all = fuzz_byte() % 4;

	for (i = 0; i < HTMM_REGION_PAGES / 64; i++)
		pages[i] = all ? fuzz_byte() * 0x0101010101010101ULL : U64_MAX;
	world_forget(world, fuzz_byte() % MODEL_REGIONS, pages);
}

void fuzz_step(struct world *world)
{
	bool more;
	u32 i;

	switch (fuzz_byte() % 8) {
	case 0:
		for (i = 1 + fuzz_byte() % 40; i; i--)
			world_cool(world);
		break;
	case 1:
		world_reclaim(world, fuzz_byte() % 16, &more);
		break;
	case 2:
		fuzz_remove(world);
		break;
	case 3:
		i = fuzz_byte() % 16;
		if (i == 0)
			world_empty(world);
		else if (i == 1)
			world_shrink(world, fuzz_byte());
		else
			fuzz_forget(world);
		break;
	default:
		if (!world->limited || fuzz_byte() % 4)
			world_refill(world, 64);
		fuzz_add(world);
	}
}
