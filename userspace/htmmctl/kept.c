// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "options.h"
#include "view.h"

/*
 * There is one file for all sessions, as the module has the results of one. Only its owner may read
 * it, as only he may read /proc/PID/maps.
 */
static FILE *open_kept(char path[PATH_MAX], const char *name, int flags, const char *mode)
{
	const char *dir = getenv("RUNTIME_DIRECTORY") ?: "/run/htmm";
	int fd;

	if (flags & O_CREAT)
		mkdir(dir, 0755);
	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	if (flags & O_EXCL)
		unlink(path);
	fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? NULL : fdopen(fd, mode);
}

/* It has its name when it is complete: who reads meanwhile has that of before. */
void names_keep(const struct htmm_names *names, const struct htmm_info *info)
{
	char new[PATH_MAX], path[PATH_MAX];
	FILE *file = open_kept(new, "names.new", O_WRONLY | O_CREAT | O_EXCL, "w");
	bool failed = !file;

	/* Numbers begin again when the module is loaded again, but no two times are equal. */
	if (file) {
		fprintf(file, "session %llu %llu\n", info->session, info->elapsed_ns);
		htmm_names_save(names, file);
		snprintf(path, sizeof(path), "%.*s", (int)(strlen(new) - strlen(".new")), new);
		failed = ferror(file) | fclose(file) || rename(new, path);
	}
	if (failed && verbosity.verbose)
		notice("'htmmctl hot' will not know the names of mappings: %m");
}

void names_recall(struct htmm_names *names, int fd)
{
	char path[PATH_MAX];
	FILE *file = open_kept(path, "names", O_RDONLY, "r");
	struct htmm_info info;
	__u64 session, elapsed;

	if (!file)
		return;
	if (fscanf(file, "session %llu %llu\n", &session, &elapsed) == 2 &&
	    !htmm_device_info(fd, &info, NULL) && info.state == HTMM_STATE_STOPPED &&
	    info.session == session && info.elapsed_ns == elapsed)
		htmm_names_load(names, file);
	fclose(file);
}
