// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <htmm/maps.h>
#include "htmmctl/clock.h"
#include "lib/array.h"
#include "perfdata/buildid.h"
#include "perfdata/idmap.h"
#include "perfdata/proc.h"
#include "perfdata/synth.h"
#include "perfdata/writer.h"

/* Milliseconds between two reads of a process that has an unknown mapping. */
#define MISS_MS		5
/* Milliseconds between two reads if nothing is unknown: short at first, then longer and longer. */
#define LOOK_MS_FIRST	20
#define LOOK_MS_MOST	2000

/* The kernel's name for memory without a file. */
#define ANON_NAME	"//anon"

/**
 * struct process - a process that has records
 * @pid: the process
 * @started: start time as in &struct proc_stat; 0: it was never seen alive
 * @program: what it ran when it was last read
 * @comm: the name last recorded
 * @maps: the mappings last recorded
 * @looked: when it was last read, in milliseconds
 * @wait: milliseconds until the next regular read
 * @gone: the process did not exist any more, and had no sample since
 */
struct process {
	__u32 pid;
	__u64 started;
	struct proc_program program;
	char comm[PROC_COMM_MAX];
	struct htmm_maps maps;
	__u64 looked;
	__u32 wait;
	bool gone;
};

/**
 * struct perfdata_synth - what was recorded so far
 * @writer: where records go
 * @proc: where procfs is mounted
 * @process: the processes
 * @nr: how many there are
 * @room: elements that fit in @process
 * @by_pid: index of each in @process
 * @threads: process of each thread whose name was recorded
 * @files: mapped files whose build ids were looked up
 * @rest_until: no known process is read before this time, in milliseconds: reading may be
 *	slow, and is itself sampled
 */
struct perfdata_synth {
	struct perfdata_writer *writer;
	const char *proc;
	struct process *process;
	__u32 nr;
	size_t room;
	struct idmap by_pid;
	struct idmap threads;
	struct idmap files;
	__u64 rest_until;
};

/*
 * Writes a record with a text at its end, padded with zeroes, and with room for the
 * sample_id behind it.
 */
static void put_with_text(struct perfdata_synth *synth, struct perf_event_header *header,
			  char *text, const char *name, __u32 pid, __u32 tid, __u64 time)
{
	__u64 id[PERFDATA_SAMPLE_ID_MAX];
	const size_t before = text - (char *)header;
	const size_t len = (strlen(name) + 8) & ~(size_t)7;
	const size_t id_bytes = perfdata_writer_sample_id(synth->writer, id, pid, tid, time, 0,
							  PERFDATA_NO_ID);

	memcpy(text, name, strlen(name));
	memcpy(text + len, id, id_bytes);
	header->size = before + len + id_bytes;
	perfdata_writer_put(synth->writer, header, header->size);
}

static void put_comm(struct perfdata_synth *synth, __u32 pid, __u32 tid, const char *comm,
		     bool exec, __u64 time)
{
	char buffer[sizeof(struct perfdata_comm) + 2 * PROC_COMM_MAX + 64] = {};
	struct perfdata_comm *record = (void *)buffer;

	record->header.type = PERF_RECORD_COMM;
	record->header.misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
	record->pid = pid;
	record->tid = tid;
	put_with_text(synth, &record->header, record->comm, comm, pid, tid, time);
}

static void put_mapping(struct perfdata_synth *synth, __u32 pid,
			const struct htmm_mapping *mapping, __u64 time)
{
	char buffer[sizeof(struct perfdata_mmap2) + PATH_MAX + 64] = {};
	struct perfdata_mmap2 *record = (void *)buffer;
	const char *name = *mapping->name ? mapping->name : ANON_NAME;

	if (strlen(name) >= PATH_MAX)
		return;
	record->header.type = PERF_RECORD_MMAP2;
	record->header.misc = PERF_RECORD_MISC_USER;
	if (!(mapping->prot & PROT_EXEC))
		record->header.misc |= PERF_RECORD_MISC_MMAP_DATA;
	record->pid = pid;
	record->tid = pid;
	record->start = mapping->start;
	record->len = mapping->end - mapping->start;
	record->pgoff = mapping->offset;
	record->maj = mapping->maj;
	record->min = mapping->min;
	record->ino = mapping->ino;
	record->prot = mapping->prot;
	record->flags = mapping->flags;
	put_with_text(synth, &record->header, record->filename, name, pid, pid, time);
}

