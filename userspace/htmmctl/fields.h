/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of the module's structs, with their names in all formats. */
#ifndef HTMMCTL_FIELDS_H
#define HTMMCTL_FIELDS_H

#include "field.h"

extern const struct field info_fields[];	/* of struct htmm_info */
extern const struct field stats_fields[];	/* of struct htmm_stats */
extern const struct field channel_fields[];	/* of struct htmm_channel_info */
extern const struct field counter_fields[];	/* of struct htmm_counters */
extern const struct field target_fields[];	/* of struct htmm_target_info */

#endif /* HTMMCTL_FIELDS_H */
