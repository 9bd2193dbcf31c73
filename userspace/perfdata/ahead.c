// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "ahead.h"

/*
 * Who has to wait does so until half of them are there: to wake the other one costs
 * as much as some hundred records, and takes a while, in which it is better not to
 * run out of work, too. All of them are 1 MiB.
 */
#define BATCHES		32
#define HALF		(BATCHES / 2)

/**
 * struct perfdata_ahead - reading under way
 * @reader: the reader; the thread's alone
 * @thread: reads
 * @lock: protects @filled, @emptied, @ended and @stop
 * @moved: the one who waits may go on
 * @filled: batches read so far; the last one has an @nr of 0 or below
 * @emptied: batches that may be filled again
 * @ended: the last batch is filled
 * @stop: nobody wants any more
 * @held: the caller works on a batch; the caller's alone
 * @err: what went wrong; set before the last batch counts as filled
 * @batch: in turn
 */
struct perfdata_ahead {
	struct perfdata_reader *reader;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	unsigned long filled;
	unsigned long emptied;
	bool ended;
	bool stop;
	bool held;
	struct htmm_error err;
	struct perfdata_batch batch[BATCHES];
};

/* Wait for a batch that may be filled: false if none is wanted. */
static bool wait_room(struct perfdata_ahead *ahead)
{
	bool stop;

	pthread_mutex_lock(&ahead->lock);
	if (ahead->filled - ahead->emptied == BATCHES)
		while (!ahead->stop && ahead->filled - ahead->emptied > HALF)
			pthread_cond_wait(&ahead->moved, &ahead->lock);
	stop = ahead->stop;
	pthread_mutex_unlock(&ahead->lock);
	return !stop;
}

/* Wait for a batch that is filled. */
static void wait_filled(struct perfdata_ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	if (ahead->filled == ahead->emptied)
		while (!ahead->ended && ahead->filled - ahead->emptied < HALF)
			pthread_cond_wait(&ahead->moved, &ahead->lock);
	pthread_mutex_unlock(&ahead->lock);
}

/* Count one more, and wake the other one if it waits for this. */
static void count(struct perfdata_ahead *ahead, unsigned long *number, bool last)
{
	pthread_mutex_lock(&ahead->lock);
	++*number;
	ahead->ended |= last;
	if (ahead->ended || ahead->filled - ahead->emptied == HALF)
		pthread_cond_signal(&ahead->moved);
	pthread_mutex_unlock(&ahead->lock);
}

static void *read_all(void *arg)
{
	struct perfdata_ahead *ahead = arg;
	struct perfdata_batch *batch;
	unsigned long n = 0;

	do {
		if (!wait_room(ahead))
			return NULL;
		batch = &ahead->batch[n++ % BATCHES];
		batch->nr = perfdata_reader_read(ahead->reader, batch->sample, PERFDATA_BATCH,
						 &ahead->err);
		perfdata_reader_status(ahead->reader, &batch->status);
		count(ahead, &ahead->filled, batch->nr <= 0);
	} while (batch->nr > 0);
	return NULL;
}

struct perfdata_ahead *perfdata_ahead_new(struct perfdata_reader *reader, struct htmm_error *err)
{
	struct perfdata_ahead *ahead = calloc(1, sizeof(*ahead));
	int ret;

	if (!ahead) {
		htmm_error_set(err, ENOMEM, NULL, "out of memory");
		return NULL;
	}
	ahead->reader = reader;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->moved, NULL);
	ret = pthread_create(&ahead->thread, NULL, read_all, ahead);
	if (!ret)
		return ahead;
	htmm_error_set(err, ret, NULL, "cannot begin a thread: %s", strerror(ret));
	free(ahead);
	return NULL;
}

static void free_batch(struct perfdata_batch *batch)
{
	int i;

	for (i = 0; i < batch->nr; i++)
		if (perfdata_other(&batch->sample[i]))
			free(batch->sample[i].other);
}

int perfdata_ahead_next(struct perfdata_ahead *ahead, const struct perfdata_batch **batch,
			struct htmm_error *err)
{
	struct perfdata_batch *next;

	if (ahead->held) {
		free_batch(&ahead->batch[ahead->emptied % BATCHES]);
		count(ahead, &ahead->emptied, false);
	}
	wait_filled(ahead);
	next = &ahead->batch[ahead->emptied % BATCHES];
	ahead->held = next->nr > 0;
	if (next->nr < 0)
		*err = ahead->err;
	*batch = next;
	return next->nr > 0 ? 1 : next->nr;
}

void perfdata_ahead_free(struct perfdata_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_signal(&ahead->moved);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	for (; ahead->emptied < ahead->filled; ahead->emptied++)
		free_batch(&ahead->batch[ahead->emptied % BATCHES]);
	pthread_cond_destroy(&ahead->moved);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
