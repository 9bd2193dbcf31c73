/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where memory is hot and where it is cold: ranges of it that differ by more than chance.
 *
 * Memory is cut into cells of the same size. The pages of one array are not equally hot, and a few
 * may have most of its samples. So it does not matter by how much a cell is hotter than others, but
 * only whether it is in one of six sets: the cells with a sample, and the hottest half of them all,
 * quarter, and so on to the 32nd. If cells are hot in no order, each part of the memory has its
 * share of a set. If k of n cells are in the set, and h of the l cells of a part, the logarithm of
 * the likelihood ratio is
 *
 *	g = L(h, l) + L(k - h, n - l) - L(k, n)
 *	L(a, b) = a log(a / b) + (b - a) log(1 - a / b)
 *
 * and it is above x with a probability of about exp(-x) (Chernoff 1952; Hoeffding 1963). The part
 * with the largest g of all is a range if g > log(6 n^2 / 0.01): for each of the 6 sets, there are
 * n^2 / 2 parts that chance could choose. Then ranges are divided in the same way.
 *
 * Chance may have put the edges of a part into others that are alike. So in the end, ranges are
 * joined to a neighbour from which they do not differ: there g > log(6 n / 0.01), as each of the n
 * cells of both could be the border.
 */
#ifndef REPORT_SPLIT_H
#define REPORT_SPLIT_H

#include <stddef.h>

/* Most cells, for bounded time. */
#define SPLIT_CELLS	512
/* Most ranges: if there were more, those that are most alike are one. */
#define SPLIT_RANGES	16

/**
 * split_find() - find the ranges of memory that are hot or cold
 * @count: samples by cell
 * @nr: number of cells, 1 to SPLIT_CELLS
 * @times: neighbouring ranges differ by this factor at least
 * @border: filled with the first cell of each range; room for SPLIT_CELLS
 *
 * Return: the number of ranges, 1 to SPLIT_RANGES.
 */
size_t split_find(const double *count, size_t nr, double times, size_t *border);

#endif /* REPORT_SPLIT_H */
