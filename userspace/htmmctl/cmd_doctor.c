// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include "output.h"
#include "session.h"

#define DEVICES		"/sys/bus/event_source/devices"
/* The kernel starts with 100,000 samples/s, and by itself it only lowers this. */
#define LOW_SAMPLE_RATE	25000
/* Presets of up to three kinds of cores, and events of -e. */
#define TRIALS_MAX	48

enum check_level { CHECK_OK, CHECK_WARN, CHECK_FAIL };

static const char *const level_names[] = {
	[CHECK_OK] = "ok",
	[CHECK_WARN] = "warn",
	[CHECK_FAIL] = "fail",
};

/* The value of "KEY : VALUE" in a file such as /proc/cpuinfo. */
static int read_key(const char *path, const char *key, char *value, size_t size)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int ret = -ENOENT;

	*value = '\0';
	if (!file)
		return -errno;
	while (ret && getline(&line, &room, file) > 0) {
		char *colon = strchr(line, ':');
		size_t len = strlen(key);

		if (!colon || strncmp(line, key, len) || !strchr(" \t:", line[len]))
			continue;
		snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
		value[strcspn(value, "\n")] = '\0';
		ret = 0;
	}
	free(line);
	fclose(file);
	return ret;
}

static enum check_level check_module(struct htmm_error *text)
{
	struct htmm_info info;
	int fd = htmm_device_open(NULL, text), ret;

	if (fd < 0)
		return CHECK_FAIL;
	ret = htmm_device_info(fd, &info, text);
	close(fd);
	if (ret)
		return CHECK_FAIL;
	htmm_error_set(text, 0, NULL, "%s answers (features %#llx), session %s", HTMM_DEVICE_PATH,
		       info.features, htmm_state_name(info.state));
	return CHECK_OK;
}

static enum check_level check_permission(struct htmm_error *text)
{
	char paranoid[32];

	htmm_read_line(paranoid, sizeof(paranoid), "/proc/sys/kernel/perf_event_paranoid");
	if (!*paranoid) {
		htmm_error_set(text, ENODEV, "use a kernel with CONFIG_PERF_EVENTS",
			       "this kernel has no perf events");
		return CHECK_FAIL;
	}
	if (!capable(CAP_PERFMON) && !capable(CAP_SYS_ADMIN)) {
		htmm_error_set(text, EPERM, "run it as root or with CAP_PERFMON",
			       "CAP_PERFMON is missing (perf_event_paranoid is %s)", paranoid);
		return CHECK_FAIL;
	}
	htmm_error_set(text, 0, NULL, "CAP_PERFMON is there (perf_event_paranoid is %s)", paranoid);
	return CHECK_OK;
}

static enum check_level check_places(struct htmm_error *text)
{
	if (!capable(CAP_SYS_PTRACE)) {
		htmm_error_set(text, EPERM, "run it as root or with CAP_SYS_PTRACE, too",
			       "CAP_SYS_PTRACE is missing: the nodes and mappings of pages cannot be read");
		return CHECK_WARN;
	}
	htmm_error_set(text, 0, NULL,
		       "CAP_SYS_PTRACE is there: the nodes and mappings of pages can be read");
	return CHECK_OK;
}

static enum check_level check_lockdown(struct htmm_error *text)
{
	char line[128];

	htmm_read_line(line, sizeof(line), "/sys/kernel/security/lockdown");
	if (strstr(line, "[confidentiality]")) {
		htmm_error_set(text, EPERM, "boot without lockdown=confidentiality",
			       "kernel lockdown forbids perf");
		return CHECK_FAIL;
	}
	if (strstr(line, "[integrity]")) {
		htmm_error_set(text, EPERM, "sign htmm.ko with a key the kernel trusts",
			       "kernel lockdown refuses modules that are not signed");
		return CHECK_WARN;
	}
	htmm_error_set(text, 0, NULL, "kernel lockdown is off");
	return CHECK_OK;
}

static enum check_level check_sample_rate(struct htmm_error *text)
{
	char line[32];
	long rate;

	htmm_read_line(line, sizeof(line), "/proc/sys/kernel/perf_event_max_sample_rate");
	rate = strtol(line, NULL, 10);
	htmm_error_set(text, 0, NULL, "at most %ld samples/s on each CPU before throttling", rate);
	if (rate >= LOW_SAMPLE_RATE)
		return CHECK_OK;
	snprintf(text->todo, sizeof(text->todo), "%s",
		 "sysctl kernel.perf_event_max_sample_rate=100000");
	return CHECK_WARN;
}

