/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of libhtmm share. */
#ifndef HTMM_SELFTESTS_USERSPACE_TEST_H
#define HTMM_SELFTESTS_USERSPACE_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <linux/types.h>
#include <htmm/htmm.h>

typedef __u64 u64;
typedef __u32 u32;

#include "../core/tap.h"

/* Was it refused with @code, in words that have @word in them? */
static inline bool refused(int ret, int code, const struct htmm_error *err, const char *word)
{
	bool ok = ret == -code && err->code == code && strstr(err->what, word);

	if (!ok)
		printf("# got %d, error %d: %s; %s\n", ret, err->code, err->what, err->todo);
	return ok;
}

#endif /* HTMM_SELFTESTS_USERSPACE_TEST_H */
