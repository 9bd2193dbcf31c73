/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays from and to user space, whose elements may be older or newer than ours. */
#ifndef HTMM_UACCESS_H
#define HTMM_UACCESS_H

#include <linux/cpumask.h>
#include <linux/types.h>
#include "base/error.h"

/* The largest struct, and the largest element of an array, that a caller may have. */
#define HTMM_MAX_SIZE		4096

int htmm_check_stride(u32 stride, size_t first);
int htmm_copy_array_in(void *to, size_t elem, size_t first, u64 from,
		       u32 stride, u32 n);
int htmm_copy_array_out(u64 to, u32 stride, const void *from, size_t elem,
			u32 n);
int htmm_copy_cpus(struct cpumask *mask, u64 from, u32 bytes,
		   const char *what, struct htmm_error *err);

#endif /* HTMM_UACCESS_H */
