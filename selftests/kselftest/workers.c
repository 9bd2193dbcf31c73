// SPDX-License-Identifier: GPL-2.0
/* All roles expect failures: the device goes away, the CPU is online already, memory runs out. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "access.h"
#include "child.h"
#include "cpu.h"
#include "device.h"
#include "pids.h"
#include "records.h"
#include "stress.h"

#define PAGES		256
#define FLOCK		8
#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

uint64_t role_random(struct role *role, unsigned int limit)
{
	role->random ^= role->random << 13;
	role->random ^= role->random >> 7;
	role->random ^= role->random << 17;
	return (role->random >> 20) % limit;
}

static void rest(struct role *role, unsigned int most_ms)
{
	usleep(1000 * role_random(role, most_ms));
}

static bool away(const struct role *role)
{
	return atomic_load(&role->feats->away);
}

static int open_device(struct role *role)
{
	while (away(role))
		rest(role, 20);
	return device_open();
}

/* Makes stores and page faults as fast as possible. */
int role_work(int sock, void *arg)
{
	struct role *role = arg;
	struct source fault;
	void *mem = access_map(PAGES);

	if (!mem)
		return 1;
	source_every_fault(&fault);
	for (;;) {
		access_pages(&role->source, mem, PAGES, 50);
		/* Without the pauses of access_pages(), as this is to be too much. */
		madvise(mem, PAGES / 4 * 4096, MADV_DONTNEED);
		memset(mem, 1, PAGES / 4 * 4096);
	}
}

int role_switch_cpu(int sock, void *arg)
{
	struct role *role = arg;

	for (;;) {
		if (!cpu_set_online(role->cpu, false)) {
			rest(role, 300);
			while (cpu_set_online(role->cpu, true))
				rest(role, 10);
			atomic_fetch_add(&role->feats->cycles, 1);
		}
		rest(role, 500);
	}
}

static int live_shortly(int sock, void *arg)
{
	struct role *role = arg;
	void *mem = access_map(16);

	if (role_random(role, 2))
		cgroup_enter(&role->cgroup, 0);
	if (mem)
		access_pages(&role->source, mem, 16, 20);
	if (role_random(role, 3) == 0)
		execl("/bin/true", "true", NULL);
	return 0;
}

/* Processes that start, are sampled, exec() and exit, some at once. */
int role_churn(int sock, void *arg)
{
	struct role *role = arg;
	struct child flock[FLOCK];
	pid_t last = 0;
	int i, n;

	for (;;) {
		for (n = 0; n < FLOCK; n++) {
			role_random(role, 2);
			if (child_start(&flock[n], live_shortly, role))
				break;
			if (flock[n].pid < last)
				atomic_fetch_add(&role->feats->wraps, 1);
			last = flock[n].pid;
		}
		for (i = 0; i < n; i++)
			child_join(&flock[i]);
		atomic_fetch_add(&role->feats->forks, n);
	}
}

static void read_debugfs(void)
{
	static const char * const files[] = {
		"status", "stats", "hist", "hot_pages", "targets",
	};
	char text[4096];
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(text, sizeof(text), "/sys/kernel/debug/htmm/%s", files[i]);
		fd = open(text, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		while (read(fd, text, sizeof(text)) > 0)
			;
		close(fd);
	}
}

static bool sound(bool what, const char *text)
{
	if (!what)
		printf("# a reader under stress: %s\n", text);
	return what;
}

/* A running session: an overflow is counted before it is anywhere else. */
static bool stats_are_sound(const struct stats *stats)
{
	struct htmm_counters sum = {};
	__u32 i;

	for (i = 0; i < stats->s.nr_channels; i++) {
		const struct htmm_counters *c = &stats->channels[i].counters;

		if (!sound(c->counted + c->in_flight + counters_drops(c) <= c->overflows,
			   "more samples than overflows"))
			return false;
		sum.counted += c->counted;
		sum.overflows += c->overflows;
	}
	return sound(sum.counted == stats->s.total.counted &&
		     sum.overflows == stats->s.total.overflows, "totals that are no sums");
}

static bool hist_is_sound(const struct htmm_histogram *hist)
{
	__u64 pages = 0, hot = 0;
	int i;

	for (i = 0; i < HTMM_NR_BINS; i++) {
		pages += hist->bins[i];
		hot += i >= (int)hist->hot_threshold ? hist->bins[i] : 0;
	}
	return sound(pages == hist->pages && hot == hist->hot_pages,
		     "a histogram that is not the sum of its bins");
}

static bool pages_are_sound(const struct pages *pages)
{
	size_t i;

	for (i = 0; i < pages->nr; i++) {
		const struct htmm_page *page = &pages->page[i];

		if (!sound(page->samples && page->bin == 64U - __builtin_clzll(page->samples) &&
			   (!i || page->samples <= page[-1].samples), "a list in disorder"))
			return false;
	}
	return true;
}

