/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of address spaces worth drawing: used memory is far apart, so each cluster has
 * a panel of its own, without the holes between clusters.
 */
#ifndef REPORT_PANEL_H
#define REPORT_PANEL_H

#include "report.h"

/**
 * struct panel - a range of addresses
 * @space: address space
 * @start: its first address
 * @end: the first address after it
 * @samples: samples in it
 * @first_row: first of its rows in the heat map
 * @nr_rows: number of its rows there
 * @rows: rows to draw
 * @row_bytes: bytes of each row
 */
struct panel {
	__u32 space;
	__u64 start;
	__u64 end;
	__u64 samples;
	__u32 first_row;
	__u32 nr_rows;
	unsigned int rows;
	__u64 row_bytes;
};

/**
 * struct panels - what to draw
 * @panel: the panels, by space and address
 * @nr: how many there are
 * @columns: columns to draw, all of the same duration
 * @column_slices: slices of each
 * @left_out: clusters with too few samples to be drawn
 * @left_out_samples: their samples
 */
struct panels {
	struct panel *panel;
	unsigned int nr;
	unsigned int columns;
	unsigned int column_slices;
	__u64 left_out;
	__u64 left_out_samples;
};

/**
 * panels_make() - choose what to draw
 * @panels: filled; free it with panels_free()
 * @heat: the map, sorted
 * @most: the most panels
 * @columns: the most columns
 * @rows: the most rows of each panel
 *
 * Return: 0 or -ENOMEM.
 */
int panels_make(struct panels *panels, const struct heat *heat, unsigned int most,
		unsigned int columns, unsigned int rows);

/**
 * panels_row() - get the samples of one row to draw
 * @panels: what to draw
 * @heat: the map
 * @panel: one of the panels
 * @row: number of the row, from the lowest address
 * @cells: @panels->columns numbers, filled
 */
void panels_row(const struct panels *panels, const struct heat *heat, const struct panel *panel,
		unsigned int row, __u64 *cells);

/**
 * panels_most() - get the samples of the hottest cell
 * @panels: what to draw
 * @heat: the map
 *
 * Return: the number, at least 1; 0 if there is no memory.
 */
__u64 panels_most(const struct panels *panels, const struct heat *heat);

/**
 * panels_mapping() - get the mapping with the most samples in a panel
 * @report: the report
 * @panel: the panel
 * @others: set to the number of other mappings with samples there; may be NULL
 *
 * Return: its name.
 */
const char *panels_mapping(const struct report *report, const struct panel *panel,
			   unsigned int *others);

/**
 * panels_free() - free the panels
 * @panels: the panels; may be all zero
 */
void panels_free(struct panels *panels);

#endif /* REPORT_PANEL_H */
