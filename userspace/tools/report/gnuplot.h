/* SPDX-License-Identifier: GPL-2.0 */
/* Pictures, drawn by gnuplot. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include <stdio.h>
#include <htmm/error.h>

/**
 * gnuplot_check() - check that a picture's name says its format
 * @path: the name
 * @err: says if it does not
 *
 * Return: 0 or -EINVAL.
 */
int gnuplot_check(const char *path, struct htmm_error *err);

/**
 * gnuplot_draw() - draw a picture
 * @path: the file to write, checked by gnuplot_check()
 * @script: writes the script, after the terminal is set but for its size: the rest of the
 *	line "set terminal NAME "
 * @arg: for @script
 * @err: says why there is no picture
 *
 * Return: 0 or a negative errno.
 */
int gnuplot_draw(const char *path, void (*script)(FILE *gnuplot, const void *arg),
		 const void *arg, struct htmm_error *err);

/**
 * gnuplot_svg() - draw a picture that becomes a part of a file
 * @path: the file, for what is said
 * @script: as for gnuplot_draw()
 * @arg: for @script
 * @err: says why there is no picture
 *
 * Return: a file descriptor with an SVG file in it, or a negative errno.
 */
int gnuplot_svg(const char *path, void (*script)(FILE *gnuplot, const void *arg),
		const void *arg, struct htmm_error *err);

/* Prints a text that is not trusted for gnuplot's double quotes; it is to be "noenhanced". */
void gnuplot_text(FILE *gnuplot, const char *text);

#endif /* REPORT_GNUPLOT_H */
