// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <htmm/device.h>
#include "htmmctl/clock.h"
#include "htmmctl/command.h"
#include "feeder.h"

/* The shortest wait that keeps a recorded pace. */
#define WAIT_NS		1000000

static void wait_ns(__u64 ns)
{
	const struct timespec time = {
		.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000,
	};

	nanosleep(&time, NULL);
}

int feeder_flush(struct feeder *feeder, struct htmm_error *err)
{
	/* What was recorded ran at another time, and perhaps on another machine. */
	__u32 left = feeder->nr;
	int ret = htmm_device_feed(feeder->fd, feeder->session, HTMM_FEED_FOREIGN, 0,
				   feeder->sample, &left, err);

	feeder->fed += feeder->nr - left;
	feeder->nr = 0;
	if (ret == -ENODATA || ret == -ESTALE)
		return htmm_error_set(err, -ret, "start again",
				      "the session was stopped, or its CPU has gone offline");
	return ret;
}

/* From now on a process runs another program. Returns its number, or -ENOMEM. */
static __s64 new_program(struct feeder *feeder, __u32 pid)
{
	if (feeder->programs == ~0U - 1 || idmap_set(&feeder->program, pid, feeder->programs))
		return -ENOMEM;
	return feeder->programs++;
}

static __s64 program_of(struct feeder *feeder, __u32 pid)
{
	__s64 program = idmap_get(&feeder->program, pid);

	return program >= 0 ? program : new_program(feeder, pid);
}

/* Waits until a sample of this time is due. */
static int keep_pace(struct feeder *feeder, __u64 time, struct htmm_error *err)
{
	__u64 now = clock_ns(CLOCK_MONOTONIC), due;
	int ret;

	if (!feeder->first) {
		feeder->first = time;
		feeder->began = now;
	}
	due = feeder->began + (time > feeder->first ? time - feeder->first : 0);
	if (due < now + WAIT_NS)
		return 0;
	ret = feeder_flush(feeder, err);
	if (!ret)
		wait_ns(due - now);
	return ret;
}

/* The module drops what the overflow handler would drop, and what has no process is left out. */
static int add_sample(struct feeder *feeder, const struct perfdata_sample *sample,
		      struct htmm_error *err)
{
	__s64 program;
	int ret = 0;

	if (sample->pid == PERFDATA_GUEST) {
		feeder->guest++;
		return 0;
	}
	if (!sample->pid || sample->pid == ~0U) {
		feeder->no_process++;
		return 0;
	}
	if (!perfdata_pids_want(&feeder->pids, sample->pid)) {
		feeder->filtered++;
		return 0;
	}
	if (feeder->recorded_pace && sample->time)
		ret = keep_pace(feeder, sample->time, err);
	if (!ret && feeder->nr == FEEDER_BATCH)
		ret = feeder_flush(feeder, err);
	if (ret)
		return ret;
	program = program_of(feeder, sample->pid);
	if (program < 0)
		return no_memory(err);
	feeder->sample[feeder->nr++] = (struct htmm_feed_sample) {
		.addr = sample->addr,
		.time = sample->time,
		.period = sample->period,
		.data_src = sample->data_src,
		.cookie = program + 1,
		.pid = sample->pid,
		.tid = ~0U,
	};
	return 0;
}

/* The same begins an address space as in the module: another process, or another program. */
static int add_other(struct feeder *feeder, const struct perfdata_record_view *view,
		     struct htmm_error *err)
{
	bool begins;

	perfdata_losses_add(&feeder->losses, view);
	if (view->type == PERF_RECORD_FORK)
		begins = view->pid != view->ppid;
	else
		begins = view->type == PERF_RECORD_COMM && view->pid == view->tid &&
			 view->misc & PERF_RECORD_MISC_COMM_EXEC;
	return begins && new_program(feeder, view->pid) < 0 ? no_memory(err) : 0;
}

int feeder_add(struct feeder *feeder, const struct perfdata_sample *sample, size_t nr,
	       struct htmm_error *err)
{
	int ret = 0;

	for (; nr && !ret; nr--, sample++)
		ret = perfdata_other(sample) ? add_other(feeder, sample->other, err) :
					       add_sample(feeder, sample, err);
	return ret;
}

void feeder_free(struct feeder *feeder)
{
	idmap_free(&feeder->program);
}
