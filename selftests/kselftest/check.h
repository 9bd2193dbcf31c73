/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's test harness, and checks that hold for every session. */
#ifndef KSFT_CHECK_H
#define KSFT_CHECK_H

#include <kselftest_harness.h>
#include "access.h"
#include "module.h"

/* The harness measures elapsed time, and the machine may be busy; `run` ends a test that hangs. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	200

/* No session runs, and a moment later nothing of an earlier one is left, and nobody waits. */
static inline void check_idle(struct __test_metadata *_metadata)
{
	int tries = 2000;

	EXPECT_EQ(HTMM_STATE_IDLE, device_state());
	/* To list all areas of the kernel takes long: not before the users are gone. */
	while (module_users() != device_files() && --tries)
		usleep(1000);
	EXPECT_NE(0, tries) {
		TH_LOG("%d users of %d files", module_users(), device_files());
	}
	while (module_areas() && --tries)
		usleep(10000);
	EXPECT_NE(0, tries) {
		TH_LOG("%d areas of memory are left", module_areas());
	}
}

/* Starts the session that @self wants; the module says why it cannot. */
#define ASSERT_START(self) do {						\
	int start_ = device_start((self)->fd, &(self)->req);		\
									\
	ASSERT_EQ(0, start_) {						\
		TH_LOG("%s", (self)->req.error);			\
	}								\
} while (0)

/* A message has this text. */
#define EXPECT_SAYS(message, text) do {					\
	const char *message_ = (message);				\
									\
	EXPECT_NE(NULL, strstr(message_, text)) {			\
		TH_LOG("%s", message_);					\
	}								\
} while (0)

/* A message is one line, and says something. */
#define EXPECT_REASON(message, what) do {				\
	const char *message_ = (message);				\
	size_t len_ = strnlen(message_, HTMM_ERROR_LEN);		\
									\
	EXPECT_TRUE(len_ > 10 && len_ < HTMM_ERROR_LEN - 1) {		\
		TH_LOG("%s: no reason given", what);			\
	}								\
	EXPECT_EQ(NULL, strchr(message_, '\n'));			\
} while (0)

/* The condition holds soon; it is looked at every few milliseconds. The machine may be slow. */
#define ASSERT_SOON(condition) do {					\
	int tries_ = 20000;						\
									\
	while (!(condition) && --tries_)				\
		usleep(5000);						\
	ASSERT_LT(0, tries_) {						\
		TH_LOG("never: %s", #condition);			\
	}								\
} while (0)

/* The end of most tests: what they leave goes with the file. */
static inline void check_closed(struct __test_metadata *_metadata, int fd)
{
	close(fd);
	check_idle(_metadata);
}

/* All that is hot fits the fast tier, and the next bin would not; warm is as documented. */
static inline void check_thresholds(struct __test_metadata *_metadata,
				    const struct htmm_histogram *hist)
{
	__u32 hot = hist->hot_threshold, bin;
	__u64 pages = 0;

	ASSERT_LE(1, hot);
	for (bin = hot; bin < HTMM_NR_BINS; bin++)
		pages += hist->bins[bin];
	EXPECT_LE(pages, hist->capacity_pages);
	if (hot == 1) {
		EXPECT_EQ(hot, hist->warm_threshold);
		return;
	}
	EXPECT_LT(hist->capacity_pages, pages + hist->bins[hot - 1]);
	EXPECT_EQ(4 * pages < 3 * hist->capacity_pages ? hot - 1 : hot, hist->warm_threshold);
}

int main(int argc, char **argv)
{
	device_require();
	source_hold();
	return test_harness_run(argc, argv);
}

/* Numbers that may differ by at most @most in either direction. */
#define EXPECT_NEAR(wanted, seen, most) do {				\
	__u64 wanted_ = (wanted), seen_ = (seen), most_ = (most);	\
									\
	EXPECT_GE(seen_ + most_, wanted_);				\
	EXPECT_GE(wanted_ + most_, seen_);				\
} while (0)

#endif /* KSFT_CHECK_H */
