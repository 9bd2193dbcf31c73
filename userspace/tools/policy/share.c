// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdint.h>
#include "share.h"

/* The capacity of a share that is not known yet. */
#define UNKNOWN		UINT64_MAX

static __u64 smaller(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/* What a group with a limit takes from the others. */
static __u64 claim(const struct share *share)
{
	return smaller(share->limit, share->wanted);
}

static __u64 sum_of_limits(const struct share *share, unsigned int nr)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (share[i].capacity == UNKNOWN)
			sum += share[i].limit;
	return sum;
}

static __u64 part(const struct share *share, __u64 room, __u64 limits)
{
	return (double)room * share->limit / limits;
}

/* Gives those who want less than their part what they want. Returns whether there are any. */
static bool satisfy(struct share *share, unsigned int nr, __u64 *room)
{
	const __u64 limits = sum_of_limits(share, nr), whole = *room;
	bool any = false;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (share[i].capacity != UNKNOWN ||
		    claim(&share[i]) > part(&share[i], whole, limits))
			continue;
		share[i].capacity = claim(&share[i]);
		*room -= share[i].capacity;
		any = true;
	}
	return any;
}

/* There is less room than the limits say together. */
static void divide_scarce(struct share *share, unsigned int nr, __u64 room)
{
	unsigned int i;
	__u64 limits;

	while (satisfy(share, nr, &room))
		;
	limits = sum_of_limits(share, nr);
	for (i = 0; i < nr; i++)
		if (share[i].capacity == UNKNOWN)
			share[i].capacity = part(&share[i], room, limits);
}

static void divide_rest(struct share *share, unsigned int nr, __u64 room)
{
	__u64 weights = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		weights += share[i].limit ? 0 : share[i].weight;
	for (i = 0; i < nr; i++)
		if (!share[i].limit && weights)
			share[i].capacity = room * share[i].weight / weights;
}

void share_divide(struct share *share, unsigned int nr, __u64 room)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		share[i].capacity = share[i].limit ? UNKNOWN : 0;
	if (sum_of_limits(share, nr) > room)
		divide_scarce(share, nr, room);
	for (i = 0; i < nr; i++) {
		if (share[i].capacity == UNKNOWN)
			share[i].capacity = share[i].limit;
		if (share[i].limit)
			room -= smaller(room, smaller(claim(&share[i]), share[i].capacity));
	}
	divide_rest(share, nr, room);
}
