/* SPDX-License-Identifier: GPL-2.0 */
/* Large memory that is used all over. */
#ifndef PERFDATA_HUGE_H
#define PERFDATA_HUGE_H

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_BYTES	(2UL << 20)

/**
 * huge_alloc() - allocate memory, in huge pages if there are any
 * @bytes: how much; below HUGE_BYTES it is like any other
 *
 * Fewer page faults come then, and fewer lookups of addresses miss.
 *
 * Return: the memory, for free(), aligned to HUGE_BYTES if it has as many; or NULL.
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
 * huge_map() - the same for zeroes, which take memory only where something is written
 * @bytes: how much
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
