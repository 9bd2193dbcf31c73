/* SPDX-License-Identifier: GPL-2.0 */
/* Memory accesses with an exactly known number and place. */
#ifndef KSFT_ACCESS_H
#define KSFT_ACCESS_H

#include <stddef.h>
#include "cpu.h"
#include "device.h"

#define PAGE		4096UL
/* What may be one huge page. */
#define REGION		(2UL << 20)
#define REGION_PAGES	512

/**
 * enum access_kind - what an event counts
 * @ACCESS_STORE: retired stores
 * @ACCESS_LOAD: retired loads
 * @ACCESS_FAULT: page faults
 */
enum access_kind {
	ACCESS_STORE,
	ACCESS_LOAD,
	ACCESS_FAULT,
};

/**
 * struct source - an event that samples one kind of access
 * @kind: the kind of access
 * @event: the event, its period small enough for short tests and large enough
 *	for the kernel not to throttle it
 * @hardware: its overflows are NMIs
 * @exact: it counts each access and samples exactly every period-th one; real CPUs miss a
 *	few events after each sample
 */
struct source {
	enum access_kind kind;
	struct htmm_event event;
	bool hardware;
	bool exact;
};

/* Finds an event that counts accesses of @kind. Returns false if there is none. */
bool source_find(struct source *source, enum access_kind kind);
/* Stores if a PMU here samples them, else page faults. */
void source_best(struct source *source);
/* One sample for each page fault: exact on every machine. */
void source_every_fault(struct source *source);

/*
 * The number of events on the PMU of @source, armed or not, or -1 if it is unknown: each
 * one holds a reference to the module of the PMU's driver.
 */
int source_events(const struct source *source);
/* Sets a parameter of the emulated unit; a negative errno if there is no such unit. */
int source_set_parameter(const char *name, const char *value);
/*
 * Makes the kernel count page faults until this program ends. The kernel patches its fault
 * handler when the first such event is created and when the last one goes, and emulated
 * CPUs may still run the old instruction.
 */
void source_hold(void);

/* Bytes of memory that a program could allocate now. */
size_t memory_available(void);
/* Pages that were touched, are never huge, and are not shared. NULL: no memory. */
void *access_map(size_t pages);
/*
 * Whole regions of which no page is there yet, whether there is memory for all of them or not,
 * with nothing mapped beside them. Never huge. NULL: there is no room.
 */
void *access_reserve(size_t bytes);
/* Pages of this area that are touched from now on come from @node; 0 or -1 with errno. */
int access_bind(void *mem, size_t bytes, int node);
/*
 * Makes @rounds accesses of the kind that @source counts to each of @pages pages: one to
 * each page in order, then the next round. Each store or load is a single instruction.
 */
void access_pages(const struct source *source, void *mem, size_t pages, size_t rounds);
/*
 * The same, but of faults all of a page one after the other. To fault, a page is absent for a part
 * of each round, which may happen to be when the module looks for freed memory, twice, and then it
 * forgets the page with its samples.
 */
void access_kept(const struct source *source, void *mem, size_t pages, size_t rounds);

#endif /* KSFT_ACCESS_H */
