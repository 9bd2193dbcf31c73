// SPDX-License-Identifier: GPL-2.0
/*
 * pagerank VERTICES DEGREE ROUNDS: ranks the vertices of a graph with DEGREE edges to each. A round
 * reads all edges and, anywhere in one array, the old ranks; it writes the new ones to another
 * array, one after the other. Then the two arrays change places. Both fit the fast tier, if it is
 * an eighth of the memory, but only one is hot at a time.
 */
#include <string.h>

#include "work.h"

#define CHUNK	16384
#define DAMPING	0.85f

/* Some vertices have many edges: they come first in memory. */
static unsigned int origin(__u64 *state, __u64 vertices)
{
	const __u64 a = work_random(state) % vertices, b = work_random(state) % vertices;

	return a < b ? a : b;
}

static float gather(const float *rank, const unsigned int *edge, __u64 degree)
{
	float sum = 0;

	for (__u64 i = 0; i < degree; i++)
		sum += rank[edge[i]];
	return sum;
}

static void rank_all(const float *old, float *new, const unsigned int *edges, __u64 vertices,
		     __u64 degree)
{
	for (__u64 i = 0; i < vertices; i++) {
		new[i] = (1 - DAMPING) / vertices +
			 DAMPING / degree * gather(old, &edges[i * degree], degree);
		if ((i + 1) % CHUNK == 0)
			work_done(CHUNK);
	}
}

int main(int argc, char **argv)
{
	const __u64 vertices = work_argument(argc, argv, 1, "the number of vertices");
	const __u64 degree = work_argument(argc, argv, 2, "the number of edges to each");
	const __u64 rounds = work_argument(argc, argv, 3, "the number of rounds");
	unsigned int *edges = work_map(vertices * degree * sizeof(*edges));
	float *old = work_map(vertices * sizeof(*old));
	float *new = work_map(vertices * sizeof(*new));
	__u64 state = 4711, checksum = 0;

	for (__u64 i = 0; i < vertices * degree; i++)
		edges[i] = origin(&state, vertices);
	for (__u64 i = 0; i < vertices; i++) {
		old[i] = 1.0f / vertices;
		new[i] = 0;
	}
	work_ready();
	for (__u64 round = 0; round < rounds; round++) {
		float *ranked = new;

		rank_all(old, new, edges, vertices, degree);
		new = old;
		old = ranked;
	}
	work_stop();
	for (__u64 i = 0; i < vertices; i++) {
		unsigned int bits;

		memcpy(&bits, &old[i], sizeof(bits));
		checksum = checksum * 31 + bits;
	}
	work_end(checksum);
	return 0;
}
