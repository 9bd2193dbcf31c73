/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Sets of CPUs, in the kernel's list format: 0-3,8. */
#ifndef HTMM_CPUS_H
#define HTMM_CPUS_H

#include <stdbool.h>
#include <linux/types.h>
#include <htmm/error.h>

/* One more than the highest CPU number a set can hold. */
#define HTMM_CPUS_MAX	8192

/**
 * struct htmm_cpus - a set of CPUs
 * @bits: CPU n is bit n % 64 of word n / 64
 * @size: bytes of @bits that are in use, a multiple of 8; 0: the set is empty
 */
struct htmm_cpus {
	__u64 bits[HTMM_CPUS_MAX / 64];
	__u32 size;
};

/*
 * Reads a list such as 0-3,8. Old contents of @cpus are ignored. Returns 0, -EINVAL (not a list) or
 * -ERANGE (a CPU number too high), and says in @err what is wrong.
 */
int htmm_cpus_parse(struct htmm_cpus *cpus, const char *text, struct htmm_error *err);

/* Is a CPU, of any number, in the set? */
bool htmm_cpus_has(const struct htmm_cpus *cpus, unsigned int cpu);

#endif /* HTMM_CPUS_H */
