/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments of ioctls: valid ones, and ones with a few errors. */
#ifndef KSFT_FUZZ_ARGS_H
#define KSFT_FUZZ_ARGS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "access.h"

#define MOST_ELEMENTS	8
#define FIRST_ARRAYS						\
	(MOST_ELEMENTS * (sizeof(struct htmm_event) + sizeof(struct htmm_target)))

/**
 * struct sandbox - what arguments point to: the module may write anywhere in it
 * @events: events of START, or room for those of a session
 * @targets: targets of START
 * @out: room for anything else
 * @room: for an argument; the memory behind it must not be touched
 */
struct sandbox {
	struct htmm_event events[MOST_ELEMENTS];
	struct htmm_target targets[MOST_ELEMENTS];
	char out[4 * PAGE - FIRST_ARRAYS];
	char room[2 * PAGE];
};

static_assert(sizeof(struct sandbox) % PAGE == 0, "the room ends where memory does");

union argument {
	struct htmm_start start;
	struct htmm_session_id stop;
	struct htmm_session_id reset;
	struct htmm_target_id cool;
	struct htmm_info info;
	struct htmm_stats stats;
	struct htmm_histogram hist;
	struct htmm_hit_ratio ratio;
	struct htmm_list_pages list;
	struct htmm_placement placement;
	struct htmm_served served;
	struct htmm_feed feed;
	struct htmm_add_target add;
	struct htmm_target_id remove;
	struct htmm_targets targets;
	struct htmm_set set;
	struct htmm_stream stream;
	__u32 word[128];
	__u64 wide[64];
};

static_assert(sizeof(union argument) <= PAGE, "an argument fits a page");

/**
 * struct fuzz_args - state of the generator of arguments
 * @random: state of the random number generator
 * @box: what the arguments point to
 * @event: an event that works
 * @cgroup: an open directory of a cgroup
 */
struct fuzz_args {
	uint64_t random;
	struct sandbox *box;
	const struct htmm_event *event;
	int cgroup;
};

/* Sets up the @i-th generator of a program, with its own sandbox. False: no memory. */
bool fuzz_init(struct fuzz_args *n, unsigned int i, uint64_t seed);

unsigned int fuzz_below(struct fuzz_args *n, unsigned int limit);
bool fuzz_one_in(struct fuzz_args *n, unsigned int chances);
uint64_t fuzz_number(struct fuzz_args *n);
/* A pointer to memory that is readable, partly readable, or not at all. */
uint64_t fuzz_pointer(struct fuzz_args *n);

/* Makes a valid argument; returns its size. */
size_t fuzz_good(struct fuzz_args *n, unsigned int cmd, union argument *arg);
/* Changes a few members or bits of the struct, or elements that it points to. */
void fuzz_spoil(struct fuzz_args *n, union argument *arg, size_t size);
/* Where the argument is: at its normal place, or ending where no memory is. */
void *fuzz_place(struct fuzz_args *n, const union argument *arg, size_t size);

#endif /* KSFT_FUZZ_ARGS_H */
