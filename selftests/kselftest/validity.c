// SPDX-License-Identifier: GPL-2.0
/* Samples that cannot be counted: each one is dropped, with its own reason. */
#include "check.h"
#include "files.h"

#define PAGES		64
#define PARAMETERS	"/sys/module/pebs_emu/parameters/"

/* The emulated unit's parameter, or -1 if there is none. */
static long parameter_get(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return file_number(path);
}

static const struct fault {
	const char *every;
	const char *injected;
	enum htmm_drop drop;
} faults[] = {
	{ "fault_noaddr", "injected_noaddr", HTMM_DROP_NO_ADDR },
	{ "fault_zero", "injected_zero", HTMM_DROP_NO_ADDR },
	{ "fault_kernel", "injected_kernel", HTMM_DROP_KERNEL_ADDR },
	{ "fault_guest", "injected_guest", HTMM_DROP_FILTERED },
	{ "fault_mode", "injected_mode", HTMM_DROP_KERNEL },
};

#define NR_FAULTS	ARRAY_SIZE(faults)

FIXTURE(fault) {
	int fd;
	struct source source;
	struct request req;
	void *mem;
};

/*
 * The session samples all tasks, as a fault may hit any task's sample. This program makes
 * its accesses on one CPU: on two, both would be left with less than one sample.
 */
FIXTURE_SETUP(fault)
{
	int cpu;

	if (!source_find(&self->source, ACCESS_STORE) || parameter_get("fault_noaddr") < 0)
		SKIP(return, "no emulated PEBS unit, hence no faults to order");
	ASSERT_EQ(1, cpus_allowed(&cpu, 1));
	ASSERT_EQ(0, cpu_pin(cpu));
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
	request_init(&self->req, &self->source.event);
}

FIXTURE_TEARDOWN(fault)
{
	const struct fault *fault;

	for (fault = faults; fault < faults + NR_FAULTS; fault++)
		source_set_parameter(fault->every, "0");
	source_set_parameter("no_exclude_guest", "0");
	source_set_parameter("no_exclude_kernel", "0");
	source_set_parameter("exclude_guest_only", "0");
	close(self->fd);
}

static void sample(struct __test_metadata *_metadata,
		   struct _test_data_fault *self, struct stats *stats)
{
	static struct pages pages;
	size_t i;

	ASSERT_START(self);
	access_pages(&self->source, self->mem, PAGES, 8 * self->source.event.period);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, stats));
	EXPECT_EQ(stats->s.total.overflows, stats->s.total.nmi);
	/* Only accesses by this program, or another one, were counted. */
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(stats->s.total.counted, pages_total(&pages, 0));
	for (i = 0; i < pages.nr; i++) {
		EXPECT_LE(65536, pages.page[i].addr);
		EXPECT_GT(1ULL << 47, pages.page[i].addr);
		EXPECT_NE(0x5eadbeef5000, pages.page[i].addr);
	}
}

TEST_F(fault, none)
{
	struct htmm_counters *total;
	static struct stats stats;

	sample(_metadata, self, &stats);
	total = &stats.s.total;
	EXPECT_LE(PAGES * 8, total->counted);
	EXPECT_EQ(0, total->drops[HTMM_DROP_NO_ADDR]);
	EXPECT_EQ(0, total->drops[HTMM_DROP_KERNEL_ADDR]);
	EXPECT_EQ(0, total->drops[HTMM_DROP_NESTED]);
}

/* As many drops as injected faults, with this reason and no other. */
static void check_fault(struct __test_metadata *_metadata,
			struct _test_data_fault *self, const struct fault *fault)
{
	const struct htmm_counters *total;
	const struct fault *other;
	static struct stats stats;
	long before;

	before = parameter_get(fault->injected);
	ASSERT_LE(0, before);
	ASSERT_EQ(0, source_set_parameter(fault->every, "7"));
	sample(_metadata, self, &stats);
	ASSERT_EQ(0, source_set_parameter(fault->every, "0"));
	total = &stats.s.total;
	EXPECT_LT(PAGES, parameter_get(fault->injected) - before);
	for (other = faults; other < faults + NR_FAULTS; other++) {
		EXPECT_EQ(other->drop == fault->drop ?
			  parameter_get(fault->injected) - before : 0,
			  total->drops[other->drop]) {
			TH_LOG("%s with %s", other->every, fault->every);
		}
	}
	EXPECT_LT(PAGES, total->counted);
}

/* Of a PMU that cannot leave the kernel out, as AMD IBS. */
TEST_F(fault, in_the_kernel)
{
	ASSERT_EQ(0, source_set_parameter("no_exclude_kernel", "1"));
	check_fault(_metadata, self, &faults[4]);
}

/* The address tells it where the instruction does not, as that is not always known to IBS. */
TEST_F(fault, of_the_kernel)
{
	const struct fault fault = { "fault_kernel", "injected_kernel", HTMM_DROP_KERNEL };

	ASSERT_EQ(0, source_set_parameter("no_exclude_kernel", "1"));
	check_fault(_metadata, self, &fault);
}

/* Even if the PMU was told to exclude this. */
TEST_F(fault, in_a_guest)
{
	check_fault(_metadata, self, &faults[3]);
}

TEST_F(fault, in_a_guest_that_cannot_be_left_out)
{
	ASSERT_EQ(0, source_set_parameter("no_exclude_guest", "1"));
	check_fault(_metadata, self, &faults[3]);
}

/* As with a mediated vPMU, which has counters for guests only. */
TEST_F(fault, guests_are_left_out)
{
	static struct stats stats;

	ASSERT_EQ(0, source_set_parameter("exclude_guest_only", "1"));
	sample(_metadata, self, &stats);
	EXPECT_LE(PAGES * 8, stats.s.total.counted);
}

