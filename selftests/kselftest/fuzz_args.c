// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "abi.h"
#include "fuzz_args.h"

#define MOST_CHANGES	4
#define GOOD_TARGETS	4
#define MOST_EVENTS	3
#define MOST_FED	16
#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))
/*
 * Address of the sandboxes, each followed by a gap. Far from all memory of the program, so
 * that a pointer with a few wrong bits does not hit it.
 */
#define SANDBOXES	0x1000000000UL
#define SANDBOX_BYTES	0x1000000UL

bool fuzz_init(struct fuzz_args *n, unsigned int i, uint64_t seed)
{
	void *at = (void *)(SANDBOXES + i * SANDBOX_BYTES);

	/* Never 0, as xorshift would stay at 0. */
	n->random = (seed + i) * 0x9e3779b97f4a7c15 | 1;
	n->box = mmap(at, sizeof(*n->box), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	return n->box == at;
}

static uint64_t random_next(struct fuzz_args *n)
{
	n->random ^= n->random << 13;
	n->random ^= n->random >> 7;
	n->random ^= n->random << 17;
	return n->random;
}

unsigned int fuzz_below(struct fuzz_args *n, unsigned int limit)
{
	return (random_next(n) >> 20) % limit;
}

bool fuzz_one_in(struct fuzz_args *n, unsigned int chances)
{
	return !fuzz_below(n, chances);
}

uint64_t fuzz_number(struct fuzz_args *n)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 4, 7, 8, 16, 63, 64, 65, 1000, 4095, 4096, 4097,
		INT32_MAX, 1ULL << 31, UINT32_MAX, 1ULL << 32, 1ULL << 63,
		INT64_MAX, UINT64_MAX, 0xffff888000000000, 0x7ffffffff000,
	};

	if (fuzz_one_in(n, 3))
		return random_next(n) >> fuzz_below(n, 64);
	return odd[fuzz_below(n, ARRAY_SIZE(odd))];
}

/* A pointer to memory that is readable, partly readable, or not at all. */
uint64_t fuzz_pointer(struct fuzz_args *n)
{
	const uintptr_t end = (uintptr_t)(n->box + 1);

	switch (fuzz_below(n, 6)) {
	case 0:
		return end - fuzz_below(n, 64);
	case 1:
		return (uintptr_t)n->box->out + fuzz_below(n, 8);
	case 2:
		return (uintptr_t)n->box->events;
	case 3:
		return end;
	default:
		return fuzz_number(n);
	}
}

static void good_event(struct fuzz_args *n, struct htmm_event *event)
{
	*event = *n->event;
	if (fuzz_one_in(n, 2)) {
		event->type = PERF_TYPE_SOFTWARE;
		event->config = PERF_COUNT_SW_PAGE_FAULTS;
		event->precise_ip = 0;
		event->period = 1 + fuzz_below(n, 100);
	}
}

/* One target of each type, and two of the first type. */
static void good_targets(struct fuzz_args *n)
{
	n->box->targets[0] = (struct htmm_target) {
		.type = HTMM_TARGET_TGID,
		.id = getpid(),
		.capacity_pages = fuzz_below(n, 100),
	};
	n->box->targets[1] = (struct htmm_target) {
		.type = HTMM_TARGET_TGID,
		.id = getppid(),
	};
	n->box->targets[2] = (struct htmm_target) {
		.type = HTMM_TARGET_CGROUP,
		.id = n->cgroup,
	};
	n->box->targets[3] = (struct htmm_target) { .type = HTMM_TARGET_ALL };
}

static size_t good_start(struct fuzz_args *n, struct htmm_start *start)
{
	unsigned int i;

	*start = (struct htmm_start) {
		.size = sizeof(*start),
		.events = (uintptr_t)n->box->events,
		.nr_events = 1 + fuzz_below(n, MOST_EVENTS),
		.event_size = sizeof(n->box->events[0]),
		.targets = (uintptr_t)n->box->targets,
		.nr_targets = fuzz_below(n, GOOD_TARGETS + 1),
		.target_size = sizeof(n->box->targets[0]),
		.ring_pages = 1 << fuzz_below(n, 4),
		.cooling_period = fuzz_one_in(n, 2) ? 100 : 0,
		.drain_interval_ms = 1 + fuzz_below(n, 50),
		.error = (uintptr_t)n->box->out,
		.error_size = HTMM_ERROR_LEN,
	};
	if (fuzz_one_in(n, 3)) {
		start->flags = HTMM_START_BUDGET | HTMM_START_WEIGHT_PERIOD | HTMM_START_SERVED;
		start->budget_ppm = fuzz_below(n, 100000);
		start->budget_interval_ms = 10;
	}
	start->flags |= fuzz_below(n, 2) * HTMM_START_KEEP_EXITED;
	start->flags |= fuzz_below(n, 2) * HTMM_START_KEEP;
	for (i = 0; i < MOST_ELEMENTS; i++)
		good_event(n, &n->box->events[i]);
	/* Most sessions can be fed: FEED fails in all others. */
	if (start->nr_events > 1)
		n->box->events[start->nr_events - 1] =
			(struct htmm_event) { .type = HTMM_TYPE_FEED, .period = 1 };
	good_targets(n);
	return sizeof(*start);
}

