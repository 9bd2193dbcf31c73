/* SPDX-License-Identifier: GPL-2.0 */
/* Requests of the tests to the system; any failure ends the tests. */
#ifndef PEBS_SYSTEM_H
#define PEBS_SYSTEM_H

#include <linux/types.h>
#include <stdbool.h>

/**
 * bail_out() - end the tests
 * @what: what could not be done; errno says why
 * @name: the object that it concerns
 */
void bail_out(const char *what, const char *name);

/**
 * fail() - print why a test failed
 * @fmt: printf() format of a line of detail
 *
 * Return: false.
 */
bool fail(const char *fmt, ...);

/** write_number() - write a number to a file in /proc or /sys */
void write_number(const char *path, unsigned long value);

/** read_number() - read a number from a file in /proc or /sys */
__u64 read_number(const char *path);

/** max_rate() - samples a second that perf allows before it throttles */
__u64 max_rate(void);

/** set_max_rate() - set that number */
void set_max_rate(unsigned long rate);

/** set_online() - plug or unplug a CPU */
void set_online(int cpu, bool online);

/** pin() - run on one CPU from now on */
void pin(int cpu);

#endif /* PEBS_SYSTEM_H */
