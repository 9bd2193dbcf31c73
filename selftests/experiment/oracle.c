// SPDX-License-Identifier: GPL-2.0
/*
 * oracle PID FILE CAPACITY: put the pages whose addresses are in FILE, the best first, on
 * node 0, as many as it has room for, and all others of the process on node 1.
 */
#include <stdio.h>
#include <stdlib.h>

#include "place.h"

int main(int argc, char **argv)
{
	__u64 *pages = NULL, n = 0, size = 0, page;
	FILE *file = argc == 4 ? fopen(argv[2], "re") : NULL;

	if (!file) {
		fputs("usage: oracle PID FILE CAPACITY\n", stderr);
		return 2;
	}
	while (fscanf(file, "%llx", &page) == 1) {
		if (n == size) {
			size = size ? size * 2 : 4096;
			pages = realloc(pages, size * sizeof(*pages));
			if (!pages)
				return 1;
		}
		pages[n++] = page;
	}
	fclose(file);
	if (place_pages(atoi(argv[1]), pages, n, strtoull(argv[3], NULL, 10))) {
		perror("oracle: move_pages");
		return 1;
	}
	free(pages);
	return 0;
}