static bool in_virtual_machine(void)
{
	char flags[8192];

	return !read_key("/proc/cpuinfo", "flags", flags, sizeof(flags)) &&
	       strstr(flags, " hypervisor");
}

/* AMD CPUs sample addresses with IBS only; older models cannot filter for cache misses. */
static enum check_level check_amd(struct htmm_error *text)
{
	if (access(DEVICES "/ibs_op", F_OK))
		snprintf(text->todo, sizeof(text->todo),
			 "the PMU ibs_op is missing, AMD's only way to sample addresses%s",
			 in_virtual_machine() ? ": virtual machines do not have it" : "");
	else if (access(DEVICES "/ibs_op/format/l3missonly", F_OK))
		snprintf(text->todo, sizeof(text->todo),
			 "IBS of this model cannot leave out hits of caches: the module does, at the cost of an interrupt each");
	else
		return CHECK_OK;
	return CHECK_WARN;
}

static enum check_level check_cpu(struct htmm_error *text)
{
	char vendor[64], family[16], model[16], name[128];

	read_key("/proc/cpuinfo", "vendor_id", vendor, sizeof(vendor));
	read_key("/proc/cpuinfo", "cpu family", family, sizeof(family));
	read_key("/proc/cpuinfo", "model", model, sizeof(model));
	read_key("/proc/cpuinfo", "model name", name, sizeof(name));
	htmm_error_set(text, 0, NULL, "%s, family %s, model %s (%s)%s",
		       *vendor ? vendor : "unknown", *family ? family : "?",
		       *model ? model : "?", name,
		       in_virtual_machine() ? ", in a virtual machine" : "");
	if (!strcmp(vendor, "GenuineIntel"))
		return CHECK_OK;
	if (!strcmp(vendor, "AuthenticAMD"))
		return check_amd(text);
	snprintf(text->todo, sizeof(text->todo),
		 "the presets are not for this CPU; name its own events: -e rNNNN or pmu/.../");
	return CHECK_WARN;
}

static enum check_level check_pmu(struct htmm_error *text)
{
	/* AMD's own gives no addresses. */
	const char *name = access(DEVICES "/ibs_op", F_OK) ? htmm_core_pmu(0, NULL) : "ibs_op";
	char type[16], precise[16];

	if (!htmm_read_line(type, sizeof(type), DEVICES "/%s/type", name)) {
		if (!htmm_read_line(precise, sizeof(precise), DEVICES "/%s/caps/max_precise", name))
			htmm_error_set(text, 0, NULL, "PMU '%s', precise up to %s", name, precise);
		else
			htmm_error_set(text, 0, NULL, "PMU '%s'", name);
		return CHECK_OK;
	}
	if (in_virtual_machine())
		htmm_error_set(text, ENODEV,
			       "give it one (KVM: -cpu host,pmu=on; clouds: a bare-metal instance), or sample page-fault",
			       "this virtual machine has no PMU");
	else
		htmm_error_set(text, ENODEV, "see 'dmesg' for perf's reason, or sample page-fault",
			       "the kernel found no PMU");
	return CHECK_FAIL;
}

/* Is the memory of every tier seen by the events given, or else by the default ones? */
static enum check_level check_memory(struct htmm_error *text, const struct htmm_event_list *given)
{
	struct htmm_event_list list = *given;
	struct htmm_error why = {};

	if (!list.nr)
		session_default_events(&list, &why);
	if (list.nr && htmm_events_unseen(&list, NULL, text))
		return CHECK_WARN;
	if (list.nr)
		htmm_error_set(text, 0, NULL, "%s%s all memory", list.event[0].name,
			       list.nr > 1 ? " and the others see" : " sees");
	else
		htmm_error_set(text, 0, NULL, "no event can be sampled by default");
	return CHECK_OK;
}

static const struct {
	const char *name;
	enum check_level (*run)(struct htmm_error *text);
} checks[] = {
	{ "module", check_module },
	{ "permission", check_permission },
	{ "places", check_places },
	{ "lockdown", check_lockdown },
	{ "cpu", check_cpu },
	{ "pmu", check_pmu },
	{ "sample rate", check_sample_rate },
};

/* One more is that of the memory. */
#define NR_CHECKS	(ARRAY_SIZE(checks) + 1)

/**
 * struct trial - an event that was probed
 * @event: the event
 * @help: what it counts and tells; empty if it is not one of the presets
 * @precise_ip: the highest precision available; negative: it cannot be sampled
 * @reason: why not
 */
