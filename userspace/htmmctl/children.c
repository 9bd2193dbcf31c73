// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include "children.h"

/* Each thread has its own, /proc/PID/task/TID/children. */
static void each_of_thread(const char *tasks, const char *tid,
			   void (*call)(void *value, pid_t child), void *value)
{
	char path[320];
	FILE *file;
	pid_t child;

	snprintf(path, sizeof(path), "%s/%s/children", tasks, tid);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		call(value, child);
	if (file)
		fclose(file);
}

void children_each(pid_t pid, void (*call)(void *value, pid_t child), void *value)
{
	struct dirent *entry;
	char tasks[32];
	DIR *dir;

	snprintf(tasks, sizeof(tasks), "/proc/%d/task", pid);
	dir = opendir(tasks);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			each_of_thread(tasks, entry->d_name, call, value);
	if (dir)
		closedir(dir);
}
