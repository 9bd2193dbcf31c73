// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the emulated PEBS unit through the perf system call: what it accepts, and that
 * its counts and samples are exact. Prints TAP; "# truth" lines say what the ground truth
 * must be for this process; ./check compares them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "access.h"
#include "sampler.h"
#include "system.h"

#define PARAMETERS	"/sys/module/pebs_emu/parameters/"

#define ALL_LOADS	0x81d0
#define ALL_STORES	0x82d0
#define STLB_STORES	0x12d0
#define L3_MISS		0x20d1
#define LOCAL_DRAM	0x01d3
#define LOAD_LATENCY	0x01cd

#define PAGES		512UL			/* as large as the default cache */
#define ARENA		0x100000000000UL
#define TRUTH_ARENA	0x200000000000UL
#define TRUTH_PAGES	16UL
#define LARGE_ARENA	0x300000000000UL
#define LARGE_PAGES	2048UL			/* four times the default cache */
#define MAX_CPUS	32
#define STORES		(49 * LARGE_PAGES)	/* to each of these as many */
#define STLB_PAGES	1408UL			/* leaves one way of each set */
#define COUNTERS	4			/* that can sample memory */

static __u64 *arena;
static int nr_cpus;

static __u64 *map_arena(unsigned long at, unsigned long pages)
{
	void *map = mmap((void *)at, pages * ACCESS_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE,
			 -1, 0);

	if (map == MAP_FAILED)
		bail_out("map", "memory");
	return map;
}

/* Loads and stores on every CPU at once. */
static void work_everywhere(__u64 n)
{
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		if (fork())
			continue;
		pin(cpu);
		access_store(arena, PAGES, n);
		access_load(arena, PAGES, n);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

static int open_error(const struct perf_event_attr *attr)
{
	struct sampler s;
	int err = sampler_open(&s, attr, 0, NULL);

	if (!err)
		sampler_close(&s);
	return err;
}

static bool test_accepts(void)
{
	static const __u64 known[] = { ALL_LOADS, ALL_STORES, STLB_STORES, L3_MISS, LOCAL_DRAM,
				       0x02d3, 0x83d0, LOAD_LATENCY };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		for (unsigned int precise = 0; precise <= 3; precise++) {
			struct perf_event_attr attr = sampler_attr(known[i], 1000);
			int err;

			attr.precise_ip = precise;
			err = open_error(&attr);
			if (err)
				return fail("r%llx precise %u: %s", known[i],
					    precise, strerror(-err));
		}
	}
	return true;
}

static bool test_rejects(void)
{
	struct perf_event_attr attr = sampler_attr(0x00c0, 1000);
	int err;

	err = open_error(&attr);
	if (err != -EINVAL)
		return fail("unknown event: %d", err);
	attr = sampler_attr(ALL_LOADS | 1 << 16, 1000);
	err = open_error(&attr);
	if (err != -EINVAL)
		return fail("unknown flag: %d", err);
	attr = sampler_attr(ALL_LOADS, 1000);
	attr.config1 = 3;
	err = open_error(&attr);
	if (err != -EINVAL)
		return fail("threshold without load latency: %d", err);
	attr.config = LOAD_LATENCY;
	err = open_error(&attr);
	if (err)
		return fail("load latency threshold: %d", err);
	attr = sampler_attr(PERF_COUNT_HW_CPU_CYCLES, 1000);
	attr.type = PERF_TYPE_HARDWARE;
	err = open_error(&attr);
	return err == -ENOENT || fail("another type: %d", err);
}

static __u64 count_stores(const struct sampler *s, __u64 *at, __u64 pages, __u64 n)
{
	__u64 before = sampler_count(s);

	access_store(at, pages, n);
	return sampler_count(s) - before;
}

/*
 * Does an event count so many of STORES stores? The program's own overhead is the same each time,
 * so the difference of two runs is exact, unless another process ran on the CPU between; hence the
 * retries.
 */
static bool counts(__u64 config, __u64 *at, __u64 pages, __u64 want)
{
	struct perf_event_attr attr = sampler_attr(config, 0);
	__u64 diff = ~want;
	struct sampler s;

	pin(0);
	if (sampler_open(&s, &attr, 0, NULL))
		return fail("cannot open");
	sampler_enable(&s);
	for (int try = 0; try < 20 && diff != want; try++) {
		__u64 few = count_stores(&s, at, pages, STORES);

		diff = count_stores(&s, at, pages, 2 * STORES) - few;
	}
	sampler_close(&s);
	return diff == want || fail("r%llx has %llu of %lu stores", config, diff, STORES);
}

