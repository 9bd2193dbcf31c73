// SPDX-License-Identifier: GPL-2.0
/*
 * trim PID PAGES: move so many pages of its own memory from node 0 to node 1, those that it
 * probably touched last.
 */
#include <stdio.h>
#include <stdlib.h>

#include "place.h"

/*
 * Memory is mostly touched from low addresses to high ones. Smaller areas, as the stack and what
 * libraries have, are used all the time.
 */
#define LEAST_AREA	0x100000UL

static __u64 *found;
static __u64 nr_found, room;

static void remember(__u64 page)
{
	if (nr_found == room) {
		room = room ? room * 2 : 4096;
		found = realloc(found, room * sizeof(*found));
		if (!found) {
			perror("trim");
			exit(1);
		}
	}
	found[nr_found++] = page;
}

static int find(int pid)
{
	FILE *areas = place_open(pid);
	struct place_area area;
	int result = 0;

	if (!areas)
		return -1;
	while (!result && place_next(areas, &area))
		if (area.end - area.start >= LEAST_AREA)
			result = place_fast(pid, &area, remember);
	fclose(areas);
	return result;
}

int main(int argc, char **argv)
{
	int pid = argc == 3 ? atoi(argv[1]) : 0;
	__u64 n = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

	if (pid <= 0 || !n) {
		fputs("usage: trim PID PAGES\n", stderr);
		return 2;
	}
	if (find(pid)) {
		perror("trim: the process's pages");
		return 1;
	}
	if (n > nr_found) {
		fprintf(stderr, "trim: %llu of %llu pages are to go\n", n, nr_found);
		return 1;
	}
	if (place_move(pid, found + nr_found - n, n, 1)) {
		perror("trim: move_pages");
		return 1;
	}
	free(found);
	return 0;
}
