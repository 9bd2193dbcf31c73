// SPDX-License-Identifier: GPL-2.0
/* How `htmmctl tier` moves pages, what it says of those that do not move, and what stays bound. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <math.h>
#include <stdlib.h>
#include "htmmctl/clock.h"
#include "policy/rules.h"
#include "tier_machine.h"

/* How many of the first 100 hot pages, and of the other 100, are promoted. */
static void check_bound(const char *maps, bool bound, u32 first, u32 second)
{
	struct tier *tier = make(USUAL);
	u64 refused = 200 - first - second;

	machine.maps = maps;
	tier->mover.bound = bound;
	sample(1000, 1200, 5);
	look(tier);
	CHECK(fast_of(1000, 1100) == first && fast_of(1100, 1200) == second);
	CHECK(tier->mover.promoted == first + second);
	CHECK(tier->mover.refused[REFUSED_FORBIDDEN] == refused);
	CHECK(machine.maps_read == !bound || (!bound && machine.maps_read > 1));
	destroy(tier);
}

static struct bound_process *bound_of(struct bindings *bindings, pid_t pid, u32 space)
{
	size_t i;

	for (i = 0; i < BINDINGS_SLOTS; i++)
		if (bindings->slot[i].pid == pid && bindings->slot[i].space == space)
			return &bindings->slot[i];
	return NULL;
}

/* May a page be on a node? */
static bool allowed(struct bindings *bindings, pid_t pid, u32 space, u64 addr, int node)
{
	const struct htmm_cpus *nodes = bindings_of(bindings, pid, space, addr);

	return !nodes || htmm_cpus_has(nodes, node);
}

/* Reads again what the process binds; after how many times as long as it took is it read again? */
static unsigned int read_again(struct bindings *bindings, pid_t pid, u32 space, const char *maps)
{
	struct bound_process *process = bound_of(bindings, pid, space);
	const u32 read = machine.maps_read;

	machine.maps = maps;
	if (process)
		process->due = 0;
	bindings_of(bindings, pid, space, BASE);
	CHECK(machine.maps_read == read + 1);
	process = bound_of(bindings, pid, space);
	CHECK(process);
	CHECK(process->due >= clock_ns(CLOCK_MONOTONIC) / 1e9);
	/* Not yet. */
	bindings_of(bindings, pid, space, BASE);
	CHECK(machine.maps_read == read + 1);
	return process->times;
}

/* The file takes the kernel long, so it is read ever more seldom while it says the same. */
static void test_bound_the_same(void)
{
	static const char one[] = "40000000 default\n403e8000 bind:1 anon=1 N1=1\n";
	static const char counts[] = "40000000 default anon=7\n403e8000 bind:1 anon=9 N1=9\n";
	static const char more[] = "40000000 default\n403e8000 bind:1\n4044c000 default\n";
	static const char place[] = "40000000 default\n403e9000 bind:1\n";
	static const char nodes[] = "40000000 default\n403e8000 bind:0-1\n";
	struct tier *tier = make(USUAL);
	struct bindings bindings = {};

	machine.slow = 1;
	CHECK(read_again(&bindings, PID, 1, one) == 200);
	CHECK(read_again(&bindings, PID, 1, counts) == 400);
	CHECK(bindings.slot[PID].due > clock_ns(CLOCK_MONOTONIC) / 1e9 + 0.39 * SLOW_MS);
	CHECK(read_again(&bindings, PID, 1, one) == 800);
	CHECK(read_again(&bindings, PID, 1, one) == 800);
	CHECK(read_again(&bindings, PID, 1, one) == 800);
	CHECK(read_again(&bindings, PID, 1, more) == 200);
	CHECK(read_again(&bindings, PID, 1, more) == 400);
	CHECK(read_again(&bindings, PID, 1, one) == 200);
	CHECK(read_again(&bindings, PID, 1, one) == 400);
	CHECK(read_again(&bindings, PID, 1, place) == 200);
	CHECK(read_again(&bindings, PID, 1, place) == 400);
	CHECK(read_again(&bindings, PID, 1, nodes) == 200);
	CHECK(!allowed(&bindings, PID, 1, BASE + 0x3e8000, 2));
	CHECK(read_again(&bindings, PID, 1, one) == 200);
	CHECK(!allowed(&bindings, PID, 1, BASE + 0x3e8000, FAST));
	CHECK(allowed(&bindings, PID, 1, BASE, FAST));
	CHECK(read_again(&bindings, PID, 1, "40000000 default\n") == 200);
	CHECK(read_again(&bindings, PID, 1, "40000000 default\n") == 400);
	/* At once, if it runs another program, or of another process. */
	CHECK(read_again(&bindings, PID, 2, "40000000 default\n") == 200);
	CHECK(read_again(&bindings, PID + BINDINGS_SLOTS, 2, "40000000 default\n") == 200);
	bindings_free(&bindings);
	destroy(tier);
}