/* Whether all that could be read made sense. */
static bool read_device(int fd, struct role *role)
{
	static struct htmm_target_info infos[HTMM_MAX_TARGETS];
	struct htmm_targets targets = {
		.size = sizeof(targets),
		.targets = (uintptr_t)infos,
		.nr_targets = HTMM_MAX_TARGETS,
		.target_size = sizeof(infos[0]),
	};
	struct htmm_histogram hist;
	struct htmm_info info;
	static struct stats stats;
	static struct pages pages;
	bool ok = true;

	ok &= sound(!device_info(fd, &info) && info.state <= HTMM_STATE_STOPPED &&
		    info.nr_targets <= HTMM_MAX_TARGETS, "no information");
	if (!stats_read(fd, &stats))
		ok &= stats_are_sound(&stats);
	if (!device_hist(fd, HTMM_UNIT_PAGE, &hist))
		ok &= hist_is_sound(&hist);
	if (!device_hist(fd, HTMM_UNIT_REGION, &hist))
		ok &= hist_is_sound(&hist);
	if (!device_ioctl(fd, HTMM_IOC_GET_TARGETS, &targets))
		ok &= sound(targets.nr_targets <= HTMM_MAX_TARGETS && (!targets.nr_targets ||
			    (infos[0].number && infos[0].type <= HTMM_TARGET_ALL)),
			    "targets of no number or type");
	if (!pages_read(fd, &pages))
		ok &= pages_are_sound(&pages);
	if (role_random(role, 4) == 0)
		device_cool(fd, 0);
	return ok;
}

int role_read(int sock, void *arg)
{
	struct role *role = arg;
	int fd;

	for (;;) {
		fd = open_device(role);
		if (fd >= 0) {
			if (!read_device(fd, role))
				return 1;
			close(fd);
		}
		read_debugfs();
		atomic_fetch_add(&role->feats->reads, 1);
		rest(role, 50);
	}
}

/* A reader that is sometimes too slow. */
int role_follow_stream(int sock, void *arg)
{
	struct role *role = arg;
	static char records[1 << 16];
	struct pollfd look;
	int i, fd, n;

	for (;;) {
		fd = open_device(role);
		look = (struct pollfd) { .fd = fd, .events = POLLIN };
		if (fd < 0 || stream_join(fd, 1 << 16, 0)) {
			rest(role, 100);
		} else {
			for (i = 0; i < 50 && !away(role) && poll(&look, 1, 20) >= 0; i++) {
				n = look.revents & POLLIN ?
					read(fd, records, sizeof(records)) : 0;
				if (n > 0)
					atomic_fetch_add(&role->feats->records, n);
				if (role_random(role, 10) == 0)
					rest(role, 50);
			}
		}
		if (fd >= 0)
			close(fd);
	}
}

static bool add_target(int fd, struct role *role)
{
	struct htmm_target target = { .type = HTMM_TARGET_TGID };
	struct htmm_add_target add = {
		.size = sizeof(add),
		.target = (uintptr_t)&target,
		.target_size = sizeof(target),
	};

	if (role_random(role, 4) == 0) {
		target.type = HTMM_TARGET_CGROUP;
		target.id = role->cgroup.dir;
	} else {
		/* The process that has this pid now, if there is one. */
		target.id = 1 + role_random(role, FEW_PIDS);
	}
	return !device_ioctl(fd, HTMM_IOC_ADD_TARGET, &add);
}

/* Half of the time, of a target or an event that does not exist. */
static bool change_setting(int fd, struct role *role)
{
	if (role_random(role, 2))
		return !device_set_capacity(fd, role_random(role, 20), role_random(role, 1000));
	return !device_set_period(fd, role_random(role, 2), 31 + role_random(role, 200));
}

int role_change_targets(int sock, void *arg)
{
	struct htmm_target_id remove = { .size = sizeof(remove) };
	struct role *role = arg;
	int i, fd;

	for (;;) {
		fd = open_device(role);
		for (i = 0; fd >= 0 && i < 20 && !away(role); i++) {
			remove.target = 1 + role_random(role, 20);
			if (role_random(role, 2) ? add_target(fd, role) :
			    !device_ioctl(fd, HTMM_IOC_REMOVE_TARGET, &remove))
				atomic_fetch_add(&role->feats->targets, 1);
			if (change_setting(fd, role))
				atomic_fetch_add(&role->feats->settings, 1);
			rest(role, 30);
		}
		if (fd >= 0)
			close(fd);
		rest(role, 100);
	}
}

static int take_memory(int sock, void *arg)
{
	size_t bytes = memory_available() / 16 * 15, done;
	struct role *role = arg;
	char *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	child_offer_itself();
	if (mem == MAP_FAILED)
		return 1;
	for (done = 0; done + (1 << 20) <= bytes; done += 1 << 20) {
		memset(mem + done, 1, 1 << 20);
		atomic_fetch_add(&role->feats->taken, 1);
	}
	return 0;
}

int role_flood_memory(int sock, void *arg)
{
	struct role *role = arg;
	struct child child;

	for (;;) {
		if (!child_start(&child, take_memory, role))
			child_join(&child);
		rest(role, 3000);
	}
}
