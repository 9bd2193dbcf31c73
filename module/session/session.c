// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "session.h"
#include "stream/stream.h"

/* Serialises everything that starts or stops sampling. */
static DEFINE_MUTEX(htmm_session_lock);

/* Protects htmm_current, so that readers do not wait for a stop in progress. */
static DEFINE_SPINLOCK(htmm_current_lock);
static struct htmm_session *htmm_current;

/* Sessions started since the module was loaded; under htmm_session_lock. */
static u64 htmm_sessions;

/*
 * Take the lock for the current session, whose number is @number if that is not 0. Returns 0; or
 * -EINTR, -ESTALE, -ENODATA if there is none, without the lock.
 */
static int htmm_session_lock_current(u64 number)
{
	int ret = 0;

	if (mutex_lock_interruptible(&htmm_session_lock))
		return -EINTR;
	if (number && (!htmm_current || htmm_current->number != number))
		ret = -ESTALE;
	else if (!htmm_current)
		ret = -ENODATA;
	if (ret)
		mutex_unlock(&htmm_session_lock);
	return ret;
}

/* The same if it is running, else -ENODATA. */
static int htmm_session_lock_running(u64 number, struct htmm_error *err)
{
	int ret = htmm_session_lock_current(number);

	if (!ret && htmm_current->state != HTMM_STATE_RUNNING) {
		mutex_unlock(&htmm_session_lock);
		ret = -ENODATA;
	}
	if (ret == -ESTALE)
		htmm_fail(err, ret, "session %llu is not the current one", number);
	else if (ret == -ENODATA)
		htmm_fail(err, ret, "no session is running");
	return ret;
}

/* Make @session (or NULL) the current session. Returns the previous one. */
static struct htmm_session *htmm_session_publish(struct htmm_session *session)
{
	struct htmm_session *old;

	spin_lock(&htmm_current_lock);
	old = htmm_current;
	htmm_current = session;
	spin_unlock(&htmm_current_lock);
	return old;
}

/* Create a session without its thread and perf events. */
static struct htmm_session *htmm_session_create(struct htmm_config *config, struct htmm_error *err)
{
	struct htmm_session *session;
	int ret;

	session = kvzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return ERR_PTR(-ENOMEM);
	session->config = config;
	kref_init(&session->ref);

	session->memcg = get_mem_cgroup_from_mm(current->mm);
	ret = htmm_channel_set_init(&session->channels, config, &session->targets.filter,
				    session->memcg);
	if (ret)
		goto err_memcg;
	htmm_drain_init(&session->drain, config, &session->channels, &session->targets,
			session->memcg);
	ret = htmm_target_set_init(&session->targets, config, err);
	if (ret)
		goto err_channels;
	session->owner = get_pid(task_tgid(current));
	return session;

err_channels:
	htmm_channel_set_destroy(&session->channels);
err_memcg:
	mem_cgroup_put(session->memcg);
	kvfree(session);
	return ERR_PTR(ret);
}

/* Free a session of htmm_session_create(), but not its config. */
static void htmm_session_destroy(struct htmm_session *session)
{
	put_pid(session->owner);
	put_pid(session->drain.pid);
	htmm_channel_set_destroy(&session->channels);
	htmm_target_set_destroy(&session->targets);
	mem_cgroup_put(session->memcg);
	kvfree(session);
}

static void htmm_session_release(struct kref *ref)
{
	struct htmm_session *session = container_of(ref, struct htmm_session, ref);
	struct htmm_config *config = session->config;

	htmm_session_destroy(session);
	htmm_config_free(config);
}

/* A set of CPUs must be empty or have a CPU that is online. */
static int htmm_session_check_cpus(const struct cpumask *cpus, const char *what,
				   struct htmm_error *err)
{
	if (!cpumask_empty(cpus) && !cpumask_intersects(cpus, cpu_online_mask))
		return htmm_fail(err, -ENODEV, "none of the CPUs to %s is online", what);
	return 0;
}

static struct htmm_session *htmm_session_run(struct htmm_config *config, struct htmm_error *err)
{
	struct htmm_session *session;
	int ret;

	ret = htmm_privilege_check(config, err);
	if (ret)
		return ERR_PTR(ret);
	ret = htmm_session_check_cpus(config->cpus, "sample", err);
	if (ret)
		return ERR_PTR(ret);
	ret = htmm_session_check_cpus(config->drain_cpus, "run ksampled on", err);
	if (ret)
		return ERR_PTR(ret);