/* Any order and unit, sometimes with filters, or with a cursor that may be of another list. */
static void good_list(struct fuzz_args *n, struct htmm_list_pages *list)
{
	list->pages = (uintptr_t)n->box->out;
	list->page_size = sizeof(struct htmm_page);
	list->nr_pages = 1 + fuzz_below(n, 64);
	list->unit = fuzz_below(n, 2);
	list->order = fuzz_below(n, 3);
	list->min_samples = fuzz_below(n, 3);
	if (fuzz_one_in(n, 3))
		list->flags = fuzz_below(n, 2 * HTMM_LIST_OTHERS);
	if (list->flags & HTMM_LIST_NODE)
		list->node = fuzz_below(n, 2);
	if (fuzz_one_in(n, 3))
		list->target = fuzz_below(n, 2 * GOOD_TARGETS);
	if (fuzz_one_in(n, 3))
		list->pid = getpid();
	if (fuzz_one_in(n, 3))
		list->start = fuzz_number(n) >> 1;
	if (fuzz_one_in(n, 3))
		list->max_samples = list->min_samples + 1 + fuzz_below(n, 100);
	if (fuzz_one_in(n, 4)) {
		list->cursor[0] = fuzz_below(n, 10);
		list->cursor[1] = (1ULL + list->order + 4 * list->unit +
				   2 * (list->flags & HTMM_LIST_RESIDENT)) << 56 |
				  fuzz_number(n) >> 8;
		list->cursor[2] = (uint64_t)fuzz_below(n, 8) << 32 | fuzz_below(n, 8);
		list->cursor[3] = 1 + fuzz_below(n, 64);
	}
}

/* Samples of this process, some with something wrong; foreign ones need a session for them. */
static void good_feed(struct fuzz_args *n, struct htmm_feed *feed)
{
	struct htmm_feed_sample *samples = (struct htmm_feed_sample *)n->box->out;
	unsigned int i;

	feed->flags = fuzz_below(n, 2) * HTMM_FEED_FOREIGN | fuzz_below(n, 2) * HTMM_FEED_CPU;
	feed->cpu = feed->flags & HTMM_FEED_CPU ? fuzz_below(n, 4) : 0;
	feed->event = fuzz_below(n, MOST_EVENTS);
	feed->samples = (uintptr_t)samples;
	feed->sample_size = sizeof(*samples);
	feed->nr_samples = fuzz_below(n, MOST_FED);
	for (i = 0; i < MOST_FED; i++)
		samples[i] = (struct htmm_feed_sample) {
			.addr = (uintptr_t)n->box + fuzz_below(n, sizeof(*n->box)),
			.period = fuzz_below(n, 1000),
			.cookie = feed->flags & HTMM_FEED_FOREIGN ? 1 + fuzz_below(n, 3) : 0,
			.pid = fuzz_one_in(n, 4) ? getppid() : getpid(),
			.tid = getpid(),
		};
	if (fuzz_one_in(n, 4))
		samples[fuzz_below(n, MOST_FED)].addr = fuzz_number(n);
	if (fuzz_one_in(n, 4))
		samples[fuzz_below(n, MOST_FED)].period = fuzz_number(n);
}

