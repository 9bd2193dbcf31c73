/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often a function of the module is called: what something takes, also where the machine has
 * other work and times tell nothing.
 */
#ifndef KSFT_PROBE_H
#define KSFT_PROBE_H

/* Begins to count. Returns 0 or a negative errno. One function at a time. */
int probe_begin(const char *function);
/* Calls since then; -1 if they cannot be read. */
long probe_calls(void);
/* Ends it. */
void probe_end(void);

#endif /* KSFT_PROBE_H */
