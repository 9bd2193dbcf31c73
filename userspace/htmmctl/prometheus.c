// SPDX-License-Identifier: GPL-2.0
#include "output.h"
#include "prometheus.h"

void prom_begin(struct prom *prom, FILE *file, const char *name, const char *type,
		const char *help)
{
	*prom = (struct prom){ .file = file, .name = name };
	fprintf(file, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void prom_label(struct prom *prom, const char *name, const char *value)
{
	int len;

	if (!prom->labels)
		fputs(prom->name, prom->file);
	fprintf(prom->file, "%c%s=\"", prom->labels++ ? ',' : '{', name);
	for (; *value; value += len ?: 1) {
		len = out_utf8(value);
		if (*value == '\n')
			fputs("\\n", prom->file);
		else if (*value == '\\' || *value == '"')
			fprintf(prom->file, "\\%c", *value);
		else if (len > 1)
			fwrite(value, 1, len, prom->file);
		else
			/* Labels must be UTF-8, but names may have any bytes. */
			fputc(len ? out_char(*value) : '?', prom->file);
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
