// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "session.h"
#include "stream.h"

/* Serialises everything that starts or stops sampling. */
static DEFINE_MUTEX(htmm_session_lock);

/* Protects htmm_current, so that readers need not wait for a stop under way. */
static DEFINE_SPINLOCK(htmm_current_lock);
static struct htmm_session *htmm_current;

/* Sessions started since the module was loaded; under htmm_session_lock. */
static u64 htmm_sessions;

/* Makes @session, or nothing, the current one. Returns the one before. */
static struct htmm_session *htmm_session_publish(struct htmm_session *session)
{
	struct htmm_session *old;

	spin_lock(&htmm_current_lock);
	old = htmm_current;
	htmm_current = session;
	spin_unlock(&htmm_current_lock);
	return old;
}

static int htmm_session_create_hotness(struct htmm_session *session,
				       struct htmm_error *err)
{
	const struct htmm_start *start = &session->config->start;
	const struct htmm_hotness_config config = {
		.max_bytes = start->max_bytes,
		.max_pages = start->max_pages,
		.capacity = start->capacity_pages,
		.cooling_period = start->cooling_period,
		.adaptation_period = start->adaptation_period,
		.keep_exited = start->flags & HTMM_START_KEEP_EXITED,
	};
	struct htmm_hotness *hotness;

	hotness = htmm_hotness_create(&config);
	if (hotness == ERR_PTR(-EINVAL))
		return htmm_fail(err, -ERANGE,
				 "no hot-page table can have %llu bytes",
				 start->max_bytes);
	if (IS_ERR(hotness))
		return htmm_fail(err, PTR_ERR(hotness),
				 "not enough memory for the hot-page table's directory");
	session->hotness = hotness;
	return 0;
}

/* The smallest period that any event can have: the one that counts 1. */
static u64 htmm_session_weight_unit(const struct htmm_config *config)
{
	u64 unit = U64_MAX;
	unsigned int i;

	if (!(config->start.flags & HTMM_START_WEIGHT_PERIOD))
		return 0;
	for (i = 0; i < config->start.nr_events; i++)
		unit = min_t(u64, unit, config->events[i].min_period);
	return unit;
}

static void htmm_session_prepare_drain(struct htmm_session *session)
{
	const struct htmm_start *start = &session->config->start;
	struct htmm_drain *drain = &session->drain;

	drain->hotness = session->hotness;
	drain->samplers = session->fleet.samplers;
	drain->nr_samplers = session->fleet.nr_samplers;
	drain->sample_type = start->sample_type;
	drain->weight_unit = htmm_session_weight_unit(session->config);
	drain->interval = msecs_to_jiffies(start->drain_interval_ms);
	htmm_drain_init(drain);
}

/* Everything of a session but its thread and its perf events. */
static struct htmm_session *htmm_session_create(struct htmm_config *config,
						struct htmm_error *err)
{
	struct htmm_session *session;
	int ret;

	session = kvzalloc(sizeof(*session), GFP_KERNEL);
	if (!session)
		return ERR_PTR(-ENOMEM);
	session->config = config;
	kref_init(&session->ref);

	ret = htmm_targets_init(&session->targets, config->targets,
				config->start.nr_targets, err);
	if (ret)
		goto err_session;
	ret = htmm_session_create_hotness(session, err);
	if (ret)
		goto err_targets;
	ret = htmm_fleet_init(&session->fleet, config, &session->targets);
	if (ret)
		goto err_hotness;
	htmm_session_prepare_drain(session);
	session->owner = get_pid(task_tgid(current));
	return session;

err_hotness:
	htmm_hotness_destroy(session->hotness);
err_targets:
	htmm_targets_destroy(&session->targets);
err_session:
	kvfree(session);
	return ERR_PTR(ret);
}

/* Frees what htmm_session_create() made; the caller keeps the config. */
static void htmm_session_destroy(struct htmm_session *session)
{
	put_pid(session->owner);
	htmm_drain_destroy(&session->drain);
	htmm_fleet_destroy(&session->fleet);
	htmm_hotness_destroy(session->hotness);
	htmm_targets_destroy(&session->targets);
	kvfree(session);
}

static void htmm_session_release(struct kref *ref)
{
	struct htmm_session *session =
		container_of(ref, struct htmm_session, ref);
	struct htmm_config *config = session->config;

	htmm_session_destroy(session);
	htmm_config_free(config);
}

/* What was asked for must have a CPU online; nothing asked for is all right. */
static int htmm_session_check_cpus(const struct cpumask *cpus, const char *what,
				   struct htmm_error *err)
{
	if (!cpumask_empty(cpus) && !cpumask_intersects(cpus, cpu_online_mask))
		return htmm_fail(err, -ENODEV,
				 "none of the CPUs to %s is online", what);
	return 0;
}

/* Readers that wait for a session get all of this one, from its first sample. */
static void htmm_session_begin_stream(const struct htmm_session *session)
{
	const struct htmm_start *start = &session->config->start;
	const struct htmm_layout layout = {
		.session = session->number,
		.sample_type = start->sample_type,
		.nr_events = start->nr_events,
	};

	htmm_stream_begin(&layout);
}

static struct htmm_session *htmm_session_launch(struct htmm_config *config,
						struct htmm_error *err)
{
	struct htmm_session *session;
	int ret;

	ret = htmm_session_check_cpus(config->cpus, "sample", err);
	if (ret)
		return ERR_PTR(ret);
	ret = htmm_session_check_cpus(config->drain_cpus, "run ksampled on", err);
	if (ret)
		return ERR_PTR(ret);

