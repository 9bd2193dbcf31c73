/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wait-free ring of fixed-size slots: one producer, which may run in NMI context, and one
 * consumer. Each side keeps its index on its own cache line, with its last view of the
 * other's, so that neither line moves between CPUs more than once per batch.
 *
 *   producer                            consumer
 *   (A) load-acquire  tail              (C) load-acquire  head
 *       write the slot                      read the slots
 *   (B) store-release head              (D) store-release tail
 *
 * B pairs with C: a slot that the consumer sees is completely written. D pairs with A: a
 * slot that the producer reuses is completely read.
 *
 * Indices are not masked and wrap at 2^32: the fill level is their difference.
 */
#ifndef HTMM_CORE_RING_H
#define HTMM_CORE_RING_H

#include "deps.h"

/**
 * struct htmm_ring - single producer, single consumer ring
 * @slots: memory of the slots, given by the caller
 * @mask: number of slots - 1
 * @slot_size: bytes of one slot
 * @watermark: fill level, in slots, from which htmm_ring_commit() reads @tail
 * @head: slots ever committed (written by the producer)
 * @tail_seen: the producer's last view of @tail
 * @look: the value of @head at which the producer has to read @tail again: then the ring
 *	might be full, or reach the watermark
 * @tail: slots ever consumed (written by the consumer)
 * @head_seen: the consumer's last view of @head
 *
 * Use the functions below.
 */
struct htmm_ring {
	void *slots;
	u32 mask;
	u32 slot_size;
	u32 watermark;

	u32 head __aligned(64);
	u32 tail_seen;
	u32 look;

	u32 tail __aligned(64);
	u32 head_seen;
};

/*
 * Prepare an empty ring in @bytes bytes of memory, aligned to 8. Its capacity is the largest
 * power of two of slots that fits, 2 to 2^31; the watermark is a quarter of it. @slot_size is a
 * multiple of 8. Returns 0, or -EINVAL if an argument is not as described.
 */
static inline int htmm_ring_init(struct htmm_ring *ring, void *mem, size_t bytes, u32 slot_size)
{
	size_t slots;

	if (!mem || (unsigned long)mem % 8 || !slot_size || slot_size % 8)
		return -EINVAL;
	slots = bytes / slot_size;
	if (slots < 2 || slots > 1UL << 31)
		return -EINVAL;
	slots = rounddown_pow_of_two(slots);

	memset(ring, 0, sizeof(*ring));
	ring->slots = mem;
	ring->mask = slots - 1;
	ring->slot_size = slot_size;
	ring->watermark = max_t(u32, slots / 4, 1);
	ring->look = ring->watermark - 1;
	return 0;
}

/* Number of slots, a power of two. */
static inline u32 htmm_ring_capacity(const struct htmm_ring *ring)
{
	return ring->mask + 1;
}

static inline void *htmm_ring_slot(const struct htmm_ring *ring, u32 index)
{
	return ring->slots + (size_t)(index & ring->mask) * ring->slot_size;
}

/*
 * The next slot to write, with its old contents; NULL if the ring is full. Reserving again
 * without a commit returns the same slot: a producer that can be interrupted by itself must
 * prevent a nested call. Context: the producer, NMI allowed.
 */
static inline void *htmm_ring_reserve(struct htmm_ring *ring)
{
	u32 head = ring->head;

	if (head - ring->tail_seen > ring->mask) {
		/* (A) pairs with the store-release (D) of consume */
		ring->tail_seen = smp_load_acquire(&ring->tail);
		if (head - ring->tail_seen > ring->mask)
			return NULL;
	}
	return htmm_ring_slot(ring, head);
}

/* When to read @tail next: above the watermark again and again, as the ring may be emptied. */
static inline u32 htmm_ring_next_look(const struct htmm_ring *ring, u32 head)
{
	if (head - ring->tail_seen < ring->watermark)
		return ring->tail_seen + ring->watermark - 1;
	return head + min(ring->watermark / 4, ring->tail_seen + htmm_ring_capacity(ring) - head);
}

/*
 * True if a record can be written without reading @tail, and the consumer need not be woken, which
 * is nearly always the case: then use the two functions below. Context: the producer, NMI allowed.
 */
static inline bool htmm_ring_quiet(const struct htmm_ring *ring)
{
	return ring->head != ring->look;
}

static inline void *htmm_ring_reserve_quiet(const struct htmm_ring *ring)
{
	return htmm_ring_slot(ring, ring->head);
}

static inline void htmm_ring_commit_quiet(struct htmm_ring *ring)
{
	/* (B) pairs with the load-acquire (C) of peek */
	smp_store_release(&ring->head, ring->head + 1);
}

/*
 * Publish the slot last reserved. Returns the number of slots now filled. Below the watermark this
 * may be too high, because @tail is not read. At or above the watermark it is current: wake the
 * consumer. Context: the producer, NMI allowed.
 */
static inline u32 htmm_ring_commit(struct htmm_ring *ring)
{
	u32 head = ring->head + 1;

	htmm_ring_commit_quiet(ring);
	if (head - ring->tail_seen >= ring->watermark)
		/* (A) pairs with the store-release (D) of consume */
		ring->tail_seen = smp_load_acquire(&ring->tail);
	if (head - 1 == ring->look)
		ring->look = htmm_ring_next_look(ring, head);
	return head - ring->tail_seen;
}

/*
 * Find filled slots that are contiguous in memory: set @first to the oldest, and return their
 * number. Slots that have wrapped to the start of the memory come with the next call. Context: the
 * consumer.
 */
static inline u32 htmm_ring_peek(struct htmm_ring *ring, void **first)
{
	u32 tail = ring->tail;
	u32 to_end = htmm_ring_capacity(ring) - (tail & ring->mask);

	if (ring->head_seen == tail)
		/* (C) pairs with the store-release (B) of commit */
		ring->head_seen = smp_load_acquire(&ring->head);
	*first = htmm_ring_slot(ring, tail);
	return min(ring->head_seen - tail, to_end);
}

/* Give @n slots that were read back to the producer, oldest first. Context: the consumer. */
static inline void htmm_ring_consume(struct htmm_ring *ring, u32 n)
{
	/* (D) pairs with the load-acquire (A) of reserve and commit */
	smp_store_release(&ring->tail, ring->tail + n);
}

/* Slots filled, for a caller that is neither side: approximate while they run. No barrier. */
static inline u32 htmm_ring_used(const struct htmm_ring *ring)
{
	u32 tail = READ_ONCE(ring->tail);
	u32 used = READ_ONCE(ring->head) - tail;

	return min(used, htmm_ring_capacity(ring));
}

#endif /* HTMM_CORE_RING_H */
