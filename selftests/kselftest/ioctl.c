// SPDX-License-Identifier: GPL-2.0
/* What holds for every ioctl of /dev/htmm: sizes, flags, pointers. */
#include <grp.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>
#include "abi.h"
#include "check.h"

/* The first members of the struct of every ioctl. */
struct head {
	__u32 size;
	__u32 flags;
	__u64 session;
};

FIXTURE(ioctl) {
	int fd;
	struct request req;
	struct htmm_page page;
	char *arg;	/* two pages; the next one cannot be accessed */
};

FIXTURE_SETUP(ioctl)
{
	ASSERT_LE(0, self->fd = device_open());
	self->arg = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->arg);
	ASSERT_EQ(0, mprotect(self->arg + 2 * PAGE, PAGE, PROT_NONE));
	check_idle(_metadata);
}

FIXTURE_TEARDOWN(ioctl) { check_closed(_metadata, self->fd); }

/*
 * Puts a valid argument of @size bytes, zero beyond the struct, at @arg, as far as there is
 * memory.
 */
static void fill(struct _test_data_ioctl *self, const struct call *call, char *arg, __u32 size)
{
	struct htmm_list_pages list = { LIST_ROOM(&self->page, 1) };
	static const struct htmm_target target = { .type = HTMM_TARGET_ALL };
	struct htmm_add_target add = {
		.target = (uintptr_t)&target,
		.target_size = sizeof(target),
	};
	size_t room = self->arg + 2 * PAGE - arg;
	struct source source;

	memset(arg, 0, room);
	if (call->cmd == HTMM_IOC_START) {
		source_find(&source, ACCESS_FAULT);
		request_init(&self->req, &source.event);
		memcpy(arg, &self->req.arg, MIN(room, sizeof(self->req.arg)));
	} else if (call->cmd == HTMM_IOC_LIST_PAGES) {
		memcpy(arg, &list, MIN(room, sizeof(list)));
	} else if (call->cmd == HTMM_IOC_ADD_TARGET) {
		memcpy(arg, &add, MIN(room, sizeof(add)));
	}
	memcpy(arg, &size, sizeof(size));
}

/* Makes the call without a session, and ends a session that it started. */
static int call_idle(struct _test_data_ioctl *self, const struct call *call, char *arg)
{
	int ret = device_ioctl(self->fd, call->cmd, arg);

	if (call->cmd == HTMM_IOC_START && !ret) {
		close(self->fd);
		self->fd = device_open();
	}
	return ret;
}

TEST_F(ioctl, unknown_ones)
{
	const unsigned int unknown[] = {
		NO_SUCH_IOCTL, _IO(HTMM_IOC_TYPE, 0xff),
		_IO(HTMM_IOC_TYPE + 1, 0), _IOR(HTMM_IOC_TYPE, 2, int),
		_IOWR(HTMM_IOC_TYPE, 0, struct htmm_start), 0, ~0U,
	};
	size_t i;

	fill(self, &ioctls[0], self->arg, ioctls[0].known);
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		EXPECT_EQ(-ENOTTY, device_ioctl(self->fd, unknown[i], self->arg)) {
			TH_LOG("ioctl %#x", unknown[i]);
		}
	}
}

/* Only root has access, and its group if the udev rule is installed. */
TEST_F(ioctl, node_is_private)
{
	struct group *group = getgrnam("htmm");
	struct stat st;
	bool shared;

	ASSERT_EQ(0, fstat(self->fd, &st));
	shared = group && st.st_gid == group->gr_gid;
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(shared ? 0660 : 0600, st.st_mode & 07777);
}

TEST_F(ioctl, too_small)
{
	const struct call *call;
	__u32 size;

	for (call = ioctls; call < ioctls + NR_IOCTLS; call++) {
		for (size = 0; size < call->size; size++) {
			fill(self, call, self->arg, size);
			EXPECT_EQ(-EINVAL, call_idle(self, call, self->arg)) {
				TH_LOG("%s of %u bytes", call->name, size);
			}
		}
	}
}

