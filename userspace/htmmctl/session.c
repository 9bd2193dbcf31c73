// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include "capacity.h"
#include "command.h"
#include "session.h"
#include "tuning.h"

#define NO_EVENT	"see 'htmmctl doctor'; '-e page-fault' works everywhere, but shows only where memory is touched first"

static int call_events(void *value, const char *text, struct htmm_error *err)
{
	return htmm_events_parse(value, text, NULL, err);
}

static int call_cpus(void *value, const char *text, struct htmm_error *err)
{
	return htmm_cpus_parse(value, text, err);
}

static int call_capacity(void *value, const char *text, struct htmm_error *err)
{
	__s64 bytes;
	int ret = htmm_parse_size(text, 4096, LLONG_MAX, &bytes, err);

	if (!ret)
		((struct session *)value)->start.capacity_pages = bytes >> HTMM_PAGE_SHIFT;
	return ret;
}

/* Reads a percentage with up to four decimals, as millionths. */
static int call_budget(void *value, const char *text, struct htmm_error *err)
{
	struct htmm_start *start = &((struct session *)value)->start;
	char *end;
	double percent;

	errno = 0;
	percent = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%")) || errno ||
	    !(percent >= 0 && percent <= 100))
		return htmm_error_set(err, EINVAL, "give 0 to 100, such as 3 or 0.5",
				      "'%s' is not a percentage", text);
	start->budget_ppm = percent * 10000 + 0.5;
	start->flags |= HTMM_START_BUDGET;
	return 0;
}

static int call_ring_pages(void *value, const char *text, struct htmm_error *err)
{
	__s64 pages, power = 1;
	char todo[80];
	int ret;

	ret = htmm_parse_number(text, 1, HTMM_MAX_RING_PAGES, &pages, err);
	if (ret)
		return ret;
	while (power < pages)
		power *= 2;
	if (power != pages) {
		snprintf(todo, sizeof(todo), "the next ones are %lld and %lld", power / 2, power);
		return htmm_error_set(err, EINVAL, todo, "%lld is not a power of two", pages);
	}
	((struct session *)value)->start.ring_pages = pages;
	return 0;
}

static int call_pids(void *value, const char *text, struct htmm_error *err)
{
	struct htmm_target target = { .type = HTMM_TARGET_TGID };
	char *copy = strdup(text), *save, *word;
	__s64 pid;
	int ret = -EINVAL;

	if (!copy)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	htmm_error_set(err, EINVAL, "give process ids separated by commas", "no pid given");
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		ret = htmm_parse_number(word, 1, INT_MAX, &pid, err);
		target.id = pid;
		if (!ret)
			ret = session_add_target(value, &target, err);
		if (ret)
			break;
	}
	free(copy);
	return ret;
}

static int call_cgroup(void *value, const char *text, struct htmm_error *err)
{
	struct htmm_target target;
	int ret = htmm_target_cgroup(&target, text, err);

	return ret ? ret : session_add_target(value, &target, err);
}

int session_add_target(struct session *session, const struct htmm_target *target,
		       struct htmm_error *err)
{
	if (session->start.nr_targets == HTMM_MAX_TARGETS)
		return htmm_error_set(err, E2BIG, "leave some out, or sample all with -a",
				      "there are more than %d processes and cgroups",
				      HTMM_MAX_TARGETS);
	session->targets[session->start.nr_targets++] = *target;
	return 0;
}

void target_opts(struct session *s, struct opt opts[TARGET_OPTS])
{
	const struct opt table[TARGET_OPTS] = {
		{ OPT_CALL, 'p', "pid", "PID,...", "only these processes, without their children",
		  s, .call = call_pids },
		{ OPT_CALL, 0, "cgroup", "PATH", "only this cgroup and all below it",
		  s, .call = call_cgroup },
		{ OPT_FLAG, 'a', "all", NULL, "all processes", &s->all },
	};

	memcpy(opts, table, sizeof(table));
}

void session_opts(struct session *s, struct opt opts[SESSION_OPTS])
{
	const struct opt table[SESSION_OPTS - TARGET_OPTS] = {
		{ OPT_CALL, 'e', "event", "EVENT,...",
		  "see 'htmmctl list'; :p to :ppp: precise",
		  &s->events, .call = call_events },
		{ OPT_NUMBER, 'c', "count", "PERIOD",
		  "events between samples, if not in EVENT",
		  &s->period, 1, LLONG_MAX },
		{ OPT_CALL, 'C', "cpu", "CPUS", "only these CPUs, such as 0-3,8",
		  &s->cpus, .call = call_cpus },
		{ OPT_CALL, 0, "capacity", "SIZE", "fast tier: 512M, 4G, 1000p (what has CPUs)",
		  s, .call = call_capacity },
		{ OPT_CALL, 0, "budget", "PCT", "CPU time that sampling may cost; changes periods",
		  s, .call = call_budget },
		{ OPT_CALL, 'm', "mmap-pages", "PAGES", "pages of each ring, a power of two (32)",
		  s, .call = call_ring_pages },
		OPT_TUNE(s, 'o'),
		{ OPT_END },
	};

	target_opts(s, opts);
	memcpy(opts + TARGET_OPTS, table, sizeof(table));
}

