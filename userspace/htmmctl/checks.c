// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include "checks.h"
#include "command.h"
#include "line.h"

#define DEVICES		"/sys/bus/event_source/devices"
/* The kernel starts with 100,000 samples/s, and by itself it only lowers this. */
#define LOW_SAMPLE_RATE	25000

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

static bool capable(unsigned int cap)
{
	char value[32];

	return !read_key("/proc/self/status", "CapEff", value, sizeof(value)) &&
	       strtoull(value, NULL, 16) >> cap & 1;
}

static enum check_level check_permission(struct htmm_error *text)
{
	char paranoid[32];

	read_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
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

	read_line("/sys/kernel/security/lockdown", line, sizeof(line));
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

	read_line("/proc/sys/kernel/perf_event_max_sample_rate", line, sizeof(line));
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

/* Intel CPUs sample addresses with PEBS; hybrid CPUs have two PMUs. */
static enum check_level check_intel(struct htmm_error *text)
{
	if (access(DEVICES "/cpu_core", F_OK))
		return CHECK_OK;
	snprintf(text->todo, sizeof(text->todo),
		 "it has two kinds of cores, and a session samples one: give its CPUs with -C; -e cpu_atom/PRESET/ is for the small ones");
	return CHECK_WARN;
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
			 "IBS of this model cannot sample only cache misses; use -e access");
	else
		return CHECK_OK;
	return CHECK_WARN;
}

static enum check_level check_cpu(struct htmm_error *text)
{
	char vendor[64], tree[16], model[16], name[128];

	read_key("/proc/cpuinfo", "vendor_id", vendor, sizeof(vendor));
	read_key("/proc/cpuinfo", "cpu tree", tree, sizeof(tree));
	read_key("/proc/cpuinfo", "model", model, sizeof(model));
	read_key("/proc/cpuinfo", "model name", name, sizeof(name));
	htmm_error_set(text, 0, NULL, "%s, tree %s, model %s (%s)%s",
		       *vendor ? vendor : "unknown", *tree ? tree : "?",
		       *model ? model : "?", name,
		       in_virtual_machine() ? ", in a virtual machine" : "");
	if (!strcmp(vendor, "GenuineIntel"))
		return check_intel(text);
	if (!strcmp(vendor, "AuthenticAMD"))
		return check_amd(text);
	snprintf(text->todo, sizeof(text->todo),
		 "the presets are not for this CPU; name its own events: -e rNNNN or pmu/.../");
	return CHECK_WARN;
}

/* Find a PMU that can sample memory accesses. */
static bool find_pmu(char *found, size_t size)
{
	DIR *dir = opendir(DEVICES);
	struct dirent *entry;
	bool any = false;

	while (dir && !any && (entry = readdir(dir))) {
		char path[sizeof(DEVICES) + sizeof(entry->d_name) + 8], type[16];

		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/type", DEVICES, entry->d_name);
		read_line(path, type, sizeof(type));
		any = strtol(type, NULL, 10) == PERF_TYPE_RAW || !strcmp(entry->d_name, "ibs_op");
		snprintf(found, size, "%s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return any;
}

static enum check_level check_pmu(struct htmm_error *text)
{
	char name[256], path[512], precise[16];

	if (find_pmu(name, sizeof(name))) {
		snprintf(path, sizeof(path), "%s/%s/caps/max_precise", DEVICES, name);
		if (!read_line(path, precise, sizeof(precise)))
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

unsigned int checks_run(struct check checks[CHECKS_MAX])
{
	static const struct {
		const char *name;
		enum check_level (*run)(struct htmm_error *text);
	} table[] = {
		{ "module", check_module },
		{ "permission", check_permission },
		{ "places", check_places },
		{ "lockdown", check_lockdown },
		{ "cpu", check_cpu },
		{ "pmu", check_pmu },
		{ "sample rate", check_sample_rate },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		checks[i].name = table[i].name;
		checks[i].level = table[i].run(&checks[i].text);
	}
	return i;
}

const char *check_level_name(enum check_level level)
{
	static const char *const names[] = {
		[CHECK_OK] = "ok",
		[CHECK_WARN] = "warn",
		[CHECK_FAIL] = "fail",
	};

	return names[level];
}