/* Behind a struct of the first version is memory that must not be touched. */
TEST_F(ioctl, first_version)
{
	const struct call *call;
	char *arg;

	for (call = ioctls; call < ioctls + NR_IOCTLS; call++) {
		arg = self->arg + 2 * PAGE - call->size;
		fill(self, call, arg, call->size);
		EXPECT_EQ(call->idle, call_idle(self, call, arg)) {
			TH_LOG("%s", call->name);
		}
	}
}

TEST_F(ioctl, larger_with_zeroes)
{
	const struct call *call;
	__u32 size;

	for (call = ioctls; call < ioctls + NR_IOCTLS; call++) {
		for (size = call->known; size <= PAGE; size += PAGE - call->known) {
			fill(self, call, self->arg, size);
			EXPECT_EQ(call->idle, call_idle(self, call, self->arg)) {
				TH_LOG("%s of %u bytes", call->name, size);
			}
			EXPECT_EQ(size, *(__u32 *)self->arg);
		}
	}
}

TEST_F(ioctl, larger_with_more)
{
	const struct call *call;

	for (call = ioctls; call < ioctls + NR_IOCTLS; call++) {
		fill(self, call, self->arg, call->known + 16);
		self->arg[call->known] = 1;
		EXPECT_EQ(-E2BIG, call_idle(self, call, self->arg)) {
			TH_LOG("%s, first byte beyond", call->name);
		}
		fill(self, call, self->arg, PAGE);
		self->arg[PAGE - 1] = 1;
		EXPECT_EQ(-E2BIG, call_idle(self, call, self->arg)) {
			TH_LOG("%s, last byte of a page", call->name);
		}
	}
}

TEST_F(ioctl, larger_than_a_page)
{
	const __u32 sizes[] = { PAGE + 1, 2 * PAGE, 1U << 31, ~0U };
	const struct call *call;
	size_t i;

	for (call = ioctls; call < ioctls + NR_IOCTLS; call++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			fill(self, call, self->arg, sizes[i]);
			EXPECT_EQ(-E2BIG, call_idle(self, call, self->arg)) {
				TH_LOG("%s of %u bytes", call->name, sizes[i]);
			}
		}
	}
}

TEST_F(ioctl, unknown_flags)
{
	const __u32 flags[] = { 1U << 31, 0x100, ~0U };
	const struct call *call;
	size_t i;

	for (call = ioctls; call < ioctls + NR_IOCTLS; call++) {
		for (i = 0; i < ARRAY_SIZE(flags); i++) {
			fill(self, call, self->arg, call->known);
			((struct head *)self->arg)->flags = flags[i];
			EXPECT_EQ(-EOPNOTSUPP, call_idle(self, call, self->arg)) {
				TH_LOG("%s, flags %#x", call->name, flags[i]);
			}
		}
	}
}

/* No session has begun, so no session number is valid. */
TEST_F(ioctl, session_of_the_future)
{
	const struct call *call;
	int no;

	for (call = ioctls; call < ioctls + NR_IOCTLS; call++) {
		no = call->cmd == HTMM_IOC_START ? -EINVAL : -ESTALE;
		fill(self, call, self->arg, call->known);
		((struct head *)self->arg)->session = ~0ULL;
		EXPECT_EQ(no, call_idle(self, call, self->arg)) {
			TH_LOG("%s", call->name);
		}
	}
}

/* If the number of the new session cannot be told, no session begins. */
TEST_F(ioctl, start_without_an_answer)
{
	struct head *head = (struct head *)self->arg;

	fill(self, &ioctls[0], self->arg, ioctls[0].known);
	ASSERT_EQ(0, mprotect(self->arg, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, device_ioctl(self->fd, HTMM_IOC_START, self->arg));
	EXPECT_EQ(HTMM_STATE_IDLE, device_state());
	ASSERT_EQ(0, mprotect(self->arg, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_START, self->arg));
	EXPECT_NE(0, head->session);
}

/* Then the results of the session before stay. */
TEST_F(ioctl, results_before_a_start_without_an_answer)
{
	int other = device_open();
	struct htmm_info info;
	__u64 session;

	fill(self, &ioctls[0], self->arg, ioctls[0].known);
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_START, self->arg));
	session = ((struct head *)self->arg)->session;
	ASSERT_EQ(0, device_stop(self->fd));
	fill(self, &ioctls[0], self->arg, ioctls[0].known);
	ASSERT_EQ(0, mprotect(self->arg, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, device_ioctl(self->fd, HTMM_IOC_START, self->arg));
	EXPECT_EQ(-EFAULT, device_ioctl(other, HTMM_IOC_START, self->arg));
	EXPECT_EQ(HTMM_STATE_STOPPED, device_state());
	ASSERT_EQ(0, device_info(other, &info));
	EXPECT_EQ(session, info.session);
	ASSERT_EQ(0, mprotect(self->arg, PAGE, PROT_READ | PROT_WRITE));
	close(other);
}

