// SPDX-License-Identifier: GPL-2.0
/* The event parser, against a sysfs made for it. */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "fake_pfm.h"
#include "test.h"

static char sysfs[64];

static bool put_below(const char *dir, const char *path, const char *text)
{
	char name[256], *slash = name;
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s/%s", sysfs, dir, path);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(name, 0700);
		*slash = '/';
	}
	file = fopen(name, "w");
	if (!file)
		return false;
	fprintf(file, "%s\n", text);
	return !fclose(file);
}

static bool put(const char *path, const char *text)
{
	return put_below("bus/event_source/devices", path, text);
}

static bool take(const char *path)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/bus/event_source/devices/%s", sysfs, path);
	return !unlink(name);
}

static bool make_sysfs(void)
{
	snprintf(sysfs, sizeof(sysfs), "/tmp/htmm-sysfs-XXXXXX");
	return mkdtemp(sysfs) && put("cpu/type", "4") &&
	       put("cpu/format/event", "config:0-7") &&
	       put("cpu/format/umask", "config:8-15") &&
	       put("cpu/format/inv", "config:23") &&
	       put("cpu/format/ldlat", "config1:0-15") &&
	       put("cpu/format/split", "config:0-3,32-35") &&
	       put("cpu/format/whole", "config2") &&
	       put("cpu/format/odd", "config9:0-7") &&
	       put("cpu/format/junk", "config:x") &&
	       put("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3") &&
	       put("cpu/events/loop", "loop") &&
	       put("cpu_atom/type", "10") && put("cpu_atom/format/event", "config:0-7");
}

static void remove_sysfs(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", sysfs);
	if (system(command))
		printf("# %s is left behind\n", sysfs);
}

static struct htmm_event_list list;
static struct htmm_error err;

static int parse(const char *text)
{
	memset(&list, 0, sizeof(list));
	memset(&err, 0, sizeof(err));
	return htmm_events_parse(&list, text, sysfs, &err);
}

/* One event of this text: type, config, precision and period. */
static bool is(const char *text, u32 type, u64 config, u32 precise, u64 period)
{
	const struct htmm_event *event = &list.event[0];
	bool ok = !parse(text) && list.nr == 1 && event->type == type && event->config == config &&
		  event->precise_ip == precise && event->period == period;

	if (!ok)
		printf("# %s: nr %u type %u config %#llx precise %u period %llu; %s\n", text,
		       list.nr, event->type, event->config, event->precise_ip, event->period,
		       err.what);
	return ok;
}

static void test_presets(void)
{
	CHECK(is("dram-load", PERF_TYPE_RAW, 0x1d3, 2, 0));
	CHECK(is("remote-load", PERF_TYPE_RAW, 0x2d3, 2, 0));
	CHECK(is("pmm-load", PERF_TYPE_RAW, 0x80d1, 2, 0));
	CHECK(is("llc-miss", PERF_TYPE_RAW, 0x20d1, 2, 0));
	CHECK(is("load", PERF_TYPE_RAW, 0x81d0, 2, 0));
	CHECK(is("store", PERF_TYPE_RAW, 0x82d0, 2, 0));
	CHECK(is("store-miss", PERF_TYPE_RAW, 0x12d0, 2, 0));
	CHECK(is("load-latency", PERF_TYPE_RAW, 0x1cd, 2, 0));
	CHECK(list.event[0].config1 == 128);
	/* With a term of the cores' PMU, but not another event's name. */
	CHECK(is("load-latency/ldlat=64/", PERF_TYPE_RAW, 0x1cd, 2, 0));
	CHECK(list.event[0].config1 == 64);
	CHECK(refused(parse("load-latency/mem-loads/"), ENOENT, &err, "no term 'mem-loads'"));
	CHECK(is("page-fault", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0));
	CHECK(is("store:p", PERF_TYPE_RAW, 0x82d0, 1, 0));
	CHECK(is("store/period=7/ppp", PERF_TYPE_RAW, 0x82d0, 3, 7));
	CHECK(!strcmp(list.event[0].name, "store"));
}

