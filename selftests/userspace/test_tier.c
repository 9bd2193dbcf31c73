// SPDX-License-Identifier: GPL-2.0
/*
 * The loop of `htmmctl tier`, with a made-up module and a made-up move_pages(2): what it asks
 * for, what it moves, and what it says of pages that do not move.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "htmmctl/clock.h"
#include "policy/rules.h"
#include "test.h"
#include "tier/tier.h"

#define PAGES		40000U
/* What most tests use of them. */
#define USUAL		4000U
#define BASE		0x40000000ULL
#define FAST		0
#define SLOW		1
#define NODES		4
/* What fits node 0 of the made-up machine. */
#define CAPACITY	512U
#define PID		77
#define PID2		70
#define CALLS		256
#define SLOW_MS		20ULL

/**
 * struct call - a call of move_pages(2) with nodes
 * @pid: the process
 * @nr: pages
 * @node: where to
 * @flags: its flags
 * @sorted: their addresses rise
 */
struct call {
	int pid;
	unsigned long nr;
	int node;
	int flags;
	bool sorted;
};

/**
 * struct machine - the made-up machine
 * @size: how many pages there are
 * @node: where each page is
 * @samples: its count
 * @error: why it does not move; 0: it does
 * @whole: errno of each call; 0: none
 * @dead: the process has exited
 * @second: pages from here on are of a second process; 0: there is none
 * @found: how often each page was listed as one of a process on a node
 * @removed: what is asked of one target is not there any more
 * @call: the calls
 * @nr_calls: how many
 * @list: what was asked of the lists, in order
 * @nr_lists: how many lists
 * @state: of the session
 * @period: of the events
 * @fixed: the period of the second one cannot be changed
 * @pages: that have a count, as it says
 * @total: samples since the start
 * @others: of the second target, which has no pages
 * @coolings: of all targets
 * @seconds: time of the session
 * @capacity: of the session, and of its targets
 * @sets: how often one was set
 * @maps: numa_maps of the process; NULL: there is no process of that number
 * @maps_read: how often it was read
 * @counts: how often the pages of the nodes were counted
 * @count_ms: what that takes of a CPU
 * @taken: pages from 400 on that the program takes of the fast node before they are counted; and as
 *	many after that
 * @kept: pages of the fast node that the kernel gives to nobody
 * @more_free: pages of the fast node that others have freed
 * @slow: to read @maps takes SLOW_MS of a CPU; each call that moves pages waits as long, and takes
 *	1 ms
 * @meanwhile: in how many rounds samples come before a page is listed, and again after that
 */
static struct machine {
	u32 size;
	int node[PAGES];
	u32 samples[PAGES];
	int error[PAGES];
	int whole;
	bool dead;
	u32 second;
	u32 found[PAGES];
	bool removed;
	struct call call[CALLS];
	unsigned int nr_calls;
	struct htmm_list_pages list[CALLS];
	unsigned int nr_lists;
	u32 state;
	u64 period[2];
	bool fixed;
	u64 pages;
	u64 total;
	u64 others;
	u64 coolings;
	u64 seconds;
	u32 meanwhile;
	u64 capacity[3];
	u32 sets;
	const char *maps;
	u32 maps_read;
	u32 counts;
	u64 count_ms;
	u32 taken;
	u64 kept;
	u64 more_free;
	bool slow;
} machine;

static void take_cpu(u64 ms)
{
	const u64 end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
	if (strcmp(path, "/proc/77/numa_maps") && strcmp(path, "/proc/333/numa_maps"))
		return __real_fopen(path, mode);
	machine.maps_read++;
	if (machine.slow)
		take_cpu(SLOW_MS);
	if (!machine.maps)
		return NULL;
	return fmemopen((void *)(uintptr_t)machine.maps, strlen(machine.maps), "r");
}

static void sample(u32 from, u32 to, u32 times)
{
	for (; from < to; from++) {
		machine.samples[from] += times;
		machine.total += times;
	}
}

/* Nine samples of the fast node for one of the slow one. */
static void sample_rounds(u32 rounds)
{
	sample(0, 90, rounds);
	sample(1000, 1010, rounds);
}

static u32 page_of(const void *addr)
{
	return ((u64)(uintptr_t)addr - BASE) >> HTMM_PAGE_SHIFT;
}

/* As the kernel does: stops at the first page that cannot be moved. */
static long move(struct call call, void **addr, const int *to, int *status)
{
	unsigned long i;

	call.sorted = true;
	call.node = *to;
	for (i = 1; i < call.nr; i++)
		call.sorted &= addr[i - 1] < addr[i];
	CHECK(machine.nr_calls < CALLS);
	machine.call[machine.nr_calls++] = call;
	if (machine.slow) {
		usleep(SLOW_MS * 1000);
		take_cpu(1);
	}
	for (i = 0; i < call.nr; i++) {
		u32 page = page_of(addr[i]);

		if (machine.error[page] && machine.error[page] != EAGAIN) {
			status[i] = -machine.error[page];
			continue;
		}
		if (machine.error[page])
			return call.nr - i;
		machine.node[page] = to[i];
		status[i] = to[i];
	}
	return 0;
}

long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	struct call call = {};
	void **addr;
	const int *to;
	int *status;
	unsigned long i;
	va_list args;

	CHECK(number == SYS_move_pages);
	va_start(args, number);
	call.pid = va_arg(args, int);
	call.nr = va_arg(args, unsigned long);
	addr = va_arg(args, void **);
	to = va_arg(args, const int *);
	status = va_arg(args, int *);
	call.flags = va_arg(args, int);
	va_end(args);
	if (to && machine.whole) {
		errno = machine.whole;
		return -1;
	}
	if (to)
		return move(call, addr, to, status);
	for (i = 0; i < call.nr; i++)
		status[i] = machine.node[page_of(addr[i])];
	return 0;
}

int __wrap_htmm_device_info(int fd, struct htmm_info *info, size_t size, struct htmm_error *err);
int __wrap_htmm_device_info(int fd, struct htmm_info *info, size_t size, struct htmm_error *err)
{
	*info = (struct htmm_info) {
		.session = 3, .state = machine.state,
		.elapsed_ns = machine.seconds * 1000000000, .capacity_pages = machine.capacity[0],
	};
	return 0;
}

int __wrap_htmm_device_targets(int fd, struct htmm_target_list *list, struct htmm_error *err);
int __wrap_htmm_device_targets(int fd, struct htmm_target_list *list, struct htmm_error *err)
{
	list->nr = 2;
	list->target = calloc(2, sizeof(*list->target));
	CHECK(list->target);
	/* One more, which has exited. */
	list->target[1].number = 2;
	list->target[1].flags = HTMM_TARGET_INFO_DEAD;
	list->target[1].stats[HTMM_STAT_SAMPLES] = machine.others;
	list->target->number = 1;
	list->target->flags = machine.dead ? HTMM_TARGET_INFO_DEAD : 0;
	list->target->pages = machine.pages;
	list->target->stats[HTMM_STAT_SAMPLES] = machine.total;
	list->target->stats[HTMM_STAT_COOLINGS] = machine.coolings;
	return 0;
}

/* In the other order than their pages. */
static u32 pid_of(u32 page)
{
	return machine.second && page >= machine.second ? PID2 : PID;
}