TEST_F(ioctl, bad_pointer)
{
	char *edge = self->arg + 2 * PAGE;
	const struct call *call;

	for (call = ioctls; call < ioctls + NR_IOCTLS; call++) {
		EXPECT_EQ(-EFAULT, call_idle(self, call, NULL));
		EXPECT_EQ(-EFAULT, call_idle(self, call, edge));
		EXPECT_EQ(-EFAULT, call_idle(self, call, (char *)-PAGE));
		/* Only the last byte is not accessible. */
		fill(self, call, edge - call->known + 1, call->known);
		EXPECT_EQ(-EFAULT, call_idle(self, call, edge - call->known + 1)) {
			TH_LOG("%s across the edge", call->name);
		}
		/* All of it is accessible. */
		fill(self, call, edge - call->known, call->known);
		EXPECT_EQ(call->idle, call_idle(self, call, edge - call->known)) {
			TH_LOG("%s up to the edge", call->name);
		}
	}
}

TEST_F(ioctl, read_only_result)
{
	const struct call *info = &ioctls[2];

	fill(self, info, self->arg, info->known);
	ASSERT_EQ(0, mprotect(self->arg, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, device_ioctl(self->fd, info->cmd, self->arg));
	ASSERT_EQ(0, mprotect(self->arg, PAGE, PROT_READ | PROT_WRITE));
}

TEST_F(ioctl, info_of_the_module)
{
	struct htmm_info info;

	memset(&info, 0xff, sizeof(info));
	info.size = sizeof(info);
	info.flags = 0;
	info.session = 0;
	info.__reserved = 0;
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_GET_INFO, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(HTMM_FEATURE_CGROUPS, info.features & ~(__u64)HTMM_FEATURE_PLACEMENT);
	EXPECT_LE(HTMM_MAX_EVENTS, info.max_events);
	EXPECT_LE(HTMM_MAX_TARGETS, info.max_targets);
	EXPECT_LE(HTMM_MAX_RING_PAGES, info.max_ring_pages);
	EXPECT_EQ(0, info.session);
	EXPECT_EQ(0, info.owner);
	EXPECT_EQ(0, info.elapsed_ns);
	EXPECT_EQ(0, info.drain_pid);
	EXPECT_EQ(0, info.budget_ppm);
}

FIXTURE(arrays) {
	int fd;
	struct source source;
	struct request req;
};

/* A session with at least one page. */
FIXTURE_SETUP(arrays)
{
	void *mem = access_map(8);

	source_every_fault(&self->source);
	request_init(&self->req, &self->source.event);
	request_add_target(&self->req, getpid());
	ASSERT_LE(0, self->fd = device_open());
	ASSERT_NE(NULL, mem);
	ASSERT_START(self);
	access_pages(&self->source, mem, 8, 1);
	ASSERT_EQ(0, device_stop(self->fd));
}

FIXTURE_TEARDOWN(arrays) { check_closed(_metadata, self->fd); }

TEST_F(arrays, stats)
{
	struct htmm_channel_info channel;
	struct htmm_event event;
	struct htmm_stats stats = {
		.size = sizeof(stats),
		.nr_channels = 1,
		.channel_size = sizeof(channel),
		.event_size = sizeof(event),
	};

	EXPECT_EQ(-EFAULT, device_ioctl(self->fd, HTMM_IOC_GET_STATS, &stats));
	stats.channels = (uintptr_t)&channel;
	stats.channel_size--;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_GET_STATS, &stats));
	stats.channel_size++;
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_GET_STATS, &stats));
	EXPECT_LE(1, stats.nr_channels);

	stats.nr_channels = 0;
	stats.nr_events = 1;
	EXPECT_EQ(-EFAULT, device_ioctl(self->fd, HTMM_IOC_GET_STATS, &stats));
	stats.nr_events = 1;
	stats.events = (uintptr_t)&event;
	stats.event_size = 1;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_GET_STATS, &stats));
	stats.event_size = sizeof(event);
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_GET_STATS, &stats));
	EXPECT_EQ(1, stats.nr_events);
	EXPECT_EQ(self->source.event.type, event.type);
	EXPECT_EQ(self->source.event.config, event.config);
	EXPECT_EQ(self->source.event.period, event.period);
	EXPECT_STREQ(self->source.event.name, event.name);
}