static void test_raw(void)
{
	CHECK(is("r1d3", PERF_TYPE_RAW, 0x1d3, 2, 0));
	CHECK(is("r82D0:pp", PERF_TYPE_RAW, 0x82d0, 2, 0));
	CHECK(is("rffffffffffffffff:u", PERF_TYPE_RAW, ~0ULL, 2, 0));
	CHECK(is("r1cd/config1=30,period=0x10/p", PERF_TYPE_RAW, 0x1cd, 1, 16));
	CHECK(list.event[0].config1 == 30);
	CHECK(is("r1d3/precise=0/", PERF_TYPE_RAW, 0x1d3, 0, 0));
	CHECK(is("r1d3/config1=0x11,config2=0x13,period=17,min-period=7,max-period=19/",
		 PERF_TYPE_RAW, 0x1d3, 2, 17));
	CHECK(list.event[0].config1 == 0x11 && list.event[0].config2 == 0x13);
	CHECK(list.event[0].min_period == 7 && list.event[0].max_period == 19);
	CHECK(refused(parse("r1d3:h"), EINVAL, &err, "user space only"));
}

static void test_pmu(void)
{
	CHECK(is("cpu/event=0xd0,umask=0x82/", 4, 0x82d0, 2, 0));
	CHECK(is("cpu/event=0xd0,umask=0x82/pp", 4, 0x82d0, 2, 0));
	CHECK(is("cpu/event=0xd0,umask=130,period=99/:p", 4, 0x82d0, 1, 99));
	CHECK(is("cpu/event=1,inv/", 4, 0x800001, 2, 0));
	CHECK(is("cpu/split=0xab/", 4, 0xa0000000bULL, 2, 0));
	CHECK(is("cpu/event=1,event=2/", 4, 2, 2, 0));
	CHECK(is("cpu_atom/event=0xd0/", 10, 0xd0, 2, 0));
	CHECK(is("cpu/whole=0xffffffffffffffff,config=0x10/", 4, 0x10, 2, 0));
	CHECK(list.event[0].config2 == ~0ULL);
	CHECK(is("cpu/mem-loads,ldlat=30,name=slow/", 4, 0x1cd, 2, 0));
	CHECK(list.event[0].config1 == 30 && !strcmp(list.event[0].name, "slow"));
}

static void test_names(void)
{
	CHECK(!parse("cpu/event=0xd0,umask=0x82,inv=0,config1=0/"));
	CHECK(strlen(list.event[0].name) == HTMM_EVENT_NAME_LEN - 1);
	CHECK(!strncmp(list.event[0].name, "cpu/event=0xd0", 14));
	CHECK(!parse("r1d3:pp"));
	CHECK(!strcmp(list.event[0].name, "r1d3"));
	CHECK(!parse("r1/name=1234567890123456789012345678901/"));
	CHECK(strlen(list.event[0].name) == 31);
	CHECK(refused(parse("r1/name=12345678901234567890123456789012/"), EINVAL, &err,
		      "too long"));
}

static void test_catalog(void)
{
	/* Of Cascade Lake, as main() has it. */
	CHECK(!strcmp(htmm_catalog_cpu(), "Intel CascadeLake X"));
	CHECK(is("MEM_LOAD_RETIRED:L3_MISS", PERF_TYPE_RAW, 0x20d1, 2, 0));
	CHECK(!strcmp(list.event[0].name, "MEM_LOAD_RETIRED:L3_MISS"));
	CHECK(is("mem_load_retired.l3_miss", PERF_TYPE_RAW, 0x20d1, 2, 0));
	CHECK(is("MEM_LOAD_RETIRED:L3_MISS:u", PERF_TYPE_RAW, 0x20d1, 2, 0));
	CHECK(is("MEM_LOAD_RETIRED:L3_MISS:ppp", PERF_TYPE_RAW, 0x20d1, 3, 0));
	CHECK(is("MEM_LOAD_RETIRED:L3_MISS/period=7/p", PERF_TYPE_RAW, 0x20d1, 1, 7));
	CHECK(is("MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30:u", PERF_TYPE_RAW, 0x1cd, 2, 0));
	CHECK(list.event[0].config1 == 30);
	CHECK(!parse("dram-load,MEM_INST_RETIRED:ALL_STORES:pp,r1") && list.nr == 3);
	CHECK(refused(parse("MEM_LOAD_RETIRED:L3_MISS:k"), EINVAL, &err, "user space only"));
	/* libpfm4's own way to say it. */
	CHECK(is("MEM_LOAD_RETIRED:L3_MISS:period=77", PERF_TYPE_RAW, 0x20d1, 2, 77));
	CHECK(refused(parse("MEM_LOAD_RETIRED:L3_MISS:freq=99"), EINVAL, &err, "by period"));
	CHECK(refused(parse("MEM_LOAD_RETIRED:L3_MISS:u=0:k=1"), EINVAL, &err,
		      "user space only"));
	CHECK(refused(parse("MEM_LOAD_RETIRED:L3_MIS"), ENOENT, &err, "no event"));
	CHECK(!strcmp(err.todo, "did you mean 'MEM_LOAD_RETIRED:L3_MISS'?"));
	CHECK(refused(parse("MEM_INST_RETIRD.ALL_LOADS"), ENOENT, &err, "no event"));
	CHECK(!strcmp(err.todo, "did you mean 'MEM_INST_RETIRED:ALL_LOADS'?"));
	CHECK(refused(parse("MEM_LOAD_RETIREDD"), ENOENT, &err, "no event"));
	CHECK(!strcmp(err.todo, "did you mean 'MEM_LOAD_RETIRED'?"));
}

