/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of what allows or prevents sampling on this machine. */
#ifndef HTMMCTL_CHECKS_H
#define HTMMCTL_CHECKS_H

#include <stdbool.h>
#include <htmm/error.h>

enum check_level { CHECK_OK, CHECK_WARN, CHECK_FAIL };

/**
 * struct check - the result of one check
 * @name: what was checked
 * @level: the result
 * @text: the result in words, and what to do
 */
struct check {
	const char *name;
	enum check_level level;
	struct htmm_error text;
};

#define CHECKS_MAX	8

/*
 * Runs all checks but those of events. Returns the number of checks; the first one is always
 * the module.
 */
unsigned int checks_run(struct check checks[CHECKS_MAX]);

/* "ok", "warn" or "fail". */
const char *check_level_name(enum check_level level);

#endif /* HTMMCTL_CHECKS_H */
