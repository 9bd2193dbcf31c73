// SPDX-License-Identifier: GPL-2.0
/*
 * The models of CPU: events, counters and what samples tell, as perf's lists of events
 * (tools/perf/pmu-events) and the kernel's driver (arch/x86/events/intel) have them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include "model.h"

#define LOADS		PEBS_LOADS
#define STORES		PEBS_STORES
#define STLB_MISSES	PEBS_STLB_MISSES
#define LOAD_MISSES	(LOADS & ~BIT(PEBS_LOAD_HIT))

/* What samples tell. */
#define OPERATION	PEBS_EVENT_OPERATION
#define LEVEL		PEBS_EVENT_LEVEL
#define LATENCY		(PEBS_EVENT_LATENCY | LEVEL)
#define STALE		PEBS_EVENT_STALE

/* Names that the kernel has for the events of "perf mem". */
#define ALIAS(id, text, terms)						\
	static struct perf_pmu_events_attr id = {			\
		.attr.attr = { .name = (text), .mode = 0444 },		\
		.attr.show = perf_event_sysfs_show,			\
		.event_str = (terms),					\
	}

ALIAS(skylake_loads, "mem-loads", "event=0xcd,umask=0x1,ldlat=3");
ALIAS(skylake_stores, "mem-stores", "event=0xd0,umask=0x82");
ALIAS(golden_cove_stores, "mem-stores", "event=0xcd,umask=0x2");
ALIAS(golden_cove_aux, "mem-loads-aux", "event=0x03,umask=0x82");
ALIAS(atom_loads, "mem-loads", "event=0xd0,umask=0x5,ldlat=3");
ALIAS(atom_stores, "mem-stores", "event=0xd0,umask=0x6");

static struct attribute *skylake_aliases[] = {
	&skylake_loads.attr.attr, &skylake_stores.attr.attr, NULL
};

/* Without the auxiliary event for Granite Rapids. */
static struct attribute *granite_rapids_aliases[] = {
	&skylake_loads.attr.attr, &golden_cove_stores.attr.attr, NULL
};

static struct attribute *golden_cove_aliases[] = {
	&skylake_loads.attr.attr, &golden_cove_stores.attr.attr, &golden_cove_aux.attr.attr, NULL
};

static struct attribute *atom_aliases[] = {
	&atom_loads.attr.attr, &atom_stores.attr.attr, NULL
};

static struct attribute *no_aliases[] = {
	NULL
};

/* Those of all large cores. */
#define ALL_LOADS	{ 0x81d0, LOADS, 0x0f, OPERATION }	/* MEM_INST_RETIRED.ALL_LOADS */
#define ALL_STORES	{ 0x82d0, STORES, 0x0f, OPERATION }	/* MEM_INST_RETIRED.ALL_STORES */
#define STLB_STORES	{ 0x12d0, STLB_MISSES, 0x0f, OPERATION } /* ....STLB_MISS_STORES */
#define ANY		{ 0x83d0, LOADS | STORES, 0x0f }	/* MEM_INST_RETIRED.ANY */
#define L3_MISS		{ 0x20d1, LOAD_MISSES, 0x0f, OPERATION } /* MEM_LOAD_RETIRED.L3_MISS */
/* MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM, REMOTE_DRAM */
#define LOCAL_DRAM	{ 0x01d3, BIT(PEBS_LOAD_LOCAL), 0x0f, OPERATION }
#define REMOTE_DRAM	{ 0x02d3, BIT(PEBS_LOAD_REMOTE), 0x0f, OPERATION }
#define STORE_SAMPLE	{ 0x02cd, STORES, 0x01, LEVEL }		/* MEM_TRANS_RETIRED.STORE_SAMPLE */

static const struct pebs_event skylake_events[] = {
	ALL_LOADS, ALL_STORES, STLB_STORES, ANY, L3_MISS, LOCAL_DRAM, REMOTE_DRAM,
	{ 0x01cd, LOADS, 0x0f, LATENCY },		/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	{ }
};

/* The events of Sapphire Rapids have an address for memory of this socket only. */
static const struct pebs_event sapphire_rapids_events[] = {
	ALL_LOADS, ALL_STORES, STLB_STORES, ANY, L3_MISS, LOCAL_DRAM, REMOTE_DRAM, STORE_SAMPLE,
	{ 0x80d1, BIT(PEBS_LOAD_LOCAL_PMM), 0x0f, OPERATION },	/* MEM_LOAD_RETIRED.LOCAL_PMM */
	{ 0x10d3, BIT(PEBS_LOAD_REMOTE_PMM), 0x0f, OPERATION | STALE }, /* ... REMOTE_PMM */
	{ 0x01cd, LOADS, 0xfe, LATENCY | PEBS_EVENT_AUX },
	{ PEBS_AUX_EVENT, 0, 0x0f },			/* LD_BLOCKS.STORE_FORWARD */
	{ }
};

/* The codes of persistent memory are those of CXL memory. */
static const struct pebs_event granite_rapids_events[] = {
	ALL_LOADS, ALL_STORES, STLB_STORES, ANY, L3_MISS, LOCAL_DRAM, REMOTE_DRAM, STORE_SAMPLE,
	{ 0x80d1, BIT(PEBS_LOAD_LOCAL_PMM), 0x0f, OPERATION },	/* MEM_LOAD_RETIRED.LOCAL_CXL_MEM */
	{ 0x10d3, BIT(PEBS_LOAD_REMOTE_PMM), 0x0f, OPERATION | STALE }, /* ... REMOTE_CXL_MEM */
	{ 0x01cd, LOADS, 0xfe, LATENCY },
	{ }
};