static bool test_counts(void)
{
	return counts(ALL_STORES, arena, PAGES, STORES);
}

/* Of pages that are stored to in turn, the STLB has all, if they fit its sets; else none. */
static bool test_stlb(void)
{
	__u64 *large = map_arena(LARGE_ARENA, LARGE_PAGES);
	bool good;

	good = counts(STLB_STORES, arena, PAGES, 0) &&
	       counts(STLB_STORES, large, STLB_PAGES, 0) &&
	       counts(STLB_STORES, large, LARGE_PAGES, STORES);
	munmap(large, LARGE_PAGES * ACCESS_PAGE);
	return good;
}

static bool test_excludes_user(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 0);
	struct sampler s;
	__u64 count;

	attr.exclude_user = 1;
	pin(0);
	if (sampler_open(&s, &attr, 0, NULL))
		return fail("cannot open");
	sampler_enable(&s);
	access_store(arena, PAGES, 10000);
	count = sampler_count(&s);
	sampler_close(&s);
	return !count || fail("counted %llu", count);
}

static bool exact_on_all(__u64 config, __u64 period, __u64 n)
{
	struct perf_event_attr attr = sampler_attr(config, period);
	struct sampler s[MAX_CPUS];
	bool good = true;

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		if (sampler_open(&s[cpu], &attr, cpu, NULL))
			return fail("cannot open on CPU %d", cpu);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		sampler_enable(&s[cpu]);
	work_everywhere(n);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		sampler_disable(&s[cpu]);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		__u64 count = sampler_count(&s[cpu]);
		__u64 samples = sampler_read(&s[cpu], NULL, NULL);

		printf("# r%llx period %llu CPU %d: %llu accesses, %llu samples\n",
		       config, period, cpu, count, samples);
		if (!samples || samples != count / period || s[cpu].lost)
			good = fail("samples differ from accesses / period");
		sampler_close(&s[cpu]);
	}
	return good;
}

static bool test_samples_exactly(void)
{
	return exact_on_all(ALL_STORES, 97, 500000) &
	       exact_on_all(ALL_STORES, 1999, 500000) &
	       exact_on_all(ALL_LOADS, 211, 500000) &
	       exact_on_all(L3_MISS, 13, 500000) &
	       exact_on_all(LOCAL_DRAM, 7, 500000);
}

/* What the samples of this process must be. */
struct expected {
	__u64 samples;
	__u64 wrong;
	__u64 per_page[PAGES];
};

static void check_sample(const struct sample *sample, void *arg)
{
	struct expected *e = arg;
	__u64 offset = sample->addr - ARENA;

	if ((int)sample->pid != getpid() || offset >= PAGES * ACCESS_PAGE)
		return;
	e->samples++;
	e->per_page[offset / ACCESS_PAGE]++;
	e->wrong += sample->cpu || offset % ACCESS_PAGE || sample->period != 101 ||
		    sample->ip - (__u64)&access_store > 256 ||
		    sample->source.mem_op != PERF_MEM_OP_STORE;
}

static bool test_sample_contents(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 101);
	static struct expected e;
	const __u64 rounds = 1010;
	struct sampler s;

	pin(0);
	if (sampler_open(&s, &attr, 0, NULL))
		return fail("cannot open");
	sampler_enable(&s);
	access_store(arena, PAGES, PAGES * rounds);
	sampler_disable(&s);
	sampler_read(&s, check_sample, &e);
	sampler_close(&s);
	if (e.wrong || e.samples > PAGES * rounds / 101 + 1 ||
	    e.samples < PAGES * rounds / 101 - 50)
		return fail("%llu samples, %llu of them wrong", e.samples, e.wrong);
	for (__u64 i = 0; i < PAGES; i++)
		if (e.per_page[i] < rounds / 101 - 1 || e.per_page[i] > rounds / 101 + 1)
			return fail("page %llu: %llu samples", i, e.per_page[i]);
	return true;
}

#define LINE_WORDS	8

