// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "command.h"
#include "output.h"

#define WIDTH_MIN	40
#define WIDTH_MAX	400
#define WIDTH_DEFAULT	80

int out_width(FILE *file)
{
	const char *columns = getenv("COLUMNS");
	int width = columns ? atoi(columns) : 0;
	struct winsize size;

	if (width <= 0 && !ioctl(fileno(file), TIOCGWINSZ, &size))
		width = size.ws_col;
	if (width <= 0)
		return WIDTH_DEFAULT;
	return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
}

bool out_wants_colour(FILE *file)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(file)) && !(no_colour && *no_colour) && term && strcmp(term, "dumb");
}

void out_colour(FILE *file, enum colour colour)
{
	static const char *const codes[] = {
		[COLOUR_NONE] = "\033[0m",
		[COLOUR_RED] = "\033[31m",
		[COLOUR_YELLOW] = "\033[33m",
		[COLOUR_GREEN] = "\033[32m",
	};

	if (out_wants_colour(file))
		fputs(codes[colour], file);
}

int out_printable(const char *from)
{
	const int len = out_utf8(from);

	if (len == 1)
		return (unsigned char)*from >= ' ' && *from != 0x7f;
	/* U+FFFE and U+FFFF are no characters, and XML must not have them. */
	if (len == 3 && (!memcmp(from, "\xef\xbf\xbe", 3) || !memcmp(from, "\xef\xbf\xbf", 3)))
		return 0;
	/* U+0080 to U+009F are control characters, too. */
	return len == 2 && from[0] == '\xc2' && from[1] < '\xa0' ? 0 : len;
}

void out_name(FILE *file, const char *name)
{
	int len;

	for (; *name; name += len ?: 1) {
		len = out_printable(name);
		fwrite(len ? name : "?", 1, len ?: 1, file);
	}
}

FILE *out_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

void out_begin(FILE *file)
{
	/* Pipes and terminals have nothing to drop. */
	if (ftruncate(fileno(file), 0))
		return;
}

int out_close(FILE *file, const char *name, struct htmm_error *err)
{
	bool failed = ferror(file);

	errno = EIO;
	if (!fclose(file) && !failed)
		return 0;
	return htmm_error_set(err, errno, NULL, "cannot write %s: %s", name, strerror(errno));
}

void out_bar(FILE *file, __u64 value, __u64 most, int room)
{
	int len = room > 0 && most ? (int)((double)value / (double)most * room) : 0;

	if (room > 0 && value && !len)
		len = 1;
	while (len-- > 0)
		fputc('#', file);
}

const char *size_text(char text[SIZE_TEXT], __u64 bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double size = (double)bytes / 1024;
	size_t unit = 0;

	/* 1023.96 would be printed as 1024.0. */
	for (; size >= 1023.95 && unit + 1 < ARRAY_SIZE(units); unit++)
		size /= 1024;
	snprintf(text, SIZE_TEXT, "%.1f %s", size, units[unit]);
	return text;
}

double percent(__u64 part, __u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

int out_utf8(const char *from)
{
	const unsigned char *text = (const unsigned char *)from;
	int len, i;

	if (*text < 0x80)
		return 1;
	len = *text >= 0xf0 && *text <= 0xf4 ? 4 : *text >= 0xe0 && *text < 0xf0 ? 3 :
	      *text >= 0xc2 && *text < 0xe0 ? 2 : 0;
	for (i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and values beyond U+10FFFF. */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return len;
}

/* Makes valid UTF-8 of any @name: invalid bytes become U+FFFD. The caller frees it. */
static char *utf8_of(const char *name)
{
	const char *from = name;
	char *clean = malloc(3 * strlen(name) + 1), *to = clean;

	if (!clean)
		return NULL;
	while (*from) {
		int len = out_utf8(from);

		if (len) {
			memcpy(to, from, len);
			to += len;
			from += len;
		} else {
			to = stpcpy(to, "\xef\xbf\xbd");
			from++;
		}
	}
	*to = '\0';
	return clean;
}

struct json_object *json_new(void)
{
	struct json_object *obj = json_object_new_object();

	json_add_u64(obj, "schema", JSON_SCHEMA);
	return obj;
}

void json_add(struct json_object *obj, const char *key, struct json_object *value)
{
	json_object_object_add(obj, key, value);
}

void json_add_u64(struct json_object *obj, const char *key, __u64 value)
{
	json_add(obj, key, json_object_new_uint64(value));
}

void json_add_bool(struct json_object *obj, const char *key, bool value)
{
	json_add(obj, key, json_object_new_boolean(value));
}

void json_add_hex(struct json_object *obj, const char *key, __u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", value);
	json_add(obj, key, json_object_new_string(text));
}

void json_add_name(struct json_object *obj, const char *key, const char *name)
{
	char *clean = utf8_of(name);

	json_add(obj, key, clean ? json_object_new_string(clean) : NULL);
	free(clean);
}

void json_add_under_name(struct json_object *obj, const char *name, struct json_object *value)
{
	char *clean = utf8_of(name);

	json_add(obj, clean ?: "?", value);
	free(clean);
}

static const char *json_text(struct json_object *obj)
{
	return json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN |
						   JSON_C_TO_STRING_NOSLASHESCAPE);
}

void json_begin(FILE *file, struct json_object *obj)
{
	const char *text = json_text(obj);

	fwrite(text, 1, strlen(text) - 1, file);
	json_object_put(obj);
}

void json_write(FILE *file, struct json_object *obj)
{
	fputs(json_text(obj), file);
	json_object_put(obj);
}

void json_print(FILE *file, struct json_object *obj)
{
	json_write(file, obj);
	fputc('\n', file);
}
