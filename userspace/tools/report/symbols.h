/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols: the names of functions by their addresses. */
#ifndef REPORT_SYMBOLS_H
#define REPORT_SYMBOLS_H

#include <stddef.h>
#include <linux/types.h>
#include "perfdata/buildid.h"

/**
 * struct symbol - a function
 * @start: its first address
 * @end: the first address after it; 0: up to the next symbol
 * @rank: of symbols with the same start, the one with the highest is taken
 * @name: its name
 */
struct symbol {
	__u64 start;
	__u64 end;
	int rank;
	char *name;
};

/**
 * struct symbols_segment - a part of a file that is loaded
 * @offset: where it begins in the file
 * @size: its bytes there
 * @addr: address that symbols have there
 */
struct symbols_segment {
	__u64 offset;
	__u64 size;
	__u64 addr;
};

/**
 * struct symbols - the functions of a file, or of a process
 * @symbol: the functions, by address
 * @nr: how many there are
 * @segment: the parts of a file that are loaded
 * @nr_segments: how many there are; 0: not a file
 */
struct symbols {
	struct symbol *symbol;
	size_t nr;
	struct symbols_segment *segment;
	size_t nr_segments;

	/* private: */
	size_t room;
	size_t room_segments;
};

/**
 * struct symbols_wanted - what is known of a recorded file
 * @path: where it was
 * @id: its build id
 * @id_bytes: how many bytes of @id are known; 0: none
 * @ino: its inode; 0: not known
 * @by_inode: files with other inodes had the same path
 */
struct symbols_wanted {
	const char *path;
	struct build_id id;
	size_t id_bytes;
	__u64 ino;
	int by_inode;
};

/**
 * symbols_of_file() - read the functions of a program or library
 * @symbols: filled, also if there are none; free it with symbols_free()
 * @wanted: which file
 *
 * A file that is stripped may have its symbols in /usr/lib/debug, by its build id. If the file
 * is not the recorded one any more, perf's cache may have that.
 *
 * Return: 0; -ESTALE: it is another file now; or another negative errno.
 */
int symbols_of_file(struct symbols *symbols, const struct symbols_wanted *wanted);

/**
 * symbols_of_kernel() - read the functions of the running kernel and its modules
 * @symbols: filled, also if there are none; free it with symbols_free()
 * @symbol: a symbol of the recorded kernel
 * @addr: its address there, to which all addresses are moved
 *
 * Names of functions in modules end in " [MODULE]".
 *
 * Return: 0, or a negative errno; -EPERM: the kernel hides its addresses.
 */
int symbols_of_kernel(struct symbols *symbols, const char *symbol, __u64 addr);

/**
 * symbols_of_map() - read the functions that a just-in-time compiler has made
 * @symbols: filled, also if there are none; free it with symbols_free()
 * @path: /tmp/perf-PID.map: lines with start, size and name
 *
 * Return: 0, or a negative errno; -EPERM: it is neither root's nor the user's own.
 */
int symbols_of_map(struct symbols *symbols, const char *path);

/**
 * symbols_find() - find the function of an address
 * @symbols: the functions
 * @at: the address; for a file, the offset in it
 *
 * Return: its name, or NULL.
 */
const char *symbols_find(const struct symbols *symbols, __u64 at);

/**
 * symbols_free() - free all symbols
 * @symbols: the symbols; may be all zero
 */
void symbols_free(struct symbols *symbols);

#endif /* REPORT_SYMBOLS_H */
