// SPDX-License-Identifier: GPL-2.0
/* Adding, removing and listing targets: valid and invalid arguments, and limits. */
#include <fcntl.h>
#include <sys/sysinfo.h>
#include "cgroup.h"
#include "check.h"
#include "child.h"
#include "probe.h"

/* Targets that housekeeping visits, and the time between two rounds of it. */
#define VISITED		8
#define ROUND_MS	50

FIXTURE(add_target) {
	int fd;
	struct source source;
	struct request req;
	struct child worker;
	struct htmm_target_info info[HTMM_MAX_TARGETS];
};

static int idle(int sock, void *arg)
{
	return child_await(sock);
}

FIXTURE_SETUP(add_target)
{
	source_every_fault(&self->source);
	ASSERT_LE(0, self->fd = device_open());
	request_init(&self->req, &self->source.event);
	self->req.arg.max_bytes = 1 << 20;
	ASSERT_EQ(0, child_start(&self->worker, idle, NULL));
}

FIXTURE_TEARDOWN(add_target)
{
	child_kill(&self->worker);
	close(self->fd);
	check_idle(_metadata);
}

TEST_F(add_target, refusals)
{
	struct htmm_target target = {
		.type = HTMM_TARGET_TGID,
		.id = self->worker.pid,
	};
	struct htmm_add_target add = {
		.size = sizeof(add),
		.target = (uintptr_t)&target,
		.target_size = sizeof(target),
		.error = (uintptr_t)self->req.error,
		.error_size = sizeof(self->req.error),
	};
	struct htmm_histogram hist;
	static struct pages pages;

#define refused(errno_, what) do {					\
	memset(self->req.error, 0, sizeof(self->req.error));		\
	EXPECT_EQ(-(errno_), device_ioctl(self->fd, HTMM_IOC_ADD_TARGET,	\
					  &add)) {			\
		TH_LOG("%s", what);					\
	}								\
	EXPECT_NE(0, strlen(self->req.error));				\
} while (0)

	EXPECT_EQ(-ENODATA, device_remove_target(self->fd, 1));
	EXPECT_EQ(-ENODATA, device_targets(self->fd, self->info));
	refused(ENODATA, "no session");
	request_add_target(&self->req, self->worker.pid);
	ASSERT_START(self);
	refused(EEXIST, "the same process");
	target.id = getpid();
	target.type = 0;
	refused(EOPNOTSUPP, "no type");
	target.type = HTMM_TARGET_ALL + 1;
	refused(EOPNOTSUPP, "a type of the future");
	target.type = HTMM_TARGET_CGROUP;
	target.id = self->fd;
	refused(EBADF, "a file that is no cgroup");
	target.id = 1ULL << 32;
	refused(EBADF, "a file that cannot be");
	target.id = open("/sys", O_RDONLY);
	refused(EBADF, "another file system's directory");
	close(target.id);
	target.type = HTMM_TARGET_TGID;
	target.id = 0;
	refused(ESRCH, "process 0");
	target.id = getpid();
	target.flags = 1;
	refused(EOPNOTSUPP, "a flag");
	target.flags = 0;
	target.max_bytes = 4096;
	refused(ERANGE, "hardly any memory");
	target.max_bytes = 1ULL << 60;
	refused(ERANGE, "more than all memory");
	target.max_bytes = 0;
	add.target_size--;
	refused(EINVAL, "a small struct");
	add.target_size = 4097;
	refused(E2BIG, "a large struct");
	add.target_size = sizeof(target);
	add.target = 0;
	refused(EFAULT, "no target");
	add.target = (uintptr_t)&target;
	add.__reserved = 1;
	EXPECT_EQ(-EOPNOTSUPP, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	add.__reserved = 0;
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	EXPECT_EQ(2, add.number);

	EXPECT_EQ(-ENOENT, device_remove_target(self->fd, 0));
	EXPECT_EQ(-ENOENT, device_remove_target(self->fd, 3));
	EXPECT_EQ(-ENOENT, pages_read_target(self->fd, 3, &pages));
	EXPECT_EQ(-ENOENT, device_target_hist(self->fd, ~0U, HTMM_UNIT_PAGE, &hist));
}

