// SPDX-License-Identifier: GPL-2.0
/*
 * What a reader in a loop costs who adds, on another CPU: 16 M pages tracked, batches
 * added all the time, and in short turns nobody reading, a reader that pauses as the
 * module's does between its slices, and one that does not.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "feed.h"
#include "store.h"

#define PAGES		(16U << 20)
#define TOP		1000
#define MAX_ROUNDS	2000
#define MAX_LISTS	100000
/* As in module/track/read.c: pauses of so many times the slice, in nanoseconds at most. */
#define PAUSE		47
#define MAX_PAUSE	10000000
/* Before a turn counts: what the one before has left in the caches is gone. */
#define SETTLE_NS	10000000

/* Twice alone: what differs between these two is the machine's noise. */
enum mode { ALONE, AGAIN, PACED, EAGER, MODES };

/* What was added in one turn. */
struct turn {
	u64 samples;
	u64 wall;
	u64 cpu;
	u64 waited;
};

static struct store store;
static struct feed feed;
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static enum mode mode;		/* under turn_lock, as is the next */
static bool done;
static double lists[MODES][MAX_LISTS];	/* milliseconds each took */
static double work[MODES][MAX_LISTS];	/* of these, on the CPU */
static u32 nr_lists[MODES];

static void begin_turn(enum mode how)
{
	pthread_mutex_lock(&turn_lock);
	mode = how;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&turn_lock);
}

/* Sleep until it is the turn of this mode; returns how long that took. */
static u64 await_turn(enum mode how)
{
	u64 start = wall_ns();
	bool slept = false;

	pthread_mutex_lock(&turn_lock);
	while (mode != how && !done) {
		pthread_cond_wait(&turned, &turn_lock);
		slept = true;
	}
	pthread_mutex_unlock(&turn_lock);
	return slept ? wall_ns() - start : 0;
}

/* A slice under the lock; returns its time, and adds what it took of the CPU. */
static u64 read_slice(struct htmm_topn *list, bool *more, u64 *work)
{
	u64 start, cpu, ns;

	store_lock(&store, &(u64){ 0 });
	start = wall_ns();
	cpu = cpu_ns();
	*more = htmm_topn_scan(list, &store.table, STORE_SLICE * HTMM_SCAN_REGION);
	*work += cpu_ns() - cpu;
	ns = wall_ns() - start;
	store_unlock(&store);
	return ns;
}

/* Returns how long it has slept because it was another's turn. */
static u64 pause_for(enum mode how, u64 ns)
{
	u64 slept, idle = 0;

	do {
		if (how == PACED)
			nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
		slept = await_turn(how);
		idle += slept;
	} while (slept);
	return idle;
}

static void read_once(enum mode how)
{
	u64 ns, idle = 0, cpu = 0, start = wall_ns();
	struct htmm_topn_entry entries[TOP];
	struct htmm_hist hist[HTMM_UNITS];
	struct htmm_topn list = {
		.filter = HTMM_TOPN_COUNTED, .entries = entries, .size = TOP,
	};
	bool more;

	store_lock(&store, &(u64){ 0 });
	htmm_topn_begin(&list, &store.table);
	store_unlock(&store);
	for (;;) {
		ns = read_slice(&list, &more, &cpu);
		if (!more)
			break;
		idle += pause_for(how, min_t(u64, ns * PAUSE, MAX_PAUSE));
	}
	if (htmm_topn_finish(&list) != TOP || !entries[TOP - 1].value) {
		fprintf(stderr, "the list is short\n");
		exit(1);
	}
	store_lock(&store, &(u64){ 0 });
	hist[0] = store.table.hist[HTMM_UNIT_PAGE];
	hist[1] = store.table.hist[HTMM_UNIT_REGION];
	store_unlock(&store);
	/* Nothing cools, and nothing is evicted. */
	if (htmm_hist_pages_from(&hist[0], 0) != PAGES) {
		fprintf(stderr, "the histogram does not have all pages\n");
		exit(1);
	}
	if (nr_lists[how] < MAX_LISTS) {
		work[how][nr_lists[how]] = cpu / 1e6;
		lists[how][nr_lists[how]++] = (wall_ns() - start - idle) / 1e6;
	}
}

static void *reader(void *arg)
{
	enum mode how = (enum mode)(unsigned long)arg;

	pin(1);
	for (await_turn(how); !done; await_turn(how))
		read_once(how);
	return NULL;
}

static struct turn add_for(u64 ns)
{
	struct htmm_table_sample samples[BENCH_BATCH];
	u64 wall = wall_ns(), cpu = cpu_ns();
	struct turn turn = { 0 };
	u32 n;

	while (turn.wall < ns) {
		n = feed_take(&feed, samples);
		store_add(&store, samples, n, &turn.waited);
		turn.samples += n;
		turn.wall = wall_ns() - wall;
	}
	turn.cpu = cpu_ns() - cpu;
	return turn;
}

