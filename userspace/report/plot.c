// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "view.h"

#define WIDTH		1200
#define PANEL_HEIGHT	260
#define MARGIN		90
/* Marks on the address axis of each panel. */
#define TICS		4

static const char *terminal_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".png"))
		return "pngcairo";
	if (dot && !strcmp(dot, ".svg"))
		return "svg";
	return NULL;
}

int report_plot_check(const char *path, struct htmm_error *err)
{
	if (terminal_of(path))
		return 0;
	return htmm_error_set(err, EINVAL, "give a name that ends in .png or .svg",
			      "'%s' says not in which format to plot", path);
}

/* Prints a text for gnuplot's double quotes, without characters that are special there. */
static void print_text(FILE *gnuplot, const char *text)
{
	for (; *text; text++)
		fputc(strchr("\"\\`$@{}^_~&", *text) || (unsigned char)*text < ' ' ? ' ' : *text,
		      gnuplot);
}

/* gnuplot draws no image of a single row or column, so it is doubled. */
static unsigned int at_least_two(unsigned int nr)
{
	return nr < 2 ? 2 : nr;
}

static void print_data(FILE *gnuplot, const struct report_view *view, unsigned int p, __u64 *cells)
{
	const struct panel *panel = &view->panels.panel[p];
	unsigned int rows = at_least_two(panel->rows), columns = view->panels.columns;
	unsigned int row, i;

	fprintf(gnuplot, "$panel%u << END\n", p);
	for (row = 0; row < rows; row++) {
		panels_row(&view->panels, view->report->heat, panel, row % panel->rows, cells);
		for (i = 0; i < at_least_two(columns); i++)
			fprintf(gnuplot, "%llu ", cells[i % columns]);
		fputc('\n', gnuplot);
	}
	fputs("END\n", gnuplot);
}

static void print_tics(FILE *gnuplot, const struct panel *panel)
{
	unsigned int i;

	fputs("set ytics (", gnuplot);
	for (i = 0; i <= TICS; i++)
		fprintf(gnuplot, "%s\"%llx\" %f", i ? ", " : "",
			panel->start + (panel->end - panel->start) / TICS * i,
			(double)panel->rows * i / TICS);
	fputs(")\n", gnuplot);
}

static void print_title(FILE *gnuplot, const struct report_view *view, const struct panel *panel)
{
	const struct space *space = &view->report->tasks.space[panel->space];
	unsigned int others;

	fprintf(gnuplot, "set title \"pid %u ", space->pid);
	print_text(gnuplot, space->comm);
	fputs(", ", gnuplot);
	print_text(gnuplot, panels_mapping(view->report, panel, &others));
	if (others)
		fprintf(gnuplot, " and %u more", others);
	fprintf(gnuplot, ": %llu samples\" noenhanced\n", panel->samples);
}

static void print_panel(FILE *gnuplot, const struct report_view *view, unsigned int p)
{
	const struct panel *panel = &view->panels.panel[p];
	double seconds = (double)report_column_ns(view) / 1e9 * view->panels.columns;

	print_title(gnuplot, view, panel);
	print_tics(gnuplot, panel);
	fprintf(gnuplot, "set xrange [0:%f]\nset yrange [0:%u]\n", seconds, panel->rows);
	/*
	 * Shift by half: the corners of cells, not their centres, are at whole numbers.
	 * Empty cells are dark.
	 */
	fprintf(gnuplot, "plot $panel%u matrix using (($1+0.5)*%f):(($2+0.5)*%f):", p,
		seconds / at_least_two(view->panels.columns),
		(double)panel->rows / at_least_two(panel->rows));
	fputs("($3 > 0 ? $3 : NaN) with image notitle\n", gnuplot);
}

static void print_script(FILE *gnuplot, const char *terminal, const struct report_view *view,
			 __u64 *cells)
{
	__u64 most = panels_most(&view->panels, view->report->heat);
	unsigned int p, nr = view->panels.nr;

	for (p = 0; p < nr; p++)
		print_data(gnuplot, view, p, cells);
	fprintf(gnuplot, "set terminal %s size %d,%d\nset multiplot layout %u,1\n", terminal, WIDTH,
		MARGIN + (int)nr * PANEL_HEIGHT, nr);
	fputs("set palette defined (0 '#1b1f7a', 1 '#7a1fa2', 2 '#d32f2f', 3 '#ffb74d')\n"
	      "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#101018'\n"
	      "set logscale cb\nset cblabel 'samples'\nset xlabel 'seconds'\n"
	      "set ylabel 'address'\nset lmargin 18\nset tics out nomirror\n", gnuplot);
	fprintf(gnuplot, "set cbrange [1:%llu]\n", most > 1 ? most : 10);
	for (p = 0; p < nr; p++)
		print_panel(gnuplot, view, p);
	fputs("unset multiplot\n", gnuplot);
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
static int plot(int picture, const char *terminal, const struct report_view *view)
{
	__u64 *cells = calloc(view->panels.columns + 1UL, sizeof(*cells));
	FILE *script = NULL;
	int status = -1;
	pid_t pid;

	if (!cells)
		return -1;
	/* If gnuplot ends early, report an error and do not die of SIGPIPE. */
	signal(SIGPIPE, SIG_IGN);
	pid = start_gnuplot(picture, &script);
	if (script) {
		print_script(script, terminal, view, cells);
		fclose(script);
	}
	free(cells);
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

/* Draws in memory first, as gnuplot does not report a full disk. */
int report_plot(const char *path, const struct report_view *view, struct htmm_error *err)
{
	int picture, status, ret;

	if (!view->panels.nr)
		return htmm_error_set(err, ENODATA, "record times with the samples",
				      "there is no heat map to plot");
	picture = memfd_create("picture", MFD_CLOEXEC);
	status = picture < 0 ? -1 : plot(picture, terminal_of(path), view);
	if (!status)
		ret = write_picture(picture, path, err);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		ret = htmm_error_set(err, ENOENT, "apt-get install gnuplot-nox",
				     "cannot plot without gnuplot");
	else
		ret = htmm_error_set(err, EIO, "see what it said above",
				     "gnuplot could not plot '%s'", path);
	if (picture >= 0)
		close(picture);
	return ret;
}
