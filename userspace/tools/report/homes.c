// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "lib/array.h"
#include "homes.h"

/* The list of a file, or NULL if there is none and no room for one. */
static __u32 *list_of(struct homes *homes, __u64 key)
{
	const __s64 known = idmap_get(&homes->by_file, key);
	__u32 *list;

	if (known >= 0)
		return &homes->list[known];
	if (homes->nr == HOMES_MAX)
		return NULL;
	list = array_grow(homes->list, homes->nr, &homes->room, sizeof(*list));
	if (!list)
		return NULL;
	homes->list = list;
	if (idmap_set(&homes->by_file, key, homes->nr))
		return NULL;
	homes->list[homes->nr] = 0;
	return &homes->list[homes->nr++];
}

void homes_move(struct homes *homes, struct vmas *vmas, __u64 key, __u64 start, __u64 pgoff,
		__u64 len)
{
	const struct vma range = { .start = pgoff, .end = pgoff + len, .shift = start - pgoff };
	__u32 *list = list_of(homes, key);

	/* Without memory for it, its pages count as others. */
	if (list && range.end > range.start)
		vmas_map(vmas, list, &range);
}

__s64 homes_find(struct homes *homes, struct vmas *vmas, __u64 key, __u64 start, __u64 pgoff,
		 __u64 *len)
{
	const __u32 *list = list_of(homes, key);
	const struct vma *home = list ? vmas_next(vmas, *list, pgoff) : NULL;

	if (home && home->start <= pgoff) {
		if (*len > home->end - pgoff)
			*len = home->end - pgoff;
		return home->shift + pgoff - start;
	}
	if (home && *len > home->start - pgoff)
		*len = home->start - pgoff;
	homes_move(homes, vmas, key, start, pgoff, *len);
	return 0;
}

void homes_free(struct homes *homes)
{
	free(homes->list);
	idmap_free(&homes->by_file);
	memset(homes, 0, sizeof(*homes));
}
