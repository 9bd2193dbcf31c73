// SPDX-License-Identifier: GPL-2.0
/* Samples are counted for all threads of the targets, and for no other task. */
#include <pthread.h>
#include "check.h"
#include "child.h"

#define PAGES		64
#define MAX_CPUS	1024
#define NR_THREADS	4
/* Samples intended for each page of a thread, and of a bystander. */
#define SHARE		4
/* A prime, so that each page gets its share; faults are slow on some kernels. */
#define FAULTS_A_SAMPLE	13

FIXTURE(filter) {
	int fd;
	int cpus[MAX_CPUS];
	int nr_cpus;
	struct source source;
	struct request req;
	void *mem;
	struct child bystander;
};

FIXTURE_VARIANT(filter) {
	enum access_kind kind;
};

FIXTURE_VARIANT_ADD(filter, stores) { ACCESS_STORE };
FIXTURE_VARIANT_ADD(filter, faults) { ACCESS_FAULT };

static void work(struct _test_data_filter *self, int area)
{
	access_kept(&self->source, self->mem + area * PAGES * PAGE, PAGES,
		    SHARE * self->source.event.period);
}

/* Works on each CPU, in an area that no thread uses. */
static void work_everywhere(void *arg)
{
	struct _test_data_filter *self = arg;
	int i;

	for (i = 0; i < self->nr_cpus; i++) {
		cpu_pin(self->cpus[i]);
		work(self, NR_THREADS);
	}
}

FIXTURE_SETUP(filter)
{
	if (!source_find(&self->source, variant->kind))
		SKIP(return, "no PMU here samples this");
	if (variant->kind == ACCESS_FAULT)
		self->source.event.period = FAULTS_A_SAMPLE;
	self->nr_cpus = cpus_allowed(self->cpus, MAX_CPUS);
	ASSERT_NE(NULL, self->mem = access_map((NR_THREADS + 1) * PAGES));
	ASSERT_LE(0, self->fd = device_open());
	request_init(&self->req, &self->source.event);
	self->req.arg.ring_pages = 64;
	ASSERT_EQ(0, child_worker(&self->bystander, work_everywhere, self));
}

FIXTURE_TEARDOWN(filter)
{
	child_kill(&self->bystander);
	close(self->fd);
	check_idle(_metadata);
}

struct worker {
	struct _test_data_filter *self;
	int area;
	pthread_t thread;
	pthread_barrier_t *ready;
	pid_t tid;
};

static void *worker_run(void *arg)
{
	struct worker *worker = arg;
	struct _test_data_filter *self = worker->self;

	cpu_pin(self->cpus[worker->area % self->nr_cpus]);
	worker->tid = gettid();
	/* Once when the tid is known, once for the start. */
	pthread_barrier_wait(worker->ready);
	pthread_barrier_wait(worker->ready);
	work(self, worker->area);
	return NULL;
}

/*
 * All threads work, each in its own area, while a bystander works on every CPU. The session
 * starts after the threads exist, with the tid of one of them or the pid of the process as
 * its target.
 */
static void run_threads(struct __test_metadata *_metadata,
			struct _test_data_filter *self, int named)
{
	struct worker workers[NR_THREADS];
	pthread_barrier_t ready;
	int i;

	pthread_barrier_init(&ready, NULL, NR_THREADS + 1);
	for (i = 0; i < NR_THREADS; i++) {
		workers[i] = (struct worker) {
			.self = self, .area = i, .ready = &ready,
		};
		ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]));
	}
	pthread_barrier_wait(&ready);
	request_add_target(&self->req, named < 0 ? getpid() : workers[named].tid);
	ASSERT_START(self);
	ASSERT_EQ(0, child_post(self->bystander.sock));
	pthread_barrier_wait(&ready);
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	ASSERT_EQ(0, child_await(self->bystander.sock));
	ASSERT_EQ(0, device_stop(self->fd));
}