/*
 * Does the preset mean this on a CPU of this model, or nothing if @type is negative? Those of
 * all models are in test_presets.
 */
static bool means(const char *model, const char *preset, int type, u64 config)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		setenv("HTMM_CPUID", model, 1);
		status = parse(preset);
		if (type < 0)
			_exit(refused(status, ENOENT, &err, preset) && *err.todo ? 0 : 1);
		_exit(status || list.event[0].type != (u32)type ||
		      list.event[0].config != config || strcmp(list.event[0].name, preset));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The period that an event gets on a CPU of this model, and with the sysfs made for it. */
static bool period_is(const char *model, const char *text, u64 period)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		setenv("HTMM_CPUID", model, 1);
		status = parse(text);
		htmm_events_set_periods(&list, sysfs, 0);
		_exit(status || list.event[0].period != period);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

#define SKYLAKE		"GenuineIntel-6-5E-3"
#define SKYLAKE_SERVER	"GenuineIntel-6-55-4"
#define CASCADE_LAKE	"GenuineIntel-6-55-7"
#define SAPPHIRE_RAPIDS	"GenuineIntel-6-8F-4"
#define GRANITE_RAPIDS	"GenuineIntel-6-AD-1"
#define SIERRA_FOREST	"GenuineIntel-6-AF-3"
#define UNKNOWN		"GenuineIntel-19-1-0"
#define ZEN_1		"AuthenticAMD-23-1-2"
#define ZEN_4		"AuthenticAMD-25-11-1"

static void test_models(void)
{
	CHECK(means(SKYLAKE, "dram-load", -1, 0));
	CHECK(means(SKYLAKE, "llc-miss", PERF_TYPE_RAW, 0x20d1));
	CHECK(means(SKYLAKE_SERVER, "remote-load", PERF_TYPE_RAW, 0x2d3));
	/* They differ in their stepping only. */
	CHECK(means(SKYLAKE_SERVER, "pmm-load", -1, 0));
	CHECK(means(CASCADE_LAKE, "pmm-load", PERF_TYPE_RAW, 0x80d1));
	CHECK(means(SAPPHIRE_RAPIDS, "llc-miss", PERF_TYPE_RAW, 0x20d1));
	CHECK(means(SAPPHIRE_RAPIDS, "load-latency", -1, 0));
	CHECK(means(GRANITE_RAPIDS, "cxl-load", PERF_TYPE_RAW, 0x80d1));
	CHECK(means(GRANITE_RAPIDS, "load-latency", PERF_TYPE_RAW, 0x1cd));
	CHECK(means(SIERRA_FOREST, "llc-miss", -1, 0));
	CHECK(means(SIERRA_FOREST, "load-latency", PERF_TYPE_RAW, 0x5d0));
	/* IBS is not there yet. */
	CHECK(means(ZEN_4, "llc-miss", -1, 0));
	CHECK(means("AuthenticAMD-15-1-0", "store", -1, 0));
	/* Neither a CPU nor a number. */
	CHECK(means("GenuineIntel", "store", -1, 0));
	CHECK(means("GenuineIntel-6-x", "store", -1, 0));
	CHECK(means("CentaurHauls-6-5E-3", "store", -1, 0));
}

/* What libpfm4 finds beside the PMU of the model. With LIBPFM_FORCE_PMU it finds only that one. */
static const pfm_pmu_info_t *beside;

