// SPDX-License-Identifier: GPL-2.0
/* htmmctl run counts all children of a command, and no other process. */
#include <libgen.h>
#include <limits.h>
#include <sys/mman.h>
#include "cgroup.h"
#include "check.h"
#include "child.h"

#define PAGES		8
#define NR_CHILDREN	40
#define REPORT		"/dev/shm/htmm-children"
/* An address that nothing else uses, the same in all children. */
#define AREA		((char *)0x5eed00000000)

static int fault(void)
{
	char *mem = mmap(AREA, PAGES * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	size_t i;

	if (mem != AREA)
		return 1;
	madvise(mem, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (i = 0; i < PAGES; i++)
		*(volatile char *)(mem + i * PAGE) = 1;
	return 0;
}

/* Every other child only forks another one. */
static int forks(void)
{
	int i, status, bad = 0;

	for (i = 0; i < NR_CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid && i % 2 && fork()) {
			wait(&status);
			_exit(status ? 1 : 0);
		}
		if (!pid)
			_exit(fault());
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			bad++;
	}
	return bad;
}

/* This program is also the command that htmmctl runs. */
static void __attribute__((constructor)) be_the_command(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--forks"))
		exit(forks());
}

static int bystander(int sock, void *arg)
{
	fault();
	child_post(sock);
	while (!child_await(sock)) {
		madvise(AREA, PAGES * PAGE, MADV_DONTNEED);
		*(volatile char *)AREA = 1;
	}
	return 0;
}

FIXTURE(children) {
	char htmmctl[PATH_MAX];
	char self[PATH_MAX];
	struct child other;
};

FIXTURE_SETUP(children)
{
	char *dir;

	ASSERT_NE(NULL, realpath("/proc/self/exe", self->self));
	dir = strdup(self->self);
	snprintf(self->htmmctl, sizeof(self->htmmctl), "%s/userspace/htmmctl",
		 dirname(dirname(dir)));
	free(dir);
	if (access(self->htmmctl, X_OK) || system("jq --version >/dev/null 2>&1"))
		SKIP(return, "no htmmctl here, or no jq");
	ASSERT_EQ(0, child_start(&self->other, bystander, NULL));
	ASSERT_EQ(0, child_await(self->other.sock));
}

FIXTURE_TEARDOWN(children)
{
	struct source source;
	struct request req;
	int fd = device_open();

	if (self->other.pid > 0)
		child_kill(&self->other);
	unlink(REPORT);
	/* The next session takes the place of the one that htmmctl has left. */
	source_every_fault(&source);
	request_init(&req, &source.event);
	EXPECT_EQ(0, device_start(fd, &req));
	check_closed(_metadata, fd);
}

/* Runs htmmctl with forks() as its command; the report goes to REPORT. */
static int run(FIXTURE_DATA(children) *self, const char *options)
{
	char command[3 * PATH_MAX];

	/* Rings with room for all of its faults, even if they are drained late. */
	snprintf(command, sizeof(command),
		 "%s run --json -n 0 -e page-fault -c 1 -m 256 %s -- %s --forks >" REPORT,
		 self->htmmctl, options, self->self);
	child_post(self->other.sock);
	return system(command);
}

/* The number that jq gets from the report, or -1. */
static long report(const char *filter)
{
	char command[PATH_MAX], line[64] = "";
	FILE *pipe;

	snprintf(command, sizeof(command), "jq '%s' " REPORT, filter);
	pipe = popen(command, "re");
	if (!pipe)
		return -1;
	if (!fgets(line, sizeof(line), pipe))
		line[0] = '\0';
	return pclose(pipe) || !*line ? -1 : atol(line);
}

#define OURS	"[.hot.pages[] | select(.addr | startswith(\"0x5eed\"))]"

TEST_F(children, all_of_them_in_a_cgroup)
{
	if (!cgroup_possible())
		SKIP(return, "no cgroups of version 2 here");
	ASSERT_EQ(0, run(self, ""));
	EXPECT_EQ(NR_CHILDREN * PAGES, report(OURS " | map(.samples) | add"));
	EXPECT_EQ(NR_CHILDREN, report(OURS " | map(.pid) | unique | length"));
	/* One target, number 1. */
	EXPECT_EQ(1, report(".targets | map(select(.type == \"cgroup\").number) | add"));
	/* No cgroup is left. */
	EXPECT_NE(0, system("ls -d /sys/fs/cgroup/htmmctl-* >/dev/null 2>&1"));
}

#define SAME_PAGES	"def pages: .pages | map({pid, addr, samples, comm, mapping, offset}); " \
			"pages == ($run[0].hot | pages) and any(.pages[].mapping; endswith(\"/children\"))"

/* Whoever asks later gets the same pages, with the names that they had. */
TEST_F(children, results_stay)
{
	char command[2 * PATH_MAX];

	ASSERT_EQ(0, run(self, ""));
	EXPECT_EQ(HTMM_STATE_STOPPED, device_state());
	snprintf(command, sizeof(command),
		 "%s hot --raw -n 0 --json | jq -e --slurpfile run " REPORT " '%s'",
		 self->htmmctl, SAME_PAGES);
	EXPECT_EQ(0, system(command));
	snprintf(command, sizeof(command),
		 "%s stats --json | jq -e --slurpfile run " REPORT " '. == $run[0].stats'",
		 self->htmmctl);
	EXPECT_EQ(0, system(command));
}

/* Only the target that was named is sampled. */
TEST_F(children, none_of_another_target)
{
	char options[64];

	snprintf(options, sizeof(options), "-p %d", getpid());
	ASSERT_EQ(0, run(self, options));
	EXPECT_EQ(0, report(OURS " | length"));
}
