// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include "files.h"
#include "probe.h"

#define TRACING		"/sys/kernel/tracing/"
#define PROBES		TRACING "kprobe_events"
#define ENABLE		TRACING "events/htmm_test/calls/enable"

int probe_begin(const char *function)
{
	char text[96];
	int ret;

	/* That of a test that did not come to its end. */
	probe_end();
	snprintf(text, sizeof(text), "p:htmm_test/calls htmm:%s", function);
	ret = file_write(PROBES, text);
	return ret ? ret : file_write(ENABLE, "1");
}

long probe_calls(void)
{
	FILE *file = fopen(TRACING "kprobe_profile", "r");
	long hits, calls = -1;
	char name[64];

	while (file && fscanf(file, " %63s %ld %*d", name, &hits) == 2)
		if (!strcmp(name, "calls"))
			calls = hits;
	if (file)
		fclose(file);
	return calls;
}

void probe_end(void)
{
	file_write(ENABLE, "0");
	file_write(PROBES, "-:htmm_test/calls");
}
