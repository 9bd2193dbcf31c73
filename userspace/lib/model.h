/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The model of this CPU, and its events for the presets. */
#ifndef HTMM_LIB_MODEL_H
#define HTMM_LIB_MODEL_H

#include <stdbool.h>
#include <linux/types.h>

/* The presets that stand for an event of the CPU, in the order in which they are listed. */
enum preset {
	PRESET_DRAM,
	PRESET_REMOTE,
	PRESET_PMM,
	PRESET_CXL,
	PRESET_MISS,
	PRESET_LATENCY,
	PRESET_LOAD,
	PRESET_STORE,
	PRESET_STORE_MISS,
	PRESET_ACCESS,
	NR_CPU_PRESETS,
};

/**
 * struct cpu_id - a model of CPU
 * @vendor: as in /proc/cpuinfo
 * @family: its family
 * @model: its model in this family
 * @stepping: its revision
 */
struct cpu_id {
	char vendor[16];
	unsigned int family;
	unsigned int model;
	unsigned int stepping;
};

/**
 * struct model - the events of some models of Intel's
 * @cpus: family << 8 | model of CPUs whose cores, or large cores, have these events; 0: no more
 * @small: likewise of hybrid CPUs whose small cores have these
 * @stepping: lowest revision of @cpus to which this applies
 * @needs_aux: load latency counts only while event 0x8203 counts, too
 * @miss_config1: config1 of the event for PRESET_MISS
 * @event: umask << 8 | code for each preset; 0: none whose samples have a data address
 */
struct model {
	__u16 cpus[16];
	__u16 small[16];
	__u8 stepping;
	bool needs_aux;
	__u64 miss_config1;
	__u16 event[NR_CPU_PRESETS];
};

/* Reads the model from /proc/cpuinfo, or from HTMM_CPUID as VENDOR-FAMILY-MODEL-STEPPING. */
bool cpu_id_read(struct cpu_id *id);

/* The events of the cores of a CPU, or of the small cores of a hybrid one; NULL: not known. */
const struct model *model_find(const struct cpu_id *id, bool small);

#endif /* HTMM_LIB_MODEL_H */
