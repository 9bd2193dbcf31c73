/* SPDX-License-Identifier: GPL-2.0 */
/* What on this machine allows or prevents sampling. */
#ifndef HTMMCTL_CHECKS_H
#define HTMMCTL_CHECKS_H

#include <stdbool.h>
#include <htmm/error.h>

enum check_level { CHECK_OK, CHECK_WARN, CHECK_FAIL };

/**
 * struct check - one thing that was looked at
 * @name: what
 * @level: how it stands
 * @text: in words, and what to do about it
 */
struct check {
	const char *name;
	enum check_level level;
	struct htmm_error text;
};

#define CHECKS_MAX	8

/**
 * checks_run() - look at everything
 * @checks: filled
 *
 * Return: how many there are; the first is always the module.
 */
unsigned int checks_run(struct check checks[CHECKS_MAX]);

/* "ok", "warn" or "fail". */
const char *check_level_name(enum check_level level);

#endif /* HTMMCTL_CHECKS_H */