static void list_regions(const struct htmm_list_pages *request, struct htmm_page_list *list)
{
	u32 page;

	CHECK(!request->flags && request->order == HTMM_ORDER_HOTTEST);
	for (page = 0; page < machine.size; page++) {
		u64 addr = BASE + ((u64)page << HTMM_PAGE_SHIFT);

		if (page % 512 == 0)
			list->pages[list->nr++] = (struct htmm_page) {
				.addr = addr, .pid = pid_of(page), .space = pid_of(page),
				.target = 1, .node = HTMM_NODE_UNKNOWN,
				.mapping_shift = HTMM_MAPPING_UNKNOWN,
			};
		list->pages[list->nr - 1].samples += machine.samples[page];
	}
}

static int by_samples_down(const void *a, const void *b)
{
	const struct htmm_page *x = a, *y = b;

	return (x->samples < y->samples) - (x->samples > y->samples);
}

static bool listed(const struct htmm_list_pages *request, u32 page)
{
	const u64 addr = BASE + ((u64)page << HTMM_PAGE_SHIFT);
	bool chosen = machine.samples[page] >= request->min_samples;

	if ((request->pid && request->pid != pid_of(page)) || addr < request->start ||
	    (request->end && addr >= request->end))
		return false;
	if (!(request->flags & HTMM_LIST_NODE))
		return chosen && request->flags & HTMM_LIST_RESIDENT;
	if (request->flags & HTMM_LIST_OTHERS)
		return chosen || machine.node[page] == request->node;
	return chosen && machine.node[page] == request->node;
}

int __wrap_htmm_device_list_pages(int fd, const struct htmm_list_pages *request, size_t max,
				  struct htmm_page_list *list, struct htmm_error *err);
int __wrap_htmm_device_list_pages(int fd, const struct htmm_list_pages *request, size_t max,
				  struct htmm_page_list *list, struct htmm_error *err)
{
	u32 page;

	CHECK(machine.nr_lists < CALLS);
	machine.list[machine.nr_lists++] = *request;
	*list = (struct htmm_page_list) { .pages = calloc(machine.size, sizeof(*list->pages)) };
	CHECK(list->pages);
	if (request->target > 1)
		return 0;
	if (machine.removed && request->target)
		return -ENOENT;
	if (request->unit == HTMM_UNIT_REGION) {
		list_regions(request, list);
		return 0;
	}
	sample_rounds(machine.meanwhile);
	for (page = 0; page < machine.size; page++) {
		if (!listed(request, page))
			continue;
		list->pages[list->nr++] = (struct htmm_page) {
			.addr = BASE + ((u64)page << HTMM_PAGE_SHIFT), .pid = pid_of(page),
			.space = pid_of(page), .samples = machine.samples[page], .target = 1,
			.node = machine.node[page],
			.mapping_shift = HTMM_PAGE_SHIFT,
		};
	}
	if (request->order == HTMM_ORDER_HOTTEST)
		qsort(list->pages, list->nr, sizeof(*list->pages), by_samples_down);
	if (list->nr > max)
		list->nr = max;
	if (request->flags == (HTMM_LIST_NODE | HTMM_LIST_RESIDENT))
		for (page = 0; page < list->nr; page++)
			machine.found[page_of((void *)(uintptr_t)list->pages[page].addr)]++;
	sample_rounds(machine.meanwhile);
	return 0;
}

static void take_pages(u32 from)
{
	u32 page;

	for (page = from; page < from + machine.taken; page++)
		machine.node[page] = FAST;
}

int __wrap_htmm_device_placement(int fd, __u32 target, struct htmm_placement_buf *buf,
				 struct htmm_error *err);
int __wrap_htmm_device_placement(int fd, __u32 target, struct htmm_placement_buf *buf,
				 struct htmm_error *err)
{
	u32 page;
	int node;

	machine.counts++;
	take_cpu(machine.count_ms);
	take_pages(400);
	*buf = (struct htmm_placement_buf) {};
	buf->nodes = calloc(NODES, sizeof(*buf->nodes));
	CHECK(buf->nodes);
	buf->placement.nr_nodes = NODES;
	for (node = 0; node < NODES; node++)
		buf->nodes[node].node = node;
	for (page = 0; page < machine.size; page++)
		buf->nodes[machine.node[page]].pages++;
	take_pages(400 + machine.taken);
	return 0;
}

int __wrap_htmm_target_cool(int fd, __u32 target, struct htmm_error *err);
int __wrap_htmm_target_cool(int fd, __u32 target, struct htmm_error *err)
{
	u32 page;

	for (page = 0; page < machine.size; page++)
		machine.samples[page] /= 2;
	machine.coolings++;
	return 0;
}

static u64 on_node(int node)
{
	u64 nr = 0;
	u32 page;

	for (page = 0; page < machine.size; page++)
		nr += machine.node[page] == node;
	return nr;
}

/* The kernel keeps some, which can be used up when the program begins. */
__u64 __wrap_tiers_unused_pages(int node);
__u64 __wrap_tiers_unused_pages(int node)
{
	return node == FAST ? 2 * CAPACITY - on_node(node) + machine.more_free : 0;
}

/* What the policy may use of the fast node is said by the test, not by this machine. */
__u64 __wrap_tiers_free_pages(int node);
__u64 __wrap_tiers_free_pages(int node)
{
	u64 used = on_node(node) + machine.kept;

	return node == FAST && used < CAPACITY ? CAPACITY - used + machine.more_free : 0;
}

int __wrap_htmm_device_set(int fd, struct htmm_set *set, size_t size, struct htmm_error *err);
int __wrap_htmm_device_set(int fd, struct htmm_set *set, size_t size, struct htmm_error *err)
{
	CHECK(set->session == 3);
	if (set->flags == HTMM_SET_CAPACITY) {
		CHECK(set->target < 3);
		machine.capacity[set->target] = set->capacity_pages;
		machine.sets++;
		return 0;
	}
	CHECK(set->flags == HTMM_SET_PERIOD && set->event < 2);
	if (set->event && machine.fixed)
		return -EINVAL;
	machine.period[set->event] = set->period;
	return 0;
}

static const struct htmm_event_list events = { .nr = 1, .event = { { .period = 499 } } };

static void set_node(struct htmm_cpus *nodes, unsigned int node)
{
	nodes->bits[0] = 1ULL << node;
	nodes->size = sizeof(__u64);
}

/* The first pages are on the fast node. */
static struct tier *make(u64 list_pages)
{
	struct tier *tier = calloc(1, sizeof(*tier));
	struct htmm_error err;
	u32 page;

	CHECK(tier);
	machine = (struct machine) { .state = HTMM_STATE_RUNNING, .size = USUAL };
	for (page = 0; page < machine.size; page++)
		machine.node[page] = page < CAPACITY ? FAST : SLOW;
	set_node(&tier->tiers.fast, FAST);
	set_node(&tier->tiers.slow, SLOW);
	tier->session = 3;
	tier->config = (struct policy_config) { .gap_ns = 170, .copy_ns = 5000 };
	tier->events = &events;
	tier->period = 499;
	tier->list_pages = list_pages;
	tier->cooling_period = 1000000;
	tier->groups[0].weight = 1;
	tier->nr_groups = 1;
	CHECK(!tier_open(tier, &err));
	return tier;
}

