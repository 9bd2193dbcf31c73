// SPDX-License-Identifier: GPL-2.0
/*
 * Two writers against one. Each writer drains a ring of its own, as a drain thread
 * does those of its CPUs, and there are as many tables as writers. Always the same
 * pages are sampled, but samples come to their tables in several ways:
 *
 *   locked  each writer adds to all tables, under their locks, as the module does
 *   handed  each table has one writer; the other hands it batches through a ring, so
 *           that a table's memory stays with one CPU
 *   apart   rings have only pages of their writer's table: what this machine can do
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "feed.h"
#include "shard.h"

#define PAGES		(16U << 20)
#define WRITERS		2
#define INBOX		32		/* batches */
#define MAX_ROUNDS	2000

struct batch {
	struct htmm_table_sample samples[BENCH_BATCH];
};

/* Whose pages a writer's ring has: those of all writers, or only its own. */
enum source { MIXED, OWN, SOURCES };

struct writer {
	struct feed feed[SOURCES];
	struct htmm_ring inbox[WRITERS];	/* batches from each of the others */
	struct batch own;
	struct batch split[WRITERS];
	struct batch *to[WRITERS];	/* being filled, for each writer */
	u32 fill[WRITERS];
	u32 number;
	u64 added;
	u64 cpu;
	u64 waited;
} __aligned(64);

/* Samples per nanosecond in one turn. */
struct turn {
	double wall;
	double cpu;	/* as if each writer had a CPU and never lost it */
};

/* The first table alone, then those of two writers. */
static struct shard shards[1 + WRITERS];
static struct shard *tables;
static u32 nr_tables;
static enum source source;
static bool locked;
static struct writer writers[WRITERS];
static atomic_bool done;

static void ring_open(struct htmm_ring *ring, u32 slots, u32 slot_size)
{
	size_t bytes = (size_t)slots * slot_size;

	if (htmm_ring_init(ring, aligned_alloc(64, bytes), bytes, slot_size))
		exit(1);
}

static void writer_open(struct writer *writer, u32 number,
			const struct bench_space *space)
{
	u32 i;

	writer->number = number;
	feed_open(&writer->feed[MIXED], space, bench_zipf, 0, 1);
	feed_open(&writer->feed[OWN], space, bench_zipf, number, WRITERS);
	for (i = 0; i < WRITERS; i++)
		ring_open(&writer->inbox[i], INBOX, sizeof(struct batch));
}

/* Every page once, in the first table and in that of the two it belongs to. */
static void fill(const struct bench_space *space)
{
	static struct htmm_table_sample all[BENCH_BATCH], part[BENCH_BATCH];
	u64 page, waited;
	u32 i, n, nr, to;

	for (page = 0; page < PAGES; page += n) {
		n = min_t(u64, PAGES - page, BENCH_BATCH);
		bench_each_once(space, page, all, n);
		shard_add(&shards[0], all, n, &waited);
		for (to = 0; to < WRITERS; to++) {
			for (i = 0, nr = 0; i < n; i++)
				if (htmm_table_shard(all[i].page, WRITERS) == to)
					part[nr++] = all[i];
			shard_add(&shards[1 + to], part, nr, &waited);
		}
	}
}

static void add_to(struct writer *writer, u32 table, const struct batch *batch,
		   u32 n)
{
	shard_add(&tables[table], batch->samples, n, &writer->waited);
	writer->added += n;
}

static void add_batch(struct writer *writer, const struct batch *batch)
{
	add_to(writer, writer->number, batch, BENCH_BATCH);
}

static void empty_inbox(struct writer *writer, struct htmm_ring *inbox)
{
	void *batch;

	/* One by one, for the other may be waiting for room. */
	while (htmm_ring_peek(inbox, &batch)) {
		add_batch(writer, batch);
		htmm_ring_consume(inbox, 1);
	}
}

/* Room for a batch: our own, or in another's inbox. While that is full, empty ours. */
static struct batch *next_batch(struct writer *writer, u32 to)
{
	struct htmm_ring *inbox = &writers[to].inbox[writer->number];
	struct batch *batch;

	if (locked)
		return &writer->split[to];
	if (to == writer->number)
		return &writer->own;
	while (!(batch = htmm_ring_reserve(inbox)) && !atomic_load(&done)) {
		empty_inbox(writer, &writer->inbox[to]);
		nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
	}
	return batch ?: &writer->own;
}

static void hand_over(struct writer *writer, u32 to)
{
	if (to == writer->number)
		add_batch(writer, &writer->own);
	else
		htmm_ring_commit(&writers[to].inbox[writer->number]);
	writer->to[to] = next_batch(writer, to);
	writer->fill[to] = 0;
}

