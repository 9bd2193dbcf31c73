// SPDX-License-Identifier: GPL-2.0
#include "pace.h"

/* Shortest time between two looks. */
#define PACE_LEAST	0.02

void pace_looked(struct pace *pace, double now, double cost)
{
	double pause = now / PACE_SHARE, allowed;

	if (pause < PACE_LEAST)
		pause = PACE_LEAST;
	if (pace->most && pause > pace->most)
		pause = pace->most;
	pace->spent += cost;
	pace->next = now + pause;
	/* The next one probably takes as long. */
	allowed = PACE_SHARE * (pace->spent + cost);
	if (pace->next < allowed)
		pace->next = allowed;
}
