// SPDX-License-Identifier: GPL-2.0
/*
 * Two functions of known numbers of accesses to memory: touch_many() causes 3000 page faults and
 * touch_few() 1000. With an argument, each does so many passes, of a store to each of its pages.
 */
#include <stdlib.h>
#include <sys/mman.h>

#define MANY	3000
#define FEW	1000
#define PAGE	4096

static void touch_many(char *page, long passes)
{
	long i;

	while (passes--)
		for (i = 0; i < MANY; i++)
			page[i * PAGE] = 1;
}

static void touch_few(char *page, long passes)
{
	long i;

	while (passes--)
		for (i = 0; i < FEW; i++)
			page[i * PAGE] = 1;
}

int main(int argc, char **argv)
{
	const long passes = argc > 1 ? atol(argv[1]) : 1;
	char *page = mmap(NULL, (MANY + FEW) * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || madvise(page, (MANY + FEW) * PAGE, MADV_NOHUGEPAGE))
		return 1;
	touch_many(page, passes);
	touch_few(page + MANY * PAGE, passes);
	return 0;
}
