// SPDX-License-Identifier: GPL-2.0
/* Which pages there are, and which are sampled. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

#define ZIPF_EXPONENT	0.99
/* The hot set: one page in 16 gets 90 % of the samples. */
#define HOT_ONE_IN	16
#define HOT_PERCENT	90

static u64 random_state = 1;

/* splitmix64 */
static u64 mix(u64 z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static u64 random64(void)
{
	return mix(random_state += 0x9e3779b97f4a7c15ULL);
}

static double random_unit(void)
{
	return (random64() >> 11) / 9007199254740992.0;
}

bool bench_space_open(struct bench_space *space, u64 pages, u32 one_in,
		      u32 spaces)
{
	u64 vpn, n;

	*space = (struct bench_space) {
		.pages = pages, .one_in = one_in, .spaces = spaces,
	};
	if (one_in == 1)
		return true;
	space->vpn = malloc(pages * sizeof(*space->vpn));
	if (!space->vpn)
		return false;
	for (vpn = 0, n = 0; n < pages; vpn++) {
		if (mix(vpn + 1) % one_in == 0)
			space->vpn[n++] = vpn;
	}
	return true;
}

void bench_space_close(struct bench_space *space)
{
	free(space->vpn);
}

u64 bench_space_span(const struct bench_space *space)
{
	return space->vpn ? space->vpn[space->pages - 1] + 1ULL :
			    space->pages / space->spaces;
}

/* A permutation of the pages, whose number is a power of two. */
static u64 shuffled(const struct bench_space *space, u64 rank)
{
	u32 bits = ilog2(space->pages), i;
	u64 mask = space->pages - 1;

	for (i = 0; i < 3; i++) {
		rank = rank * 0x9e3779b97f4a7c15ULL & mask;
		rank ^= rank >> (bits / 2);
	}
	return rank;
}

static struct htmm_table_sample sample(const struct bench_space *space, u64 page)
{
	u64 span = space->pages / space->spaces;

	return (struct htmm_table_sample) {
		.page = space->vpn ? space->vpn[page] :
				     htmm_page(page / span, page % span),
		.weight = 1,
	};
}

void bench_uniform(const struct bench_space *space,
		   struct htmm_table_sample *s, u32 n)
{
	while (n--)
		*s++ = sample(space, random64() & (space->pages - 1));
}

/*
 * Zipf by rejection-inversion (Hoermann and Derflinger): H is the integral of
 * x^-a, and a uniform point below it is taken if it lies under the bar of its
 * rank.
 */
static double zipf_h(double x)
{
	return pow(x, 1 - ZIPF_EXPONENT) / (1 - ZIPF_EXPONENT);
}

static double zipf_h_inverse(double y)
{
	return pow((1 - ZIPF_EXPONENT) * y, 1 / (1 - ZIPF_EXPONENT));
}

static u64 zipf_rank(u64 pages)
{
	static u64 last;
	static double low, high;
	double y, k;

	if (last != pages) {
		last = pages;
		low = zipf_h(1.5) - 1;
		high = zipf_h(pages + 0.5);
	}
	for (;;) {
		y = high + random_unit() * (low - high);
		k = floor(zipf_h_inverse(y) + 0.5);
		if (k >= 1 && k <= pages &&
		    y >= zipf_h(k + 0.5) - pow(k, -ZIPF_EXPONENT))
			return k - 1;
	}
}

void bench_zipf(const struct bench_space *space, struct htmm_table_sample *s,
		u32 n)
{
	while (n--)
		*s++ = sample(space, shuffled(space, zipf_rank(space->pages)));
}

void bench_hot_set(const struct bench_space *space,
		   struct htmm_table_sample *s, u32 n)
{
	while (n--) {
		u64 rank = random64() & (space->pages - 1);

		if (random64() % 100 < HOT_PERCENT)
			rank /= HOT_ONE_IN;
		*s++ = sample(space, shuffled(space, rank));
	}
}

void bench_sequential(const struct bench_space *space,
		      struct htmm_table_sample *s, u32 n)
{
	u64 page = random64();

	while (n--)
		*s++ = sample(space, page++ & (space->pages - 1));
}

void bench_phases(const struct bench_space *space, struct htmm_table_sample *s,
		  u32 n)
{
	u64 page;
	u32 i;

	for (i = 0; i < n; i++) {
		page = shuffled(space, zipf_rank(space->pages));
		page += mix(i / BENCH_PHASE);
		s[i] = sample(space, page & (space->pages - 1));
	}
}

/*
 * A budget changes the periods of two events from time to time; a sample's weight is the
 * period of its event. One in four is of the second event.
 */
void bench_weigh(struct htmm_table_sample *s, u32 n, u32 weight)
{
	static const u32 first[] = { 1, 2, 3, 2, 4, 7, 3, 1 };
	static const u32 second[] = { 1, 1, 2, 5, 3, 4, 1, 2 };
	u32 i, part;

	for (i = 0; i < n; i++) {
		part = i / 32768 % 8;
		s[i].weight = weight != BENCH_MIXED ? weight :
			      mix(i) % 4 ? first[part] : second[part];
	}
}

void bench_renumber(const struct bench_space *space, struct htmm_table_sample *s,
		    u32 n, u32 exit)
{
	u32 i, id, exits;

	for (i = 0; i < n; i++) {
		exits = i / exit;
		id = s[i].page >> HTMM_VPN_BITS;
		id += (exits + space->spaces - 1 - id) / space->spaces * space->spaces;
		s[i].page = htmm_page(id, s[i].page & HTMM_VPN_MAX);
	}
}

void bench_each_once(const struct bench_space *space, u64 from,
		     struct htmm_table_sample *s, u32 n)
{
	while (n--)
		*s++ = sample(space, shuffled(space, from++ ^ space->pages / 3));
}
