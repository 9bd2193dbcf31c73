// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions under all loads at the same time: events at the highest rate, CPUs and targets
 * that come and go, processes that start and exit, readers of every interface, too little
 * memory, and reloads of the module. After each session every overflow is accounted for.
 *
 * STRESS_SECONDS=N: for how long (10; 5 on a stock kernel); STRESS_SEED=N: the seed that an
 * earlier run printed.
 */
#include <sys/resource.h>
#include <time.h>
#include "check.h"
#include "child.h"
#include "pids.h"
#include "stress.h"

/* Each run has another seed, and `make stress` runs for as long as one likes. */
#define SECONDS		(kernel_checks_itself() ? 10 : 5)
/* How much longer to run until everything was done once, in seconds. */
#define PATIENCE	150
#define MAX_CPUS	64
#define MOST_CHILDREN	16

FIXTURE(stress) {
	struct role role;
	struct child children[MOST_CHILDREN];
	int nr_children;
	char module[512];
	int pid_max;
	unsigned long sessions;
	unsigned long refused;
	unsigned long reloads;
	struct htmm_counters sum;
	__u64 sampled_ns;
};

static void recruit(struct __test_metadata *_metadata,
		    struct _test_data_stress *self,
		    int (*body)(int sock, void *arg))
{
	ASSERT_GT(MOST_CHILDREN, self->nr_children);
	/* Each role starts from another random number. */
	role_random(&self->role, 2);
	ASSERT_EQ(0, child_start(&self->children[self->nr_children++], body, &self->role));
}

static unsigned long env_number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

FIXTURE_SETUP(stress)
{
	unsigned long seed = env_number("STRESS_SEED", time(NULL));
	struct role *role = &self->role;
	int cpus[MAX_CPUS], nr = cpus_allowed(cpus, MAX_CPUS);

	if (!module_find(self->module, sizeof(self->module)))
		SKIP(return, "HTMM_KO does not say which module to load again");
	TH_LOG("STRESS_SEED=%lu", seed);
	role->random = seed * 0x9e3779b97f4a7c15 | 1;
	role->cpu = cpus[nr - 1];
	ASSERT_NE(NULL, role->feats = child_share(sizeof(*role->feats)));
	source_best(&role->source);
	ASSERT_EQ(0, cgroup_make(&role->cgroup, NULL, "htmm_stress"));
	self->pid_max = pids_limit();
	ASSERT_LT(0, self->pid_max);
	ASSERT_EQ(0, pids_set_limit(FEW_PIDS));
	ASSERT_EQ(0, pids_skip_to(FEW_PIDS - 20));
}

FIXTURE_TEARDOWN(stress)
{
	while (self->nr_children)
		/* None of them may have ended early. */
		EXPECT_EQ(137, child_kill(&self->children[--self->nr_children]));
	cpu_set_online(self->role.cpu, true);
	EXPECT_EQ(0, pids_set_limit(self->pid_max));
	/* The churning processes are gone, and their zombies after init has reaped them. */
	EXPECT_EQ(0, cgroup_remove(&self->role.cgroup));
	module_load(self->module);
	check_idle(_metadata);
}

