/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of the caller's privileges. */
#ifndef HTMM_PRIVILEGE_H
#define HTMM_PRIVILEGE_H

#include "base/config.h"

int htmm_privilege_check(const struct htmm_config *config, struct htmm_error *err);

#endif /* HTMM_PRIVILEGE_H */
