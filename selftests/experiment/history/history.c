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

static void place(const char *here, const char *file, const char *at)
{
	char from[PATH_MAX];

	snprintf(from, sizeof(from), "%s/%s", here, file);
	must(symlink(from, at), at);
}

/* Git wants this file to be no link, unless to a branch. */
static void write_head(const char *here)
{
	char path[PATH_MAX], head[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/history.head", here);
	file = fopen(path, "r");
	must(file && fgets(head, sizeof(head), file) ? 0 : -1, path);
	fclose(file);
	file = fopen(REPOSITORY "/HEAD", "w");
	must(file && fputs(head, file) >= 0 && !fclose(file) ? 0 : -1, "write " REPOSITORY "/HEAD");
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
	must(mkdir(REPOSITORY "/objects", 0755), "make its objects");
	must(mkdir(REPOSITORY "/objects/pack", 0755), "make its packs");
	write_head(here);
	place(here, "history.pack", REPOSITORY "/objects/pack/pack-1.pack");
	place(here, "history.idx", REPOSITORY "/objects/pack/pack-1.idx");
	setenv("COMPILE_BEGIN", argv[1], 1);
	setenv("LD_LIBRARY_PATH", here, 1);
	snprintf(path, sizeof(path), "%s/compile.so", here);
	setenv("LD_PRELOAD", path, 1);
	snprintf(path, sizeof(path), "%s/git", here);
	must(execl(path, path, "--git-dir=" REPOSITORY, "log", "-p", "--output=/dev/null",
		   (char *)NULL), "begin git");
}