size_t fuzz_good(struct fuzz_args *n, unsigned int cmd, union argument *arg)
{
	size_t size = sizeof(arg->stop), i;

	for (i = 0; i < NR_IOCTLS; i++)
		if (ioctls[i].cmd == cmd)
			size = ioctls[i].known;
	memset(arg, 0, sizeof(*arg));
	switch (cmd) {
	case HTMM_IOC_START:
		return good_start(n, &arg->start);
	case HTMM_IOC_GET_STATS:
		arg->stats.channels = (uintptr_t)n->box->out;
		arg->stats.channel_size = sizeof(struct htmm_channel_info);
		arg->stats.nr_channels = fuzz_below(n, 32);
		arg->stats.events = (uintptr_t)n->box->events;
		arg->stats.event_size = sizeof(n->box->events[0]);
		arg->stats.nr_events = fuzz_below(n, MOST_ELEMENTS);
		break;
	case HTMM_IOC_GET_HIST:
		arg->hist.unit = fuzz_below(n, 2);
		break;
	case HTMM_IOC_GET_HIT_RATIO:
		arg->ratio.unit = fuzz_below(n, 2);
		arg->ratio.capacity_pages = fuzz_below(n, 100);
		break;
	case HTMM_IOC_LIST_PAGES:
		good_list(n, &arg->list);
		break;
	case HTMM_IOC_GET_PLACEMENT:
		arg->placement.target = fuzz_below(n, 2);
		arg->placement.nodes = (uintptr_t)n->box->out;
		arg->placement.node_size = sizeof(struct htmm_node_placement);
		arg->placement.nr_nodes = fuzz_below(n, 4);
		break;
	case HTMM_IOC_GET_SERVED:
		arg->served.target = fuzz_below(n, 2);
		arg->served.rows = (uintptr_t)n->box->out;
		arg->served.row_size = sizeof(struct htmm_served_row);
		arg->served.nr_rows = fuzz_below(n, 4);
		break;
	case HTMM_IOC_FEED:
		good_feed(n, &arg->feed);
		break;
	case HTMM_IOC_COOL:
		arg->cool.target = fuzz_below(n, 2 * GOOD_TARGETS);
		break;
	case HTMM_IOC_ADD_TARGET:
		good_targets(n);
		arg->add.target =
			(uintptr_t)&n->box->targets[fuzz_below(n, GOOD_TARGETS)];
		arg->add.target_size = sizeof(n->box->targets[0]);
		arg->add.error = (uintptr_t)n->box->out;
		arg->add.error_size = HTMM_ERROR_LEN;
		break;
	case HTMM_IOC_REMOVE_TARGET:
		arg->remove.target = 1 + fuzz_below(n, 2 * GOOD_TARGETS);
		break;
	case HTMM_IOC_GET_TARGETS:
		arg->targets.targets = (uintptr_t)n->box->out;
		arg->targets.target_size = sizeof(struct htmm_target_info);
		arg->targets.nr_targets = fuzz_below(n, 16);
		break;
	case HTMM_IOC_SET:
		arg->set.flags = 1 + fuzz_below(n, 15);
		if (arg->set.flags & HTMM_SET_CAPACITY) {
			arg->set.target = fuzz_below(n, 2 * GOOD_TARGETS);
			arg->set.capacity_pages = fuzz_below(n, 100);
		}
		if (arg->set.flags & HTMM_SET_PERIOD) {
			arg->set.event = fuzz_below(n, MOST_EVENTS);
			arg->set.period = n->event->period + fuzz_below(n, 100);
		}
		arg->set.error = (uintptr_t)n->box->out;
		arg->set.error_size = HTMM_ERROR_LEN;
		break;
	case HTMM_IOC_STREAM:
		arg->stream.buffer_bytes = fuzz_one_in(n, 2) ? 1 << 16 : 0;
		break;
	}
	arg->stop.size = size;
	return size;
}

void fuzz_spoil(struct fuzz_args *n, union argument *arg, size_t size)
{
	unsigned int changes = 1 + fuzz_below(n, MOST_CHANGES);

	while (changes--) {
		switch (fuzz_below(n, 7)) {
		case 0:
			arg->word[fuzz_below(n, size / 4)] ^= 1U << fuzz_below(n, 32);
			break;
		case 1:
			arg->word[fuzz_below(n, size / 4)] = fuzz_number(n);
			break;
		case 2:
			arg->wide[fuzz_below(n, size / 8)] = fuzz_number(n);
			break;
		case 3:
			arg->wide[fuzz_below(n, size / 8)] = fuzz_pointer(n);
			break;
		case 4:
			arg->stop.size = fuzz_one_in(n, 2) ? fuzz_number(n) :
				size + 8 * fuzz_below(n, 3) - 8;
			break;
		case 5:
			((__u64 *)n->box->events)[fuzz_below(n, sizeof(n->box->events) / 8)] =
				fuzz_number(n);
			break;
		case 6:
			((__u64 *)n->box->targets)[fuzz_below(n, sizeof(n->box->targets) / 8)] =
				fuzz_number(n);
			break;
		}
	}
}

void *fuzz_place(struct fuzz_args *n, const union argument *arg, size_t size)
{
	char *at = n->box->room;

	if (fuzz_one_in(n, 10))
		return (void *)(uintptr_t)fuzz_pointer(n);
	memset(at, fuzz_one_in(n, 4) ? 0xff : 0, sizeof(n->box->room));
	if (fuzz_one_in(n, 4))
		at += sizeof(n->box->room) - size;
	memcpy(at, arg, size);
	return at;
}
