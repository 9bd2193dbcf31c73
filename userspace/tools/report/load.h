/* SPDX-License-Identifier: GPL-2.0 */
/* Makes a report of a recording or of the live session. */
#ifndef REPORT_LOAD_H
#define REPORT_LOAD_H

#include "view.h"

/**
 * struct loaded - a finished report, and what it is made of
 * @report: the report
 * @view: refers to @report
 * @reader: private: has the notes and events of a file
 *
 * Must not be moved.
 */
struct loaded {
	struct report report;
	struct report_view view;
	struct perfdata_reader *reader;
};

/**
 * load_file() - make a report of a recording
 * @loaded: filled; free it with load_free()
 * @path: file to read; "-": standard input
 * @config: how to evaluate the samples; the capacity 0 means that of the recorded machine
 * @max: pages and regions to list; 0: all
 * @err: says why it cannot be read
 *
 * Says what was wrong with the file. It may be damaged, and have no sample: see load_check().
 *
 * Return: 0, or a negative errno, and nothing is to be freed.
 */
int load_file(struct loaded *loaded, const char *path, const struct report_config *config,
	      __u32 max, struct htmm_error *err);

/**
 * load_session() - make a report of the live session
 * @loaded: filled; free it with load_free()
 * @config: as in load_file(); the capacity 0 means that of the session
 * @max: pages and regions to list; 0: all
 * @err: says if there is no session
 *
 * Return: as load_file().
 */
int load_session(struct loaded *loaded, const struct report_config *config, __u32 max,
		 struct htmm_error *err);

/**
 * load_check() - tell whether a report is of samples, and of a whole file
 * @loaded: the report
 * @err: says why not
 *
 * Return: 0, -EBADMSG or -ENODATA.
 */
int load_check(const struct loaded *loaded, struct htmm_error *err);

/**
 * load_free() - free a report
 * @loaded: the report
 */
void load_free(struct loaded *loaded);

#endif /* REPORT_LOAD_H */
