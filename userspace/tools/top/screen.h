/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal of `top`, with ncurses. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <stdbool.h>
#include "top.h"

/**
 * screen_open() - take over the terminal
 *
 * Return: false if stdout is no terminal, or it cannot move its cursor.
 */
bool screen_open(void);

/**
 * screen_close() - restore the terminal
 */
void screen_close(void);

/**
 * screen_draw() - show everything
 * @top: what to show
 */
void screen_draw(const struct top *top);

/**
 * screen_resize() - take the terminal's new size
 */
void screen_resize(void);

/**
 * screen_key() - read a key
 *
 * Return: a character or enum top_key; negative: no key was pressed.
 */
int screen_key(void);

/**
 * screen_page() - tell how many mappings fit on the screen
 *
 * Return: their number, as of the last screen_draw(); at least 1.
 */
size_t screen_page(void);

#endif /* TOP_SCREEN_H */
