// SPDX-License-Identifier: GPL-2.0
/*
 * price PERF: what a sample costs, in instructions of an emulated CPU whose time is the
 * number of instructions executed. For the guest of `run`, which explains what is printed.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cgroup.h"
#include "device.h"

#define PERIOD		97
#define WARM		24000
#define WARM_ROUNDS	5
#define LINE		64
/* The same in each run, so that the memory is of the same number of regions. */
#define ARENA		((void *)0x200000000000)
#define GROUPS		8
#define MAX_EVENTS	4
#define DATA		"/dev/shm/price.data"
#define LIST		"/dev/shm/price.list"
#define COUNT		"{ n[$1 substr($2, 1, length($2) - 3)]++ } END { print length(n) }"

/* Loads that miss the cache; those that memory of this node serves; all loads, twice. */
static const struct {
	__u64 config;
	__u64 period;
} events[MAX_EVENTS] = {
	{ 0x20d1, 389 }, { 0x01d3, 397 }, { 0x81d0, 401 }, { 0x01cd, 409 },
};

/* Where the driver of the unit stops: enum pebs_price_stop. */
enum stop { NOWHERE, ENTRY, PERF, HANDLER };

/**
 * struct load - what the workers do
 * @mib: memory of all workers together, in MiB
 * @samples: samples to measure
 * @warm: sample all memory before the measurement; else about half of the samples are
 *	of a page that was not sampled before
 * @groups: cgroups, with a worker in each; 0: one worker, in no cgroup of its own
 */
struct load {
	unsigned int mib;
	unsigned int samples;
	bool warm;
	unsigned int groups;
};

#define SMALL		.mib = 8, .samples = 16000, .warm = true
#define LARGE		.mib = 64, .samples = 26000

/* What a budget that is always overspent multiplies the period by. */
#define BUDGET_FACTOR	4

/**
 * struct row - how htmm samples
 * @name: of the row
 * @load: what it samples
 * @events: number of events
 * @weights: samples are weighted by period
 * @budget: a budget chooses the period, so that the weights are above 1
 * @served: samples are counted by what served them
 * @sources: records tell that
 */
struct row {
	const char *name;
	struct load load;
	unsigned int events;
	bool weights;
	bool budget;
	bool served;
	bool sources;
};

static const struct row rows[] = {
	{ "all-8", { SMALL }, 1 },
	{ "all-64", { LARGE }, 1 },
	{ "cgroups-8", { SMALL, .groups = GROUPS }, 1 },
	{ "cgroups-64", { LARGE, .groups = GROUPS }, 1 },
	{ "weights-8", { SMALL }, 1, true },
	{ "weights-64", { LARGE }, 1, true },
	{ "budget-8", { .mib = 8, .samples = BUDGET_FACTOR * 16000, .warm = true }, 1,
	  .weights = true, .budget = true },
	{ "events-8", { SMALL }, 4 },
	{ "events-64", { LARGE }, 4 },
	{ "served-8", { SMALL }, 1, .served = true },
	{ "sources-8", { SMALL }, 1, .served = true, .sources = true },
};

#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

/**
 * struct work - workers that wait to begin
 * @pid: the workers
 * @nr: number of workers
 * @go: they read a byte from it for each round
 * @done: they write a byte to it after each round
 */
struct work {
	pid_t pid[GROUPS];
	unsigned int nr;
	int go[2];
	int done[2];
};

/**
 * struct cost - what a round of the workers cost
 * @n: overflows
 * @ns: nanoseconds of an overflow, without what the load itself takes
 * @ticks: of these, nanoseconds in the handler that the driver of the unit calls
 */
struct cost {
	double n;
	double ns;
	double ticks;
};

static struct cgroup cgroups[GROUPS];
static unsigned int section;

static void fail(const char *fmt, ...)
{
	va_list args;

	fputs("price: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static void unit_set(const char *name, unsigned int value)
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/pebs_emu/parameters/%s", name);
	file = fopen(path, "w");
	if (!file || fprintf(file, "%u\n", value) < 0 || fclose(file))
		fail("%s: %s", path, strerror(errno));
}

static double unit_get(const char *name)
{
	char path[96];
	double value;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/pebs_emu/parameters/%s", name);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%lf", &value) != 1)
		fail("%s cannot be read", path);
	fclose(file);
	return value;
}

