// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/mempolicy.h>
#include <linux/perf_event.h>
#include "access.h"
#include "files.h"

/* Intel's encodings of MEM_INST_RETIRED.ALL_STORES and .ALL_LOADS. */
#define RAW_STORES	0x82d0
#define RAW_LOADS	0x81d0

/* Faults between two pauses, so that one sample per fault does not look like an interrupt storm. */
#define FAULTS_A_REST	64

/* The emulated unit counts exactly but is slow; its driver identifies it. */
static bool pmu_is_emulated(void)
{
	return !access("/sys/module/pebs_emu", F_OK);
}

/* The only way to find out is to try. */
static bool event_works(const struct htmm_event *event)
{
	struct request req;
	int fd = device_open();
	int ret;

	if (fd < 0)
		return false;
	request_init(&req, event);
	ret = device_start(fd, &req);
	close(fd);
	return !ret;
}

bool source_find(struct source *source, enum access_kind kind)
{
	*source = (struct source) { .kind = kind };
	if (kind == ACCESS_FAULT) {
		source->exact = true;
		source->event = (struct htmm_event) {
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_PAGE_FAULTS,
			.period = 61,
			.name = "page-fault",
		};
		return true;
	}

	source->hardware = true;
	source->exact = pmu_is_emulated();
	source->event = (struct htmm_event) {
		.type = PERF_TYPE_RAW,
		.config = kind == ACCESS_STORE ? RAW_STORES : RAW_LOADS,
		.precise_ip = 2,
		.period = source->exact ? 1009 : 100003,
	};
	snprintf(source->event.name, sizeof(source->event.name), "%s",
		 kind == ACCESS_STORE ? "store" : "load");
	return event_works(&source->event);
}

void source_best(struct source *source)
{
	if (!source_find(source, ACCESS_STORE))
		source_find(source, ACCESS_FAULT);
}

void source_every_fault(struct source *source)
{
	source_find(source, ACCESS_FAULT);
	source->event.period = 1;
}

int source_events(const struct source *source)
{
	if (!source->hardware || !source->exact)
		return -1;
	return file_number("/sys/module/pebs_emu/refcnt");
}

int source_set_parameter(const char *name, const char *value)
{
	char path[96], text[96];

	snprintf(path, sizeof(path), "/sys/module/pebs_emu/parameters/%s", name);
	/* A line, which is not empty even if the value is. */
	snprintf(text, sizeof(text), "%s\n", value);
	return file_write(path, text);
}

void source_hold(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.disabled = 1,
	};

	syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

size_t memory_available(void)
{
	long kib = file_value("/proc/meminfo", "MemAvailable");

	return kib < 0 ? 0 : kib << 10;
}

/*
 * Where the kernel puts memory if it is not asked for a place, every program has some: a shell
 * that starts while all processes are sampled would have samples at the same addresses.
 */
#define OWN_PLACE	0x100000000000UL
#define OWN_STEP	0x40000000UL

void *access_map(size_t pages)
{
	static unsigned long next = OWN_PLACE;
	void *mem = mmap((void *)next, pages * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		return NULL;
	next += OWN_STEP + pages * PAGE / OWN_STEP * OWN_STEP;
	madvise(mem, pages * PAGE, MADV_NOHUGEPAGE);
	memset(mem, 1, pages * PAGE);
	return mem;
}

void *access_reserve(size_t bytes)
{
	char *mem = mmap(NULL, bytes + 2 * REGION, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		return NULL;
	mem += REGION - ((uintptr_t)mem & (REGION - 1));
	if (mprotect(mem, bytes, PROT_READ | PROT_WRITE))
		return NULL;
	madvise(mem, bytes, MADV_NOHUGEPAGE);
	return mem;
}

int access_bind(void *mem, size_t bytes, int node)
{
	unsigned long mask = 1UL << node;

	return syscall(SYS_mbind, mem, bytes, MPOL_BIND, &mask, 8 * sizeof(mask), 0);
}

/* Both loops in assembly: the compiler adds no memory access of its own. */
#define PAGE_LOOP(instruction, mem, pages, rounds) do {			\
	void *at_;							\
	size_t left_;							\
									\
	asm volatile("1:\n\t"						\
		     "movq %3, %0\n\t"					\
		     "movq %4, %1\n\t"					\
		     "2:\n\t"						\
		     instruction "\n\t"					\
		     "addq %5, %0\n\t"					\
		     "decq %1\n\t"					\
		     "jnz 2b\n\t"					\
		     "decq %2\n\t"					\
		     "jnz 1b"						\
		     : "=&r" (at_), "=&r" (left_), "+&r" (rounds)	\
		     : "r" (mem), "r" (pages), "r" (PAGE)		\
		     : "rax", "memory", "cc");				\
} while (0)

static void store_pages(void *mem, size_t pages, size_t rounds)
{
	PAGE_LOOP("movq %%rax, (%0)", mem, pages, rounds);
}

static void load_pages(void *mem, size_t pages, size_t rounds)
{
	PAGE_LOOP("movq (%0), %%rax", mem, pages, rounds);
}

static void fault_part(void *mem, size_t pages, bool gently)
{
	/* Of this thread: another one must not change it between two looks. */
	static __thread size_t faults;
	size_t n;

	for (; pages; pages -= n, mem += n * PAGE) {
		n = MIN(pages, FAULTS_A_REST - faults % FAULTS_A_REST);
		store_pages(mem, n, 1);
		faults += n;
		if (gently && faults % FAULTS_A_REST == 0)
			usleep(2000);
	}
}

/*
 * Each page faults again after its memory was given back: what may be one huge page, and no more,
 * at a time, as the module forgets pages that are gone for long.
 */
static void fault_pages(void *mem, size_t pages, bool gently)
{
	size_t n;

	for (; pages; pages -= n, mem += n * PAGE) {
		n = MIN(pages, REGION_PAGES - (uintptr_t)mem / PAGE % REGION_PAGES);
		madvise(mem, n * PAGE, MADV_DONTNEED);
		fault_part(mem, n, gently);
	}
}

void access_pages(const struct source *source, void *mem, size_t pages, size_t rounds)
{
	switch (source->kind) {
	case ACCESS_STORE:
		store_pages(mem, pages, rounds);
		break;
	case ACCESS_LOAD:
		load_pages(mem, pages, rounds);
		break;
	case ACCESS_FAULT:
		while (rounds--)
			fault_pages(mem, pages, source->event.period == 1);
		break;
	}
}

void access_kept(const struct source *source, void *mem, size_t pages, size_t rounds)
{
	size_t i;

	if (source->kind != ACCESS_FAULT) {
		access_pages(source, mem, pages, rounds);
		return;
	}
	for (i = 0; i < pages; i++)
		access_pages(source, mem + i * PAGE, 1, rounds);
}
