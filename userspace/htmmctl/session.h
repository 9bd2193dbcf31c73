/* SPDX-License-Identifier: GPL-2.0 */
/* What to sample, from the options of `start`, `run` and `record`. */
#ifndef HTMMCTL_SESSION_H
#define HTMMCTL_SESSION_H

#include <sys/types.h>
#include "options.h"

/* What the user wants, or nothing about it. */
enum choice { CHOICE_NONE, CHOICE_YES, CHOICE_NO };

/**
 * struct session - a session to start
 * @start: what options wrote; session_start() adds the arrays, and sets the session's number
 * @events: what to sample
 * @targets: whose accesses to sample, @start.nr_targets elements; cgroups are open files
 * @cpus: CPUs to sample; empty: all
 * @drain_cpus: CPUs for ksampled; empty: any
 * @period: period of the events that name none; 0: their own defaults
 * @all: sample all processes; there are no targets then
 * @weight_period: a sample counts as much as its period; by default with a budget
 * @sources: count what served samples; by default with several kinds of memory
 * @paused: begin with a pause
 * @follows: the command adds the children of its targets itself
 * @duration_ms: where it is kept after which time to end; NULL: the command does not do that
 */
struct session {
	struct htmm_start start;
	struct htmm_event_list events;
	struct htmm_target targets[HTMM_MAX_TARGETS];
	struct htmm_cpus cpus;
	struct htmm_cpus drain_cpus;
	__s64 period;
	bool all;
	enum choice weight_period;
	enum choice sources;
	enum choice paused;
	bool follows;
	__u32 *duration_ms;
};

/* Reads the events of an option -e; @value: &struct htmm_event_list. */
int call_events(void *value, const char *text, struct htmm_error *err);

/* Number of options that target_opts() fills in; it adds no end mark. */
#define TARGET_OPTS	3

/* Makes the options that choose what is sampled. */
void target_opts(struct session *session, struct opt opts[TARGET_OPTS]);

/* Number of options that setup_opts() fills in, with the end mark. */
#define SETUP_OPTS	4

/* Makes the options of how samples are counted, wherever they come from. */
void setup_opts(struct session *session, struct opt opts[SETUP_OPTS]);

/* Number of options that session_opts() fills in, with the end mark. */
#define SESSION_OPTS	(TARGET_OPTS + 4 + SETUP_OPTS)

/* Makes the options of a session, these and all others. */
void session_opts(struct session *session, struct opt opts[SESSION_OPTS]);

/* Prints the settings that the option -o takes. Returns an exit status. */
int tuning_print(void);

/* Checks that the options do not conflict. Returns 0 or -EINVAL. */
int session_check(const struct session *session, struct htmm_error *err);

/*
 * Sets the events and periods that the user did not give. Returns 0, or -ENOENT if the user has
 * named no event, and the CPU has none.
 */
int session_finish(struct session *session, struct htmm_error *err);

/*
 * Adds a process or a cgroup to sample. @target: the target; the session takes over a cgroup's
 * file. Returns 0 or -E2BIG.
 */
int session_add_target(struct session *session, const struct htmm_target *target,
		       struct htmm_error *err);

/*
 * Adds the event that is sampled if the user gives none. @why: if it is not the first choice,
 * says why that is not available. Adds nothing if no event of the CPU can be sampled here.
 * Returns true if it is the first choice.
 */
bool session_default_events(struct htmm_event_list *list, struct htmm_error *why);

/* The children of a process, which its threads list; not this process. Returns their number. */
#define CHILDREN_MOST	1024
unsigned int children_of(pid_t pid, pid_t children[CHILDREN_MOST]);

/* Has this process a capability, CAP_*? */
bool capable(unsigned int cap);

/* Starts a session. @flags: HTMM_START_*. Returns 0 or a negative errno. */
int session_start(struct session *session, int fd, __u32 flags, struct htmm_error *err);

/*
 * Ends a session that was started. Returns 0; -EALREADY if someone else has stopped it, so that
 * its results are not of all the time; -ESTALE if another one has begun since then, so that its
 * results are gone; or another negative errno.
 */
int session_stop(const struct session *session, int fd, struct htmm_error *err);

/* What `start` and `run` call: the two above, unless a program has set something else. */
extern int (*session_begin)(struct session *session, int fd, __u32 flags, struct htmm_error *err);
extern int (*session_end)(const struct session *session, int fd, struct htmm_error *err);

#endif /* HTMMCTL_SESSION_H */