/* Loads of random lines. In assembly, as the compiler would leave them out. */
static void touch(const char *mem, size_t bytes, unsigned long loads)
{
	unsigned long x = 88172645463325252UL, out;

	while (loads--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		asm volatile("movq (%1), %0" : "=r" (out)
			     : "r" (mem + x % (bytes / LINE) * LINE) : "memory");
	}
}

/* Each round is of a number of samples, which the parent writes; 0: the end. */
static void worker(const struct work *work, size_t bytes, const struct cgroup *cgroup)
{
	unsigned long samples = 1;
	char *mem = mmap(ARENA, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (mem == MAP_FAILED || (cgroup && cgroup_enter(cgroup, 0)))
		exit(1);
	madvise(mem, bytes, MADV_NOHUGEPAGE);
	memset(mem, 1, bytes);
	while (samples) {
		if (write(work->done[1], "", 1) != 1 ||
		    read(work->go[0], &samples, sizeof(samples)) != sizeof(samples))
			exit(1);
		touch(mem, bytes, samples * PERIOD);
	}
	exit(0);
}

static void await(const struct work *work)
{
	unsigned int i;
	char done;

	for (i = 0; i < work->nr; i++)
		if (read(work->done[0], &done, 1) != 1)
			fail("a worker ended");
}

static void work_begin(struct work *work, const struct load *load)
{
	unsigned int i;

	work->nr = load->groups ?: 1;
	if (pipe(work->go) || pipe(work->done))
		fail("pipe: %s", strerror(errno));
	fflush(stdout);
	for (i = 0; i < work->nr; i++) {
		work->pid[i] = fork();
		if (!work->pid[i])
			worker(work, ((size_t)load->mib << 20) / work->nr,
			       load->groups ? &cgroups[i] : NULL);
	}
	await(work);
}

static void work_round(const struct work *work, unsigned long samples)
{
	unsigned int i;

	samples /= work->nr;
	for (i = 0; i < work->nr; i++)
		if (write(work->go[1], &samples, sizeof(samples)) != sizeof(samples))
			fail("a worker ended");
	if (samples)
		await(work);
}

static void work_end(struct work *work)
{
	int status;

	work_round(work, 0);
	while (wait(&status) > 0)
		if (status)
			fail("a worker failed");
	close(work->go[0]);
	close(work->go[1]);
	close(work->done[0]);
	close(work->done[1]);
}

/* Nanoseconds of the load alone, measured once for each. */
static double base(const struct load *load)
{
	static struct { struct load load; double ns; } known[8];
	unsigned int i;
	struct work work;
	double start;

	for (i = 0; known[i].ns; i++)
		if (!memcmp(&known[i].load, load, sizeof(*load)))
			return known[i].ns;
	work_begin(&work, load);
	work_round(&work, WARM);
	start = now();
	work_round(&work, load->samples);
	known[i].ns = now() - start;
	known[i].load = *load;
	work_end(&work);
	return known[i].ns;
}

/* What the load costs more than alone. base() must have been called for it. */
static struct cost round_cost(const struct work *work, const struct load *load)
{
	double n = unit_get("overflows"), ticks = unit_get("price_ticks"), ns = now();

	work_round(work, load->samples);
	ns = now() - ns - base(load);
	n = unit_get("overflows") - n;
	return (struct cost) { n, ns / n, (unit_get("price_ticks") - ticks) / n };
}

/* An event as perf opens it, whose samples nobody takes. */
static int event_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = events[0].config,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_ADDR,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	if (fd < 0)
		fail("perf_event_open: %s", strerror(errno));
	return fd;
}

/* What an overflow costs if the driver of the unit stops somewhere. */
static void measure_unit(const char *name, enum stop stop, const struct load *load)
{
	struct work work;
	struct cost cost;
	int fd;

	base(load);
	work_begin(&work, load);
	work_round(&work, WARM);
	unit_set("price_stop", stop);
	fd = event_open();
	cost = round_cost(&work, load);
	close(fd);
	unit_set("price_stop", NOWHERE);
	work_end(&work);
	printf("unit %s %.3f %.3f\n", name, cost.ns, cost.ticks);
}

static struct htmm_stats statistics(int fd)
{
	struct htmm_stats stats = { .size = sizeof(stats) };

	if (device_ioctl(fd, HTMM_IOC_GET_STATS, &stats))
		fail("statistics");
	return stats;
}

