// SPDX-License-Identifier: GPL-2.0
#include "by_target.h"

void by_target_add(struct by_target *values, __u32 number, __u64 value)
{
	if (values->nr == HTMM_MAX_TARGETS)
		return;
	values->number[values->nr] = number;
	values->value[values->nr++] = value;
}

/* The first place whose number is not below another one. */
static unsigned int place(const struct by_target *values, __u32 number)
{
	unsigned int low = 0, high = values->nr;

	while (low < high) {
		const unsigned int middle = (low + high) / 2;

		if (values->number[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

__u64 by_target_get(const struct by_target *values, __u32 number)
{
	const unsigned int at = place(values, number);

	return at < values->nr && values->number[at] == number ? values->value[at] : 0;
}

void by_target_since(struct by_target *growth, const struct by_target *now,
		     const struct by_target *old)
{
	unsigned int i, at;

	growth->nr = 0;
	for (i = 0; i < now->nr; i++) {
		at = place(old, now->number[i]);
		if (at < old->nr && old->number[at] == now->number[i])
			by_target_add(growth, now->number[i], now->value[i] - old->value[at]);
	}
}
