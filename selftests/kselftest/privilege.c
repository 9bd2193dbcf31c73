// SPDX-License-Identifier: GPL-2.0
/* Who may use /dev/htmm: capabilities, other users, 32-bit programs. */
#include <grp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include "check.h"
#include "child.h"
#include "records.h"

#define NOBODY		65534
#define ALL_CAPS	(~0ULL)

FIXTURE(privilege) {
	int fd;
	struct source source;
	struct request req;
};

FIXTURE_SETUP(privilege)
{
	source_find(&self->source, ACCESS_FAULT);
	request_init(&self->req, &self->source.event);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(privilege)
{
	close(self->fd);
}

static int caps_keep(__u64 caps)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective &= caps;
	data[1].effective &= caps >> 32;
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/* With a session there, every other ioctl would succeed. */
static void check_refused(struct __test_metadata *_metadata, int fd,
			  struct request *req)
{
	struct htmm_histogram hist;
	struct htmm_info info;
	struct pages pages;
	struct books books;

	EXPECT_EQ(-EPERM, device_start(fd, req));
	EXPECT_EQ(-EPERM, device_ioctl(fd, HTMM_IOC_START, NULL));
	EXPECT_EQ(-EPERM, books_read(fd, &books));
	EXPECT_EQ(-EPERM, pages_read(fd, &pages));
	EXPECT_EQ(-EPERM, device_hist(fd, HTMM_HIST_BASE, &hist));
	EXPECT_EQ(-EPERM, device_simple(fd, HTMM_IOC_COOL));
	EXPECT_EQ(-EPERM, device_simple(fd, HTMM_IOC_RESET));
	EXPECT_EQ(-EPERM, device_simple(fd, HTMM_IOC_STOP));
	EXPECT_EQ(-EPERM, stream_join(fd, 0, 0));
	EXPECT_EQ(-ENOTTY, device_ioctl(fd, HTMM_IOC_STREAM + 1, NULL));
	EXPECT_EQ(0, device_info(fd, &info));
	EXPECT_EQ(HTMM_STATE_RUNNING, info.state);
}

static void check_permitted(struct __test_metadata *_metadata, int fd,
			    struct request *req)
{
	struct htmm_histogram hist;
	struct pages pages;
	struct books books;

	EXPECT_EQ(0, device_start(fd, req));
	EXPECT_EQ(0, books_read(fd, &books));
	EXPECT_EQ(0, pages_read(fd, &pages));
	EXPECT_EQ(0, device_hist(fd, HTMM_HIST_BASE, &hist));
	EXPECT_EQ(0, device_simple(fd, HTMM_IOC_COOL));
	EXPECT_EQ(0, device_simple(fd, HTMM_IOC_RESET));
	EXPECT_EQ(0, device_simple(fd, HTMM_IOC_STOP));
	EXPECT_EQ(0, stream_join(fd, 0, 0));
}

/* The fd was opened by root: that it is open must not be enough. */
TEST_F(privilege, other_user)
{
	ASSERT_EQ(0, device_start(self->fd, &self->req));
	ASSERT_EQ(0, setgroups(0, NULL));
	ASSERT_EQ(0, setresgid(NOBODY, NOBODY, NOBODY));
	ASSERT_EQ(0, setresuid(NOBODY, NOBODY, NOBODY));
	check_refused(_metadata, self->fd, &self->req);
	EXPECT_EQ(-EACCES, device_open());
}

TEST_F(privilege, root_without_the_capability)
{
	ASSERT_EQ(0, device_start(self->fd, &self->req));
	ASSERT_EQ(0, caps_keep(ALL_CAPS & ~(1ULL << CAP_PERFMON) &
			       ~(1ULL << CAP_SYS_ADMIN)));
	check_refused(_metadata, self->fd, &self->req);
}

TEST_F(privilege, perfmon_alone)
{
	ASSERT_EQ(0, caps_keep(1ULL << CAP_PERFMON));
	check_permitted(_metadata, self->fd, &self->req);
}

TEST_F(privilege, sys_admin_alone)
{
	ASSERT_EQ(0, caps_keep(1ULL << CAP_SYS_ADMIN));
	check_permitted(_metadata, self->fd, &self->req);
}

#ifdef __x86_64__

/* The number of ioctl() in the 32-bit table. */
#define NR32_IOCTL	54
#define NR32_GETPID	20

/* A system call as a 32-bit program makes it. */
static int syscall32(int nr, __u32 a, __u32 b, __u32 c)
{
	int ret;

	asm volatile("int $0x80"
		     : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c)
		     : "r8", "r9", "r10", "r11", "memory");
	return ret;
}

