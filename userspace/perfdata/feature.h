/* SPDX-License-Identifier: GPL-2.0 */
/* What perf.data says besides its records: the machine, the events, the command. */
#ifndef PERFDATA_FEATURE_H
#define PERFDATA_FEATURE_H

#include <stddef.h>
#include "perfdata/format.h"

struct perfdata_writer;

/**
 * struct perfdata_blob - what a feature says
 * @feature: which
 * @data: in the layout of a file's section
 * @size: its bytes
 */
struct perfdata_blob {
	enum perfdata_feature feature;
	char *data;
	size_t size;
};

/* Most features that perfdata_features() gives. */
#define PERFDATA_FEATURES_MAX	24

/**
 * perfdata_features() - say everything that can be said
 * @writer: whose file it is for
 * @blobs: filled in the order of enum perfdata_feature; give them back with
 *	perfdata_features_free()
 *
 * What cannot be found out here, or does not go into a pipe, is left out.
 *
 * Return: number of @blobs.
 */
unsigned int perfdata_features(const struct perfdata_writer *writer,
			       struct perfdata_blob blobs[PERFDATA_FEATURES_MAX]);

/**
 * perfdata_features_free() - free blobs
 * @blobs: the blobs
 * @nr: how many there are
 */
void perfdata_features_free(struct perfdata_blob *blobs, unsigned int nr);

#endif /* PERFDATA_FEATURE_H */
