/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records that the kernel would have made of names and mappings, made up from
 * /proc: for what is there in the beginning, and again whenever a sample shows that
 * there is something new.
 */
#ifndef PERFDATA_SYNTH_H
#define PERFDATA_SYNTH_H

#include <linux/types.h>

struct perfdata_synth;
struct perfdata_writer;

/**
 * struct perfdata_access - what of a sample may be news
 * @pid: process
 * @tid: thread
 * @ip: address of the instruction
 * @addr: address of the data
 * @time: when to say that it has been, in nanoseconds; 0: since ever
 */
struct perfdata_access {
	__u32 pid;
	__u32 tid;
	__u64 ip;
	__u64 addr;
	__u64 time;
};

/**
 * perfdata_synth_new() - know nothing yet
 * @writer: where records go
 * @proc: where procfs is mounted; NULL: /proc
 *
 * Return: the state, or NULL if there is no memory.
 */
struct perfdata_synth *perfdata_synth_new(struct perfdata_writer *writer, const char *proc);

/**
 * perfdata_synth_free() - forget all
 * @synth: the state; may be NULL
 */
void perfdata_synth_free(struct perfdata_synth *synth);

/**
 * perfdata_synth_kernel() - say where the kernel is
 * @synth: the state
 *
 * Says nothing if the kernel hides its addresses.
 */
void perfdata_synth_kernel(struct perfdata_synth *synth);

/**
 * perfdata_synth_all() - say all that is known of all processes
 * @synth: the state
 */
void perfdata_synth_all(struct perfdata_synth *synth);

/**
 * perfdata_synth_process() - say what is new of a process
 * @synth: the state
 * @pid: the process
 * @time: when to say that it has been, in nanoseconds; 0: since ever
 *
 * Of one that has gone everything said stays true.
 */
void perfdata_synth_process(struct perfdata_synth *synth, __u32 pid, __u64 time);

/**
 * perfdata_synth_sample() - say what is to be known for a sample
 * @synth: the state
 * @access: the sample
 * @now: milliseconds of any clock that only goes forward
 *
 * Reads of a process that is new; that accesses what is in no known mapping, every
 * few milliseconds; and now and then of any other that is sampled, as a mapping may
 * have replaced another.
 */
void perfdata_synth_sample(struct perfdata_synth *synth, const struct perfdata_access *access,
			   __u64 now);

/**
 * perfdata_synth_reap() - say which processes have exited
 * @synth: the state
 * @time: when to say that they have, in nanoseconds: the time of the last sample
 *
 * A process is said to have exited when two calls found it gone and no sample of it
 * came between: then none will come, if all records were taken between the calls.
 */
void perfdata_synth_reap(struct perfdata_synth *synth, __u64 time);

#endif /* PERFDATA_SYNTH_H */
