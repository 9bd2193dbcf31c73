/* SPDX-License-Identifier: GPL-2.0 */
/* Settings of a session that are rarely used: one table for parser, help and completion. */
#ifndef HTMMCTL_TUNING_H
#define HTMMCTL_TUNING_H

#include <htmm/error.h>

/* The option that takes one; the value is a &struct session. */
#define OPT_TUNE(session, key)						\
	{ OPT_CALL, key, "tune", "NAME=VALUE", "a setting, see 'htmmctl help tuning'", session,	\
	  .call = tuning_set }

/* Changes a setting. Returns 0 or a negative errno. */
int tuning_set(void *session, const char *text, struct htmm_error *err);

/* Prints all settings. Returns an exit status. */
int tuning_print(void);

#endif /* HTMMCTL_TUNING_H */