static void fill(const struct bench_space *space)
{
	struct htmm_table_sample samples[BENCH_BATCH];
	u64 page;
	u32 n;

	for (page = 0; page < PAGES; page += n) {
		n = min_t(u64, PAGES - page, BENCH_BATCH);
		bench_each_once(space, page, samples, n);
		store_add(&store, samples, n, &(u64){ 0 });
	}
}

/* Against the turn alone of the same round. */
static void report_mode(FILE *json, const char *name, enum mode how,
			struct turn (*turn)[MODES], u32 rounds)
{
	double wall[MAX_ROUNDS], cpu[MAX_ROUNDS], waited[MAX_ROUNDS];
	char title[40];
	u32 i;

	for (i = 0; i < rounds; i++) {
		const struct turn *a = &turn[i][ALONE], *b = &turn[i][how];

		wall[i] = ((double)b->samples / b->wall) /
			  ((double)a->samples / a->wall);
		cpu[i] = ((double)b->samples / b->cpu) /
			 ((double)a->samples / a->cpu);
		waited[i] = (double)b->waited / b->wall;
	}
	snprintf(title, sizeof(title), "%s_throughput", name);
	report(json, title, quartiles(wall, rounds));
	snprintf(title, sizeof(title), "%s_throughput_cpu", name);
	report(json, title, quartiles(cpu, rounds));
	snprintf(title, sizeof(title), "%s_waited", name);
	report(json, title, quartiles(waited, rounds));
	if (!nr_lists[how])
		return;
	snprintf(title, sizeof(title), "%s_list_ms", name);
	report(json, title, quartiles(lists[how], nr_lists[how]));
	snprintf(title, sizeof(title), "%s_list_cpu_ms", name);
	report(json, title, quartiles(work[how], nr_lists[how]));
}

static struct turn take_turn(enum mode how, u64 window)
{
	begin_turn(how);
	add_for(SETTLE_NS);
	return add_for(window);
}

/* A reader between two turns alone, the first and the last of which change places. */
static void measure(FILE *json, const char *name, enum mode how, u32 rounds,
		    u64 window)
{
	static struct turn turn[MAX_ROUNDS][MODES];
	double ns[MAX_ROUNDS];
	u32 i;

	for (i = 0; i < rounds; i++) {
		turn[i][i % 2 ? AGAIN : ALONE] = take_turn(ALONE, window);
		turn[i][how] = take_turn(how, window);
		turn[i][i % 2 ? ALONE : AGAIN] = take_turn(ALONE, window);
		ns[i] = (double)turn[i][ALONE].cpu / turn[i][ALONE].samples;
	}
	begin_turn(ALONE);
	if (how == PACED) {
		report(json, "ns_per_sample", quartiles(ns, rounds));
		report_mode(json, "alone", AGAIN, turn, rounds);
	}
	report_mode(json, name, how, turn, rounds);
}

static void run(FILE *json, const char *stream, const struct bench_space *space,
		feed_draw draw, u32 rounds, u64 window)
{
	feed_open(&feed, space, draw);
	memset(nr_lists, 0, sizeof(nr_lists));
	add_for(window);
	printf("# %s, %u pages tracked, %u rounds: median, its 95 %%, quartiles\n", stream,
	       PAGES, rounds);
	if (json)
		fprintf(json, " {\"stream\": \"%s\", \"pages\": %u", stream, PAGES);
	measure(json, "paced", PACED, rounds, window);
	measure(json, "eager", EAGER, DIV_ROUND_UP(rounds, 10), window);
	feed_close(&feed);
}

int main(int argc, char **argv)
{
	u32 rounds = clamp_t(u64, setting("ROUNDS", 200), 1, MAX_ROUNDS);
	u64 window = setting("WINDOW_MS", 50) * 1000000;
	FILE *json = argc > 1 ? fopen(argv[1], "w") : NULL;
	struct bench_space space;
	pthread_t thread[MODES];
	unsigned long how;

	pin(0);
	bench_space_open(&space, PAGES, 1, 1);
	store_open(&store, PAGES);
	fill(&space);
	for (how = PACED; how < MODES; how++)
		pthread_create(&thread[how], NULL, reader, (void *)how);
	if (json)
		fprintf(json, "[\n");
	run(json, "uniform", &space, bench_uniform, rounds, window);
	if (json)
		fprintf(json, "},\n");
	run(json, "zipf", &space, bench_zipf, rounds, window);
	if (json)
		fprintf(json, "}\n]\n");
	pthread_mutex_lock(&turn_lock);
	done = true;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&turn_lock);
	for (how = PACED; how < MODES; how++)
		pthread_join(thread[how], NULL);
	return 0;
}