static int try_syscall32(int sock, void *arg)
{
	return syscall32(NR32_GETPID, 0, 0, 0) != getpid();
}

static bool has_syscall32(void)
{
	struct child child;

	return !child_start(&child, try_syscall32, NULL) && !child_join(&child);
}

/* All that a 32-bit program points to lies below 4 GiB. */
struct low {
	struct request req;
	struct htmm_simple simple;
	struct htmm_info info;
	struct htmm_histogram hist;
	struct htmm_stats stats;
	struct htmm_channel channel;
	struct htmm_hot_pages hot;
	struct htmm_hot_page page;
};

static int ioctl32(int fd, unsigned int cmd, void *arg)
{
	return syscall32(NR32_IOCTL, fd, cmd, (uintptr_t)arg);
}

TEST_F(privilege, program_of_32_bits)
{
	struct low *low;
	void *mem;

	if (!has_syscall32())
		SKIP(return, "this kernel runs no 32-bit programs");
	low = mmap(NULL, sizeof(*low), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)low);
	mem = access_map(16);
	ASSERT_NE(NULL, mem);
	source_every_fault(&self->source);
	request_init(&low->req, &self->source.event);
	request_add_target(&low->req, getpid());
	low->simple.size = sizeof(low->simple);

	EXPECT_EQ(-ENOTTY, ioctl32(self->fd, HTMM_IOC_RESET + 1, &low->simple));
	EXPECT_EQ(-EFAULT, ioctl32(self->fd, HTMM_IOC_STOP, NULL));
	EXPECT_EQ(-EALREADY, ioctl32(self->fd, HTMM_IOC_STOP, &low->simple));
	EXPECT_EQ(-ENODATA, ioctl32(self->fd, HTMM_IOC_COOL, &low->simple));
	ASSERT_EQ(0, ioctl32(self->fd, HTMM_IOC_START, &low->req.arg)) {
		TH_LOG("%s", low->req.error);
	}
	EXPECT_EQ(-EBUSY, ioctl32(self->fd, HTMM_IOC_START, &low->req.arg));
	access_pages(&self->source, mem, 16, 1);
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_STOP, &low->simple));

	low->info.size = sizeof(low->info);
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_GET_INFO, &low->info));
	EXPECT_EQ(HTMM_STATE_STOPPED, low->info.state);
	EXPECT_EQ(getpid(), low->info.owner);
	low->hist.size = sizeof(low->hist);
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_GET_HIST, &low->hist));
	EXPECT_LE(16, low->hist.pages);
	low->stats = (struct htmm_stats) {
		.size = sizeof(low->stats),
		.channels = (uintptr_t)&low->channel,
		.nr_channels = 1,
		.channel_size = sizeof(low->channel),
	};
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_GET_STATS, &low->stats));
	EXPECT_LE(16, low->stats.total.counted);
	EXPECT_EQ(1, low->channel.period);
	low->hot = (struct htmm_hot_pages) {
		.size = sizeof(low->hot),
		.pages = (uintptr_t)&low->page,
		.nr_pages = 1,
		.page_size = sizeof(low->page),
	};
	EXPECT_EQ(0, ioctl32(self->fd, HTMM_IOC_GET_HOT_PAGES, &low->hot));
	EXPECT_EQ(1, low->hot.nr_pages);
	EXPECT_EQ(getpid(), low->page.pid);
}

#endif /* __x86_64__ */