/* Adds a preset with the best precision available here. Returns 0, or why it is not available. */
static int add_preset(struct htmm_event_list *list, const char *name, struct htmm_error *err)
{
	struct htmm_event *event = &list->event[list->nr];
	struct htmm_choice choice;
	int precise;

	precise = htmm_preset_choose(htmm_preset_find(name), NULL, NULL, &choice, err);
	*event = choice.event;
	if (!precise)
		precise = htmm_event_probe_best(event, err);
	/*
	 * The module checks CAP_PERFMON. Probing the event may need more, as with
	 * kernel.perf_event_paranoid 3; then only the module can find out.
	 */
	if (precise == -EACCES || precise == -EPERM)
		precise = event->precise_ip;
	if (precise < 0)
		return precise;
	if (event->precise_ip > (__u32)precise)
		event->precise_ip = precise;
	event->period = 0;
	list->nr++;
	return 0;
}

bool session_default_events(struct htmm_event_list *list, struct htmm_error *why)
{
	static const char *const names[] = {
		HTMM_DEFAULT_EVENTS, "load-latency", "access", "load",
	};
	struct htmm_error err = {};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!add_preset(list, names[i], i ? &err : why))
			return !i;
	return false;
}

/* Page faults are no choice: nobody shall take where memory is touched first for what is hot. */
static int default_events(struct session *session, struct htmm_error *err)
{
	struct htmm_error why = {};

	if (session_default_events(&session->events, &why))
		return 0;
	if (!session->events.nr)
		return htmm_error_set(err, ENOENT,
				      NO_EVENT,
				      "no event here shows what is hot: %s", why.what);
	notice("sampling %s: %s; 'htmmctl doctor' says more", session->events.event[0].name,
	       why.what);
	return 0;
}

static void say_events(const struct session *session)
{
	unsigned int i;

	for (i = 0; i < session->events.nr; i++) {
		const struct htmm_event *event = &session->events.event[i];

		notice("event %s: type %u, config 0x%llx, period %llu, precise %u",
		       event->name, event->type, event->config, event->period,
		       event->precise_ip);
	}
}

int session_check(const struct session *session, struct htmm_error *err)
{
	if (session->all && session->start.nr_targets)
		return htmm_error_set(err, EINVAL, "give one of them",
				      "-a and -p or --cgroup exclude each other");
	return 0;
}

/* Does an event's name tell too little of what serves its samples? */
static bool needs_source(const struct htmm_event *event)
{
	unsigned int sees = htmm_event_sees(event, NULL);

	return event->type != PERF_TYPE_SOFTWARE && sees & (sees - 1);
}

/* Count what serves samples where that can be several kinds of memory, or if asked to. */
static int want_sources(struct session *session, int fd, struct htmm_error *err)
{
	struct htmm_start *start = &session->start;
	struct htmm_info info;
	unsigned int i;
	int ret;

	if (session->sources == CHOICE_NO ||
	    (session->sources == CHOICE_NONE && htmm_remote_memory(NULL) == HTMM_REMOTE_NONE))
		return 0;
	ret = htmm_device_info(fd, &info, err);
	if (ret)
		return ret;
	if (!(info.features & HTMM_FEATURE_SERVED))
		return session->sources == CHOICE_NONE ? 0 :
			htmm_error_set(err, EOPNOTSUPP, "load a newer module",
				       "the module does not count what served samples");
	start->flags |= HTMM_START_SERVED;
	for (i = 0; i < session->events.nr; i++)
		if (needs_source(&session->events.event[i]))
			start->sample_type |= PERF_SAMPLE_DATA_SRC;
	return 0;
}

/* Some CPUs report where data came from only together with a second event. */
static int start_with_sources(int fd, struct htmm_start *start, struct htmm_error *err)
{
	int ret = htmm_device_start(fd, start, err);

	if (ret != -ENODATA || !(start->sample_type & PERF_SAMPLE_DATA_SRC))
		return ret;
	notice("sampling without where data came from: %s", err->what);
	start->sample_type &= ~(__u64)PERF_SAMPLE_DATA_SRC;
	return htmm_device_start(fd, start, err);
}

/**
 * struct uncovered - children of targets that are no targets themselves
 * @session: the session
 * @nr: how many
 */
struct uncovered {
	const struct session *session;
	unsigned int nr;
};