/* Two targets share the fast tier, three to one. */
static struct tier *make_targets(void)
{
	struct tier *tier = make(USUAL);

	tier->groups[0].target = 1;
	tier->groups[0].weight = 3;
	tier->groups[1] = (struct group) { .target = 2, .weight = 1 };
	tier->groups[1].policy = policy_new(&tier->config);
	CHECK(tier->groups[1].policy);
	tier->nr_groups = 2;
	return tier;
}

static void destroy(struct tier *tier)
{
	tier_close(tier);
	free(tier);
}

static void look(struct tier *tier)
{
	struct htmm_error err;

	machine.seconds++;
	machine.nr_lists = 0;
	machine.nr_calls = 0;
	CHECK(!tier_look(tier, &err));
	tier_move(tier);
	tier_cool(tier);
	tier_sample(tier);
}

static u32 fast_of(u32 from, u32 to)
{
	u32 nr = 0;

	for (; from < to; from++)
		nr += machine.node[from] == FAST;
	return nr;
}

/* Hot pages come, in place of cold ones, which go first; by address. */
static void test_moves(void)
{
	struct tier *tier = make(USUAL);
	u32 i;

	for (i = 0; i < 3; i++) {
		sample(1000, 1200, 5);
		sample(0, 100, 5);
		look(tier);
		if (i) {
			CHECK(!machine.nr_calls);
			continue;
		}
		CHECK(machine.nr_calls == 2);
		CHECK(machine.call[0].node == SLOW && machine.call[0].nr >= 200);
		CHECK(machine.call[1].node == FAST && machine.call[1].nr == 200);
		CHECK(machine.call[0].sorted && machine.call[1].sorted);
		CHECK(machine.call[0].pid == PID && machine.call[0].flags == MPOL_MF_MOVE);
	}
	CHECK(fast_of(1000, 1200) == 200 && fast_of(0, 100) == 100);
	CHECK(tier->mover.promoted == 200 && tier->mover.demoted >= 200);
	destroy(tier);
}

/* How many of the first 100 hot pages, and of the other 100, are promoted. */
static void check_bound(const char *maps, bool bound, u32 first, u32 second)
{
	struct tier *tier = make(USUAL);
	u64 refused = 200 - first - second;

	machine.maps = maps;
	tier->mover.bound = bound;
	sample(1000, 1200, 5);
	look(tier);
	CHECK(fast_of(1000, 1100) == first && fast_of(1100, 1200) == second);
	CHECK(tier->mover.promoted == first + second);
	CHECK(tier->mover.refused[REFUSED_FORBIDDEN] == refused);
	CHECK(machine.maps_read == !bound || (!bound && machine.maps_read > 1));
	destroy(tier);
}

/* Reads again what the process binds; after how many times as long as it took is it read again? */
static unsigned int read_again(struct bindings *bindings, pid_t pid, u32 space, const char *maps)
{
	struct bound_process *process = &bindings->slot[PID];
	const u32 read = machine.maps_read;

	machine.maps = maps;
	if (space == 1 && pid == PID)
		process->due = 0;
	bindings_allow(bindings, pid, space, BASE, FAST);
	CHECK(machine.maps_read == read + 1);
	CHECK(process->due >= clock_ns(CLOCK_MONOTONIC) / 1e9);
	/* Not yet. */
	bindings_allow(bindings, pid, space, BASE, FAST);
	CHECK(machine.maps_read == read + 1);
	return process->times;
}

/* The file takes the kernel long, so it is read ever more seldom while it says the same. */
static void test_bound_the_same(void)
{
	static const char one[] = "40000000 default\n403e8000 bind:1 anon=1 N1=1\n";
	static const char counts[] = "40000000 default anon=7\n403e8000 bind:1 anon=9 N1=9\n";
	static const char more[] = "40000000 default\n403e8000 bind:1\n4044c000 default\n";
	static const char place[] = "40000000 default\n403e9000 bind:1\n";
	static const char nodes[] = "40000000 default\n403e8000 bind:0-1\n";
	struct tier *tier = make(USUAL);
	struct bindings bindings = {};

	machine.slow = true;
	CHECK(read_again(&bindings, PID, 1, one) == 50);
	CHECK(read_again(&bindings, PID, 1, counts) == 100);
	CHECK(bindings.slot[PID].due > clock_ns(CLOCK_MONOTONIC) / 1e9 + 0.09 * SLOW_MS);
	CHECK(read_again(&bindings, PID, 1, one) == 200);
	CHECK(read_again(&bindings, PID, 1, one) == 400);
	CHECK(read_again(&bindings, PID, 1, one) == 400);
	CHECK(read_again(&bindings, PID, 1, more) == 50);
	CHECK(read_again(&bindings, PID, 1, more) == 100);
	CHECK(read_again(&bindings, PID, 1, one) == 50);
	CHECK(read_again(&bindings, PID, 1, one) == 100);
	CHECK(read_again(&bindings, PID, 1, place) == 50);
	CHECK(read_again(&bindings, PID, 1, place) == 100);
	CHECK(read_again(&bindings, PID, 1, nodes) == 50);
	CHECK(!bindings_allow(&bindings, PID, 1, BASE + 0x3e8000, 2));
	CHECK(read_again(&bindings, PID, 1, one) == 50);
	CHECK(!bindings_allow(&bindings, PID, 1, BASE + 0x3e8000, FAST));
	CHECK(bindings_allow(&bindings, PID, 1, BASE, FAST));
	CHECK(read_again(&bindings, PID, 1, "40000000 default\n") == 50);
	CHECK(read_again(&bindings, PID, 1, "40000000 default\n") == 100);
	/* At once, if it runs another program, or if another process takes its place. */
	CHECK(read_again(&bindings, PID, 2, "40000000 default\n") == 50);
	CHECK(read_again(&bindings, PID + BINDINGS_SLOTS, 2, "40000000 default\n") == 50);
	bindings_free(&bindings);
	destroy(tier);
}

/* What a process has bound stays there, unless the user wants it moved. */
static void test_bound(void)
{
	static const char first[] =
		"40000000 default anon=1000 N1=1000 kernelpagesize_kB=4\n"
		"403e8000 bind:1 anon=100 N1=100\n"
		"4044c000 default anon=9 N1=9\n";
	static const char second[] =
		"3fff0000 default\n"
		"40000000 prefer (many):1 anon=3\n"
		"4044c000 bind=static:1,3 anon=9 dirty=9 N1=9\n"
		"4044d000 bind=static:1,3 file=/a\\040b anon=9 dirty=9 N1=9\n";

	check_bound(NULL, false, 100, 100);
	check_bound("40000000 bind:0-1 anon=1\n", false, 100, 100);
	check_bound("40000000 interleave:1 anon=1\n", false, 100, 100);
	check_bound("40000000 bind:1 anon=1\n", false, 0, 0);
	check_bound("40000000 bind:1 anon=1\n", true, 100, 100);
	check_bound(first, false, 0, 100);
	check_bound(second, false, 100, 0);
	check_bound("no line\n40000000\n", false, 100, 100);
}

