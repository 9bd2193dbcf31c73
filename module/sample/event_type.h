/* SPDX-License-Identifier: GPL-2.0 */
/* Which events a session may have. */
#ifndef HTMM_EVENT_TYPE_H
#define HTMM_EVENT_TYPE_H

#include "base/error.h"

int htmm_event_type_check(const struct htmm_event *desc, unsigned int i,
			  struct htmm_error *err);

#endif /* HTMM_EVENT_TYPE_H */
