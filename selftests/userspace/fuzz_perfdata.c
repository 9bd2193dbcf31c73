// SPDX-License-Identifier: GPL-2.0
/* libFuzzer: any bytes as a perf.data, read and reported. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "report/panel.h"
#include "report/report.h"

static void read_all(struct perfdata_reader *reader)
{
	const struct report_config config = {
		.store = { .max_bytes = 256 * 1024, .capacity = 16, .cooling_period = 64 },
	};
	struct perfdata_sample sample;
	struct panels panels = {};
	struct htmm_error err = {};
	struct report report;

	if (!report_init(&report, &config, &err)) {
		while (perfdata_reader_read(reader, &sample, 1, &err) > 0) {
			report_feed(&report, &sample, 1);
			free(perfdata_other(&sample));
		}
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

	if (fd < 0)
		return 0;
	if (write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET)) {
		close(fd);
		return 0;
	}
	if (!perfdata_reader_open_fd(&reader, fd, &err)) {
		read_all(reader);
		perfdata_reader_close(reader);
	}
	return 0;
}
