/* SPDX-License-Identifier: GPL-2.0 */
/* Large allocations with random access. */
#ifndef PERFDATA_HUGE_H
#define PERFDATA_HUGE_H

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_BYTES	(2UL << 20)

/**
 * huge_alloc() - allocate memory, in huge pages if possible
 * @bytes: size; below HUGE_BYTES it is an ordinary allocation
 *
 * Huge pages cause fewer page faults and fewer TLB misses.
 *
 * Return: the memory, for free(), aligned to HUGE_BYTES if it is at least as large; or NULL.
 */
static inline void *huge_alloc(size_t bytes)
{
	void *mem;

	if (bytes < HUGE_BYTES)
		return malloc(bytes);
	mem = aligned_alloc(HUGE_BYTES, (bytes + HUGE_BYTES - 1) & -HUGE_BYTES);
	if (mem)
		madvise(mem, bytes, MADV_HUGEPAGE);
	return mem;
}

/**
 * huge_map() - map zeroed memory that is allocated only where it is written
 * @bytes: size
 *
 * Return: the memory, for munmap(), or NULL.
 */
static inline void *huge_map(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		return NULL;
	madvise(mem, bytes, MADV_HUGEPAGE);
	return mem;
}

#endif /* PERFDATA_HUGE_H */
