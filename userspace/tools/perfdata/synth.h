/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes from /proc the records of names and mappings that the kernel would have made: for
 * what exists at the start, and again whenever a sample shows something new.
 */
#ifndef PERFDATA_SYNTH_H
#define PERFDATA_SYNTH_H

#include <linux/types.h>

struct perfdata_synth;
struct perfdata_writer;

/**
 * struct perfdata_access - the parts of a sample that may show something new
 * @pid: process
 * @tid: thread
 * @ip: address of the instruction
 * @addr: address of the data
 * @time: time for the new records, in nanoseconds; 0: before all others
 */
struct perfdata_access {
	__u32 pid;
	__u32 tid;
	__u64 ip;
	__u64 addr;
	__u64 time;
};

/**
 * perfdata_synth_new() - begin with nothing known
 * @writer: where records go
 * @proc: where procfs is mounted; NULL: /proc
 *
 * Return: the state, or NULL if there is no memory.
 */
struct perfdata_synth *perfdata_synth_new(struct perfdata_writer *writer, const char *proc);

/**
 * perfdata_synth_free() - free the state
 * @synth: the state; may be NULL
 */
void perfdata_synth_free(struct perfdata_synth *synth);

/**
 * perfdata_synth_kernel() - record where the kernel is mapped
 * @synth: the state
 *
 * Records nothing if the kernel hides its addresses.
 */
void perfdata_synth_kernel(struct perfdata_synth *synth);

/**
 * perfdata_synth_all() - record names and mappings of all processes
 * @synth: the state
 */
void perfdata_synth_all(struct perfdata_synth *synth);

/**
 * perfdata_synth_process() - record what is new in a process
 * @synth: the state
 * @pid: the process
 * @time: time for the records, in nanoseconds; 0: before all others
 *
 * For an exited process, the earlier records stay valid.
 */
void perfdata_synth_process(struct perfdata_synth *synth, __u32 pid, __u64 time);

/**
 * perfdata_synth_sample() - record what is needed to understand a sample
 * @synth: the state
 * @access: the sample
 * @now: milliseconds of any clock that only goes forward
 *
 * Reads a process when it is new; every few milliseconds when it accesses unknown mappings;
 * and sometimes any other sampled process, as one mapping may have replaced another.
 */
void perfdata_synth_sample(struct perfdata_synth *synth, const struct perfdata_access *access,
			   __u64 now);

/**
 * perfdata_synth_reap() - record which processes have exited
 * @synth: the state
 * @time: time for the records, in nanoseconds: that of the last sample
 *
 * A process counts as exited when two calls found it gone and it had no sample between
 * them: then no more will come, if all records were taken between the calls.
 */
void perfdata_synth_reap(struct perfdata_synth *synth, __u64 time);

#endif /* PERFDATA_SYNTH_H */