static void count_word(const struct sample *sample, void *arg)
{
	__u64 offset = sample->addr - ARENA, *n = arg;

	if ((int)sample->pid == getpid() && offset < PAGES * ACCESS_PAGE)
		n[offset % sizeof(__u64) ? LINE_WORDS : offset / sizeof(__u64) % LINE_WORDS]++;
}

/* The period is odd, so each word of a cache line has its turn. */
static bool test_addresses_within_lines(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_LOADS, 211);
	const __u64 each = PAGES * ACCESS_WORDS / 211 / LINE_WORDS;
	__u64 n[LINE_WORDS + 1] = {};
	struct sampler s;

	pin(0);
	if (sampler_open(&s, &attr, 0, NULL))
		return fail("cannot open");
	sampler_enable(&s);
	access_load(arena, PAGES, PAGES * ACCESS_WORDS);
	sampler_disable(&s);
	sampler_read(&s, count_word, n);
	sampler_close(&s);
	if (n[LINE_WORDS])
		return fail("%llu addresses between words", n[LINE_WORDS]);
	for (int i = 0; i < LINE_WORDS; i++)
		if (n[i] + 20 < each || n[i] > each + 20)
			return fail("word %d: %llu samples, not %llu", i, n[i], each);
	return true;
}

static bool test_live_period(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 1009);
	__u64 before, after, count, next = 103, min, max;
	struct sampler s;

	pin(0);
	if (sampler_open(&s, &attr, 0, NULL))
		return fail("cannot open");
	sampler_enable(&s);
	access_store(arena, PAGES, 300000);
	before = sampler_count(&s);
	if (ioctl(s.fd, PERF_EVENT_IOC_PERIOD, &next))
		return fail("cannot change the period");
	after = sampler_count(&s);
	access_store(arena, PAGES, 300000);
	sampler_disable(&s);
	count = sampler_count(&s);
	min = before / 1009 + (count - after) / 103;
	max = after / 1009 + (count - before) / 103;
	sampler_read(&s, NULL, NULL);
	sampler_close(&s);
	return (s.samples >= min && s.samples <= max) ||
	       fail("%llu samples, not %llu to %llu", s.samples, min, max);
}

static bool test_several_events(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 0);
	struct sampler s[4];
	bool good = true;

	pin(0);
	for (int i = 0; i < 4; i++) {
		attr.sample_period = 101 + 6 * i;
		attr.disabled = !i;
		if (sampler_open(&s[i], &attr, 0, i ? &s[0] : NULL))
			return fail("cannot open event %d", i);
	}
	sampler_enable(&s[0]);
	access_store(arena, PAGES, 300000);
	sampler_disable(&s[0]);
	for (int i = 0; i < 4; i++) {
		__u64 want = sampler_count(&s[i]) / (101 + 6 * i);

		if (sampler_read(&s[i], NULL, NULL) != want || !want)
			good = fail("event %d: %llu samples, not %llu", i,
				    s[i].samples, want);
		sampler_close(&s[i]);
	}
	return good;
}

static bool test_more_events_than_counters(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 0);
	struct sampler s[COUNTERS + 1];
	__u64 total = 0;

	pin(0);
	for (int i = 0; i <= COUNTERS; i++)
		if (sampler_open(&s[i], &attr, 0, NULL))
			return fail("cannot open event %d", i);
	for (int i = 0; i <= COUNTERS; i++)
		sampler_enable(&s[i]);
	access_store(arena, PAGES, 5000000);
	for (int i = 0; i <= COUNTERS; i++)
		total += !!sampler_count(&s[i]);
	for (int i = 0; i <= COUNTERS; i++)
		sampler_close(&s[i]);
	return total == COUNTERS + 1 ||
	       fail("only %llu of %d events ever counted", total, COUNTERS + 1);
}

/* Where all counters are taken an event waits, and counts when there is one. */
static bool test_taken_counters(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 0);
	__u64 none, some;
	struct sampler s;

	pin(0);
	write_number(PARAMETERS "taken", (1 << COUNTERS) - 1);
	if (sampler_open(&s, &attr, 0, NULL))
		return fail("cannot open");
	sampler_enable(&s);
	access_store(arena, PAGES, 100000);
	none = sampler_count(&s);
	sampler_disable(&s);
	write_number(PARAMETERS "taken", (1 << (COUNTERS - 1)) - 1);
	sampler_enable(&s);
	access_store(arena, PAGES, 100000);
	some = sampler_count(&s);
	sampler_close(&s);
	write_number(PARAMETERS "taken", 0);
	return (!none && some >= 100000) || fail("counted %llu, then %llu", none, some);
}

