// SPDX-License-Identifier: GPL-2.0
/*
 * redis SOCKET RECORDS THOUSANDS: so many thousand requests to a server, half of them to
 * read and half to write, as YCSB A. A few are under way at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "work.h"
#include "zipf.h"

#define VALUE	1000
#define DEPTH	20
#define CHUNK	2000

static int server;
static char requests[DEPTH * (VALUE + 100)];
static size_t length;
static char replies[DEPTH * (VALUE + 100)];
static __u64 sum;

static void connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	server = socket(AF_UNIX, SOCK_STREAM, 0);
	if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof(address)))
		work_fail("cannot connect to %s", path);
}

static void ask_to_write(__u64 key, __u64 version)
{
	__u64 value[VALUE / 8];

	for (unsigned int i = 0; i < VALUE / 8; i++)
		value[i] = key * 1000003 + version + i;
	length += sprintf(requests + length, "*3\r\n$3\r\nSET\r\n$10\r\nk%09llu\r\n$%d\r\n",
			  key, VALUE);
	memcpy(requests + length, value, VALUE);
	length += VALUE;
	requests[length++] = '\r';
	requests[length++] = '\n';
}

static void ask_to_read(__u64 key)
{
	length += sprintf(requests + length, "*2\r\n$3\r\nGET\r\n$10\r\nk%09llu\r\n",
			  key);
}

/* An answer is "+OK" or the value, of which the length is known. */
static size_t answer_length(const char *at, size_t bytes)
{
	static const char head[] = "$1000\r\n";

	if (bytes >= 5 && !memcmp(at, "+OK\r\n", 5))
		return 5;
	if (bytes >= sizeof(head) - 1 + VALUE + 2 && !memcmp(at, head, sizeof(head) - 1))
		return sizeof(head) - 1 + VALUE + 2;
	if (bytes && *at != '+' && *at != '$')
		work_fail("the server says %.*s", (int)bytes, at);
	return 0;
}

static void exchange(unsigned int answers)
{
	size_t have = 0, at = 0, n;

	for (size_t sent = 0; sent < length;) {
		ssize_t done = write(server, requests + sent, length - sent);

		if (done <= 0)
			work_fail("the server is gone");
		sent += done;
	}
	length = 0;
	while (answers) {
		ssize_t done = read(server, replies + have, sizeof(replies) - have);

		if (done <= 0)
			work_fail("the server is gone");
		have += done;
		for (; answers && (n = answer_length(replies + at, have - at)); answers--) {
			for (size_t i = 0; i + 8 <= n; i += 8) {
				__u64 word;

				memcpy(&word, replies + at + i, sizeof(word));
				sum = sum * 31 + word;
			}
			at += n;
		}
	}
}

int main(int argc, char **argv)
{
	__u64 records = work_argument(argc, argv, 2, "the number of records");
	__u64 count = work_argument(argc, argv, 3, "thousands of requests") * 1000;
	__u64 state = 31337;
	struct zipf zipf;

	connect_to(argv[1]);
	for (__u64 key = 0; key < records; key++) {
		ask_to_write(key, 0);
		if (key % DEPTH == DEPTH - 1 || key + 1 == records)
			exchange(key % DEPTH + 1);
	}
	zipf_init(&zipf, records, 1002);
	work_ready();
	for (__u64 i = 0; i < count; i++) {
		__u64 key = zipf_next(&zipf);

		if (work_random(&state) & 1)
			ask_to_read(key);
		else
			ask_to_write(key, i);
		if (i % DEPTH == DEPTH - 1)
			exchange(DEPTH);
		if (i % CHUNK == CHUNK - 1)
			work_done(CHUNK);
	}
	work_stop();
	work_end(sum);
	return 0;
}
