/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Events by the names of libpfm4. */
#ifndef HTMM_LIB_CATALOG_H
#define HTMM_LIB_CATALOG_H

#include <linux/htmm.h>
#include <htmm/error.h>

/*
 * Fills type, config, config1, config2, precise_ip, and the period if @name has one.
 * Returns 0, -ENOENT if it is no event, or -EINVAL with the unsupported part in @err.
 */
int catalog_encode(const char *name, struct htmm_event *event, struct htmm_error *err);

/* Says in @err why @name is no event of this CPU. Returns -ENOENT. */
int catalog_unknown(const char *name, const char *sysfs, struct htmm_error *err);

/* Says in @err that nobody knows what @name is on this CPU, and what to do. Returns -ENOENT. */
int catalog_no_model(const char *name, const char *sysfs, struct htmm_error *err);

#endif /* HTMM_LIB_CATALOG_H */
