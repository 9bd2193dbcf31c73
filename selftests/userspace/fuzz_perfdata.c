// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer: any bytes as a perf.data, read and reported, or refused with a sentence. Each sample
 * is counted once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "report/panel.h"
#include "report/report.h"

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	printf("# %s\n", what);
	fflush(stdout);
	abort();
}

static __u64 counted(const struct report_counts *counts)
{
	return counts->samples + counts->no_addr + counts->no_data + counts->kernel_addr +
	       counts->filtered + counts->guest + counts->no_process + counts->near +
	       counts->no_memory;
}

static void read_all(struct perfdata_reader *reader)
{
	const struct report_config config = {
		.store = { .max_bytes = 256 * 1024, .capacity = 16, .cooling_period = 64 },
	};
	struct perfdata_status status;
	struct perfdata_sample sample;
	struct panels panels = {};
	struct htmm_error err = {};
	struct report report;
	__u64 samples = 0;
	int ret;

	if (!report_init(&report, &config, &err)) {
		while ((ret = perfdata_reader_read(reader, &sample, 1, &err)) > 0) {
			samples += !perfdata_other(&sample);
			report_feed(&report, &sample, 1);
			free(perfdata_other(&sample));
		}
		must(!ret || (err.code == -ret && *err.what), "an error that is not told");
		must(counted(&report.counts) == samples, "samples that are not counted once");
		perfdata_reader_status(reader, &status);
		must(status.records >= samples && (!status.size || status.offset <= status.size),
		     "a status that cannot be");
		if (!report_finish(&report, 10, &err) &&
		    !panels_make(&panels, report.heat, 4, 16, 4))
			panels_most(&panels, report.heat);
	}
	panels_free(&panels);
	report_free(&report);
}

int fuzz_one_input(const unsigned char *data, size_t size);

int fuzz_one_input(const unsigned char *data, size_t size)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	struct perfdata_reader *reader;
	struct htmm_error err = {};
	int ret;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET)) {
		close(fd);
		return 0;
	}
	ret = perfdata_reader_open_fd(&reader, fd, &err);
	if (!ret) {
		read_all(reader);
		perfdata_reader_close(reader);
	} else {
		must(ret < 0 && err.code == -ret && *err.what, "a refusal without a reason");
	}
	return 0;
}