/* Members that are newer than the module's element read as zero. */
TEST_F(arrays, wide_elements)
{
	struct {
		struct htmm_page page;
		__u64 beyond;
	} wide[4];
	struct htmm_list_pages hot = { LIST_ROOM(wide, 3) };

	memset(wide, 0xff, sizeof(wide));
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &hot));
	ASSERT_EQ(3, hot.nr_pages);
	EXPECT_EQ(0, wide[0].beyond);
	EXPECT_EQ(0, wide[2].beyond);
	EXPECT_EQ(getpid(), wide[2].page.pid);
	EXPECT_EQ(~0ULL, wide[3].beyond);
}

TEST_F(arrays, hot_pages)
{
	struct htmm_page page;
	struct htmm_list_pages hot = {
		.size = sizeof(hot),
		.nr_pages = 1,
		.page_size = sizeof(page),
	};

	EXPECT_EQ(-EFAULT, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &hot));
	hot.pages = (uintptr_t)&page;
	hot.page_size = sizeof(page) - 1;
	EXPECT_EQ(-EINVAL, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &hot));
	hot.page_size++;
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &hot));
	EXPECT_EQ(1, hot.nr_pages);
}

/* A cursor of one session is refused in another. */
TEST_F(arrays, cursor_of_another_session)
{
	struct htmm_page page;
	struct htmm_list_pages hot = { LIST_ROOM(&page, 1) };

	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &hot));
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &hot));
	ASSERT_START(self);
	EXPECT_EQ(-ESTALE, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &hot));
	memset(hot.cursor, 0, sizeof(hot.cursor));
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_LIST_PAGES, &hot));
	ASSERT_EQ(0, device_stop(self->fd));
}

/* The call affects only the session that it names. */
TEST_F(arrays, session_by_its_number)
{
	const unsigned int reads[] = {
		HTMM_IOC_GET_INFO, HTMM_IOC_GET_STATS, HTMM_IOC_GET_HIST,
		HTMM_IOC_GET_HIT_RATIO, HTMM_IOC_GET_PLACEMENT, HTMM_IOC_GET_SERVED,
		HTMM_IOC_COOL, HTMM_IOC_GET_TARGETS, HTMM_IOC_RESET,
	};
	union {
		struct head head;
		char room[PAGE];
	} arg;
	struct htmm_info info;
	size_t i;
	int more;

	ASSERT_EQ(0, device_info(self->fd, &info));
	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		for (more = -1; more <= 1; more++) {
			memset(&arg, 0, sizeof(arg));
			arg.head.size = sizeof(arg);
			arg.head.session = info.session + more;
			if (!arg.head.session)
				continue;
			EXPECT_EQ(more ? -ESTALE : 0, device_ioctl(self->fd, reads[i], &arg)) {
				TH_LOG("ioctl %#x, session %+d", reads[i], more);
			}
		}
	}
	/* A session that has ended, and one that has begun since. */
	ASSERT_START(self);
	EXPECT_EQ(info.session + 1, self->req.arg.session);
	memset(&arg, 0, sizeof(arg));
	arg.head.size = sizeof(arg);
	arg.head.session = info.session;
	EXPECT_EQ(-ESTALE, device_ioctl(self->fd, HTMM_IOC_STOP, &arg));
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	arg.head.session = info.session + 1;
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_STOP, &arg));
	EXPECT_EQ(-EALREADY, device_ioctl(self->fd, HTMM_IOC_STOP, &arg));
}

