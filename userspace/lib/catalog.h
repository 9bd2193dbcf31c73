/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Events by the names of libpfm4. */
#ifndef HTMM_LIB_CATALOG_H
#define HTMM_LIB_CATALOG_H

#include <linux/htmm.h>
#include <htmm/error.h>

/*
 * Fill type, config, config1, config2, precise_ip and the period if @name has one: 0,
 * -ENOENT if it is no event, or -EINVAL and in @err what of it cannot be had.
 */
int catalog_encode(const char *name, struct htmm_event *event, struct htmm_error *err);

/* Say in @err why @name is no event of this CPU: -ENOENT. */
int catalog_unknown(const char *name, struct htmm_error *err);

#endif /* HTMM_LIB_CATALOG_H */