	session = htmm_session_create(config, err);
	if (IS_ERR(session))
		return session;
	ret = htmm_drain_start(&session->drain, config->start.drain_nice, err);
	if (ret)
		goto err_session;
	ret = htmm_channel_set_create(&session->channels, err);
	if (ret)
		goto err_drain;

	session->number = htmm_sessions + 1;
	/* Waiting readers get all records of this session, from its first sample. */
	htmm_stream_begin(&(struct htmm_layout) {
		.session = session->number,
		.sample_type = config->start.sample_type,
		.nr_events = config->start.nr_events,
	});
	if (config->start.flags & HTMM_START_PAUSED)
		htmm_channel_set_pause(&session->channels);
	else
		htmm_channel_set_arm(&session->channels);
	htmm_budget_start(&session->budget, &session->channels, &session->drain);
	return session;

err_drain:
	htmm_drain_stop(&session->drain);
err_session:
	htmm_session_destroy(session);
	return ERR_PTR(ret);
}

/*
 * On success the session takes over @config, which was checked. htmm_session_close() of @holder
 * ends it; NULL: it is detached. Returns 0 or the errno documented with struct htmm_start.
 */
int htmm_session_start(struct htmm_config *config, const void *holder, u64 *number,
		       struct htmm_error *err)
{
	struct htmm_session *session, *replaced = NULL;
	int ret = 0;

	if (mutex_lock_interruptible(&htmm_session_lock))
		return -EINTR;
	if (htmm_current && htmm_current->state != HTMM_STATE_STOPPED) {
		ret = htmm_fail(err, -EBUSY, "a session is running already");
		goto out;
	}

	session = htmm_session_run(config, err);
	if (IS_ERR(session)) {
		ret = PTR_ERR(session);
		goto out;
	}

	htmm_sessions = session->number;
	*number = session->number;
	session->holder = holder;
	WRITE_ONCE(session->state, HTMM_STATE_RUNNING);
	replaced = htmm_session_publish(session);
out:
	mutex_unlock(&htmm_session_lock);
	/* Freeing large tables takes long; the new session samples meanwhile. */
	htmm_session_put(replaced);
	return ret;
}

/* End sampling and keep the results. */
static void htmm_session_end(struct htmm_session *session)
{
	lockdep_assert_held(&htmm_session_lock);

	WRITE_ONCE(session->state, HTMM_STATE_STOPPING);
	htmm_budget_stop(&session->budget);
	htmm_channel_set_stop(&session->channels);
	htmm_drain_stop(&session->drain);
	htmm_budget_finish(&session->budget);
	htmm_stream_end();
	htmm_target_set_adapt(&session->targets);
	htmm_channel_set_free_rings(&session->channels);
	WRITE_ONCE(session->state, HTMM_STATE_STOPPED);
}

/*
 * End sampling, keep the results. Returns 0, -EALREADY if no session is running, -ESTALE,
 * -EINTR.
 */
int htmm_session_stop(u64 number)
{
	int ret = htmm_session_lock_current(number);

	if (ret)
		return ret == -ENODATA ? -EALREADY : ret;
	if (htmm_current->state == HTMM_STATE_RUNNING)
		htmm_session_end(htmm_current);
	else
		ret = -EALREADY;
	mutex_unlock(&htmm_session_lock);
	return ret;
}

/*
 * End the current session if it runs. Returns it with its results, for htmm_session_put()
 * without the lock.
 */
static struct htmm_session *htmm_session_discard(void)
{
	lockdep_assert_held(&htmm_session_lock);

	if (htmm_current->state == HTMM_STATE_RUNNING)
		htmm_session_end(htmm_current);
	return htmm_session_publish(NULL);
}

static bool htmm_session_is_held_by(const void *holder)
{
	bool held;

	spin_lock(&htmm_current_lock);
	held = htmm_current && htmm_current->holder == holder;
	spin_unlock(&htmm_current_lock);
	return held;
}

/*
 * End the session of @holder, which is not NULL, and starts no session any more. Its results stay
 * if it was started with HTMM_START_KEEP. If it holds no session, this does not wait for a start or
 * stop in progress.
 */
void htmm_session_close(const void *holder)
{
	struct htmm_session *old = NULL;

	if (!htmm_session_is_held_by(holder))
		return;
	mutex_lock(&htmm_session_lock);
	/* Another session may have been started meanwhile. */
	if (htmm_session_is_held_by(holder)) {
		if (!(htmm_current->config->start.flags & HTMM_START_KEEP))
			old = htmm_session_discard();
		else if (htmm_current->state == HTMM_STATE_RUNNING)
			htmm_session_end(htmm_current);
	}
	mutex_unlock(&htmm_session_lock);
	htmm_session_put(old);
}

