// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "htmmctl/clock.h"
#include "tier_machine.h"

struct machine machine;

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
	if (strcmp(path, "/proc/77/numa_maps") && strcmp(path, "/proc/589/numa_maps"))
		return __real_fopen(path, mode);
	machine.maps_read++;
	if (machine.slow)
		take_cpu(machine.slow * SLOW_MS);
	if (!machine.maps)
		return NULL;
	return fmemopen((void *)(uintptr_t)machine.maps, strlen(machine.maps), "r");
}

void sample(u32 from, u32 to, u32 times)
{
	for (; from < to; from++) {
		machine.samples[from] += times;
		machine.total += times;
	}
}

void sample_rounds(u32 rounds)
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
	list->nr = machine.other == OTHER_GONE ? 1 : 2;
	list->target = calloc(2, sizeof(*list->target));
	CHECK(list->target);
	list->target[1].number = 2;
	list->target[1].flags = machine.other == OTHER_DEAD ? HTMM_TARGET_INFO_DEAD : 0;
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

static void list_page(const struct htmm_list_pages *request, struct htmm_page_list *list, u32 page,
		      u32 pid)
{
	if (!listed(request, page))
		return;
	list->pages[list->nr++] = (struct htmm_page) {
		.addr = BASE + ((u64)page << HTMM_PAGE_SHIFT), .pid = pid, .space = pid,
		.samples = machine.samples[page], .target = 1, .node = machine.node[page],
		.mapping_shift = HTMM_PAGE_SHIFT,
	};
}

int __wrap_htmm_device_list_pages(int fd, const struct htmm_list_pages *request, size_t max,
				  struct htmm_page_list *list, struct htmm_error *err);
int __wrap_htmm_device_list_pages(int fd, const struct htmm_list_pages *request, size_t max,
				  struct htmm_page_list *list, struct htmm_error *err)
{
	u32 page;

	CHECK(machine.nr_lists < CALLS);
	machine.list[machine.nr_lists++] = *request;
	*list = (struct htmm_page_list) { .pages = calloc(2 * machine.size, sizeof(*list->pages)) };
	CHECK(list->pages);
	if (request->target > 1)
		return 0;
	if (machine.removed && request->target)
		return -ENOENT;
	if (request->unit == HTMM_UNIT_REGION) {
		list_regions(request, list);
		return 0;
	}
	if (machine.skipped) {
		machine.skipped--;
		list->skipped = 1;
		return 0;
	}
	sample_rounds(machine.meanwhile);
	for (page = 0; page < machine.size + machine.both; page++)
		list_page(request, list, page % machine.size,
			  page < machine.size ? pid_of(page) : PID2);
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
	buf->placement.skipped = machine.skipped > 0 || machine.counted;
	for (page = 0; page < (machine.counted ?: machine.size) && !machine.skipped; page++)
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

const struct policy_plan *__real_policy_look(struct policy *policy, const struct policy_look *look);
const struct policy_plan *__wrap_policy_look(struct policy *policy, const struct policy_look *look);
const struct policy_plan *__wrap_policy_look(struct policy *policy, const struct policy_look *look)
{
	return machine.no_memory ? NULL : __real_policy_look(policy, look);
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

	if (node == 2)
		return machine.second_node - on_node(node);
	return node == FAST && used < CAPACITY ? CAPACITY - used + machine.more_free : 0;
}

int __wrap_tiers_roomiest(const struct htmm_cpus *nodes, __u64 *room);
int __wrap_tiers_roomiest(const struct htmm_cpus *nodes, __u64 *room)
{
	const u64 first = htmm_cpus_has(nodes, FAST) ? __wrap_tiers_free_pages(FAST) : 0;
	const u64 second = htmm_cpus_has(nodes, 2) ? __wrap_tiers_free_pages(2) : 0;

	*room = first > second ? first : second;
	return second > first ? 2 : tiers_next(nodes, -1);
}

/* Told from one that nobody has read. */
#define HOMES	7

typeof(homes_read) __wrap_homes_read;

void __wrap_homes_read(struct homes *homes, const struct tiers *tiers)
{
	homes->nr = HOMES;
}

/* Of PID alone, it is known where it runs. */
const struct htmm_cpus *__wrap_home_of(struct homes *homes, pid_t pid);
const struct htmm_cpus *__wrap_home_of(struct homes *homes, pid_t pid)
{
	CHECK(homes->nr == HOMES && !homes->home.size);
	machine.homes_looked_up += homes->pid != pid;
	homes->pid = pid;
	return pid == PID ? &machine.home : &homes->home;
}

int __wrap_htmm_device_set(int fd, struct htmm_set *set, size_t size, struct htmm_error *err);
int __wrap_htmm_device_set(int fd, struct htmm_set *set, size_t size, struct htmm_error *err)
{
	CHECK(set->session == 3);
	if (machine.refuses)
		return -EBUSY;
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

struct tier *make(u64 list_pages)
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

struct tier *make_targets(void)
{
	struct tier *tier = make(USUAL);

	tier->groups[0].target = 1;
	machine.other = OTHER_ALIVE;
	tier->groups[0].weight = 3;
	tier->groups[1] = (struct group) { .target = 2, .weight = 1 };
	tier->groups[1].policy = policy_new(&tier->config);
	CHECK(tier->groups[1].policy);
	tier->nr_groups = 2;
	return tier;
}

void destroy(struct tier *tier)
{
	tier_close(tier);
	free(tier);
}

void look(struct tier *tier)
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

u32 fast_of(u32 from, u32 to)
{
	u32 nr = 0;

	for (; from < to; from++)
		nr += machine.node[from] == FAST;
	return nr;
}
