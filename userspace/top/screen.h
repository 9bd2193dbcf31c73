/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal of `top`, with ncurses. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <stdbool.h>
#include "top.h"

/**
 * screen_open() - take the terminal over
 *
 * Return: false if it is none, or one that cannot move its cursor.
 */
bool screen_open(void);

/**
 * screen_close() - give the terminal back as it was
 */
void screen_close(void);

/**
 * screen_draw() - show everything
 * @top: what there is to show
 */
void screen_draw(const struct top *top);

/**
 * screen_resize() - take the terminal's new size
 */
void screen_resize(void);

/**
 * screen_key() - read a key
 *
 * Return: a character or enum top_key; negative: none is there.
 */
int screen_key(void);

/**
 * screen_page() - tell how many mappings fit
 *
 * Return: their number, as of the last screen_draw(); at least 1.
 */
size_t screen_page(void);

#endif /* TOP_SCREEN_H */