/* But what is bound later is seen within a minute, if reading it does not take very long. */
static void test_bound_later(void)
{
	static const char one[] = "40000000 default\n";
	struct tier *tier = make(USUAL);
	struct bindings bindings = {};
	double begin, end;

	machine.slow = 5;
	read_again(&bindings, PID, 1, one);
	read_again(&bindings, PID, 1, one);
	begin = clock_ns(CLOCK_MONOTONIC) / 1e9;
	CHECK(read_again(&bindings, PID, 1, one) == 800);
	end = clock_ns(CLOCK_MONOTONIC) / 1e9;
	CHECK(bindings.slot[PID].due > begin + 60);
	CHECK(bindings.slot[PID].due <= end + fmax(60, 200 * (end - begin)));
	bindings_free(&bindings);
	destroy(tier);
}

/* Of processes whose numbers have the same place, each is read once. */
static void test_bound_of_many(void)
{
	struct tier *tier = make(USUAL);
	struct bindings bindings = {};
	u32 i, n;

	machine.slow = 1;
	machine.maps = "40000000 bind:1\n";
	for (i = 0; i < 5; i++) {
		CHECK(!allowed(&bindings, PID, 1, BASE, FAST));
		CHECK(!allowed(&bindings, PID + BINDINGS_SLOTS, 2, BASE, FAST));
	}
	CHECK(machine.maps_read == 2);
	/* More than there are places: the one that was read last stays. */
	for (n = 0; n < BINDINGS_PLACES; n++)
		bindings_of(&bindings, PID, 3 + n, BASE);
	CHECK(machine.maps_read == 2 + BINDINGS_PLACES);
	bindings_of(&bindings, PID, 2 + n, BASE);
	CHECK(machine.maps_read == 2 + BINDINGS_PLACES);
	bindings_free(&bindings);
	destroy(tier);
}

/* What a process has bound stays there, unless the user wants it moved. */
static void test_bound(void)
{
	static const char first[] =
		"40000000 default anon=1000 N1=1000 kernelpagesize_kB=4\n"
		"403e8000 bind:1 anon=100 N1=100\n"
		"4044c000 default anon=9 N1=9\n";
	static const char second[] =
		"3fff0000 default\n"
		"40000000 prefer (many):1 anon=3\n"
		"4044c000 bind=static:1,3 anon=9 dirty=9 N1=9\n"
		"4044d000 bind=static:1,3 file=/a\\040b anon=9 dirty=9 N1=9\n";

	check_bound(NULL, false, 100, 100);
	check_bound("40000000 bind:0-1 anon=1\n", false, 100, 100);
	check_bound("40000000 interleave:1 anon=1\n", false, 100, 100);
	check_bound("40000000 bind:1 anon=1\n", false, 0, 0);
	check_bound("40000000 bind:1 anon=1\n", true, 100, 100);
	check_bound(first, false, 0, 100);
	check_bound(second, false, 100, 0);
	check_bound("no line\n40000000\n", false, 100, 100);
}

/* Moves of pages from @first on, half of them of another process. */
static void promote(struct tier *tier, u32 first, u32 nr)
{
	struct policy_move *moves = calloc(nr, sizeof(*moves));
	u32 i;

	CHECK(moves);
	machine.nr_calls = 0;
	for (i = 0; i < nr; i++)
		moves[i] = (struct policy_move) {
			.addr = BASE + ((u64)(first + i) << HTMM_PAGE_SHIFT), .pages = 1,
			.pid = i < nr / 2 ? PID : PID + 1, .node = SLOW, .promote = true,
		};
	mover_move(&tier->mover, tier->groups[0].policy, moves, nr);
	free(moves);
}