/* A random session with many overflows. */
static void request_any(struct _test_data_stress *self, struct request *req)
{
	struct role *role = &self->role;
	struct source fault;

	source_find(&fault, ACCESS_FAULT);
	fault.event.period = 1 + role_random(role, 20);
	request_init(req, &role->source.event);
	if (role->source.hardware)
		req->events[0].period = 31 + role_random(role, 200);
	if (role_random(role, 2))
		request_add_event(req, &fault.event);
	req->arg.ring_pages = 1 << role_random(role, 6);
	req->arg.cooling_period = 1000 + role_random(role, 100000);
	req->arg.adaptation_period = 100 + role_random(role, 10000);
	req->arg.max_bytes = role_random(role, 2) ? 32768 : 0;
	req->arg.drain_interval_ms = 1 + role_random(role, 100);
	if (role_random(role, 3) == 0)
		req->arg.flags |= HTMM_START_KEEP_EXITED;
	if (role_random(role, 3) == 0)
		req->arg.flags |= HTMM_START_WEIGHT_PERIOD;
	if (role_random(role, 5) == 0)
		req->arg.flags |= HTMM_START_DETACHED;
	if (role_random(role, 5) == 0)
		req->arg.flags |= HTMM_START_KEEP;
	if (role_random(role, 4) == 0) {
		req->arg.flags |= HTMM_START_BUDGET;
		req->arg.budget_ppm = 100000;
		req->arg.budget_interval_ms = 20;
	}
	if (role_random(role, 2))
		request_add_target(req, self->children[0].pid);
	if (role_random(role, 2))
		req->targets[req->arg.nr_targets++] = (struct htmm_target) {
			.type = HTMM_TARGET_CGROUP,
			.id = role->cgroup.dir,
		};
	if (req->arg.nr_targets && role_random(role, 2))
		req->targets[req->arg.nr_targets++] = (struct htmm_target) {
			.type = HTMM_TARGET_ALL,
		};
}

static void add_up(struct _test_data_stress *self, const struct htmm_counters *c)
{
	int i;

	self->sum.overflows += c->overflows;
	self->sum.counted += c->counted;
	self->sum.in_flight += c->in_flight;
	self->sum.throttled += c->throttled;
	for (i = 0; i < HTMM_NR_DROPS; i++)
		self->sum.drops[i] += c->drops[i];
}

static void reload(struct __test_metadata *_metadata, struct _test_data_stress *self)
{
	int ret, tries = 1000 * PATIENCE;

	atomic_store(&self->role.feats->away, true);
	while ((ret = module_unload()) == -EWOULDBLOCK && --tries)
		usleep(1000);
	EXPECT_EQ(0, ret);
	/* Loading may run out of memory, too. */
	while ((ret = module_load(self->module)) == -ENOMEM && --tries)
		usleep(10000);
	EXPECT_EQ(0, ret);
	atomic_store(&self->role.feats->away, false);
	self->reloads++;
}

/* Starts a random session. Returns the device, or -1 if it was refused for a valid reason. */
static int begin(struct __test_metadata *_metadata,
		 struct _test_data_stress *self, struct request *req)
{
	int fd = device_open(), ret;

	EXPECT_LE(0, fd);
	request_any(self, req);
	ret = device_start(fd, req);
	if (!ret) {
		self->sessions++;
		if (!(req->arg.flags & HTMM_START_DETACHED))
			return fd;
		/* The session goes on after its file is closed. */
		close(fd);
		return device_open();
	}
	/* Only for too little memory, or a target that has exited. */
	EXPECT_TRUE(ret == -ENOMEM || ret == -ESRCH) {
		TH_LOG("%s: %s", strerror(-ret), req->error);
	}
	self->refused++;
	close(fd);
	return -1;
}

/* Stops a session and checks its statistics. */
static void finish(struct __test_metadata *_metadata, struct _test_data_stress *self, int fd)
{
	struct htmm_info info;
	static struct stats stats;
	int ret;

	EXPECT_EQ(0, device_stop(fd));
	ret = stats_read(fd, &stats);
	EXPECT_TRUE(!ret || ret == -ENOMEM);
	if (ret)
		return;
	add_up(self, &stats.s.total);
	EXPECT_EQ(0, device_info(fd, &info));
	self->sampled_ns += info.elapsed_ns;
}

static void one_session(struct __test_metadata *_metadata, struct _test_data_stress *self)
{
	struct role *role = &self->role;
	struct request req;
	int fd, ret;

	fd = begin(_metadata, self, &req);
	if (fd < 0)
		return;
	usleep(1000 * role_random(role, 1000));
	if (role_random(role, 4) == 0) {
		ret = device_reset(fd);
		EXPECT_TRUE(!ret || ret == -ENOMEM);
	}
	usleep(1000 * role_random(role, 1000));
	if (role_random(role, 8) != 0) {
		finish(_metadata, self, fd);
		close(fd);
		return;
	}
	/* It ends with its file, or with the module. */
	close(fd);
	if (req.arg.flags & HTMM_START_DETACHED)
		reload(_metadata, self);
}

