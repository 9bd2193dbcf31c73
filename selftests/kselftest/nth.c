// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files.h"
#include "nth.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* An address range of the kernel's code. */
struct range {
	unsigned long start;
	unsigned long end;
};

void nth_require(void)
{
	if (!access(NTH_FILE, W_OK))
		return;
	printf("TAP version 13\n1..0 # SKIP this kernel cannot fail allocations on request: no "
	       NTH_FILE "\n");
	exit(4);
}

/* Writes a file of one of the kernel's fault injectors. */
static int put(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s", name);
	return file_write(path, text);
}

/*
 * By default the kernel does not fail allocations that may sleep, and single pages; here it
 * does. Nothing fails until a thread asks for it, so this may stay. verbose is off, as a
 * stack trace for each failure would fill the log.
 */
int nth_everything(void)
{
	static const char * const setting[][2] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_usercopy/verbose", "0" },
	};
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < ARRAY_SIZE(setting); i++)
		ret = put(setting[i][0], setting[i][1]);
	return ret;
}

void nth_arm(int fd, unsigned int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", nth);
	if (pwrite(fd, text, strlen(text), 0) < 0)
		perror(NTH_FILE);
}

/*
 * Finds the start of a function of the module or of the kernel; it ends where the next one
 * begins.
 */
static int find(const char *function, struct range *range)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], name[256], module[64];
	unsigned long addr;
	int words;

	*range = (struct range) { 0, ~0UL };
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		words = sscanf(line, "%lx %*c %255s [%63[^]]]", &addr, name, module);
		if ((words == 2 || (words == 3 && !strcmp(module, "htmm"))) &&
		    !strcmp(name, function))
			range->start = addr;
	}
	rewind(file);
	while (range->start && fgets(line, sizeof(line), file)) {
		addr = strtoul(line, NULL, 16);
		if (addr > range->start && addr < range->end)
			range->end = addr;
	}
	fclose(file);
	return range->start ? 0 : -ENOENT;
}

int nth_only_below(const char *function)
{
	static const char * const injector[] = { "failslab", "fail_page_alloc" };
	struct range range = { 0, ~0UL };
	char name[64], text[32];
	int ret = 0;
	size_t i;

	if (function)
		ret = find(function, &range);
	for (i = 0; !ret && i < ARRAY_SIZE(injector); i++) {
		snprintf(name, sizeof(name), "%s/require-start", injector[i]);
		snprintf(text, sizeof(text), "%#lx", range.start);
		ret = put(name, text);
		snprintf(name, sizeof(name), "%s/require-end", injector[i]);
		snprintf(text, sizeof(text), "%#lx", range.end);
		if (!ret)
			ret = put(name, text);
	}
	return ret;
}

int nth_left(int fd)
{
	char left[16] = "";

	return pread(fd, left, sizeof(left) - 1, 0) > 0 ? atoi(left) : -1;
}

/*
 * Reading the caller's own file can fail, too: if it does, it was the n-th, so nothing else
 * failed.
 */
bool nth_disarm(int fd)
{
	bool fired = nth_left(fd) == 0;

	/* If this write fails, it was itself the failure to prevent. */
	if (!fired && pwrite(fd, "0", 1, 0) < 0)
		(void)pwrite(fd, "0", 1, 0);
	return fired;
}
