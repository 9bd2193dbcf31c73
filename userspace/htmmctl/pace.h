/* SPDX-License-Identifier: GPL-2.0 */
/* When to look again at what changes less and less, at a cost that is a share of the time. */
#ifndef HTMMCTL_PACE_H
#define HTMMCTL_PACE_H

/* Looks take no more than one part in so many of the time, and one such part is not seen. */
#define PACE_SHARE	20

/**
 * struct pace - a plan of looks; times are in seconds since the begin
 * @most: the longest time between two looks that are cheap; 0: any
 * @spent: CPU time of all looks
 * @next: when the next one is due; 0: at once
 */
struct pace {
	double most;
	double spent;
	double next;
};

/*
 * Plans the next look: when a twentieth of the time has passed since this one, or later, if all
 * of them would take too much.
 */
void pace_looked(struct pace *pace, double now, double cost);

#endif /* HTMMCTL_PACE_H */
