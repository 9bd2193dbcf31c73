// SPDX-License-Identifier: GPL-2.0
/*
 * What a reader in a loop costs who adds: 16 M pages tracked, batches added all the
 * time, and in turns nobody reading, a reader that pauses as the module's does
 * between its slices, and one that does not.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "shard.h"

#define PAGES		(16U << 20)
#define SAMPLES		(4U << 20)
#define TOP		1000
#define MAX_ROUNDS	200
#define MAX_LISTS	100000
/* As in module/shard.c: pauses of so many times the slice. */
#define PAUSE		47

/* Twice alone: what differs between these two is the machine's noise. */
enum mode { ALONE, AGAIN, PACED, EAGER, MODES };

/* What was added in one turn. */
struct turn {
	u64 samples;
	u64 wall;
	u64 cpu;
	u64 waited;
};

static struct shard shard;
static struct htmm_table_sample *samples;
static atomic_int mode;	/* enum mode */
static atomic_bool done;
static double lists[MODES][MAX_LISTS];	/* milliseconds each took */
static u32 nr_lists[MODES];

/* Sleep until it is the turn of this mode; returns how long that took. */
static u64 await_turn(enum mode how)
{
	u64 start = wall_ns();

	if (atomic_load(&mode) == how)
		return 0;
	while (atomic_load(&mode) != how && !atomic_load(&done))
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return wall_ns() - start;
}

/* Between two slices, the first of which began at @since: returns when the next begins. */
static u64 next_slice(enum mode how, u64 since, u64 *idle)
{
	struct timespec pause;

	shard_unlock(&shard);
	if (how == PACED) {
		pause.tv_sec = 0;
		pause.tv_nsec = min_t(u64, (wall_ns() - since) * PAUSE, 10000000);
		nanosleep(&pause, NULL);
	}
	*idle += await_turn(how);
	shard_lock(&shard, &(u64){ 0 });
	return wall_ns();
}

static void read_once(enum mode how)
{
	struct htmm_list_entry entries[TOP];
	struct htmm_hist hist[HTMM_KINDS];
	struct htmm_list list;
	u64 since, idle = 0, start = wall_ns();

	htmm_list_init(&list, HTMM_LIST_PAGES, 0, entries, TOP);
	shard_lock(&shard, &(u64){ 0 });
	since = wall_ns();
	htmm_list_begin(&list, &shard.table);
	while (htmm_list_scan(&list, &shard.table, SHARD_SLICE))
		since = next_slice(how, since, &idle);
	shard_unlock(&shard);
	if (htmm_list_finish(&list) != TOP || !entries[TOP - 1].value) {
		fprintf(stderr, "the list is short\n");
		exit(1);
	}
	shard_lock(&shard, &(u64){ 0 });
	htmm_table_hist(&shard.table, HTMM_KIND_BASE, &hist[0]);
	htmm_table_hist(&shard.table, HTMM_KIND_HUGE, &hist[1]);
	shard_unlock(&shard);
	/* Nothing cools, and nothing is evicted. */
	if (htmm_hist_pages_from(&hist[0], 0) != PAGES) {
		fprintf(stderr, "the histogram does not have all pages\n");
		exit(1);
	}
	if (nr_lists[how] < MAX_LISTS)
		lists[how][nr_lists[how]++] = (wall_ns() - start - idle) / 1e6;
}

static void *reader(void *arg)
{
	enum mode how = (enum mode)(unsigned long)arg;

	for (await_turn(how); !atomic_load(&done); await_turn(how))
		read_once(how);
	return NULL;
}

static struct turn add_for(u64 ns)
{
	struct turn turn = { 0 };
	u64 wall = wall_ns(), cpu = cpu_ns();
	static u32 at;

	while (turn.wall < ns) {
		shard_add(&shard, samples + at, BENCH_BATCH, &turn.waited);
		at = (at + BENCH_BATCH) % SAMPLES;
		turn.samples += BENCH_BATCH;
		turn.wall = wall_ns() - wall;
	}
	turn.cpu = cpu_ns() - cpu;
	return turn;
}

