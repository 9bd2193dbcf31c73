// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a compiler a program of an experiment, by LD_PRELOAD: its allocations are the operations.
 * It waits for the word after the first COMPILE_BEGIN of them, when it has filled the fast node.
 */
#include <stdlib.h>
#include <string.h>

#include "work.h"

#define MARK	2000
/* Of smaller sizes, some are those of paths, which depend on where this tree is. */
#define NO_PATH	4096

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);

/* Allocations until it begins; 0: it is not counted, as those of this file are not. */
static __u64 begin;
static __u64 nr, checksum;

static void count(size_t size)
{
	__u64 saved = begin;

	if (!begin)
		return;
	begin = 0;
	nr++;
	if (size > NO_PATH)
		checksum = checksum * 31 + size;
	if (nr == saved)
		work_ready();
	else if (nr > saved && (nr - saved) % MARK == 0)
		work_done(MARK);
	begin = saved;
}

void *malloc(size_t size)
{
	count(size);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	count(n * size);
	return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	count(size);
	return __libc_realloc(memory, size);
}

__attribute__((constructor)) static void start(void)
{
	begin = strtoull(getenv("COMPILE_BEGIN"), NULL, 10);
}

__attribute__((destructor)) static void end(void)
{
	begin = 0;
	work_stop();
	work_end(checksum);
}
