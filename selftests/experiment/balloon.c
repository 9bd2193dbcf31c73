// SPDX-License-Identifier: GPL-2.0
/*
 * balloon KIB: take memory of node 0 until that much is left above the watermark at which
 * the kernel allocates elsewhere, say so, and keep it until the end.
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

static struct {
	void *map;
	int fd;
} chunks[MAX_CHUNKS];

static unsigned int nr_chunks;

/*
 * KiB of node 0 that a program can have: what is free in its zones above their low
 * watermarks, and above what each keeps for requests that can use no other zone.
 */
static long left(void)
{
	long free = 0, low = 0, kept[5], kib = 0;
	int node = -1;
	char line[512];
	FILE *file = fopen("/proc/zoneinfo", "re");

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %d,", &node) == 1 || node ||
		    sscanf(line, " pages free %ld", &free) == 1 ||
		    sscanf(line, " low %ld", &low) == 1)
			continue;
		if (sscanf(line, " protection: (%ld, %ld, %ld, %ld, %ld)", &kept[0], &kept[1],
			   &kept[2], &kept[3], &kept[4]) != 5)
			continue;
		if (free > low + kept[3])
			kib += (free - low - kept[3]) * 4;
		free = 0;
	}
	fclose(file);
	return kib;
}

static void fail(const char *what)
{
	fprintf(stderr, "balloon: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void take_huge(long pages)
{
	FILE *file = fopen(HUGE_PAGES, "we");

	if (!file || fprintf(file, "%ld\n", pages) < 0 || fclose(file))
		fail(HUGE_PAGES);
}

static void take(void)
{
	int fd = syscall(SYS_memfd_secret, O_CLOEXEC);
	void *map;

	if (fd < 0 || ftruncate(fd, CHUNK_KIB * 1024))
		fail("memfd_secret");
	map = mmap(NULL, CHUNK_KIB * 1024, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		fail("mmap");
	memset(map, 1, CHUNK_KIB * 1024);
	chunks[nr_chunks].map = map;
	chunks[nr_chunks++].fd = fd;
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

int main(int argc, char **argv)
{
	const struct timespec nap = { .tv_nsec = LOOK_NS };
	long want = argc == 2 ? atol(argv[1]) : 0;
	unsigned long mask = 1;

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
	printf("%ld\n", left());
	fflush(stdout);
	pause();
	return 0;
}