/* The tables of all targets together may take half of memory, and not each. */
TEST_F(add_target, tables_share_half_of_memory)
{
	struct htmm_target target = { .type = HTMM_TARGET_TGID, .id = getpid() };
	struct htmm_add_target add = {
		.size = sizeof(add),
		.target = (uintptr_t)&target,
		.target_size = sizeof(target),
	};
	struct sysinfo info;
	__u64 half;

	ASSERT_EQ(0, sysinfo(&info));
	half = (__u64)info.totalram * info.mem_unit / 2;
	self->req.arg.max_bytes = half / 4 * 3;
	request_add_target(&self->req, self->worker.pid);
	request_add_target(&self->req, getpid());
	EXPECT_EQ(-ERANGE, device_start(self->fd, &self->req));
	EXPECT_NE(NULL, strstr(self->req.error, "of 2 targets"));
	self->req.arg.nr_targets = 1;
	ASSERT_START(self);
	target.max_bytes = half / 2;
	EXPECT_EQ(-ERANGE, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	EXPECT_EQ(1, device_targets(self->fd, self->info));
	target.max_bytes = half / 4;
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	EXPECT_EQ(2, device_targets(self->fd, self->info));
}
#undef refused

/* An open directory may belong to a cgroup that was removed. */
TEST_F(add_target, a_removed_cgroup)
{
	struct cgroup cgroup;
	int dir;

	if (!cgroup_possible())
		SKIP(return, "no cgroups of version 2 here");
	ASSERT_EQ(0, cgroup_make(&cgroup, NULL, "removed"));
	dir = dup(cgroup.dir);
	ASSERT_LE(0, dir);
	ASSERT_EQ(0, cgroup_remove(&cgroup));
	request_add_cgroup(&self->req, dir);
	EXPECT_EQ(-ENOENT, device_start(self->fd, &self->req));
	EXPECT_SAYS(self->req.error, "removed");
	close(dir);
}

/*
 * More targets than the limit, and more memory than the limit. Sixty processes take long on
 * a kernel that checks every memory access.
 */
TEST_F(add_target, too_many)
{
	struct child idlers[HTMM_MAX_TARGETS];
	struct htmm_target target = { .type = HTMM_TARGET_TGID };
	struct htmm_add_target add = {
		.size = sizeof(add),
		.target = (uintptr_t)&target,
		.target_size = sizeof(target),
	};
	struct htmm_info info;
	int i;

	self->req.arg.max_bytes = 0;
	self->req.targets[0].max_bytes = 1 << 20;
	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	ASSERT_EQ(0, device_info(self->fd, &info));
	for (i = 0; i < HTMM_MAX_TARGETS - 1; i++) {
		ASSERT_EQ(0, child_start(&idlers[i], idle, NULL));
		target.id = idlers[i].pid;
		target.max_bytes = 1 << 20;
		ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	}
	target.id = self->worker.pid;
	EXPECT_EQ(-ENOSPC, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	EXPECT_EQ(HTMM_MAX_TARGETS, device_targets(self->fd, self->info));
	ASSERT_EQ(0, device_remove_target(self->fd, 2));
	/* The most that one target alone may have, but there are others. */
	target.max_bytes = 1ULL << 20;
	while (!device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add)) {
		ASSERT_EQ(0, device_remove_target(self->fd, add.number));
		target.max_bytes *= 2;
	}
	EXPECT_EQ(ERANGE, errno);
	for (i = 0; i < HTMM_MAX_TARGETS - 1; i++)
		child_kill(&idlers[i]);
}

/* Programs may be older or newer than the module: the stride says which struct they know. */
TEST_F(add_target, sizes_of_a_struct)
{
	const __u32 first = sizeof(struct htmm_target_info);
	const __u32 later = sizeof(struct htmm_target_info) + 64;
	unsigned char room[2 * sizeof(struct htmm_target_info)];
	struct htmm_target_info *info = (void *)room;
	struct htmm_targets targets = {
		.size = sizeof(targets),
		.targets = (uintptr_t)room,
		.target_size = first,
		.nr_targets = 1,
	};
	__u32 i;

	request_add_target(&self->req, self->worker.pid);
	ASSERT_START(self);
	memset(room, 0xa5, sizeof(room));
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_GET_TARGETS, &targets));
	EXPECT_EQ(1, info->number);
	for (i = first; i < sizeof(room); i++)
		EXPECT_EQ(0xa5, room[i]);
	targets.target_size = later;
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_GET_TARGETS, &targets));
	EXPECT_EQ(1, info->number);
	EXPECT_EQ(0, info->stats[HTMM_STAT_FREED]);
	for (i = first; i < sizeof(room); i++)
		EXPECT_EQ(i < later ? 0 : 0xa5, room[i]);
	targets.target_size = first - 1;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_GET_TARGETS, &targets));
	targets.target_size = 4097;
	EXPECT_EQ(-E2BIG, device_ioctl(self->fd, HTMM_IOC_GET_TARGETS, &targets));
}

static long milliseconds(void)
{
	return now_ns() / 1000000;
}

/* The drain thread, if it wakes often, does not go through all targets each time. */
TEST_F(add_target, visits_of_a_drain)
{
	struct child child[VISITED - 1];
	long began, passed, seen;
	int i;

	self->req.arg.drain_interval_ms = 1;
	request_add_target(&self->req, self->worker.pid);
	for (i = 0; i < VISITED - 1; i++) {
		ASSERT_EQ(0, child_start(&child[i], idle, NULL));
		request_add_target(&self->req, child[i].pid);
	}
	ASSERT_START(self);
	ASSERT_EQ(0, probe_begin("htmm_target_tidy"));
	began = milliseconds();
	usleep(20 * ROUND_MS * 1000);
	seen = probe_calls();
	passed = milliseconds() - began;
	probe_end();
	for (i = 0; i < VISITED - 1; i++)
		child_kill(&child[i]);

	EXPECT_LE(VISITED, seen);
	EXPECT_LE(seen, 2 * VISITED * (passed / ROUND_MS + 2)) {
		TH_LOG("%ld visits of %d targets in %ld ms", seen, VISITED, passed);
	}
}
