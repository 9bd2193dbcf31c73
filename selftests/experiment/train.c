// SPDX-License-Identifier: GPL-2.0
/*
 * train MIB: train a linear classifier by liblinear on data that was made up. It
 * reads all of the data again and again, one after the other: what is fast makes no
 * difference, and the right answer is to move nothing.
 */
#include <linear.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

#define FEATURES	20000
#define ROW		64		/* features of an example, and an end */

static struct feature_node *nodes;

static void make(struct problem *problem, __u64 bytes)
{
	__u64 state = 271828;

	problem->l = bytes / ((ROW + 1) * sizeof(*nodes));
	problem->n = FEATURES;
	problem->bias = -1;
	problem->y = work_map(problem->l * sizeof(*problem->y));
	problem->x = work_map(problem->l * sizeof(*problem->x));
	nodes = work_map(problem->l * (ROW + 1) * sizeof(*nodes));
	for (int i = 0; i < problem->l; i++) {
		struct feature_node *row = nodes + (__u64)i * (ROW + 1);
		double sum = 0;

		problem->x[i] = row;
		for (int j = 0; j < ROW; j++) {
			__u64 r = work_random(&state);

			/* Features in order, as the library wants them. */
			row[j].index = 1 + j * (FEATURES / ROW) + r % (FEATURES / ROW);
			row[j].value = (double)(r >> 40) / (1 << 24);
			sum += row[j].index % 2 ? row[j].value : -row[j].value;
		}
		row[ROW].index = -1;
		problem->y[i] = sum > 0 ? 1 : -1;
	}
}

/* The library says something in each of its iterations; one takes several passes. */
static void on_message(const char *text)
{
	const char *steps = strstr(text, "CG ");

	if (steps)
		work_done(2 + strtoul(steps + 3, NULL, 10));
}

int main(int argc, char **argv)
{
	struct parameter parameter = { .solver_type = L2R_LR, .eps = 0.01, .C = 1 };
	struct problem problem;
	struct model *model;
	__u64 sum = 0;

	make(&problem, work_argument(argc, argv, 1, "the size in MiB") << 20);
	set_print_string_function(on_message);
	work_ready();
	model = train(&problem, &parameter);
	work_stop();
	for (int i = 0; i < model->nr_feature; i++) {
		__u64 bits;

		memcpy(&bits, &model->w[i], sizeof(bits));
		sum = sum * 31 + bits;
	}
	work_end(sum);
	return 0;
}
