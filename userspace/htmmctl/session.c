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
#include "session.h"

#define NO_EVENT	"see 'htmmctl doctor'; '-e page-fault' works everywhere, but shows only where memory is touched first"

int call_events(void *value, const char *text, struct htmm_error *err)
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

static int call_pid(void *value, const char *text, struct htmm_error *err)
{
	struct htmm_target target = { .type = HTMM_TARGET_TGID };
	__s64 pid;
	int ret = htmm_parse_number(text, 1, INT_MAX, &pid, err);

	target.id = pid;
	return ret ? ret : session_add_target(value, &target, err);
}

static int call_cgroup(void *value, const char *text, struct htmm_error *err)
{
	struct htmm_target target;
	int ret = htmm_target_cgroup(&target, text, err);

	return ret ? ret : session_add_target(value, &target, err);
}

/* Reads yes or no. */
static int call_choice(void *value, const char *text, struct htmm_error *err)
{
	static const char *const words[] = { [CHOICE_YES] = "yes", [CHOICE_NO] = "no" };
	int word = opt_word(words, ARRAY_SIZE(words), text, "neither yes nor no:", err);

	if (word >= 0)
		*(enum choice *)value = word;
	return word < 0 ? word : 0;
}

#define SETTINGS	12

/* Makes the settings of -o; what their argument is, is a unit if they have a range. */
static void settings_of(struct session *s, struct opt settings[SETTINGS + 1])
{
	const struct opt table[SETTINGS + 1] = {
		{ OPT_NUMBER, 0, "adaptation-period", "samples",
		  "between two reports of thresholds (100000)",
		  &s->start.adaptation_period, 1, LLONG_MAX },
		{ OPT_U32, 0, "budget-interval", " ms",
		  "between two measurements of the cost (1000)",
		  &s->start.budget_interval_ms, 10, 60000 },
		{ OPT_NUMBER, 0, "cooling-period", "samples",
		  "until all counts are halved (4 a page)",
		  &s->start.cooling_period, 1, LLONG_MAX },
		{ OPT_CALL, 0, "drain-cpus", "CPUS", "those that ksampled may run on (all)",
		  &s->drain_cpus, .call = call_cpus },
		{ OPT_U32, 0, "drain-interval", " ms", "longest wait of a sample in its ring (50)",
		  &s->start.drain_interval_ms, 1, 10000 },
		{ OPT_U32, 0, "drain-nice", "", "nice value of ksampled (0)",
		  &s->start.drain_nice, -20, 19 },
		{ OPT_SECONDS, 0, "duration", "seconds", "'run': until it reports (all of PROGRAM)",
		  s->duration_ms, 1, 4000000000 },
		{ OPT_U32, 0, "interrupt-cost", " ns",
		  "cost of an interrupt, without handler (2000)",
		  &s->start.interrupt_ns, 1, 1000000 },
		{ OPT_SIZE, 0, "max-bytes", "SIZE", "a target's table (1/512 of RAM, 16M or more)",
		  &s->start.max_bytes, 1, LLONG_MAX },
		{ OPT_CALL, 0, "paused", "yes, no",
		  "begin with a pause, until 'htmmctl resume' (no)",
		  &s->paused, .call = call_choice },
		{ OPT_CALL, 0, "sources", "yes, no",
		  "count what served samples (yes if nodes differ)",
		  &s->sources, .call = call_choice },
		{ OPT_CALL, 0, "weight-period", "yes, no",
		  "weight samples by their period (yes with --budget)",
		  &s->weight_period, .call = call_choice },
		{ OPT_END },
	};

	memcpy(settings, table, sizeof(table));
}

static int call_tune(void *session, const char *text, struct htmm_error *err)
{
	const size_t len = strcspn(text, "=");
	const char *names[SETTINGS], *nearest;
	char name[32], todo[64] = "see 'htmmctl help tuning'";
	struct opt settings[SETTINGS + 1];
	unsigned int i;
	int ret;

	if (!text[len])
		return htmm_error_set(err, EINVAL, todo, "'%s' is not NAME=VALUE", text);
	settings_of(session, settings);
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	for (i = 0; i < SETTINGS; i++) {
		names[i] = settings[i].name;
		if (strcmp(name, names[i]))
			continue;
		ret = settings[i].value ? opt_set(&settings[i], text + len + 1, err) :
		      htmm_error_set(err, EINVAL, "see 'htmmctl help run'",
				     "only 'run' ends after some time");
		if (ret)
			htmm_error_prefix(err, "%s: ", name);
		return ret;
	}
	nearest = htmm_nearest(name, names, i);
	if (nearest)
		snprintf(todo, sizeof(todo), "did you mean '%s'?", nearest);
	return htmm_error_set(err, EINVAL, todo, "there is no setting '%.*s'", (int)len, text);
}