/* No caller can start a session any more. */
void htmm_session_exit(void)
{
	struct htmm_session *old = NULL;

	mutex_lock(&htmm_session_lock);
	if (htmm_current)
		old = htmm_session_discard();
	mutex_unlock(&htmm_session_lock);
	htmm_session_put(old);
}

/*
 * Forget all pages, and count overflows and samples from zero. Returns 0, -ENODATA if there is no
 * session, -ESTALE, -EINTR, -ENOMEM.
 */
int htmm_session_reset(u64 number)
{
	struct htmm_target_list old = {};
	struct mem_cgroup *active;
	int ret = htmm_session_lock_current(number);

	if (ret)
		return ret;
	active = set_active_memcg(htmm_current->memcg);
	ret = htmm_drain_reset(&htmm_current->drain, &old);
	set_active_memcg(active);
	mutex_unlock(&htmm_session_lock);
	htmm_target_list_put(&old);
	return ret;
}

/*
 * Returns 0, -ENOENT if there is no such target, or -EBUSY if the caller may not cool it again so
 * soon.
 */
int htmm_session_cool(struct htmm_session *session, u32 target)
{
	const u64 now = ktime_get_ns();
	struct htmm_target_list targets;
	unsigned int i;
	int ret;

	ret = htmm_target_set_get(&session->targets, target, &targets);
	mutex_lock(&session->targets.lock);
	for (i = 0; i < targets.nr && !ret; i++)
		ret = htmm_privilege_check_cool(targets.target[i], now);
	for (i = 0; i < targets.nr && !ret; i++) {
		targets.target[i]->cooled_ns = now;
		htmm_target_cool(targets.target[i]);
	}
	mutex_unlock(&session->targets.lock);
	htmm_target_list_put(&targets);
	return ret;
}

/*
 * Context: the caller, whose pid namespace and files count. Returns 0 or the errno documented
 * with struct htmm_add_target.
 */
int htmm_session_add_target(u64 number, const struct htmm_target *target, u32 *added,
			    struct htmm_error *err)
{
	struct mem_cgroup *active;
	int ret = htmm_session_lock_running(number, err);

	if (ret)
		return ret;
	ret = htmm_config_check_target(target, err) ?:
	      htmm_privilege_check_cooling(&htmm_current->config->start, target->max_bytes, err);
	if (!ret) {
		active = set_active_memcg(htmm_current->memcg);
		ret = htmm_target_set_add(&htmm_current->targets, target, added, err);
		set_active_memcg(active);
	}
	mutex_unlock(&htmm_session_lock);
	return ret;
}

/* Returns 0 or the errno documented with struct htmm_target_id. */
int htmm_session_remove_target(u64 number, u32 target)
{
	struct htmm_target_list gone = {};
	int ret = htmm_session_lock_current(number);

	if (ret)
		return ret;
	ret = htmm_target_set_remove(&htmm_current->targets, target, &gone);
	mutex_unlock(&htmm_session_lock);
	htmm_target_list_put(&gone);
	return ret;
}

/* Returns 0 or the errno documented with struct htmm_set. */
int htmm_session_set(const struct htmm_set *set, struct htmm_error *err)
{
	int ret = htmm_session_lock_running(set->session, err);

	if (ret)
		return ret;
	ret = htmm_update_change(&htmm_current->targets, &htmm_current->budget, set, err);
	mutex_unlock(&htmm_session_lock);
	return ret;
}

/*
 * Get the current session, with a reference for the caller. Returns -ESTALE if its number is not
 * @number and @number is not 0, and NULL if there is none and @number is 0. Never waits for a start
 * or stop in progress.
 */
struct htmm_session *htmm_session_get(u64 number)
{
	struct htmm_session *session;

	spin_lock(&htmm_current_lock);
	session = htmm_current;
	if (number && (!session || session->number != number))
		session = ERR_PTR(-ESTALE);
	else if (session)
		kref_get(&session->ref);
	spin_unlock(&htmm_current_lock);
	return session;
}

/*
 * @session may be NULL. Takes long if this is the last reference: hold no lock that others wait
 * for.
 */
void htmm_session_put(struct htmm_session *session)
{
	if (session)
		kref_put(&session->ref, htmm_session_release);
}
