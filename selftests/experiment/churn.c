// SPDX-License-Identifier: GPL-2.0
/*
 * churn MIB: on the slow node, let a part of so much memory be hot, and meanwhile fork, map,
 * unmap, and split huge pages, until SIGTERM comes. Each page has a stamp, which tells whether
 * it is the right one. Says "ready" when the memory is there, and at the end "right" and how
 * often it did what.
 */
#include <linux/mempolicy.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define HUGE_PAGE	(2UL << 20)
#define HUGE_PAGES	(HUGE_PAGE / PAGE)
/* A quarter is hot, larger than the cache. */
#define HOT_PART	4
#define READS		20000
#define CHILDREN	3
#define MAX_PAGES	65536

static struct area {
	char *at;
	__u64 pages;
	__u32 age[MAX_PAGES];	/* how often a page was made anew */
} area;

static struct feats {
	__u64 reads, forks, maps, splits;
} feats;

static __u64 state = 161803;

/* SIGTERM is blocked, and only looked at. */
static bool ended(void)
{
	sigset_t set;

	return sigpending(&set) || sigismember(&set, SIGTERM);
}

static __u64 *word(__u64 page, unsigned int nr)
{
	return (__u64 *)(area.at + page * PAGE) + nr;
}

static __u64 stamp(__u64 page, unsigned int nr)
{
	return (page << 32 | area.age[page]) * 0x9e3779b97f4a7c15ULL + nr;
}

/* The first, a middle and the last word. */
static const unsigned int places[] = { 0, 300, 511 };

static void write_page(__u64 page)
{
	for (unsigned int i = 0; i < 3; i++)
		*word(page, places[i]) = stamp(page, places[i]);
}

static void check_page(__u64 page)
{
	for (unsigned int i = 0; i < 3; i++)
		if (*word(page, places[i]) != stamp(page, places[i]))
			work_fail("page %llu has %llx at word %u, not %llx", page,
				  *word(page, places[i]), places[i], stamp(page, places[i]));
}

static __u64 some_page(void)
{
	return work_random(&state) % area.pages;
}

static __u64 hot_page(void)
{
	return work_random(&state) % (area.pages / HOT_PART);
}

static void read_hot(void)
{
	for (unsigned int i = 0; i < READS; i++)
		check_page(hot_page());
	feats.reads += READS;
}

/* Copies on write of pages that may be on their way just now. */
static void in_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0; i < 200; i++) {
		__u64 page = i % 2 ? hot_page() : some_page();

		check_page(page);
		area.age[page] += 1000;
		write_page(page);
		check_page(page);
	}
	_exit(0);
}

static void wait_for_child(void)
{
	int status;

	if (wait(&status) < 0 || status)
		work_fail("a child ended with %x", status);
}

static void fork_one(void)
{
	static unsigned int children;
	pid_t pid;

	if (children == CHILDREN)
		wait_for_child();
	else
		children++;
	pid = fork();
	if (pid < 0)
		work_fail("cannot fork");
	if (!pid)
		in_child();
	feats.forks++;
}

/* Other memory at the same place; the kernel makes a hole in huge pages for it. */
static void map_anew(void)
{
	__u64 first = some_page(), n = 1 + work_random(&state) % (2 * HUGE_PAGES);
	char *at = area.at + first * PAGE;

	if (n > area.pages - first)
		n = area.pages - first;
	if (munmap(at, n * PAGE) ||
	    mmap(at, n * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at ||
	    madvise(at, n * PAGE, MADV_HUGEPAGE))
		work_fail("cannot map %llu pages", n);
	for (__u64 page = first; page < first + n; page++) {
		area.age[page]++;
		write_page(page);
	}
	feats.maps++;
}

/* A part of a huge page goes, or may not be written for a moment. */
static void split(void)
{
	__u64 page = some_page();
	char *at = area.at + page * PAGE;

	if (feats.splits++ % 2) {
		if (mprotect(at, PAGE, PROT_READ))
			work_fail("cannot protect a page");
		check_page(page);
		if (mprotect(at, PAGE, PROT_READ | PROT_WRITE))
			work_fail("cannot unprotect a page");
		return;
	}
	if (madvise(at, PAGE, MADV_DONTNEED) || *word(page, 0))
		work_fail("a page that is not needed stays");
	area.age[page]++;
	write_page(page);
}

int main(int argc, char **argv)
{
	unsigned long slow = 2;
	sigset_t set;

	area.pages = work_argument(argc, argv, 1, "the size in MiB") << 20 >> 12;
	if (area.pages > MAX_PAGES)
		work_fail("at most %d MiB", MAX_PAGES >> 8);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (syscall(SYS_set_mempolicy, MPOL_PREFERRED, &slow, 32))
		work_fail("there is no slow node");
	area.at = work_map(area.pages * PAGE);
	madvise(area.at, area.pages * PAGE, MADV_HUGEPAGE);
	for (__u64 page = 0; page < area.pages; page++)
		write_page(page);
	puts("ready");
	fflush(stdout);
	while (!ended()) {
		read_hot();
		fork_one();
		map_anew();
		split();
	}
	for (__u64 page = 0; page < area.pages; page++)
		check_page(page);
	printf("right: %llu reads, %llu forks, %llu maps, %llu splits\n", feats.reads,
	       feats.forks, feats.maps, feats.splits);
	return 0;
}