static double known_pages(int fd)
{
	struct htmm_histogram hist;

	if (device_hist(fd, HTMM_UNIT_PAGE, &hist))
		fail("histogram");
	return hist.pages;
}

static int session(const struct row *row)
{
	struct htmm_event event = { .type = PERF_TYPE_RAW, .precise_ip = 2 };
	struct request req;
	unsigned int i;
	int fd = device_open();

	if (fd < 0)
		fail(DEVICE_PATH ": %s", strerror(-fd));
	request_init(&req, &event);
	req.arg.nr_events = 0;
	for (i = 0; i < row->events; i++) {
		event.config = events[i].config;
		event.period = row->events == 1 ? PERIOD : events[i].period;
		snprintf(event.name, sizeof(event.name), "event%u", i);
		request_add_event(&req, &event);
	}
	for (i = 0; i < row->load.groups; i++)
		request_add_cgroup(&req, cgroups[i].dir);
	/* On a CPU that is never idle, ksampled waits for its turn; it must not lose samples. */
	req.arg.ring_pages = 256;
	if (row->weights)
		req.arg.flags |= HTMM_START_WEIGHT_PERIOD;
	/* A budget of 0: one above it would lower the period again while nothing runs. */
	if (row->budget) {
		req.arg.flags |= HTMM_START_BUDGET;
		req.arg.budget_interval_ms = HTMM_MIN_BUDGET_MS;
		req.events[0].min_period = PERIOD;
		req.events[0].max_period = BUDGET_FACTOR * PERIOD;
	}
	if (row->served)
		req.arg.flags |= HTMM_START_SERVED;
	if (row->sources)
		req.arg.sample_type |= PERF_SAMPLE_DATA_SRC;
	if (device_start(fd, &req))
		fail("%s", req.error);
	return fd;
}

static void settle(int fd)
{
	if (device_settle(fd))
		fail("the rings are not emptied");
}

/*
 * CPU time of ksampled, which has the only CPU when this program has not. The module's own
 * figure is without the time since the last pass began.
 */
