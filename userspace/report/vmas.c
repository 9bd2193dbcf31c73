// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "vmas.h"

struct vmas *vmas_share(struct vmas *vmas)
{
	if (vmas)
		vmas->refs++;
	return vmas;
}

void vmas_put(struct vmas *vmas, __u32 *used)
{
	if (!vmas || --vmas->refs)
		return;
	*used -= vmas->room;
	free(vmas);
}

int vmas_own(struct vmas **vmas, __u32 more, __u32 *used)
{
	struct vmas *old = *vmas, *own;
	__u32 nr = old ? old->nr : 0, room = nr + more;

	if (old && old->refs == 1 && room <= old->room)
		return 0;
	room += room / 2;
	if (room > VMAS_MAX - *used)
		return -ENOMEM;
	own = malloc(sizeof(*own) + room * sizeof(*own->vma));
	if (!own)
		return -ENOMEM;
	*own = (struct vmas) { .refs = 1, .nr = nr, .room = room };
	if (nr)
		memcpy(own->vma, old->vma, nr * sizeof(*own->vma));
	*used += room;
	vmas_put(old, used);
	*vmas = own;
	return 0;
}

/* The first range that ends after @addr. */
static __u32 first_after(const struct vmas *vmas, __u64 addr)
{
	__u32 low = 0, high = vmas->nr;

	while (low < high) {
		__u32 middle = low + (high - low) / 2;

		if (vmas->vma[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Put @vma at @at; there is room. */
static void insert(struct vmas *vmas, __u32 at, const struct vma *vma)
{
	memmove(vmas->vma + at + 1, vmas->vma + at, (vmas->nr - at) * sizeof(*vma));
	vmas->vma[at] = *vma;
	vmas->nr++;
}

/* Cut [start, end) out of what is mapped. Returns where it would be. */
static __u32 punch(struct vmas *vmas, __u64 start, __u64 end)
{
	__u32 at = first_after(vmas, start), last;

	if (at == vmas->nr)
		return at;
	if (vmas->vma[at].start < start) {
		struct vma head = vmas->vma[at];

		head.end = start;
		vmas->vma[at].start = start;
		insert(vmas, at, &head);
		at++;
	}
	for (last = at; last < vmas->nr && vmas->vma[last].end <= end; last++)
		;
	memmove(vmas->vma + at, vmas->vma + last, (vmas->nr - last) * sizeof(*vmas->vma));
	vmas->nr -= last - at;
	if (at < vmas->nr && vmas->vma[at].start < end)
		vmas->vma[at].start = end;
	return at;
}

int vmas_map(struct vmas **vmas, const struct vma *vma, __u32 *used)
{
	/* The new one, and the one that it may cut in two. */
	if (vmas_own(vmas, 2, used))
		return -ENOMEM;
	insert(*vmas, punch(*vmas, vma->start, vma->end), vma);
	return 0;
}

struct vma *vmas_find(struct vmas *vmas, __u64 addr)
{
	__u32 at = vmas ? first_after(vmas, addr) : 0;

	return vmas && at < vmas->nr && vmas->vma[at].start <= addr ? &vmas->vma[at] : NULL;
}
