/* SPDX-License-Identifier: GPL-2.0 */
/* The settings of a session that may change while it runs. */
#ifndef HTMM_UPDATE_H
#define HTMM_UPDATE_H

#include "budget.h"
#include "track/target_set.h"

int htmm_update_change(struct htmm_target_set *targets, struct htmm_budget *budget,
		       const struct htmm_set *set, struct htmm_error *err);

#endif /* HTMM_UPDATE_H */
