// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "htmmctl/output.h"
#include "timeline.h"

__u64 timeline_grown(__u64 now, __u64 before)
{
	return now < before ? now : now - before;
}

bool timeline_is(const char *path)
{
	char begin[sizeof("{\"schema\":")] = "";
	struct stat stat_buf;
	FILE *file;

	/* What is read of a pipe is gone. */
	if (stat(path, &stat_buf) || !S_ISREG(stat_buf.st_mode))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(begin, sizeof(begin), file))
		*begin = '\0';
	fclose(file);
	return !strcmp(begin, "{\"schema\":");
}

static struct json_object *member(struct json_object *obj, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(obj, key, &value);
	return value;
}

static __u64 number(struct json_object *obj, const char *key)
{
	return json_object_get_uint64(member(obj, key));
}

/* Sums the nodes of a target up by tier. */
static void take_nodes(struct moment *moment, struct json_object *nodes)
{
	size_t i, nr = json_object_is_type(nodes, json_type_array) ?
		       json_object_array_length(nodes) : 0;

	for (i = 0; i < nr; i++) {
		struct json_object *node = json_object_array_get_idx(nodes, i);

		if (json_object_get_boolean(member(node, "fast")))
			moment->fast_pages += number(node, "pages");
		else
			moment->slow_pages += number(node, "pages");
	}
	moment->placed = nr;
}

static struct moment take_target(struct json_object *line, struct json_object *target)
{
	struct json_object *hit = member(target, "hit_ratio_ppm");
	struct json_object *measured = member(target, "measured_hit_ratio_ppm");
	struct json_object *estimate = member(target, "best_hit_estimate_ppm");
	const char *name = json_object_get_string(member(target, "name"));
	struct moment moment = {
		.seconds = (double)number(line, "elapsed_ns") / 1e9,
		.target = number(target, "target"),
		.samples = number(line, "counted"),
		.lost = number(line, "lost"),
		.cost_ppm = number(line, "cost_ppm"),
		.hot_threshold = number(target, "hot_threshold"),
		.warm_threshold = number(target, "warm_threshold"),
		.hot_pages = number(target, "hot_pages"),
		.hot_slow = number(target, "hot_on_slow"),
		.hit_ppm = hit ? json_object_get_int64(hit) : -1,
		.best_ppm = number(target, "best_hit_ratio_ppm"),
		.estimate_ppm = estimate ? json_object_get_int64(estimate) : -1,
		.measured_ppm = measured ? json_object_get_int64(measured) : -1,
	};

	snprintf(moment.name, sizeof(moment.name), "%s", name ? name : "");
	take_nodes(&moment, member(target, "nodes"));
	return moment;
}

/* Those since the line before: this one is behind them. */
static void take_marks(struct span *span, struct json_object *marks)
{
	size_t i, nr = json_object_is_type(marks, json_type_array) ?
		       json_object_array_length(marks) : 0;

	for (i = 0; i < nr; i++) {
		struct json_object *mark = json_object_array_get_idx(marks, i);
		const char *text = json_object_get_string(member(mark, "text")) ?: "";

		span_pass(span, number(mark, "time_ns"), text, strlen(text));
	}
}

