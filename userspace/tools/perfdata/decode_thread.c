// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "decode_thread.h"

/* Records that the thread hands over at a time (or a few more), as each time takes a lock. */
#define HANDFUL		2048
/*
 * A waiting caller is woken when this many records are ready, or when the thread itself
 * waits. Waking a thread costs as much as some hundred records and takes time; with more
 * records per wakeup the other side does not run out of work meanwhile.
 */
#define ENOUGH		8192

/**
 * struct decode_thread - state of the reading thread
 * @reader: the reader; used by the thread only
 * @order: the reader's; the caller takes records from it
 * @thread: reads
 * @lock: protects what follows up to @err
 * @moved: wakes the side that waits
 * @released: records that the caller may take, ever; wraps around
 * @taken: records that the caller has taken, ever
 * @awaited: the thread waits until @taken reaches this number
 * @waits: the thread waits for room
 * @stop: the thread is to end
 * @ret: 1: more may come; 0: no more; negative errno: what went wrong
 * @status: status of reading so far
 * @err: what went wrong
 * @next: number of the first record not taken; used by the caller only
 * @known: the caller's copy of @released; used by the caller only
 * @batch: the records taken last; used by the caller only
 */
struct decode_thread {
	struct perfdata_reader *reader;
	struct ordered_events *order;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	__u32 released;
	__u32 taken;
	__u32 awaited;
	bool waits;
	bool stop;
	int ret;
	struct perfdata_status status;
	struct htmm_error err;
	__u32 next;
	__u32 known;
	struct perfdata_batch batch;
};

/* No room: wait until the caller has taken enough. The lock is held. */
static void wait_room(struct decode_thread *ahead)
{
	ahead->awaited = ordered_events_awaited(ahead->order);
	ahead->waits = true;
	pthread_cond_signal(&ahead->moved);
	while (!ahead->stop && (__s32)(ahead->taken - ahead->awaited) < 0)
		pthread_cond_wait(&ahead->moved, &ahead->lock);
	ahead->waits = false;
}

/* Hands read records to the caller. Returns false if the thread is to end. */
static bool hand_over(struct decode_thread *ahead, int ret, const struct htmm_error *err)
{
	bool stop;

	pthread_mutex_lock(&ahead->lock);
	ahead->released = ahead->order->released;
	ahead->ret = ret;
	perfdata_reader_status(ahead->reader, &ahead->status);
	if (ret < 0)
		ahead->err = *err;
	if (ret <= 0 || ahead->released - ahead->taken >= ENOUGH)
		pthread_cond_signal(&ahead->moved);
	if (ret > 0 && ordered_events_full(ahead->order))
		wait_room(ahead);
	ordered_events_drop(ahead->order, ahead->taken);
	stop = ahead->stop;
	pthread_mutex_unlock(&ahead->lock);
	return !stop;
}

static void *read_all(void *arg)
{
	struct decode_thread *ahead = arg;
	struct htmm_error err = {};
	int ret;

	do {
		ret = perfdata_reader_fill(ahead->reader, HANDFUL, &err);
	} while (hand_over(ahead, ret, &err) && ret > 0);
	return NULL;
}

struct decode_thread *decode_thread_new(struct perfdata_reader *reader, struct htmm_error *err)
{
	struct decode_thread *ahead = calloc(1, sizeof(*ahead));
	int ret;

	if (!ahead) {
		htmm_error_set(err, ENOMEM, NULL, "out of memory");
		return NULL;
	}
	ahead->reader = reader;
	ahead->order = perfdata_reader_order(reader);
	ahead->ret = 1;
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
	batch->nr = 0;
}

/*
 * Tells if enough records are ready, or no more will come before the caller takes some. The
 * lock is held.
 */
static bool ready(const struct decode_thread *ahead)
{
	return ahead->ret <= 0 ||
	       ahead->released - ahead->next >= (ahead->waits ? 1 : ENOUGH);
}

/* Tells the thread how far the caller is, and waits for more records if none is left. */
static int synchronize(struct decode_thread *ahead, struct htmm_error *err)
{
	int ret;

	pthread_mutex_lock(&ahead->lock);
	ahead->taken = ahead->next;
	if (ahead->waits && (__s32)(ahead->taken - ahead->awaited) >= 0)
		pthread_cond_signal(&ahead->moved);
	if (ahead->next == ahead->released)
		while (!ready(ahead))
			pthread_cond_wait(&ahead->moved, &ahead->lock);
	ahead->known = ahead->released;
	ahead->batch.status = ahead->status;
	ret = ahead->ret;
	if (ret < 0)
		*err = ahead->err;
	pthread_mutex_unlock(&ahead->lock);
	return ret;
}

int decode_thread_next(struct decode_thread *ahead, const struct perfdata_batch **batch,
		       struct htmm_error *err)
{
	struct perfdata_batch *next = &ahead->batch;
	int ret;

	free_batch(next);
	*batch = next;
	ret = synchronize(ahead, err);
	next->nr = ahead->known - ahead->next;
	if (!next->nr)
		return ret;
	if (next->nr > PERFDATA_BATCH)
		next->nr = PERFDATA_BATCH;
	ordered_events_take(ahead->order, ahead->next, next->sample, next->nr);
	ahead->next += next->nr;
	return 1;
}

void decode_thread_free(struct decode_thread *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_signal(&ahead->moved);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	ordered_events_drop(ahead->order, ahead->next);
	free_batch(&ahead->batch);
	pthread_cond_destroy(&ahead->moved);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
