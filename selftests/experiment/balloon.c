// SPDX-License-Identifier: GPL-2.0
/*
 * balloon KIB: take memory of node 0 until that much is left above the watermark at which
 * the kernel allocates elsewhere, say so, and keep it until the end. At a line of input, take
 * what is left, and say so.
 *
 * None of it can be moved to another node: DAMON's migrate_cold moves what is locked, too, and
 * would make the fast node larger. The most of it are huge pages that nobody maps, the rest is
 * secret memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_KIB	256L
#define MAX_CHUNKS	900
#define HUGE_KIB	2048L
#define HUGE_PAGES	"/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages"
/* What is left must stay near what is wanted for so many looks. */
#define NEAR_KIB	512L
#define LOOKS		20
#define LOOK_NS		20000000
#define PAGE		4096
#define REST_KIB	8192L
/*
 * The min watermark, below which programs wait for memory, is 976 KiB below the low one; the last
 * page may let 252 KiB go into a list.
 */
#define BELOW_KIB	704L

static struct {
	void *map;
	int fd;
} chunks[MAX_CHUNKS];

static unsigned int nr_chunks;

static void fail(const char *what)
{
	fprintf(stderr, "balloon: %s: %s\n", what, strerror(errno));
	exit(1);
}

/*
 * KiB of node 0 that a program can have: what is free in its zones above their low
 * watermarks, and above what each keeps for requests that can use no other zone. @listed: what
 * is in the CPUs' lists of pages, which may become free at any time.
 */
static long look(long *listed)
{
	long free = 0, low = 0, count, kept[5], kib = 0;
	int node = -1;
	char line[512];
	FILE *file = fopen("/proc/zoneinfo", "re");

	if (!file)
		fail("/proc/zoneinfo");
	*listed = 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %d,", &node) == 1 || node ||
		    sscanf(line, " pages free %ld", &free) == 1 ||
		    sscanf(line, " low %ld", &low) == 1)
			continue;
		if (sscanf(line, " count: %ld", &count) == 1)
			*listed += count * 4;
		if (sscanf(line, " protection: (%ld, %ld, %ld, %ld, %ld)", &kept[0], &kept[1],
			   &kept[2], &kept[3], &kept[4]) != 5)
			continue;
		kib += (free - low - kept[3]) * 4;
		free = 0;
	}
	fclose(file);
	return kib;
}

static long left(void)
{
	long listed;

	return look(&listed);
}

static void take_huge(long pages)
{
	FILE *file = fopen(HUGE_PAGES, "we");

	if (!file || fprintf(file, "%ld\n", pages) < 0 || fclose(file))
		fail(HUGE_PAGES);
}

static void *map_secret(long kib, int *fd)
{
	void *map;

	*fd = syscall(SYS_memfd_secret, O_CLOEXEC);
	if (*fd < 0 || ftruncate(*fd, kib * 1024))
		fail("memfd_secret");
	map = mmap(NULL, kib * 1024, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (map == MAP_FAILED)
		fail("mmap");
	return map;
}

static void take(void)
{
	chunks[nr_chunks].map = map_secret(CHUNK_KIB, &chunks[nr_chunks].fd);
	memset(chunks[nr_chunks++].map, 1, CHUNK_KIB * 1024);
}

static void give(void)
{
	munmap(chunks[--nr_chunks].map, CHUNK_KIB * 1024);
	close(chunks[nr_chunks].fd);
}

/* The kernel's own caches shrink meanwhile, and its counts are late. */
static void adjust(long want)
{
	long extra = left() - want;

	for (; extra > CHUNK_KIB && nr_chunks < MAX_CHUNKS; extra -= CHUNK_KIB)
		take();
	for (; extra < -CHUNK_KIB && nr_chunks; extra += CHUNK_KIB)
		give();
}

/*
 * Page by page, until nothing is left even when the pages in lists are free: that leaves less
 * than the low watermark free, while they are not.
 */
static void take_rest(void)
{
	long free, listed;
	int fd;
	char *map = map_secret(REST_KIB, &fd);

	for (long at = 0; at < REST_KIB * 1024; at += PAGE) {
		free = look(&listed);
		if (free <= -BELOW_KIB || free + listed < PAGE / 1024)
			return;
		map[at] = 1;
	}
	fputs("balloon: more is left than it can take\n", stderr);
	exit(1);
}

static void say_left(void)
{
	printf("%ld\n", left());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct timespec nap = { .tv_nsec = LOOK_NS };
	long want = argc == 2 ? atol(argv[1]) : 0;
	unsigned long mask = 1;
	char line[16];

	if (want <= 0) {
		fputs("usage: balloon KIB\n", stderr);
		return 2;
	}
	if (syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 32))
		fail("set_mempolicy");
	if (left() > want + HUGE_KIB)
		take_huge((left() - want) / HUGE_KIB - 1);
	for (int good = 0, looks = 0; good < LOOKS; looks++) {
		if (looks == 100 * LOOKS) {
			fputs("balloon: the free memory of node 0 does not settle\n", stderr);
			return 1;
		}
		adjust(want);
		nanosleep(&nap, NULL);
		good = labs(left() - want) <= NEAR_KIB ? good + 1 : 0;
	}
	say_left();
	if (fgets(line, sizeof(line), stdin)) {
		take_rest();
		say_left();
	}
	pause();
	return 0;
}
