// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <htmm/device.h>
#include <htmm/event.h>
#include <htmm/text.h>
#include "catalog.h"
#include "pmu.h"

/**
 * struct spec - an event being read
 * @event: the result
 * @text: its full text, for messages
 * @sysfs: where sysfs is
 * @pmu: the PMU that defines further terms, or NULL
 * @cores: for a preset without PMU: the PMU of the cores meant; NULL: the first
 * @preset: it is what a preset stands for
 * @in_alias: the terms come from sysfs; they may not name another event
 */
struct spec {
	struct htmm_event event;
	const char *text;
	const char *sysfs;
	const struct pmu *pmu;
	const char *cores;
	bool preset;
	bool in_alias;
};

static int parse_terms(struct spec *spec, char *terms, struct htmm_error *err);

/* Is it the PMU of cores: cpu, cpu_core, cpu_atom, cpu_lowpower? */
static bool is_core(const char *pmu)
{
	return !strncmp(pmu, "cpu", 3);
}

/* Reads the value of a term; sysfs and perf allow all 64 bits. */
static int parse_value(const char *text, __u64 *value, struct htmm_error *err)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	if (*text < '0' || *text > '9' || *end || errno)
		return htmm_error_set(err, EINVAL, "give a number, decimal or 0x...",
				      "'%s' is not a number", text);
	return 0;
}

static int set_name(struct spec *spec, const char *name, struct htmm_error *err)
{
	if (strlen(name) >= sizeof(spec->event.name) || !*name)
		return htmm_error_set(err, EINVAL, "give 1 to 31 bytes",
				      "name '%s' is too long or empty", name);
	snprintf(spec->event.name, sizeof(spec->event.name), "%s", name);
	return 0;
}

/* Reads from which level on samples are counted. */
static int parse_level(__u32 *level, const char *text, struct htmm_error *err)
{
	const char *name;

	for (*level = 0; *level < HTMM_NR_SOURCES; ++*level) {
		name = htmm_level_name(*level);
		if (name && !strcmp(text, name))
			return 0;
	}
	return htmm_error_set(err, EINVAL, "give any, memory, remote or slow",
			      "min-level '%s' is not known", text);
}

/* Reads a term that every event has. Returns 0, or -ENOENT if it is none of them. */
static int generic_term(struct spec *spec, const char *term, const char *text,
			struct htmm_error *err)
{
	struct htmm_event *event = &spec->event;
	__s64 number = 0;
	int ret;

	if (!strcmp(term, "name"))
		return set_name(spec, text, err);
	if (!strcmp(term, "config"))
		return parse_value(text, &event->config, err);
	if (!strcmp(term, "config1"))
		return parse_value(text, &event->config1, err);
	if (!strcmp(term, "config2"))
		return parse_value(text, &event->config2, err);
	if (!strcmp(term, "period")) {
		ret = htmm_parse_number(text, 1, LLONG_MAX, &number, err);
		event->period = number;
		return ret;
	}
	if (!strcmp(term, "min-period")) {
		ret = htmm_parse_number(text, 1, LLONG_MAX, &number, err);
		event->min_period = number;
		return ret;
	}
	if (!strcmp(term, "max-period")) {
		ret = htmm_parse_number(text, 1, LLONG_MAX, &number, err);
		event->max_period = number;
		return ret;
	}
	if (!strcmp(term, "min-level"))
		return parse_level(&event->min_level, text, err);
	if (!strcmp(term, "precise")) {
		ret = htmm_parse_number(text, 0, 3, &number, err);
		event->precise_ip = number;
		return ret;
	}
	if (!strcmp(term, "freq"))
		return htmm_error_set(err, EINVAL, "give period=N",
				      "htmm samples by period, not by frequency");
	return -ENOENT;
}

/* Takes the event that a preset stands for on these cores, NULL being the first. */
static int take_preset(struct spec *spec, const struct htmm_preset *preset, const char *pmu,
		       struct htmm_error *err)
{
	struct htmm_choice choice;
	int ret = htmm_preset_choose(preset, pmu, spec->sysfs, &choice, err);

	if (ret)
		return ret;
	spec->event.type = choice.event.type;
	spec->event.config = choice.event.config;
	spec->event.config1 = choice.event.config1;
	spec->event.precise_ip = choice.event.precise_ip;
	spec->event.min_level = choice.event.min_level;
	snprintf(spec->event.name, sizeof(spec->event.name), "%s", choice.event.name);
	spec->preset = true;
	/* No other event's name may follow. */
	spec->in_alias = true;
	return 0;
}