TEST_F(arrays, targets_of_another_session)
{
	struct htmm_target target = { .type = HTMM_TARGET_ALL };
	struct htmm_add_target add = {
		.size = sizeof(add),
		.target = (uintptr_t)&target,
		.target_size = sizeof(target),
	};
	struct htmm_target_id remove = { .size = sizeof(remove), .target = 1 };
	struct htmm_stream stream = { .size = sizeof(stream) };
	struct htmm_set set = {
		.flags = HTMM_SET_CAPACITY,
		.capacity_pages = 77,
	};
	char error[HTMM_ERROR_LEN];

	ASSERT_START(self);
	add.session = self->req.arg.session - 1;
	remove.session = add.session;
	set.session = add.session;
	stream.session = add.session;
	EXPECT_EQ(-ESTALE, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	EXPECT_EQ(-ESTALE, device_ioctl(self->fd, HTMM_IOC_REMOVE_TARGET, &remove));
	EXPECT_EQ(-ESTALE, device_set(self->fd, &set, error));
	EXPECT_NE('\0', error[0]);
	EXPECT_EQ(-ESTALE, device_ioctl(self->fd, HTMM_IOC_STREAM, &stream));
	add.session++;
	remove.session++;
	set.session++;
	stream.session++;
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_ADD_TARGET, &add));
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_REMOVE_TARGET, &remove));
	EXPECT_EQ(0, device_set(self->fd, &set, error));
	EXPECT_EQ(0, device_ioctl(self->fd, HTMM_IOC_STREAM, &stream));
	EXPECT_EQ(self->req.arg.session, stream.session);
	/* A reader stays with its session. */
	stream.session++;
	EXPECT_EQ(-ESTALE, device_ioctl(self->fd, HTMM_IOC_STREAM, &stream));
}

/* Each array with its first element size, a smaller one, and a future one. */
TEST_F(arrays, strides)
{
	const __u32 first = sizeof(struct htmm_channel_info);
	static char room[2 * 4097];
	struct htmm_stats stats = {
		.size = sizeof(stats),
		.channels = (uintptr_t)room,
	};
	const struct {
		__u32 bytes;
		int ret;
	} strides[] = {
		{ 0, -EINVAL }, { first - 1, -EINVAL }, { first, 0 }, { first + 4, 0 },
		{ 3 * first, 0 }, { 4096, 0 }, { 4097, -E2BIG }, { ~0U, -E2BIG },
	};
	__u32 nr;
	size_t i;

	/* With no room the size is not checked. */
	ASSERT_EQ(0, device_ioctl(self->fd, HTMM_IOC_GET_STATS, &stats));
	nr = stats.nr_channels;
	EXPECT_LE(2, nr);
	for (i = 0; i < ARRAY_SIZE(strides); i++) {
		memset(room, 0xff, sizeof(room));
		stats.nr_channels = 1;
		stats.channel_size = strides[i].bytes;
		stats.nr_events = 0;
		EXPECT_EQ(strides[i].ret,
			  device_ioctl(self->fd, HTMM_IOC_GET_STATS, &stats)) {
			TH_LOG("channels of %u bytes", strides[i].bytes);
		}
		if (!strides[i].ret) {
			EXPECT_EQ(nr, stats.nr_channels);
			EXPECT_EQ(self->source.event.period,
				  ((struct htmm_channel_info *)room)->period);
			EXPECT_EQ(0, room[strides[i].bytes - 1]);
			EXPECT_EQ('\xff', room[strides[i].bytes]);
		}
	}
}

TEST_F(arrays, histogram_unit)
{
	struct htmm_histogram hist;

	EXPECT_EQ(0, device_hist(self->fd, HTMM_UNIT_REGION, &hist));
	EXPECT_EQ(-EOPNOTSUPP, device_hist(self->fd, HTMM_UNIT_REGION + 1, &hist));
	EXPECT_EQ(-EOPNOTSUPP, device_hist(self->fd, ~0U, &hist));
}
