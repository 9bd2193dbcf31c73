// SPDX-License-Identifier: GPL-2.0
/*
 * What one drain thread keeps up with. One thread writes records into the rings of many CPUs,
 * each at the highest rate that perf lets a CPU have by default, and one drains them with the
 * module's code: ring, batch, table, a cooling when it is due, and housekeeping. What is left
 * out are the locks, and the search for an address space is shorter than in module/track/space.c:
 * both are needed for a run of samples or a batch, not for a sample.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "batch.h"
#include "ring.h"
#include "store.h"

#define PAGES		(16U << 20)
#define MAX_CPUS	128
#define PROGRAMS	32
#define MAX_TARGETS	8
/* Pages that a program's samples are of, always the same ones. */
#define STREAM		(256 * 1024)
/* As by default: 32 pages. */
#define RING_BYTES	(32 * 4096)
/* How often each CPU's records are written, and the thread looks at idle rings. */
#define TICK_NS		1000000

struct row {
	const char *name;
	u64 sample_type;
	u64 weight_unit;
	u32 targets;
	bool paced;
};

static const struct row rows[] = {
	{ "plain", HTMM_SAMPLE_TYPE_MIN, 0, 1, true },
	{ "weighted", HTMM_SAMPLE_TYPE_WEIGHTED, 1000, 1, true },
	{ "8 targets", HTMM_SAMPLE_TYPE_MIN, 0, MAX_TARGETS, true },
	{ "plain", HTMM_SAMPLE_TYPE_MIN, 0, 1, false },
	{ "8 targets", HTMM_SAMPLE_TYPE_MIN, 0, MAX_TARGETS, false },
};

static const struct row *row;
static u32 nr_cpus;
static u64 rate;
static struct htmm_ring ring[MAX_CPUS];
static u32 *stream[PROGRAMS];
static struct store store[MAX_TARGETS];
static u64 next_cooling[MAX_TARGETS];
static struct htmm_batch batch;
static u64 offered, lost, counted[MAX_CPUS];
static atomic_bool done;

static u32 program_of(u32 cpu)
{
	return cpu % PROGRAMS;
}

/* Which pages the programs touch: those of a stream that they share. */
static void make_streams(const struct bench_space *space)
{
	struct htmm_table_sample s[BENCH_BATCH];
	u32 n[PROGRAMS] = {}, full = 0, i, program;

	for (i = 0; i < PROGRAMS; i++)
		stream[i] = malloc(STREAM * sizeof(*stream[i]));
	while (full < PROGRAMS) {
		bench_zipf(space, s, BENCH_BATCH);
		for (i = 0; i < BENCH_BATCH; i++) {
			program = s[i].page >> HTMM_VPN_BITS;
			if (n[program] == STREAM)
				continue;
			stream[program][n[program]++] = s[i].page & HTMM_VPN_MAX;
			full += n[program] == STREAM;
		}
	}
}

/* Empty tables, in which every page is then sampled once; program 0 has the number 1. */
static void make_tables(const struct bench_space *space)
{
	struct htmm_table_sample all[BENCH_BATCH], part[MAX_TARGETS][BENCH_BATCH];
	u32 i, n, nr[MAX_TARGETS], target;
	u64 page;

	for (i = 0; i < row->targets; i++)
		store_open(&store[i], PAGES / row->targets);
	for (page = 0; page < PAGES; page += n) {
		n = min_t(u64, PAGES - page, BENCH_BATCH);
		bench_each_once(space, page, all, n);
		memset(nr, 0, sizeof(nr));
		for (i = 0; i < n; i++) {
			target = (all[i].page >> HTMM_VPN_BITS) % row->targets;
			part[target][nr[target]] = all[i];
			part[target][nr[target]++].page += htmm_page(1, 0);
		}
		for (i = 0; i < row->targets; i++)
			if (nr[i])
				store_add(&store[i], part[i], nr[i], &(u64){ 0 });
	}
	for (i = 0; i < row->targets; i++)
		next_cooling[i] = htmm_cooling_due(0, 0, store[i].table.stats.pages);
}

static void make_rings(void)
{
	u32 slot_size = htmm_record_slot_size(row->sample_type), i;

	for (i = 0; i < nr_cpus; i++)
		if (htmm_ring_init(&ring[i], aligned_alloc(64, RING_BYTES), RING_BYTES, slot_size))
			exit(1);
}

static void free_all(void)
{
	u32 i;

	for (i = 0; i < nr_cpus; i++)
		free(ring[i].slots);
	for (i = 0; i < row->targets; i++)
		store_close(&store[i]);
}

/* Records of one CPU, as many as have come since the last time. */
static void write_records(u32 cpu, u32 *at, u32 n)
{
	u32 program = program_of(cpu);
	struct htmm_sample sample = {
		.pid = 1 + program,
		.cookie = 1000 + program,
		.target = 1 + program % row->targets,
		.period = 1000,
	};
	void *slot;

	for (; n; n--) {
		offered++;
		slot = htmm_ring_reserve(&ring[cpu]);
		if (!slot) {
			lost++;
			continue;
		}
		sample.addr = (u64)stream[program][(*at)++ % STREAM] << HTMM_PAGE_SHIFT;
		htmm_record_write(slot, row->sample_type, &sample);
		htmm_ring_commit(&ring[cpu]);
	}
}

