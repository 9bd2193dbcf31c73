// SPDX-License-Identifier: GPL-2.0
/*
 * balloon KIB: take memory of node 0 until that much is left above the watermark at which
 * the kernel allocates elsewhere, say so, and keep it until the end.
 */
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STEP	1048576L

/* KiB of node 0 that are free above the low watermarks of its zones. */
static long left(void)
{
	long free = 0, low, kib = 0;
	int node = -1;
	char line[256];
	FILE *file = fopen("/proc/zoneinfo", "re");

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %d,", &node) == 1 || node ||
		    sscanf(line, " pages free %ld", &free) == 1)
			continue;
		if (sscanf(line, " low %ld", &low) == 1 && free > low)
			kib += (free - low) * 4;
	}
	fclose(file);
	return kib;
}

int main(int argc, char **argv)
{
	long want = argc == 2 ? atol(argv[1]) : 0, extra;
	unsigned long mask = 1;

	if (want <= 0) {
		fputs("usage: balloon KIB\n", stderr);
		return 2;
	}
	while ((extra = left() - want) > 0) {
		long bytes = extra > 8 * STEP / 1024 ? (extra / 2) * 1024 : STEP / 4;
		void *map = mmap(NULL, bytes & -4096L, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (map == MAP_FAILED ||
		    syscall(SYS_mbind, map, bytes & -4096L, MPOL_BIND, &mask, 32, 0) ||
		    mlock(map, bytes & -4096L)) {
			perror("balloon");
			return 1;
		}
	}
	printf("%ld\n", left());
	fflush(stdout);
	pause();
	return 0;
}
