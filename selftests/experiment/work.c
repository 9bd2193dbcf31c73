// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "place.h"
#include "work.h"

#define MAX_MARKS	20000
#define HUGE_PAGE	(2UL << 20)

static struct mark {
	__s64 ns;
	__u64 ops;
	bool phase;
} marks[MAX_MARKS];

static unsigned int nr_marks;
static __s64 start, paused;
static __u64 total;
static bool begun;

void work_fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static __s64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void mark(bool phase)
{
	if (nr_marks == MAX_MARKS)
		work_fail("more than %d marks", MAX_MARKS);
	marks[nr_marks++] = (struct mark){ now() - start - paused, total, phase };
}

void *work_map(__u64 bytes)
{
	char *map = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		work_fail("no memory for %llu bytes", bytes);
	return (void *)(((uintptr_t)map + HUGE_PAGE - 1) & -HUGE_PAGE);
}

/* Each word is answered by a line. */
static void tell(const char *word)
{
	int c;

	puts(word);
	fflush(stdout);
	do {
		c = getchar();
	} while (c != EOF && c != '\n');
	if (c == EOF)
		work_fail("nobody answered to '%s'", word);
}

/*
 * What the clock finds must not be the program's first touch of this memory. Whether it came to
 * the fast node would be chance, and the program would have less of that.
 */
static void put_marks_away(void)
{
	static __u64 pages[sizeof(marks) / PAGE];

	for (unsigned int i = 0; i < MAX_MARKS; i++)
		marks[i].ops = 1;
	for (unsigned int i = 0; i < sizeof(marks) / PAGE; i++)
		pages[i] = ((uintptr_t)marks & -PAGE) + i * PAGE;
	/* Where there is no other node, they stay. */
	place_move(0, pages, sizeof(marks) / PAGE, 1);
}

void work_ready(void)
{
	put_marks_away();
	tell("ready");
	start = now();
	paused = 0;
	begun = true;
	mark(true);
}

void work_done(__u64 ops)
{
	/* What it does to have its memory is not counted. */
	if (!begun)
		return;
	total += ops;
	mark(false);
}

void work_phase(const __u64 *hot, __u64 n)
{
	const char *capacity = getenv("WORK_ORACLE");
	__s64 from;

	if (begun)
		mark(true);
	if (!capacity)
		return;
	from = now();
	if (place_pages(0, hot, n, strtoull(capacity, NULL, 10)))
		work_fail("cannot place the pages");
	paused += now() - from;
}

void work_stop(void)
{
	/* What was done since the last mark takes time, too, which in graph is a second. */
	work_done(1);
	tell("stopped");
}

void work_end(__u64 checksum)
{
	for (unsigned int i = 0; i < nr_marks; i++)
		printf("%s %lld %llu\n", marks[i].phase ? "phase" : "done",
		       marks[i].ns, marks[i].ops);
	printf("checksum %016llx\n", checksum);
	fflush(stdout);
}

__u64 work_argument(int argc, char **argv, int i, const char *what)
{
	__u64 value = i < argc ? strtoull(argv[i], NULL, 10) : 0;

	if (!value)
		work_fail("argument %d is %s", i, what);
	return value;
}
