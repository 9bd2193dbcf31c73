// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "files.h"

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

void file_clear(const char *path)
{
	close(open(path, O_WRONLY | O_TRUNC | O_CLOEXEC));
}

long file_number(const char *path)
{
	FILE *file = fopen(path, "r");
	long value;

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

int file_read(const char *path, char *line, size_t room)
{
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (!file)
		return -errno;
	if (!fgets(line, room, file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

long file_value(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	char line[128], what[64];
	long value = -1, n;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63[^: ]%*[: ]%ld", what, &n) == 2 && !strcmp(what, name))
			value = n;
	if (file)
		fclose(file);
	return value;
}