/* No more than 512 pages a call, and of one process. */
static void test_batches(void)
{
	struct tier *tier = make(USUAL);

	tier->mover.shared = true;
	promote(tier, 1000, 1600);
	CHECK(machine.nr_calls == 4);
	CHECK(machine.call[0].nr == 512 && machine.call[0].pid == PID);
	CHECK(machine.call[1].nr == 288 && machine.call[1].pid == PID);
	CHECK(machine.call[2].nr == 512 && machine.call[2].pid == PID + 1);
	CHECK(machine.call[3].nr == 288 && machine.call[3].flags == MPOL_MF_MOVE_ALL);
	CHECK(tier->mover.promoted == 1600 && fast_of(1000, 2600) == 1600);
	destroy(tier);
}

/* Each page that does not move is counted under its reason; the others move. */
static void test_refused(void)
{
	static const struct {
		int error;
		enum refusal refusal;
	} cases[] = {
		{ ENOENT, REFUSED_ABSENT }, { EFAULT, REFUSED_ABSENT }, { EACCES, REFUSED_SHARED },
		{ EBUSY, REFUSED_BUSY }, { EIO, REFUSED_BUSY }, { ENOMEM, REFUSED_FULL },
		{ EINVAL, REFUSED_FORBIDDEN }, { EXDEV, REFUSED_OTHER },
	};
	struct tier *tier = make(USUAL);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 first = 1000 + 10 * i;
		u64 before = tier->mover.refused[cases[i].refusal];

		machine.error[first + 3] = cases[i].error;
		promote(tier, first, 10);
		CHECK(tier->mover.refused[cases[i].refusal] == before + 1);
		CHECK(fast_of(first, first + 10) == 9);
	}
	CHECK(tier->mover.promoted == 9 * i);
	destroy(tier);
}

/* What a copy costs is learnt only if enough pages moved, however many were to move. */
static void test_copy_cost(void)
{
	struct tier *tier = make(USUAL);
	const struct policy *policy = tier->groups[0].policy;
	u32 page;

	for (page = 1000; page < 1090; page++)
		machine.error[page] = EACCES;
	promote(tier, 1000, 100);
	CHECK(tier->mover.promoted == 10 && policy->copy_ns == 5000);
	promote(tier, 1090, 100);
	CHECK(tier->mover.promoted == 110 && policy->copy_ns != 5000);
	destroy(tier);
}

/* It is the CPU time of the copies, without waits, and without what is read before. */
static void test_copy_cost_alone(void)
{
	struct tier *tier = make(USUAL);
	const struct policy *policy = tier->groups[0].policy;

	machine.slow = 1;
	promote(tier, 1000, 100);
	CHECK(tier->mover.promoted == 100 && machine.maps_read);
	/* 5,000 counts three quarters, 10,000 the rest. One of those would make 50,000 of it. */
	CHECK(policy->copy_ns > 5500 && policy->copy_ns < 25000);
	CHECK(tier->mover.ns >= 2 * SLOW_MS * 1000000);
	destroy(tier);
}

/* Pages that are tried again and again are counted once. */
static void test_refused_once(void)
{
	struct tier *tier = make(USUAL);
	unsigned int i, tried = 0, call;
	u32 page;

	for (page = 1000; page < 1100; page++)
		machine.error[page] = EACCES;
	for (i = 0; i < 12; i++) {
		tier->due = 0;
		machine.seconds += 100;
		sample(1000, 1100, 50);
		look(tier);
		for (call = 0; call < machine.nr_calls; call++)
			tried += machine.call[call].node == FAST ? machine.call[call].nr : 0;
	}
	CHECK(tried >= 200 && tier->mover.refused[REFUSED_SHARED] == 100);
	destroy(tier);
}

/* A page at which the kernel stops holds up none of those behind it for good. */
static void test_stopped(void)
{
	struct tier *tier = make(USUAL);

	machine.error[1003] = EAGAIN;
	promote(tier, 1000, 10);
	CHECK(machine.nr_calls > 2 && machine.nr_calls < 10);
	CHECK(tier->mover.refused[REFUSED_BUSY] >= 1);
	CHECK(tier->mover.promoted + tier->mover.refused[REFUSED_BUSY] == 10);
	CHECK(tier->mover.promoted == fast_of(1000, 1010) && tier->mover.promoted >= 8);
	destroy(tier);
}