static void drain_batch(struct writer *writer)
{
	struct htmm_table_sample all[BENCH_BATCH];
	u32 n = feed_take(&writer->feed[source], all), i, to;

	for (i = 0; i < n; i++) {
		to = htmm_table_shard(all[i].page, nr_tables);
		writer->to[to]->samples[writer->fill[to]++] = all[i];
		if (!locked && writer->fill[to] == BENCH_BATCH)
			hand_over(writer, to);
	}
	for (to = 0; locked && to < nr_tables; to++) {
		add_to(writer, to, writer->to[to], writer->fill[to]);
		writer->fill[to] = 0;
	}
	for (i = 0; i < nr_tables; i++)
		empty_inbox(writer, &writer->inbox[i]);
}

static void *drain(void *arg)
{
	struct writer *writer = arg;
	u64 start;
	u32 i;

	pin(writer->number);
	start = cpu_ns();
	/* What the turn before has left is forgotten. */
	for (i = 0; i < nr_tables; i++) {
		writer->to[i] = next_batch(writer, i);
		writer->fill[i] = 0;
	}
	writer->added = 0;
	writer->waited = 0;
	while (!atomic_load_explicit(&done, memory_order_relaxed))
		drain_batch(writer);
	writer->cpu = cpu_ns() - start;
	return NULL;
}

enum way { ONE, LOCKED, HANDED, APART, WAYS };

static struct turn run(enum way which, u64 ns)
{
	u32 n = which == ONE ? 1 : WRITERS, i;
	struct timespec nap = { .tv_nsec = ns };
	u64 start = wall_ns(), samples = 0, busy = 0;
	pthread_t thread[WRITERS];

	tables = n == 1 ? &shards[0] : &shards[1];
	nr_tables = n;
	source = which == APART ? OWN : MIXED;
	locked = which == LOCKED;
	atomic_store(&done, false);
	for (i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, drain, &writers[i]);
	nanosleep(&nap, NULL);
	atomic_store(&done, true);
	for (i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		samples += writers[i].added;
		busy += writers[i].cpu;
	}
	return (struct turn) {
		.wall = (double)samples / (wall_ns() - start),
		.cpu = (double)samples * n / busy,
	};
}

static void report_way(FILE *json, const char *name, struct turn (*turn)[WAYS],
		       u32 rounds, enum way way)
{
	double wall[MAX_ROUNDS], cpu[MAX_ROUNDS], one[MAX_ROUNDS], all[MAX_ROUNDS];
	char title[40];
	u32 i;

	for (i = 0; i < rounds; i++) {
		one[i] = turn[i][ONE].wall;
		all[i] = turn[i][way].wall;
		wall[i] = all[i] / one[i];
		cpu[i] = turn[i][way].cpu / turn[i][ONE].cpu;
	}
	report(json, name, quartiles(wall, rounds));
	snprintf(title, sizeof(title), "%s_cpu", name);
	report(json, title, quartiles(cpu, rounds));
	snprintf(title, sizeof(title), "%s_best", name);
	report_best(json, title, all, one, rounds);
}

static void measure(FILE *json, u32 rounds, u64 window)
{
	static struct turn turn[MAX_ROUNDS][WAYS];
	double ns[MAX_ROUNDS];
	u32 i, j, way;

	for (i = 0; i < rounds; i++) {
		for (j = 0; j < WAYS; j++) {
			way = (i + j) % WAYS;
			turn[i][way] = run(way, window);
		}
		ns[i] = 1 / turn[i][ONE].cpu;
	}
	printf("# zipf, %u pages, %u writers, %u rounds: median, its 95 %%, quartiles\n",
	       PAGES, WRITERS, rounds);
	if (json)
		fprintf(json, "{\"pages\": %u, \"writers\": %u", PAGES, WRITERS);
	report(json, "ns_per_sample", quartiles(ns, rounds));
	report_way(json, "locked", turn, rounds, LOCKED);
	report_way(json, "handed", turn, rounds, HANDED);
	report_way(json, "apart", turn, rounds, APART);
	if (json)
		fprintf(json, "}\n");
}

int main(int argc, char **argv)
{
	u32 rounds = clamp_t(u64, setting("ROUNDS", 100), 1, MAX_ROUNDS), i;
	u64 window = min_t(u64, setting("WINDOW_MS", 100), 999) * 1000000;
	FILE *json = argc > 1 ? fopen(argv[1], "w") : NULL;
	struct bench_space space;

	bench_space_open(&space, PAGES, 1, 1);
	for (i = 0; i < 1 + WRITERS; i++)
		shard_open(&shards[i], PAGES);
	fill(&space);
	for (i = 0; i < WRITERS; i++)
		writer_open(&writers[i], i, &space);
	for (i = 0; i < WAYS; i++)
		run(i, window);
	measure(json, rounds, window);
	return 0;
}
