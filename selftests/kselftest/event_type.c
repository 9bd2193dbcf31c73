// SPDX-License-Identifier: GPL-2.0
/* Which events a session accepts, and that they follow their CPUs through hotplug. */
#include <linux/perf_event.h>
#include "check.h"
#include "files.h"

#define PMUS		"/sys/bus/event_source/devices/"
#define PROBES		"/sys/kernel/debug/kprobes/list"
#define PAGES		64
/* A function that every kernel has, and that is not called during this test. */
#define FUNCTION	"reboot_pid_ns"

#define L1D_LOADS	(PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
			 PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16)

FIXTURE(event_type) {
	int fd;
	struct source source;
	struct request req;
};

FIXTURE_SETUP(event_type)
{
	source_find(&self->source, ACCESS_FAULT);
	request_init(&self->req, &self->source.event);
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(event_type)
{
	source_set_parameter("generic", "0");
	close(self->fd);
	check_idle(_metadata);
}

/* The type of a PMU, or -1 if there is none of this name. */
static int pmu_type(const char *pmu)
{
	char path[96];

	snprintf(path, sizeof(path), PMUS "%s/type", pmu);
	return file_number(path);
}

/* The start is refused with a message that names the event, and nothing is left. */
static void refuse(struct __test_metadata *_metadata, struct _test_data_event_type *self,
		   __u32 type, __u64 config, __u64 config1)
{
	struct htmm_event *event;

	/* A wrong event after a valid one. */
	request_init(&self->req, &self->source.event);
	request_add_event(&self->req, &self->source.event);
	event = &self->req.events[1];
	*event = (struct htmm_event) {
		.type = type, .config = config, .config1 = config1,
		.period = 1, .name = "other",
	};
	EXPECT_EQ(-ENOENT, device_start(self->fd, &self->req)) {
		TH_LOG("type %u config %#llx: %s", type, config, self->req.error);
	}
	EXPECT_NE(NULL, strstr(self->req.error, "event 1 'other'"));
	EXPECT_NE(NULL, strstr(self->req.error, "are not sampled"));
	check_idle(_metadata);
}

static bool probed(const char *function)
{
	char line[256];
	bool found = false;
	FILE *file = fopen(PROBES, "r");

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, function);
	if (file)
		fclose(file);
	return found;
}

/* Its config1 is a pointer, which a kernel worker would read in another process' memory. */
TEST_F(event_type, kprobe_is_refused)
{
	static const char function[] = FUNCTION;
	int type = pmu_type("kprobe");

	if (type < 0)
		SKIP(return, "this kernel has no PMU for kprobes");
	refuse(_metadata, self, type, 0, (uintptr_t)function);
	EXPECT_FALSE(probed(FUNCTION));
}

TEST_F(event_type, uprobe_is_refused)
{
	static const char path[] = "/proc/self/exe";
	int type = pmu_type("uprobe");

	if (type < 0)
		SKIP(return, "this kernel has no PMU for uprobes");
	refuse(_metadata, self, type, 0, (uintptr_t)path);
}

TEST_F(event_type, tracepoint_is_refused)
{
	refuse(_metadata, self, PERF_TYPE_TRACEPOINT, 1, 0);
}

TEST_F(event_type, breakpoint_is_refused)
{
	refuse(_metadata, self, PERF_TYPE_BREAKPOINT, 0, (uintptr_t)&self->req);
}

/* A PMU, but not of memory accesses by CPUs. */
TEST_F(event_type, other_pmu_is_refused)
{
	int type = pmu_type("msr");

	if (type < 0)
		SKIP(return, "this machine has no such PMU");
	ASSERT_LE(PERF_TYPE_MAX, type);
	refuse(_metadata, self, type, 0, 0);
	/* The same type as the PMU of a hardware event. */
	refuse(_metadata, self, PERF_TYPE_HARDWARE, (__u64)type << 32, 0);
	refuse(_metadata, self, PERF_TYPE_HW_CACHE, (__u64)type << 32, 0);
}

TEST_F(event_type, software_event_without_an_address_is_refused)
{
	static const __u64 configs[] = {
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
		PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
		PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_BPF_OUTPUT, PERF_COUNT_SW_CGROUP_SWITCHES,
		PERF_COUNT_SW_MAX, ~0ULL,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(configs); i++)
		refuse(_metadata, self, PERF_TYPE_SOFTWARE, configs[i], 0);
}

/* Every accepted kind of event, on a CPU that goes offline and comes back. */

