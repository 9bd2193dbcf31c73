/* SPDX-License-Identifier: GPL-2.0 */
/* The CPU that the driver presents: its kinds of cores, and their events. */
#ifndef PEBS_MODEL_H
#define PEBS_MODEL_H

#include <linux/types.h>

#include "mailbox.h"

#define PEBS_MAX_CORES	2	/* kinds of cores */

#define PEBS_LOADS	(BIT(PEBS_LOAD_HIT) | BIT(PEBS_LOAD_LOCAL) | BIT(PEBS_LOAD_REMOTE) | \
			 BIT(PEBS_LOAD_LOCAL_PMM) | BIT(PEBS_LOAD_REMOTE_PMM))
#define PEBS_STLB_MISSES	(BIT(PEBS_STORE_HIT_STLB_MISS) | BIT(PEBS_STORE_MISS_STLB_MISS))
#define PEBS_STORES	(BIT(PEBS_STORE_HIT) | BIT(PEBS_STORE_MISS) | PEBS_STLB_MISSES)

/* What an event is, beside its code. */
#define PEBS_EVENT_LATENCY	BIT(0)	/* config1 is the least latency that it counts */
#define PEBS_EVENT_LEVEL	BIT(1)	/* its samples tell what served the access */
#define PEBS_EVENT_OPERATION	BIT(2)	/* its samples tell if it was a load or a store */
#define PEBS_EVENT_STALE	BIT(3)	/* its records have the address of an earlier access */
#define PEBS_EVENT_AUX		BIT(4)	/* PEBS_AUX_EVENT must be in its group to tell that */
#define PEBS_EVENT_NO_ADDR	BIT(5)	/* its samples have no address */

#define PEBS_AUX_EVENT		0x8203

/**
 * struct pebs_event - an event that cores can count
 * @config: umask and event select, as in IA32_PERFEVTSEL; 0 ends a table
 * @kinds: bitmask of enum pebs_kind that it counts
 * @counters: bitmask of the counters that can count it
 * @flags: PEBS_EVENT_*
 */
struct pebs_event {
	u64 config;
	u32 kinds;
	u8 counters;
	u8 flags;
};

/**
 * struct pebs_cores - cores of one kind
 * @pmu: name of their PMU
 * @events: what they count
 * @aliases: attributes of the PMU's directory "events"
 */
struct pebs_cores {
	const char *pmu;
	const struct pebs_event *events;
	struct attribute **aliases;
};

/**
 * struct pebs_model - a CPU
 * @name: as in ../models
 * @uarch: name of the microarchitecture, as the kernel has it in "caps/pmu_name"
 * @cores: its kinds of cores. The first takes raw events. If there is another, it has the
 *	second half of the CPUs.
 * @zen: the PMU ibs_op is that of this generation of Zen; 0: there is none
 * @cxl: the memory of nodes without CPUs is CXL memory of this socket
 */
struct pebs_model {
	const char *name;
	const char *uarch;
	struct pebs_cores cores[PEBS_MAX_CORES];
	unsigned int zen;
	bool cxl;
};

/* The model that the driver was told to be. */
extern const struct pebs_model *pebs_model;

/* Finds the model. Returns 0 or -EINVAL. */
int pebs_model_init(void);

/* Finds an event. Returns NULL if the cores do not have it. */
const struct pebs_event *pebs_event_find(const struct pebs_cores *cores, u64 config);

#endif /* PEBS_MODEL_H */
