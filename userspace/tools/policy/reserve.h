/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room of the fast tier that is kept free for new pages. The kernel puts a new page into the fast
 * tier if it has room. In a full one, a program that allocates works on pages of the slow tier,
 * and many of these are free again before samples show that they are hot.
 *
 * How much a program allocates differs, and so does how much it uses what it has allocated. Both
 * are measured: by how much the fast tier has grown since the moves of the previous look, and what
 * its new pages have gained. If this saves less than the copies take that make room, the room
 * shrinks to a small rest.
 */
#ifndef POLICY_RESERVE_H
#define POLICY_RESERVE_H

#include "policy.h"
#include "units.h"

/**
 * struct reserve - the room for new pages
 * @off: there is none
 * @pages: pages to keep free
 * @rest: how many are kept free where that saves nothing
 * @grown: pages that come to the fast tier between two looks, if there is room for them
 * @worth: samples that such a page gains in a second
 * @known: @worth is known
 * @gain: samples that new pages have gained, old ones counting less
 * @seen_s: in how many seconds, those of all pages together
 * @learnt: when some were seen last
 * @won: samples of pages that came where room was kept, old ones counting less
 * @lost: and of those that have left to keep it
 * @come: pages that have come, old ones counting less
 * @come_s: seconds in which they have
 * @saves: what part of the time such pages save, less what copying others takes that make room
 * @sample_ns: time that a page saves in the fast tier for each of its samples
 * @copy_ns: CPU time that it takes to move a page
 * @interval: seconds between the last two looks
 * @look_s: CPU time that the last look took
 * @used: pages in use after the moves of the previous look
 * @looks: looks until now
 * @seconds: time of the previous look
 */
struct reserve {
	bool off;
	double pages;
	double rest;
	double grown;
	double worth;
	bool known;
	double gain;
	double seen_s;
	double learnt;
	double won;
	double lost;
	double come;
	double come_s;
	double saves;
	double sample_ns;
	double copy_ns;
	double interval;
	double look_s;
	__u64 used;
	__u64 looks;
	double seconds;
};

/**
 * reserve_gained() - see what moves for new pages have changed
 * @reserve: the reserve
 * @won: samples since the previous look of pages that came where room was kept
 * @lost: and of those that have left to keep it
 * @seconds: since the previous look
 *
 * What is expected of a page may be wrong, so in the end this decides: if those that have left gain
 * more than those that came, only a small rest is kept, as room for others saves nothing. What was
 * seen counts half after a minute, so that it is tried again.
 */
void reserve_gained(struct reserve *reserve, double won, double lost, double seconds);

/**
 * reserve_begin_phase() - what was won and lost before tells nothing any more
 * @reserve: the reserve
 */
void reserve_begin_phase(struct reserve *reserve);

/**
 * reserve_look() - see what has come, and how much room to keep
 * @reserve: the reserve
 * @look: what is known
 * @now: the units of the look
 * @seconds: in how many seconds these have gained what they have
 * @gap_ns: time that a miss takes longer in the slow tier
 * @copy_ns: CPU time that it takes to move a page
 *
 * It grows fast when it was used up soon. Else it shrinks to a half more than was taken, and in the
 * end to a small rest, which shows when a program begins to allocate. There is none if this rest is
 * smaller than a huge page of the fast tier. It shrinks, too, while it saves less than it costs.
 */
void reserve_look(struct reserve *reserve, const struct policy_look *look,
		  const struct units *now, double seconds, double gap_ns, double copy_ns);

/**
 * reserve_pays() - is it better to keep room than a page?
 * @reserve: the reserve
 * @value: samples that the page is expected to gain in a second
 * @room: pages that would be free then
 *
 * Until the next look, new pages must gain more than the page would, and than a copy takes: by then
 * they are old. If it takes longer until so many have come, the room is idle until then. If they do
 * not even save what copies take, there is room for a small rest of them only, for which copies do
 * not count.
 */
bool reserve_pays(const struct reserve *reserve, double value, double room);

/**
 * reserve_wait() - when to look again so that there is still room
 * @reserve: the reserve
 * @interval: seconds between the last two looks
 * @cost: CPU time of a look
 *
 * Looks for new pages may take half of what room for these saves, and 5 % of the time.
 *
 * Return: in how many seconds; infinite if nothing has come, or if it is not worth its copies.
 */
double reserve_wait(const struct reserve *reserve, double interval, double cost);

#endif /* POLICY_RESERVE_H */