struct trial {
	struct htmm_event event;
	char help[144];
	int precise_ip;
	struct htmm_error reason;
};

/**
 * enum verdict - what can sample here
 * @VERDICT_HARDWARE: memory-access events of the CPU
 * @VERDICT_SOFTWARE: page faults only
 * @VERDICT_NONE: nothing at present
 */
enum verdict { VERDICT_HARDWARE, VERDICT_SOFTWARE, VERDICT_NONE };

/**
 * struct diagnosis - all results of doctor
 * @checks: checks of the machine, the last one that of the memory: in words, and what to do
 * @trials: probed events
 * @nr_trials: how many there are
 * @verdict: the conclusion
 * @summary: the conclusion in words
 */
struct diagnosis {
	struct {
		const char *name;
		enum check_level level;
		struct htmm_error text;
	} checks[NR_CHECKS];
	struct trial trials[TRIALS_MAX];
	unsigned int nr_trials;
	enum verdict verdict;
	struct htmm_error summary;
};

static void run_checks(struct diagnosis *d, const struct htmm_event_list *given)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		d->checks[i].name = checks[i].name;
		d->checks[i].level = checks[i].run(&d->checks[i].text);
	}
	d->checks[i].name = "memory";
	d->checks[i].level = check_memory(&d->checks[i].text, given);
}

static bool is_software(const struct htmm_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE || event->type == PERF_TYPE_TRACEPOINT;
}

static void try_events(struct diagnosis *d, const struct htmm_event_list *given)
{
	struct trial *trial = d->trials;
	const struct htmm_preset *preset;
	struct htmm_choice choice;
	unsigned int i, j;
	const char *pmu;

	for (i = 0; (pmu = htmm_core_pmu(i, NULL)); i++) {
		for (j = 0; (preset = htmm_preset(j)); j++) {
			trial->precise_ip = htmm_preset_choose(preset, i ? pmu : NULL, NULL,
							       &choice, &trial->reason);
			trial->event = choice.event;
			/* Page faults are of no kind of cores. */
			if (i && is_software(&trial->event))
				continue;
			if (!trial->precise_ip)
				trial->precise_ip = htmm_event_probe_best(&trial->event,
									  &trial->reason);
			snprintf(trial++->help, sizeof(trial->help), "%s", choice.help);
		}
	}
	for (i = 0; i < given->nr; i++, trial++) {
		trial->event = given->event[i];
		trial->precise_ip = htmm_event_probe_best(&trial->event, &trial->reason);
	}
	d->nr_trials = trial - d->trials;
}

/* Counts the events that can be sampled, and writes their names to @names. */
static unsigned int count_trials(const struct diagnosis *d, bool software, char *names, size_t size)
{
	const struct trial *trial;
	unsigned int nr = 0;
	size_t used = 0;

	*names = '\0';
	for (trial = d->trials; trial < d->trials + d->nr_trials; trial++) {
		if (trial->precise_ip < 0 || is_software(&trial->event) != software)
			continue;
		if (used + strlen(trial->event.name) + 3 < size)
			used += snprintf(names + used, size - used, "%s%s", nr ? ", " : "",
					 trial->event.name);
		nr++;
	}
	return nr;
}

static void judge(struct diagnosis *d)
{
	char hard[320], soft[160];
	unsigned int nr_hard = count_trials(d, false, hard, sizeof(hard));
	unsigned int nr_soft = count_trials(d, true, soft, sizeof(soft));
	const struct htmm_error *module = &d->checks[0].text;

	d->verdict = VERDICT_NONE;
	if (d->checks[0].level != CHECK_OK) {
		htmm_error_set(&d->summary, 0, module->todo, "nothing can be sampled: %s",
			       module->what);
	} else if (nr_hard) {
		d->verdict = VERDICT_HARDWARE;
		htmm_error_set(&d->summary, 0, NULL, "memory accesses can be sampled: %s", hard);
	} else if (nr_soft) {
		d->verdict = VERDICT_SOFTWARE;
		htmm_error_set(&d->summary, 0, "see above for the reason",
			       "only software events can be sampled: %s", soft);
	} else {
		htmm_error_set(&d->summary, 0, "see above for the reasons",
			       "no event can be sampled");
	}
}

static void print_level(const char *level, enum colour colour)
{
	out_colour(stdout, colour);
	printf("%-5s", level);
	out_colour(stdout, COLOUR_NONE);
}

