/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples by the instruction that made the access. Instructions are known by their offsets in
 * files, so that all processes that run a program count together; and named at the end.
 */
#ifndef REPORT_FUNCTIONS_H
#define REPORT_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include "perfdata/decode.h"
#include "perfdata/idmap.h"
#include "perfdata/reader.h"
#include "tasks.h"

/* Most instructions; samples of more are of an unknown function. */
#define FUNCTIONS_PLACES_MAX	(512U << 10)

/* In place of the number of a name: the kernel. */
#define FUNCTIONS_KERNEL	0xffffffffU

/**
 * struct functions_place - an instruction
 * @name: number of the mapping's name, or FUNCTIONS_KERNEL
 * @space: address space; 0 if @at does not depend on it
 * @at: offset in the file; or the address, if it is in no file
 * @samples: its samples
 */
struct functions_place {
	__u32 name;
	__u32 space;
	__u64 at;
	__u64 samples;
};

/**
 * struct functions_named - a function
 * @name: its name; NULL: unknown
 * @file: where it is: a file, a name in brackets, or the map of a just-in-time compiler
 * @samples: its samples
 */
struct functions_named {
	char *name;
	char *file;
	__u64 samples;
};

/**
 * struct functions - samples by instruction
 * @place: the instructions
 * @nr: how many there are
 * @nowhere: samples of instructions that are in no known mapping, or did not fit
 * @kernel_symbol: a symbol of the recorded kernel; empty: not known
 * @kernel_addr: its address
 * @named: the functions, those with the most samples first; set by functions_name()
 * @nr_named: how many there are
 */
struct functions {
	struct functions_place *place;
	__u32 nr;
	__u64 nowhere;
	char kernel_symbol[32];
	__u64 kernel_addr;
	struct functions_named *named;
	__u32 nr_named;

	/* private: */
	size_t room;
	struct idmap by_place;
	struct {
		__u32 space;
		__u64 start;
		__u64 len;		/* 0: none */
		struct functions_place at;	/* what @start is */
	} found;			/* the range found last */
	size_t room_named;
};

/**
 * functions_count() - count a sample
 * @functions: the functions
 * @tasks: what is mapped now
 * @space: address space of the sample
 * @ip: address of its instruction; 0: not known
 */
void functions_count(struct functions *functions, const struct tasks *tasks, __u32 space,
		     __u64 ip);

/* What is mapped may have changed. */
static inline void functions_forget(struct functions *functions)
{
	functions->found.len = 0;
}

/**
 * functions_kernel() - learn where the recorded kernel was
 * @functions: the functions
 * @view: a mapping of the kernel
 */
void functions_kernel(struct functions *functions, const struct perfdata_record_view *view);

/**
 * functions_name() - find the functions of all instructions
 * @functions: the functions, complete
 * @tasks: their processes
 * @notes: what the file says of builds
 *
 * Reads the symbols of files that are the recorded ones. Says which are not.
 *
 * Return: 0 or -ENOMEM.
 */
int functions_name(struct functions *functions, const struct tasks *tasks,
		   const struct perfdata_notes *notes);

/**
 * functions_free() - free all
 * @functions: the functions; may be all zero
 */
void functions_free(struct functions *functions);

#endif /* REPORT_FUNCTIONS_H */