/* Only what a decision needs is listed: of the slow node sampled pages, of the fast one all. */
static void test_lists(void)
{
	struct tier *tier = make(USUAL);
	const struct group *group = &tier->groups[0];
	const struct htmm_page *pages;
	u32 page;
	size_t i;

	/* Pages of both are between each other. */
	for (page = 0; page < 100; page += 2) {
		machine.node[1000 + page] = FAST;
		machine.node[200 + page] = SLOW;
	}
	sample(1000, 1100, 5);
	sample(200, 300, 2);
	sample(40, 60, 3);
	look(tier);
	CHECK(machine.nr_lists == 2 && machine.list[0].unit == HTMM_UNIT_REGION);
	CHECK(machine.list[1].flags == (HTMM_LIST_NODE | HTMM_LIST_RESIDENT | HTMM_LIST_OTHERS));
	CHECK(machine.list[1].order == HTMM_ORDER_TABLE && machine.list[1].node == FAST);
	CHECK(machine.list[1].min_samples == 1 && machine.list[1].session == 3);
	CHECK(group->nr_slow == 100 && group->used == CAPACITY);
	CHECK(group->pages.nr == group->nr_slow + group->used);
	pages = group->pages.pages;
	for (i = 0; i < group->pages.nr; i++) {
		CHECK(pages[i].node == (i < group->nr_slow ? SLOW : FAST));
		CHECK(!i || i == group->nr_slow || pages[i - 1].addr < pages[i].addr);
	}
	CHECK(!group->slow_cut);
	destroy(tier);
}

/* Before there is something to see only regions are listed. */
static void test_first_look(void)
{
	struct tier *tier = make(USUAL);

	/* No time passes. */
	machine.seconds = -1;
	sample(1000, 1100, 20);
	machine.total--;
	look(tier);
	CHECK(machine.nr_lists == 1 && machine.nr_calls == 0 && !tier->groups[0].plan);
	CHECK(tier->looks == 0 && tier->rests == 1 && tier->thin == 1);
	machine.seconds = -1;
	machine.total++;
	look(tier);
	CHECK(machine.nr_lists == 2 && tier->looks == 1 && tier->groups[0].plan);
	destroy(tier);
}

/* Of several fast nodes each page is listed once; what is on a node of no tier is left out. */
static void test_more_nodes(void)
{
	struct tier *tier = make(USUAL);
	const struct group *group = &tier->groups[0];
	u32 page, seen[PAGES] = {}, fast = 0;
	int was[PAGES];
	size_t i;

	tier->tiers.fast.bits[0] = 1 << FAST | 1 << 2;
	for (page = 0; page < 30; page++)
		machine.node[page] = 2;
	for (page = 30; page < 50; page++)
		machine.node[page] = 3;
	sample(20, 1040, 1);
	memcpy(was, machine.node, sizeof(was));
	look(tier);
	for (i = 0; i < group->pages.nr; i++) {
		page = (group->pages.pages[i].addr - BASE) >> HTMM_PAGE_SHIFT;
		CHECK(!seen[page]++);
		CHECK((group->pages.pages[i].node == SLOW) == (i < group->nr_slow));
	}
	for (page = 0; page < USUAL; page++) {
		bool on_fast = was[page] == FAST || was[page] == 2;

		fast += on_fast;
		CHECK(seen[page] == (on_fast || (was[page] == SLOW && machine.samples[page])));
	}
	CHECK(group->used == fast);
	destroy(tier);
}

/* Until a look is due only regions are listed, but when the program uses other pages, all. */
static void test_rests(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	for (i = 0; i < 12; i++) {
		tier->due = i < 8 ? 0 : 1000;
		sample(0, 400, 5);
		sample(1024, 1200, !i);
		look(tier);
		CHECK(machine.nr_lists == (i < 8 ? 2 : 1) && tier->groups[0].rests == (i >= 8));
	}
	CHECK(tier->rests == 4 && tier->looks == 8 && tier->wait < 1);
	tier->due = 1000;
	sample(1024, 1124, 5);
	look(tier);
	CHECK(machine.nr_lists == 2);
	sample(1024, 1124, 5);
	look(tier);
	CHECK(machine.nr_lists == 2 && fast_of(1024, 1124) == 100);
	destroy(tier);
}

static double cpu_of_looks(const struct tier *tier)
{
	return tier->cpu[TIER_GLANCE] + tier->cpu[TIER_LIST] +
	       tier->cpu[TIER_DECIDE];
}

/* Looks take a part of the time: it is longer to the next one the more the last one took. */
static void test_pace(void)
{
	struct tier *tier = make(USUAL);
	double before, cost;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		tier->due = 0;
		before = cpu_of_looks(tier);
		sample(0, 400, 5);
		look(tier);
	}
	cost = cpu_of_looks(tier) - before;
	CHECK(!tier->groups[0].plan->burst && tier->groups[0].plan->won < 0.000001);
	CHECK(tier->due >= 6 + cost / 0.0021 && tier->due < 6 + cost / 0.0019);
	CHECK(tier->wait > 0 && tier->wait < tier->due - 6 + cost);
	tier->groups[0].limit = CAPACITY;
	tier->due = 0;
	before = cpu_of_looks(tier);
	sample(0, 400, 5);
	look(tier);
	cost = cpu_of_looks(tier) - before;
	CHECK(!tier->groups[0].plan->forced_pages);
	CHECK(tier->due >= 7 + cost / 0.011 && tier->due < 7 + cost / 0.009);
	tier->interval = cost / 1000;
	tier->due = 0;
	look(tier);
	CHECK(tier->due < 8 + cost / 100);
	destroy(tier);
}

/* Is each page of a list there once, with the tier that it is in? */
static void check_lists(const struct group *group)
{
	bool seen[PAGES] = {};
	size_t i;

	for (i = 0; i < group->pages.nr; i++) {
		const u32 page = (group->pages.pages[i].addr - BASE) >> HTMM_PAGE_SHIFT;

		CHECK(!seen[page]);
		seen[page] = true;
		CHECK((machine.node[page] % 2 == SLOW) == (i < group->nr_slow));
	}
	for (; i < group->pages.nr + group->nr_rest; i++) {
		const u32 page = (group->pages.pages[i].addr - BASE) >> HTMM_PAGE_SHIFT;

		CHECK(!seen[page] && machine.node[page] % 2 == SLOW && !machine.samples[page]);
		seen[page] = true;
	}
}

/* Pages of the slow tier that have none. */
static unsigned int without_samples(__u64 start, __u64 end)
{
	unsigned int nr = 0;
	u32 page;

	for (page = 0; page < USUAL; page++) {
		const __u64 addr = BASE + ((__u64)page << HTMM_PAGE_SHIFT);

		nr += addr >= start && addr < end && machine.node[page] % 2 == SLOW &&
		      !machine.samples[page];
	}
	return nr;
}