/* A process begins (without its parent's mappings), or ends. */
static void put_task(struct perfdata_synth *synth, __u32 type, __u32 pid, __u32 ppid, __u64 time)
{
	struct {
		struct perfdata_task task;
		__u64 id[PERFDATA_SAMPLE_ID_MAX];
	} record = {
		.task = {
			.header.type = type,
			.header.misc = type == PERF_RECORD_FORK ? PERF_RECORD_MISC_FORK_EXEC : 0,
			.pid = pid, .tid = pid, .ppid = ppid, .ptid = ppid,
			.time = time,
		},
	};

	record.task.header.size = sizeof(record.task) +
		perfdata_writer_sample_id(synth->writer, record.id, pid, pid, time, 0,
					  PERFDATA_NO_ID);
	perfdata_writer_put(synth->writer, &record, record.task.header.size);
}

static bool same_mapping(const struct htmm_mapping *a, const struct htmm_mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->ino == b->ino && a->prot == b->prot && a->flags == b->flags &&
	       !strcmp(a->name, b->name);
}

/* Writes records for new mappings, and takes the mappings over. */
static void take_maps(struct perfdata_synth *synth, struct process *process,
		      struct htmm_maps *maps, __u64 time)
{
	const struct htmm_mapping *known;
	size_t i;

	for (i = 0; i < maps->nr; i++) {
		known = htmm_maps_find(&process->maps, maps->map[i].start);
		if (known && same_mapping(known, &maps->map[i]))
			continue;
		put_mapping(synth, process->pid, &maps->map[i], time);
		process->wait = LOOK_MS_FIRST;
	}
	htmm_maps_free(&process->maps);
	process->maps = *maps;
}

/*
 * After exec() all mappings are recorded again, even if the name is the same. A process
 * that only changes its name keeps them.
 */
static void take_comm(struct perfdata_synth *synth, struct process *process, const char *comm,
		      const struct proc_program *program, __u64 time)
{
	const bool exec = process->maps.nr && program->stack_start &&
			  memcmp(&process->program, program, sizeof(*program));

	if (program->stack_start)
		process->program = *program;
	if (!exec && !strcmp(process->comm, comm))
		return;
	put_comm(synth, process->pid, process->pid, comm, exec, time);
	memcpy(process->comm, comm, sizeof(process->comm));
	if (exec)
		htmm_maps_free(&process->maps);
}

/* Another process has the pid now: drop what was known about the earlier one. */
static void replace(struct perfdata_synth *synth, struct process *process,
		    const struct proc_stat *stat, __u64 time)
{
	if (process->started) {
		put_task(synth, PERF_RECORD_EXIT, process->pid, 0, time);
		put_task(synth, PERF_RECORD_FORK, process->pid, stat->ppid, time);
		htmm_maps_free(&process->maps);
		memset(process->comm, 0, sizeof(process->comm));
	}
	process->started = stat->started;
}

static void note_process(struct perfdata_synth *synth, struct process *process, __u64 time)
{
	char comm[PROC_COMM_MAX];
	struct proc_stat stat;
	struct htmm_maps maps;

	if (proc_stat_read(synth->proc, process->pid, &stat))
		return;
	if (process->started != stat.started)
		replace(synth, process, &stat, time);
	if (!proc_comm_read(synth->proc, process->pid, process->pid, comm))
		take_comm(synth, process, comm, &stat.program, time);
	/* A process that has exited but is not reaped has no mappings. */
	if (!htmm_maps_load(&maps, synth->proc, process->pid) && maps.nr)
		take_maps(synth, process, &maps, time);
}

static int add_process(struct perfdata_synth *synth, __u32 pid)
{
	struct process *process;

	process = array_grow(synth->process, synth->nr, &synth->room, sizeof(*process));
	if (!process)
		return -ENOMEM;
	synth->process = process;
	if (idmap_set(&synth->by_pid, pid, synth->nr))
		return -ENOMEM;
	process[synth->nr++] = (struct process) { .pid = pid, .wait = LOOK_MS_FIRST };
	return 0;
}