int tuning_print(void)
{
	struct opt settings[SETTINGS + 1], *setting;
	static struct session unused;
	char values[40];

	puts("Settings of run, start, record, tier, live and feed, given as -o NAME=VALUE; record\n"
	     "has only the long form, --tune NAME=VALUE.  Defaults are in parentheses.");
	settings_of(&unused, settings);
	for (setting = settings; setting->kind != OPT_END; setting++) {
		snprintf(values, sizeof(values), "%s", setting->arg);
		if (setting->kind == OPT_U32)
			snprintf(values, sizeof(values), "%lld to %lld%s", setting->min,
				 setting->max, setting->arg);
		printf("  %-18s %-15s %s\n", setting->name, values, setting->help);
	}
	return EXIT_OK;
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
		{ OPT_LIST, 'p', "pid", "PID,...", "only these processes, without their children",
		  s, .call = call_pid },
		{ OPT_CALL, 0, "cgroup", "PATH", "only this cgroup and all below it",
		  s, .call = call_cgroup },
		{ OPT_FLAG, 'a', "all", NULL, "all processes", &s->all },
	};

	memcpy(opts, table, sizeof(table));
}

void setup_opts(struct session *s, struct opt opts[SETUP_OPTS])
{
	const struct opt table[SETUP_OPTS] = {
		{ OPT_CALL, 0, "capacity", "SIZE", "fast tier: 512M, 4G, 1000p (what has CPUs)",
		  s, .call = call_capacity },
		{ OPT_CALL, 'm', "mmap-pages", "PAGES", "pages in each ring, a power of two (32)",
		  s, .call = call_ring_pages },
		{ OPT_CALL, 'o', "tune", "NAME=VALUE", "a setting, see 'htmmctl help tuning'",
		  s, .call = call_tune },
		{ OPT_END },
	};

	memcpy(opts, table, sizeof(table));
}

void session_opts(struct session *s, struct opt opts[SESSION_OPTS])
{
	const struct opt table[SESSION_OPTS - TARGET_OPTS - SETUP_OPTS] = {
		{ OPT_CALL, 'e', "event", "EVENT,...",
		  "see 'htmmctl list'; :p to :ppp: precise", &s->events, .call = call_events },
		{ OPT_NUMBER, 'c', "count", "PERIOD",
		  "events between samples, if not in EVENT", &s->period, 1, LLONG_MAX },
		{ OPT_CALL, 'C', "cpu", "CPUS", "only these CPUs, such as 0-3,8",
		  &s->cpus, .call = call_cpus },
		{ OPT_CALL, 0, "budget", "PCT", "% of CPU time that sampling may cost",
		  s, .call = call_budget },
	};

	target_opts(s, opts);
	memcpy(opts + TARGET_OPTS, table, sizeof(table));
	setup_opts(s, opts + SESSION_OPTS - SETUP_OPTS);
}

/*
 * Adds a preset on the cores of a PMU, NULL being the first, with the best precision available
 * there. Returns 0, or why it is not available.
 */
static int add_preset(struct htmm_event_list *list, const char *name, const char *pmu,
		      struct htmm_error *err)
{
	struct htmm_event *event = &list->event[list->nr];
	struct htmm_choice choice;
	int precise;

	precise = htmm_preset_choose(htmm_preset_find(name), pmu, NULL, &choice, err);
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
	list->parts |= 1U << list->nr++;
	return 0;
}

/* Adds the best preset that cores have. Returns whether it is the best of all. */
static bool add_best(struct htmm_event_list *list, const char *pmu, struct htmm_error *why)
{
	static const char *const names[] = {
		HTMM_DEFAULT_EVENTS, "load-latency", "access", "load",
	};
	struct htmm_error err = {};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!add_preset(list, names[i], pmu, i ? &err : why))
			return !i;
	return false;
}

bool session_default_events(struct htmm_event_list *list, struct htmm_error *why)
{
	bool best = true;
	const char *pmu;
	unsigned int i;

	for (i = 0; (pmu = htmm_core_pmu(i, NULL)); i++)
		best &= add_best(list, i ? pmu : NULL, why);
	return best;
}

int session_check(const struct session *session, struct htmm_error *err)
{
	if (session->all && session->start.nr_targets)
		return htmm_error_set(err, EINVAL, "give one of them",
				      "-a and -p or --cgroup exclude each other");
	return 0;
}

/* Count what serves samples where that can be several kinds of memory, or if asked to. */
static void want_sources(struct session *session)
{
	struct htmm_start *start = &session->start;
	unsigned int i;

	if (session->sources == CHOICE_NO ||
	    (session->sources == CHOICE_NONE && htmm_remote_memory(NULL) == HTMM_REMOTE_NONE))
		return;
	start->flags |= HTMM_START_SERVED;
	for (i = 0; i < session->events.nr; i++) {
		const struct htmm_event *event = &session->events.event[i];
		unsigned int sees = htmm_event_sees(event, NULL);

		/* The name of an event that sees one kind of memory tells enough. */
		if (htmm_event_served(event, NULL) && sees & (sees - 1))
			start->sample_type |= PERF_SAMPLE_DATA_SRC;
	}
}

static bool is_target(const struct session *session, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < session->start.nr_targets; i++)
		if (session->targets[i].type == HTMM_TARGET_TGID &&
		    session->targets[i].id == (__u64)pid)
			return true;
	return false;
}

