// SPDX-License-Identifier: GPL-2.0
/* Every miss of a process, as the emulated CPU writes them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "shim/deps.h"
#include "source.h"

/* The words of selftests/pebs/plugin/misses.h. */
#define TIME		BIT_ULL(63)
#define HIT		BIT_ULL(60)
#define STORE		BIT_ULL(36)
#define PID_SHIFT	37
#define PID_MASK	(BIT_ULL(22) - 1)
#define PAGE_MASK	(BIT_ULL(36) - 1)
#define PAGE_SHIFT	12

/**
 * struct misses - a list of misses
 * @source: what others see of it
 * @config: how it was opened
 * @word: the file
 * @nr: words in it
 * @at: the next word
 * @block: the first word since the last one with a time
 * @end: the next word with a time, or @nr
 * @since: time at @block
 * @until: time at @end
 * @begin: time of the first access
 * @begun: there was one
 * @loads: loads so far
 */
struct misses {
	struct source source;
	struct misses_config config;
	const __u64 *word;
	size_t nr;
	size_t at;
	size_t block;
	size_t end;
	double since;
	double until;
	double begin;
	bool begun;
	__u64 loads;
};

/* A time is written after the accesses before it. */
static void find_time(struct misses *misses)
{
	misses->block = misses->at;
	misses->since = misses->until;
	for (misses->end = misses->at; misses->end < misses->nr; misses->end++)
		if (misses->word[misses->end] & TIME) {
			misses->until = misses->word[misses->end] & ~TIME;
			break;
		}
}

/* Of the access before @at: between two times, accesses come at regular intervals. */
static double time_of(const struct misses *misses)
{
	return misses->since + (misses->until - misses->since) *
	       (misses->at - misses->block) / (misses->end - misses->block + 1);
}

/* Finds the next access of the process: it is before @at then. */
static bool find_access(struct misses *misses)
{
	while (misses->at < misses->nr) {
		const __u64 word = misses->word[misses->at++];

		if (word & TIME)
			find_time(misses);
		else if (!(word & HIT) && (word >> PID_SHIFT & PID_MASK) == misses->config.pid)
			return true;
	}
	return false;
}

static int next(struct source *source, struct sim_sample *sample, struct htmm_error *err)
{
	struct misses *misses = (struct misses *)source;
	bool taken;
	__u64 word;

	if (!find_access(misses))
		return 0;
	word = misses->word[misses->at - 1];
	if (!misses->begun)
		misses->begin = time_of(misses);
	misses->begun = true;
	/* There is no event for a store that misses. */
	taken = !(word & STORE) &&
		(misses->loads++ + misses->config.seed) % misses->config.period == 0;
	*sample = (struct sim_sample) {
		.space = misses->config.pid, .addr = (word & PAGE_MASK) << PAGE_SHIFT,
		.ns = time_of(misses) - misses->begin,
		.accesses = 1, .period = taken ? misses->config.period : 0,
	};
	return 1;
}

static void close_misses(struct source *source)
{
	struct misses *misses = (struct misses *)source;

	if (misses->word)
		munmap((void *)misses->word, misses->nr * sizeof(*misses->word));
	free(misses->source.touched);
	free(misses);
}

static int map_file(struct misses *misses, const char *path, struct htmm_error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat file;
	void *words;

	if (fd < 0)
		return htmm_error_set(err, errno, NULL, "cannot open '%s'", path);
	words = fstat(fd, &file) ? MAP_FAILED :
				   mmap(NULL, file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (words == MAP_FAILED)
		return htmm_error_set(err, errno, NULL, "cannot map '%s'", path);
	misses->word = words;
	misses->nr = file.st_size / sizeof(*misses->word);
	return 0;
}

static struct misses *open_misses(const struct misses_config *config, struct htmm_error *err)
{
	struct misses *misses = calloc(1, sizeof(*misses));

	if (!misses) {
		htmm_error_set(err, ENOMEM, NULL, "out of memory");
		return NULL;
	}
	misses->source = (struct source) {
		.next = next, .close = close_misses, .timed = true, .page_shift = PAGE_SHIFT,
	};
	misses->config = *config;
	if (!map_file(misses, config->path, err)) {
		find_time(misses);
		return misses;
	}
	close_misses(&misses->source);
	return NULL;
}

/* Puts @misses, of which nothing was read, where its first access is. */
static int check(struct misses *misses, struct htmm_error *err)
{
	if (!find_access(misses))
		return htmm_error_set(err, EINVAL, "give the process that the program ran in",
				      "'%s' has no misses of process %llu", misses->config.path,
				      misses->config.pid);
	misses->at--;
	return 0;
}

struct source *source_misses(const struct misses_config *config, struct htmm_error *err)
{
	struct misses *misses = open_misses(config, err), *again;
	int ret;

	if (!misses)
		return NULL;
	ret = check(misses, err);
	if (!ret && config->first) {
		again = open_misses(config, err);
		ret = -1;
		if (again) {
			ret = source_touch(&misses->source, &again->source, config->first, err);
			close_misses(&again->source);
		}
	}
	if (!ret)
		return &misses->source;
	close_misses(&misses->source);
	return NULL;
}