/* The fast tier has two nodes: node 2, too, with so many pages. All pages are on the slow one. */
static struct tier *make_two(u32 second_node)
{
	struct tier *tier = make(USUAL);
	u32 page;

	tier->tiers.fast.bits[0] = 1 << FAST | 1 << 2;
	for (page = 0; page < USUAL; page++)
		machine.node[page] = SLOW;
	machine.second_node = second_node;
	return tier;
}

/* No node gets more than it has room for, if another one has some. */
static void test_room_of_nodes(void)
{
	struct tier *tier = make_two(200);

	machine.kept = CAPACITY - 310;
	promote(tier, 1000, 500);
	CHECK(tier->mover.promoted == 500 && machine.nr_calls == 3);
	CHECK(machine.call[0].nr == 250 && machine.call[0].node == FAST);
	CHECK(machine.call[1].nr == 200 && machine.call[1].node == 2);
	CHECK(machine.call[2].nr == 50 && machine.call[2].node == FAST);
	/* Where none is said to have any more, some pages are tried. */
	promote(tier, 2000, 400);
	CHECK(machine.nr_calls == 8 && machine.call[0].nr == 64 && machine.call[3].nr == 8);
	destroy(tier);
}

/* PID runs near to these nodes. */
static void be_near(unsigned long nodes)
{
	machine.home = (struct htmm_cpus) { .bits = { nodes }, .size = 8 };
}

/* Of several nodes, a page goes to one that is near to its process, as long as that has room. */
static void test_home(void)
{
	struct tier *tier = make_two(1000);
	u32 page;

	be_near(1 << FAST | 1 << SLOW);
	machine.kept = CAPACITY - 350;
	promote(tier, 1000, 200);
	for (page = 1000; page < 1200; page++)
		CHECK(machine.node[page] == (page < 1100 ? FAST : 2));
	CHECK(machine.homes_looked_up == 2);
	/* There are 250 pages left, which is more than the call before knew. */
	promote(tier, 2000, 440);
	for (page = 2000; page < 2440; page++)
		CHECK(machine.node[page] == (page < 2220 ? FAST : 2));
	/* Room for fewer than 64 is none. */
	promote(tier, 3000, 40);
	CHECK(machine.nr_calls == 2 && machine.call[0].node == 2);
	CHECK(tier->mover.promoted == 680);
	destroy(tier);
}

/* A process may run elsewhere at the next look. */
static void test_home_moves(void)
{
	struct tier *tier = make_two(1000);
	u32 page;

	be_near(1 << FAST);
	promote(tier, 1000, 100);
	be_near(1 << 2);
	promote(tier, 1100, 100);
	CHECK(machine.homes_looked_up == 4);
	for (page = 1000; page < 1050; page++)
		CHECK(machine.node[page] == FAST && machine.node[page + 100] == 2);
	promote(tier, 1200, 1);
	promote(tier, 1300, 1);
	CHECK(machine.homes_looked_up == 6);
	destroy(tier);
}

/* What is bound to a far node goes there, but takes nothing with it that has a nearer one. */
static void test_home_of_bound(void)
{
	static const char maps[] =
		"40000000 default\n"
		"403e8000 bind:2 anon=10 N1=10\n"
		"403f2000 default\n"
		"403fc000 bind:2 anon=10 N1=10\n"
		"40406000 bind:0,2 anon=10 N1=10\n"
		"40410000 bind:1 anon=10 N1=10\n"
		"4041a000 default\n";
	struct tier *tier = make_two(1000);
	u32 page;

	machine.maps = maps;
	be_near(1 << FAST);
	promote(tier, 1000, 140);
	for (page = 1000; page < 1070; page++)
		CHECK(machine.node[page] == (page / 10 == 100 || page / 10 == 102 ? 2 :
					     page / 10 == 104 ? SLOW : FAST));
	CHECK(tier->mover.refused[REFUSED_FORBIDDEN] == 10);
	destroy(tier);
}

