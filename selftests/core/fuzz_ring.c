// SPDX-License-Identifier: GPL-2.0
/* The ring compared with a plain queue, and the records in it. */
#include "fuzz.h"
#include "record.h"
#include "ring.h"

#define MAX_BYTES	4096

static struct htmm_ring ring;
static u64 queue[MAX_BYTES];	/* numbers of the slots filled, oldest first */
static u32 queued;
static u64 next_number;

static void fill_slot(u64 *slot, u64 number)
{
	u32 i;

	for (i = 0; i < ring.slot_size / sizeof(*slot); i++)
		slot[i] = number * 64 + i;
}

static bool slot_has(const u64 *slot, u64 number)
{
	u32 i;

	for (i = 0; i < ring.slot_size / sizeof(*slot); i++) {
		if (slot[i] != number * 64 + i)
			return false;
	}
	return true;
}

static void produce(void)
{
	void *slot = htmm_ring_reserve(&ring);
	static u32 unseen;
	bool quiet;
	u32 level;

	CHECK(!slot == (queued == htmm_ring_capacity(&ring)));
	if (!slot)
		return;
	/* Abandoned, or interrupted by an abandoned one. */
	fill_slot(slot, ~0ULL);
	if (fuzz_byte() % 8 == 0)
		return;
	CHECK(htmm_ring_reserve(&ring) == slot);
	quiet = htmm_ring_quiet(&ring);
	CHECK(!quiet || htmm_ring_reserve_quiet(&ring) == slot);
	fill_slot(slot, next_number);
	queue[queued++] = next_number++;
	/* Above the watermark the producer does not write on and on without a look. */
	unseen = quiet ? unseen + 1 : 0;
	CHECK(queued < ring.watermark || unseen <= ring.watermark / 4);
	if (quiet && fuzz_byte() % 2) {
		htmm_ring_commit_quiet(&ring);
		return;
	}
	level = htmm_ring_commit(&ring);
	CHECK((level >= ring.watermark) == (queued >= ring.watermark));
	CHECK(level == queued || level < ring.watermark);
}

static void consume(void)
{
	void *first;
	u32 n, i;

	n = htmm_ring_peek(&ring, &first);
	CHECK(n <= queued && !n == !queued);
	for (i = 0; i < n; i++)
		CHECK(slot_has(first + (size_t)i * ring.slot_size, queue[i]));
	if (!n)
		return;
	n = fuzz_byte() % (n + 1);
	htmm_ring_consume(&ring, n);
	queued -= n;
	memmove(queue, queue + n, queued * sizeof(*queue));
}

/* Starts at a random position near the 32-bit wrap. */
static void start_near_the_wrap(void)
{
	u32 at = -(fuzz_byte() % 64);

	ring.head = at;
	ring.tail = at;
	ring.head_seen = at;
	ring.tail_seen = at;
	ring.look += at;
}

static void run_ring(void)
{
	u32 slot_size = fuzz_byte() % 8 ? 8 * (1 + fuzz_byte() % 10) : fuzz_byte();
	size_t bytes = (fuzz_byte() << 8 | fuzz_byte()) % MAX_BYTES;
	bool fits = slot_size && slot_size % 8 == 0 && bytes / slot_size >= 2;
	void *mem = aligned_alloc(8, (bytes + 8) & ~7UL);

	CHECK(htmm_ring_init(&ring, mem, bytes, slot_size) ==
	      (fits ? 0 : -EINVAL));
	queued = 0;
	if (fits) {
		start_near_the_wrap();
		if (fuzz_byte() % 2) {
			ring.watermark = 1 + fuzz_u64() % htmm_ring_capacity(&ring);
			ring.look = ring.head + ring.watermark - 1;
		}
		CHECK((size_t)htmm_ring_capacity(&ring) * slot_size <= bytes);
		while (fuzz_left() && fuzz_byte() % 64) {
			if (fuzz_byte() % 3)
				produce();
			else
				consume();
			CHECK(htmm_ring_used(&ring) == queued);
		}
	}
	free(mem);
}

/* Reads a record as perf's readers do, member by member in the ABI's order. */
static void check_record(const u64 *slot, u64 type, const struct htmm_sample *s)
{
	const struct perf_event_header *header = (const void *)slot;
	const struct htmm_record_layout layout = htmm_record_layout(type);
	const u64 *at = slot + 1;
	u32 pair[2];

	CHECK(header->type == PERF_RECORD_SAMPLE && header->misc == s->misc);
	CHECK(header->size == htmm_record_size(type));
	CHECK(*at++ == s->ip);
	memcpy(pair, at++, sizeof(pair));
	CHECK(pair[0] == s->pid && pair[1] == s->tid);
	CHECK(!(type & PERF_SAMPLE_TIME) || *at++ == s->time);
	CHECK(*at++ == s->addr);
	if (type & PERF_SAMPLE_CPU) {
		memcpy(pair, at++, sizeof(pair));
		CHECK(pair[0] == s->cpu && !pair[1]);
	}
	if (type & PERF_SAMPLE_PERIOD) {
		CHECK(&slot[layout.period] == at);
		CHECK(*at++ == s->period);
	}
	CHECK(!(type & PERF_SAMPLE_DATA_SRC) || *at++ == s->data_src);
	CHECK((u32)((const char *)at - (const char *)slot) == header->size);
	CHECK(*at == s->cookie && &slot[layout.cookie] == at);
	CHECK(at[1] == s->target && slot + layout.words == at + 2);
	CHECK(slot[layout.addr] == s->addr);
	CHECK(htmm_record_pid(slot) == s->pid);
}

static void run_record(void)
{
	const u64 optional = HTMM_SAMPLE_TYPE_MAX & ~HTMM_SAMPLE_TYPE_MIN;
	u64 type = HTMM_SAMPLE_TYPE_MIN | (fuzz_u64() & optional);
	struct htmm_sample s = {
		.ip = fuzz_u64(), .addr = fuzz_u64(), .time = fuzz_u64(),
		.period = fuzz_u64(), .data_src = fuzz_u64(),
		.cookie = fuzz_u64(), .pid = fuzz_u64(), .tid = fuzz_u64(),
		.cpu = fuzz_u64(), .misc = fuzz_u64(), .target = fuzz_u64(),
	};
	u64 *slot = malloc(htmm_record_slot_size(type));

	htmm_record_write(slot, type, &s);
	check_record(slot, type, &s);
	free(slot);
}

int fuzz_one_input(const unsigned char *data, size_t size)
{
	fuzz_begin(data, size);
	while (fuzz_left()) {
		if (fuzz_byte() % 4)
			run_ring();
		else
			run_record();
	}
	return 0;
}
