// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input.h"

int perfdata_input_init(struct perfdata_input *input, int fd, __u64 offset)
{
	memset(input, 0, sizeof(*input));
	input->fd = fd;
	input->offset = offset;
	input->limit = ~0ULL;
	input->buf = malloc(PERFDATA_WINDOW);
	return input->buf ? 0 : -ENOMEM;
}

void perfdata_input_free(struct perfdata_input *input)
{
	free(input->buf);
	input->buf = NULL;
}

/* Free bytes in the window, but not beyond the limit. */
static size_t room(const struct perfdata_input *input)
{
	size_t held = input->end - input->begin;
	__u64 left = input->limit - input->offset - held;

	return left < PERFDATA_WINDOW - input->end ? left : PERFDATA_WINDOW - input->end;
}

bool perfdata_input_fill(struct perfdata_input *input, size_t size)
{
	if (size > PERFDATA_WINDOW || input->code)
		return false;
	memmove(input->buf, input->buf + input->begin, input->end - input->begin);
	input->end -= input->begin;
	input->begin = 0;
	while (input->end < size) {
		ssize_t got = read(input->fd, input->buf + input->end, room(input));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			input->code = errno;
		if (got <= 0)
			return false;
		input->end += got;
	}
	return true;
}

bool perfdata_input_skip(struct perfdata_input *input, __u64 size)
{
	while (size) {
		size_t step = input->end - input->begin;

		if (!step && !perfdata_input_peek(input, 1))
			return false;
		step = input->end - input->begin;
		if (step > size)
			step = size;
		perfdata_input_take(input, step);
		size -= step;
	}
	return true;
}
