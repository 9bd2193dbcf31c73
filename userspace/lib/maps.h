/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Mappings, for the files of libhtmm. */
#ifndef LIBHTMM_MAPS_H
#define LIBHTMM_MAPS_H

#include <htmm/maps.h>

/*
 * Reads mappings in the format of /proc/PID/maps; lines that are none are skipped. Returns 0 or
 * -ENOMEM.
 */
int maps_parse(struct htmm_maps *maps, FILE *file);

/* Adds the mapping of a line, with the name that is there. Returns likewise. */
int maps_parse_line(struct htmm_maps *maps, char *line);

/*
 * Adds the mappings of an earlier copy that no longer exist; present ones win where both cover
 * an address. @old is empty afterwards. Returns 0 or -ENOMEM (nothing was added).
 */
int maps_merge(struct htmm_maps *maps, struct htmm_maps *old);

#endif /* LIBHTMM_MAPS_H */
