// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <htmm/text.h>
#include "htmmctl/command.h"
#include "source.h"

/* Bytes of a ring, a power of two: some thousand samples. */
#define RING_BYTES	(256 * 1024)

/* What a sample has, in perf's order. The CPU can write all of it without an interrupt. */
#define SAMPLE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC)

#define PMUS		"/sys/bus/event_source/devices/"

/* Load latency, and the event that some CPUs want before it in its group. */
#define MEM_LOADS	0x1cd
#define MEM_LOADS_AUX	0x8203

/*
 * A record of @header.type PERF_RECORD_SAMPLE or PERF_RECORD_LOST. PERF_RECORD_THROTTLE is counted,
 * and others are passed over.
 */
struct record {
	struct perf_event_header header;
	union {
		struct {
			__u64 ip;
			__u32 pid;
			__u32 tid;
			__u64 time;
			__u64 addr;
			__u64 data_src;
		} sample;
		struct {
			__u64 id;
			__u64 lost;
		} lost;
	};
};

/**
 * struct source - one event on one CPU
 * @event: its index
 * @cpu: the CPU
 * @fd: the event
 * @leader: the event that it is in a group with, which is enabled for both; else @fd
 * @page: its ring, behind a page with its ends
 * @lost: samples that its records say were lost
 */
struct source {
	unsigned int event;
	unsigned int cpu;
	int fd;
	int leader;
	struct perf_event_mmap_page *page;
	__u64 lost;
};

