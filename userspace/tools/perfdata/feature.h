/* SPDX-License-Identifier: GPL-2.0 */
/* Features: what perf.data holds besides records, on the machine, the events, the command. */
#ifndef PERFDATA_FEATURE_H
#define PERFDATA_FEATURE_H

#include <stddef.h>
#include "perfdata/format.h"

struct perfdata_writer;

/**
 * struct perfdata_blob - the contents of a feature
 * @feature: which
 * @data: in the format of a file's section
 * @size: its bytes
 */
struct perfdata_blob {
	enum perfdata_feature feature;
	char *data;
	size_t size;
};

/* Most features that perfdata_features() makes. */
#define PERFDATA_FEATURES_MAX	24

/**
 * perfdata_features() - collect all features
 * @writer: the file's writer
 * @blobs: filled in the order of enum perfdata_feature; free them with perfdata_features_free()
 *
 * Leaves out what is unknown on this machine, or cannot be in a pipe.
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
