// SPDX-License-Identifier: GPL-2.0
/*
 * commands_work TURNS [PHASES]: a program with known hot pages. A phase of so many turns runs on
 * each CPU in turn, and has hot pages of its own: what samples some CPUs only finds some of them.
 * Waits for a line of input before it begins. At the end prints how many of the hot pages of the
 * last phase are on the first node, and waits for another line. The end of the input is as good
 * as a line. With PHASES, the last one is repeated until most are there, as how often a command
 * looks depends on the time, and how long a phase takes on the machine; but not for ever.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/types.h>

#define PAGE	4096UL
#define PAGES	1024UL
#define HOT	96UL		/* of each phase; three of four turns are of these */
#define REPEATS	200		/* of the last phase */

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static __always_inline void load(const char *at)
{
	char value;

	asm volatile("movb %1, %0" : "=q"(value) : "m"(*at));
}

/* Loads every fourth line of a random page, beginning with a random one. */
static void phase(const char *at, const char *hot, int turns, __u64 *seed)
{
	const char *page;
	int i;

	for (i = 0; i < turns; i++) {
		*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
		page = *seed >> 62 ? &hot[(*seed >> 33) % HOT * PAGE] :
				     &at[(*seed >> 33) % PAGES * PAGE];
		page += (*seed >> 60) % 4 * 64;
		/* Few other instructions come with a load. */
#pragma GCC unroll 16
		for (size_t line = 0; line < PAGE; line += 256)
			load(&page[line]);
	}
}

static int on_first_node(char *hot)
{
	void *pages[HOT];
	int status[HOT], n = 0;
	size_t i;

	for (i = 0; i < HOT; i++)
		pages[i] = hot + i * PAGE;
	if (syscall(SYS_move_pages, 0, HOT, pages, NULL, status, 0))
		return -1;
	for (i = 0; i < HOT; i++)
		n += status[i] == 0;
	return n;
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 0, phases = argc > 2 ? atoi(argv[2]) : 2, i;
	__u64 seed = 1;
	char *at, *hot = NULL;

	at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return 1;
	madvise(at, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (i = 0; i < (int)PAGES; i++)
		at[i * PAGE] = 1;
	getchar();
	for (i = 0; i < phases; i++) {
		pin(i % 2);
		hot = at + (i % 2 ? PAGES / 2 : 0) * PAGE;
		phase(at, hot, turns, &seed);
	}
	for (i = 0; argc > 2 && i < REPEATS && on_first_node(hot) <= (int)HOT / 2; i++)
		phase(at, hot, turns, &seed);
	printf("%d of %lu hot pages are on node 0\n", on_first_node(hot), HOT);
	fflush(stdout);
	getchar();
	return 0;
}