/* Of more pages than can be listed, regions are chosen, and the hottest pages beside them. */
static void test_large(void)
{
	struct tier *tier = make(150);
	const struct group *group = &tier->groups[0];
	const struct htmm_list_pages *list = machine.list;
	unsigned int i, ranges = 0, rest = 0;

	tier->config.dry = true;
	sample(0, 200, 2);
	sample(200, 400, 1);
	sample(1000, 1100, 9);
	sample(1100, 1200, 4);
	sample(3600, 3601, 30);
	look(tier);
	CHECK(group->large && !group->slow_cut);
	check_lists(group);
	CHECK(group->nr_slow == 201 && group->pages.nr == 201 + CAPACITY);
	CHECK(group->used == CAPACITY);
	/* Regions, all pages, then what was found, the ranges, and the hottest pages. */
	CHECK(list[0].unit == HTMM_UNIT_REGION && list[1].flags & HTMM_LIST_OTHERS);
	CHECK(list[2].flags == (HTMM_LIST_NODE | HTMM_LIST_RESIDENT) && list[2].pid == PID);
	for (i = 3; i < machine.nr_lists; i++) {
		if (list[i].flags != HTMM_LIST_RESIDENT)
			continue;
		CHECK(list[i].order == HTMM_ORDER_TABLE && list[i].pid == PID &&
		      list[i].target == 1 && list[i].start < list[i].end);
		rest += without_samples(list[i].start, list[i].end);
		ranges++;
	}
	CHECK(group->nr_rest == rest && rest > 1000);
	CHECK(ranges >= 1 && list[machine.nr_lists - 1].order == HTMM_ORDER_HOTTEST);
	destroy(tier);
}

/* The hottest pages are not listed as often if that takes more than half of the time. */
static void test_large_hottest(void)
{
	struct tier *tier = make(150);
	struct group *group = &tier->groups[0];
	unsigned int i, hottest;

	for (hottest = 0; hottest < 2; hottest++) {
		sample(0, 400, 2);
		group->hottest_s = hottest ? 0 : 1000;
		tier->due = 0;
		look(tier);
		for (i = 0; i < machine.nr_lists && machine.list[i].flags != HTMM_LIST_NODE; i++)
			;
		CHECK(group->large && (i < machine.nr_lists) == hottest);
		CHECK(group->ranges_s > 0);
	}
	CHECK(group->hottest_s > 0);
	destroy(tier);
}

/*
 * What a large group uses takes long to count, so not more than 0.2 % of the time, unless something
 * else may use it, too. Meanwhile the program frees memory, and pages move. @seldom: count so
 */
static void check_used(bool seldom, u64 capacity, u64 limit, unsigned int groups)
{
	struct tier *tier = groups > 1 ? make_targets() : make(150);
	u32 i, page, used, counts = 0;

	tier->list_pages = 150;
	tier->capacity = capacity;
	tier->groups[0].limit = limit;
	machine.kept = seldom ? 30 : 0;
	machine.count_ms = 4;
	for (i = 0; i < 6; i++) {
		sample(0, 400, 2);
		sample(1000, 1200, 9);
		for (page = 400; page < 400 + 10 * i; page++)
			machine.node[page] = SLOW;
		used = fast_of(0, USUAL);
		tier->due = 0;
		counts = machine.counts;
		look(tier);
		CHECK(tier->groups[0].large && tier->groups[0].used == used);
		/* It takes a little more than 4 ms. */
		CHECK(machine.counts == counts + (!seldom || i % 3 == 0));
	}
	destroy(tier);
}

/* Others may have taken memory, or given some back. So a count that takes long is made in time. */
static void check_used_in_time(u64 ms, u64 seconds)
{
	struct tier *tier = make(150);
	u64 first;

	machine.count_ms = ms;
	sample(0, 400, 2);
	look(tier);
	first = machine.seconds;
	while (machine.counts < 2) {
		tier->due = 0;
		sample(0, 400, 2);
		look(tier);
	}
	CHECK(machine.seconds - first == seconds);
	destroy(tier);
}

/* A program takes memory while it is counted; others free so much that it must be counted again. */
static void check_used_meanwhile(void)
{
	struct tier *tier = make(150);
	u32 page, used;

	for (page = 400; page < CAPACITY; page++)
		machine.node[page] = SLOW;
	machine.count_ms = 20;
	machine.taken = 10;
	sample(0, 400, 2);
	sample(1000, 1200, 9);
	look(tier);
	CHECK(machine.counts == 1 && fast_of(400, 420) == 20);
	machine.taken = 0;
	/* It frees some, so that some is free. */
	for (page = 400; page < 440; page++)
		machine.node[page] = SLOW;
	used = fast_of(0, USUAL);
	tier->due = 0;
	look(tier);
	CHECK(machine.counts == 1 && tier->groups[0].used == used);
	for (page = 0; page < 40; page++)
		machine.node[page] = SLOW;
	used = fast_of(0, USUAL);
	machine.more_free = 10 * CAPACITY;
	tier->due = 0;
	look(tier);
	CHECK(machine.counts == 2 && tier->groups[0].used == used);
	destroy(tier);
}

static void test_large_used(void)
{
	check_used_meanwhile();
	check_used_in_time(24, 13);
	check_used_in_time(700, 300);
	check_used(true, 0, 0, 1);
	check_used(false, CAPACITY, 0, 1);
	check_used(false, 0, CAPACITY, 1);
	check_used(false, 0, 0, 2);
}

/* Two nodes a tier: pages of all of them are found, and listed. */
static void test_large_nodes(void)
{
	struct tier *tier = make(150);
	const struct group *group = &tier->groups[0];
	bool found[NODES] = {};
	unsigned int i, round;
	u32 page;

	tier->config.dry = true;
	tier->tiers.fast.bits[0] = 1 << FAST | 1 << 2;
	tier->tiers.slow.bits[0] = 1 << SLOW | 1 << 3;
	for (page = 256; page < CAPACITY; page++)
		machine.node[page] = 2;
	for (page = 2000; page < 3000; page++)
		machine.node[page] = 3;
	for (round = 0; round < 3; round++) {
		sample(0, 256, 5);
		sample(256, CAPACITY, 3);
		sample(1000, 1200, 7);
		sample(2000, 2200, 9);
		tier->due = 0;
		look(tier);
		check_lists(group);
		CHECK(group->large && group->nr_slow == 400 && group->pages.nr == 400 + CAPACITY);
		for (i = 0; i < machine.nr_lists; i++)
			if (machine.list[i].flags == (HTMM_LIST_NODE | HTMM_LIST_RESIDENT))
				found[machine.list[i].node] = true;
	}
	CHECK(found[FAST] && found[2] && !found[SLOW] && !found[3]);
	destroy(tier);
}

/*
 * Two processes with more pages of the fast tier than one look finds, and two nodes: all are found
 * one after the other, and then again.
 */
static void test_large_hand(void)
{
	struct tier *tier = make(150);
	u32 page, round, least = 99, most = 0;

	tier->config.dry = true;
	tier->tiers.fast.bits[0] = 1 << FAST | 1 << 2;
	machine.second = 20480;
	machine.size = PAGES;
	for (page = 0; page < PAGES; page++)
		machine.node[page] = page % 3 ? FAST : 2;
	for (round = 0; round < 6; round++) {
		sample(0, PAGES, 1);
		tier->due = 0;
		tier->groups[0].find_s = 0;
		look(tier);
		check_lists(&tier->groups[0]);
	}
	for (page = 0; page < PAGES; page++) {
		least = machine.found[page] < least ? machine.found[page] : least;
		most = machine.found[page] > most ? machine.found[page] : most;
	}
	printf("# each page was found %u to %u times\n", least, most);
	CHECK(least >= 2 && most <= least + 1);
	destroy(tier);
}

