// SPDX-License-Identifier: GPL-2.0
/*
 * replay FILE...: runs a fuzz target with each of these inputs, and then with INPUTS random
 * ones, from a generator that starts at SEED.
 */
#include <time.h>

#include "fuzz.h"

#define MAX_INPUT	65536
#define MAX_RANDOM	1024

static unsigned char data[MAX_INPUT];

static u64 setting(const char *name, u64 value)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : value;
}

/* splitmix64 */
static u64 next_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static bool replay_file(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t size;

	if (!file) {
		perror(path);
		return false;
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	fuzz_one_input(data, size);
	return true;
}

int main(int argc, char **argv)
{
	u64 seed = setting("SEED", (u64)time(NULL) << 20 ^ clock());
	u64 inputs = setting("INPUTS", 300), state = seed, n;
	size_t size, i;
	int arg;

	printf("# SEED=%llu, %d inputs and %llu random ones\n", seed, argc - 1,
	       inputs);
	fflush(stdout);
	for (arg = 1; arg < argc; arg++) {
		if (!replay_file(argv[arg]))
			return EXIT_FAILURE;
	}
	for (n = 0; n < inputs; n++) {
		size = next_random(&state) % MAX_RANDOM;
		for (i = 0; i < size; i++)
			data[i] = next_random(&state);
		fuzz_one_input(data, size);
	}
	/* No input at all is an error. */
	return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
