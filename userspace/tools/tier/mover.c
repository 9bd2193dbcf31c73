// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "htmmctl/clock.h"
#include "mover.h"

/* Fewer pages do not tell what one costs. */
#define ENOUGH	64
/* Pages of one move_pages(2) call: what the kernel handles at a time. */
#define BATCH	512
/* Pages of 4 KiB. Less free room is none; but so much is tried: not all that is free is known. */
#define LEAST_ROOM	64

static const char *const names[NR_REFUSALS] = {
	[REFUSED_GONE] = "gone",
	[REFUSED_ABSENT] = "absent",
	[REFUSED_SHARED] = "shared",
	[REFUSED_BUSY] = "busy",
	[REFUSED_FULL] = "full",
	[REFUSED_FORBIDDEN] = "forbidden",
	[REFUSED_OTHER] = "other",
};

const char *refusal_name(enum refusal refusal)
{
	return names[refusal];
}

static enum refusal refusal_of(int error)
{
	switch (error) {
	case ESRCH:
		return REFUSED_GONE;
	case ENOENT:
	case EFAULT:
		return REFUSED_ABSENT;
	case EACCES:
		return REFUSED_SHARED;
	case EBUSY:
	case EAGAIN:
	case EIO:
		return REFUSED_BUSY;
	case ENOMEM:
		return REFUSED_FULL;
	case EPERM:
	case EINVAL:
		return REFUSED_FORBIDDEN;
	}
	return REFUSED_OTHER;
}

/* No status of the kernel: the call did not report on this page. */
#define UNTOLD		(-EAGAIN)
/* How often to retry pages the call did not reach. */
#define TRIES		3

/**
 * struct batch - pages of one process that are to be on one node
 * @pid: the process
 * @node: the node
 * @flags: of move_pages(2)
 * @nr: how many pages
 * @cpu_ns: CPU time that the moves took
 * @addr: their addresses
 * @status: node of each, or a negative errno
 */
struct batch {
	pid_t pid;
	int node;
	int flags;
	size_t nr;
	__u64 cpu_ns;
	void *addr[BATCH];
	int status[BATCH];
};

/* Moves the pages without a status; returns the errno of the call. */
static int move_untold(struct batch *batch)
{
	int to[BATCH], status[BATCH];
	void *addr[BATCH];
	size_t at[BATCH] = {}, nr = 0, i;
	__u64 start;
	long ret;

	for (i = 0; i < batch->nr; i++) {
		if (batch->status[i] != UNTOLD)
			continue;
		addr[nr] = batch->addr[i];
		to[nr] = batch->node;
		status[nr] = UNTOLD;
		at[nr++] = i;
	}
	if (!nr)
		return 0;
	start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ret = syscall(SYS_move_pages, batch->pid, nr, addr, to, status, batch->flags);
	batch->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	for (i = 0; i < nr; i++)
		batch->status[at[i]] = status[i];
	return ret < 0 ? errno : 0;
}

/*
 * If one page cannot be moved, the kernel reports nothing on those that it handled together with
 * it, and does not reach those after it. Looks where they are. Returns how many of them are not
 * where they should be.
 */
static size_t look_untold(struct batch *batch)
{
	size_t i, left = 0;

	for (i = 0; i < batch->nr; i++) {
		int node = UNTOLD;

		if (batch->status[i] != UNTOLD)
			continue;
		syscall(SYS_move_pages, batch->pid, 1, &batch->addr[i], NULL, &node, 0);
		if (node == batch->node || (node < 0 && node != UNTOLD))
			batch->status[i] = node;
		else
			left++;
	}
	return left;
}

static void count(struct mover *mover, struct policy *policy, const struct policy_move *move,
		  int status, int node)
{
	/* There is no node for a page that may go nowhere. */
	if (node >= 0 && status == node) {
		*(move->promote ? &mover->promoted : &mover->demoted) += move->pages;
		return;
	}
	/* A page that is tried again at a later look is still one page. */
	if (policy_refused(policy, move))
		mover->refused[refusal_of(status < 0 ? -status : EBUSY)] += move->pages;
}

static const struct htmm_cpus *tier_of(const struct mover *mover, const struct policy_move *move)
{
	return move->promote ? &mover->tiers->fast : &mover->tiers->slow;
}

/* Where a page may be. move_pages(2) would take it from where its process has bound it. */
static const struct htmm_cpus *bound_of(struct mover *mover, const struct policy_move *move)
{
	return mover->bound ? NULL :
	       bindings_of(&mover->bindings, move->pid, move->space, move->addr);
}

static bool several(const struct htmm_cpus *nodes)
{
	return tiers_next(nodes, tiers_next(nodes, -1)) >= 0;
}

/* The nodes of its tier where a page may be. */
static struct htmm_cpus nodes_for(struct mover *mover, const struct policy_move *move)
{
	const struct htmm_cpus *tier = tier_of(mover, move), *bound = bound_of(mover, move);

	return bound ? tiers_both(tier, bound) : *tier;
}