/* Finds or adds the process; NULL if there is no memory. */
static struct process *find_process(struct perfdata_synth *synth, __u32 pid, bool *is_new)
{
	__s64 index = idmap_get(&synth->by_pid, pid);

	*is_new = index < 0;
	if (index < 0) {
		if (add_process(synth, pid))
			return NULL;
		index = synth->nr - 1;
	}
	return &synth->process[index];
}

/* The last element takes its place. */
static void remove_process(struct perfdata_synth *synth, __u32 index)
{
	struct process *process = &synth->process[index], *last = &synth->process[--synth->nr];

	htmm_maps_free(&process->maps);
	idmap_remove(&synth->by_pid, process->pid);
	if (process == last)
		return;
	*process = *last;
	/* The key exists already, so this needs no memory. */
	idmap_set(&synth->by_pid, process->pid, index);
}

/* Records the name of a new thread. The first thread's name is the process' name. */
static void note_thread(struct perfdata_synth *synth, __u32 pid, __u32 tid, __u64 time)
{
	char comm[PROC_COMM_MAX];

	if (pid == tid || idmap_get(&synth->threads, tid) == pid ||
	    idmap_set(&synth->threads, tid, pid))
		return;
	if (!proc_comm_read(synth->proc, pid, tid, comm))
		put_comm(synth, pid, tid, comm, false, time);
}

/*
 * Reads the mapped file itself, even if its path now names another file; falls back to the
 * path, as only root may do that.
 */
static int read_build_id(const struct perfdata_synth *synth, __u32 pid,
			 const struct htmm_mapping *mapping, struct build_id *id)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%u/map_files/%llx-%llx", synth->proc, pid,
		 mapping->start, mapping->end);
	if (!build_id_of_file(path, id))
		return 0;
	snprintf(path, sizeof(path), "%s/%u/root%s", synth->proc, pid, mapping->name);
	return build_id_of_file(path, id);
}

/* Records the build id of a file that a sample touched, while the file can still be read. */
static void identify(struct perfdata_synth *synth, __u32 pid, struct htmm_mapping *mapping)
{
	const __u64 file[] = { mapping->ino, (__u64)mapping->maj << 32 | mapping->min,
			       idmap_hash(mapping->name, strlen(mapping->name)) };
	const __u64 key = idmap_hash(file, sizeof(file));
	struct build_id id;

	mapping->mark = true;
	if (!mapping->ino || idmap_get(&synth->files, key) >= 0 ||
	    idmap_set(&synth->files, key, pid))
		return;
	if (!read_build_id(synth, pid, mapping, &id))
		perfdata_writer_build_id(synth->writer, PERF_RECORD_MISC_USER, mapping->name,
					 &id);
}

struct perfdata_synth *perfdata_synth_new(struct perfdata_writer *writer, const char *proc)
{
	struct perfdata_synth *synth = calloc(1, sizeof(*synth));

	if (synth) {
		synth->writer = writer;
		synth->proc = proc ? proc : "/proc";
	}
	return synth;
}

void perfdata_synth_free(struct perfdata_synth *synth)
{
	if (!synth)
		return;
	while (synth->nr)
		htmm_maps_free(&synth->process[--synth->nr].maps);
	free(synth->process);
	idmap_free(&synth->by_pid);
	idmap_free(&synth->threads);
	idmap_free(&synth->files);
	free(synth);
}

