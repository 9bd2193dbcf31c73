// SPDX-License-Identifier: GPL-2.0
/*
 * Every ioctl, read() and close(), in random order, from several threads, with structs that
 * have a few errors: the kernel must answer each with an errno and keep working.
 *
 * FUZZ_CALLS=N: number of ioctls (10,000); FUZZ_SEED=N: repeats the calls of an earlier
 * run, though the threads may interleave differently.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <time.h>
#include "abi.h"
#include "check.h"
#include "fuzz_args.h"

#define PAGES		16
#define CALLS		10000
#define THREADS		3
#define FILES		4
/* Average number of calls between two valid starts. */
#define GOOD_STARTS	300

/**
 * struct tally_of - results of the calls of one kind
 * @ok: they succeeded
 * @refused: they failed
 */
struct tally_of {
	atomic_ulong ok;
	atomic_ulong refused;
};

/**
 * struct fuzz - shared by all threads
 * @calls: ioctls still to be made
 * @files: open files, or -1
 * @ioctls: results of ioctls, by number; the last element is for unknown numbers
 * @reads: results of read()
 * @source: an event that works
 * @cgroup: the directory of the cgroup of all tasks
 * @mem: memory to access
 */
struct fuzz {
	atomic_long calls;
	atomic_int files[FILES];
	struct tally_of ioctls[NR_IOCTLS + 1];
	struct tally_of reads;
	struct source source;
	int cgroup;
	void *mem;
};

/**
 * struct fuzzer - one thread
 * @fuzz: what all threads share
 * @thread: itself
 * @args: generator of its arguments
 */
struct fuzzer {
	struct fuzz *fuzz;
	pthread_t thread;
	struct fuzz_args args;
};

static void count(struct tally_of *tally, bool ok)
{
	atomic_fetch_add(ok ? &tally->ok : &tally->refused, 1);
}

static void call_ioctl(struct fuzzer *f, int fd, unsigned int nr, bool right)
{
	unsigned int cmd = _IO(HTMM_IOC_TYPE, nr);
	union argument arg;
	size_t size;
	void *at;

	size = fuzz_good(&f->args, cmd, &arg);
	if (right) {
		at = f->args.box->room;
		memcpy(at, &arg, size);
	} else {
		fuzz_spoil(&f->args, &arg, size);
		at = fuzz_place(&f->args, &arg, size);
		if (fuzz_one_in(&f->args, 50))
			cmd = fuzz_number(&f->args);
	}
	count(&f->fuzz->ioctls[nr < NR_IOCTLS ? nr : NR_IOCTLS], !ioctl(fd, cmd, at));
	atomic_fetch_sub(&f->fuzz->calls, 1);
}