/* A huge page goes to a node that has room for it, and none goes where there is none left. */
static void test_home_of_huge(void)
{
	struct tier *tier = make_two(3000);
	struct policy_move moves[5] = {};
	u32 i;

	be_near(1 << FAST);
	machine.kept = CAPACITY - 100;
	for (i = 0; i < ARRAY_SIZE(moves); i++)
		moves[i] = (struct policy_move) {
			.addr = BASE + ((1024ULL + 512 * i) << HTMM_PAGE_SHIFT), .pages = 512,
			.pid = PID, .node = SLOW, .promote = true,
		};
	mover_move(&tier->mover, tier->groups[0].policy, moves, ARRAY_SIZE(moves));
	CHECK(machine.call[0].node == 2 && machine.call[0].nr == 5);
	machine.nr_calls = 0;
	machine.second_node = 1200;
	mover_move(&tier->mover, tier->groups[0].policy, moves, ARRAY_SIZE(moves));
	CHECK(machine.call[0].node == 2 && machine.call[0].nr == 2);
	destroy(tier);
}

/*
 * Where a tier has several nodes, what is bound to some of them goes to these, however much room
 * another one has, and what is bound to none of them stays.
 */
static void test_bound_to_nodes(void)
{
	static const char maps[] =
		"40000000 default\n"
		"403e8000 bind:0 anon=100 N1=100\n"
		"4044c000 bind:1-2 anon=100 N1=100\n"
		"404b0000 bind:1 anon=100 N1=100\n"
		"40514000 bind:0 anon=100 N1=100\n"
		"40578000 default\n";
	struct tier *tier = make_two(1000);
	u32 page;

	machine.maps = maps;
	promote(tier, 900, 1000);
	for (page = 900; page < 1600; page++)
		CHECK(machine.node[page] == (page >= 1200 && page < 1300 ? SLOW :
					     page / 100 == 10 || page / 100 == 13 ? FAST : 2));
	CHECK(tier->mover.promoted == 900 && tier->mover.refused[REFUSED_FORBIDDEN] == 100);
	destroy(tier);
}

/* What may go nowhere does not end a call: each takes long. But a node is not filled blindly. */
static void test_bound_calls(void)
{
	static const char maps[] =
		"40000000 default\n"
		"403e9000 bind:1 anon=1 N1=1\n"
		"403ea000 default\n"
		"403eb000 bind:1 anon=1 N1=1\n"
		"403ec000 default\n"
		"407d0000 bind:0 anon=400 N1=400\n";
	struct tier *tier = make_two(1000);

	machine.maps = maps;
	promote(tier, 1000, 20);
	CHECK(machine.nr_calls == 2 && machine.call[0].nr == 8);
	CHECK(tier->mover.promoted == 18 && tier->mover.refused[REFUSED_FORBIDDEN] == 2);
	machine.kept = CAPACITY - 100;
	promote(tier, 2000, 400);
	CHECK(machine.call[0].nr == 100 && machine.call[0].node == FAST);
	destroy(tier);
}

/* A process that is gone, or that may not use the node. */
static void test_whole_call(void)
{
	struct tier *tier = make(USUAL);

	machine.whole = ESRCH;
	promote(tier, 1000, 10);
	CHECK(tier->mover.refused[REFUSED_GONE] == 10);
	machine.whole = EACCES;
	promote(tier, 1010, 10);
	CHECK(tier->mover.refused[REFUSED_FORBIDDEN] == 10);
	CHECK(!tier->mover.promoted);
	destroy(tier);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_bound),
		TAP_TEST(test_bound_the_same),
		TAP_TEST(test_bound_later),
		TAP_TEST(test_bound_of_many),
		TAP_TEST(test_bound_to_nodes),
		TAP_TEST(test_bound_calls),
		TAP_TEST(test_batches),
		TAP_TEST(test_room_of_nodes),
		TAP_TEST(test_home),
		TAP_TEST(test_home_moves),
		TAP_TEST(test_home_of_bound),
		TAP_TEST(test_home_of_huge),
		TAP_TEST(test_refused),
		TAP_TEST(test_copy_cost),
		TAP_TEST(test_copy_cost_alone),
		TAP_TEST(test_refused_once),
		TAP_TEST(test_stopped),
		TAP_TEST(test_whole_call),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
