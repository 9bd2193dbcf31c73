// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "htmmctl/clock.h"
#include "perf_clock.h"

/* Its only member is the time, so that this is the last one of each record. */
static struct perf_event_attr attr = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_DUMMY,
	.size = sizeof(attr),
	.sample_type = PERF_SAMPLE_TIME,
	.sample_id_all = 1,
	.exclude_kernel = 1,
	.comm = 1,
};

/* Gives this thread the name that it has: perf notes that, with the time. */
static int read_time(const struct perf_event_mmap_page *ring, size_t page, __s64 *ahead)
{
	struct perf_event_header head;
	__u64 before, after, time;
	char name[16];

	prctl(PR_GET_NAME, name);
	before = clock_ns(CLOCK_MONOTONIC);
	prctl(PR_SET_NAME, name);
	after = clock_ns(CLOCK_MONOTONIC);
	memcpy(&head, (const char *)ring + page, sizeof(head));
	if (head.type != PERF_RECORD_COMM || ring->data_head != head.size)
		return -ENODATA;
	memcpy(&time, (const char *)ring + page + head.size - sizeof(time), sizeof(time));
	*ahead = time - (before + (after - before) / 2);
	return 0;
}

int perf_clock_ahead(__s64 *ahead)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *ring;
	int ret;

	if (fd < 0)
		return -errno;
	ring = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ret = ring == MAP_FAILED ? -errno : read_time(ring, page, ahead);
	if (ring != MAP_FAILED)
		munmap(ring, 2 * page);
	close(fd);
	return ret;
}