/* All CPUs. What another program on this machine has held up for a tick or more is left out. */
static void *write_all(void *arg)
{
	u64 since = wall_ns(), now, ticks;
	static u32 at[MAX_CPUS];
	atomic_bool *end = arg;
	u32 i;

	pin(1);
	for (i = 0; i < nr_cpus; i++)
		at[i] = i * (STREAM / MAX_CPUS);
	while (!atomic_load_explicit(end, memory_order_relaxed)) {
		for (i = 0; i < nr_cpus; i++) {
			now = wall_ns();
			ticks = (now - since) * nr_cpus / TICK_NS;
			if (row->paced && !ticks) {
				i--;
				continue;
			}
			write_records(i, &at[i], rate * TICK_NS / 1000000000);
			since += TICK_NS / nr_cpus;
			if (ticks > nr_cpus)
				since = now;
		}
	}
	return NULL;
}

static void take_all(u32 *first)
{
	u32 visited, n;
	void *slot;

	htmm_batch_begin(&batch);
	for (visited = 0; visited < nr_cpus && batch.n < HTMM_BATCH; visited++) {
		while (batch.n < HTMM_BATCH) {
			n = min(htmm_ring_peek(&ring[*first], &slot), HTMM_BATCH - batch.n);
			if (!n)
				break;
			htmm_batch_take(&batch, *first, slot, n);
			htmm_ring_consume(&ring[*first], n);
		}
		*first = (*first + 1) % nr_cpus;
	}
}

static void cool(u32 target)
{
	struct htmm_table *table = &store[target].table;

	if (table->stats.counted < next_cooling[target])
		return;
	htmm_table_cool(table);
	next_cooling[target] = htmm_cooling_due(table->stats.counted, 0, table->stats.pages);
}

static void add_all(void)
{
	u32 first, n, i, start, length;
	const struct htmm_run *run;

	htmm_batch_sort(&batch);
	for (first = 0; first < batch.runs; first += n) {
		n = htmm_batch_part(&batch, first);
		run = &batch.run[first];
		for (i = 0; i < n; i++)
			htmm_batch_resolve(&batch, &run[i], run[i].pid);
		start = run->start;
		length = run[n].start - start;
		store_add(&store[run->target - 1], &batch.samples[start], length, &(u64){ 0 });
		cool(run->target - 1);
	}
	for (i = 0; i < batch.runs; i++)
		counted[batch.run[i].ring] += htmm_batch_length(&batch.run[i]);
}

struct result {
	u64 samples;
	u64 cpu;
	u64 wall;
	u64 batches;
};

static struct result drain(u64 ns)
{
	u64 wall = wall_ns(), cpu = cpu_ns();
	struct result result = {};
	u32 first = 0;

	while (result.wall < ns) {
		take_all(&first);
		if (batch.n) {
			add_all();
			result.samples += batch.n;
			result.batches++;
		}
		if (batch.n < HTMM_BATCH)
			nanosleep(&(struct timespec){ .tv_nsec = TICK_NS }, NULL);
		result.wall = wall_ns() - wall;
	}
	result.cpu = cpu_ns() - cpu;
	return result;
}

static void measure(FILE *json, const struct bench_space *space, u64 ns)
{
	struct result result;
	pthread_t writer;
	double busy;

	make_tables(space);
	make_rings();
	batch = (struct htmm_batch) { .weight_unit = row->weight_unit };
	htmm_batch_init(&batch, row->sample_type);
	offered = 0;
	lost = 0;
	atomic_store(&done, false);
	pthread_create(&writer, NULL, write_all, &done);
	drain(ns / 10);
	result = drain(ns);
	atomic_store(&done, true);
	pthread_join(writer, NULL);
	busy = (double)result.cpu / result.samples;
	printf("%-10s %-6s %8.2f %10.2f %10.2f %8.3f %8.0f\n", row->name,
	       row->paced ? "paced" : "most", busy, result.samples * 1e3 / result.wall,
	       1e3 / busy, 100.0 * lost / offered, (double)result.samples / result.batches);
	fflush(stdout);
	if (json)
		fprintf(json,
			"%s{\"row\": \"%s\", \"paced\": %d, \"ns_per_sample\": %.3f, \"million_per_second\": %.3f, \"lost\": %llu, \"offered\": %llu}",
			row == rows ? "[" : ",\n", row->name, row->paced, busy,
			result.samples * 1e3 / result.wall, lost, offered);
	free_all();
}

int main(int argc, char **argv)
{
	u64 ns = setting("SECONDS", 5) * 1000000000;
	FILE *json = argc > 1 ? fopen(argv[1], "w") : NULL;
	struct bench_space space;

	nr_cpus = clamp_t(u64, setting("CPUS", MAX_CPUS), 1, MAX_CPUS);
	rate = setting("RATE", 100000);
	bench_space_open(&space, PAGES, 1, PROGRAMS);
	make_streams(&space);
	pin(0);
	printf("# %u CPUs with %llu samples a second each, %u pages of %u programs, zipf\n",
	       nr_cpus, rate, PAGES, PROGRAMS);
	printf("%-10s %-6s %8s %10s %10s %8s %8s\n", "", "", "ns", "M/s", "most M/s", "lost %",
	       "batch");
	for (row = rows; row < rows + sizeof(rows) / sizeof(*rows); row++)
		measure(json, &space, ns);
	if (json)
		fprintf(json, "]\n");
	return 0;
}
