// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "panel.h"

/* Smaller holes are drawn, and holes smaller than the memory below them. */
#define HOLE_BYTES	(4ULL << 20)

/* Tells if a row begins at or near the end of the panel. */
static bool adjoins(const struct heat *heat, const struct panel *panel, const struct heat_row *row)
{
	__u64 start = row->chunk << heat->chunk_shift;
	__u64 hole = start - panel->end, below = panel->end - panel->start;

	return row->space == panel->space && (hole < HOLE_BYTES || hole < below);
}

static void extend(const struct heat *heat, struct panel *panel, const struct heat_row *row)
{
	panel->end = (row->chunk + 1) << heat->chunk_shift;
	panel->samples += row->samples;
	panel->nr_rows++;
}

static unsigned int cluster(const struct heat *heat, struct panel *panels)
{
	unsigned int nr = 0;
	__u32 i;

	for (i = 0; i < heat->nr_rows; i++) {
		const struct heat_row *row = &heat->row[i];

		if (!nr || !adjoins(heat, &panels[nr - 1], row))
			panels[nr++] = (struct panel) {
				.space = row->space, .first_row = i,
				.start = row->chunk << heat->chunk_shift,
			};
		extend(heat, &panels[nr - 1], row);
	}
	return nr;
}

static int by_samples(const void *a, const void *b)
{
	const struct panel *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->first_row < y->first_row ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
	const struct panel *x = a, *y = b;

	return x->first_row < y->first_row ? -1 : 1;
}

/* Keeps the clusters with the most samples, if they have a hundredth of all. */
static void choose(struct panels *panels, unsigned int nr, unsigned int most)
{
	__u64 all = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		all += panels->panel[i].samples;
	qsort(panels->panel, nr, sizeof(*panels->panel), by_samples);
	for (i = 0; i < nr; i++) {
		if (i < most && panels->panel[i].samples >= all / 100) {
			panels->nr++;
			continue;
		}
		panels->left_out++;
		panels->left_out_samples += panels->panel[i].samples;
	}
	qsort(panels->panel, panels->nr, sizeof(*panels->panel), by_place);
}

/* Divides a panel into rows of whole chunks, all of the same size. */
static void divide(const struct heat *heat, struct panel *panel, unsigned int rows)
{
	__u64 chunks = (panel->end - panel->start) >> heat->chunk_shift;
	__u64 each = (chunks + rows - 1) / rows;

	panel->row_bytes = each << heat->chunk_shift;
	panel->rows = (chunks + each - 1) / each;
	panel->end = panel->start + panel->rows * panel->row_bytes;
}

int panels_make(struct panels *panels, const struct heat *heat, unsigned int most,
		unsigned int columns, unsigned int rows)
{
	unsigned int slices = heat_slices(heat), i;

	memset(panels, 0, sizeof(*panels));
	panels->panel = calloc(heat->nr_rows + 1UL, sizeof(*panels->panel));
	if (!panels->panel)
		return -ENOMEM;
	choose(panels, cluster(heat, panels->panel), most);
	panels->column_slices = (slices + columns - 1) / columns;
	if (slices)
		panels->columns = (slices + panels->column_slices - 1) / panels->column_slices;
	for (i = 0; i < panels->nr; i++)
		divide(heat, &panels->panel[i], rows);
	return 0;
}

/* The first row that begins at @addr or above. */
static __u32 first_from(const struct heat *heat, __u32 row, __u32 end, __u64 addr)
{
	while (row < end && heat->row[row].chunk << heat->chunk_shift < addr)
		row++;
	return row;
}

void panels_row(const struct panels *panels, const struct heat *heat, const struct panel *panel,
		unsigned int row, __u64 *cells)
{
	__u64 start = panel->start + row * panel->row_bytes;
	unsigned int slices = heat_slices(heat), i;
	__u32 end = panel->first_row + panel->nr_rows;
	__u32 from = first_from(heat, panel->first_row, end, start), r;
	__u32 to = first_from(heat, from, end, start + panel->row_bytes);

	memset(cells, 0, panels->columns * sizeof(*cells));
	for (i = 0; i < slices; i++)
		for (r = from; r < to; r++)
			cells[i / panels->column_slices] += heat_samples(heat, &heat->row[r], i);
}

__u64 panels_most(const struct panels *panels, const struct heat *heat)
{
	__u64 *cells = calloc(panels->columns + 1UL, sizeof(*cells)), most = 1;
	unsigned int p, row, i;

	if (!cells)
		return 0;
	for (p = 0; p < panels->nr; p++) {
		for (row = 0; row < panels->panel[p].rows; row++) {
			panels_row(panels, heat, &panels->panel[p], row, cells);
			for (i = 0; i < panels->columns; i++)
				most = cells[i] > most ? cells[i] : most;
		}
	}
	free(cells);
	return most;
}

const char *panels_mapping(const struct report *report, const struct panel *panel,
			   unsigned int *others)
{
	const struct space *space = &report->tasks.space[panel->space];
	const struct mapping *best = NULL, *last = NULL;
	const struct tasks *tasks = &report->tasks;
	__u64 addr = panel->start;
	const struct vma *vma;
	unsigned int nr = 0;

	while ((vma = vmas_next(&tasks->vmas, space->vmas, addr)) && vma->start < panel->end) {
		const struct mapping *mapping = tasks_sampled(tasks, panel->space, vma->name);

		addr = vma->end;
		if (!mapping)
			continue;
		/* Mappings of one file are mostly neighbours. */
		nr += mapping != last;
		last = mapping;
		if (!best || mapping->samples > best->samples)
			best = mapping;
	}
	if (others)
		*others = nr ? nr - 1 : 0;
	return best ? best->name : "[unknown]";
}

void panels_free(struct panels *panels)
{
	free(panels->panel);
	memset(panels, 0, sizeof(*panels));
}
