/* SPDX-License-Identifier: GPL-2.0 */
/* A target as a kernel object: a process, a cgroup, or all tasks. */
#ifndef HTMM_TARGET_REF_H
#define HTMM_TARGET_REF_H

#include "base/error.h"

struct cgroup;
struct pid;

/**
 * struct htmm_target_ref - a target, with a reference held
 * @type: enum htmm_target_type
 * @tgid: the process; a reused pid is a different struct pid, so a different target
 * @cgroup: the cgroup, which may have been removed
 */
struct htmm_target_ref {
	u32 type;
	union {
		struct pid *tgid;
		struct cgroup *cgroup;
	};
};

int htmm_target_ref_find(struct htmm_target_ref *ref,
			 const struct htmm_target *target, struct htmm_error *err);
void htmm_target_ref_get(const struct htmm_target_ref *ref);
void htmm_target_ref_put(const struct htmm_target_ref *ref);

/* What identifies a target, and is compared with a task's process or cgroup; NULL: all tasks. */
static inline const void *htmm_target_ref_key(const struct htmm_target_ref *ref)
{
	switch (ref->type) {
	case HTMM_TARGET_TGID:
		return ref->tgid;
	case HTMM_TARGET_CGROUP:
		return ref->cgroup;
	default:
		return NULL;
	}
}

#endif /* HTMM_TARGET_REF_H */
