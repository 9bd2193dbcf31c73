// SPDX-License-Identifier: GPL-2.0
#include "batch.h"
#include "source.h"

static_assert(HTMM_MAX_TARGETS <= HTMM_BATCH_KEYS);

static void htmm_batch_use(struct htmm_batch *batch, struct htmm_batch_room *room)
{
	batch->samples = room->samples;
	batch->run = room->run;
	batch->served_by = room->served_by;
}

void htmm_batch_init(struct htmm_batch *batch, u64 sample_type)
{
	batch->layout = htmm_record_layout(sample_type);
	batch->weight = 1;
	htmm_batch_use(batch, &batch->room[0]);
	htmm_batch_begin(batch);
}

/*
 * The weight of a sample is its period divided by the weight unit, rounded. Periods seldom
 * change, so the division is seldom needed.
 */
static u32 htmm_batch_weight(struct htmm_batch *batch, u64 period)
{
	const u64 unit = batch->weight_unit;

	if (period != batch->period) {
		batch->period = period;
		batch->weight = clamp_t(u64, div64_u64(period + unit / 2, unit), 1, U32_MAX);
	}
	return batch->weight;
}

/*
 * Take at most @n samples from @slot on, as long as they belong to the run of the first one, and if
 * they are @weighted, have its period. Returns their number.
 */
static __always_inline u32 htmm_batch_take_run(struct htmm_batch *batch, const u64 *slot, u32 n,
					       const bool weighted)
{
	const struct htmm_record_layout layout = batch->layout;
	const u64 cookie = slot[layout.cookie], target = slot[layout.cookie + 1];
	const u64 period = weighted ? slot[layout.period] : 0;
	const u32 weight = weighted ? htmm_batch_weight(batch, period) : 1;
	const u64 *end = slot + n * layout.words;
	struct htmm_table_sample *sample = &batch->samples[batch->n];
	const struct htmm_table_sample *first = sample;
	const u32 pid = htmm_record_pid(slot);
	u64 addr;

	for (; slot != end && htmm_record_pid(slot) == pid &&
	     slot[layout.cookie] == cookie && slot[layout.cookie + 1] == target &&
	     (!weighted || slot[layout.period] == period);
	     slot += layout.words, sample++) {
		/* The overflow handler takes only addresses in user space. */
		addr = slot[layout.addr];
		sample->page = addr >> HTMM_PAGE_SHIFT;
		sample->weight = weight;
		/* The bits of the address that the page does not have. */
		sample->tag = addr;
	}
	return sample - first;
}

/* Not inline, so that all that the loop needs is in registers. */
static noinline u32 htmm_batch_take_plain(struct htmm_batch *batch, const u64 *slot, u32 n)
{
	return htmm_batch_take_run(batch, slot, n, false);
}

static noinline u32 htmm_batch_take_weighted(struct htmm_batch *batch, const u64 *slot, u32 n)
{
	return htmm_batch_take_run(batch, slot, n, true);
}

/* What served the samples. Successive records often have the same value. */
static noinline void htmm_batch_take_sources(struct htmm_batch *batch, const u64 *slot, u32 n)
{
	u8 *served_by = &batch->served_by[batch->n];
	const u8 *end = served_by + n;
	const u32 words = batch->layout.words;
	u64 data_src = batch->data_src;
	u8 source = batch->source;

	/* The last field before the cookie. */
	for (slot += batch->layout.cookie - 1; served_by != end; slot += words) {
		if (*slot != data_src) {
			data_src = *slot;
			source = htmm_source_of(data_src);
		}
		*served_by++ = source;
	}
	batch->data_src = data_src;
	batch->source = source;
}

void htmm_batch_take(struct htmm_batch *batch, u32 ring, const u64 *slot, u32 n)
{
	const struct htmm_record_layout layout = batch->layout;
	u32 length;

	for (; n; n -= length, slot += length * layout.words) {
		length = batch->weight_unit ? htmm_batch_take_weighted(batch, slot, n) :
					      htmm_batch_take_plain(batch, slot, n);
		if (batch->has_source)
			htmm_batch_take_sources(batch, slot, length);
		batch->run[batch->runs++] = (struct htmm_run) {
			.cookie = slot[layout.cookie],
			.pid = htmm_record_pid(slot),
			.target = slot[layout.cookie + 1],
			.ring = ring,
			.start = batch->n,
		};
		batch->n += length;
		batch->run[batch->runs].start = batch->n;
	}
}

/* A counting sort: set @order to the indices of the runs by target. */
static void htmm_batch_order(struct htmm_batch *batch)
{
	u32 end[HTMM_BATCH_KEYS] = {}, i, at = 0, nr;

	for (i = 0; i < batch->runs; i++)
		end[batch->run[i].target % HTMM_BATCH_KEYS]++;
	for (i = 0; i < HTMM_BATCH_KEYS; i++) {
		nr = end[i];
		end[i] = at;
		at += nr;
	}
	for (i = 0; i < batch->runs; i++)
		batch->order[end[batch->run[i].target % HTMM_BATCH_KEYS]++] = i;
}

static bool htmm_batch_one_target(const struct htmm_batch *batch)
{
	u32 i;

	for (i = 1; i < batch->runs; i++)
		if (batch->run[i].target != batch->run[0].target)
			return false;
	return true;
}

void htmm_batch_sort(struct htmm_batch *batch)
{
	struct htmm_batch_room *to = &batch->room[batch->run == batch->room[0].run];
	const struct htmm_run *run;
	u32 i, length, start = 0;

	if (htmm_batch_one_target(batch))
		return;
	htmm_batch_order(batch);
	for (i = 0; i < batch->runs; i++) {
		run = &batch->run[batch->order[i]];
		length = htmm_batch_length(run);
		memcpy(&to->samples[start], &batch->samples[run->start],
		       length * sizeof(*to->samples));
		if (batch->has_source)
			memcpy(&to->served_by[start], &batch->served_by[run->start], length);
		to->run[i] = *run;
		to->run[i].start = start;
		start += length;
	}
	to->run[i].start = start;
	htmm_batch_use(batch, to);
}

void htmm_batch_resolve(struct htmm_batch *batch, const struct htmm_run *run, u32 space)
{
	struct htmm_table_sample *samples = batch->samples;
	const u64 first = htmm_page(space, 0);
	u32 i;

	for (i = run[0].start; i < run[1].start; i++)
		samples[i].page |= first;
}

void htmm_batch_drop(struct htmm_batch *batch, u32 start, u32 n, enum htmm_drop why)
{
	if (!batch->dropped)
		memset(batch->drop, HTMM_DROP_NONE, sizeof(batch->drop));
	batch->dropped = true;
	memset(batch->drop + start, why, n);
}
