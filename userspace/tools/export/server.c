// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "htmmctl/clock.h"
#include "htmmctl/command.h"
#include "htmmctl/signals.h"
#include "server.h"

/* How long a request and its answer may take: nobody else is answered meanwhile. */
#define MOST_MS		5000
/* For what a client still sends when it has its reply. */
#define LINGER_MS	500
/* How long to wait for files or memory that others hold. */
#define ACCEPT_AGAIN_MS	100
/* The most bytes of a request. Prometheus sends a few hundred. */
#define REQUEST_BYTES	8192

#define WHERE_HELP	"give a port, as 9843, or an address and a port, as 0.0.0.0:9843 or [::]:9843"

/* Cuts [ADDRESS:]PORT into its parts. Returns the port, or NULL. */
static char *split(char *where, const char **address)
{
	char *colon = strrchr(where, ':');

	*address = "127.0.0.1";
	if (!colon)
		return where;
	*colon = '\0';
	if (*where == '[' && colon[-1] == ']') {
		colon[-1] = '\0';
		*address = where + 1;
	} else if (!strchr(where, ':')) {
		*address = where;
	} else {
		return NULL;
	}
	return colon + 1;
}

static struct addrinfo *resolve(const char *where)
{
	const struct addrinfo hints = {
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM,
	};
	char *copy = strdup(where);
	struct addrinfo *found = NULL;
	const char *address;
	const char *port = copy ? split(copy, &address) : NULL;

	/* getaddrinfo() takes only the lowest 16 bits of a larger number. */
	if (port && *port && *address && strtoul(port, NULL, 10) < 65536 &&
	    getaddrinfo(address, port, &hints, &found))
		found = NULL;
	free(copy);
	return found;
}

/* Says where it answers: port 0 lets the kernel choose. */
static void tell_address(int fd)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	char host[64], port[16];

	if (getsockname(fd, (struct sockaddr *)&address, &len) ||
	    getnameinfo((struct sockaddr *)&address, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	notice(address.ss_family == AF_INET6 ? "listening at http://[%s]:%s/metrics" :
					       "listening at http://%s:%s/metrics", host, port);
}

int server_open(const char *where, struct htmm_error *err)
{
	struct addrinfo *at = resolve(where);
	const int on = 1;
	int fd, ret = 0;

	if (!at)
		return htmm_error_set(err, EINVAL, WHERE_HELP,
				      "'%s' is not an address to listen at", where);
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, SOMAXCONN))
		ret = htmm_error_set(err, errno, "choose another address or port",
				     "cannot listen at %s: %s", where, strerror(errno));
	freeaddrinfo(at);
	if (ret && fd >= 0)
		close(fd);
	if (ret)
		return ret;
	tell_address(fd);
	return fd;
}

static bool wait_for(int fd, short what, __u64 until)
{
	struct pollfd poll_fd = { .fd = fd, .events = what };
	const __u64 now = now_ms();

	return now < until && poll(&poll_fd, 1, (int)(until - now)) > 0;
}

/* Reads up to the empty line, after which there is nothing of interest. */
static bool read_request(int fd, char *request, __u64 until)
{
	size_t used = 0;
	ssize_t got;

	do {
		if (used == REQUEST_BYTES || !wait_for(fd, POLLIN, until))
			return false;
		got = recv(fd, request + used, REQUEST_BYTES - used, MSG_DONTWAIT);
		if (got <= 0)
			return false;
		used += got;
		request[used] = '\0';
	} while (!strstr(request, "\r\n\r\n") && !strstr(request, "\n\n"));
	return true;
}

static bool send_bytes(int fd, const char *bytes, size_t len, __u64 until)
{
	while (len) {
		ssize_t sent;

		if (!wait_for(fd, POLLOUT, until))
			return false;
		sent = send(fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0)
			return false;
		bytes += sent;
		len -= sent;
	}
	return true;
}

static void reply(int fd, const char *status, const char *text, size_t len, __u64 until)
{
	char head[256];

	snprintf(head, sizeof(head),
		 "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
		 "Content-Length: %zu\r\nConnection: close\r\n\r\n", status, len);
	if (send_bytes(fd, head, strlen(head), until))
		send_bytes(fd, text, len, until);
}

static void reply_metrics(int fd, server_answer *answer, void *arg)
{
	struct htmm_error err = {};
	char *text = NULL;
	char why[sizeof(err.what) + sizeof(err.todo) + 4];
	size_t len = 0;
	__u64 until;
	int ret = answer(arg, &text, &len, &err);

	/* That may take long where targets are large. */
	until = now_ms() + MOST_MS;
	if (!ret) {
		reply(fd, "200 OK", text, len, until);
	} else {
		snprintf(why, sizeof(why), "%s%s%s\n", err.what, *err.todo ? "; " : "", err.todo);
		reply(fd, "503 Service Unavailable", why, strlen(why), until);
	}
	free(text);
}

/* Is it a request for this path, with or without a query? */
static bool asks_for(const char *request, const char *path)
{
	const size_t len = strlen(path);

	return !strncmp(request, "GET ", 4) && !strncmp(request + 4, path, len) &&
	       strchr(" ?\r\n", request[4 + len]);
}

static void serve(int fd, server_answer *answer, void *arg)
{
	static const char where[] = "the metrics are at /metrics\n";
	char request[REQUEST_BYTES + 1];
	const __u64 until = now_ms() + MOST_MS;

	if (!read_request(fd, request, until))
		reply(fd, "400 Bad Request", "", 0, until);
	else if (asks_for(request, "/metrics"))
		reply_metrics(fd, answer, arg);
	else if (!strncmp(request, "GET ", 4))
		reply(fd, "404 Not Found", where, strlen(where), until);
	else
		reply(fd, "405 Method Not Allowed", where, strlen(where), until);
}

/*
 * close() resets the connection if there is something that nobody read, such as the body of a
 * request that was refused; the reply may be lost then.
 */
static void hang_up(int fd)
{
	const __u64 until = now_ms() + LINGER_MS;
	char rest[REQUEST_BYTES];

	shutdown(fd, SHUT_WR);
	while (wait_for(fd, POLLIN, until) && recv(fd, rest, sizeof(rest), MSG_DONTWAIT) > 0)
		;
	close(fd);
}

int server_run(int fd, server_answer *answer, void *arg, struct htmm_error *err)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLIN }, { .events = POLLIN } };
	struct signals signals;

	signals_block(&signals);
	fds[1].fd = signals_fd(&signals, SIGCHLD);
	if (fds[1].fd < 0)
		return htmm_error_set(err, -fds[1].fd, NULL, "cannot wait for signals: %s",
				      strerror(-fds[1].fd));
	while (poll(fds, 2, -1) > 0 && !fds[1].revents) {
		int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (client < 0) {
			/* The client may be gone; or there is no file or memory for it now. */
			poll(&fds[1], 1, ACCEPT_AGAIN_MS);
			continue;
		}
		serve(client, answer, arg);
		hang_up(client);
	}
	close(fds[1].fd);
	signals_drop(&signals);
	return 0;
}
