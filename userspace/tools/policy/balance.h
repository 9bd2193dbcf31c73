/* SPDX-License-Identifier: GPL-2.0 */
/* What moving pages has saved until now, and what it has cost. */
#ifndef POLICY_BALANCE_H
#define POLICY_BALANCE_H

/* For how many seconds a move is expected to be of use, at least. */
#define USEFUL_S	8.0

/**
 * struct balance - what was won and spent, in seconds of CPU time
 * @won: what moves have saved; below 0: what they have cost, because other pages became hot. This,
 *	@spent and @worked count half after five minutes
 * @spent: what samples, looks and copies have taken
 * @worked: time of all CPUs that were busy
 * @lately: won in a second, between the last two looks
 * @busy: how many were busy, on average, between the last two looks
 * @fill: CPU time that it takes to fill the fast tier with other pages, in seconds
 * @all_won: what moves have saved since the start
 * @all_spent: and what was spent
 */
struct balance {
	double won;
	double spent;
	double worked;
	double lately;
	double busy;
	double fill;
	double all_won;
	double all_spent;
};

/**
 * balance_spend() - note what was spent
 * @balance: the balance
 * @seconds: CPU time
 */
void balance_spend(struct balance *balance, double seconds);

/**
 * balance_look() - note what was won since the previous look
 * @balance: may be all zero before the first one
 * @won: seconds of CPU time
 * @seconds: between the two looks
 * @busy: CPUs that were busy, on average; above 0
 */
void balance_look(struct balance *balance, double won, double seconds, double busy);

/**
 * balance_left() - what may still be spent
 * @balance: the balance, after a look
 *
 * Moves cost time at first, and save it later, or never: then they have to end. What was won lately
 * is taken to be won for USEFUL_S more, up to a second of each CPU that is busy. Besides, what it
 * takes to fill the fast tier may be lost, but at least a quarter of a second, and at most one; and
 * 0.75 % of the time of the CPUs that are busy. The rest of 1 % is for lists of regions, which do
 * not end.
 *
 * Return: seconds of CPU time; below 0: moves have cost too much.
 */
double balance_left(const struct balance *balance);

/**
 * balance_looks() - what looks may cost while nothing is left
 * @balance: the balance
 * @seconds: the time
 *
 * Return: seconds of CPU time.
 */
double balance_looks(const struct balance *balance, double seconds);

/**
 * balance_wait() - when to look again while nothing is left
 * @balance: the balance
 * @cost: CPU time of a look
 *
 * Return: seconds from now.
 */
double balance_wait(const struct balance *balance, double cost);

#endif /* POLICY_BALANCE_H */
