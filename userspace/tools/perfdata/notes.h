/* SPDX-License-Identifier: GPL-2.0 */
/* The feature sections of a perf.data file that matter here. */
#ifndef PERFDATA_NOTES_H
#define PERFDATA_NOTES_H

#include <stddef.h>
#include "events.h"
#include "reader.h"

/* Longer sections are not read. */
#define PERFDATA_NOTE_MAX	(1024 * 1024)
/* Most files with a build id. */
#define PERFDATA_BUILD_IDS_MAX	(64 * 1024)

/**
 * perfdata_notes_add() - read one feature
 * @notes: filled with what the feature holds
 * @events: get their names
 * @feature: enum perfdata_feature
 * @data: its bytes
 * @size: number of bytes; what is cut off at the end is left out
 */
void perfdata_notes_add(struct perfdata_notes *notes, struct perfdata_events *events,
			unsigned int feature, const void *data, size_t size);

/**
 * perfdata_notes_build_id() - keep the build id of a file
 * @notes: get it
 * @record: a struct perfdata_build_id with its name; need not be aligned
 * @size: its bytes
 *
 * Those of virtual machines are left out, and those of more than PERFDATA_BUILD_IDS_MAX files.
 *
 * Return: 0, or -EBADMSG if the record is too short.
 */
int perfdata_notes_build_id(struct perfdata_notes *notes, const void *record, size_t size);

/**
 * perfdata_notes_free() - free the notes
 * @notes: the notes; may be all zero
 */
void perfdata_notes_free(struct perfdata_notes *notes);

#endif /* PERFDATA_NOTES_H */
