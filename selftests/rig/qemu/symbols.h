/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of QEMU that are not part of its plugin interface. QEMU's binary
 * exports all its symbols, so they are found by name; what is known of them is
 * known of QEMU 7.2, and any other version is refused.
 */
#ifndef RIG_SYMBOLS_H
#define RIG_SYMBOLS_H

#include <stdbool.h>

/**
 * symbols_version() - is this QEMU the one whose symbols are known?
 *
 * Return: false, with the reason on stderr, if not.
 */
bool symbols_version(void);

/**
 * symbols_bind() - find a function or variable of QEMU
 * @pointer: the pointer to be set to it
 * @name: its name
 *
 * Return: false, with the reason on stderr, if this QEMU does not export it.
 */
bool symbols_bind(void *pointer, const char *name);

#endif /* RIG_SYMBOLS_H */
