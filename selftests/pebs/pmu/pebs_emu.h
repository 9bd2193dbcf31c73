/* SPDX-License-Identifier: GPL-2.0 */
/* Guest driver of the emulated PEBS unit: what its files share. */
#ifndef PEBS_EMU_H
#define PEBS_EMU_H

#include <linux/perf_event.h>

#include "mailbox.h"

/**
 * struct pebs_sample - arguments of one perf_event_overflow()
 * @event: the event that overflowed
 * @data: its sample
 * @regs: registers at the access
 * @nested: it was already passed a second time
 */
struct pebs_sample {
	struct perf_event *event;
	struct perf_sample_data data;
	struct pt_regs regs;
	bool nested;
};

/**
 * struct pebs_cpu - the driver's side of one CPU's unit
 * @slot: its slot in the mailbox
 * @ibs: its IBS unit there
 * @event: events on the counters, NULL for a free one
 * @sample: overflow that is being handed to perf, if any
 * @draining: records are being drained; set and read on this CPU only, also by
 *	an NMI that interrupts the drain
 * @nmis: interrupts of the slot that were seen
 * @delivered: records handed to perf, once for each event they concern
 * @stale: records of an event that was already stopped, dropped
 * @addr: data address of the last record that had one
 *
 * Everything is used on its own CPU with interrupts off.
 */
struct pebs_cpu {
	struct pebs_slot *slot;
	struct ibs_unit *ibs;
	struct perf_event *event[PEBS_COUNTERS];
	struct pebs_sample *sample;
	bool draining;
	u64 nmis;
	u64 delivered;
	u64 stale;
	u64 addr;
};

extern struct pebs_cpu __percpu *pebs_cpus;

/* pmu.c */
int pebs_pmu_register(void);
void pebs_pmu_unregister(void);

/**
 * pebs_pmu_rebase() - take over a period that perf changed during an overflow
 * @cpu: this CPU
 * @event: an event on it
 *
 * Context: NMI or interrupts off.
 */
void pebs_pmu_rebase(struct pebs_cpu *cpu, struct perf_event *event);

/**
 * pebs_pmu_stop() - struct pmu's stop()
 * @event: event on this CPU
 * @flags: ignored, the count is always brought up to date
 *
 * Context: NMI or interrupts off.
 */
void pebs_pmu_stop(struct perf_event *event, int flags);

/* drain.c */

/**
 * pebs_overflow() - perf_event_overflow()
 * @sample: its arguments
 *
 * Context: NMI or interrupts off.
 * Return: non-zero if the event must stop.
 */
int pebs_overflow(struct pebs_sample *sample);

/**
 * pebs_slower() - the kinds of access that take longer
 * @cycles: than this
 *
 * Return: bitmask of enum pebs_kind.
 */
u64 pebs_slower(u64 cycles);

int pebs_drain_init(void);
void pebs_drain_exit(void);

/**
 * pebs_drain() - hand this CPU's records to perf, in order
 * @cpu: this CPU
 * @regs: interrupted registers, or NULL outside an NMI
 *
 * Does nothing if a drain is already running on this CPU; that one will see
 * the records.
 *
 * Context: NMI or interrupts off.
 */
void pebs_drain(struct pebs_cpu *cpu, struct pt_regs *regs);

/* tgid.c */
int pebs_tgid_init(void);
void pebs_tgid_exit(void);

/* fault.c */

/**
 * pebs_fault_spoil() - make a sample invalid if a fault is due
 * @data: sample, filled in
 *
 * Context: NMI or interrupts off.
 */
void pebs_fault_spoil(struct perf_sample_data *data);

/**
 * pebs_fault_of_kernel() - tell if a sample shall look like one of kernel mode, if that fault
 * is due
 */
bool pebs_fault_of_kernel(void);

/**
 * pebs_fault_enter_guest() - make the task look as if it ran a guest, if that fault is due
 *
 * Context: NMI or interrupts off.
 * Return: for pebs_fault_exit_guest().
 */
bool pebs_fault_enter_guest(void);
void pebs_fault_exit_guest(bool entered);

/**
 * pebs_fault_refuses() - tell if an event is refused for its period, or because it excludes
 * guests
 * @event: a new event
 */
bool pebs_fault_refuses(const struct perf_event *event);

/**
 * pebs_fault_wants_no_guest() - tell if an event is refused because it includes guests
 * @event: a new event
 */
bool pebs_fault_wants_no_guest(const struct perf_event *event);

/**
 * pebs_fault_check_period() - check if a period may be changed on the event's CPU
 * @event: the event
 * @period: the new period
 *
 * Return: 0, or -EINVAL on a CPU that was told to refuse.
 */
int pebs_fault_check_period(struct perf_event *event, u64 period);

/* ibs.c */

int pebs_ibs_register(void);
void pebs_ibs_unregister(void);

/* nest.c */
void pebs_nest_exit(void);

/* price.c */

/**
 * enum pebs_price_stop - where the driver stops
 * @PEBS_STOP_NOWHERE: nowhere
 * @PEBS_STOP_ENTRY: it drops the records when the NMI comes
 * @PEBS_STOP_PERF: it does all but call perf
 * @PEBS_STOP_HANDLER: it calls perf, which calls a handler that does nothing
 */
enum pebs_price_stop {
	PEBS_STOP_NOWHERE,
	PEBS_STOP_ENTRY,
	PEBS_STOP_PERF,
	PEBS_STOP_HANDLER,
};

/**
 * pebs_price_stop() - where the driver is to stop
 *
 * Context: any.
 */
enum pebs_price_stop pebs_price_stop(void);

typedef int pebs_overflow_fn(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs);

/**
 * pebs_price_overflow() - call perf_event_overflow() as far as asked for
 * @overflow: perf_event_overflow()
 * @sample: its arguments
 *
 * Context: NMI or interrupts off.
 * Return: non-zero if the event must stop.
 */
int pebs_price_overflow(pebs_overflow_fn *overflow, struct pebs_sample *sample);

#endif /* PEBS_EMU_H */
