// SPDX-License-Identifier: GPL-2.0
/*
 * Two functions of known numbers of accesses, each to memory with a name of its own: touch_many()
 * causes 3000 page faults and touch_few() 1000. With an argument, each does so many passes, of a
 * store to each of its pages. With a second one, its mappings stay for so many seconds. The third
 * one is an htmmctl, which marks when each function begins and when the last one has ended; it may
 * be empty. With a fourth one, touch_many() does so many passes again.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* Memory whose name each kernel shows: those of Debian know no names of anonymous memory. */
static char *named(const char *name, size_t pages)
{
	const int fd = memfd_create(name, MFD_CLOEXEC);
	char *page;

	if (fd < 0 || ftruncate(fd, pages * PAGE))
		exit(1);
	page = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || madvise(page, pages * PAGE, MADV_NOHUGEPAGE))
		exit(1);
	return page;
}

static void tell(const char *htmmctl, const char *text)
{
	char command[4096];

	snprintf(command, sizeof(command), "'%s' mark %s", htmmctl, text);
	if (htmmctl && system(command))
		exit(1);
}

int main(int argc, char **argv)
{
	const long passes = argc > 1 ? atol(argv[1]) : 1;
	const char *htmmctl = argc > 3 && *argv[3] ? argv[3] : NULL;
	char *many = named("many", MANY), *few = named("few", FEW);

	tell(htmmctl, "many");
	touch_many(many, passes);
	tell(htmmctl, "few");
	touch_few(few, passes);
	if (argc > 4)
		touch_many(many, atol(argv[4]));
	tell(htmmctl, "end");
	if (argc > 2)
		sleep(atoi(argv[2]));
	return 0;
}