/* It takes at most half of the time. */
static void test_large_seldom(void)
{
	struct tier *tier = make(150);
	unsigned int i, round, found[2] = {};

	for (round = 0; round < 2; round++) {
		sample(0, 400, 2);
		tier->groups[0].find_s = round ? 1000 : 0;
		tier->due = 0;
		look(tier);
		for (i = 0; i < machine.nr_lists; i++)
			found[round] += machine.list[i].flags ==
					(HTMM_LIST_NODE | HTMM_LIST_RESIDENT);
	}
	/* Once for each process and node: not again and again. */
	CHECK(found[0] == 1 && !found[1]);
	destroy(tier);
}

/* A target may be removed while its pages are listed. */
static void test_large_removed(void)
{
	struct tier *tier = make(150);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		sample(0, 400, 2);
		sample(1000, 1100, 9);
		tier->due = 0;
		machine.removed = i > 0;
		look(tier);
		CHECK(tier->groups[0].large && tier->looks == i + 1);
	}
	CHECK(tier->groups[0].pages.nr == tier->groups[0].nr_slow);
	destroy(tier);
}

/* Where the fast tier serves nothing, regions cannot show that it serves less. */
static void test_rests_unseen(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	tier->config.dry = true;
	for (i = 0; i < 12; i++) {
		tier->due = i < 8 ? 0 : 1000;
		sample(1024, 1424, 5);
		look(tier);
		CHECK(machine.nr_lists == (i < 8 ? 2 : 0) && tier->groups[0].rests == (i >= 8));
	}
	CHECK(tier->rests == 4 && tier->looks == 8 && tier->wait >= 1);
	tier->due = 0;
	look(tier);
	CHECK(machine.nr_lists == 2 && tier->looks == 9);
	destroy(tier);
}

/* Counts are halved after a look, when there were enough samples. */
static void test_cooling(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	for (i = 0; i < 8; i++) {
		tier->due = 0;
		sample(0, 100, 9);
		look(tier);
	}
	tier->due = 1000;
	sample(0, 100, 9);
	look(tier);
	CHECK(tier->groups[0].rests && machine.nr_lists == 1 && !machine.coolings);
	/* So could this look, but what was gained before a cooling must be seen. */
	tier->cooling_period = 9000;
	sample(0, 100, 9);
	look(tier);
	CHECK(machine.coolings == 1 && machine.nr_lists == 2 && !tier->groups[0].rests);
	tier->due = 1000;
	look(tier);
	CHECK(machine.coolings == 1);
	destroy(tier);
}

/* Coolings after 51,200 samples, by how many pages have a count. */
static unsigned int coolings_with(u64 pages)
{
	struct tier *tier = make(USUAL);
	unsigned int i, coolings;

	tier->cooling_period = 0;
	machine.pages = pages;
	for (i = 0; i < 2; i++) {
		sample(0, 400, 64);
		look(tier);
		CHECK(i || !machine.coolings);
	}
	coolings = machine.coolings;
	destroy(tier);
	return coolings;
}

/* By default there are four samples for each page between two of them, and at least 40,000. */
static void test_cooling_by_pages(void)
{
	CHECK(coolings_with(12800) == 1 && !coolings_with(12801));
	CHECK(coolings_with(3) == 1);
	CHECK(policy_cooling_period(10000) == 40000 && policy_cooling_period(9000) == 40000);
	CHECK(policy_cooling_period(10001) == 40004);
}

/* Of many samples few are enough while nothing moves, but not when the hot pages change. */
static void test_thin(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	/* 25,600 samples a second: all are taken at first, then 600 of them. */
	sample(0, 400, 64);
	look(tier);
	CHECK(!machine.period[0] && tier->thin == 1);
	for (i = 0; i < 20; i++) {
		sample(0, 400, 64 / tier->thin);
		look(tier);
	}
	CHECK(machine.period[0] == 64 * 499 && tier->thin == 64);
	for (i = 0; i < 2; i++) {
		sample(1000, 1400, 9);
		look(tier);
	}
	CHECK(tier->groups[0].plan->burst && tier->thin < 64);
	CHECK(machine.period[0] == tier->thin * 499);
	destroy(tier);
}

/* After looks at 64 samples a second of each page of one target, and @others of another one. */
static unsigned int thin_of_targets(u32 pages, u32 others, unsigned int looks)
{
	struct tier *tier = make_targets();
	unsigned int i, thin;

	for (i = 0; i < looks; i++) {
		sample(0, pages, 64 / tier->thin);
		machine.others += others / tier->thin;
		look(tier);
	}
	thin = tier->thin;
	CHECK(thin == 1 || machine.period[0] == thin * 499);
	destroy(tier);
	return thin;
}

/* A target that does nothing needs no samples, not even to begin; those of all are to be few. */
static void test_thin_targets(void)
{
	CHECK(thin_of_targets(400, 0, 6) == 64);
	CHECK(thin_of_targets(0, 0, 20) == 1);
	CHECK(thin_of_targets(100, 0, 20) == 16);
	CHECK(thin_of_targets(100, 6400, 20) == 32);
}

/* All events are thinned alike, or none, also if one of them refuses. */
static void test_thin_events(void)
{
	static const struct htmm_event_list two = {
		.nr = 2, .event = { { .period = 499 }, { .period = 1009 } },
	};
	struct tier *tier = make(USUAL);
	unsigned int i;

	tier->events = &two;
	machine.fixed = true;
	for (i = 0; i < 20; i++) {
		sample(0, 400, 64);
		look(tier);
	}
	CHECK(machine.period[0] == 499 && tier->thin == 1);
	machine.fixed = false;
	sample(0, 400, 64);
	look(tier);
	CHECK(tier->thin == 64);
	CHECK(machine.period[0] == 64 * 499 && machine.period[1] == 64 * 1009);
	destroy(tier);
}

/* What is counted while the lists are read does not look like a change of the hot pages. */
static void test_meanwhile(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;
	double share;

	tier->config.dry = true;
	for (i = 0; i < 8; i++) {
		/* All is listed at each look. */
		tier->groups[0].plan = NULL;
		machine.meanwhile = i % 2 ? 20 : 0;
		sample_rounds(30);
		look(tier);
		share = tier->groups[0].plan->fast_share;
		CHECK(share > 0.8999 && share < 0.9001 && !tier->groups[0].plan->cool);
	}
	destroy(tier);
}

/* A session that was stopped has nothing new to tell. */
static void test_end(void)
{
	struct tier *tier = make(USUAL);
	struct htmm_error err;

	machine.state = HTMM_STATE_STOPPED;
	CHECK(tier_look(tier, &err) == -ESHUTDOWN);
	machine.state = HTMM_STATE_RUNNING;
	tier->session = 4;
	CHECK(tier_look(tier, &err) == -ESHUTDOWN);
	destroy(tier);
}