static void fill(const struct bench_space *space)
{
	u64 page;

	for (page = 0; page < PAGES; page += BENCH_BATCH) {
		bench_each_once(space, page, samples, BENCH_BATCH);
		shard_add(&shard, samples, BENCH_BATCH, &(u64){ 0 });
	}
}

/* Against the turn alone of the same round. */
static void report_mode(FILE *json, const char *name, enum mode how,
			struct turn (*turn)[MODES], u32 rounds)
{
	double wall[MAX_ROUNDS], cpu[MAX_ROUNDS], waited[MAX_ROUNDS];
	double alone[MAX_ROUNDS], rate[MAX_ROUNDS];
	char title[40];
	u32 i;

	for (i = 0; i < rounds; i++) {
		const struct turn *a = &turn[i][ALONE], *b = &turn[i][how];

		alone[i] = (double)a->samples / a->wall;
		rate[i] = (double)b->samples / b->wall;
		wall[i] = rate[i] / alone[i];
		cpu[i] = ((double)b->samples / b->cpu) /
			 ((double)a->samples / a->cpu);
		waited[i] = (double)b->waited / b->wall;
	}
	snprintf(title, sizeof(title), "%s_throughput", name);
	report(json, title, quartiles(wall, rounds));
	snprintf(title, sizeof(title), "%s_throughput_cpu", name);
	report(json, title, quartiles(cpu, rounds));
	snprintf(title, sizeof(title), "%s_throughput_best", name);
	report_best(json, title, rate, alone, rounds);
	snprintf(title, sizeof(title), "%s_waited", name);
	report(json, title, quartiles(waited, rounds));
	snprintf(title, sizeof(title), "%s_list_ms", name);
	if (nr_lists[how])
		report(json, title, quartiles(lists[how], nr_lists[how]));
}

static void run(FILE *json, const char *stream, u32 rounds, u64 window)
{
	static struct turn turn[MAX_ROUNDS][MODES];
	double ns[MAX_ROUNDS];
	u32 i, j;

	memset(nr_lists, 0, sizeof(nr_lists));
	add_for(window);
	for (i = 0; i < rounds; i++) {
		for (j = 0; j < MODES; j++) {
			atomic_store(&mode, (i + j) % MODES);
			turn[i][(i + j) % MODES] = add_for(window);
		}
		ns[i] = (double)turn[i][ALONE].cpu / turn[i][ALONE].samples;
	}
	atomic_store(&mode, ALONE);
	printf("# %s, %u pages tracked, %u rounds: median, quartiles\n", stream,
	       PAGES, rounds);
	if (json)
		fprintf(json, " {\"stream\": \"%s\", \"pages\": %u", stream, PAGES);
	report(json, "ns_per_sample", quartiles(ns, rounds));
	report_mode(json, "alone", AGAIN, turn, rounds);
	report_mode(json, "paced", PACED, turn, rounds);
	report_mode(json, "eager", EAGER, turn, rounds);
}

int main(int argc, char **argv)
{
	u32 rounds = clamp_t(u64, setting("ROUNDS", 21), 1, MAX_ROUNDS);
	u64 window = setting("WINDOW_MS", 300) * 1000000;
	FILE *json = argc > 1 ? fopen(argv[1], "w") : NULL;
	struct bench_space space;
	pthread_t thread[MODES];
	unsigned long how;

	bench_space_open(&space, PAGES, 1);
	samples = calloc(SAMPLES, sizeof(*samples));
	shard_open(&shard, PAGES);
	fill(&space);
	for (how = PACED; how < MODES; how++)
		pthread_create(&thread[how], NULL, reader, (void *)how);
	if (json)
		fprintf(json, "[\n");
	bench_uniform(&space, samples, SAMPLES);
	run(json, "uniform", rounds, window);
	if (json)
		fprintf(json, "},\n");
	bench_zipf(&space, samples, SAMPLES);
	run(json, "zipf", rounds, window);
	if (json)
		fprintf(json, "}\n]\n");
	atomic_store(&done, true);
	for (how = PACED; how < MODES; how++)
		pthread_join(thread[how], NULL);
	return 0;
}