/* Returns 0, -EINVAL for what is no line of a log, -ESTALE for one of another session. */
static int take_line(struct timeline *timeline, struct span *span, struct json_object *line)
{
	struct json_object *targets = member(line, "targets");
	const __u64 session = number(line, "session");
	struct moment *more;
	size_t i, nr;

	if (!json_object_is_type(targets, json_type_array))
		return -EINVAL;
	if (timeline->session && session != timeline->session)
		return -ESTALE;
	timeline->session = session;
	take_marks(span, member(line, "marks"));
	nr = json_object_array_length(targets);
	more = realloc(timeline->moment, (timeline->nr + nr + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	timeline->moment = more;
	timeline->lines++;
	for (i = 0; i < nr; i++) {
		more[timeline->nr] = take_target(line, json_object_array_get_idx(targets, i));
		more[timeline->nr].outside = !span_has(span, more[timeline->nr].seconds);
		more[timeline->nr++].line = timeline->lines;
	}
	return 0;
}

/* Those of the same second, as at the end of a session, stay in the order of the log. */
static int by_target(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int bad_line(const char *path, unsigned long nr, int code, struct htmm_error *err)
{
	if (code == -ENOMEM)
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	if (code == -ESTALE)
		return htmm_error_set(err, EINVAL, "give each session a file of its own",
				      "line %lu of '%s' is of another session than those before",
				      nr, path);
	return htmm_error_set(err, EBADMSG, "give what 'htmmctl log' wrote",
			      "line %lu of '%s' is not a line of a log", nr, path);
}

/* Leaves the others out, but for what a rate needs of them. Moments are by target and time. */
static void keep_inside(struct timeline *timeline)
{
	const struct moment none = {};
	struct moment before = none;
	size_t i, kept = 0;

	for (i = 0; i < timeline->nr; i++) {
		struct moment *moment = &timeline->moment[i];

		if (!i || before.target != moment->target)
			before = none;
		moment->first = !before.line || before.outside;
		moment->since = before.seconds;
		moment->since_samples = before.samples;
		moment->since_lost = before.lost;
		before = *moment;
		if (!moment->outside)
			timeline->moment[kept++] = *moment;
	}
	timeline->nr = kept;
}

int timeline_read(struct timeline *timeline, const char *path, struct span *span,
		  struct htmm_error *err)
{
	FILE *file = fopen(path, "re");
	unsigned long nr = 0;
	char *text = NULL;
	size_t room = 0;
	ssize_t len;
	int ret = 0;

	memset(timeline, 0, sizeof(*timeline));
	if (!file)
		return htmm_error_set(err, errno, "give another file with -i",
				      "cannot read '%s': %s", path, strerror(errno));
	while (!ret && (len = getline(&text, &room, file)) > 0) {
		struct json_object *line;

		nr++;
		/* The last one may not be complete yet. */
		if (text[len - 1] != '\n')
			break;
		line = json_tokener_parse(text);
		ret = take_line(timeline, span, line);
		json_object_put(line);
	}
	free(text);
	fclose(file);
	if (ret) {
		span_free(span);
		timeline_free(timeline);
		return bad_line(path, nr, ret, err);
	}
	if (timeline->nr)
		qsort(timeline->moment, timeline->nr, sizeof(*timeline->moment), by_target);
	keep_inside(timeline);
	ret = span_check(span, path, err);
	span_free(span);
	if (!ret && timeline->lines && !timeline->nr)
		ret = htmm_error_set(err, ENODATA, "give another part",
				     "no line of '%s' is inside of --mark or --time", path);
	if (ret)
		timeline_free(timeline);
	return ret;
}

void timeline_free(struct timeline *timeline)
{
	free(timeline->moment);
	memset(timeline, 0, sizeof(*timeline));
}

/* How many of the moments from @at on are of the same target. */
static size_t same_target(const struct timeline *timeline, size_t at)
{
	size_t nr = 1;

	while (at + nr < timeline->nr &&
	       timeline->moment[at + nr].target == timeline->moment[at].target)
		nr++;
	return nr;
}

static void print_share(FILE *file, bool known, __s64 ppm)
{
	if (known && ppm >= 0)
		fprintf(file, " %6.1f%%", (double)ppm / 1e4);
	else
		fprintf(file, " %7s", "-");
}

static void print_size(FILE *file, bool known, __u64 pages)
{
	char size[SIZE_TEXT];

	fprintf(file, " %10s", known ? size_text(size, pages << HTMM_PAGE_SHIFT) : "-");
}

/* @before: the moment printed before; NULL: none, or a part was left out since. */
static void print_moment(FILE *file, const struct moment *moment, const struct moment *before)
{
	const double seconds = moment->seconds - (before ? before->seconds : moment->since);
	const __u64 samples = timeline_grown(moment->samples,
					     before ? before->samples : moment->since_samples);
	const __u64 lost = timeline_grown(moment->lost,
					  before ? before->lost : moment->since_lost);

	fprintf(file, "%8.1f %9.0f %7.0f %5.2f%% %3u", moment->seconds,
		seconds > 0 ? (double)samples / seconds : 0,
		seconds > 0 ? (double)lost / seconds : 0, (double)moment->cost_ppm / 1e4,
		moment->hot_threshold);
	print_size(file, true, moment->hot_pages);
	print_size(file, moment->placed, moment->hot_slow);
	print_share(file, moment->placed, moment->hit_ppm);
	print_share(file, true, moment->estimate_ppm);
	print_share(file, true, moment->measured_ppm);
	fputc('\n', file);
}

static void print_target(FILE *file, const struct moment *moment, size_t nr, size_t max)
{
	const size_t step = max && nr > max ? (nr + max - 1) / max : 1;
	const struct moment *before = NULL;
	size_t i;

	if (moment->target) {
		fprintf(file, "target %u ", moment->target);
		out_name(file, moment->name);
		fputs(":\n", file);
	} else {
		fputs("all targets together:\n", file);
	}
	fprintf(file, "%8s %9s %7s %6s %3s %10s %10s %7s %7s %7s\n", "seconds", "samples/s",
		"lost/s", "cost", "bin", "hot", "hot, slow", "fast", "best", "served");
	for (i = 0; i < nr; i++) {
		/* The end is always shown. */
		if ((nr - 1 - i) % step)
			continue;
		print_moment(file, &moment[i], moment[i].first ? NULL : before);
		before = &moment[i];
	}
}

void timeline_print(FILE *file, const struct timeline *timeline, size_t max)
{
	size_t at, nr;

	if (!timeline->nr)
		fputs("the log is empty\n", file);
	else
		fputs("'fast': share of all samples on fast nodes; 'best': in the best placement;\n"
		      "'served': share that the fast tier served since the previous line;\n"
		      "'samples/s', 'lost/s' and 'cost' are of the whole session\n", file);
	for (at = 0; at < timeline->nr; at += nr) {
		nr = same_target(timeline, at);
		fputc('\n', file);
		print_target(file, &timeline->moment[at], nr, max);
	}
}

void timeline_print_csv(FILE *file, const struct timeline *timeline)
{
	size_t i;

	fputs("target,seconds,samples,lost,cost_ppm,hot_threshold,warm_threshold,", file);
	fputs("hot_pages,hot_on_slow,fast_pages,slow_pages,", file);
	fputs("hit_ratio_ppm,best_hit_ratio_ppm,measured_hit_ratio_ppm,best_hit_estimate_ppm\n",
	      file);
	for (i = 0; i < timeline->nr; i++) {
		const struct moment *moment = &timeline->moment[i];

		fprintf(file, "%u,%.3f,%llu,%llu,%llu,%u,%u,%llu,", moment->target, moment->seconds,
			moment->samples, moment->lost, moment->cost_ppm, moment->hot_threshold,
			moment->warm_threshold, moment->hot_pages);
		if (moment->placed)
			fprintf(file, "%llu,%llu,%llu,", moment->hot_slow, moment->fast_pages,
				moment->slow_pages);
		else
			fputs(",,,", file);
		if (moment->hit_ppm >= 0)
			fprintf(file, "%lld", moment->hit_ppm);
		fprintf(file, ",%llu,", moment->best_ppm);
		if (moment->measured_ppm >= 0)
			fprintf(file, "%lld", moment->measured_ppm);
		fputc(',', file);
		if (moment->estimate_ppm >= 0)
			fprintf(file, "%lld", moment->estimate_ppm);
		fputc('\n', file);
	}
}
