/* SPDX-License-Identifier: GPL-2.0 */
/* A few address spaces: some are added, then those are removed that are seen. */
#ifndef POLICY_SPACES_H
#define POLICY_SPACES_H

#include "policy.h"
#include "units.h"

/**
 * struct spaces - some address spaces
 * @key: target and number of each, without order, each once
 * @nr: how many there are
 * @room: room in @key
 */
struct spaces {
	__u64 *key;
	size_t nr;
	size_t room;
};

/**
 * spaces_add() - add the address space of a unit, if it is not there
 * @spaces: all zero, or used before
 * @unit: the unit
 *
 * Return: 0 or -ENOMEM.
 */
int spaces_add(struct spaces *spaces, const struct unit *unit);

/**
 * spaces_remove() - remove the address spaces of pages or regions whose process is known
 * @spaces: the address spaces
 * @page: the pages or regions
 * @nr: how many
 */
void spaces_remove(struct spaces *spaces, const struct htmm_page *page, size_t nr);

/**
 * spaces_have() - tell if the address space of a unit is there
 * @spaces: the address spaces
 * @unit: the unit
 */
bool spaces_have(const struct spaces *spaces, const struct unit *unit);

/**
 * spaces_free() - free the memory
 * @spaces: the address spaces; all zero after it
 */
void spaces_free(struct spaces *spaces);

#endif /* POLICY_SPACES_H */
