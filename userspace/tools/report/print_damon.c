// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "htmmctl/output.h"
#include "view.h"

/*
 * The heat map as a record of DAMON for damo: each target, here an address space, has a
 * list of snapshots with memory regions and their number of accesses. A column of the map
 * is an aggregation interval, and a sample is an access.
 *
 * damo expects zlib's format. Compression has no benefit here, so the data is stored
 * uncompressed in that format.
 */

/* Most bytes of a stored block, and the modulus of zlib's checksum. */
#define BLOCK_MAX	65535
#define ADLER_BASE	65521

static struct json_object *region_json(__u64 start, __u64 end, __u64 samples)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *accesses = json_object_new_object();
	struct json_object *age = json_object_new_object();

	json_add_u64(accesses, "samples", samples);
	json_add(accesses, "percent", NULL);
	json_add(age, "usec", NULL);
	json_add_u64(age, "aggr_intervals", 0);
	json_add_u64(obj, "start", start);
	json_add_u64(obj, "end", end);
	json_add(obj, "nr_accesses", accesses);
	json_add(obj, "age", age);
	json_add_u64(obj, "sz_filter_passed", 0);
	return obj;
}

/* Adds the regions of one panel in one column; merges neighbouring rows with equal samples. */
static __u64 add_regions(struct json_object *regions, const struct report_view *view,
			 const struct panel *panel, unsigned int column, __u64 *cells)
{
	__u64 start = panel->start, before = 0, addr;
	unsigned int row;

	for (row = 0; row < panel->rows; row++) {
		addr = panel->start + row * panel->row_bytes;
		panels_row(&view->panels, view->report->heat, panel, row, cells);
		if (row && cells[column] != before) {
			json_object_array_add(regions, region_json(start, addr, before));
			start = addr;
		}
		before = cells[column];
	}
	json_object_array_add(regions, region_json(start, panel->end, before));
	return panel->end - panel->start;
}

static struct json_object *snapshot_json(const struct report_view *view, __u32 space,
					 unsigned int column, __u64 *cells)
{
	struct json_object *obj = json_object_new_object(), *regions = json_object_new_array();
	__u64 start = view->report->heat->start + column * report_column_ns(view), total = 0;
	unsigned int p;

	for (p = 0; p < view->panels.nr; p++)
		if (view->panels.panel[p].space == space)
			total += add_regions(regions, view, &view->panels.panel[p], column, cells);
	json_add_u64(obj, "start_time", start);
	json_add_u64(obj, "end_time", start + report_column_ns(view));
	json_add(obj, "regions", regions);
	json_add_u64(obj, "total_bytes", total);
	return obj;
}

/*
 * damo divides accesses by the aggregation interval, to get samples per second, and by the
 * number of sampling intervals in it, to get the share of those with an access. So the
 * hottest cell must not have more samples than there are sampling intervals.
 */
static struct json_object *intervals_json(const struct report_view *view)
{
	struct json_object *obj = json_object_new_object();
	double us = (double)report_column_ns(view) / 1000;
	__u64 most = panels_most(&view->panels, view->report->heat);

	json_add(obj, "sample_us", json_object_new_double(us / (most ? (double)most : 1)));
	json_add(obj, "aggr_us", json_object_new_double(us));
	json_add(obj, "ops_update_us", json_object_new_double(us));
	return obj;
}

static struct json_object *record_json(const struct report_view *view, __u32 space, __u64 *cells)
{
	struct json_object *obj = json_object_new_object(), *snapshots = json_object_new_array();
	unsigned int column;

	for (column = 0; column < view->panels.columns; column++)
		json_object_array_add(snapshots, snapshot_json(view, space, column, cells));
	json_add_u64(obj, "kdamond_idx", 0);
	json_add_u64(obj, "context_idx", 0);
	json_add(obj, "intervals", intervals_json(view));
	json_add(obj, "scheme_idx", NULL);
	json_add_u64(obj, "target_id", space);
	json_add(obj, "scheme_filters", json_object_new_array());
	json_add(obj, "snapshots", snapshots);
	return obj;
}

static __u32 adler32(const unsigned char *bytes, size_t len)
{
	__u32 a = 1, b = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		a = (a + bytes[i]) % ADLER_BASE;
		b = (b + a) % ADLER_BASE;
	}
	return b << 16 | a;
}

/* RFC 1950 and 1951: a header, blocks that are not compressed, and a checksum. */
static void print_zlib(FILE *file, const unsigned char *bytes, size_t len)
{
	__u32 sum = adler32(bytes, len);
	size_t size, at = 0;

	fwrite("\x78\x01", 1, 2, file);
	do {
		size = len - at < BLOCK_MAX ? len - at : BLOCK_MAX;
		fputc(at + size == len ? 1 : 0, file);
		fputc(size & 0xff, file);
		fputc(size >> 8, file);
		fputc(~size & 0xff, file);
		fputc(~size >> 8 & 0xff, file);
		fwrite(bytes + at, 1, size, file);
		at += size;
	} while (at < len);
	fputc(sum >> 24, file);
	fputc(sum >> 16 & 0xff, file);
	fputc(sum >> 8 & 0xff, file);
	fputc(sum & 0xff, file);
}

void report_print_damon(FILE *file, const struct report_view *view)
{
	__u64 *cells = calloc(view->panels.columns + 1UL, sizeof(*cells));
	struct json_object *records = json_object_new_array();
	const char *text;
	unsigned int p;
	size_t len;

	/* Panels are sorted by address space. */
	for (p = 0; cells && p < view->panels.nr; p++)
		if (!p || view->panels.panel[p].space != view->panels.panel[p - 1].space)
			json_object_array_add(records, record_json(view,
								   view->panels.panel[p].space,
								   cells));
	free(cells);
	text = json_object_to_json_string_length(records, JSON_C_TO_STRING_PLAIN, &len);
	if (text)
		print_zlib(file, (const unsigned char *)text, len);
	json_object_put(records);
}
