/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address spaces: small numbers that stand for processes in a page's key.
 *
 * An address space begins at fork() or exec() and ends at exec() or exit. It is identified by its
 * pid and a cookie, so that neither a recycled pid nor an exec() mixes the pages of two programs.
 */
#ifndef HTMM_SPACE_H
#define HTMM_SPACE_H

#include <linux/list.h>
#include <linux/xarray.h>

struct mm_struct;

/* Most address spaces known at a time; samples of further ones are dropped. */
#define HTMM_MAX_SPACES		65536
/*
 * Memory for each address space: the struct, its part of the index, and the struct pid that
 * it keeps alive.
 */
#define HTMM_SPACE_BYTES		256
/* Bytes of a table's limit for each address space that is allowed. */
#define HTMM_BYTES_PER_SPACE	1024

/**
 * struct htmm_space - one address space that was sampled
 * @node: in &struct htmm_space_set.by_cookie
 * @id: its number, from 1
 * @nr: its process in the initial pid namespace
 * @cookie: htmm_cookie() of its tasks
 * @pid: its process, with a reference held; NULL if it exited before the first sample was drained
 * @gone: the process has exited or started another program
 * @exiting: it is being removed with its pages; its samples are no longer counted
 * @regions: number of its regions in the table
 */
struct htmm_space {
	struct hlist_node node;
	u32 id;
	u32 nr;
	u64 cookie;
	struct pid *pid;
	bool gone;
	bool exiting;
	int regions;
};

/**
 * struct htmm_space_set - all address spaces of a target
 * @by_cookie: hash table of the address spaces by process and cookie, with half as many
 *	chains as there may be address spaces
 * @hash_bits: log2 of the number of chains
 * @by_id: address spaces by @id of &struct htmm_space
 * @nr: number of address spaces
 * @max: limit of @nr
 * @keep_gone: keep address spaces that are gone while they have pages and there is room
 * @next: where the search for a free @id begins, so that a number is not reused soon, and a
 *	reader does not confuse two processes
 * @highest: the highest @id so far
 * @sweep: where htmm_space_set_find_gone() continues
 *
 * Locking: the owner's.
 */
struct htmm_space_set {
	struct hlist_head *by_cookie;
	unsigned int hash_bits;
	struct xarray by_id;
	unsigned int nr;
	unsigned int max;
	bool keep_gone;
	u32 next;
	u32 highest;
	unsigned long sweep;
};

bool htmm_space_alive(const struct htmm_space *space);
struct mm_struct *htmm_space_get_mm(const struct htmm_space *space);

int htmm_space_set_init(struct htmm_space_set *set, u64 max_bytes, bool keep_gone);
void htmm_space_set_destroy(struct htmm_space_set *set);
struct htmm_space *htmm_space_set_get(struct htmm_space_set *set, u32 nr, u64 cookie);
struct htmm_space *htmm_space_set_find_gone(struct htmm_space_set *set, unsigned int budget);
void htmm_space_set_note(struct htmm_space_set *set, u32 id, int change);
void htmm_space_set_remove(struct htmm_space_set *set, struct htmm_space *space);

#endif /* HTMM_SPACE_H */