FIXTURE(kind) {
	int fd;
	struct source fault;
	struct request req;
	void *mem;
	int cpus[64];
	int nr_cpus;
	int going;
};

FIXTURE_SETUP(kind)
{
	self->nr_cpus = cpus_allowed(self->cpus, ARRAY_SIZE(self->cpus));
	if (self->nr_cpus < 2)
		SKIP(return, "needs two CPUs");
	self->going = self->cpus[self->nr_cpus - 1];
	if (!cpu_is_removable(self->going))
		SKIP(return, "no CPU can be taken offline here");
	source_find(&self->fault, ACCESS_FAULT);
	ASSERT_NE(NULL, self->mem = access_map(PAGES));
	ASSERT_LE(0, self->fd = device_open());
}

FIXTURE_TEARDOWN(kind)
{
	cpu_set_online(self->going, true);
	source_set_parameter("generic", "0");
	close(self->fd);
	check_idle(_metadata);
}

FIXTURE_VARIANT(kind) {
	__u32 type;
	/* Its PMU: the event's type, or in the config of a hardware event. */
	const char *pmu;
	__u64 config;
	/* This program certainly makes it overflow. */
	bool certain;
};

FIXTURE_VARIANT_ADD(kind, raw) {
	.type = PERF_TYPE_RAW, .config = 0x81d0, .certain = true,
};

FIXTURE_VARIANT_ADD(kind, hardware) {
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CACHE_MISSES,
};

FIXTURE_VARIANT_ADD(kind, cache) {
	.type = PERF_TYPE_HW_CACHE, .config = L1D_LOADS, .certain = true,
};

FIXTURE_VARIANT_ADD(kind, cache_of_a_named_pmu) {
	.type = PERF_TYPE_HW_CACHE, .pmu = "cpu_emu", .config = L1D_LOADS, .certain = true,
};

FIXTURE_VARIANT_ADD(kind, named_pmu) {
	.type = PERF_TYPE_MAX, .pmu = "cpu_emu", .config = 0x81d0, .certain = true,
};

FIXTURE_VARIANT_ADD(kind, page_fault) {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .certain = true,
};

FIXTURE_VARIANT_ADD(kind, minor_fault) {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .certain = true,
};

FIXTURE_VARIANT_ADD(kind, major_fault) {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
};

FIXTURE_VARIANT_ADD(kind, alignment_fault) {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_ALIGNMENT_FAULTS,
};

FIXTURE_VARIANT_ADD(kind, emulation_fault) {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_EMULATION_FAULTS,
};

TEST_F(kind, follows_its_cpu)
{
	struct htmm_event event = {
		.type = variant->type, .config = variant->config,
		.precise_ip = variant->type == PERF_TYPE_SOFTWARE ? 0 : 2,
		.period = 61, .name = "kind",
	};
	struct htmm_channel_info before, after;
	struct source load = { .kind = ACCESS_LOAD };
	static struct stats stats;
	int i;

	if (variant->type != PERF_TYPE_SOFTWARE && source_set_parameter("generic", "1"))
		SKIP(return, "only the emulated unit has an event of each kind");
	if (variant->pmu) {
		int type = pmu_type(variant->pmu);

		ASSERT_LE(PERF_TYPE_MAX, type);
		if (variant->type == PERF_TYPE_MAX)
			event.type = type;
		else
			event.config |= (__u64)type << 32;
	}
	request_init(&self->req, &event);
	ASSERT_START(self);
	for (i = 0; i < 3; i++) {
		ASSERT_SOON(device_active(self->fd, self->going, 0));
		ASSERT_EQ(0, device_channel(self->fd, self->going, 0, &before));
		ASSERT_EQ(0, cpu_pin(self->going));
		access_pages(&self->fault, self->mem, PAGES, 4);
		access_pages(&load, self->mem, PAGES, 100);
		ASSERT_EQ(0, cpu_pin(self->cpus[0]));
		ASSERT_EQ(0, device_channel(self->fd, self->going, 0, &after));
		if (variant->certain) {
			EXPECT_LT(before.counters.overflows, after.counters.overflows);
			EXPECT_LT(before.count, after.count);
		}
		ASSERT_EQ(0, cpu_set_online(self->going, false));
		ASSERT_SOON(!device_active(self->fd, self->going, 0));
		ASSERT_EQ(0, cpu_set_online(self->going, true));
	}
	ASSERT_SOON(device_active(self->fd, self->going, 0));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, stats.s.stats[HTMM_STAT_CPUS_FAILED]);
}
