// SPDX-License-Identifier: GPL-2.0
/*
 * graph SCALE DEGREE SOURCES: betweenness centrality (Brandes) from some vertices of a
 * Kronecker graph with 2^SCALE vertices, DEGREE edges for each, both ways. The edges are
 * in memory first and are the most of it; the few megabytes for each vertex come last, and
 * are what is hot.
 */
#include <stdlib.h>
#include <string.h>

#include "work.h"

#define CHUNK	32768

static __u64 nr_vertices, nr_edges;
static unsigned int scale;
static __u64 *first, *edges;
static __u64 *queue, *depth;
static double *paths, *share, *centrality;

/* The usual shares of a Kronecker graph: 57, 19, 19 and 5 % of each quarter. */
static void next_edge(__u64 *state, __u64 *from, __u64 *to)
{
	*from = 0;
	*to = 0;
	for (unsigned int i = 0; i < scale; i += 4) {
		__u64 r = work_random(state);

		for (unsigned int j = i; j < i + 4 && j < scale; j++, r >>= 16) {
			unsigned int die = r & 0xffff;

			*from = *from * 2 + (die >= 49807);
			*to = *to * 2 + ((die >= 37356 && die < 49807) || die >= 62259);
		}
	}
	/* Vertices with many edges must not be neighbours in memory. */
	*from = (*from * 0x9e3779b1ULL) & (nr_vertices - 1);
	*to = (*to * 0x9e3779b1ULL) & (nr_vertices - 1);
}

/* Two passes over the same random numbers need no list of edges. */
static void build(__u64 degree)
{
	__u64 state = 4711, from, to, sum = 0;

	nr_edges = nr_vertices * degree;
	first = work_map((nr_vertices + 1) * sizeof(*first));
	edges = work_map(2 * nr_edges * sizeof(*edges));
	for (__u64 i = 0; i < nr_edges; i++) {
		next_edge(&state, &from, &to);
		first[from]++;
		first[to]++;
	}
	for (__u64 i = 0; i <= nr_vertices; i++) {
		sum += first[i];
		first[i] = sum;
	}
	state = 4711;
	for (__u64 i = 0; i < nr_edges; i++) {
		next_edge(&state, &from, &to);
		edges[--first[from]] = to;
		edges[--first[to]] = from;
	}
}

static void allocate(void)
{
	queue = work_map(nr_vertices * sizeof(*queue));
	depth = work_map(nr_vertices * sizeof(*depth));
	paths = work_map(nr_vertices * sizeof(*paths));
	share = work_map(nr_vertices * sizeof(*share));
	centrality = work_map(nr_vertices * sizeof(*centrality));
	memset(centrality, 0, nr_vertices * sizeof(*centrality));
}

static void count_done(__u64 i)
{
	if (i % CHUNK == CHUNK - 1)
		work_done(CHUNK);
}

static __u64 search(__u64 source)
{
	__u64 head = 0, tail = 0;

	memset(depth, 0, nr_vertices * sizeof(*depth));
	memset(paths, 0, nr_vertices * sizeof(*paths));
	memset(share, 0, nr_vertices * sizeof(*share));
	depth[source] = 1;
	paths[source] = 1;
	queue[tail++] = source;
	while (head < tail) {
		__u64 v = queue[head++];

		for (__u64 e = first[v]; e < first[v + 1]; e++) {
			__u64 w = edges[e];

			if (!depth[w]) {
				depth[w] = depth[v] + 1;
				queue[tail++] = w;
			}
			if (depth[w] == depth[v] + 1)
				paths[w] += paths[v];
		}
		count_done(head);
	}
	return tail;
}

static void collect(__u64 reached)
{
	for (__u64 i = reached; i-- > 1;) {
		__u64 v = queue[i];
		double sum = 0;

		for (__u64 e = first[v]; e < first[v + 1]; e++) {
			__u64 w = edges[e];

			if (depth[w] == depth[v] + 1)
				sum += paths[v] / paths[w] * (1 + share[w]);
		}
		share[v] = sum;
		centrality[v] += sum;
		count_done(i);
	}
}

int main(int argc, char **argv)
{
	__u64 degree, sources, state = 99, sum = 0;

	scale = work_argument(argc, argv, 1, "the scale");
	degree = work_argument(argc, argv, 2, "the edges of a vertex");
	sources = work_argument(argc, argv, 3, "the number of sources");
	nr_vertices = 1UL << scale;
	build(degree);
	allocate();
	/* The memory is there before the clock starts. */
	search(0);
	work_ready();
	for (__u64 i = 0; i < sources; i++) {
		__u64 source;

		do {
			source = work_random(&state) & (nr_vertices - 1);
		} while (first[source] == first[source + 1]);
		collect(search(source));
	}
	work_stop();
	for (__u64 i = 0; i < nr_vertices; i++) {
		__u64 bits;

		memcpy(&bits, &centrality[i], sizeof(bits));
		sum = sum * 31 + bits;
	}
	work_end(sum);
	return 0;
}
