// SPDX-License-Identifier: GPL-2.0
/*
 * history BEGIN: git shows all changes of a history. It begins after its first BEGIN allocations,
 * which are counted as those of a compiler. Git, its libraries and the history are files beside
 * this program: they were read before, to memory that does not count. No other program is needed
 * to make the repository: its file would be in memory that does.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPOSITORY	"/run/history.git"

static void must(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "history: cannot %s: %s\n", what, strerror(errno));
	exit(1);
}

static void link_to(const char *here, const char *file, const char *at)
{
	char from[PATH_MAX];

	snprintf(from, sizeof(from), "%s/%s", here, file);
	must(symlink(from, at), "place a file of the history");
}

int main(int argc, char **argv)
{
	char self[PATH_MAX] = "", path[PATH_MAX], *here;

	if (argc != 2) {
		fputs("usage: history BEGIN\n", stderr);
		return 2;
	}
	must(readlink("/proc/self/exe", self, sizeof(self) - 1), "find the history");
	here = dirname(self);
	must(mkdir(REPOSITORY, 0755), "make " REPOSITORY);
	must(mkdir(REPOSITORY "/refs", 0755), "make its refs");
	must(mkdir(REPOSITORY "/refs/heads", 0755), "make its branches");
	must(mkdir(REPOSITORY "/objects", 0755), "make its objects");
	must(mkdir(REPOSITORY "/objects/pack", 0755), "make its packs");
	must(symlink("refs/heads/shown", REPOSITORY "/HEAD"), "make its HEAD");
	link_to(here, "history.head", REPOSITORY "/refs/heads/shown");
	link_to(here, "history.pack", REPOSITORY "/objects/pack/pack-1.pack");
	link_to(here, "history.idx", REPOSITORY "/objects/pack/pack-1.idx");
	setenv("COMPILE_BEGIN", argv[1], 1);
	setenv("LD_LIBRARY_PATH", here, 1);
	snprintf(path, sizeof(path), "%s/compile.so", here);
	setenv("LD_PRELOAD", path, 1);
	snprintf(path, sizeof(path), "%s/git", here);
	must(execl(path, path, "--git-dir=" REPOSITORY, "log", "-p", "--output=/dev/null",
		   (char *)NULL), "begin git");
}