/* Replaces an open file, which another thread may be using. */
static void reopen(struct fuzzer *f, unsigned int i)
{
	int fd = open(DEVICE_PATH, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	fd = atomic_exchange(&f->fuzz->files[i], fd);
	if (fd >= 0)
		close(fd);
}

/*
 * Sessions must live for a while between start and stop; and calls that ask or wait for
 * every CPU delay all other threads.
 */
static unsigned int rarity(unsigned int nr)
{
	switch (_IO(HTMM_IOC_TYPE, nr)) {
	case HTMM_IOC_START:
	case HTMM_IOC_STOP:
		return 8;
	case HTMM_IOC_GET_STATS:
	case HTMM_IOC_RESET:
		return 4;
	default:
		return 1;
	}
}

static unsigned int pick_ioctl(struct fuzzer *f)
{
	unsigned int nr;

	do {
		nr = fuzz_below(&f->args, fuzz_one_in(&f->args, 20) ? 256 : NR_IOCTLS);
	} while (!fuzz_one_in(&f->args, rarity(nr)));
	return nr;
}

static void step(struct fuzzer *f)
{
	unsigned int i = fuzz_below(&f->args, FILES);
	int fd = atomic_load(&f->fuzz->files[i]);
	struct pollfd look = { .fd = fd, .events = POLLIN };

	if (fd < 0 || fuzz_one_in(&f->args, GOOD_STARTS)) {
		reopen(f, i);
	} else if (fuzz_one_in(&f->args, GOOD_STARTS)) {
		call_ioctl(f, fd, _IOC_NR(HTMM_IOC_START), true);
	} else if (fuzz_one_in(&f->args, 2 * GOOD_STARTS)) {
		call_ioctl(f, fd, _IOC_NR(HTMM_IOC_STOP), true);
	} else if (fuzz_one_in(&f->args, 10)) {
		count(&f->fuzz->reads,
		      read(fd, (void *)(uintptr_t)fuzz_pointer(&f->args),
			   fuzz_number(&f->args)) >= 0);
		poll(&look, 1, 0);
	} else {
		call_ioctl(f, fd, pick_ioctl(f), fuzz_one_in(&f->args, 3));
	}
}

static void *fuzz_thread(void *arg)
{
	struct fuzzer *f = arg;

	while (atomic_load(&f->fuzz->calls) > 0) {
		step(f);
		if (fuzz_one_in(&f->args, 20))
			access_pages(&f->fuzz->source, f->fuzz->mem, PAGES, 4);
	}
	return NULL;
}

static unsigned long env_number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

static bool fuzzer_init(struct fuzzer *f, struct fuzz *fuzz, unsigned int i, uint64_t seed)
{
	f->fuzz = fuzz;
	f->args.event = &fuzz->source.event;
	f->args.cgroup = fuzz->cgroup;
	return fuzz_init(&f->args, i, seed);
}

/* Each ioctl was called, and succeeded at least once. */
static void check_tally(struct __test_metadata *_metadata, struct fuzz *fuzz)
{
	size_t i;

	for (i = 0; i < NR_IOCTLS; i++) {
		struct tally_of *tally = &fuzz->ioctls[_IOC_NR(ioctls[i].cmd)];

		TH_LOG("%s: %lu succeeded, %lu refused", ioctls[i].name, tally->ok, tally->refused);
		EXPECT_LT(0, tally->ok);
		EXPECT_LT(0, tally->refused);
	}
	TH_LOG("read(): %lu succeeded, %lu refused", fuzz->reads.ok, fuzz->reads.refused);
	EXPECT_LT(0, fuzz->reads.ok);
}

static void check_number(struct __test_metadata *_metadata, struct fuzz *fuzz, unsigned long calls)
{
	unsigned long ok = 0, refused = 0;
	int i;

	for (i = 0; i <= NR_IOCTLS; i++) {
		ok += fuzz->ioctls[i].ok;
		refused += fuzz->ioctls[i].refused;
	}
	printf("# fuzz_ioctl: calls=%lu succeeded=%lu refused=%lu\n", ok + refused, ok, refused);
	EXPECT_LE(calls, ok + refused);
}

/* After all this, a session works as usual. */
static void check_session(struct __test_metadata *_metadata, struct fuzz *fuzz)
{
	struct request req;
	static struct stats stats;
	int fd = device_open();

	device_stop(fd);
	source_every_fault(&fuzz->source);
	request_init(&req, &fuzz->source.event);
	ASSERT_EQ(0, device_start(fd, &req)) {
		TH_LOG("%s", req.error);
	}
	access_pages(&fuzz->source, fuzz->mem, PAGES, 4);
	ASSERT_EQ(0, device_stop(fd));
	ASSERT_EQ(0, stats_read(fd, &stats));
	EXPECT_LE(4 * PAGES, stats.s.stats[HTMM_STAT_SAMPLES]);
	close(fd);
}

FIXTURE(fuzz) {
	struct fuzz fuzz;
	struct fuzzer fuzzers[THREADS];
};

FIXTURE_SETUP(fuzz)
{
	struct fuzz *fuzz = &self->fuzz;
	int i;

	source_best(&fuzz->source);
	ASSERT_NE(NULL, fuzz->mem = access_map(PAGES));
	fuzz->cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (i = 0; i < FILES; i++)
		atomic_store(&fuzz->files[i], -1);
}

FIXTURE_TEARDOWN(fuzz)
{
	check_idle(_metadata);
}

TEST_F_TIMEOUT(fuzz, ioctls, 7200)
{
	const unsigned long calls = env_number("FUZZ_CALLS", CALLS);
	const unsigned long seed = env_number("FUZZ_SEED", time(NULL));
	int i;

	TH_LOG("%lu ioctls, FUZZ_SEED=%lu", calls, seed);
	atomic_store(&self->fuzz.calls, calls);
	for (i = 0; i < THREADS; i++)
		ASSERT_TRUE(fuzzer_init(&self->fuzzers[i], &self->fuzz, i, seed));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&self->fuzzers[i].thread, NULL,
					    fuzz_thread, &self->fuzzers[i]));
	for (i = 0; i < THREADS; i++)
		pthread_join(self->fuzzers[i].thread, NULL);
	for (i = 0; i < FILES; i++)
		close(self->fuzz.files[i]);
	check_tally(_metadata, &self->fuzz);
	check_session(_metadata, &self->fuzz);
	check_number(_metadata, &self->fuzz, calls);
}