static void count_uncovered(void *value, pid_t child)
{
	struct uncovered *uncovered = value;
	const struct session *session = uncovered->session;
	unsigned int i;

	for (i = 0; i < session->start.nr_targets; i++)
		if (session->targets[i].type == HTMM_TARGET_TGID &&
		    session->targets[i].id == (__u64)child)
			return;
	uncovered->nr += child != getpid();
}

/* Each thread has its own, /proc/PID/task/TID/children. */
static void children_of_thread(const char *tasks, const char *tid,
			       void (*call)(void *value, pid_t child), void *value)
{
	char path[320];
	FILE *file;
	pid_t child;

	snprintf(path, sizeof(path), "%s/%s/children", tasks, tid);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		call(value, child);
	if (file)
		fclose(file);
}

/* Calls a function for each child of a process; never if the kernel does not tell. */
static void children_each(pid_t pid, void (*call)(void *value, pid_t child), void *value)
{
	struct dirent *entry;
	char tasks[32];
	DIR *dir;

	snprintf(tasks, sizeof(tasks), "/proc/%d/task", pid);
	dir = opendir(tasks);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			children_of_thread(tasks, entry->d_name, call, value);
	if (dir)
		closedir(dir);
}

/* A server's work is often done by its children. */
static void warn_of_children(const struct session *session)
{
	struct uncovered uncovered = { .session = session };
	unsigned int i;

	for (i = 0; i < session->start.nr_targets; i++)
		if (session->targets[i].type == HTMM_TARGET_TGID)
			children_each(session->targets[i].id, count_uncovered, &uncovered);
	if (uncovered.nr)
		notice("-p means a process without its children: %u will not be sampled; "
		       "give their cgroup, or name them", uncovered.nr);
}

int session_finish(struct session *session, struct htmm_error *err)
{
	struct htmm_error unseen = {};
	int ret = session->events.nr ? 0 : default_events(session, err);

	if (!ret)
		ret = htmm_events_check_cpus(&session->events, &session->cpus, NULL, err);
	if (ret)
		return ret;
	if (htmm_events_unseen(&session->events, NULL, &unseen))
		notice("%s; %s", unseen.what, unseen.todo);
	htmm_events_set_periods(&session->events, NULL, session->period);
	if (!session->start.capacity_pages)
		session->start.capacity_pages = capacity_default() >> HTMM_PAGE_SHIFT;
	warn_of_children(session);
	if (verbosity.verbose)
		say_events(session);
	return 0;
}

/* May this process use CPU time that is not counted as its own? */
static bool has_cpu_time(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &header, data) || data[0].effective >> CAP_SYS_NICE & 1;
}

/* Ask for the budget that the module gives in any case, so that samples are weighted. */
static void default_budget(struct session *session)
{
	if (session->start.flags & HTMM_START_BUDGET || has_cpu_time())
		return;
	session->start.flags |= HTMM_START_BUDGET;
	session->start.budget_ppm = HTMM_USER_BUDGET_PPM;
	notice("without CAP_SYS_NICE sampling costs at most %g %% of the CPUs' time; see --budget",
	       HTMM_USER_BUDGET_PPM / 1e4);
}

int session_start(struct session *session, int fd, __u32 flags, struct htmm_error *err)
{
	struct htmm_start *start = &session->start;
	int ret;

	start->flags |= flags;
	start->events = (__u64)(unsigned long)session->events.event;
	start->nr_events = session->events.nr;
	start->targets = (__u64)(unsigned long)session->targets;
	start->cpus = (__u64)(unsigned long)session->cpus.bits;
	start->cpus_size = session->cpus.size;
	start->drain_cpus = (__u64)(unsigned long)session->drain_cpus.bits;
	start->drain_cpus_size = session->drain_cpus.size;
	ret = want_sources(session, fd, err);
	if (ret)
		return ret;

	default_budget(session);
	/* With changing periods, unweighted counts of different times could not be compared. */
	if (session->weight_period == CHOICE_YES ||
	    (session->weight_period == CHOICE_NONE && start->flags & HTMM_START_BUDGET))
		start->flags |= HTMM_START_WEIGHT_PERIOD;

	if (!start_with_sources(fd, start, err))
		return 0;
	advise(err, ENOENT, NO_EVENT);
	return advise(err, ENOMEM, "ask for less with -m or -o max-bytes");
}

int session_stop(const struct session *session, int fd, struct htmm_error *err)
{
	int ret = htmm_device_stop(fd, session->start.session, err);
	struct htmm_info info;

	if (ret != -EALREADY)
		return ret;
	ret = htmm_device_info(fd, &info, err);
	if (ret)
		return ret;
	return htmm_error_set(err, EALREADY, NULL,
			      "session %llu was stopped by someone else, after %.1f s: later samples are missing",
			      session->start.session, (double)info.elapsed_ns / 1e9);
}