	if (cpumask_empty(config->cpus))
		cpumask_copy(config->cpus, cpu_possible_mask);

	session = htmm_session_create(config, err);
	if (IS_ERR(session))
		return session;
	ret = htmm_drain_start(&session->drain, config->drain_cpus,
			       config->start.drain_nice, err);
	if (ret)
		goto err_session;
	ret = htmm_fleet_launch(&session->fleet, err);
	if (ret)
		goto err_drain;

	session->number = htmm_sessions + 1;
	htmm_session_begin_stream(session);
	session->started = ktime_get();
	htmm_fleet_arm(&session->fleet);
	htmm_budget_start(&session->budget, &session->fleet, &session->drain);
	return session;

err_drain:
	htmm_drain_stop(&session->drain);
err_session:
	htmm_session_destroy(session);
	return ERR_PTR(ret);
}

/**
 * htmm_session_start - start sampling
 * @config: what to do, checked; taken over unless this fails
 * @holder: the session ends with htmm_session_close() of this; NULL: detached
 * @err: on failure, the reason
 *
 * The results of an earlier session are discarded, unless this fails.
 *
 * Context: process, may sleep.
 * Return: 0 or the errno documented with struct htmm_start.
 */
int htmm_session_start(struct htmm_config *config, const void *holder,
		       struct htmm_error *err)
{
	struct htmm_session *session, *old;
	int ret = 0;

	if (mutex_lock_interruptible(&htmm_session_lock))
		return -EINTR;
	if (htmm_current && htmm_current->state != HTMM_STATE_STOPPED) {
		ret = htmm_fail(err, -EBUSY, "a session is running already");
		goto out;
	}

	session = htmm_session_launch(config, err);
	if (IS_ERR(session)) {
		ret = PTR_ERR(session);
		goto out;
	}

	htmm_sessions = session->number;
	session->holder = holder;
	WRITE_ONCE(session->state, HTMM_STATE_RUNNING);
	old = htmm_session_publish(session);
	if (old)
		htmm_session_put(old);
out:
	mutex_unlock(&htmm_session_lock);
	return ret;
}

/* Ends sampling and keeps the results. */
static void htmm_session_halt(struct htmm_session *session)
{
	lockdep_assert_held(&htmm_session_lock);

	WRITE_ONCE(session->state, HTMM_STATE_STOPPING);
	htmm_budget_stop(&session->budget);
	htmm_fleet_halt(&session->fleet);
	htmm_drain_stop(&session->drain);
	htmm_stream_end();
	htmm_hotness_adapt(session->hotness);
	htmm_fleet_free_rings(&session->fleet);
	WRITE_ONCE(session->stopped, ktime_get());
	WRITE_ONCE(session->state, HTMM_STATE_STOPPED);
}

/**
 * htmm_session_stop - end sampling, keep the results
 *
 * Context: process, may sleep.
 * Return: 0, -EALREADY if no session is running, -EINTR.
 */
int htmm_session_stop(void)
{
	int ret = 0;

	if (mutex_lock_interruptible(&htmm_session_lock))
		return -EINTR;
	if (htmm_current && htmm_current->state == HTMM_STATE_RUNNING)
		htmm_session_halt(htmm_current);
	else
		ret = -EALREADY;
	mutex_unlock(&htmm_session_lock);
	return ret;
}

/* Ends the current session if it runs, and drops its results. */
static void htmm_session_discard(void)
{
	lockdep_assert_held(&htmm_session_lock);

	if (htmm_current->state == HTMM_STATE_RUNNING)
		htmm_session_halt(htmm_current);
	htmm_session_put(htmm_session_publish(NULL));
}

/**
 * htmm_session_close - end the session of a holder that goes away
 * @holder: as given to htmm_session_start(), not NULL; it need not hold any
 *
 * Context: process, may sleep.
 */
void htmm_session_close(const void *holder)
{
	mutex_lock(&htmm_session_lock);
	if (htmm_current && htmm_current->holder == holder)
		htmm_session_discard();
	mutex_unlock(&htmm_session_lock);
}

/**
 * htmm_session_exit - end whatever is running, before the module goes
 *
 * Context: process, may sleep; nobody can start a session any more.
 */
void htmm_session_exit(void)
{
	mutex_lock(&htmm_session_lock);
	if (htmm_current)
		htmm_session_discard();
	mutex_unlock(&htmm_session_lock);
}

/**
 * htmm_session_reset - forget all pages and set all counters to zero
 * @session: a session, running or stopped
 *
 * Context: process, may sleep.
 */
void htmm_session_reset(struct htmm_session *session)
{
	htmm_drain_reset(&session->drain);
}

/**
 * htmm_session_get - the current session
 *
 * Context: process. Never waits for a start or a stop under way.
 * Return: the session with a reference for the caller, or NULL.
 */
struct htmm_session *htmm_session_get(void)
{
	struct htmm_session *session;

	spin_lock(&htmm_current_lock);
	session = htmm_current;
	if (session)
		kref_get(&session->ref);
	spin_unlock(&htmm_current_lock);
	return session;
}

/**
 * htmm_session_put - drop a reference
 * @session: from htmm_session_get()
 *
 * Context: process, may sleep.
 */
void htmm_session_put(struct htmm_session *session)
{
	kref_put(&session->ref, htmm_session_release);
}