/* There is one cache here, so no load hits a write-combining buffer. */
static const struct pebs_event sierra_forest_events[] = {
	{ 0x81d0, LOADS, 0xff },			/* MEM_UOPS_RETIRED.ALL_LOADS */
	{ 0x82d0, STORES, 0xff },			/* MEM_UOPS_RETIRED.ALL_STORES */
	{ 0x12d0, STLB_MISSES, 0xff },			/* MEM_UOPS_RETIRED.STLB_MISS_STORES */
	{ 0x83d0, LOADS | STORES, 0xff },		/* MEM_UOPS_RETIRED.ALL */
	{ 0x05d0, LOADS, 0x03, LATENCY },		/* MEM_UOPS_RETIRED.LOAD_LATENCY */
	{ 0x06d0, STORES, 0xff, LEVEL },		/* MEM_UOPS_RETIRED.STORE_LATENCY */
	{ 0x20d1, 0, 0xff, STALE },			/* MEM_LOAD_UOPS_RETIRED.WCB_HIT */
	{ 0x80d1, LOADS, 0xff, STALE },			/* MEM_LOAD_UOPS_RETIRED.L2_MISS */
	/* MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM, REMOTE_DRAM_OR_NOFWD */
	{ 0x01d3, BIT(PEBS_LOAD_LOCAL), 0xff, STALE },
	{ 0x02d3, BIT(PEBS_LOAD_REMOTE), 0xff, STALE },
	{ }
};

static const struct pebs_event alder_lake_core_events[] = {
	ALL_LOADS, ALL_STORES, STLB_STORES, ANY, L3_MISS, STORE_SAMPLE,
	{ 0x01d3, LOAD_MISSES, 0x0f, OPERATION },
	{ 0x01cd, LOADS, 0xfe, LATENCY | PEBS_EVENT_AUX },
	{ PEBS_AUX_EVENT, 0, 0x0f },
	{ }
};

static const struct pebs_event alder_lake_atom_events[] = {
	{ 0x81d0, LOADS, 0x3f },
	{ 0x82d0, STORES, 0x3f },
	{ 0x12d0, STLB_MISSES, 0x3f },
	{ 0x83d0, LOADS | STORES, 0x3f },
	{ 0x05d0, LOADS, 0x03, LATENCY },
	{ 0x06d0, STORES, 0x3f, LEVEL },
	{ 0x20d1, 0, 0x3f },				/* MEM_LOAD_UOPS_RETIRED.HITM */
	{ 0x80d1, LOAD_MISSES, 0x3f },			/* MEM_LOAD_UOPS_RETIRED.DRAM_HIT */
	{ 0x20d2, LOAD_MISSES, 0x3f },			/* MEM_LOAD_UOPS_RETIRED_MISC.L3_MISS */
	{ }
};

/* The counters of AMD's cores; what samples is IBS. */
static const struct pebs_event zen_events[] = {
	{ 0x0129, LOADS, 0x3f, PEBS_EVENT_NO_ADDR },	/* LS_DISPATCH.LD_DISPATCH */
	{ 0x0229, STORES, 0x3f, PEBS_EVENT_NO_ADDR },	/* LS_DISPATCH.STORE_DISPATCH */
	{ }
};

static const struct pebs_event ideal_events[] = {
	{ 0x81d0, LOADS, 0xff, LEVEL },
	{ 0x82d0, STORES, 0xff, LEVEL },
	{ 0x12d0, STLB_MISSES, 0xff, LEVEL },
	{ 0x83d0, LOADS | STORES, 0xff, LEVEL },
	{ 0x20d1, LOAD_MISSES, 0xff, LEVEL },
	{ 0x80d1, BIT(PEBS_LOAD_LOCAL_PMM), 0xff, LEVEL },
	{ 0x01d3, BIT(PEBS_LOAD_LOCAL), 0xff, LEVEL },
	{ 0x02d3, BIT(PEBS_LOAD_REMOTE), 0xff, LEVEL },
	{ 0x10d3, BIT(PEBS_LOAD_REMOTE_PMM), 0xff, LEVEL },
	{ 0x01cd, LOADS, 0xff, LATENCY },
	{ }
};

static const struct pebs_model models[] = {
	{ "skylake", "skylake", { { "cpu", skylake_events, skylake_aliases } } },
	{ "sapphire-rapids", "sapphire_rapids",
	  { { "cpu", sapphire_rapids_events, golden_cove_aliases } } },
	{ "granite-rapids", "granite_rapids",
	  { { "cpu", granite_rapids_events, granite_rapids_aliases } }, .cxl = true },
	{ "sierra-forest", "crestmont", { { "cpu", sierra_forest_events, atom_aliases } } },
	{ "alder-lake", "alderlake_hybrid",
	  { { "cpu_core", alder_lake_core_events, golden_cove_aliases },
	    { "cpu_atom", alder_lake_atom_events, atom_aliases } } },
	{ "zen3", "zen3", { { "cpu", zen_events, no_aliases } }, .zen = 3 },
	{ "zen4", "zen4", { { "cpu", zen_events, no_aliases } }, .zen = 4, .cxl = true },
	{ "ideal", "icelake", { { "cpu", ideal_events, skylake_aliases } } },
};

static char *name = "skylake";
module_param_named(model, name, charp, 0444);
MODULE_PARM_DESC(model, "CPU to be, by its name in selftests/pebs/models (default: skylake)");

const struct pebs_model *pebs_model;

int pebs_model_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(models[i].name, name))
			pebs_model = &models[i];
	if (pebs_model)
		return 0;
	pr_err("there is no model '%s'\n", name);
	return -EINVAL;
}

const struct pebs_event *pebs_event_find(const struct pebs_cores *cores, u64 config)
{
	const struct pebs_event *event;

	for (event = cores->events; event->config; event++)
		if (event->config == config)
			return event;
	return NULL;
}