static void print_trial(const struct trial *trial)
{
	const bool ok = trial->precise_ip >= 0;
	char name[32];

	print_level(ok ? "ok" : "no", ok ? COLOUR_GREEN : COLOUR_YELLOW);
	snprintf(name, sizeof(name), "%-12s", trial->event.name);
	out_name(stdout, name);
	if (ok)
		printf(" precise %d%s%s\n", trial->precise_ip, *trial->help ? ": " : "",
		       trial->help);
	else
		printf(" %s%s%s\n", trial->reason.what, *trial->reason.todo ? "; " : "",
		       trial->reason.todo);
}

static void print_text(const struct diagnosis *d)
{
	static const enum colour colours[] = {
		[CHECK_OK] = COLOUR_GREEN,
		[CHECK_WARN] = COLOUR_YELLOW,
		[CHECK_FAIL] = COLOUR_RED,
	};
	unsigned int i;

	for (i = 0; i < NR_CHECKS; i++) {
		print_level(level_names[d->checks[i].level], colours[d->checks[i].level]);
		printf("%-12s ", d->checks[i].name);
		out_name(stdout, d->checks[i].text.what);
		if (*d->checks[i].text.todo)
			printf("\n%18s-> %s", "", d->checks[i].text.todo);
		putchar('\n');
	}
	printf("\nevents, tried with perf_event_open(2):\n");
	for (i = 0; i < d->nr_trials; i++)
		print_trial(&d->trials[i]);
	printf("\n%s%s%s\n", d->summary.what, *d->summary.todo ? "; " : "", d->summary.todo);
}

static struct json_object *trial_json(const struct trial *trial)
{
	struct json_object *obj = json_object_new_object();
	const bool ok = trial->precise_ip >= 0;

	json_add_name(obj, "name", trial->event.name);
	json_add_u64(obj, "type", trial->event.type);
	json_add_hex(obj, "config", trial->event.config);
	json_add_bool(obj, "hardware", !is_software(&trial->event));
	json_add_bool(obj, "ok", ok);
	if (ok)
		json_add_u64(obj, "precise_ip", trial->precise_ip);
	json_add_u64(obj, "errno", ok ? 0 : trial->reason.code);
	json_add_name(obj, "text", ok ? trial->help : trial->reason.what);
	json_add_name(obj, "todo", ok ? "" : trial->reason.todo);
	return obj;
}

static void print_json(const struct diagnosis *d)
{
	static const char *const verdicts[] = {
		[VERDICT_HARDWARE] = "hardware",
		[VERDICT_SOFTWARE] = "software",
		[VERDICT_NONE] = "none",
	};
	struct json_object *all = json_object_new_array(), *events = json_object_new_array();
	struct json_object *obj = json_new(), *one;
	unsigned int i;

	for (i = 0; i < NR_CHECKS; i++) {
		one = json_object_new_object();
		json_add_name(one, "name", d->checks[i].name);
		json_add_name(one, "level", level_names[d->checks[i].level]);
		json_add_name(one, "text", d->checks[i].text.what);
		json_add_name(one, "todo", d->checks[i].text.todo);
		json_object_array_add(all, one);
	}
	for (i = 0; i < d->nr_trials; i++)
		json_object_array_add(events, trial_json(&d->trials[i]));
	json_add_name(obj, "verdict", verdicts[d->verdict]);
	json_add_name(obj, "text", d->summary.what);
	json_add_name(obj, "todo", d->summary.todo);
	json_add(obj, "checks", all);
	json_add(obj, "events", events);
	json_print(stdout, obj);
}

static int run_doctor(const struct command *cmd, int argc, char **argv)
{
	struct htmm_event_list list = {};
	bool json = false;
	const struct opt opts[] = {
		{ OPT_CALL, 'e', "event", "EVENT,...", "try these events too", &list,
		  .call = call_events },
		OPT_JSON(&json),
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, NULL };
	struct diagnosis d = {};
	int ret;

	ret = opts_parse(cmd, argc, argv, tables, NULL);
	if (ret != OPTS_GO_ON)
		return ret;
	run_checks(&d, &list);
	try_events(&d, &list);
	judge(&d);
	if (json)
		print_json(&d);
	else
		print_text(&d);
	return d.verdict == VERDICT_HARDWARE ? EXIT_OK : EXIT_FAILED;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.synopsis = "[options]",
	.summary = "show what can be sampled here, and if nothing can, why",
	.help = "Shows what can be sampled here, and if nothing can, why and what to do.\n"
		"Exits 0 if the CPU's memory accesses can be sampled, 1 if at most page faults.",
	.run = run_doctor,
};