/* Tells if something was not yet done once. A slow machine may need longer. */
static bool lacks(const struct _test_data_stress *self)
{
	const struct feats *feats = self->role.feats;

	return !self->sum.counted || !feats->cycles || !feats->forks ||
	       !feats->wraps || !feats->reads || !feats->records ||
	       !feats->targets || !feats->settings || !feats->taken ||
	       !self->reloads;
}

static bool goes_on(const struct _test_data_stress *self, time_t end)
{
	time_t now = time(NULL);

	return now < end || (lacks(self) && now < end + PATIENCE);
}

static void tell(struct __test_metadata *_metadata, struct _test_data_stress *self)
{
	const struct feats *feats = self->role.feats;
	const struct htmm_counters *sum = &self->sum;

	TH_LOG("%lu sessions, %lu refused, %lu reloads, %lu CPU cycles",
	       self->sessions, self->refused, self->reloads, feats->cycles);
	TH_LOG("%lu forks, %lu times round all pids, %lu targets, %lu settings, %lu MiB taken",
	       feats->forks, feats->wraps, feats->targets, feats->settings,
	       feats->taken);
	TH_LOG("%lu rounds of readers, %lu bytes of stream", feats->reads, feats->records);
	TH_LOG("%llu overflows/s, %llu throttled",
	       sum->overflows * 1000 / (self->sampled_ns / 1000000 + 1),
	       sum->throttled);
	TH_LOG("ring_full %llu filtered %llu no_addr %llu kernel_addr %llu",
	       sum->drops[HTMM_DROP_RING_FULL],
	       sum->drops[HTMM_DROP_FILTERED], sum->drops[HTMM_DROP_NO_ADDR],
	       sum->drops[HTMM_DROP_KERNEL_ADDR]);
	TH_LOG("nested %llu stale %llu table_full %llu removed %llu",
	       sum->drops[HTMM_DROP_NESTED], sum->drops[HTMM_DROP_STALE],
	       sum->drops[HTMM_DROP_TABLE_FULL],
	       sum->drops[HTMM_DROP_REMOVED]);
	printf("# stress: overflows=%llu counted=%llu drops=%llu in_flight=%llu\n",
	       sum->overflows, sum->counted, counters_drops(sum), sum->in_flight);
	EXPECT_EQ(sum->overflows, sum->counted + counters_drops(sum));
	EXPECT_EQ(0, sum->in_flight);
	EXPECT_LT(0, sum->counted);
	EXPECT_LT(0, feats->cycles);
	EXPECT_LT(0, feats->forks);
	EXPECT_LT(0, feats->wraps);
	EXPECT_LT(0, feats->reads);
	EXPECT_LT(0, feats->records);
	EXPECT_LT(0, feats->targets);
	EXPECT_LT(0, feats->settings);
	EXPECT_LT(0, feats->taken);
	EXPECT_LT(0, self->reloads);
}

TEST_F_TIMEOUT(stress, everything, 14400)
{
	const time_t end = time(NULL) + env_number("STRESS_SECONDS", SECONDS);
	int i;

	for (i = 0; i < 2; i++) {
		recruit(_metadata, self, role_work);
		recruit(_metadata, self, role_read);
	}
	recruit(_metadata, self, role_switch_cpu);
	recruit(_metadata, self, role_churn);
	recruit(_metadata, self, role_follow_stream);
	recruit(_metadata, self, role_change_targets);
	recruit(_metadata, self, role_flood_memory);
	/* This process must get CPU time. */
	setpriority(PRIO_PROCESS, 0, -10);
	while (goes_on(self, end) && _metadata->exit_code == KSFT_PASS) {
		one_session(_metadata, self);
		if (role_random(&self->role, 4) == 0)
			reload(_metadata, self);
	}
	reload(_metadata, self);
	tell(_metadata, self);
}
