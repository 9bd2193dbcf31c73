// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <htmm/event.h>
#include "pmu.h"

/* A period that every PMU accepts: IBS needs multiples of 16. */
#define PROBE_PERIOD	1000000

/* A CPU that can have the event: this one, or if it has other cores, the first. */
static int probe_cpu(const struct htmm_event *event)
{
	int cpu = sched_getcpu(), first = 0;
	struct core_cpus cores;

	if (cpu < 0)
		cpu = 0;
	if (!pmu_cpus(event->type, NULL, &cores) || htmm_cpus_has(&cores.cpus, cpu))
		return cpu;
	while (first < HTMM_CPUS_MAX - 1 && !htmm_cpus_has(&cores.cpus, first))
		first++;
	return first;
}

static int open_event(const struct htmm_event *event, unsigned int precise_ip, bool user_only)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.sample_period = event->period ? event->period : PROBE_PERIOD,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
		.precise_ip = precise_ip,
		.disabled = 1,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
		.wakeup_events = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, probe_cpu(event), -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int probe(const struct htmm_event *event, unsigned int precise_ip)
{
	int ret = open_event(event, precise_ip, true);

	/* As in the module: IBS cannot exclude the kernel. */
	return ret == -EINVAL ? open_event(event, precise_ip, false) : ret;
}

static int probe_error(int code, struct htmm_error *err)
{
	switch (code) {
	case EPERM:
	case EACCES:
		return htmm_error_set(err, code,
				      "run it as root, or with CAP_PERFMON where kernel.perf_event_paranoid is 2 or less",
				      "not permitted to open it");
	case ENOENT:
		return htmm_error_set(err, code, NULL, "no PMU here takes it");
	case EOPNOTSUPP:
		return htmm_error_set(err, code, NULL,
				      "the PMU cannot sample it with a data address");
	case EINVAL:
		return htmm_error_set(err, code, NULL, "the PMU does not know it");
	case EBUSY:
		return htmm_error_set(err, code, "stop the other user of it",
				      "the PMU is in use by someone else");
	}
	return htmm_error_set(err, code, NULL, "%s", strerror(code));
}

int htmm_event_probe_best(const struct htmm_event *event, struct htmm_error *err)
{
	int highest = event->type == PERF_TYPE_SOFTWARE ? 0 : 3;
	int lowest = event->type == PERF_TYPE_RAW || event->precise_ip ? 1 : 0;
	int precise, ret = -EINVAL;

	for (precise = highest; precise >= lowest; precise--) {
		ret = probe(event, precise);
		if (!ret)
			return precise;
	}
	/* The error for the lowest useful precision says best what is missing. */
	return probe_error(-ret, err);
}