static const pfm_pmu_info_t architectural = {
	.desc = "Intel X86 architectural PMU", .pmu = PFM_PMU_INTEL_X86_ARCH,
	.type = PFM_PMU_TYPE_CORE, .first_event = -1, .is_present = 1, .is_dfl = 1,
};

static const pfm_pmu_info_t deprecated = {
	.desc = "Intel Core (deprecated - use another instead)", .pmu = PFM_PMU_INTEL_CORE,
	.type = PFM_PMU_TYPE_CORE, .first_event = -1, .is_present = 1,
};

pfm_err_t __wrap_pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	if (!beside || pmu != beside->pmu)
		return __real_pfm_get_pmu_info(pmu, info);
	*info = *beside;
	return PFM_SUCCESS;
}

/* The model of a CPU of which libpfm4 finds this PMU, and another one. */
static bool cpu_is(const char *model, const pfm_pmu_info_t *other, const char *cpu)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		setenv("LIBPFM_FORCE_PMU", model, 1);
		beside = other;
		_exit(strcmp(htmm_catalog_cpu(), cpu) != 0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void test_two_pmus(void)
{
	CHECK(cpu_is("skx", NULL, "Intel Skylake X"));
	CHECK(cpu_is("skx", &architectural, "Intel Skylake X"));
	CHECK(cpu_is("skx", &deprecated, "Intel Skylake X"));
	CHECK(cpu_is("ix86arch", NULL, CASCADE_LAKE));
}

/* Events are those of the model, whatever else is found. */
static void test_beside(void)
{
	beside = &architectural;
	CHECK(is("dram-load", PERF_TYPE_RAW, 0x1d3, 2, 0));
	CHECK(refused(parse("MEM_LOAD_RETIRED:L3_MIS"), ENOENT, &err, "no event"));
	CHECK(!strcmp(err.todo, "did you mean 'MEM_LOAD_RETIRED:L3_MISS'?"));
	CHECK(refused(parse("MEM_TRANS_RETIRED:PRECISE_STORE"), ENOENT, &err, "no event"));
	beside = NULL;
}

/* On a CPU that nobody knows, is the event refused with these words? */
static bool unknown_here(const char *text, const char *what, const char *todo)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		setenv("LIBPFM_FORCE_PMU", "ix86arch", 1);
		setenv("HTMM_CPUID", UNKNOWN, 1);
		_exit(!refused(parse(text), ENOENT, &err, what) || !strstr(err.todo, todo));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void test_unknown_cpu(void)
{
	static const char why[] = "the events of this CPU (" UNKNOWN ") are not known here";

	CHECK(unknown_here("llc-miss", why, "install a newer htmm or libpfm4"));
	CHECK(unknown_here("store", why, "load-latency, which the kernel knows"));
	CHECK(unknown_here("MEM_LOAD_RETIRED:L3_MISS", why, "as rNNNN"));
	CHECK(means(UNKNOWN, "page-fault", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS));
	/* What is advised can be given: it is the kernel's event, with another threshold. */
	CHECK(means(UNKNOWN, "load-latency", 4, 0x1cd));
	/* The kernel may say that it needs another event. */
	CHECK(put("cpu/events/mem-loads-aux", "event=0x3,umask=0x82"));
	CHECK(unknown_here("load-latency", why, "as rNNNN"));
	CHECK(take("cpu/events/mem-loads-aux"));
}

static bool served(const char *text)
{
	return !parse(text) && htmm_event_served(&list.event[0], sysfs);
}

static void test_served(void)
{
	CHECK(served("load-latency") && served("r1cd/min-level=memory/"));
	CHECK(!served("llc-miss/min-level=memory/") && !served("r20d1"));
	/* Not presets: of the cores, and of another PMU. */
	CHECK(!served("r10d1") && !served("cpu/event=0x10/"));
	CHECK(!served("page-fault"));
	CHECK(put("software/type", "1") && !served("software/config=7/") && take("software/type"));
	CHECK(put("ibs_op/type", "11") && put("ibs_op/format/cnt_ctl", "config:19"));
	CHECK(served("ibs_op/cnt_ctl=1/") && served("ibs_op/config=1/") && served("r76"));
	CHECK(take("ibs_op/type") && take("ibs_op/format/cnt_ctl"));
}

static void test_ibs(void)
{
	CHECK(put("ibs_op/type", "11") && put("ibs_op/format/cnt_ctl", "config:19"));
	CHECK(means(ZEN_1, "access", 11, 1 << 19));
	CHECK(means("HygonGenuine-24-0-1", "access", 11, 1 << 19));
	CHECK(means(ZEN_1, "llc-miss", 11, 1 << 19));
	setenv("HTMM_CPUID", ZEN_1, 1);
	CHECK(!parse("llc-miss") && list.event[0].min_level == HTMM_SOURCE_LOCAL);
	CHECK(!parse("access/min-level=slow/") && list.event[0].min_level == HTMM_SOURCE_SLOW);
	CHECK(!parse("llc-miss/min-level=any/") && !list.event[0].min_level);
	/* The module drops most, so those that are left have to be more. */
	CHECK(period_is(ZEN_1, "llc-miss", 16 * 10007));
	CHECK(period_is(ZEN_1, "access", 16 * 100003));
	CHECK(period_is(ZEN_1, "access/min-level=remote/", 16 * 10007));
	CHECK(parse("access/min-level=l3/") == -EINVAL);
	CHECK(strstr(err.todo, "memory, remote or slow"));
	setenv("HTMM_CPUID", CASCADE_LAKE, 1);
	CHECK(means(ZEN_1, "store", -1, 0));
	CHECK(means(ZEN_1, "page-fault", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS));
	CHECK(put("ibs_op/format/l3missonly", "config:16"));
	CHECK(means(ZEN_4, "llc-miss", 11, 1 << 19 | 1 << 16));
	/* It does not tell one node's memory from another's. */
	CHECK(means(ZEN_4, "dram-load", -1, 0));
	CHECK(means(ZEN_4, "load-latency", -1, 0));
	/* The period is that of the preset which is the same event there. */
	CHECK(period_is(ZEN_4, "ibs_op/cnt_ctl=1/", 16 * 100003));
	CHECK(period_is(ZEN_4, "ibs_op/cnt_ctl=1,l3missonly=1/", 16 * 1009));
	CHECK(put("ibs_op/format/ldlat", "config1:0-11"));
	CHECK(means(ZEN_4, "load-latency", 11, 1 << 19));
	/* An Intel CPU keeps its own. */
	CHECK(is("dram-load", PERF_TYPE_RAW, 0x1d3, 2, 0));
	CHECK(is("ibs_op/cnt_ctl=1/", 11, 1 << 19, 0, 0));
	CHECK(is("ibs_op//", 11, 0, 0, 0));
	/* IBS takes no other periods. */
	htmm_events_set_periods(&list, sysfs, 0);
	CHECK(list.event[0].period && list.event[0].period % 16 == 0);
}

/* Presets that are one event are sampled once, unless their terms differ. */
static void test_same_event(void)
{
	setenv("HTMM_CPUID", "GenuineIntel-6-86-1", 1);
	CHECK(!parse("dram-load,store,llc-miss,store") && list.nr == 2);
	CHECK(!strcmp(list.event[0].name, "dram-load") && list.event[0].config == 0x80d1);
	CHECK(!parse("dram-load,llc-miss/period=7/") && list.nr == 2);
	CHECK(!parse("r80d1,llc-miss,r80d1") && list.nr == 2);
	setenv("HTMM_CPUID", CASCADE_LAKE, 1);
	CHECK(!parse("dram-load,llc-miss") && list.nr == 2);
}

/* What is said on a hybrid CPU of sampling these events on these CPUs; empty: they fit. */
static const char *fit(const char *text, const char *cpus)
{
	struct htmm_cpus set = {};

	CHECK(!parse(text) && (!cpus || !htmm_cpus_parse(&set, cpus, &err)));
	memset(&err, 0, sizeof(err));
	return htmm_events_fit_cpus(&list, &set, sysfs, &err) == -EINVAL ? err.what : "";
}

static void test_hybrid(void)
{
	CHECK(!*fit("llc-miss", NULL));
	setenv("HTMM_CPUID", "GenuineIntel-6-97-2", 1);
	CHECK(put("cpu_core/type", "4") && put("cpu_core/cpus", "0-3"));
	CHECK(put("cpu_atom/cpus", "4-7") && put_below("devices/system/cpu", "online", "0-7"));
	CHECK(!strcmp(htmm_core_pmu(0, sysfs), "cpu_core"));
	CHECK(!strcmp(htmm_core_pmu(1, sysfs), "cpu_atom") && !htmm_core_pmu(2, sysfs));
	CHECK(is("cpu_core/llc-miss/", PERF_TYPE_RAW, 0x20d1, 2, 0));
	CHECK(is("cpu_atom/llc-miss,period=7/p", 10, 0x20d2, 1, 7));
	CHECK(is("cpu_atom/period=7,load-latency/", 10, 0x5d0, 2, 7));
	CHECK(list.event[0].config1 == 128);
	CHECK(!strcmp(list.event[0].name, "cpu_atom/load-latency/"));
	CHECK(!parse("cpu_atom/llc-miss/") && list.nr == 1 && !list.parts);
	htmm_events_set_periods(&list, sysfs, 0);
	CHECK(list.event[0].period == 1009);
}

/* A preset is an event of each kind of cores, */
static void test_hybrid_preset(void)
{
	CHECK(!parse("page-fault,llc-miss/period=7/p") && list.nr == 3 && list.parts == 6);
	CHECK(list.event[1].type == PERF_TYPE_RAW && list.event[1].config == 0x20d1);
	CHECK(list.event[2].type == 10 && list.event[2].config == 0x20d2);
	CHECK(list.event[1].period == 7 && list.event[2].period == 7);
	CHECK(list.event[1].precise_ip == 1 && list.event[2].precise_ip == 1);
	CHECK(!strcmp(list.event[1].name, "llc-miss"));
	CHECK(!strcmp(list.event[2].name, "cpu_atom/llc-miss/"));
	CHECK(!parse("llc-miss,llc-miss") && list.nr == 2);
	/* if they have one; */
	setenv("HTMM_CPUID", "GenuineIntel-6-AA-4", 1);
	CHECK(!parse("llc-miss") && list.nr == 1 && list.parts == 1);
	CHECK(parse("pmm-load") == -ENOENT && strstr(err.what, "no event for 'pmm-load'"));
	CHECK(parse("load/ldlat=x/") == -EINVAL);
	CHECK(parse("load,load/period=1/,load/period=2/,load/period=3/,load/period=4/") == -E2BIG);
	CHECK(strstr(err.what, "more than 8 events"));
	setenv("HTMM_CPUID", "GenuineIntel-6-97-2", 1);
}

/* and is sampled on the cores that a session has. */
static void test_hybrid_cpus(void)
{
	CHECK(!*fit("llc-miss", NULL) && list.nr == 2);
	CHECK(!*fit("llc-miss", "3-4") && list.nr == 2);
	CHECK(!*fit("llc-miss,store", "0,2") && list.nr == 2 && list.parts == 3);
	CHECK(list.event[0].config == 0x20d1 && list.event[1].config == 0x82d0);
	CHECK(!*fit("page-fault,llc-miss", "7") && list.nr == 2 && list.parts == 2);
	CHECK(list.event[1].config == 0x20d2);
	CHECK(!*fit("cpu_atom/llc-miss/", "5-7"));
	CHECK(!*fit("page-fault", NULL));
	CHECK(!*fit("page-fault,cpu_atom/load/", "3-4"));
	CHECK(strstr(fit("cpu_atom/load/", "0-3"),
		     "'cpu_atom/load/' can be sampled on the CPUs 4-7"));
	CHECK(strstr(fit("cpu_atom/load/", NULL), "be sampled on the CPUs 0-3 of cpu_core"));
	CHECK(strstr(err.todo, "-e cpu_core/load-latency/"));
	CHECK(put_below("devices/system/cpu", "online", "0-3"));
	CHECK(!*fit("llc-miss", NULL) && list.nr == 1);
	CHECK(take("cpu_core/type"));
	setenv("HTMM_CPUID", CASCADE_LAKE, 1);
}

/* Of these events and this machine, what is said of loads that nobody samples. */
static const char *unseen(const char *text, const char *memory, const char *cpus)
{
	CHECK(put_below("devices/system/node", "has_memory", memory));
	CHECK(put_below("devices/system/node", "has_cpu", cpus));
	CHECK(!parse(text));
	memset(&err, 0, sizeof(err));
	return htmm_events_unseen(&list, sysfs, &err) ? err.what : "";
}

static void test_unseen(void)
{
	const char *local = "dram-load,store";

	CHECK(!*unseen(local, "0", "0"));
	CHECK(strstr(unseen(local, "0,5", "0"), "node 5, which has no CPUs"));
	CHECK(strstr(unseen(local, "0-1,3", "0-1"), "node 3, which has no CPUs"));
	CHECK(strstr(unseen(local, "0-1", "0-1"), "another node's memory"));
	CHECK(strstr(unseen("store", "0-1", "0"), "node 1, which has no CPUs"));
	CHECK(strstr(unseen("r1d3", "0-1", "0"), "node 1, which has no CPUs"));
	/* Nodes of CPUs alone, and memory that one node has. */
	CHECK(!*unseen(local, "1", "0-1"));
	CHECK(!*unseen("remote-load,store", "0-1", "0-1"));
	CHECK(!*unseen("pmm-load", "0,2", "0"));
	CHECK(strstr(unseen("pmm-load", "0-1", "0-1"), "another node's memory"));
	/* What sees everything, and what may. */
	CHECK(!*unseen(HTMM_DEFAULT_EVENTS, "0-3", "0-1"));
	CHECK(!*unseen("access", "0-3", "0-1"));
	CHECK(!*unseen("r1234", "0-3", "0-1"));
	/* A device that programs map, and that is no node; one without a device is none. */
	CHECK(put_below("bus/dax/drivers/device_dax", "bind", ""));
	CHECK(put_below("bus/dax/drivers/kmem", "dax0.7", ""));
	CHECK(!*unseen(local, "0", "0"));
	CHECK(put_below("bus/dax/drivers/device_dax", "dax3.5", ""));
	CHECK(strstr(unseen(local, "0", "0"), "device dax3.5"));
	CHECK(!*unseen("pmm-load", "0", "0"));
	CHECK(!*unseen(HTMM_DEFAULT_EVENTS, "0", "0"));
}

static int count(const struct htmm_catalog_event *event, void *data)
{
	int *counts = data;

	counts[0]++;
	counts[1] += event->precise;
	counts[2] += !strcmp(event->name, "MEM_LOAD_RETIRED:L3_MISS") && event->precise;
	counts[3] += !strcmp(event->name, "MEM_UOPS_RETIRED:ANY") && event->alias;
	return counts[0] == counts[4];
}

static void test_walk(void)
{
	int counts[5] = {};

	CHECK(!htmm_catalog_walk(count, counts));
	CHECK(counts[0] > 100 && counts[1] > 20 && counts[1] < counts[0]);
	CHECK(counts[2] == 1 && counts[3] == 1);
	counts[0] = 0;
	counts[4] = 7;
	CHECK(htmm_catalog_walk(count, counts) == 1 && counts[0] == 7);
}

static void test_lists(void)
{
	CHECK(!parse("dram-load,cpu/event=0xd0,umask=0x82/pp,r1"));
	CHECK(list.nr == 3 && list.event[1].config == 0x82d0 && list.event[2].config == 1);
	CHECK(!htmm_events_parse(&list, "load", sysfs, &err));
	CHECK(list.nr == 4 && list.event[3].config == 0x81d0);
	CHECK(!parse("r1,r2,r3,r4,r5,r6,r7,r8"));
	CHECK(refused(parse("r1,r2,r3,r4,r5,r6,r7,r8,r9"), E2BIG, &err, "more than 8"));
}

static void test_periods(void)
{
	CHECK(!parse("dram-load,r82d0,page-fault,r99,load/period=5/"));
	htmm_events_set_periods(&list, sysfs, 0);
	CHECK(list.event[0].period == 1009);
	CHECK(list.event[1].period == 100003);
	CHECK(list.event[2].period == 1);
	CHECK(list.event[3].period == 10007);
	CHECK(list.event[4].period == 5);
	CHECK(!parse("dram-load,load/period=5/"));
	htmm_events_set_periods(&list, sysfs, 77);
	CHECK(list.event[0].period == 77 && list.event[1].period == 5);
}

static void test_unknown(void)
{
	CHECK(refused(parse("drm-load"), ENOENT, &err, "no event 'drm-load'"));
	/* The event is named, but not twice. */
	CHECK(!strcmp(err.what, "there is no event 'drm-load'"));
	CHECK(refused(parse("r1,drm-load:p"), ENOENT, &err, "event 'drm-load:p': there is no"));
	CHECK(!strcmp(err.todo, "did you mean 'dram-load'?"));
	CHECK(refused(parse("elephants"), ENOENT, &err, "no event 'elephants'"));
	CHECK(strstr(err.todo, "htmmctl list"));
	CHECK(refused(parse("r"), ENOENT, &err, "no event"));
	CHECK(refused(parse("r12345678901234567"), ENOENT, &err, "no event"));
	CHECK(refused(parse("cpu"), ENOENT, &err, "no event"));
	CHECK(refused(parse("gpu/event=1/"), ENOENT, &err, "no PMU 'gpu'"));
	CHECK(strstr(err.todo, "cpu, cpu_atom, ibs_op"));
	CHECK(refused(parse("../event=1/"), ENOENT, &err, "no event '..'"));
	CHECK(refused(parse("cpu/events=1/"), ENOENT, &err, "no term 'events'"));
	CHECK(strstr(err.todo, "umask"));
	CHECK(refused(parse("cpu/../"), ENOENT, &err, "no term '..'"));
	CHECK(refused(parse("r1/ldlat=3/"), ENOENT, &err, "no term 'ldlat'"));
	CHECK(refused(parse("cpu/loop/"), ENOENT, &err, "no term 'loop'"));
}

static void test_values(void)
{
	CHECK(refused(parse("cpu/event=0x100/"), ERANGE, &err, "does not fit"));
	CHECK(refused(parse("cpu/split=0x100/"), ERANGE, &err, "does not fit"));
	CHECK(refused(parse("cpu/inv=2/"), ERANGE, &err, "does not fit"));
	CHECK(refused(parse("cpu/event=/"), EINVAL, &err, "not a number"));
	CHECK(refused(parse("cpu/event=-1/"), EINVAL, &err, "not a number"));
	CHECK(refused(parse("cpu/event=1x/"), EINVAL, &err, "not a number"));
	CHECK(refused(parse("cpu/event=0x1ffffffffffffffff/"), EINVAL, &err, "not a number"));
	CHECK(refused(parse("cpu/odd=1/"), EINVAL, &err, "not supported"));
	CHECK(refused(parse("cpu/junk=1/"), EINVAL, &err, "not supported"));
	CHECK(refused(parse("r1/period=0/"), ERANGE, &err, "out of range"));
	CHECK(refused(parse("r1/freq=99/"), EINVAL, &err, "by period"));
	CHECK(refused(parse("r1/precise=4/"), ERANGE, &err, "out of range"));
	CHECK(refused(parse("r1/name=/"), EINVAL, &err, "too long or empty"));
}

static void test_syntax(void)
{
	CHECK(refused(parse(""), EINVAL, &err, "empty event"));
	CHECK(refused(parse("r1,"), EINVAL, &err, "empty event"));
	CHECK(refused(parse(",r1"), EINVAL, &err, "empty event"));
	CHECK(refused(parse("cpu/event=1"), EINVAL, &err, "closing '/'"));
	CHECK(refused(parse("r1:pppp"), EINVAL, &err, "not a modifier"));
	CHECK(refused(parse("r1:x"), EINVAL, &err, "not a modifier"));
	CHECK(refused(parse("r1:k"), EINVAL, &err, "user space only"));
	CHECK(refused(parse("r1/period=1/P"), EINVAL, &err, "not a modifier"));
}

int main(void)
{
	static const struct tap_test tests[] = {
		/* Before libpfm4 has made up its mind about this process; one adds a PMU. */
		TAP_TEST(test_models),
		TAP_TEST(test_two_pmus),
		TAP_TEST(test_unknown_cpu),
		TAP_TEST(test_served),
		TAP_TEST(test_ibs),
		TAP_TEST(test_same_event),
		TAP_TEST(test_unseen),
		TAP_TEST(test_presets),
		TAP_TEST(test_raw),
		TAP_TEST(test_pmu),
		TAP_TEST(test_names),
		TAP_TEST(test_catalog),
		TAP_TEST(test_beside),
		TAP_TEST(test_walk),
		TAP_TEST(test_lists),
		TAP_TEST(test_periods),
		TAP_TEST(test_unknown),
		TAP_TEST(test_values),
		TAP_TEST(test_syntax),
		/* Adds a PMU. */
		TAP_TEST(test_hybrid),
		TAP_TEST(test_hybrid_preset),
		TAP_TEST(test_hybrid_cpus),
	};
	int status = EXIT_FAILURE;

	/* What CPU this machine has must not matter. */
	setenv("LIBPFM_FORCE_PMU", "clx", 1);
	setenv("HTMM_CPUID", CASCADE_LAKE, 1);
	if (make_sysfs())
		status = tap_main(tests, ARRAY_SIZE(tests));
	else
		printf("Bail out! cannot make %s\n", sysfs);
	remove_sysfs();
	return status;
}