unsigned int children_of(pid_t pid, pid_t children[CHILDREN_MOST])
{
	unsigned int nr = 0;
	struct dirent *entry;
	char path[320];
	pid_t child;
	FILE *file;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, entry->d_name);
		file = fopen(path, "re");
		while (nr < CHILDREN_MOST && file && fscanf(file, "%d", &child) == 1)
			if (child != getpid())
				children[nr++] = child;
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
	return nr;
}

/* A server's work is often done by its children. */
static void warn_of_children(const struct session *session)
{
	pid_t children[CHILDREN_MOST];
	unsigned int i, j, nr = 0;

	for (i = 0; i < session->start.nr_targets; i++) {
		if (session->targets[i].type != HTMM_TARGET_TGID)
			continue;
		for (j = children_of(session->targets[i].id, children); j--;)
			nr += !is_target(session, children[j]);
	}
	if (nr)
		notice("-p samples a process without its children: %u are not sampled; "
		       "give their cgroup, or name them", nr);
}

/*
 * The fast tier's pages if the user gives no capacity: those of the first tier, if the kernel
 * ranks several; else 0, so that the module takes the memory of all nodes that have CPUs.
 */
static __u64 default_capacity(void)
{
	struct htmm_tiers tiers;
	bool ranked = !htmm_tiers_read(&tiers, NULL, NULL) && tiers.ranked;

	return ranked ? tiers.fast_bytes >> HTMM_PAGE_SHIFT : 0;
}

int session_finish(struct session *session, struct htmm_error *err)
{
	struct htmm_event_list *list = &session->events;
	struct htmm_error why = {};
	unsigned int i;
	int ret;

	/* Page faults are no choice: they show where memory is touched first, not what is hot. */
	if (!list->nr && !session_default_events(list, &why)) {
		if (!list->nr)
			return htmm_error_set(err, ENOENT, NO_EVENT,
					      "no event here shows what is hot: %s", why.what);
		notice("sampling %s: %s; 'htmmctl doctor' says more",
		       list->event[list->nr - 1].name, why.what);
	}
	ret = htmm_events_fit_cpus(list, &session->cpus, NULL, err);
	if (ret)
		return ret;
	if (htmm_events_unseen(list, NULL, &why))
		notice("%s; %s", why.what, why.todo);
	for (i = 0; i < list->nr; i++)
		if (list->event[i].min_level && !htmm_event_served(&list->event[i], NULL))
			notice("samples of %s do not tell what served them: min-level drops all",
			       list->event[i].name);
	htmm_events_set_periods(list, NULL, session->period);
	if (!session->start.capacity_pages)
		session->start.capacity_pages = default_capacity();
	if (!session->follows)
		warn_of_children(session);
	for (i = 0; i < list->nr && verbosity.verbose; i++)
		notice("event %s: type %u, config 0x%llx, period %llu, precise %u",
		       list->event[i].name, list->event[i].type, list->event[i].config,
		       list->event[i].period, list->event[i].precise_ip);
	return 0;
}

bool capable(unsigned int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	return !syscall(SYS_capget, &header, data) && data[cap / 32].effective >> cap % 32 & 1;
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
	want_sources(session);

	if (session->paused == CHOICE_YES)
		start->flags |= HTMM_START_PAUSED;
	/* Ask for the budget that the module gives in any case, so that samples are weighted. */
	if (!(start->flags & HTMM_START_BUDGET) && !capable(CAP_SYS_NICE)) {
		start->flags |= HTMM_START_BUDGET;
		start->budget_ppm = HTMM_USER_BUDGET_PPM;
		notice("without CAP_SYS_NICE sampling costs at most %g %% of the CPUs' time; "
		       "see --budget", HTMM_USER_BUDGET_PPM / 1e4);
	}
	/* With changing periods, unweighted counts of different times could not be compared. */
	if (session->weight_period == CHOICE_YES ||
	    (session->weight_period == CHOICE_NONE && start->flags & HTMM_START_BUDGET))
		start->flags |= HTMM_START_WEIGHT_PERIOD;

	ret = htmm_device_start(fd, start, err);
	/* Some CPUs report where data came from only together with a second event. */
	if (ret == -ENODATA && start->sample_type & PERF_SAMPLE_DATA_SRC) {
		notice("samples will not tell what served them: %s", err->what);
		start->sample_type &= ~(__u64)PERF_SAMPLE_DATA_SRC;
		ret = htmm_device_start(fd, start, err);
	}
	if (!ret)
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
	if (htmm_device_info(fd, &info, err))
		return -err->code;
	return htmm_error_set(err, EALREADY, NULL,
			      "session %llu was stopped by someone else, after %.1f s: later samples are missing",
			      session->start.session, (double)info.elapsed_ns / 1e9);
}

int (*session_begin)(struct session *, int, __u32, struct htmm_error *) = session_start;
int (*session_end)(const struct session *, int, struct htmm_error *) = session_stop;