/* Moves of pages from @first on, half of them of another process. */
static void promote(struct tier *tier, u32 first, u32 nr)
{
	struct policy_move *moves = calloc(nr, sizeof(*moves));
	u32 i;

	CHECK(moves);
	machine.nr_calls = 0;
	for (i = 0; i < nr; i++)
		moves[i] = (struct policy_move) {
			.addr = BASE + ((u64)(first + i) << HTMM_PAGE_SHIFT), .pages = 1,
			.pid = i < nr / 2 ? PID : PID + 1, .node = SLOW, .promote = true,
		};
	mover_move(&tier->mover, tier->groups[0].policy, moves, nr);
	free(moves);
}

/* No more than 512 pages a call, and of one process. */
static void test_batches(void)
{
	struct tier *tier = make(USUAL);

	tier->mover.shared = true;
	promote(tier, 1000, 1600);
	CHECK(machine.nr_calls == 4);
	CHECK(machine.call[0].nr == 512 && machine.call[0].pid == PID);
	CHECK(machine.call[1].nr == 288 && machine.call[1].pid == PID);
	CHECK(machine.call[2].nr == 512 && machine.call[2].pid == PID + 1);
	CHECK(machine.call[3].nr == 288 && machine.call[3].flags == MPOL_MF_MOVE_ALL);
	CHECK(tier->mover.promoted == 1600 && fast_of(1000, 2600) == 1600);
	destroy(tier);
}

/* Each page that does not move is counted under its reason; the others move. */
static void test_refused(void)
{
	static const struct {
		int error;
		enum refusal refusal;
	} cases[] = {
		{ ENOENT, REFUSED_ABSENT }, { EFAULT, REFUSED_ABSENT }, { EACCES, REFUSED_SHARED },
		{ EBUSY, REFUSED_BUSY }, { EIO, REFUSED_BUSY }, { ENOMEM, REFUSED_FULL },
		{ EINVAL, REFUSED_FORBIDDEN }, { EXDEV, REFUSED_OTHER },
	};
	struct tier *tier = make(USUAL);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 first = 1000 + 10 * i;
		u64 before = tier->mover.refused[cases[i].refusal];

		machine.error[first + 3] = cases[i].error;
		promote(tier, first, 10);
		CHECK(tier->mover.refused[cases[i].refusal] == before + 1);
		CHECK(fast_of(first, first + 10) == 9);
	}
	CHECK(tier->mover.promoted == 9 * i);
	destroy(tier);
}

/* What a copy costs is learnt only if enough pages moved, however many were to move. */
static void test_copy_cost(void)
{
	struct tier *tier = make(USUAL);
	const struct policy *policy = tier->groups[0].policy;
	u32 page;

	for (page = 1000; page < 1090; page++)
		machine.error[page] = EACCES;
	promote(tier, 1000, 100);
	CHECK(tier->mover.promoted == 10 && policy->copy_ns == 5000);
	promote(tier, 1090, 100);
	CHECK(tier->mover.promoted == 110 && policy->copy_ns != 5000);
	destroy(tier);
}

/* It is the CPU time of the copies, without waits, and without what is read before. */
static void test_copy_cost_alone(void)
{
	struct tier *tier = make(USUAL);
	const struct policy *policy = tier->groups[0].policy;

	machine.slow = true;
	promote(tier, 1000, 100);
	CHECK(tier->mover.promoted == 100 && machine.maps_read);
	/* 5,000 counts three quarters, 10,000 the rest. One of those would make 50,000 of it. */
	CHECK(policy->copy_ns > 5500 && policy->copy_ns < 25000);
	CHECK(tier->mover.ns >= 2 * SLOW_MS * 1000000);
	destroy(tier);
}

/* Pages that are tried again and again are counted once. */
static void test_refused_once(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i, tried = 0, call;
	u32 page;

	for (page = 1000; page < 1100; page++)
		machine.error[page] = EACCES;
	for (i = 0; i < 12; i++) {
		tier->due = 0;
		machine.seconds += 100;
		sample(1000, 1100, 50);
		look(tier);
		for (call = 0; call < machine.nr_calls; call++)
			tried += machine.call[call].node == FAST ? machine.call[call].nr : 0;
	}
	CHECK(tried >= 200 && tier->mover.refused[REFUSED_SHARED] == 100);
	destroy(tier);
}

/* The session's capacity is that of the loop, and the other way round. */
static void test_capacity(void)
{
	struct tier *tier = make(USUAL);
	const struct group *group = &tier->groups[0];

	sample(0, 400, 5);
	look(tier);
	CHECK(group->capacity == CAPACITY && machine.capacity[0] == CAPACITY && machine.sets == 1);
	sample(0, 400, 5);
	tier->due = 0;
	look(tier);
	CHECK(machine.sets == 1);
	/* Somebody sets another one, though no look is due. */
	machine.capacity[0] = 300;
	tier->due = 1000;
	look(tier);
	CHECK(!group->rests && group->capacity == 300);
	CHECK(machine.capacity[0] == 300 && machine.sets == 1);
	tier->due = 1000;
	look(tier);
	CHECK(group->capacity == 300 && machine.sets == 1);
	/* More than there is. */
	machine.capacity[0] = 9000;
	look(tier);
	CHECK(group->capacity == CAPACITY && machine.capacity[0] == CAPACITY && machine.sets == 2);
	look(tier);
	CHECK(tier->capacity == 9000 && group->capacity == CAPACITY && machine.sets == 2);
	destroy(tier);
}

/* Of targets that share by weight, each has its part. */
static void test_capacity_of_targets(void)
{
	struct tier *tier = make_targets();
	struct htmm_error err;

	sample(0, 400, 5);
	machine.seconds++;
	CHECK(!tier_look(tier, &err));
	CHECK(machine.capacity[1] == tier->groups[0].capacity);
	CHECK(machine.capacity[2] == tier->groups[1].capacity);
	CHECK(machine.capacity[0] == 4 * machine.capacity[2] && machine.capacity[2]);
	CHECK(machine.capacity[1] == 3 * machine.capacity[2]);
	destroy(tier);
}

/* A target with a limit has no more than that, and the other one all that it leaves. */
static void test_limit(void)
{
	struct tier *tier = make_targets();
	struct group *one = &tier->groups[0], *other = &tier->groups[1];
	u64 reserve;
	u32 page;

	one->limit = 200;
	sample(0, 100, 5);
	look(tier);
	CHECK(one->capacity == 200 && machine.capacity[1] == 200);
	CHECK(one->plan->forced_pages == 312 && fast_of(0, USUAL) <= 200);
	CHECK(fast_of(0, 100) == 100);
	/* At the beginning it had more, so nothing was left. */
	CHECK(other->capacity == 312 && machine.capacity[2] == 312 && machine.capacity[0] == 512);
	CHECK(machine.sets == 3);
	/* Now it has less than its limit. */
	for (page = 100; page < USUAL; page++)
		machine.node[page] = SLOW;
	tier->due = 0;
	sample(0, 100, 5);
	reserve = one->plan->reserve;
	look(tier);
	CHECK(one->capacity == 200 && other->capacity == CAPACITY - 100 - reserve && reserve < 10);
	/* It wants more. */
	tier->due = 0;
	sample(1000, 1050, 5);
	reserve = one->plan->reserve;
	look(tier);
	CHECK(one->capacity == 200 && other->capacity == CAPACITY - 150 - reserve && reserve < 10);
	destroy(tier);
}

