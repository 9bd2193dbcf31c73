// SPDX-License-Identifier: GPL-2.0
/*
 * ping_pongs FILE SECONDS: of the moves in a CPU's trace_pipe_raw, where only
 * migrate:set_migration_pte is traced, print how many pages were moved, and how many of
 * these again within so many seconds. Where page tables point is what counts: a page that
 * several processes map is several.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE		4096
#define SLOTS		262144L

/* The ring buffer's kinds of entries; smaller ones are events of so many words. */
enum { PADDING = 29, TIME_EXTEND, TIME_STAMP };

struct event {
	__u16 type;
	__u8 flags;
	__u8 preempt_count;
	__s32 pid;
	__u64 addr;
	__u64 pte;
	__s32 order;
};

static struct {
	__u64 addr;
	__u64 ns;
} last[SLOTS];

static __u64 nr_moves, nr_ping_pongs, limit;

static void count(const struct event *event, __u64 ns)
{
	__u64 i = (event->addr >> 12) * 0x9e3779b97f4a7c15ULL >> 46;

	while (last[i].addr && last[i].addr != event->addr)
		i = (i + 1) % SLOTS;
	nr_moves += 1ULL << event->order;
	if (last[i].addr && ns - last[i].ns < limit)
		nr_ping_pongs += 1ULL << event->order;
	last[i].addr = event->addr;
	last[i].ns = ns;
}

/* A time, the number of bytes, and entries: a word of kind and time, and what belongs to it. */
static void read_page(const char *page)
{
	__u64 ns, bytes;

	memcpy(&ns, page, sizeof(ns));
	memcpy(&bytes, page + 8, sizeof(bytes));
	bytes &= 0xfffff;
	for (__u64 at = 16; at + 4 <= 16 + bytes && at + 4 <= PAGE;) {
		__u32 head, word;
		struct event event;

		memcpy(&head, page + at, sizeof(head));
		memcpy(&word, page + at + 4, sizeof(word));
		at += 4;
		if ((head & 31) < PADDING) {
			ns += head >> 5;
			memcpy(&event, page + at, sizeof(event));
			count(&event, ns);
			at += 4 * (head & 31);
		} else if ((head & 31) == PADDING) {
			at += word;
		} else {
			if ((head & 31) == TIME_EXTEND)
				ns += ((__u64)word << 27) + (head >> 5);
			else
				ns = ((__u64)word << 27) + (head >> 5);
			at += 4;
		}
	}
}

int main(int argc, char **argv)
{
	static char page[PAGE + sizeof(struct event)];
	int fd = argc == 3 ? open(argv[1], O_RDONLY | O_NONBLOCK) : -1;
	ssize_t n;

	if (fd < 0) {
		fputs("usage: ping_pongs FILE SECONDS\n", stderr);
		return 2;
	}
	limit = strtoull(argv[2], NULL, 10) * 1000000000;
	while ((n = read(fd, page, PAGE)) > 0)
		read_page(page);
	if (n < 0 && errno != EAGAIN) {
		perror("ping_pongs");
		return 1;
	}
	printf("moves %llu %llu\n", nr_moves, nr_ping_pongs);
	return 0;
}
