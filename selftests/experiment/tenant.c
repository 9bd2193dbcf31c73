// SPDX-License-Identifier: GPL-2.0
/*
 * tenant MIB [noisy]: read random words of so much memory until a signal ends it. A quarter of it
 * gets four fifths of the reads. For each round of reads it prints how many there were so far, and
 * the nanoseconds of CPU time that all took. With "noisy", every few rounds another quarter is hot,
 * and a sixth of the memory is new.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "work.h"

#define ROUND		200000UL
/* Rounds of a noisy tenant that use the same memory: enough to see that it is hot. */
#define PHASE		(16 * ROUND)

static __u64 cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Pages first, so that no word is read by chance more often than others of its page. */
static __u64 read_some(const __u64 *memory, __u64 pages, __u64 hot, __u64 *state)
{
	__u64 sum = 0;

	for (unsigned long i = 0; i < ROUND; i++) {
		const __u64 r = work_random(state);
		__u64 page = (r >> 32) * pages >> 32;

		if ((r & 1023) < 819)
			page = (hot + page / 4) % pages;
		sum += memory[(page * PAGE + ((r >> 10) & (PAGE - 8))) / sizeof(*memory)];
	}
	return sum;
}

static void renew(char *memory, __u64 bytes)
{
	if (madvise(memory, bytes, MADV_DONTNEED))
		work_fail("the kernel does not take memory back");
	memset(memory, 1, bytes);
}

int main(int argc, char **argv)
{
	const __u64 pages = work_argument(argc, argv, 1, "the size in MiB") * 1048576 / PAGE;
	const bool noisy = argc > 2 && !strcmp(argv[2], "noisy");
	__u64 state = 88172645463325252ULL, reads = 0, hot = 0, sum = 0;
	char *memory = work_map(pages * PAGE);

	memset(memory, 1, pages * PAGE);
	for (;;) {
		sum += read_some((const __u64 *)memory, pages, hot, &state);
		reads += ROUND;
		printf("%llu %llu %016llx\n", reads, cpu_ns(), sum);
		fflush(stdout);
		if (!noisy || reads % PHASE)
			continue;
		hot = work_random(&state) % pages;
		renew(memory + work_random(&state) % (pages - pages / 6) * PAGE, pages / 6 * PAGE);
	}
}
