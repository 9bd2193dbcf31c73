// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "module.h"

bool module_find(char *path, size_t room)
{
	const char *given = getenv("HTMM_KO");
	FILE *pipe;

	if (given) {
		snprintf(path, room, "%s", given);
		return !access(path, R_OK);
	}
	pipe = popen("modinfo -n htmm 2>/dev/null", "r");
	if (!pipe)
		return false;
	if (!fgets(path, room, pipe))
		path[0] = '\0';
	pclose(pipe);
	strtok(path, "\n");
	return !access(path, R_OK);
}

int module_load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

int module_unload(void)
{
	return syscall(SYS_delete_module, "htmm", O_NONBLOCK) ? -errno : 0;
}

bool kernel_checks_itself(void)
{
	return !access("/sys/kernel/debug/kmemleak", F_OK);
}

bool few_rounds(void)
{
	return kernel_checks_itself() || getenv("KSELFTEST_FEW_ROUNDS");
}

int module_users(void)
{
	FILE *file = fopen("/sys/module/htmm/refcnt", "re");
	int users = 0;

	if (file && fscanf(file, "%d", &users) != 1)
		users = 0;
	if (file)
		fclose(file);
	return users;
}

int module_areas(void)
{
	FILE *file = fopen("/proc/vmallocinfo", "re");
	char line[512];
	int areas = 0;

	while (file && fgets(line, sizeof(line), file))
		areas += strstr(line, "[htmm]") && !strstr(line, "module_alloc");
	if (file)
		fclose(file);
	return areas;
}