static void check_threads(struct __test_metadata *_metadata, struct _test_data_filter *self)
{
	const __u64 area = PAGES * SHARE;
	const struct htmm_counters *total;
	static struct htmm_target_info info[HTMM_MAX_TARGETS];
	static struct stats stats;
	static struct pages pages;
	__u64 sum, want;
	size_t i;

	ASSERT_EQ(0, stats_read(self->fd, &stats));
	total = &stats.s.total;
	TH_LOG("%llu overflows, %llu counted, %llu filtered", total->overflows,
	       total->counted, total->drops[HTMM_DROP_FILTERED]);
	EXPECT_EQ(0, total->drops[HTMM_DROP_RING_FULL]);
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	for (i = 0; i < NR_THREADS; i++) {
		sum = pages_samples(&pages, getpid(), self->mem + i * PAGES * PAGE, PAGES * PAGE);
		/* A task that interrupts the thread may take some overflows. */
		EXPECT_LE(area - area / 8, sum) {
			TH_LOG("thread %zu", i);
		}
		EXPECT_GE(area + area / 8, sum) {
			TH_LOG("thread %zu", i);
		}
	}
	EXPECT_EQ(pages_total(&pages, getpid()), pages_total(&pages, 0));
	ASSERT_EQ(1, device_targets(self->fd, info));
	EXPECT_EQ(1, info[0].spaces);
	/* The bystander worked in an area that only it uses. */
	EXPECT_EQ(0, pages_samples(&pages, 0, self->mem + NR_THREADS * PAGES * PAGE, PAGES * PAGE));
	want = area * self->nr_cpus;
	EXPECT_LE(want - want / 8, total->drops[HTMM_DROP_FILTERED]);
}

TEST_F(filter, all_threads_of_a_process)
{
	run_threads(_metadata, self, -1);
	check_threads(_metadata, self);
}

TEST_F(filter, process_named_by_a_thread)
{
	run_threads(_metadata, self, NR_THREADS - 1);
	check_threads(_metadata, self);
}

/* Two of three processes are targets; the third one reads the results. */
TEST_F(filter, other_processes)
{
	struct child other;
	static struct pages pages;
	size_t i;

	ASSERT_EQ(0, child_worker(&other, work_everywhere, self));
	request_add_target(&self->req, self->bystander.pid);
	request_add_target(&self->req, other.pid);
	ASSERT_START(self);
	ASSERT_EQ(0, child_post(self->bystander.sock));
	ASSERT_EQ(0, child_post(other.sock));
	work(self, NR_THREADS);
	ASSERT_EQ(0, child_await(self->bystander.sock));
	ASSERT_EQ(0, child_await(other.sock));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_LT(PAGES, pages_total(&pages, self->bystander.pid));
	EXPECT_LT(PAGES, pages_total(&pages, other.pid));
	for (i = 0; i < pages.nr; i++) {
		ASSERT_TRUE(pages.page[i].pid == self->bystander.pid ||
			    pages.page[i].pid == other.pid);
	}
	child_kill(&other);
}

/* A child is a separate process, so it is not sampled. */
TEST_F(filter, children_are_others)
{
	struct child late;
	static struct pages pages;

	request_add_target(&self->req, getpid());
	ASSERT_START(self);
	ASSERT_EQ(0, child_worker(&late, work_everywhere, self));
	ASSERT_EQ(0, child_do(&late));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_EQ(0, pages_total(&pages, late.pid));
	child_kill(&late);
}

TEST_F(filter, everybody)
{
	static struct pages pages;
	static struct stats stats;

	ASSERT_START(self);
	ASSERT_EQ(0, child_post(self->bystander.sock));
	work(self, 0);
	ASSERT_EQ(0, child_await(self->bystander.sock));
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, pages_read(self->fd, &pages));
	EXPECT_LT(PAGES, pages_total(&pages, getpid()));
	EXPECT_LT(PAGES, pages_total(&pages, self->bystander.pid));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_EQ(0, stats.s.total.drops[HTMM_DROP_FILTERED]);
}

/* The exit of the only target does not end the session. */
TEST_F(filter, target_that_exits)
{
	static struct stats stats;

	request_add_target(&self->req, self->bystander.pid);
	ASSERT_START(self);
	ASSERT_EQ(0, child_do(&self->bystander));
	EXPECT_EQ(0, child_join(&self->bystander));
	work(self, 0);
	EXPECT_EQ(HTMM_STATE_RUNNING, device_state());
	ASSERT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, stats_read(self->fd, &stats));
	EXPECT_LT(PAGES, stats.s.total.counted + stats.s.total.drops[HTMM_DROP_STALE]);
	EXPECT_LT(PAGES, stats.s.total.drops[HTMM_DROP_FILTERED]);
	ASSERT_EQ(0, child_worker(&self->bystander, work_everywhere, self));
}