TEST_F(fault, address_not_flagged_valid)
{
	check_fault(_metadata, self, &faults[0]);
}

TEST_F(fault, address_zero)
{
	check_fault(_metadata, self, &faults[1]);
}

TEST_F(fault, kernel_address)
{
	check_fault(_metadata, self, &faults[2]);
}

TEST_F(fault, all_at_once)
{
	long no_addr, kernel;
	static struct stats stats;

	no_addr = parameter_get("injected_noaddr") +
		  parameter_get("injected_zero");
	kernel = parameter_get("injected_kernel");
	ASSERT_EQ(0, source_set_parameter("fault_noaddr", "3"));
	ASSERT_EQ(0, source_set_parameter("fault_zero", "5"));
	ASSERT_EQ(0, source_set_parameter("fault_kernel", "7"));
	sample(_metadata, self, &stats);
	EXPECT_EQ(parameter_get("injected_noaddr") +
		  parameter_get("injected_zero") - no_addr,
		  stats.s.total.drops[HTMM_DROP_NO_ADDR]);
	EXPECT_EQ(parameter_get("injected_kernel") - kernel,
		  stats.s.total.drops[HTMM_DROP_KERNEL_ADDR]);
	EXPECT_LT(PAGES, stats.s.total.counted);
}

FIXTURE(overrun) {
	int fd;
	int cpus[1024];
	struct source source;
	struct request req;
	__u64 bitmap[16];
	void *mem;
};

/*
 * A ring of one page, with ksampled confined to the CPU on which this program has priority:
 * so it cannot empty the ring.
 */
FIXTURE_SETUP(overrun)
{
	source_best(&self->source);
	request_init(&self->req, &self->source.event);
	request_add_target(&self->req, getpid());
	ASSERT_LT(0, cpus_allowed(self->cpus, 1024));
	self->bitmap[self->cpus[0] / 64] = 1ULL << self->cpus[0] % 64;
	self->req.arg.drain_cpus = (uintptr_t)self->bitmap;
	self->req.arg.drain_cpus_size = sizeof(self->bitmap);
	self->req.arg.drain_nice = 19;
	self->req.arg.ring_pages = 1;
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
	ASSERT_EQ(0, cpu_pin(self->cpus[0]));
}

FIXTURE_TEARDOWN(overrun)
{
	source_set_parameter("nest_at", "");
	source_set_parameter("fault_nested", "0");
	close(self->fd);
	check_idle(_metadata);
}

TEST_F(overrun, ring_full)
{
	const size_t samples = 16 * PAGES;
	const struct htmm_counters *total;
	__u64 lost, counted;
	static struct stats stats;
	static struct pages pages;
	int tries;

	/* The kernel lets others run for a twentieth of a second: again, if just before the end. */
	for (tries = 0; tries < 10; tries++) {
		ASSERT_START(self);
		ASSERT_EQ(0, cpu_priority(true));
		access_pages(&self->source, self->mem, PAGES, 16 * self->source.event.period);
		ASSERT_EQ(0, stats_read(self->fd, &stats));
		ASSERT_EQ(0, cpu_priority(false));
		if (stats.s.total.in_flight)
			break;
		ASSERT_EQ(0, device_stop(self->fd));
	}
	total = &stats.s.total;
	lost = total->drops[HTMM_DROP_RING_FULL];
	EXPECT_LE(samples - 2, total->overflows);
	EXPECT_LT(0, total->in_flight);
	EXPECT_LT(samples / 2, lost);
	EXPECT_EQ(total->overflows, total->counted + counters_drops(total) + total->in_flight);

	/* Once empty, it takes samples again, such as those of reading the statistics. */
	ASSERT_EQ(0, device_settle(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	counted = stats.s.total.counted;
	lost = stats.s.total.drops[HTMM_DROP_RING_FULL];
	EXPECT_GE(8, stats.s.total.in_flight);
	EXPECT_LT(20, counted);
	access_pages(&self->source, self->mem, PAGES / 8, self->source.event.period);
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LE(counted + PAGES / 8 - 1, stats.s.total.counted);
	EXPECT_EQ(lost, stats.s.total.drops[HTMM_DROP_RING_FULL]);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(stats.s.total.counted, pages_total(&pages, 0));
}

/*
 * The handler is entered again while it runs: where it wakes ksampled, as it does for each
 * sample that finds the ring full.
 */
TEST_F(overrun, nested_handler)
{
	const struct htmm_counters *total;
	long nested = parameter_get("injected_nested");
	static struct stats stats;
	static struct pages pages;

	if (nested < 0 || !self->source.hardware)
		SKIP(return, "no emulated PEBS unit, hence no faults to order");
	ASSERT_EQ(0, source_set_parameter("fault_nested", "3"));
	ASSERT_EQ(0, source_set_parameter("nest_at", "irq_work_queue"));
	ASSERT_START(self);
	ASSERT_EQ(0, cpu_priority(true));
	access_pages(&self->source, self->mem, PAGES, 16 * self->source.event.period);
	ASSERT_EQ(0, cpu_priority(false));
	ASSERT_EQ(0, device_stop(self->fd));
	nested = parameter_get("injected_nested") - nested;
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	total = &stats.s.total;
	EXPECT_LT(PAGES, nested);
	EXPECT_EQ(nested, total->drops[HTMM_DROP_NESTED]);
	EXPECT_LT(0, total->drops[HTMM_DROP_RING_FULL]);
	EXPECT_LT(0, total->counted);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(total->counted, pages_total(&pages, 0));
}
