// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include "policy_memory.h"

const struct policy_config usual = { .gap_ns = 170, .copy_ns = 5000 };

struct memory *make_with(u32 pages, u32 off)
{
	struct memory *memory = calloc(1, sizeof(*memory));
	struct policy_config config = usual;
	u32 page;

	CHECK(memory);
	config.off = off;
	memory->policy = policy_new(&config);
	CHECK(memory->policy);
	memory->pages = pages;
	memory->capacity = CAPACITY;
	memory->shift = HTMM_PAGE_SHIFT;
	by_target_add(&memory->coolings, TARGET - HTMM_MAX_TARGETS - 1, 0);
	by_target_add(&memory->coolings, TARGET, 0);
	for (page = 0; page < CAPACITY; page++) {
		memory->fast[page] = true;
		memory->first[page] = true;
	}
	return memory;
}

struct memory *make(u32 pages, u32 off)
{
	return make_with(pages, off | bit(POLICY_RESERVE));
}

void destroy(struct memory *memory)
{
	policy_free(memory->policy);
	free(memory);
}

void sample(struct memory *memory, u32 from, u32 to, u32 times)
{
	for (; from < to; from++) {
		memory->samples[from] += times;
		memory->total += times;
		memory->saved += ((int)memory->fast[from] - memory->first[from]) * (long long)times;
	}
}

void cool(struct memory *memory)
{
	u32 page;

	for (page = 0; page < memory->pages; page++)
		memory->samples[page] /= 2;
	memory->coolings.value[1]++;
}

static int by_samples_down(const void *a, const void *b)
{
	const struct htmm_page *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->addr > y->addr ? -1 : x->addr < y->addr;
}

u64 used(const struct memory *memory)
{
	u64 nr = 0;
	u32 page;

	for (page = 0; page < memory->pages; page++)
		nr += memory->fast[page];
	return nr;
}

/* With much memory, those with samples. */
static size_t list_regions(struct memory *memory)
{
	struct htmm_page *region = memory->regions;
	u32 page, end;

	for (page = 0; page < memory->pages; page = end) {
		end = page + HUGE < memory->pages ? page + HUGE : memory->pages;
		*region = (struct htmm_page) {
			.addr = 0x10000000 + ((u64)page << HTMM_PAGE_SHIFT),
			.pid = memory->hidden && page / HUGE == memory->hidden / HUGE ? 0 : 77,
			.target = TARGET, .space = 3, .mapping_shift = HTMM_REGION_SHIFT,
		};
		for (; page < end; page++)
			region->samples += memory->samples[page];
		region += region->samples || !memory->focused;
	}
	return region - memory->regions;
}

static struct htmm_page page_at(const struct memory *memory, u32 page)
{
	return (struct htmm_page) {
		.addr = 0x10000000 + ((u64)page << HTMM_PAGE_SHIFT), .pid = 77,
		.samples = memory->samples[page], .target = TARGET, .space = 3,
		.node = !memory->fast[page], .mapping_shift = memory->shift,
	};
}

bool in_focus(const struct memory *memory, u32 page)
{
	const struct htmm_page one = page_at(memory, page);
	bool chosen = false;
	ssize_t i;

	for (i = 0; i < memory->nr_ranges && !chosen; i++)
		chosen = one.addr >= memory->range[i].start && one.addr < memory->range[i].end;
	CHECK(policy_in_focus(memory->policy, &one) == chosen);
	return chosen;
}

/* Finds the next pages of the fast tier, and asks the policy where to look. */
static void choose(struct memory *memory, struct policy_look *at)
{
	const size_t most = policy_find(memory->policy);

	at->found = memory->fast_list;
	for (; memory->hand < memory->pages && at->nr_found < most; memory->hand++)
		if (memory->fast[memory->hand])
			memory->fast_list[at->nr_found++] = page_at(memory, memory->hand);
	if (memory->hand == memory->pages)
		memory->hand = 0;
	memory->nr_ranges = policy_focus(memory->policy, at, &memory->range);
	CHECK(memory->nr_ranges >= 0);
}

/* The hottest pages of the slow tier that are not in focus. */
static void add_hottest(struct memory *memory, struct policy_look *at)
{
	struct htmm_page *list = calloc(memory->pages, sizeof(*list));
	size_t nr = 0, i;
	u32 page;

	CHECK(list);
	for (page = 0; page < memory->pages; page++)
		if (!memory->fast[page] && memory->samples[page])
			list[nr++] = page_at(memory, page);
	qsort(list, nr, sizeof(*list), by_samples_down);
	for (i = 0; i < nr && i < policy_hottest(memory->policy); i++)
		if (memory->shift == HTMM_PAGE_SHIFT &&
		    !policy_in_focus(memory->policy, &list[i]))
			memory->slow_list[at->nr_slow++] = list[i];
	free(list);
}