/* Reads "term", "term=value", or the name of a preset or of one of the PMU's events. */
static int parse_term(struct spec *spec, char *term, struct htmm_error *err)
{
	char *equals = strchr(term, '='), alias[PMU_LINE_MAX];
	const char *text = equals ? equals + 1 : "1";
	const struct htmm_preset *preset;
	__u64 value;
	int ret;

	if (equals)
		*equals = '\0';
	ret = generic_term(spec, term, text, err);
	if (ret != -ENOENT)
		return ret;
	if (!spec->pmu)
		return htmm_error_set(err, ENOENT,
				      "it can have period, min-period, max-period, min-level, precise, config1, config2 and name",
				      "there is no term '%s'", term);
	preset = equals || spec->in_alias ? NULL : htmm_preset_find(term);
	if (preset && is_core(spec->pmu->name))
		return take_preset(spec, preset, spec->pmu->name, err);
	if (!equals && !spec->in_alias && !pmu_alias(spec->pmu, term, alias)) {
		spec->in_alias = true;
		ret = parse_terms(spec, alias, err);
		spec->in_alias = false;
		return ret;
	}
	ret = parse_value(text, &value, err);
	return ret ? ret : pmu_term(spec->pmu, &spec->event, term, value, err);
}

static int parse_terms(struct spec *spec, char *terms, struct htmm_error *err)
{
	char *save, *term;
	int ret;

	for (term = strtok_r(terms, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		ret = parse_term(spec, term, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* Reads the modifiers after the event's name: p, pp or ppp, and u. */
static int parse_modifiers(struct spec *spec, const char *text, struct htmm_error *err)
{
	unsigned int precise = 0;
	const char *at;

	for (at = text; *at; at++) {
		if (*at == 'p' && precise < 3)
			precise++;
		else if (*at == 'k' || *at == 'h')
			return htmm_error_set(err, EINVAL, "leave it out",
					      "modifier '%c' asks for the kernel or hypervisor, but htmm samples user space only",
					      *at);
		else if (*at != 'u')
			return htmm_error_set(err, EINVAL, "give p, pp, ppp or u",
					      "'%s' is not a modifier", text);
	}
	if (precise)
		spec->event.precise_ip = precise;
	return 0;
}

static int unknown_event(const char *name, const char *sysfs, struct htmm_error *err)
{
	const char *names[32], *nearest;
	const struct htmm_preset *preset;
	char todo[200];
	size_t nr = 0;

	/* To look for similar names takes long. */
	if (!err)
		return -ENOENT;
	for (; nr < 32 && (preset = htmm_preset(nr)); nr++)
		names[nr] = preset->name;
	nearest = htmm_nearest(name, names, nr);
	if (!nearest)
		return catalog_unknown(name, sysfs, err);
	snprintf(todo, sizeof(todo), "did you mean '%s'?", nearest);
	return htmm_error_set(err, ENOENT, todo, "there is no event '%s'", name);
}

static bool is_raw(const char *name)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	return *name == 'r' && digits > 0 && digits <= 16 && !name[1 + digits];
}

/* Reads a preset; of cores that have a PMU it may have that PMU's terms, such as ldlat. */
static int parse_preset(struct spec *spec, struct pmu *pmu, const struct htmm_preset *preset,
			struct htmm_error *err)
{
	const char *cores = spec->cores ? spec->cores : htmm_core_pmu(0, spec->sysfs);
	int ret = take_preset(spec, preset, spec->cores, err);

	if (!ret && !pmu_open(pmu, spec->sysfs, cores, NULL) && spec->event.type == pmu->type)
		spec->pmu = pmu;
	return ret;
}

static void parse_raw(struct spec *spec, const char *name)
{
	snprintf(spec->event.name, sizeof(spec->event.name), "%s", name);
	spec->event.type = PERF_TYPE_RAW;
	spec->event.precise_ip = 2;
	spec->event.config = strtoull(name + 1, NULL, 16);
}

static int parse_pmu(struct spec *spec, struct pmu *pmu, const char *name, struct htmm_error *err)
{
	int ret = pmu_open(pmu, spec->sysfs, name, err);

	if (ret)
		return ret;
	snprintf(spec->event.name, sizeof(spec->event.name), "%s", spec->text);
	spec->pmu = pmu;
	spec->event.type = pmu->type;
	/* They give an address only with PEBS. */
	spec->event.precise_ip = is_core(name) ? 2 : 0;
	return 0;
}

/* Reads the part before terms and modifiers: a preset, rNNNN, a name, or a PMU with terms. */
static int parse_head(struct spec *spec, struct pmu *pmu, const char *name, bool terms,
		      struct htmm_error *err)
{
	const struct htmm_preset *preset = htmm_preset_find(name);
	int ret;

	if (preset)
		return parse_preset(spec, pmu, preset, err);
	if (is_raw(name)) {
		parse_raw(spec, name);
		return 0;
	}
	if (terms && !pmu_open(pmu, spec->sysfs, name, NULL))
		return parse_pmu(spec, pmu, name, err);
	snprintf(spec->event.name, sizeof(spec->event.name), "%s", name);
	ret = catalog_encode(name, &spec->event, err);
	if (ret != -ENOENT)
		return ret;
	/* PMU names have none of these characters, so it is a PMU that does not exist here. */
	if (terms && !strpbrk(name, ":."))
		return parse_pmu(spec, pmu, name, err);
	return unknown_event(name, spec->sysfs, err);
}

static bool is_modifiers(const char *text)
{
	return *text && text[strspn(text, "pukh")] == '\0';
}

/*
 * Cuts the modifiers off a name without terms, and returns them. After a preset or rNNNN,
 * all after the first colon is modifiers, valid or not; names of libpfm4 have colons of
 * their own.
 */
static char *cut_modifiers(char *text)
{
	char *colon = strchr(text, ':');
	bool own;

	if (!colon)
		return text + strlen(text);
	*colon = '\0';
	own = htmm_preset_find(text) || is_raw(text);
	*colon = ':';
	if (!own)
		colon = strrchr(text, ':');
	if (!own && !is_modifiers(colon + 1))
		return text + strlen(text);
	*colon = '\0';
	return colon + 1;
}

/* Reads one event; cuts @text into pieces. */
static int parse_event(struct spec *spec, char *text, struct htmm_error *err)
{
	char *terms = strchr(text, '/'), *modifiers;
	struct pmu pmu = {};
	int ret;

	if (terms) {
		*terms++ = '\0';
		modifiers = strchr(terms, '/');
		if (!modifiers)
			return htmm_error_set(err, EINVAL, "end the terms with '/'",
					      "its closing '/' is missing");
		*modifiers++ = '\0';
		if (*modifiers == ':')
			modifiers++;
	} else {
		modifiers = cut_modifiers(text);
	}

	ret = parse_head(spec, &pmu, text, terms, err);
	if (!ret && terms)
		ret = parse_terms(spec, terms, err);
	if (!ret)
		ret = parse_modifiers(spec, modifiers, err);
	return ret;
}

/* Two presets may stand for one event, which can only be sampled once. */
static bool is_there(const struct htmm_event_list *list, const struct htmm_event *event)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		struct htmm_event like = list->event[i];

		memcpy(like.name, event->name, sizeof(like.name));
		if (!memcmp(&like, event, sizeof(like)))
			return true;
	}
	return false;
}

static int append_event(struct htmm_event_list *list, const char *text, const char *cores,
			const char *sysfs, struct htmm_error *err)
{
	struct spec spec = { .text = text, .sysfs = sysfs, .cores = cores };
	char *pieces = strdup(text);
	int ret;

	if (!pieces)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	ret = parse_event(&spec, pieces, err);
	free(pieces);
	if (ret) {
		/* Say which event of the list is meant, unless the message names it already. */
		if (err && !strstr(err->what, text))
			htmm_error_prefix(err, "event '%s': ", text);
		return ret;
	}
	if (spec.preset && is_there(list, &spec.event))
		return 0;
	if (list->nr == HTMM_MAX_EVENTS)
		return htmm_error_set(err, E2BIG, "leave some out",
				      "there are more than %d events", HTMM_MAX_EVENTS);
	list->event[list->nr++] = spec.event;
	return 0;
}

/* Does the text begin with the name of a preset, for whatever cores the machine has? */
static bool is_of_all_cores(const char *text)
{
	char name[sizeof(((struct htmm_event *)NULL)->name)];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "/:"), text);
	return htmm_preset_find(name);
}

