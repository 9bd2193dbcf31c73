/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Arrays. */
#ifndef HTMM_ARRAY_H
#define HTMM_ARRAY_H

#include <stdlib.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/*
 * Makes room for one more element of @size bytes in an array of @nr; @room is the number that
 * fit. Returns the array; NULL if there is no memory: then the old one is as it was.
 */
static inline void *array_grow(void *array, size_t nr, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 16;

	if (nr < *room)
		return array;
	array = reallocarray(array, more, size);
	if (array)
		*room = more;
	return array;
}

#endif /* HTMM_ARRAY_H */
