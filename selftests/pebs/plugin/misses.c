// SPDX-License-Identifier: GPL-2.0
/* The list of misses: some 100 MB for ten seconds of most programs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host.h"
#include "misses.h"

#define PAGE_SHIFT	12
#define STORE_SHIFT	36
#define TGID_SHIFT	37
#define STLB_SHIFT	59
#define HIT_SHIFT	60
#define TIME		0x8000000000000000ULL
/* The clock is looked at once in so many accesses. */
#define LOOK		1024

static FILE *file;
static __s64 origin;

bool misses_open(const char *path)
{
	file = fopen(path, "we");
	if (!file)
		fprintf(stderr, "pebs plugin: cannot write the misses to %s: %s\n", path,
			strerror(errno));
	return file;
}

void misses_start(void)
{
	host_clock_bias();
}

static void write_word(__u64 word)
{
	fwrite(&word, sizeof(word), 1, file);
}

/* QEMU tells the time only between two blocks. */
static void look(void *cpu, void *unused)
{
	__s64 now = host_clock();

	(void)cpu;
	(void)unused;
	if (!origin)
		origin = now;
	write_word(TIME | (__u64)(now - origin));
}

void misses_add(unsigned int vcpu, __u64 tgid, __u64 vaddr, enum pebs_kind kind)
{
	static unsigned int until_look;
	const bool hit = kind == PEBS_STORE_HIT_STLB_MISS;
	const bool stlb_miss = hit || kind == PEBS_STORE_MISS_STLB_MISS;
	const bool store = stlb_miss || kind == PEBS_STORE_MISS;

	write_word(vaddr >> PAGE_SHIFT | (__u64)store << STORE_SHIFT | tgid << TGID_SHIFT |
		   (__u64)stlb_miss << STLB_SHIFT | (__u64)hit << HIT_SHIFT);
	if (until_look--)
		return;
	until_look = LOOK - 1;
	host_run_later(vcpu, look);
}

bool misses_close(void)
{
	const bool good = !ferror(file);

	return !fclose(file) && good;
}
