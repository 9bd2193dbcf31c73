// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "htmmctl/output.h"
#include "shares.h"

static bool same_cgroup(const struct htmm_target *a, const struct htmm_target *b)
{
	struct stat x, y;

	return a->type == HTMM_TARGET_CGROUP && b->type == HTMM_TARGET_CGROUP &&
	       !fstat(a->id, &x) && !fstat(b->id, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* A size has a unit, a weight has none. */
static int read_amount(struct named_share *named, const char *text, struct htmm_error *err)
{
	__s64 number;
	int ret;

	if (text[strspn(text, "0123456789")]) {
		ret = htmm_parse_size(text, 4096, LLONG_MAX, &number, err);
		if (!ret)
			named->pages = number >> HTMM_PAGE_SHIFT;
		return ret;
	}
	if (htmm_parse_number(text, 1, USHRT_MAX, &number, err))
		return htmm_error_set(err, EINVAL,
				      "give a size with its unit, such as 2G, or a weight of 1 to 65535",
				      "'%s' is not a share", text);
	named->weight = number;
	return 0;
}

static int add_named(struct shares *shares, const char *name, const char *amount,
		     struct htmm_error *err)
{
	struct named_share *named = &shares->named[shares->nr];
	unsigned int i;
	int ret;

	if (shares->nr == TIER_GROUPS)
		return htmm_error_set(err, E2BIG, "leave some out",
				      "there are more than %d cgroups", TIER_GROUPS);
	*named = (struct named_share) { .weight = 1 };
	ret = read_amount(named, amount, err);
	if (ret)
		return ret;
	if (shares->nr && !named->pages != !shares->named[0].pages)
		return htmm_error_set(err, EINVAL, "give sizes for all, or weights for all",
				      "sizes and weights cannot be mixed");
	ret = htmm_target_cgroup(&named->cgroup, name, err);
	for (i = 0; i < shares->nr && !ret; i++)
		if (same_cgroup(&named->cgroup, &shares->named[i].cgroup))
			ret = htmm_error_set(err, EEXIST, "leave one out",
					     "the cgroup '%s' has two shares", name);
	shares->nr += !ret;
	return ret;
}

int shares_add(void *arg, const char *text, struct htmm_error *err)
{
	struct shares *shares = arg;
	const char *equals = strrchr(text, '=');
	char *name;
	int ret;

	if (equals ? !!shares->how : shares->nr)
		return htmm_error_set(err, EINVAL, "give one of them",
				      "a share for a cgroup and '%s' exclude each other",
				      equals ? shares->how : text);
	if (!equals) {
		shares->how = text;
		return 0;
	}
	name = strndup(text, equals - text);
	if (!name)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	ret = add_named(shares, name, equals + 1, err);
	free(name);
	return ret;
}

int shares_join(struct shares *shares, struct session *session, struct htmm_error *err)
{
	unsigned int i, at;
	int ret;

	for (i = 0; i < shares->nr; i++) {
		struct named_share *named = &shares->named[i];

		for (at = 0; at < session->start.nr_targets; at++)
			if (same_cgroup(&named->cgroup, &session->targets[at]))
				break;
		named->target = at + 1;
		if (at < session->start.nr_targets) {
			close(named->cgroup.id);
			continue;
		}
		ret = session_add_target(session, &named->cgroup, err);
		if (ret)
			return ret;
	}
	return 0;
}

int shares_check(const struct shares *shares, __u64 pages, struct htmm_error *err)
{
	char limits[SIZE_TEXT], room[SIZE_TEXT];
	double sum = 0;
	unsigned int i;

	for (i = 0; i < shares->nr; i++)
		sum += shares->named[i].pages;
	if (!pages || sum <= pages)
		return 0;
	size_text(limits, sum * 4096);
	size_text(room, pages * 4096);
	return htmm_error_set(err, ENOSPC, "give less to some",
			      "--share gives %s to cgroups, but the fast tier has %s",
			      limits, room);
}

/* A weight for each target, such as 3:1. */
static int read_weights(struct tier *tier, const char *text, struct htmm_error *err)
{
	const char *at = text;
	unsigned int i;

	for (i = 0; i < tier->nr_groups; i++) {
		char *end;
		unsigned long weight = strtoul(at, &end, 10);

		if (end == at || !weight || weight > USHRT_MAX ||
		    *end != (i + 1 < tier->nr_groups ? ':' : '\0'))
			return htmm_error_set(err, EINVAL,
					      "give a weight for each target, such as 3:1, or equal, profit, or CGROUP=SIZE",
					      "'%s' does not share among %u targets", text,
					      tier->nr_groups);
		at = *end ? end + 1 : end;
		tier->groups[i].weight = weight;
	}
	return 0;
}

int shares_make_groups(const struct shares *shares, struct tier *tier, unsigned int targets,
		       struct htmm_error *err)
{
	unsigned int i;

	tier->groups[0] = (struct group) { .weight = 1 };
	tier->nr_groups = 1;
	if (!shares->nr && (!shares->how || !strcmp(shares->how, "profit")))
		return 0;
	if (!targets)
		return htmm_error_set(err, EINVAL, "name them with -p and --cgroup",
				      "there are no targets to share the fast tier");
	for (i = 0; i < targets; i++)
		tier->groups[i] = (struct group) { .target = i + 1, .weight = 1 };
	tier->nr_groups = targets;
	for (i = 0; i < shares->nr; i++) {
		struct group *group = &tier->groups[shares->named[i].target - 1];

		group->weight = shares->named[i].weight;
		group->limit = shares->named[i].pages;
	}
	if (!shares->how || !strcmp(shares->how, "equal"))
		return 0;
	return read_weights(tier, shares->how, err);
}
