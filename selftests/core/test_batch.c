// SPDX-License-Identifier: GPL-2.0
/* Batches beside a naive version: random records, which are taken, sorted and dropped. */
#include "batch.h"
#include "source.h"
#include "tap.h"

#define ROUNDS	2000
#define RINGS	5
#define SLOT	(HTMM_RECORD_MAX + 2)
#define UNIT	1000

static struct htmm_batch batch;
static struct htmm_sample record[HTMM_BATCH];
static u32 ring_of[HTMM_BATCH];
static u64 sources[3];

static u64 sample_type;

/* A run of records of a ring, in one to three calls. */
static void take(u32 *n)
{
	u64 slots[HTMM_BATCH * SLOT];
	u32 ring = tap_below(RINGS), length = 1 + tap_below(100), part, i;
	const u32 words = htmm_record_slot_size(sample_type) / sizeof(u64);
	struct htmm_sample *s = &record[*n];

	if (length > HTMM_BATCH - *n)
		length = HTMM_BATCH - *n;
	for (i = 0; i < length; i++) {
		if (!i || !tap_below(8))
			s[i] = (struct htmm_sample) {
				.pid = 1 + tap_below(3),
				.cookie = tap_below(3),
				.target = 1 + tap_below(tap_below(2) ? 2 : 200),
				.period = tap_below(2) ? UNIT : tap_below(5 * UNIT),
				.data_src = sources[tap_below(3)],
			};
		else
			s[i] = s[i - 1];
		s[i].addr = tap_random() & ((1ULL << 47) - 1);
		ring_of[*n + i] = ring;
		htmm_record_write(&slots[i * words], sample_type, &s[i]);
	}
	for (i = 0; i < length; i += part) {
		part = 1 + tap_below(length - i);
		htmm_batch_take(&batch, ring, &slots[i * words], part);
	}
	*n += length;
}

static void begin(u64 type)
{
	sample_type = type;
	memset(&batch, 0, sizeof(batch));
	batch.weight_unit = type & PERF_SAMPLE_PERIOD ? UNIT : 0;
	batch.has_source = type & PERF_SAMPLE_DATA_SRC;
	htmm_batch_init(&batch, type);
}

static u32 weight_of(const struct htmm_sample *s)
{
	u64 weight = (s->period + UNIT / 2) / UNIT;

	return !(sample_type & PERF_SAMPLE_PERIOD) ? 1 : weight ?: 1;
}

/* A sample of the batch is that of a record? */
static void is_record(const struct htmm_run *run, u32 i, u32 which)
{
	const struct htmm_sample *s = &record[which];

	CHECK(run->pid == s->pid && run->cookie == s->cookie && run->target == s->target);
	CHECK(run->ring == ring_of[which]);
	CHECK(htmm_batch_addr(&batch.samples[i]) == s->addr);
	CHECK(batch.samples[i].weight == weight_of(s));
	CHECK(!batch.has_source || batch.served_by[i] == htmm_source_of(s->data_src));
}

/* Runs follow each other without gaps. */
static void runs_cover(u32 n)
{
	u32 i;

	CHECK(batch.n == n && batch.run[0].start == 0);
	for (i = 0; i < batch.runs; i++)
		CHECK(htmm_batch_length(&batch.run[i]) > 0);
	CHECK(batch.run[batch.runs].start == n);
}

static void as_taken(u32 n)
{
	const struct htmm_run *run = batch.run;
	u32 i;

	runs_cover(n);
	for (i = 0; i < n; i++) {
		run += i == run[1].start;
		is_record(run, i, i);
	}
}

/* Each record once, those of a target in their order, and as few parts as there are keys. */
static void as_sorted(u32 n)
{
	const struct htmm_run *run = batch.run;
	static bool seen[HTMM_BATCH];
	u32 last[256], i, j, first, parts = 0;

	memset(seen, 0, sizeof(seen));
	memset(last, 0, sizeof(last));
	runs_cover(n);
	for (i = 0; i < n; i++) {
		run += i == run[1].start;
		j = last[run->target];
		while (j < n && (seen[j] || record[j].target != run->target))
			j++;
		CHECK(j < n);
		is_record(run, i, j);
		seen[j] = true;
		last[run->target] = j;
	}
	for (first = 0; first < batch.runs; first += htmm_batch_part(&batch, first)) {
		parts++;
		CHECK(!first || batch.run[first].target != batch.run[first - 1].target);
		CHECK(!first || batch.run[first].target % HTMM_BATCH_KEYS >=
				batch.run[first - 1].target % HTMM_BATCH_KEYS);
	}
	CHECK(parts || !n);
}

static void drops_are_noted(u32 n)
{
	u8 why[HTMM_BATCH];
	u32 i, start, length, times;

	memset(why, HTMM_DROP_NONE, sizeof(why));
	CHECK(!batch.dropped);
	for (times = tap_below(4); times; times--) {
		start = tap_below(n);
		length = 1 + tap_below(n - start);
		memset(why + start, times, length);
		htmm_batch_drop(&batch, start, length, (enum htmm_drop)times);
		CHECK(batch.dropped);
	}
	for (i = 0; i < n; i++)
		CHECK(htmm_batch_dropped(&batch, i) == why[i]);
}

static void runs_are_resolved(void)
{
	u64 page[HTMM_BATCH];
	u32 i, j;

	for (i = 0; i < batch.n; i++)
		page[i] = batch.samples[i].page;
	for (i = 0; i < batch.runs; i += 2)
		htmm_batch_resolve(&batch, &batch.run[i], 1 + i);
	for (i = 0; i < batch.runs; i++)
		for (j = batch.run[i].start; j < batch.run[i + 1].start; j++)
			CHECK(batch.samples[j].page == (i % 2 ? page[j] :
							htmm_page(1 + i, page[j])));
}

static void batches_of(u64 type)
{
	u32 round, n;

	begin(type);
	for (round = 0; round < ROUNDS; round++) {
		htmm_batch_begin(&batch);
		for (n = 0; n < HTMM_BATCH && tap_below(8); )
			take(&n);
		as_taken(n);
		htmm_batch_sort(&batch);
		as_sorted(n);
		if (n)
			drops_are_noted(n);
		runs_are_resolved();
	}
}

static void plain(void)
{
	batches_of(HTMM_SAMPLE_TYPE_MIN);
}

static void weighted(void)
{
	batches_of(HTMM_SAMPLE_TYPE_WEIGHTED);
}

static void with_sources(void)
{
	batches_of(HTMM_SAMPLE_TYPE_SOURCE);
}

static void all_fields(void)
{
	batches_of(HTMM_SAMPLE_TYPE_MAX);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(plain),
		TAP_TEST(weighted),
		TAP_TEST(with_sources),
		TAP_TEST(all_fields),
	};
	union perf_mem_data_src source = { .mem_lvl_num = PERF_MEM_LVLNUM_RAM };

	sources[1] = source.val;
	source.mem_lvl_num = PERF_MEM_LVLNUM_L1;
	sources[2] = source.val;
	return tap_main(tests, ARRAY_SIZE(tests));
}
