// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include "balance.h"

/* This part of the time may be lost. */
#define LOST_PART	0.0075
/* And so many seconds of CPU time, before anything can have been won: at least, and at most. */
#define BEGIN_LEAST_S	0.25
#define BEGIN_MOST_S	1.0
/* After so many seconds, what was won and spent counts half. */
#define HALF_S		300
/* While nothing is left, looks may take this part of what may be lost. */
#define LOOKS_PART	0.5

void balance_spend(struct balance *balance, double seconds)
{
	balance->spent += seconds;
	balance->all_spent += seconds;
}

void balance_look(struct balance *balance, double won, double seconds, double busy)
{
	const double keep = exp2(-seconds / HALF_S);

	balance->won = keep * balance->won + won;
	balance->spent *= keep;
	balance->worked = keep * balance->worked + seconds * busy;
	balance->all_won += won;
	balance->lately = won / seconds;
	balance->busy = busy;
}

/* Before the fast tier is filled, moves have only cost time. */
static double begin_with(const struct balance *balance)
{
	return fmin(fmax(balance->fill, BEGIN_LEAST_S), BEGIN_MOST_S);
}

double balance_left(const struct balance *balance)
{
	return balance->won - balance->spent + begin_with(balance) + LOST_PART * balance->worked +
	       fmin(fmax(balance->lately, 0) * USEFUL_S, balance->busy);
}

double balance_looks(const struct balance *balance, double seconds)
{
	return LOST_PART * LOOKS_PART * balance->busy * seconds;
}

double balance_wait(const struct balance *balance, double cost)
{
	return cost / balance_looks(balance, 1);
}
