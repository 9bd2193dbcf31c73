// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <htmm/text.h>

/* Longer words are never near another one. */
#define WORD_MAX_LEN	40

/* Reads the digits at the start of @text; *@end points behind them. */
static int parse_digits(const char *text, __s64 *value, const char **end)
{
	bool minus = *text == '-';
	const char *digits = text + minus;
	unsigned long long number;
	char *stop;
	int base = 10;

	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		base = 16;
	/* strtoull() would accept blanks, further signs, or "0x" alone. */
	if (!isxdigit((unsigned char)digits[base == 16 ? 2 : 0]))
		return -EINVAL;

	errno = 0;
	number = strtoull(digits, &stop, base);
	*end = stop;
	if (stop == digits)
		return -EINVAL;
	if (errno == ERANGE || number > LLONG_MAX)
		return -ERANGE;
	*value = minus ? -(__s64)number : (__s64)number;
	return 0;
}

static int range_error(const char *text, bool small, __s64 min, __s64 max, struct htmm_error *err)
{
	char todo[96];

	if (small && max == LLONG_MAX)
		snprintf(todo, sizeof(todo), "give %lld or more", min);
	else
		snprintf(todo, sizeof(todo), "give a value from %lld to %lld", min, max);
	return htmm_error_set(err, ERANGE, todo, "%s is out of range", text);
}

int htmm_parse_number(const char *text, __s64 min, __s64 max, __s64 *value, struct htmm_error *err)
{
	const char *end = text;
	__s64 number;
	int ret;

	ret = parse_digits(text, &number, &end);
	if (ret == -EINVAL || *end)
		return htmm_error_set(err, EINVAL, "give a whole number, decimal or 0x...",
				      "'%s' is not a number", text);
	if (ret || number < min || number > max)
		return range_error(text, !ret && number < min, min, max, err);
	*value = number;
	return 0;
}

/* The number of bits by which a size's suffix shifts, or -1. */
static int suffix_shift(const char *suffix)
{
	static const char units[] = "KMGT";
	const char *unit;

	if (!*suffix || !strcmp(suffix, "B"))
		return 0;
	if (!strcmp(suffix, "p") || !strcmp(suffix, "pages"))
		return 12;
	unit = strchr(units, toupper((unsigned char)*suffix));
	if (!unit)
		return -1;
	if (suffix[1] && strcmp(suffix + 1, "B") && strcmp(suffix + 1, "iB"))
		return -1;
	return 10 * (int)(unit - units + 1);
}

int htmm_parse_size(const char *text, __s64 min, __s64 max, __s64 *value, struct htmm_error *err)
{
	const char *end = text;
	__s64 number;
	int ret, shift;

	ret = parse_digits(text, &number, &end);
	shift = suffix_shift(end);
	if (ret == -EINVAL || shift < 0)
		return htmm_error_set(err, EINVAL,
				      "give bytes, or a number with K, M, G, T or p (4 KiB pages)",
				      "'%s' is not a size", text);
	if (ret || number < 0 || number > (LLONG_MAX >> shift) ||
	    number << shift < min || number << shift > max)
		return range_error(text, !ret && number <= LLONG_MAX >> shift, min, max, err);
	*value = number << shift;
	return 0;
}

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Edit distance: insertions, deletions and replacements of letters. */
static unsigned int distance(const char *a, const char *b)
{
	size_t len_a = strlen(a), len_b = strlen(b), i, j;
	unsigned int row[WORD_MAX_LEN + 1];

	if (len_a > WORD_MAX_LEN || len_b > WORD_MAX_LEN)
		return WORD_MAX_LEN;

	for (j = 0; j <= len_b; j++)
		row[j] = j;
	for (i = 1; i <= len_a; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (j = 1; j <= len_b; j++) {
			unsigned int change = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = smaller(change, smaller(row[j], row[j - 1]) + 1);
		}
	}
	return row[len_b];
}

const char *htmm_nearest(const char *word, const char *const *words, size_t nr)
{
	size_t len = strlen(word), i;
	unsigned int best = smaller(2 + len / 3, WORD_MAX_LEN);
	const char *found = NULL;

	for (i = 0; i < nr; i++) {
		unsigned int d = distance(word, words[i]);

		/* The start of a word counts as near as one wrong letter. */
		if (len >= 2 && !strncmp(word, words[i], len))
			d = smaller(d, 1);
		if (d < best) {
			best = d;
			found = words[i];
		}
	}
	return found;
}

int htmm_read_line(char *line, size_t size, const char *path, ...)
{
	char name[PATH_MAX];
	ssize_t got;
	va_list args;
	int fd;

	*line = '\0';
	va_start(args, path);
	vsnprintf(name, sizeof(name), path, args);
	va_end(args);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, line, size - 1);
	close(fd);
	line[got > 0 ? got : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return got > 0 ? 0 : -ENOENT;
}