static double drain_ns(int fd)
{
	struct htmm_info info;
	char path[64];
	double value;
	FILE *file;

	if (device_info(fd, &info) || !info.drain_pid)
		fail("there is no drain thread");
	snprintf(path, sizeof(path), "/proc/%u/schedstat", info.drain_pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%lf", &value) != 1)
		fail("%s cannot be read", path);
	fclose(file);
	return value;
}

/* The budget has done all it can before the measurement. */
static void check_budget(const struct row *row, int fd)
{
	struct htmm_channel_info channel;

	if (device_channel(fd, 0, 0, &channel))
		fail("%s: no channel", row->name);
	if (channel.period != BUDGET_FACTOR * PERIOD)
		fail("%s: the budget has left the period at %llu", row->name, channel.period);
}

/*
 * The cost of a sample, on average over rounds. ksampled may have its turn only after the workers,
 * and a ring holds the samples of one round. Once a second it looks for freed memory, and a round
 * takes a twentieth of that: the more rounds there are, the less it matters if one has a look.
 */
static struct cost rounds_cost(const struct work *work, const struct row *row, int fd)
{
	unsigned int i, rounds = row->load.warm ? WARM_ROUNDS : 1;
	double drain, drained = 0;
	struct cost sum = {}, cost;

	for (i = 0; i < rounds; i++) {
		cost = round_cost(work, &row->load);
		drain = drain_ns(fd);
		settle(fd);
		drained += drain_ns(fd) - drain;
		sum.n += cost.n;
		sum.ns += cost.ns * cost.n;
		sum.ticks += cost.ticks * cost.n;
	}
	return (struct cost) { sum.n, (sum.ns + drained) / sum.n, sum.ticks / sum.n };
}

static void measure_row(const struct row *row)
{
	double drained, pages, drain_before, drain_after;
	struct htmm_stats before, after;
	struct work work;
	struct cost cost;
	int fd;

	base(&row->load);
	work_begin(&work, &row->load);
	fd = session(row);
	if (row->load.warm)
		work_round(&work, row->load.samples + row->load.samples / 2);
	settle(fd);
	if (row->budget)
		check_budget(row, fd);
	unit_set("profile", ++section);
	before = statistics(fd);
	drain_before = drain_ns(fd);
	cost = rounds_cost(&work, row, fd);
	drain_after = drain_ns(fd);
	after = statistics(fd);
	unit_set("profile", 0);
	device_stop_unseen(fd);
	pages = known_pages(fd);
	close(fd);
	work_end(&work);
	drained = after.total.counted - before.total.counted;
	/* A few are of this program. */
	if (drained < 0.99 * cost.n)
		fail("%s: %.0f of %.0f samples are counted", row->name, drained, cost.n);
	printf("htmm %s %u %.0f %.0f %.3f %.3f %.3f %.3f %.3f\n", row->name, section, drained,
	       pages, cost.ns, cost.ticks,
	       (after.stats[HTMM_STAT_HANDLER_NS] - before.stats[HTMM_STAT_HANDLER_NS]) / cost.n,
	       (drain_after - drain_before) / drained,
	       drained / (after.stats[HTMM_STAT_BATCHES] - before.stats[HTMM_STAT_BATCHES]));
	fflush(stdout);
}

static double children_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

/* Runs in a shell; returns the CPU time in nanoseconds. */
static double shell(const char *command)
{
	double before = children_ns();

	if (system(command))
		fail("%s failed", command);
	return children_ns() - before;
}

static bool recording(const struct work *work)
{
	double n = unit_get("overflows");

	work_round(work, 100);
	return unit_get("overflows") > n;
}

/* Let perf record a round, or only the few samples that show that it records. */
static double record(const char *path, const struct load *load, struct cost *cost)
{
	double n = unit_get("overflows");
	char period[16], config[16];
	struct work work;
	pid_t pid;
	int status;

	work_begin(&work, load);
	snprintf(period, sizeof(period), "%u", PERIOD);
	snprintf(config, sizeof(config), "r%llx:u", events[0].config);
	pid = fork();
	if (!pid) {
		execl(path, "perf", "record", "-q", "-N", "-B", "-a", "-d", "-e", config, "-c",
		      period, "-o", DATA, NULL);
		_exit(127);
	}
	while (!recording(&work))
		if (waitpid(pid, &status, WNOHANG))
			fail("perf ended with status %d", status);
	if (cost) {
		work_round(&work, WARM);
		*cost = round_cost(&work, load);
	}
	kill(pid, SIGINT);
	waitpid(pid, &status, 0);
	work_end(&work);
	return unit_get("overflows") - n;
}

/*
 * What perf takes to record the same, and then to count by page. To begin with a file takes
 * it long; this is taken off.
 */
static void measure_perf(const char *path, const char *name, const struct load *load)
{
	double list, n;
	struct cost cost;
	char script[256];

	base(load);
	snprintf(script, sizeof(script),
		 "%s script -i " DATA " -F pid,addr >" LIST " && awk '" COUNT "' " LIST " >&2",
		 path);
	n = -record(path, load, NULL);
	shell(script);
	list = -shell(script);
	n += record(path, load, &cost);
	list += shell(script);
	printf("perf %s %.3f %.3f %.3f\n", name, cost.ns, cost.ticks, list / n);
	fflush(stdout);
}

static bool wanted(char **names, const char *name)
{
	bool any = *names;

	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return !any;
}

static void all(const char *path, char **names)
{
	static const struct load small = { SMALL }, large = { LARGE };
	unsigned int i;

	if (wanted(names, "unit")) {
		measure_unit("entry", ENTRY, &small);
		measure_unit("driver", PERF, &small);
		measure_unit("core", HANDLER, &small);
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (wanted(names, rows[i].name))
			measure_row(&rows[i]);
	if (wanted(names, "perf-8"))
		measure_perf(path, "perf-8", &small);
	if (wanted(names, "perf-64"))
		measure_perf(path, "perf-64", &large);
}

int main(int argc, char **argv)
{
	char name[16];
	unsigned int i;

	if (argc < 2) {
		fputs("usage: price PERF [ROW...]\n", stderr);
		return 2;
	}
	for (i = 0; i < GROUPS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		if (cgroup_make(&cgroups[i], NULL, name))
			fail("cannot make a cgroup");
	}
	unit_set("price_measure", 1);
	all(argv[1], argv + 2);
	unit_set("price_measure", 0);
	for (i = 0; i < GROUPS; i++)
		cgroup_remove(&cgroups[i]);
	return 0;
}