/*
 * The node of a tier that a page goes to: that with the most room, of those where it may be. But if
 * some are near to where its process runs, of these, as long as they have room.
 */
static int node_for(struct mover *mover, const struct policy_move *move, __u64 *room)
{
	const struct htmm_cpus nodes = nodes_for(mover, move);
	struct htmm_cpus near;
	int node;

	/* How much fits a tier, the policy knows, but not how much fits one of its nodes. */
	*room = UINT64_MAX;
	if (!several(tier_of(mover, move)))
		return tiers_next(&nodes, -1);
	near = tiers_both(&nodes, home_of(&mover->homes, move->pid));
	node = tiers_roomiest(&near, room);
	if (node >= 0 && *room >= LEAST_ROOM && *room >= move->pages)
		return node;
	return tiers_roomiest(&nodes, room);
}

/* May a page be on none of the nodes of its tier that are near to where its process runs? */
static bool stays_away(struct mover *mover, const struct policy_move *move)
{
	const struct htmm_cpus *tier = tier_of(mover, move), *home;
	struct htmm_cpus nodes, near;

	if (!bound_of(mover, move) || !several(tier))
		return false;
	home = home_of(&mover->homes, move->pid);
	nodes = nodes_for(mover, move);
	nodes = tiers_both(&nodes, home);
	near = tiers_both(tier, home);
	return tiers_next(&nodes, -1) < 0 && tiers_next(&near, -1) >= 0;
}

static bool may_go(struct mover *mover, const struct policy_move *move, int node)
{
	const struct htmm_cpus *bound = bound_of(mover, move);

	return node >= 0 && (!bound || htmm_cpus_has(bound, node));
}

/* Does a page go to the same node as those before it, or nowhere? @away: these stay away. */
static bool goes_along(struct mover *mover, const struct policy_move *move, int node, bool away)
{
	struct htmm_cpus nodes;

	if (may_go(mover, move, node))
		return !away || stays_away(mover, move);
	nodes = nodes_for(mover, move);
	return tiers_next(&nodes, -1) < 0;
}

/* Returns the CPU time that the copies took. */
static __u64 move_batch(struct mover *mover, struct policy *policy,
			const struct policy_move *moves, size_t nr, int node)
{
	struct batch batch = {
		.pid = moves->pid, .node = node, .nr = nr,
		.flags = mover->shared ? MPOL_MF_MOVE_ALL : MPOL_MF_MOVE,
	};
	int error = 0, tries = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		batch.addr[i] = (void *)(uintptr_t)moves[i].addr;
		batch.status[i] = may_go(mover, &moves[i], node) ? UNTOLD : -EPERM;
	}
	do {
		error = move_untold(&batch);
	} while (look_untold(&batch) && ++tries < TRIES && !error);
	for (i = 0; i < nr; i++) {
		int status = batch.status[i];

		/* EACCES of a page: it is shared; of the call: the node is not allowed. */
		if (status == UNTOLD && error)
			status = error == EACCES ? -EPERM : -error;
		count(mover, policy, &moves[i], status, node);
	}
	return batch.cpu_ns;
}

/*
 * How many of the next pages, up to one batch, are of the first one's process, go to the same node
 * or nowhere, and fit it.
 */
static size_t together(struct mover *mover, const struct policy_move *moves, size_t nr, int node,
		       __u64 room)
{
	const bool away = stays_away(mover, moves);
	__u64 pages = moves->pages;
	size_t i;

	for (i = 1; i < nr && i < BATCH && moves[i].pid == moves->pid; i++) {
		pages += moves[i].pages;
		if ((pages > room && pages > LEAST_ROOM) ||
		    !goes_along(mover, &moves[i], node, away))
			break;
	}
	return i;
}

void mover_move(struct mover *mover, struct policy *policy, const struct policy_move *moves,
		size_t nr)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC), before = mover->promoted + mover->demoted;
	__u64 pages, copies = 0;
	size_t i, part;

	homes_forget(&mover->homes);
	for (i = 0; i < nr; i += part) {
		__u64 room;
		const int node = node_for(mover, &moves[i], &room);

		part = together(mover, &moves[i], nr - i, node, room);
		copies += move_batch(mover, policy, &moves[i], part, node);
	}
	mover->ns += clock_ns(CLOCK_MONOTONIC) - start;
	/* A page that was refused was not copied. */
	pages = mover->promoted + mover->demoted - before;
	/*
	 * For a few pages, this is mostly the cost of the call. Waiting for a CPU, and reading how
	 * a process has bound its memory, take longer than many copies, and are no cost of a page.
	 */
	policy_spent(policy, copies / 1e9);
	if (pages >= ENOUGH)
		policy_copied(policy, pages, copies);
}

void mover_open(struct mover *mover, const struct tiers *tiers)
{
	mover->tiers = tiers;
	homes_read(&mover->homes, tiers);
}

void mover_close(struct mover *mover)
{
	bindings_free(&mover->bindings);
	homes_free(&mover->homes);
}
