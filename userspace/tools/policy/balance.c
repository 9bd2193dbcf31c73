// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include "balance.h"

/* This part of the time may be lost. */
#define LOST_PART	0.0075
/* And so many seconds of CPU time, before anything can have been won. */
#define BEGIN_S		1.0
/* This part of it goes on being spent meanwhile, for samples and lists of regions. */
#define SPENT_PART	0.5

void balance_look(struct balance *balance, double won, double seconds, double busy)
{
	balance->won += won;
	balance->lately = won / seconds;
	balance->worked += seconds * busy;
	balance->busy = busy;
}

double balance_left(const struct balance *balance)
{
	return balance->won - balance->spent + BEGIN_S + LOST_PART * balance->worked +
	       fmax(balance->lately, 0) * USEFUL_S;
}

double balance_wait(const struct balance *balance)
{
	const double rate = LOST_PART * (1 - SPENT_PART) * balance->busy;

	return -balance_left(balance) / (rate + fmax(balance->lately, 0));
}
