// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "htmmctl/output.h"
#include "gnuplot.h"

static const char *terminal_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".png"))
		return "pngcairo";
	if (dot && !strcmp(dot, ".svg"))
		return "svg";
	return NULL;
}

int gnuplot_check(const char *path, struct htmm_error *err)
{
	if (terminal_of(path))
		return 0;
	return htmm_error_set(err, EINVAL, "give a name that ends in .png or .svg",
			      "the name '%s' does not say in which format to plot", path);
}

void gnuplot_text(FILE *gnuplot, const char *text)
{
	int len;

	for (; *text; text += len ?: 1) {
		len = out_printable(text);
		/* In quotes these mean something else, or are a command to be run. */
		if (strchr("\"\\`@", *text))
			fprintf(gnuplot, "\\%03o", *text);
		else
			fwrite(len ? text : "?", 1, len ?: 1, gnuplot);
	}
}

/* Starts gnuplot, which draws into @picture; its input is the other end of *@script. */
static pid_t start_gnuplot(int picture, FILE **script)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(ends[0], STDIN_FILENO);
		dup2(picture, STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execlp("gnuplot", "gnuplot", (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	*script = pid < 0 ? NULL : fdopen(ends[1], "w");
	if (!*script)
		close(ends[1]);
	return pid;
}

/* Returns gnuplot's exit status, or -1 if there is none. */
static int plot(int picture, const char *terminal, void (*script)(FILE *gnuplot, const void *arg),
		const void *arg)
{
	FILE *gnuplot = NULL;
	int status = -1;
	pid_t pid;

	/* If gnuplot ends early, report an error and do not die of SIGPIPE. */
	signal(SIGPIPE, SIG_IGN);
	pid = start_gnuplot(picture, &gnuplot);
	if (gnuplot) {
		fprintf(gnuplot, "set terminal %s ", terminal);
		script(gnuplot, arg);
		fclose(gnuplot);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int write_picture(int picture, const char *path, struct htmm_error *err)
{
	FILE *file = fopen(path, "we");
	char bytes[4096];
	ssize_t got;
	off_t at;

	for (at = 0; file && (got = pread(picture, bytes, sizeof(bytes), at)) > 0; at += got)
		fwrite(bytes, 1, got, file);
	if (!file || ferror(file) | fclose(file))
		return htmm_error_set(err, errno, "choose another file with --plot",
				      "cannot write '%s': %s", path, strerror(errno));
	return 0;
}

/* Draws into memory. Returns a file descriptor or a negative errno. */
static int draw(const char *terminal, const char *path,
		void (*script)(FILE *gnuplot, const void *arg), const void *arg,
		struct htmm_error *err)
{
	int picture = memfd_create("picture", MFD_CLOEXEC);
	int status = picture < 0 ? -1 : plot(picture, terminal, script, arg);

	if (!status)
		return picture;
	if (picture >= 0)
		close(picture);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return htmm_error_set(err, ENOENT, "apt-get install gnuplot-nox",
				      "cannot plot without gnuplot");
	return htmm_error_set(err, EIO, "see what it said above", "gnuplot could not plot '%s'",
			      path);
}

/* Draws in memory first, as gnuplot does not report a full disk. */
int gnuplot_draw(const char *path, void (*script)(FILE *gnuplot, const void *arg),
		 const void *arg, struct htmm_error *err)
{
	int picture = draw(terminal_of(path), path, script, arg, err), ret;

	if (picture < 0)
		return picture;
	ret = write_picture(picture, path, err);
	close(picture);
	return ret;
}

int gnuplot_svg(const char *path, void (*script)(FILE *gnuplot, const void *arg),
		const void *arg, struct htmm_error *err)
{
	return draw("svg", path, script, arg, err);
}