/* With limits for all, some of the fast tier is nobody's, and not of the session's capacity. */
static void test_limits(void)
{
	struct tier *tier = make_targets();

	tier->groups[0].limit = 200;
	tier->groups[1].limit = 100;
	sample(1000, 1400, 5);
	look(tier);
	CHECK(tier->groups[0].capacity == 200 && tier->groups[1].capacity == 100);
	CHECK(machine.capacity[0] == 300);
	CHECK(machine.capacity[1] == 200 && machine.capacity[2] == 100);
	tier->due = 0;
	tier->capacity = 150;
	look(tier);
	/* The one that wants nothing does not keep the other from it. */
	CHECK(tier->groups[0].capacity == 150 && !tier->groups[1].capacity);
	destroy(tier);
}

/* What the fast tier serves before there are moves, and in the end. */
static void test_effect(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i;

	for (i = 0; i < 12; i++) {
		tier->due = 0;
		sample(0, 10, 5);
		sample(1000, 1090, 5);
		look(tier);
	}
	CHECK(fast_of(1000, 1090) == 90);
	CHECK(tier->before.samples == 500 && tier->before.fast == 50);
	CHECK(tier->lately.fast > 0.99 * tier->lately.samples);
	machine.seconds = 77;
	tier_end(tier);
	CHECK(tier->seconds > 76 && tier->seconds < 78);
	destroy(tier);
}

/* A page at which the kernel stops holds up none of those behind it for good. */
static void test_stopped(void)
{
	struct tier *tier = make(USUAL);

	machine.error[1003] = EAGAIN;
	promote(tier, 1000, 10);
	CHECK(machine.nr_calls > 2 && machine.nr_calls < 10);
	CHECK(tier->mover.refused[REFUSED_BUSY] >= 1);
	CHECK(tier->mover.promoted + tier->mover.refused[REFUSED_BUSY] == 10);
	CHECK(tier->mover.promoted == fast_of(1000, 1010) && tier->mover.promoted >= 8);
	destroy(tier);
}

/* A process that is gone, or that may not use the node. */
static void test_whole_call(void)
{
	struct tier *tier = make(USUAL);

	machine.whole = ESRCH;
	promote(tier, 1000, 10);
	CHECK(tier->mover.refused[REFUSED_GONE] == 10);
	machine.whole = EACCES;
	promote(tier, 1010, 10);
	CHECK(tier->mover.refused[REFUSED_FORBIDDEN] == 10);
	CHECK(!tier->mover.promoted);
	destroy(tier);
}

/* One target has exited from the start, and then the other. */
static void test_exited(void)
{
	struct tier *tier = make(USUAL);
	struct htmm_error err = {};

	CHECK(!tier_look(tier, &err) && tier->alive == 1);
	machine.dead = true;
	CHECK(tier_look(tier, &err) == -ESRCH && !tier->alive);
	CHECK(!strcmp(err.what, "no process is left to look at"));
	destroy(tier);
}

/* The policies know what samples and looks have cost, together, and which CPUs are busy. */
static void test_cost(void)
{
	struct tier *tier = make_targets();
	const struct balance *one = &tier->groups[0].policy->balance;
	const struct balance *other = &tier->groups[1].policy->balance;
	double cost;

	CHECK(tier->busy.ticks);
	tier->config.dry = true;
	sample(1000, 1400, 5);
	look(tier);
	cost = tier->cpu[TIER_GLANCE] + tier->cpu[TIER_LIST] + tier->cpu[TIER_DECIDE];
	CHECK(cost > 0 && one->all_spent > other->all_spent);
	CHECK(fabs(other->all_spent - cost / 2) < 0.000000001);
	CHECK(fabs(one->all_spent - cost / 2 - 2000 * 0.0000015) < 0.000000001);
	CHECK(tier->busy.seconds == tier->seconds && tier->busy.cpus > 0);
	CHECK(one->busy == fmin(tier->busy.cpus, 1));
	destroy(tier);
}

/* Copies cost time, however few they are. */
static void test_cost_of_copies(void)
{
	struct tier *tier = make(USUAL);
	const struct balance *balance = &tier->groups[0].policy->balance;
	struct htmm_error err;
	double before;

	sample(1000, 1005, 500);
	machine.seconds++;
	CHECK(!tier_look(tier, &err));
	CHECK(tier->groups[0].plan->nr_moves > 0 && tier->groups[0].plan->nr_moves < 20);
	before = balance->all_spent;
	tier_move(tier);
	CHECK(balance->all_spent > before);
	destroy(tier);
}

/* CPU time between two calls, which take too short a time after each other to tell. */
static void test_busy(void)
{
	const double hz = sysconf(_SC_CLK_TCK);
	struct busy busy = {};
	char line[128];
	unsigned int i;
	/* Guest time is in user time already; idle time, and waiting for disks, does not count. */
	const char *format = "cpu  %.0f 10 20 %.0f %.0f %.0f 60 70 80 90";

	for (i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), format, 1000 + i * 5 * hz, 30 + i * 7 * hz,
			 40 + i * 3 * hz, 50 + i * hz);
		busy_read(&busy, line, 100 + 2 * i);
		CHECK(fabs(busy.cpus - (i ? 3 : 0)) < 0.001);
	}
	snprintf(line, sizeof(line), format, 1000 + 14 * hz, 30.0, 40.0, 50 + 2 * hz);
	busy_read(&busy, line, 104.05);
	CHECK(fabs(busy.cpus - 3) < 0.001);
	busy_read(&busy, line, 105);
	CHECK(fabs(busy.cpus - 4) < 0.001);
	busy_read(&busy, "intr 1 2 3 4 5 6 7 8 9", 110);
	CHECK(fabs(busy.cpus - 4) < 0.001);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_moves),
		TAP_TEST(test_bound),
		TAP_TEST(test_bound_the_same),
		TAP_TEST(test_lists),
		TAP_TEST(test_first_look),
		TAP_TEST(test_more_nodes),
		TAP_TEST(test_rests),
		TAP_TEST(test_rests_unseen),
		TAP_TEST(test_pace),
		TAP_TEST(test_large),
		TAP_TEST(test_large_used),
		TAP_TEST(test_large_hottest),
		TAP_TEST(test_large_hand),
		TAP_TEST(test_large_seldom),
		TAP_TEST(test_large_removed),
		TAP_TEST(test_large_nodes),
		TAP_TEST(test_cooling),
		TAP_TEST(test_cooling_by_pages),
		TAP_TEST(test_thin),
		TAP_TEST(test_thin_targets),
		TAP_TEST(test_thin_events),
		TAP_TEST(test_meanwhile),
		TAP_TEST(test_end),
		TAP_TEST(test_batches),
		TAP_TEST(test_refused),
		TAP_TEST(test_copy_cost),
		TAP_TEST(test_copy_cost_alone),
		TAP_TEST(test_refused_once),
		TAP_TEST(test_capacity),
		TAP_TEST(test_capacity_of_targets),
		TAP_TEST(test_limit),
		TAP_TEST(test_limits),
		TAP_TEST(test_effect),
		TAP_TEST(test_stopped),
		TAP_TEST(test_whole_call),
		TAP_TEST(test_exited),
		TAP_TEST(test_cost),
		TAP_TEST(test_cost_of_copies),
		TAP_TEST(test_busy),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
