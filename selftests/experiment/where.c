// SPDX-License-Identifier: GPL-2.0
/*
 * where PID: the pages of its own memory that are on node 0, a line "first START PAGES" for each
 * range of them, in hexadecimal.
 */
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096ULL
#define BATCH	512

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

static bool look(int pid, __u64 from, __u64 to)
{
	void *pages[BATCH];
	int status[BATCH];

	while (from < to) {
		unsigned long n = 0;

		for (; n < BATCH && from < to; n++, from += PAGE)
			pages[n] = (void *)from;
		if (syscall(SYS_move_pages, pid, n, pages, NULL, status, 0) < 0)
			return false;
		for (unsigned long i = 0; i < n; i++)
			if (!status[i])
				add((__u64)pages[i]);
	}
	return true;
}

int main(int argc, char **argv)
{
	int pid = argc == 2 ? atoi(argv[1]) : 0;
	char name[64], line[4096], mode[8];
	__u64 from, to, inode;
	FILE *maps;

	if (pid <= 0) {
		fputs("usage: where PID\n", stderr);
		return 2;
	}
	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	if (!maps) {
		perror(name);
		return 1;
	}
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx-%llx %7s %*s %*s %llu", &from, &to, mode, &inode) != 4 ||
		    mode[1] != 'w' || inode)
			continue;
		if (!look(pid, from, to)) {
			perror("where: move_pages");
			return 1;
		}
	}
	fclose(maps);
	print_range();
	return 0;
}