static int open_event(const struct perf_event_attr *attr, int cpu, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Is it load latency of cores that have it only beside another event? */
static bool wants_group(const struct htmm_event *event)
{
	char type[16], aux[64];
	const char *name;
	unsigned int i;

	if ((event->config & 0xffff) != MEM_LOADS)
		return false;
	for (i = 0; (name = htmm_core_pmu(i, NULL)); i++) {
		if (htmm_read_line(type, sizeof(type), PMUS "%s/type", name) ||
		    (strtoul(type, NULL, 10) != event->type && event->type != PERF_TYPE_RAW))
			continue;
		return !htmm_read_line(aux, sizeof(aux), PMUS "%s/events/mem-loads-aux", name);
	}
	return false;
}

/* That event, counting beside @attr. */
static int open_leader(const struct perf_event_attr *attr, int cpu)
{
	const struct perf_event_attr aux = {
		.type = attr->type, .size = sizeof(aux), .config = MEM_LOADS_AUX, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1, .exclude_guest = 1,
	};

	return open_event(&aux, cpu, -1);
}

/* Maps the ring, at the same address in each process. Returns 0 or a negative errno. */
static int source_map(struct source *source)
{
	void *page = mmap(source->page, sysconf(_SC_PAGESIZE) + RING_BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED | (source->page ? MAP_FIXED_NOREPLACE : 0), source->fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	source->page = page;
	return 0;
}

static int source_open(struct source *source, const struct perf_event_attr *attr, int cpu,
		       bool group)
{
	int leader = group ? open_leader(attr, cpu) : -1;

	if (group && leader < 0)
		return leader;
	source->fd = open_event(attr, cpu, leader);
	source->leader = group ? leader : source->fd;
	if (source->fd < 0) {
		if (group)
			close(leader);
		return source->fd;
	}
	return source_map(source);
}

/* AMD's IBS, for example, cannot leave out the kernel. */
static bool opens_with_kernel(const struct perf_event_attr *attr, int cpu)
{
	struct perf_event_attr all = *attr;
	int fd;

	all.exclude_kernel = 0;
	all.exclude_hv = 0;
	all.exclude_guest = 0;
	fd = open_event(&all, cpu, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int cannot_open(const struct htmm_event *event, const struct perf_event_attr *attr, int cpu,
		       int code, struct htmm_error *err)
{
	if (code == EINVAL && opens_with_kernel(attr, cpu))
		return htmm_error_set(err, code, "use 'htmmctl start' or 'run'",
				      "'%s' cannot be sampled without the kernel's accesses",
				      event->name);
	return htmm_error_set(err, code, "'htmmctl doctor' says more",
			      "'%s' cannot be opened on CPU %d: %s", event->name, cpu,
			      strerror(code));
}

/* Opens an event on all its CPUs: those of another kind, and those offline, do not take it. */
static int open_all(struct source_set *set, const struct htmm_event_list *list, unsigned int i,
		    const struct htmm_cpus *cpus, struct htmm_error *err)
{
	const struct htmm_event *event = &list->event[i];
	/* As in the module. With a watermark the CPU may keep samples until it has many. */
	const struct perf_event_attr attr = {
		.type = event->type, .size = sizeof(attr),
		.config = event->config, .config1 = event->config1, .config2 = event->config2,
		.sample_period = event->period, .precise_ip = event->precise_ip,
		.sample_type = SAMPLE_TYPE, .read_format = PERF_FORMAT_LOST,
		.watermark = 1, .wakeup_watermark = RING_BYTES / 2,
		.disabled = !wants_group(event),
		.exclude_kernel = 1, .exclude_hv = 1, .exclude_guest = 1,
	};
	const int nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	const unsigned int before = set->nr;
	int cpu, ret, none = ENODEV;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		if (cpus->size && !htmm_cpus_has(cpus, cpu))
			continue;
		set->source[set->nr].event = i;
		set->source[set->nr].cpu = cpu;
		ret = source_open(&set->source[set->nr], &attr, cpu, !attr.disabled);
		if (ret && ret != -ENOENT && ret != -ENODEV)
			return cannot_open(event, &attr, cpu, -ret, err);
		if (ret)
			none = -ret;
		else
			set->nr++;
	}
	if (set->nr > before)
		return 0;
	return htmm_error_set(err, none, "'htmmctl doctor' says more",
			      "'%s' cannot be opened on any CPU of the session: %s", event->name,
			      strerror(none));
}

int source_set_open(struct source_set *set, const struct htmm_event_list *list,
		    const struct htmm_cpus *cpus, struct htmm_error *err)
{
	const size_t most = list->nr * sysconf(_SC_NPROCESSORS_CONF);
	unsigned int i;
	int ret = 0;

	set->source = mmap(NULL, most * sizeof(*set->source), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (set->source == MAP_FAILED)
		return no_memory(err);
	for (i = 0; i < list->nr && !ret; i++)
		ret = open_all(set, list, i, cpus, err);
	return ret;
}

int source_set_map(const struct source_set *set)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < set->nr && !ret; i++)
		ret = source_map(&set->source[i]);
	return ret;
}

void source_set_enable(const struct source_set *set, bool enable)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		ioctl(set->source[i].leader,
		      enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* Copies bytes of the ring, behind whose last byte comes its first. */
static void copy(const struct source *source, __u64 at, void *to, size_t bytes)
{
	const char *ring = (const char *)source->page + source->page->data_offset;
	const size_t from = at % RING_BYTES;
	const size_t first = bytes < RING_BYTES - from ? bytes : RING_BYTES - from;

	memcpy(to, ring + from, first);
	memcpy((char *)to + first, ring, bytes - first);
}

/* Begins with what the ring has had so far. */
static void batch_begin(struct batch *batch, const struct source *source, unsigned int i)
{
	batch->source = i;
	batch->event = source->event;
	batch->cpu = source->cpu;
	batch->nr = 0;
	batch->lost = 0;
	batch->throttled = 0;
	batch->end = source->page->data_tail;
	batch->all_lost = source->lost;
}

void source_set_read(const struct source_set *set, unsigned int i, struct batch *batch)
{
	const struct source *source = &set->source[i];
	/* The kernel has written all records before this end. */
	const __u64 head = __atomic_load_n(&source->page->data_head, __ATOMIC_ACQUIRE);
	struct record record = {};

	batch_begin(batch, source, i);
	while (batch->end < head && batch->nr < BATCH) {
		copy(source, batch->end, &record.header, sizeof(record.header));
		copy(source, batch->end, &record, record.header.size < sizeof(record) ?
						  record.header.size : sizeof(record));
		batch->end += record.header.size;
		if (record.header.type == PERF_RECORD_LOST)
			batch->lost += record.lost.lost;
		batch->throttled += record.header.type == PERF_RECORD_THROTTLE;
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		batch->sample[batch->nr++] = (struct htmm_feed_sample) {
			.addr = record.sample.addr,
			.ip = record.sample.ip,
			.time = record.sample.time,
			.data_src = record.sample.data_src,
			.pid = record.sample.pid,
			.tid = record.sample.tid,
		};
	}
	batch->all_lost += batch->lost;
}

void source_set_read_missed(const struct source_set *set, unsigned int i, struct batch *batch)
{
	const struct source *source = &set->source[i];
	struct {
		__u64 count;
		__u64 lost;
	} now;

	batch_begin(batch, source, i);
	if (read(source->fd, &now, sizeof(now)) != sizeof(now) || now.lost <= source->lost)
		return;
	batch->lost = now.lost - source->lost;
	batch->all_lost = now.lost;
}

void source_set_take(const struct source_set *set, const struct batch *batch)
{
	struct source *source = &set->source[batch->source];

	source->lost = batch->all_lost;
	/* From here on the kernel may write over the records. */
	__atomic_store_n(&source->page->data_tail, batch->end, __ATOMIC_RELEASE);
}
