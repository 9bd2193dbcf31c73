// SPDX-License-Identifier: GPL-2.0
/* The arguments of --share of `htmmctl tier`: which are refused, and the groups that they make. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "test.h"
#include "tier/shares.h"

/* Directories stand for cgroups. */
int __wrap_htmm_target_cgroup(struct htmm_target *target, const char *path,
			      struct htmm_error *err);
int __wrap_htmm_target_cgroup(struct htmm_target *target, const char *path,
			      struct htmm_error *err)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return htmm_error_set(err, ENOENT, NULL, "there is no cgroup '%s'", path);
	*target = (struct htmm_target) { .type = HTMM_TARGET_CGROUP, .id = fd };
	return 0;
}

/* Is an argument of --share, after those before, refused with these words? */
static bool no_share(struct shares *shares, const char *text, const char *why)
{
	const unsigned int before = shares->nr;
	struct htmm_error err = {};
	const int ret = shares_add(shares, text, &err);

	if (ret && shares->nr == before && strstr(err.what, why))
		return true;
	printf("# '%s': %d: %s\n", text, ret, err.what);
	return false;
}

static void test_shares_refused(void)
{
	struct shares shares = {}, weights = { .how = "3:1" };
	struct htmm_error err;

	CHECK(no_share(&shares, "/proc=", "'' is not a share"));
	CHECK(no_share(&shares, "/proc=0", "'0' is not a share"));
	CHECK(no_share(&shares, "/proc=65536", "'65536' is not a share"));
	CHECK(no_share(&shares, "/proc=2X", "'2X' is not a size"));
	CHECK(no_share(&shares, "/proc=1K", "1K"));
	CHECK(no_share(&shares, "/no such=2M", "there is no cgroup '/no such'"));
	CHECK(no_share(&weights, "/proc=2M", "a share for a cgroup and '3:1' exclude each other"));
	CHECK(!shares_add(&shares, "/proc=2M", &err) && shares.nr == 1);
	CHECK(no_share(&shares, "/=3", "sizes and weights cannot be mixed"));
	CHECK(no_share(&shares, "/proc/=3M", "the cgroup '/proc/' has two shares"));
	CHECK(no_share(&shares, "equal", "a share for a cgroup and 'equal' exclude each other"));
	shares = (struct shares) {};
	CHECK(!shares_add(&shares, "/proc=65535", &err));
	CHECK(no_share(&shares, "/=4K", "sizes and weights cannot be mixed"));
}

/* A session with a target that has a share, too, and one that has none. */
static void join(struct session *session, struct shares *shares)
{
	struct htmm_error err;
	struct htmm_target target = { .type = HTMM_TARGET_TGID, .id = 1 };

	*session = (struct session) {};
	CHECK(!session_add_target(session, &target, &err));
	CHECK(!__wrap_htmm_target_cgroup(&target, "/proc", &err));
	CHECK(!session_add_target(session, &target, &err));
	CHECK(!shares_join(shares, session, &err));
}

/* A cgroup with a share is a target, once; targets without one have no limit. */
static void test_shares(void)
{
	static struct session session;
	struct shares shares = {};
	struct htmm_error err;
	struct tier tier;

	CHECK(!shares_add(&shares, "/=2M", &err) && !shares_add(&shares, "/proc=12K", &err));
	join(&session, &shares);
	CHECK(session.start.nr_targets == 3);
	CHECK(shares.named[0].target == 3 && shares.named[1].target == 2);
	CHECK(session.targets[2].id == shares.named[0].cgroup.id);
	CHECK(!shares_check(&shares, 515, &err) && !shares_check(&shares, 0, &err));
	CHECK(refused(shares_check(&shares, 514, &err), ENOSPC, &err,
		      "--share gives 2.0 MiB to cgroups, but the fast tier has 2.0 MiB"));
	CHECK(!shares_make_groups(&shares, &tier, 3, &err) && tier.nr_groups == 3);
	CHECK(tier.groups[0].target == 1 && !tier.groups[0].limit && tier.groups[0].weight == 1);
	CHECK(tier.groups[1].target == 2 && tier.groups[1].limit == 3);
	CHECK(tier.groups[2].target == 3 && tier.groups[2].limit == 512);
}

/* The same with weights. */
static void test_shares_weights(void)
{
	static struct session session;
	struct shares shares = {};
	struct htmm_error err;
	struct tier tier;

	CHECK(!shares_add(&shares, "/=7", &err) && !shares_add(&shares, "/proc=65535", &err));
	join(&session, &shares);
	CHECK(!shares_check(&shares, 1, &err));
	CHECK(!shares_make_groups(&shares, &tier, 3, &err) && tier.nr_groups == 3);
	CHECK(tier.groups[0].weight == 1 && tier.groups[1].weight == 65535);
	CHECK(tier.groups[2].weight == 7 && !tier.groups[2].limit);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_shares_refused),
		TAP_TEST(test_shares),
		TAP_TEST(test_shares_weights),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
