// SPDX-License-Identifier: GPL-2.0
/*
 * join ROWS MILLIONS: a hash join of so many million orders with a table of articles. Orders come
 * in batches; a batch is divided by parts of the table, then each part is joined. Few articles are
 * in most orders, and which these are slides: each is ordered more and more, and then no more.
 */
#include <string.h>

#include "work.h"
#include "zipf.h"

#define PARTS		16
#define BATCH		500000UL
/* Orders between two steps of the ranking: in 24 million it goes through a tenth of the table. */
#define STEP		160
/* Articles that follow each other in the ranking and in the table. */
#define NEIGHBOURS	16

/**
 * struct article - a row of the table
 * @orders: how many there were
 * @price: of one
 * @rest: what else is in a row
 */
struct article {
	__u64 orders;
	__u64 price;
	__u64 rest[6];
};

/**
 * struct order - what is joined
 * @article: the number of its row
 * @pieces: how many
 */
struct order {
	__u64 article;
	__u64 pieces;
};

static struct article *table;
static __u64 nr_rows;
static struct order *parts[PARTS];
static __u64 nr_orders[PARTS];

/* Where the article of a rank is: neighbours stay together. */
static __u64 place_of(__u64 number)
{
	const __u64 groups = nr_rows / NEIGHBOURS, group = number / NEIGHBOURS % groups;

	return (group * 0x9e3779b97f4a7c15ULL >> 13) % groups * NEIGHBOURS + number % NEIGHBOURS;
}

static void divide(struct zipf *zipf, __u64 before)
{
	memset(nr_orders, 0, sizeof(nr_orders));
	for (__u64 i = 0; i < BATCH; i++) {
		const __u64 article = place_of(zipf_rank(zipf) + (before + i) / STEP);
		const __u64 part = article * PARTS / nr_rows;

		parts[part][nr_orders[part]++] = (struct order) { article, i % 9 + 1 };
	}
}

static __u64 join(unsigned int part)
{
	__u64 sum = 0;

	for (__u64 i = 0; i < nr_orders[part]; i++) {
		const struct order *order = &parts[part][i];
		struct article *article = &table[order->article];

		article->orders++;
		sum += order->pieces * article->price;
	}
	return sum;
}

int main(int argc, char **argv)
{
	__u64 batches, sum = 0;
	struct zipf zipf;

	nr_rows = work_argument(argc, argv, 1, "the number of rows") / NEIGHBOURS * NEIGHBOURS;
	batches = work_argument(argc, argv, 2, "millions of orders") * 1000000 / BATCH;
	if (!nr_rows)
		work_fail("there are at least %d rows", NEIGHBOURS);
	table = work_map(nr_rows * sizeof(*table));
	for (__u64 i = 0; i < nr_rows; i++)
		table[i].price = i % 1000;
	/* The worst case: all orders of a batch are of one part. It touches only what it uses. */
	for (unsigned int part = 0; part < PARTS; part++)
		parts[part] = work_map(BATCH * sizeof(*parts[part]));
	zipf_init(&zipf, nr_rows, 1001);
	work_ready();
	for (__u64 batch = 0; batch < batches; batch++) {
		divide(&zipf, batch * BATCH);
		for (unsigned int part = 0; part < PARTS; part++)
			sum = sum * 31 + join(part);
		work_done(BATCH);
	}
	work_stop();
	work_end(sum);
	return 0;
}