static bool test_group_too_large(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 0);
	struct sampler s[COUNTERS + 1];
	int n, err = 0;

	for (n = 0; n <= COUNTERS && !err; n++)
		err = sampler_open(&s[n], &attr, 0, n ? &s[0] : NULL);
	for (int i = 0; i < n - !!err; i++)
		sampler_close(&s[i]);
	return (n == COUNTERS + 1 && err == -EINVAL) || fail("event %d gave %d", n, err);
}

/* A throttled event does not count either, so its samples remain exact. */
static bool test_throttling(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 11);
	__u64 rate = max_rate(), stale = read_number(PARAMETERS "stale");
	__u64 count;
	struct sampler s;

	set_max_rate(2000);
	pin(0);
	if (sampler_open(&s, &attr, 0, NULL))
		return fail("cannot open");
	sampler_enable(&s);
	access_store(arena, PAGES, 5000000);
	sampler_disable(&s);
	set_max_rate(rate);
	count = sampler_count(&s);
	sampler_read(&s, NULL, NULL);
	sampler_close(&s);
	stale = read_number(PARAMETERS "stale") - stale;
	printf("# %llu accesses, %llu samples, %llu throttles, %llu stale\n",
	       count, s.samples, s.throttles, stale);
	if (!s.throttles || s.samples <= s.throttles)
		return fail("no throttling");
	return s.samples + stale == count / 11 || fail("samples are not exact");
}

/* The kernel adjusts the period by its clock, which is not exact in a guest. */
static bool test_frequency(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 1000);
	struct sampler s;
	__u64 count;

	attr.freq = 1;
	pin(0);
	if (sampler_open(&s, &attr, 0, NULL))
		return fail("cannot open");
	sampler_enable(&s);
	access_store(arena, PAGES, 20000000);
	sampler_disable(&s);
	count = sampler_count(&s);
	sampler_read(&s, NULL, NULL);
	sampler_close(&s);
	printf("# %llu accesses, %llu samples\n", count, s.samples);
	return (s.samples > 20 && s.samples < count / 100) ||
	       fail("the period did not follow");
}

static void count_addresses(const struct sample *sample, void *arg)
{
	__u64 *n = arg;

	if (!sample->addr)
		n[0]++;
	else if ((__s64)sample->addr < 0)
		n[1]++;
}

/* perf itself writes address 0 for a sample without one. */
static bool test_faults(void)
{
	struct perf_event_attr attr = sampler_attr(ALL_STORES, 101);
	__u64 noaddr = read_number(PARAMETERS "injected_noaddr");
	__u64 kernel = read_number(PARAMETERS "injected_kernel");
	__u64 zero = read_number(PARAMETERS "injected_zero");
	__u64 n[2] = {};
	struct sampler s;

	write_number(PARAMETERS "fault_noaddr", 3);
	write_number(PARAMETERS "fault_kernel", 5);
	write_number(PARAMETERS "fault_zero", 7);
	pin(0);
	if (sampler_open(&s, &attr, 0, NULL))
		return fail("cannot open");
	sampler_enable(&s);
	access_store(arena, PAGES, 300000);
	sampler_disable(&s);
	write_number(PARAMETERS "fault_noaddr", 0);
	write_number(PARAMETERS "fault_kernel", 0);
	write_number(PARAMETERS "fault_zero", 0);
	sampler_read(&s, count_addresses, n);
	sampler_close(&s);
	noaddr = read_number(PARAMETERS "injected_noaddr") - noaddr;
	kernel = read_number(PARAMETERS "injected_kernel") - kernel;
	zero = read_number(PARAMETERS "injected_zero") - zero;
	printf("# injected %llu, %llu, %llu; found %llu without address, %llu in the kernel\n",
	       noaddr, kernel, zero, n[0], n[1]);
	return (noaddr && kernel && zero && n[0] == noaddr + zero && n[1] == kernel) ||
	       fail("injected and found differ");
}

