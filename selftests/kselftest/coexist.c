// SPDX-License-Identifier: GPL-2.0
/* perf works on the same PMU while htmm samples, and afterwards. */
#include "check.h"

#define FILES	"/dev/shm/htmm-coexist"
#define TEXT	FILES ".text"
/* An ordinary program with some hundred thousand accesses. */
#define WORK	"awk 'BEGIN { for (i = 0; i < 20000; i++) a[i] = i }'"

FIXTURE(coexist) {
	int fd;
	struct source source;
	struct request req;
};

FIXTURE_SETUP(coexist)
{
	if (!source_find(&self->source, ACCESS_STORE))
		SKIP(return, "no PMU here samples stores");
	if (system("command -v perf >/dev/null"))
		SKIP(return, "there is no perf: install linux-perf");
	ASSERT_LE(0, self->fd = device_open());
	request_init(&self->req, &self->source.event);
	ASSERT_START(self);
}

FIXTURE_TEARDOWN(coexist)
{
	close(self->fd);
	check_idle(_metadata);
	unlink(FILES);
	unlink(TEXT);
}

/* The session was not disturbed either: there were counters for both. */
static void check_session(struct __test_metadata *_metadata, int fd)
{
	static struct stats stats;
	__u32 i;

	ASSERT_EQ(0, device_stop(fd));
	ASSERT_EQ(0, stats_read(fd, &stats));
	EXPECT_LT(100, stats.s.total.counted);
	for (i = 0; i < stats.s.nr_channels; i++) {
		EXPECT_EQ(stats.channels[i].time_enabled, stats.channels[i].time_running);
	}
}

/* The number that a shell command prints, or a negative value. */
static double number(const char *command)
{
	FILE *pipe = popen(command, "r");
	double value;

	if (!pipe)
		return -1;
	if (fscanf(pipe, "%lf", &value) != 1)
		value = -2;
	return pclose(pipe) ? -3 : value;
}

static void check_perf_stat(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, system("perf stat -a -x, -o " FILES " -e r81d0 -e r82d0 -- " WORK));
	EXPECT_LT(50000, number("grep r81d0 " FILES));
	EXPECT_LT(50000, number("grep r82d0 " FILES));
}

TEST_F(coexist, perf_stat)
{
	check_perf_stat(_metadata);
	check_session(_metadata, self->fd);
	check_perf_stat(_metadata);
}

TEST_F(coexist, perf_record)
{
	double records, good;

	/* No build ids: hashing every file would take most of the time. */
	ASSERT_EQ(0, system("perf record -q -a -B -N -e r82d0 -c 4999 -d -o "
			    FILES " -- " WORK));
	check_session(_metadata, self->fd);
	ASSERT_EQ(0, system("perf script -i " FILES " -F comm,addr >" TEXT));
	records = number("grep -c awk " TEXT);
	good = number("grep -cE 'awk +[0-9a-f]{6,12}$' " TEXT);
	EXPECT_LT(50, records);
	EXPECT_EQ(records, good);
}
