/* SPDX-License-Identifier: GPL-2.0 */
/* The results of a session, as text and as JSON. */
#ifndef HTMMCTL_VIEW_H
#define HTMMCTL_VIEW_H

#include "hit.h"
#include "output.h"
#include "served.h"

/* The state of the session in a word. */
static inline const char *session_state(const struct htmm_info *info)
{
	return info->session_flags & HTMM_START_PAUSED ? "paused" : htmm_state_name(info->state);
}

/* Hot pages shown without -n. */
#define HOT_PAGES_DEFAULT	20

/**
 * struct results - all results of a session
 * @info: its state
 * @stats: its counters
 * @hist: its histogram of base pages
 * @ratio: the share of the samples of @hist on the hottest pages; filled by results_hit()
 * @hit: the hit ratio of @hist; likewise
 * @targets: its targets
 * @served: what served the samples of its targets
 * @places: set before: @pages with their places; false if the module does not tell them
 * @pages: its hottest pages
 * @names: names of what @pages belong to
 */
struct results {
	struct htmm_info info;
	struct htmm_stats_buf stats;
	struct htmm_histogram hist;
	struct htmm_hit_ratio ratio;
	struct hit hit;
	struct htmm_target_list targets;
	struct served_list served;
	bool places;
	struct htmm_page_list pages;
	struct htmm_names *names;
};

/* Reads the same as results_read(), but for the pages and their histogram. */
int results_counted(struct results *res, int fd, struct htmm_error *err);

/*
 * Reads the results of the session. @res: filled; @res.names, if set, is used and kept.
 * @max_pages: the most hot pages to read; 0: all. Returns 0 or a negative errno; free @res in
 * both cases.
 */
int results_read(struct results *res, int fd, size_t max_pages, struct htmm_error *err);

/* Reads what the fast tier could serve, which walks all pages. Returns 0 or a negative errno. */
int results_hit(struct results *res, int fd, struct htmm_error *err);

/*
 * Is session @number, which was there before results were read, still the current one, so that all
 * are of it? Returns 0, or -ESTALE if another one began meanwhile.
 */
int session_is(__u64 number, int fd, struct htmm_error *err);

struct session;

/*
 * Ends a session, and reads its results with what the fast tier could serve. Returns as
 * session_stop(): after -EALREADY there are results, too.
 */
int results_end(struct results *res, const struct session *session, int fd, size_t max_pages,
		struct htmm_error *err);

/* Opens the directory of what is kept of sessions. Returns a file descriptor, or -1 with errno. */
int kept_dir(bool make);

/* Writes the names of what pages of a stopped session belong to, in place of an earlier one's. */
void names_keep(const struct htmm_names *names, const struct htmm_info *info);

/* Adds the names that were kept, if they are of the present session. */
void names_recall(struct htmm_names *names, int fd);

/* Frees the results. @res may be all zero. */
void results_free(struct results *res);

/* Prints a report. @exit_status: of the command that ran; negative: no command. */
void results_print(FILE *file, struct results *res, bool json, int exit_status);

/**
 * struct event_mode - how an event really runs on all its CPUs
 * @period_min: the smallest period in force on any of them
 * @period_max: the largest
 * @precise_ip: the lowest precision granted on any of them
 * @active: number of CPUs on which it is armed
 * @large_pebs: large PEBS is on for some CPU, and loses samples
 */
struct event_mode {
	__u64 period_min;
	__u64 period_max;
	unsigned int precise_ip;
	unsigned int active;
	bool large_pebs;
};

/* How an event of this index runs, or if it is armed on no CPU any more, how it last ran. */
struct event_mode event_mode(const struct htmm_stats_buf *stats, unsigned int event);

/* Its period as text: one, or the smallest and the largest. */
void event_period_text(const struct event_mode *mode, char *text, size_t size);

/* Writes an event as text, in the form that -e takes where possible. */
void event_code_text(const struct htmm_event *event, char *text, size_t size);

/* The message if they do not compare; takes the smallest and the largest period. */
#define COUNTS_DIFFER	"each sample counts 1, whether it stands for %llu events or for %llu; see weight-period"

/*
 * Tells if all samples have the same meaning, of any event and at any time. They do not if
 * periods differ or a budget may change them, while samples are not weighted by their period.
 */
bool counts_compare(const struct htmm_info *info, const struct htmm_stats_buf *stats,
		    char *text, size_t size);

/* Room for capacity_words(). */
#define CAPACITY_WORDS	160

/* Describes a capacity, and says if it is all memory of the machine. Returns @text. */
const char *capacity_words(char text[CAPACITY_WORDS], __u64 pages);

/* A target in a few words, such as "process 123 (sh)". */
void target_words(char *text, size_t size, const struct htmm_target_info *target);

/* The name of an event, by its index. */
const char *event_name(const struct htmm_stats_buf *stats, __u32 event);

/* Sum over the channels of a CPU and an event; -1: of all CPUs or events. */
struct htmm_counters stats_sum(const struct htmm_stats_buf *stats, __s64 cpu, __s64 event);

/* Adds the members of an event that describe it. */
void event_json(struct json_object *obj, const struct htmm_event *event);

/*
 * A new object that says what an answer is of: the session, its periods, its capacity. The second
 * one asks the module, and returns NULL with @err filled in if there is no session.
 */
struct json_object *session_json(const struct htmm_info *info, const struct htmm_stats_buf *stats);
struct json_object *session_json_read(int fd, struct htmm_error *err);

/*
 * Answers with the results of one session: @read reads all that is printed, and @print prints it,
 * unless another session began meanwhile. @json: as JSON; @print then gets a new object of
 * session_json() to add to and to free, else NULL. Returns 0 or a negative errno.
 */
int session_answer(int fd, bool json, int (*read)(int fd, void *arg, struct htmm_error *err),
		   int (*print)(void *arg, struct json_object *obj, struct htmm_error *err),
		   void *arg, struct htmm_error *err);

/*
 * Each part of the report. The caller owns the JSON objects. @obj: where more members go. @all:
 * every bin; else the higher ones are one. @placed: with the node and the mapping size of each
 * page. @hit: the hit ratio of the same pages. @ratio: the share of the samples on the hottest
 * pages.
 */
void status_print(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		  const struct htmm_target_list *targets);
struct json_object *status_json(const struct htmm_info *info, const struct htmm_stats_buf *stats);
void stats_print(FILE *file, const struct htmm_info *info, const struct htmm_stats_buf *stats,
		 const struct served_list *served, bool verbose);
struct json_object *stats_json(const struct htmm_info *info, const struct htmm_stats_buf *stats,
			       const struct served_list *served);
void hist_print(FILE *file, const struct htmm_histogram *hist, const struct hit *hit, bool all);
struct json_object *hist_json(struct json_object *obj, const struct htmm_histogram *hist,
			      const struct htmm_hit_ratio *ratio, const struct hit *hit);
/* Is @page the @nr th after @first, in the same mapping, and equal but for its address? */
bool hot_follows(struct htmm_names *names, const struct htmm_page *first, size_t nr,
		 const struct htmm_page *page);
struct json_object *hot_page_json(struct htmm_names *names, const struct htmm_page *page,
				  bool placed);
void hot_print_mapping(FILE *file, const struct htmm_page *page, const struct htmm_place *place);
void hot_print(FILE *file, struct htmm_names *names, const struct htmm_page_list *list,
	       bool placed);
void hot_json(FILE *file, struct json_object *obj, struct htmm_names *names,
	      const struct htmm_page_list *list, bool placed);
struct json_object *targets_json(const struct htmm_target_list *targets);

#endif /* HTMMCTL_VIEW_H */
