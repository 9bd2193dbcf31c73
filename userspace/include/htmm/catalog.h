/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The events of this CPU, from libpfm4. */
#ifndef HTMM_CATALOG_H
#define HTMM_CATALOG_H

#include <stdbool.h>

/**
 * struct htmm_catalog_event - an event of this CPU
 * @name: its name, as htmm_events_parse() takes it: EVENT or EVENT:UMASK
 * @help: what it counts
 * @alias: another event has the same code and is the one to use
 * @precise: the CPU can sample it with the address of the data (PEBS)
 */
struct htmm_catalog_event {
	char name[96];
	const char *help;
	bool alias;
	bool precise;
};

/*
 * The model of this CPU in words, such as "Intel Skylake X", or if libpfm4 does not know it as
 * vendor, family, model and stepping: GenuineIntel-6-AF-3. The next call may change it. The
 * environment variable LIBPFM_FORCE_PMU makes libpfm4 assume another CPU.
 */
const char *htmm_catalog_cpu(void);

/*
 * Calls @each for every event of the CPU, until it returns something other than 0. Returns what it
 * returned last; 0 if there is no event.
 */
int htmm_catalog_walk(int (*each)(const struct htmm_catalog_event *event, void *data), void *data);

#endif /* HTMM_CATALOG_H */
