/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session: it exists from START until the next START.
 *
 * Lock order, of the whole module:
 *
 *   htmm_session_lock		starting and stopping
 *     channels->lock		perf events of the channels
 *       cpu_hotplug_lock	which CPUs are online (perf and cpuhp_*() take it)
 *     targets->lock		all targets and their tables, and what ksampled counts: held
 *				by it for a batch, by readers for a slice of a table
 *       mmap_lock		only tried
 *       htmm_stream_lock	readers of the record stream, except reading from them
 *   reader->lock		reading from one reader; held while copying to user
 *				space, so ksampled never takes it
 *     htmm_stream_lock
 *   htmm_current_lock		which session is the current one (spinlock, leaf)
 *   xa_lock of targets->by_number	references on targets (spinlock, leaf)
 */
#ifndef HTMM_SESSION_H
#define HTMM_SESSION_H

#include <linux/kref.h>
#include "base/config.h"
#include "budget.h"
#include "drain/drain.h"
#include "sample/channel_set.h"
#include "track/target_set.h"

/**
 * struct htmm_session - everything that one session owns
 * @ref: references of the module and of readers
 * @config: configuration of the session
 * @number: counted from 1 since the module was loaded
 * @state: enum htmm_state; written under htmm_session_lock
 * @holder: the open file that started it, NULL if the session is detached; only compared,
 *	never dereferenced
 * @owner: process that started it
 * @memcg: memory cgroup of @owner, charged for the session's memory; NULL if the kernel has none
 * @targets: the targets with their tables; changed under htmm_session_lock
 * @channels: the channels
 * @drain: ksampled
 * @budget: measures and controls the cost of sampling
 */
struct htmm_session {
	struct kref ref;
	struct htmm_config *config;
	u64 number;
	enum htmm_state state;
	const void *holder;
	struct pid *owner;
	struct mem_cgroup *memcg;
	struct htmm_target_set targets;
	struct htmm_channel_set channels;
	struct htmm_drain drain;
	struct htmm_budget budget;
};

int htmm_session_start(struct htmm_config *config, const void *holder, u64 *number,
		       struct htmm_error *err);
int htmm_session_stop(u64 number);
int htmm_session_reset(u64 number);
int htmm_session_cool(struct htmm_session *session, u32 target);
int htmm_session_add_target(u64 number, const struct htmm_target *target, u32 *added,
			    struct htmm_error *err);
int htmm_session_remove_target(u64 number, u32 target);
int htmm_session_set(const struct htmm_set *set, struct htmm_error *err);
void htmm_session_close(const void *holder);
void htmm_session_exit(void);

struct htmm_session *htmm_session_get(u64 number);
void htmm_session_put(struct htmm_session *session);

/* update.c: the settings that may change while a session runs */
int htmm_update_change(struct htmm_target_set *targets, struct htmm_budget *budget,
		       const struct htmm_set *set, struct htmm_error *err);

/* privilege.c */
void htmm_privilege_defaults(struct htmm_config *config);
int htmm_privilege_check_period(const struct htmm_event *event, unsigned int index,
				u64 period, struct htmm_error *err);
int htmm_privilege_check_cooling(const struct htmm_start *start, u64 max_bytes,
				 struct htmm_error *err);
int htmm_privilege_check_cool(const struct htmm_target_table *target, u64 now);
int htmm_privilege_check(const struct htmm_config *config, struct htmm_error *err);

/* shrinker.c */
int htmm_shrinker_init(void);
void htmm_shrinker_exit(void);

#endif /* HTMM_SESSION_H */
