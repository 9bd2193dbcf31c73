// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "htmmctl/command.h"
#include "htmmctl/output.h"
#include "metrics.h"

void prom_begin(struct prom *prom, FILE *file, const char *name, const char *help)
{
	static const char total[] = "_total";
	const size_t len = strlen(name), tail = strlen(total);
	const bool counter = len > tail && !strcmp(name + len - tail, total);

	*prom = (struct prom){ .file = file, .name = name };
	fprintf(file, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		counter ? "counter" : "gauge");
}

void prom_label(struct prom *prom, const char *name, const char *value)
{
	int len;

	if (!prom->labels)
		fputs(prom->name, prom->file);
	fprintf(prom->file, "%c%s=\"", prom->labels++ ? ',' : '{', name);
	for (; *value; value += len ?: 1) {
		len = out_printable(value);
		if (*value == '\n')
			fputs("\\n", prom->file);
		else if (*value == '\\' || *value == '"')
			fprintf(prom->file, "\\%c", *value);
		else
			/* Labels must be UTF-8, but names may have any bytes. */
			fwrite(len ? value : "?", 1, len ?: 1, prom->file);
	}
	fputc('"', prom->file);
}

void prom_label_u64(struct prom *prom, const char *name, __u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", value);
	prom_label(prom, name, text);
}

void prom_value(struct prom *prom, double value)
{
	if (!prom->labels)
		fputs(prom->name, prom->file);
	fprintf(prom->file, "%s %.17g\n", prom->labels ? "}" : "", value);
	prom->labels = 0;
}

static double value_of(const struct metric *metric, const void *from)
{
	const char *at = (const char *)from + metric->at;
	__u64 value = metric->size == sizeof(__u32) ? *(const __u32 *)at : *(const __u64 *)at;

	return metric->unit ? value * metric->unit : value;
}

void metrics_write(FILE *file, const struct metric *metrics, size_t nr,
		   const void *(*item)(struct prom *prom, const void *arg, size_t number),
		   const void *arg)
{
	struct prom prom;
	size_t i;

	for (; metrics->name; metrics++) {
		prom_begin(&prom, file, metrics->name, metrics->help);
		for (i = 0; i < nr; i++)
			prom_value(&prom, value_of(metrics, item ? item(&prom, arg, i) : arg));
	}
}

static int cannot_write(const char *path, struct htmm_error *err)
{
	return htmm_error_set(err, errno, NULL, "cannot write %s: %s", path, strerror(errno));
}

/*
 * A file that nobody else can have put there, even where others may write in the directory, with
 * the rights of any new file. @template is as for mkstemp(). NULL: see errno.
 */
static FILE *open_new(char *template)
{
	const mode_t mask = umask(0);
	const int fd = mkostemp(template, O_CLOEXEC);

	umask(mask);
	if (fd < 0)
		return NULL;
	fchmod(fd, 0666 & ~mask);
	return fdopen(fd, "w");
}

void metrics_remove(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

int metrics_replace(const char *path, void (*write)(FILE *file, const void *arg), const void *arg,
		    struct htmm_error *err)
{
	struct stat st;
	char *new;
	FILE *file;
	int ret;

	/* A pipe or a device stays what it is. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		file = fopen(path, "we");
		if (!file)
			return cannot_write(path, err);
		write(file, arg);
		return out_close(file, path, err);
	}
	if (asprintf(&new, "%s.XXXXXX", path) < 0)
		return no_memory(err);
	file = open_new(new);
	if (!file) {
		ret = cannot_write(path, err);
		free(new);
		return ret;
	}
	write(file, arg);
	ret = out_close(file, new, err);
	if (!ret && rename(new, path))
		ret = cannot_write(path, err);
	if (ret)
		unlink(new);
	free(new);
	return ret;
}
