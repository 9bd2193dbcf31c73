/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Eviction: the hand of a clock goes round the directory, and of the regions that
 * it passes the coldest goes.
 *
 * For the core's own files.
 */
#ifndef HTMM_CORE_EVICT_H
#define HTMM_CORE_EVICT_H

#include "deps.h"
#include "table.h"

/**
 * htmm_evict() - evict one region
 * @table: the table
 * @keep: never this one; it may move
 *
 * Return: false if there is none.
 */
bool htmm_evict(struct htmm_table *table, const struct htmm_region *keep);

#endif /* HTMM_CORE_EVICT_H */