/*
 * Appends an event. A preset is one event for each kind of cores; some may have none for it.
 * Each of those events may be left out if a session has no such cores.
 */
static int append_events(struct htmm_event_list *list, const char *text, const char *sysfs,
			 struct htmm_error *err)
{
	unsigned int i, first = list->nr;
	struct htmm_error none;
	const char *cores;
	int ret, next;

	ret = append_event(list, text, NULL, sysfs, err);
	if ((ret && ret != -ENOENT) || !is_of_all_cores(text) || !htmm_core_pmu(1, sysfs))
		return ret;
	for (i = 1; (cores = htmm_core_pmu(i, sysfs)); i++) {
		next = append_event(list, text, cores, sysfs, &none);
		if (next && next != -ENOENT) {
			if (err)
				*err = none;
			return next;
		}
		if (!next)
			ret = 0;
	}
	for (i = first; i < list->nr; i++)
		if (list->event[i].type != PERF_TYPE_SOFTWARE)
			list->parts |= 1U << i;
	return ret;
}

int htmm_events_parse(struct htmm_event_list *list, const char *text, const char *sysfs,
		      struct htmm_error *err)
{
	const char *at = text, *end;
	char *one;
	int ret;

	for (;; at = end + 1) {
		bool terms = false;

		/* A comma between slashes separates terms, not events. */
		for (end = at; *end && (terms || *end != ','); end++)
			if (*end == '/')
				terms = !terms;
		if (end == at)
			return htmm_error_set(err, EINVAL, "give events separated by commas",
					      "the event list '%s' has an empty event", text);
		one = strndup(at, end - at);
		ret = one ? append_events(list, one, sysfs, err) :
			htmm_error_set(err, ENOMEM, NULL, "out of memory");
		free(one);
		if (ret || !*end)
			return ret;
	}
}
