// SPDX-License-Identifier: GPL-2.0
/*
 * commands_work [PHASES]: a program with known hot pages. A phase runs on each CPU in turn, and has
 * hot pages of its own: what samples some CPUs only finds some of them. Waits for a line of
 * input before it begins. At the end prints how many of the hot pages of the last phase are on
 * the first node, and waits for another line. The end of the input is as good as a line. With
 * PHASES, the last one is repeated until most are there, as how often a command looks depends on
 * the time, and how long a phase takes on the machine; but not for ever.
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
#define HOT	96UL		/* of each phase */
#define LOADS	500000		/* of each phase; three of four are of its hot pages */
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

static void load(const char *at)
{
	char value;

	asm volatile("movb %1, %0" : "=q"(value) : "m"(*at));
}

/* Each load is of a random line. */
static void phase(const char *at, const char *hot, __u64 *seed)
{
	int i;

	for (i = 0; i < LOADS; i++) {
		*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
		if (*seed >> 62)
			load(&hot[(*seed >> 33) % (HOT * PAGE / 64) * 64]);
		else
			load(&at[(*seed >> 33) % (PAGES * PAGE / 64) * 64]);
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
	int phases = argc > 1 ? atoi(argv[1]) : 2, i;
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
		phase(at, hot, &seed);
	}
	for (i = 0; argc > 1 && i < REPEATS && on_first_node(hot) <= (int)HOT / 2; i++)
		phase(at, hot, &seed);
	printf("%d of %lu hot pages are on node 0\n", on_first_node(hot), HOT);
	fflush(stdout);
	getchar();
	return 0;
}
