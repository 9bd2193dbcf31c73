/* SPDX-License-Identifier: GPL-2.0 */
/* Memory accesses of which the exact number and place are known. */
#ifndef KSFT_ACCESS_H
#define KSFT_ACCESS_H

#include <stddef.h>
#include "cpu.h"
#include "device.h"

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
 * @kind: which
 * @event: the event, its period small enough for short tests and large enough
 *	for the kernel not to throttle it
 * @hardware: its overflows come as NMIs
 * @exact: it counts each access and samples precisely every period-th one; real
 *	CPUs are a little off after each sample
 */
struct source {
	enum access_kind kind;
	struct htmm_event event;
	bool hardware;
	bool exact;
};

/* Is there an event here that counts accesses of @kind? If so, say which. */
bool source_find(struct source *source, enum access_kind kind);
/* Stores if a PMU here samples them, else page faults. */
void source_best(struct source *source);
/* One sample a page fault: exact on every machine. */
void source_every_fault(struct source *source);

/*
 * Events that exist on the PMU of @source, armed or not, or -1 if nobody tells:
 * each holds the module of the PMU's driver.
 */
int source_events(const struct source *source);
/* Sets a parameter of the emulated unit; a negative errno: there is none. */
int source_set_parameter(const char *name, const char *value);
/*
 * Has the kernel count page faults until this program ends. It patches its fault
 * handler when the first such event comes and when the last one goes, and
 * emulated CPUs may run the instruction that was there a moment ago.
 */
void source_hold(void);

/* Bytes that a program could have now. */
size_t memory_available(void);
/* Pages that were touched, are never huge, and are not shared. NULL: no memory. */
void *access_map(size_t pages);
/*
 * Makes @rounds accesses of the kind that @source counts to each of @pages
 * pages: one to each page in order, then the next round. Stores and loads are
 * made by nothing but one instruction each.
 */
void access_pages(const struct source *source, void *mem, size_t pages,
		  size_t rounds);

#endif /* KSFT_ACCESS_H */
