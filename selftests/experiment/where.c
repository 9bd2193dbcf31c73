// SPDX-License-Identifier: GPL-2.0
/*
 * where PID: the pages of its own memory that are on node 0, a line "first START PAGES" for each
 * range of them, in hexadecimal.
 */
#include <stdio.h>
#include <stdlib.h>

#include "place.h"

#define PAGE	4096ULL

static __u64 begin, end;

static void print_range(void)
{
	if (end > begin)
		printf("first %llx %llx\n", begin, (end - begin) / PAGE);
}

static void add(__u64 page)
{
	if (page != end) {
		print_range();
		begin = page;
	}
	end = page + PAGE;
}

int main(int argc, char **argv)
{
	int pid = argc == 2 ? atoi(argv[1]) : 0;
	struct place_area area;
	FILE *areas;

	if (pid <= 0) {
		fputs("usage: where PID\n", stderr);
		return 2;
	}
	areas = place_open(pid);
	if (!areas) {
		perror("where: the process's areas");
		return 1;
	}
	while (place_next(areas, &area)) {
		if (place_fast(pid, &area, add)) {
			perror("where: move_pages");
			return 1;
		}
	}
	fclose(areas);
	print_range();
	return 0;
}
