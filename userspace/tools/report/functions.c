// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "functions.h"
#include "lib/array.h"
#include "perfdata/format.h"

/* The upper half of the addresses. */
#define KERNEL_START	0x8000000000000000ULL

/* The instruction's count; NULL: there is no room. */
static struct functions_place *find_place(struct functions *functions,
					  const struct functions_place *like)
{
	const __u64 id[] = { (__u64)like->name << 32 | like->space, like->at };
	__u64 key = idmap_hash(id, sizeof(id));
	struct functions_place *place;
	__s64 number;

	for (; (number = idmap_get(&functions->by_place, key)) >= 0; key++) {
		place = &functions->place[number];
		if (place->name == like->name && place->space == like->space &&
		    place->at == like->at)
			return place;
	}
	if (functions->nr == FUNCTIONS_PLACES_MAX)
		return NULL;
	place = array_grow(functions->place, functions->nr, &functions->room, sizeof(*place));
	if (!place)
		return NULL;
	functions->place = place;
	if (idmap_set(&functions->by_place, key, functions->nr))
		return NULL;
	place = &functions->place[functions->nr++];
	*place = *like;
	return place;
}

/* Finds the range of an instruction, unless it is that of the previous sample. */
static bool find_range(struct functions *functions, const struct tasks *tasks, __u32 space,
		       __u64 ip)
{
	const struct vma *vma;

	if (space == functions->found.space && ip - functions->found.start < functions->found.len)
		return true;
	vma = vmas_find(&tasks->vmas, tasks->space[space].vmas, ip);
	if (!vma)
		return false;
	functions->found.space = space;
	functions->found.start = vma->start;
	functions->found.len = vma->end - vma->start;
	if (tasks_is_file(tasks, vma->name))
		functions->found.at = (struct functions_place) {
			.name = vma->name, .at = vma->start + vma->offset,
		};
	else
		functions->found.at = (struct functions_place) {
			.name = vma->name, .space = space, .at = vma->start,
		};
	return true;
}

void functions_count(struct functions *functions, const struct tasks *tasks, __u32 space,
		     __u64 ip)
{
	struct functions_place like = { .name = FUNCTIONS_KERNEL, .at = ip }, *place = NULL;

	if (ip < KERNEL_START && find_range(functions, tasks, space, ip)) {
		like = functions->found.at;
		like.at += ip - functions->found.start;
		place = find_place(functions, &like);
	} else if (ip >= KERNEL_START) {
		place = find_place(functions, &like);
	}
	if (place)
		place->samples++;
	else
		functions->nowhere++;
}

/* The name of a symbol is behind that of the mapping, and its address in place of an offset. */
void functions_kernel(struct functions *functions, const struct perfdata_record_view *view)
{
	const size_t len = strlen(PERFDATA_KERNEL);
	const size_t left = view->name_len - len;

	if (view->name_len <= len || memcmp(view->name, PERFDATA_KERNEL, len) ||
	    left >= sizeof(functions->kernel_symbol))
		return;
	memcpy(functions->kernel_symbol, view->name + len, left);
	functions->kernel_symbol[left] = '\0';
	functions->kernel_addr = view->pgoff;
}

void functions_free(struct functions *functions)
{
	__u32 i;

	for (i = 0; i < functions->nr_named; i++) {
		free(functions->named[i].name);
		free(functions->named[i].file);
	}
	free(functions->named);
	free(functions->place);
	idmap_free(&functions->by_place);
	memset(functions, 0, sizeof(*functions));
}
