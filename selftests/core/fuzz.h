/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the fuzz targets. Each byte of the input is a choice, every failed check ends
 * the run, and after the end of the input all choices are 0.
 */
#ifndef HTMM_SELFTESTS_FUZZ_H
#define HTMM_SELFTESTS_FUZZ_H

#include "model.h"

/* The target: libFuzzer, or replay.c, calls it with each input. */
int fuzz_one_input(const unsigned char *data, size_t size);

/* Begin with an input. */
void fuzz_begin(const unsigned char *data, size_t size);

/* Bytes left of it. */
size_t fuzz_left(void);

/* The next byte, 0 at the end. */
u32 fuzz_byte(void);

/* The next eight bytes as a number, shifted right as the ninth says. */
u64 fuzz_u64(void);

/* One of the steps that a table can take, done to the model as well. */
void fuzz_step(struct world *world);

#endif /* HTMM_SELFTESTS_FUZZ_H */