static bool test_hotplug(void)
{
	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = sampler_attr(ALL_STORES, 997);
		struct sampler s;

		if (sampler_open(&s, &attr, nr_cpus - 1, NULL))
			return fail("cannot open");
		sampler_enable(&s);
		work_everywhere(100000);
		set_online(nr_cpus - 1, false);
		set_online(nr_cpus - 1, true);
		sampler_read(&s, NULL, NULL);
		sampler_close(&s);
		if (!s.samples)
			return fail("no samples before");
	}
	return exact_on_all(ALL_STORES, 997, 100000);
}

static bool test_accounting(void)
{
	__u64 overflows = read_number(PARAMETERS "overflows");
	__u64 delivered = read_number(PARAMETERS "delivered");
	__u64 stale = read_number(PARAMETERS "stale");
	__u64 overruns = read_number(PARAMETERS "overruns");

	printf("# %llu overflows: %llu delivered, %llu stale, %llu overruns\n",
	       overflows, delivered, stale, overruns);
	return (overflows && overflows == delivered + stale + overruns) ||
	       fail("they do not add up");
}

/*
 * Page i gets (i + 1) stores and 1024 loads, all inside the gate. At first the cache has
 * nothing of it: the first store misses; of the first 512 loads, one misses for each line
 * but the stored one; all others hit.
 */
static bool test_truth(void)
{
	__u64 *large = map_arena(LARGE_ARENA, LARGE_PAGES);
	__u64 *at = map_arena(TRUTH_ARENA, TRUTH_PAGES);

	pin(0);
	access_load(large, LARGE_PAGES, LARGE_PAGES * ACCESS_WORDS);
	for (__u64 page = 0; page < TRUTH_PAGES; page++)
		access_store(at + page * ACCESS_WORDS, 1, page + 1);
	access_load(at, TRUTH_PAGES, 2 * TRUTH_PAGES * ACCESS_WORDS);
	write_number(PARAMETERS "truth", 0);
	access_store(at, TRUTH_PAGES, 12345);
	write_number(PARAMETERS "truth", 1);
	for (__u64 page = 0; page < TRUTH_PAGES; page++)
		printf("# truth %d,0x%llx,%lu,%llu,%lu,1,0,0\n", getpid(),
		       TRUTH_ARENA + page * ACCESS_PAGE, 2 * ACCESS_WORDS, page + 1,
		       ACCESS_PAGE / 64 - 1);
	return true;
}

static const struct {
	const char *name;
	bool (*run)(void);
} tests[] = {
	{ "accepts the known events at any precision", test_accepts },
	{ "rejects anything else", test_rejects },
	{ "counts every store", test_counts },
	{ "counts the stores that miss the STLB", test_stlb },
	{ "counts nothing if user code is excluded", test_excludes_user },
	{ "takes exactly one sample each period on every CPU", test_samples_exactly },
	{ "samples say who stored what and where", test_sample_contents },
	{ "addresses of samples are those of words", test_addresses_within_lines },
	{ "takes a new period at once", test_live_period },
	{ "samples several events of a group exactly", test_several_events },
	{ "shares counters among more events than there are", test_more_events_than_counters },
	{ "has an event wait while others have all counters", test_taken_counters },
	{ "refuses a group larger than the counters", test_group_too_large },
	{ "stops while throttled, and samples exactly", test_throttling },
	{ "follows a sample frequency", test_frequency },
	{ "injects faults and counts them", test_faults },
	{ "survives CPU hotplug", test_hotplug },
	{ "keeps the truth only while its gate is open", test_truth },
	{ "accounts for every overflow", test_accounting },
};

int main(void)
{
	const int n = sizeof(tests) / sizeof(*tests);
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%d\n", n);
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus > MAX_CPUS)
		nr_cpus = MAX_CPUS;
	set_max_rate(1000000);
	arena = map_arena(ARENA, PAGES);
	for (int i = 0; i < n; i++) {
		bool skip = nr_cpus == 1 && tests[i].run == test_hotplug;
		bool good = skip || tests[i].run();

		failed += !good;
		printf("%sok %d %s%s\n", good ? "" : "not ", i + 1, tests[i].name,
		       skip ? " # SKIP there is one CPU" : "");
	}
	return failed != 0;
}
