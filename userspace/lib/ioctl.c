// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/htmm.h>
#include "ioctl.h"

static const char need_root[] = "run it as root or with CAP_PERFMON";

int htmm_ioctl_error(int code, const char *verb, struct htmm_error *err)
{
	switch (code) {
	case EPERM:
		return htmm_error_set(err, code, need_root, "not permitted to %s", verb);
	case ENODATA:
		return htmm_error_set(err, code, "start one with 'htmmctl start'",
				      "there is no session, running or stopped");
	case EALREADY:
		return htmm_error_set(err, code, "start one with 'htmmctl start'",
				      "no session is running");
	case ESTALE:
		return htmm_error_set(err, code, "see 'htmmctl status'",
				      "the session has ended, and another one may have begun");
	case EOPNOTSUPP:
		return htmm_error_set(err, code, "load a newer module",
				      "the module does not support this way to %s", verb);
	case ENOTTY:
		return htmm_error_set(err, code, "load the module that belongs to this program",
				      "the module does not know how to %s", verb);
	}
	return htmm_error_set(err, code, "see the kernel log (dmesg)", "cannot %s: %s",
			      verb, strerror(code));
}

int htmm_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

static void trim(char *text)
{
	size_t len = strlen(text);

	while (len && strchr(".\n", text[len - 1]))
		text[--len] = '\0';
}

int htmm_ioctl_told(int fd, unsigned long request, void *arg, __u64 *error,
		    __u32 *error_size, char *text)
{
	int ret;

	*text = '\0';
	*error = (__u64)(unsigned long)text;
	*error_size = HTMM_ERROR_LEN;
	ret = htmm_ioctl(fd, request, arg);
	*error = 0;
	*error_size = 0;
	text[HTMM_ERROR_LEN - 1] = '\0';
	trim(text);
	return ret;
}
