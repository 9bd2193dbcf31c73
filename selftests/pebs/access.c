// SPDX-License-Identifier: GPL-2.0
/*
 * In a file of their own so that they are not inlined: their samples must be inside them.
 * In assembly so that an access is one instruction.
 */
#include "access.h"

void access_store(__u64 *at, __u64 pages, __u64 n)
{
	for (__u64 i = 0, page = 0; i < n; i++) {
		asm volatile("movq %1, %0" : "=m" (at[page * ACCESS_WORDS]) : "r" (i));
		if (++page == pages)
			page = 0;
	}
}

void access_load(const __u64 *at, __u64 pages, __u64 n)
{
	for (__u64 i = 0, word = 0; i < n; i++) {
		__u64 value;

		asm volatile("movq %1, %0" : "=r" (value) : "m" (at[word]));
		if (++word == pages * ACCESS_WORDS)
			word = 0;
	}
}
