// SPDX-License-Identifier: GPL-2.0
/*
 * gups MIB MILLIONS PHASES [tell]: so many million updates of random words. A tenth of the
 * memory, in blocks of 2 MiB here and there, gets nine tenths of the updates; in each phase it
 * is another tenth. With "tell" it says which are hot in the first phase: "hot ADDRESS".
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "work.h"

#define BLOCK		(2UL << 20)
#define WORDS		(BLOCK / sizeof(__u64))
#define CHUNK		500000UL

static __u64 *memory;
static __u64 nr_blocks, nr_hot;
/* A random order of the blocks: each phase takes its hot ones from another part of it. */
static __u64 *order;

static void shuffle(void)
{
	__u64 state = 12345;

	order = calloc(nr_blocks, sizeof(*order));
	for (__u64 i = 0; i < nr_blocks; i++)
		order[i] = i;
	for (__u64 i = nr_blocks - 1; i; i--) {
		__u64 j = work_random(&state) % (i + 1), swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
}

static const __u64 *hot_blocks(unsigned int phase)
{
	return order + phase * nr_hot;
}

/* For the oracle, which may have room for more, the other blocks follow the hot ones. */
static void begin_phase(unsigned int phase)
{
	const __u64 per_block = BLOCK / PAGE, nr = nr_blocks * per_block;
	__u64 *pages = malloc(nr * sizeof(*pages));

	for (__u64 i = 0; i < nr; i++) {
		__u64 block = order[(phase * nr_hot + i / per_block) % nr_blocks];

		pages[i] = (uintptr_t)(memory + block * WORDS) + i % per_block * PAGE;
	}
	work_phase(pages, nr);
	free(pages);
}

/* Each is an area of its own then, with a line of its own in numa_maps, for the flag. */
static void tell_hot(void)
{
	for (__u64 i = 0; i < nr_hot; i++) {
		__u64 *block = memory + hot_blocks(0)[i] * WORDS;

		if (madvise(block, BLOCK, MADV_DONTDUMP))
			work_fail("the kernel refuses a flag");
		printf("hot %lx\n", (unsigned long)(uintptr_t)block);
	}
}

static void update(const __u64 *hot, __u64 *state)
{
	for (__u64 i = 0; i < CHUNK; i++) {
		__u64 r = work_random(state), at = r >> 32, block;

		/* The low bits choose the set and the word, the high ones the block. */
		if ((r & 1023) < 922)
			block = hot[at * nr_hot >> 32];
		else
			block = at * nr_blocks >> 32;
		memory[block * WORDS + ((r >> 10) & (WORDS - 1))] ^= r;
	}
	work_done(CHUNK);
}

int main(int argc, char **argv)
{
	__u64 chunks = work_argument(argc, argv, 2, "millions of updates") * 1000000 / CHUNK;
	__u64 phases = work_argument(argc, argv, 3, "the number of phases");
	__u64 state = 88172645463325252ULL, sum = 0;

	nr_blocks = work_argument(argc, argv, 1, "the size in MiB") * 1048576 / BLOCK;
	nr_hot = (nr_blocks + 5) / 10;
	if (!nr_hot || phases * nr_hot > nr_blocks)
		work_fail("there are not so many tenths");
	memory = work_map(nr_blocks * BLOCK);
	for (__u64 i = 0; i < nr_blocks * WORDS; i += PAGE / sizeof(__u64))
		memory[i] = i;
	shuffle();
	begin_phase(0);
	if (argc > 4)
		tell_hot();
	work_ready();
	for (unsigned int phase = 0; phase < phases; phase++) {
		if (phase)
			begin_phase(phase);
		for (__u64 i = 0; i < chunks / phases; i++)
			update(hot_blocks(phase), &state);
	}
	work_stop();
	for (__u64 i = 0; i < nr_blocks * WORDS; i++)
		sum = sum * 31 + memory[i];
	work_end(sum);
	return 0;
}
