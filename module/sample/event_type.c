// SPDX-License-Identifier: GPL-2.0
/*
 * Check which events a session may have. Some PMUs take a pointer to user memory in config1
 * (kprobe, uprobe); but when a CPU comes online a worker creates the events, in another
 * process' memory. Others observe or change the kernel. So only events that count memory
 * accesses are allowed.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "perf_event.h"

/* The software events whose samples have a data address. */
static bool htmm_software_has_addr(u64 config)
{
	switch (config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
		return true;
	default:
		return false;
	}
}

/*
 * Match the core PMUs of x86 and AMD IBS. Check the name first: the drivers of these PMUs
 * are built in, so their struct pmu is never freed. That of a module can be.
 */
static int htmm_match_cpu_pmu(struct device *dev, const void *type)
{
	const char *name = dev_name(dev);
	const struct pmu *pmu;

	if (strcmp(name, "cpu") && !str_has_prefix(name, "cpu_") && !str_has_prefix(name, "ibs_"))
		return 0;
	pmu = dev_get_drvdata(dev);
	return pmu->type == *(const u32 *)type;
}

/*
 * Is this the dynamic type of a CPU's PMU? Only perf can look up a PMU by its type, but all
 * PMUs are devices of one bus. An event that exists on every machine gives that bus.
 */
static bool htmm_type_is_of_cpu(u32 type)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	struct perf_event *event;
	struct device *dev = NULL;

	event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL, NULL, NULL);
	if (IS_ERR(event))
		return false;
	if (event->pmu->dev)
		dev = bus_find_device(event->pmu->dev->bus, NULL, &type, htmm_match_cpu_pmu);
	perf_event_release_kernel(event);
	put_device(dev);
	return dev;
}

/*
 * May a session have this event? Asked before the event is passed to perf. Not under
 * cpus_read_lock().
 */
bool htmm_event_type_allowed(const struct htmm_event *desc)
{
	u32 pmu = desc->config >> PERF_PMU_TYPE_SHIFT;

	switch (desc->type) {
	case PERF_TYPE_RAW:
	case HTMM_TYPE_FEED:
		return true;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		/* On hybrid CPUs it may be the type of one of their PMUs. */
		return !pmu || pmu == PERF_TYPE_RAW || htmm_type_is_of_cpu(pmu);
	case PERF_TYPE_SOFTWARE:
		return htmm_software_has_addr(desc->config);
	default:
		return desc->type >= PERF_TYPE_MAX && htmm_type_is_of_cpu(desc->type);
	}
}
