/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of the caller's privileges. */
#ifndef HTMM_PRIVILEGE_H
#define HTMM_PRIVILEGE_H

#include "base/config.h"

void htmm_privilege_defaults(struct htmm_config *config);
int htmm_privilege_check_period(const struct htmm_event *event, unsigned int index,
				u64 period, struct htmm_error *err);
int htmm_privilege_check(const struct htmm_config *config, struct htmm_error *err);

#endif /* HTMM_PRIVILEGE_H */