/* One second passes; what is known then. */
static struct policy_look list(struct memory *memory, bool pages)
{
	struct policy_look at = {
		.slow = memory->slow_list, .fast = memory->fast_list, .rest = memory->rest_list,
		.regions = memory->regions, .nr_regions = list_regions(memory),
		.capacity = memory->capacity, .used = used(memory),
		.samples = memory->total,
		.others = memory->others,
		.coolings = &memory->coolings, .period = 499,
		.slow_cut = memory->slow_cut, .focused = memory->focused, .busy = memory->busy,
		.thin = memory->thin,
	};
	u32 page;

	if (pages && memory->focused)
		choose(memory, &at);
	for (page = 0; page < memory->pages && pages; page++) {
		const struct htmm_page one = page_at(memory, page);

		if (memory->focused && !in_focus(memory, page))
			continue;
		if (memory->fast[page])
			memory->fast_list[at.nr_fast++] = one;
		else if (one.samples > memory->slow_cut)
			memory->slow_list[at.nr_slow++] = one;
		else if (memory->focused)
			memory->rest_list[at.nr_rest++] = one;
	}
	if (pages && memory->focused && memory->hottest)
		add_hottest(memory, &at);
	memory->seconds += 1;
	at.seconds = memory->seconds;
	return at;
}

bool changed(struct memory *memory)
{
	struct policy_look at = list(memory, false);

	return policy_changed(memory->policy, &at);
}

void fail(struct memory *memory)
{
	list(memory, true);
}

const struct policy_plan *look(struct memory *memory)
{
	struct policy_look at = list(memory, true);

	memory->plan = policy_look(memory->policy, &at);
	CHECK(memory->plan);
	return memory->plan;
}

double wait_after(const struct memory *memory, double cost)
{
	return policy_wait(memory->policy, cost, memory->plan->thin);
}

void obey(struct memory *memory)
{
	size_t i;
	u32 n;

	for (i = 0; i < memory->plan->nr_moves; i++) {
		const struct policy_move *move = &memory->plan->moves[i];
		u32 page = (move->addr - 0x10000000) >> HTMM_PAGE_SHIFT;

		CHECK(move->pid == 77 && move->space == 3 && move->target == TARGET);
		CHECK(move->promote == (i >= memory->plan->nr_demotions));
		for (n = 0; n < move->pages; n++) {
			CHECK(memory->fast[page + n] != move->promote);
			memory->fast[page + n] = move->promote;
		}
	}
	CHECK(used(memory) <= memory->capacity);
}

bool near(double a, double b, double part)
{
	return fabs(a - b) <= part * fabs(b) + 0.000000001;
}

bool knows(const struct memory *memory, double part)
{
	printf("# %.4f s of %.4f\n", memory->plan->saved_s, memory->saved * GAP_S);
	return near(memory->plan->saved_s, memory->saved * GAP_S, part);
}

u64 fast_of(const struct memory *memory, u32 from, u32 to)
{
	u64 nr = 0;

	for (; from < to; from++)
		nr += memory->fast[from];
	return nr;
}

void work(struct memory *memory, u32 from, u32 to, u32 times, u32 looks)
{
	while (looks--) {
		sample(memory, from, to, times);
		look(memory);
		obey(memory);
	}
}

struct memory *make_large(void)
{
	struct memory *memory = make(PAGES, 0);
	u32 page;

	memory->focused = true;
	memory->capacity = 32 * HUGE;
	for (page = 0; page < memory->capacity; page++)
		memory->fast[page] = true;
	return memory;
}

void sample_regions(struct memory *memory, u32 from, u32 to, u32 times)
{
	sample(memory, from * HUGE, to * HUGE, times);
}

void sample_all(struct memory *memory, u32 times)
{
	u32 region;

	for (region = 0; region < REGIONS; region++)
		sample(memory, region * HUGE, region * HUGE + 20, region < 32 ? 2 : 2 * times);
}

u32 focused_regions(const struct memory *memory, u32 from, u32 to)
{
	u32 nr = 0;

	for (; from < to; from++)
		nr += in_focus(memory, from * HUGE);
	return nr;
}
