/* SPDX-License-Identifier: GPL-2.0 */
/* Who is sampled. */
#ifndef HTMM_TARGET_H
#define HTMM_TARGET_H

#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include "error.h"

/* At most half full, so that every probe sequence ends soon. */
#define HTMM_TARGET_BITS	7
#define HTMM_TARGET_SLOTS	128

/**
 * struct htmm_targets - the set of processes whose samples pass
 * @nr: processes in the set; 0: every task passes
 * @tgids: open-addressing hash of the processes, each with a reference held,
 *	so that a pid that is used again never matches
 *
 * Never changes while an event is armed.
 */
struct htmm_targets {
	unsigned int nr;
	struct pid *tgids[HTMM_TARGET_SLOTS];
};

int htmm_targets_init(struct htmm_targets *targets,
		      const struct htmm_target *list, unsigned int nr,
		      struct htmm_error *err);
void htmm_targets_destroy(struct htmm_targets *targets);

/**
 * htmm_targets_match - does the current task belong to the set?
 * @targets: the set
 *
 * A task that is past the end of its life has no process any more and matches
 * only the set of all tasks.
 *
 * Context: any, NMI included.
 */
static inline bool htmm_targets_match(const struct htmm_targets *targets)
{
	struct pid *tgid;
	unsigned int i;

	if (!targets->nr)
		return true;

	tgid = READ_ONCE(current->signal->pids[PIDTYPE_TGID]);
	if (!tgid)
		return false;
	for (i = hash_ptr(tgid, HTMM_TARGET_BITS); targets->tgids[i];
	     i = (i + 1) % HTMM_TARGET_SLOTS) {
		if (targets->tgids[i] == tgid)
			return true;
	}
	return false;
}

#endif /* HTMM_TARGET_H */