/* The address of the kernel's first symbol, or 0 if the kernel hides it. */
static __u64 kernel_start(const char *proc)
{
	char path[PATH_MAX], line[512], name[256] = "";
	unsigned long long addr = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/kallsyms", proc);
	file = fopen(path, "re");
	if (!file)
		return 0;
	/* It is among the first symbols, after per-CPU variables with small addresses. */
	while (strcmp(name, "_text") && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %255s", &addr, name) != 2)
			break;
	fclose(file);
	return strcmp(name, "_text") ? 0 : addr;
}

/* Size of the kernel's code, or 0 if the kernel hides its addresses. */
static __u64 kernel_bytes(const char *proc)
{
	unsigned long long start, end, bytes = 0;
	char path[PATH_MAX], line[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/iomem", proc);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!bytes && fgets(line, sizeof(line), file))
		if (strstr(line, ": Kernel code") &&
		    sscanf(line, " %llx-%llx", &start, &end) == 2 && end > start)
			bytes = end - start + 1;
	fclose(file);
	return bytes;
}

void perfdata_synth_kernel(struct perfdata_synth *synth)
{
	char buffer[sizeof(struct perfdata_mmap) + 128] = {};
	struct perfdata_mmap *record = (void *)buffer;
	const __u64 bytes = kernel_bytes(synth->proc);
	struct build_id id;

	if (!build_id_of_kernel(&id))
		perfdata_writer_build_id(synth->writer, PERF_RECORD_MISC_KERNEL,
					 PERFDATA_KERNEL, &id);
	if (!bytes)
		return;
	record->header.type = PERF_RECORD_MMAP;
	record->header.misc = PERF_RECORD_MISC_KERNEL;
	record->pid = -1;
	record->start = kernel_start(synth->proc);
	record->len = bytes;
	/* The address of the symbol at the end of the name, for a relocated kernel. */
	record->pgoff = record->start;
	if (record->start)
		put_with_text(synth, &record->header, record->filename,
			      PERFDATA_KERNEL "_text", -1, 0, 0);
}

static void say_threads(struct perfdata_synth *synth, __u32 pid)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%u/task", synth->proc, pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			note_thread(synth, pid, strtoul(entry->d_name, NULL, 10), 0);
	closedir(dir);
}

void perfdata_synth_all(struct perfdata_synth *synth)
{
	struct dirent *entry;
	DIR *dir = opendir(synth->proc);

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		perfdata_synth_process(synth, strtoul(entry->d_name, NULL, 10), 0);
		say_threads(synth, strtoul(entry->d_name, NULL, 10));
	}
	closedir(dir);
}

void perfdata_synth_process(struct perfdata_synth *synth, __u32 pid, __u64 time)
{
	struct process *process;
	bool is_new;

	process = find_process(synth, pid, &is_new);
	if (process)
		note_process(synth, process, time);
}

/*
 * Pauses for ten times the CPU time of the read. Waiting for a CPU is not counted: on a
 * busy machine it would make the pauses so long that short programs are missed.
 */
static void look_and_rest(struct perfdata_synth *synth, struct process *process, __u64 time,
			  __u64 now)
{
	const __u64 begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	note_process(synth, process, time);
	synth->rest_until = now + 10 * ((clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / 1000000);
}

/* Tells if the mapping of an address is known; if it is a file, records which one. */
static bool knows(struct perfdata_synth *synth, const struct process *process, __u64 addr)
{
	struct htmm_mapping *mapping = htmm_maps_find(&process->maps, addr);

	if (mapping && !mapping->mark)
		identify(synth, process->pid, mapping);
	return mapping;
}

void perfdata_synth_sample(struct perfdata_synth *synth, const struct perfdata_access *access,
			   __u64 now)
{
	struct process *process;
	bool is_new, missing;
	__u64 waited;

	process = find_process(synth, access->pid, &is_new);
	if (!process)
		return;
	process->gone = false;
	waited = now - process->looked;
	missing = !knows(synth, process, access->ip) | !knows(synth, process, access->addr);
	if (is_new || (now >= synth->rest_until &&
		       (waited >= process->wait || (missing && waited >= MISS_MS)))) {
		process->wait = process->wait < LOOK_MS_MOST / 2 ? 2 * process->wait : LOOK_MS_MOST;
		process->looked = now;
		look_and_rest(synth, process, access->time, now);
		if (missing) {
			knows(synth, process, access->ip);
			knows(synth, process, access->addr);
		}
	}
	note_thread(synth, access->pid, access->tid, access->time);
}

static bool exists(const struct perfdata_synth *synth, __u32 pid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%u", synth->proc, pid);
	return !access(path, F_OK);
}

void perfdata_synth_reap(struct perfdata_synth *synth, __u64 time)
{
	__u32 i = 0;

	while (i < synth->nr) {
		struct process *process = &synth->process[i];

		if (process->gone) {
			if (process->started)
				put_task(synth, PERF_RECORD_EXIT, process->pid, 0, time);
			remove_process(synth, i);
			continue;
		}
		process->gone = !exists(synth, process->pid);
		i++;
	}
}
