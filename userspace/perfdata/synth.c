// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "perfdata/proc.h"
#include "perfdata/synth.h"
#include "perfdata/writer.h"

#define HASH_BITS	10
#define HASH_SIZE	1024

/* Milliseconds between two looks at a process in which something is missing. */
#define MISS_MS		5
/* Between two looks when nothing is: often at first, ever more seldom later. */
#define LOOK_MS_FIRST	20
#define LOOK_MS_MOST	2000

/* What the kernel calls memory without a file. */
#define ANON_NAME	"//anon"

/**
 * struct thread - a thread whose name was said
 * @next: in the same slot
 * @tid: the thread
 * @pid: its process
 */
struct thread {
	struct thread *next;
	__u32 tid;
	__u32 pid;
};

/**
 * struct process - a process of which something was said
 * @next: in the same slot
 * @pid: the process
 * @started: when it began, as in &struct proc_stat; 0: it was never seen alive
 * @program: what it ran when it was last looked at
 * @comm: the name that was said
 * @maps: the mappings that were said
 * @looked: when it was last looked at, in milliseconds
 * @wait: milliseconds until the next look for no reason
 */
struct process {
	struct process *next;
	__u32 pid;
	__u64 started;
	struct proc_program program;
	char comm[PROC_COMM_MAX];
	struct proc_maps maps;
	__u64 looked;
	__u32 wait;
};

/**
 * struct perfdata_synth - what was said so far
 * @writer: where records go
 * @proc: where procfs is mounted
 * @processes: by pid
 * @threads: by tid
 * @rest_until: no known process is looked at before, in milliseconds: looking may be
 *	slow, and is itself sampled
 */
struct perfdata_synth {
	struct perfdata_writer *writer;
	const char *proc;
	struct process *processes[HASH_SIZE];
	struct thread *threads[HASH_SIZE];
	__u64 rest_until;
};

static unsigned int slot_of(__u32 id)
{
	return id * 2654435761U >> (32 - HASH_BITS);
}

/*
 * A record with a text at its end, zeroes from there on, and room for the sample_id
 * behind it.
 */
