// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "options.h"
#include "view.h"

/*
 * There is one file for all sessions, as the module has the results of one. Only its owner may read
 * it, as only he may read /proc/PID/maps. It gets its name when it is complete.
 */
int kept_dir(bool make)
{
	const char *path = getenv("RUNTIME_DIRECTORY") ?: "/run/htmm";

	if (make)
		mkdir(path, 0755);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static FILE *open_at(int dir, const char *name, int flags, const char *mode)
{
	const int fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd < 0 ? NULL : fdopen(fd, mode);
}

void names_keep(const struct htmm_names *names, const struct htmm_info *info)
{
	const int dir = kept_dir(true);
	bool failed = true;
	FILE *file;

	unlinkat(dir, "names.new", 0);
	file = open_at(dir, "names.new", O_WRONLY | O_CREAT | O_EXCL, "w");
	if (file) {
		/* A module loaded again begins at 1 again, but no two times are equal. */
		fprintf(file, "session %llu %llu\n", info->session, info->elapsed_ns);
		htmm_names_save(names, file);
		failed = out_close(file, "names", NULL) || renameat(dir, "names.new", dir, "names");
	}
	if (failed && verbosity.verbose)
		notice("'htmmctl hot' will not know the names of mappings: %m");
	close(dir);
}

void names_recall(struct htmm_names *names, int fd)
{
	const int dir = kept_dir(false);
	FILE *file = open_at(dir, "names", O_RDONLY, "r");
	struct htmm_info info;
	__u64 session, elapsed;

	close(dir);
	if (!file)
		return;
	if (fscanf(file, "session %llu %llu\n", &session, &elapsed) == 2 &&
	    !htmm_device_info(fd, &info, NULL) && info.state == HTMM_STATE_STOPPED &&
	    info.session == session && info.elapsed_ns == elapsed)
		htmm_names_load(names, file);
	fclose(file);
}