static void put_with_text(struct perfdata_synth *synth, struct perf_event_header *header,
			  char *text, const char *name, __u32 pid, __u32 tid, __u64 time)
{
	__u64 id[PERFDATA_SAMPLE_ID_MAX];
	const size_t before = text - (char *)header;
	const size_t len = (strlen(name) + 8) & ~(size_t)7;
	const size_t id_bytes = perfdata_writer_sample_id(synth->writer, id, pid, tid, time,
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
			const struct proc_mapping *mapping, __u64 time)
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

/* A process is another one than the one that had its pid before. */
static void put_fork(struct perfdata_synth *synth, __u32 pid, __u32 ppid, __u64 time)
{
	struct {
		struct perfdata_task task;
		__u64 id[PERFDATA_SAMPLE_ID_MAX];
	} record = {
		.task = {
			.header.type = PERF_RECORD_FORK,
			/* It has none of its parent's mappings. */
			.header.misc = PERF_RECORD_MISC_FORK_EXEC,
			.pid = pid, .tid = pid, .ppid = ppid, .ptid = ppid,
			.time = time,
		},
	};

	record.task.header.size = sizeof(record.task) +
		perfdata_writer_sample_id(synth->writer, record.id, pid, pid, time,
					  PERFDATA_NO_ID);
	perfdata_writer_put(synth->writer, &record, record.task.header.size);
}

static bool same_mapping(const struct proc_mapping *a, const struct proc_mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->ino == b->ino && a->prot == b->prot && a->flags == b->flags &&
	       !strcmp(a->name, b->name);
}

/* Says the mappings that are new, and takes them over. */
static void take_maps(struct perfdata_synth *synth, struct process *process,
		      struct proc_maps *maps, __u64 time)
{
	const struct proc_mapping *known;
	size_t i;

	for (i = 0; i < maps->nr; i++) {
		known = proc_maps_find(&process->maps, maps->map[i].start);
		if (known && same_mapping(known, &maps->map[i]))
			continue;
		put_mapping(synth, process->pid, &maps->map[i], time);
		process->wait = LOOK_MS_FIRST;
	}
	proc_maps_free(&process->maps);
	process->maps = *maps;
}

/*
 * A program that follows another in its process has all its mappings said anew, even
 * under the same name. One that only gives itself another name keeps them.
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
		proc_maps_free(&process->maps);
}

/* Another process has its pid now: what was known was of the one before. */
static void replace(struct perfdata_synth *synth, struct process *process,
		    const struct proc_stat *stat, __u64 time)
{
	if (process->started) {
		put_fork(synth, process->pid, stat->ppid, time);
		proc_maps_free(&process->maps);
		memset(process->comm, 0, sizeof(process->comm));
	}
	process->started = stat->started;
}

static void simple_cmd(struct perfdata_synth *synth, struct process *process, __u64 time)
{
	char comm[PROC_COMM_MAX];
	struct proc_stat stat;
	struct proc_maps maps;

	if (proc_stat_read(synth->proc, process->pid, &stat))
		return;
	if (process->started != stat.started)
		replace(synth, process, &stat, time);
	if (!proc_comm_read(synth->proc, process->pid, process->pid, comm))
		take_comm(synth, process, comm, &stat.program, time);
	/* One that has exited and was not waited for has none any more. */
	if (!proc_maps_read(synth->proc, process->pid, &maps) && maps.nr)
		take_maps(synth, process, &maps, time);
}

/* The process, from now on known, or NULL if there is no memory. */
static struct process *find_process(struct perfdata_synth *synth, __u32 pid, bool *is_new)
{
	struct process **slot = &synth->processes[slot_of(pid)], *process;

	*is_new = false;
	for (process = *slot; process; process = process->next)
		if (process->pid == pid)
			return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	*is_new = true;
	process->pid = pid;
	process->wait = LOOK_MS_FIRST;
	process->next = *slot;
	*slot = process;
	return process;
}

/* Says the name of a thread that is new. The first one's is its process's. */
static void note_thread(struct perfdata_synth *synth, __u32 pid, __u32 tid, __u64 time)
{
	struct thread **slot = &synth->threads[slot_of(tid)], *thread;
	char comm[PROC_COMM_MAX];

	if (pid == tid)
		return;
	for (thread = *slot; thread; thread = thread->next)
		if (thread->tid == tid)
			break;
	if (thread && thread->pid == pid)
		return;
	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			return;
		thread->next = *slot;
		*slot = thread;
	}
	thread->tid = tid;
	thread->pid = pid;
	if (!proc_comm_read(synth->proc, pid, tid, comm))
		put_comm(synth, pid, tid, comm, false, time);
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
	struct process *process;
	struct thread *thread;
	unsigned int i;

	for (i = 0; synth && i < HASH_SIZE; i++) {
		while ((process = synth->processes[i])) {
			synth->processes[i] = process->next;
			proc_maps_free(&process->maps);
			free(process);
		}
		while ((thread = synth->threads[i])) {
			synth->threads[i] = thread->next;
			free(thread);
		}
	}
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
	/* It is among the first; CPUs' variables, with small addresses, come before. */
	while (strcmp(name, "_text") && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %255s", &addr, name) != 2)
			break;
	fclose(file);
	return strcmp(name, "_text") ? 0 : addr;
}

/* Bytes of the kernel's code, or 0 if the kernel hides them. */
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

	if (!bytes)
		return;
	record->header.type = PERF_RECORD_MMAP;
	record->header.misc = PERF_RECORD_MISC_KERNEL;
	record->pid = -1;
	record->start = kernel_start(synth->proc);
	record->len = bytes;
	/* Where the symbol that the name ends with is, for a kernel that was moved. */
	record->pgoff = record->start;
	if (record->start)
		put_with_text(synth, &record->header, record->filename,
			      "[kernel.kallsyms]_text", -1, 0, 0);
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
		simple_cmd(synth, process, time);
}

/*
 * Rests ten times as long as the look has taken of a CPU. To wait for one is no work, and
 * on a busy machine would make for rests in which a short program comes and goes.
 */
static void look_and_rest(struct perfdata_synth *synth, struct process *process, __u64 time,
			  __u64 now)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	simple_cmd(synth, process, time);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	synth->rest_until = now + 10 * ((end.tv_sec - begin.tv_sec) * 1000 +
					(end.tv_nsec - begin.tv_nsec) / 1000000);
}

static bool knows(const struct process *process, __u64 addr)
{
	return proc_maps_find(&process->maps, addr);
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
	waited = now - process->looked;
	missing = !knows(process, access->ip) || !knows(process, access->addr);
	if (is_new || (now >= synth->rest_until &&
		       (waited >= process->wait || (missing && waited >= MISS_MS)))) {
		process->wait = process->wait < LOOK_MS_MOST / 2 ? 2 * process->wait : LOOK_MS_MOST;
		process->looked = now;
		look_and_rest(synth, process, access->time, now);
	}
	note_thread(synth, access->pid, access->tid, access->time);
}
