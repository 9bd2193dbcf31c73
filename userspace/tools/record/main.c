// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "htmmctl/child.h"
#include "htmmctl/clock.h"
#include "recorder.h"

#define SAMPLE_TYPE	(PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
			 PERF_SAMPLE_DATA_SRC)
#define BUFFER_DEFAULT	(8 << 20)
/* Names are read while processes live, so samples must not stay in rings for long. */
#define DRAIN_MS	10
/* Milliseconds between reads of the command's names: short at first, then longer and longer. */
#define LOOK_MS_FIRST	20
#define LOOK_MS_MOST	100
/* Records are taken when there are this many bytes, or at each read of names. */
#define WATERMARK	4096
#define PROGRESS_MS	500
/* How long to wait for a reader that takes nothing, once the user wants to stop. */
#define PATIENCE_MS	3000
/* The inode of the initial pid namespace, in every kernel. */
#define INIT_PID_NS	0xeffffffcUL

/**
 * struct record - the options and the state of record
 * @session: what to sample
 * @path: the file; "-": stdout
 * @buffer: bytes of the reader's buffer
 * @join_ms: record the running session, for so long; 0: a session of its own
 * @recorder: the recorder
 * @pipe: the original stdout, or @path opened if it is no regular file, or -1
 * @progress: show progress
 * @fd: the device
 * @signals: fd of the user's signals
 * @child: the command; a pid of 0: there is none, or it has ended
 * @status: its exit status
 * @over: recording is to end
 * @stopped: the session was stopped; its last records are being read
 * @gone: another session has begun since
 * @early: says that someone else has ended the session; a code of 0: nobody has
 * @asked: how often the user has asked to stop
 * @began: start time, in milliseconds
 * @shown: when progress was last shown
 */
struct record {
	struct session session;
	const char *path;
	__s64 buffer;
	__u32 join_ms;
	struct recorder recorder;
	int pipe;
	bool progress;
	int fd;
	int signals;
	struct child child;
	int status;
	bool over;
	bool stopped;
	bool gone;
	struct htmm_error early;
	unsigned int asked;
	__u64 began;
	__u64 shown;
};

static void show_progress(struct record *record)
{
	const struct recorder *recorder = &record->recorder;
	const __u64 now = now_ms();

	if (!record->progress || now - record->shown < PROGRESS_MS)
		return;
	record->shown = now;
	fprintf(stderr, "\r%7.1f s  %llu samples  %.1f MB  %llu lost\033[K",
		(now - record->began) / 1000.0, recorder->samples,
		recorder->writer.bytes / 1e6, recorder->lost);
}

/* What the module has done with the overflows of its own session. */
static void module_text(const struct htmm_counters *total, char *text, size_t size)
{
	char drops[256] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < HTMM_NR_DROPS; i++)
		if (total->drops[i] && !(HTMM_DROPS_UNWANTED >> i & 1) && used < sizeof(drops))
			used += snprintf(drops + used, sizeof(drops) - used, ", %s %llu",
					 htmm_drop_name(i), total->drops[i]);
	snprintf(text, size, "; the module counted %llu, filtered %llu and lost %llu%s%s%s",
		 total->counted, htmm_counters_filtered(total), htmm_counters_lost(total),
		 used ? " (" : "", used ? drops + 2 : "", used ? ")" : "");
}

static void show_end(struct record *record, const struct htmm_stats_buf *stats)
{
	const struct recorder *recorder = &record->recorder;
	char module[400] = "";

	if (record->progress)
		fputs("\r\033[K", stderr);
	/* A session that goes on has counted before, too. */
	if (!record->join_ms)
		module_text(&stats->stats.total, module, sizeof(module));
	notice("%s: %llu samples in %.1f s, %.1f MB, %llu lost%s",
	       strcmp(record->path, "-") ? record->path : "stdout", recorder->samples,
	       (now_ms() - record->began) / 1000.0, recorder->writer.bytes / 1e6,
	       recorder->lost, module);
}

/* Handles a signal: the command has ended, or the user wants to stop. */
static void take_signal(struct record *record)
{
	struct signalfd_siginfo info;
	int status;

	while (read(record->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD) {
			/* Signals from the terminal reach the command anyway. */
			if (record->child.pid && info.ssi_code <= 0)
				kill(record->child.pid, info.ssi_signo);
			record->over = true;
			record->asked++;
		} else if (record->child.pid &&
			   waitpid(record->child.pid, &status, WNOHANG) == record->child.pid) {
			record->status = child_status(status);
			record->child.pid = 0;
			record->over = true;
		}
	}
}

/*
 * Called before each write to a pipe. Its reader may be slow; but after the user has asked
 * to stop, it must go on reading, and a second request stops at once.
 */
static bool wait_for_reader(void *waiter, int fd)
{
	struct record *record = waiter;
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLOUT },
		{ .fd = record->signals, .events = POLLIN },
	};
	int ready;

	do {
		ready = poll(fds, 2, record->asked ? PATIENCE_MS : -1);
		if (fds[0].revents)
			return true;
		take_signal(record);
	} while (ready && record->asked < 2);
	return false;
}

/* Tells if all processes to sample have exited. */
static bool targets_gone(const struct session *session)
{
	__u32 i;

	for (i = 0; i < session->start.nr_targets; i++)
		if (session->targets[i].type != HTMM_TARGET_TGID ||
		    !kill(session->targets[i].id, 0) || errno != ESRCH)
			return false;
	return session->start.nr_targets;
}

static int stop_once(struct record *record, struct htmm_error *err)
{
	int ret;

	if (!record->over || record->stopped)
		return 0;
	record->stopped = true;
	/* It is not ours. */
	if (record->join_ms)
		return 0;
	ret = session_stop(&record->session, record->fd, err);
	/* The stream still has all that this one has sampled, but its counters may be gone. */
	record->gone = ret == -ESTALE;
	if (ret != -ESTALE && ret != -EALREADY)
		return ret;
	record->early = *err;
	return 0;
}

/* Takes all records there are now. Returns 1 if more will come, 0 at the end. */
static int take_all(struct record *record, struct htmm_error *err)
{
	int got;

	do {
		got = recorder_take(&record->recorder, record->fd, err);
		show_progress(record);
	} while (got > 0 && record->stopped && !record->join_ms);
	if (got < 0 && got != -EAGAIN && got != -EINTR)
		return got;
	/* The stream of a session that goes on has no end. */
	return got && !(record->stopped && record->join_ms);
}

static void look_at(void *recorder, pid_t pid)
{
	recorder_look(recorder, pid);
}

static int record_until_end(struct record *record, struct htmm_error *err)
{
	struct pollfd fds[] = {
		{ .fd = record->fd, .events = POLLIN },
		{ .fd = record->signals, .events = POLLIN },
	};
	int wait = LOOK_MS_FIRST, ret;
	__u64 looked = now_ms();

	for (;;) {
		poll(fds, 2, wait);
		take_signal(record);
		if (record->join_ms && now_ms() - record->began >= record->join_ms)
			record->over = true;
		if (now_ms() - looked >= (__u64)wait) {
			looked = now_ms();
			wait = wait < LOOK_MS_MOST / 2 ? 2 * wait : LOOK_MS_MOST;
			if (record->child.pid)
				child_each(&record->child, look_at, &record->recorder);
			else if (targets_gone(&record->session))
				record->over = true;
		}
		ret = stop_once(record, err);
		if (!ret)
			ret = take_all(record, err);
		if (ret <= 0)
			return ret;
	}
}

/* Records the names and mappings of processes that already run. */
static void say_present(struct record *record)
{
	struct perfdata_synth *synth = record->recorder.synth;
	__u32 i;

	perfdata_synth_kernel(synth);
	if (!record->session.start.nr_targets && !record->join_ms)
		perfdata_synth_all(synth);
	for (i = 0; i < record->session.start.nr_targets; i++)
		if (record->session.targets[i].type == HTMM_TARGET_TGID &&
		    record->session.targets[i].id != (__u64)record->child.pid)
			perfdata_synth_process(synth, record->session.targets[i].id, 0);
}

static int start_session(struct record *record, struct htmm_error *err)
{
	struct session *session = &record->session;
	int ret = child_join(&record->child, session, err);

	if (ret)
		return ret;
	record->recorder.marks.since = clock_ns(CLOCK_MONOTONIC);
	session->start.sample_type = SAMPLE_TYPE;
	if (!session->start.drain_interval_ms)
		session->start.drain_interval_ms = DRAIN_MS;
	ret = session_finish(session, err);
	return ret ? ret : session_start(session, record->fd, 0, err);
}

/* Is this session the last one that has begun? */
static bool is_session(int fd, __u64 session)
{
	struct htmm_info info;

	return !htmm_device_info(fd, &info, NULL) && info.session == session;
}

/* Learns what the running session samples, and what has happened to it until now. */
static int join_session(struct record *record, __u64 session, struct htmm_error *err)
{
	struct htmm_event_list *events = &record->session.events;
	struct htmm_stats_buf stats;
	int ret = htmm_device_stats(record->fd, &stats, err);

	if (ret)
		return ret;
	if (!is_session(record->fd, session)) {
		htmm_stats_free(&stats);
		return htmm_error_set(err, ESTALE, NULL, "the session has ended");
	}
	events->nr = stats.stats.nr_events;
	memcpy(events->event, stats.events, events->nr * sizeof(*events->event));
	recorder_join(&record->recorder, &stats);
	htmm_stats_free(&stats);
	record->recorder.marks.since = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

static int open_record(struct record *record, struct htmm_error *err)
{
	const __u32 most = record->buffer / 2;
	struct htmm_info info = {};
	int ret;

	if (record->join_ms) {
		ret = htmm_device_info(record->fd, &info, err);
		if (!ret && info.state != HTMM_STATE_RUNNING)
			ret = htmm_error_set(err, ENODATA,
					     "start one with 'htmmctl start'",
					     "no session is running");
		if (ret)
			return ret;
	}
	ret = stream_join(record->fd, info.session, record->buffer,
			  most < WATERMARK ? most : WATERMARK, err);
	if (!ret)
		ret = record->join_ms ? join_session(record, info.session, err) :
					start_session(record, err);
	if (!ret)
		ret = recorder_open(&record->recorder, record->fd, &record->session.events,
				    record->path, record->pipe, err);
	return ret;
}

/* Completes the file after success or failure, and says what is in it. */
static int finish(struct record *record, int ret, struct htmm_error *err)
{
	struct htmm_stats_buf stats = {};
	struct htmm_error ignored;

	record->over = true;
	stop_once(record, &ignored);
	if (!record->gone)
		htmm_device_stats(record->fd, &stats, &ignored);
	if (record->join_ms && !is_session(record->fd, record->recorder.marks.session)) {
		record->gone = true;
		htmm_stats_free(&stats);
		stats = (struct htmm_stats_buf) {};
	}
	if (recorder_close(&record->recorder, &stats, ret ? &ignored : err) && !ret)
		ret = -err->code;
	show_end(record, &stats);
	if (record->recorder.marks_missed)
		notice("%llu marks are not in the recording: their time by perf's clock is unknown",
		       record->recorder.marks_missed);
	if (record->gone)
		notice("another session has begun, so the module's counts are not known");
	htmm_stats_free(&stats);
	if (ret || !record->early.code)
		return ret;
	*err = record->early;
	return -err->code;
}

/* The command may go on running after recording has ended. */
static void wait_for_command(struct record *record)
{
	struct pollfd fds = { .fd = record->signals, .events = POLLIN };

	while (record->child.pid) {
		poll(&fds, 1, -1);
		take_signal(record);
	}
}

static int record_with(struct record *record, char **argv, struct htmm_error *err)
{
	struct signals signals;
	int ret, error;

	signals_block(&signals);
	record->signals = signals_fd(&signals, SIGCHLD);
	if (record->signals < 0)
		return htmm_error_set(err, -record->signals, NULL, "cannot wait for signals: %s",
				      strerror(-record->signals));
	ret = *argv ? child_fork(&record->child, argv, &signals, err) : 0;
	if (ret)
		return ret;
	/* A closed pipe or a file size limit must give an error, and not end this program. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	ret = open_record(record, err);
	if (ret) {
		if (*argv)
			child_abandon(&record->child);
		return ret;
	}
	record->began = now_ms();
	say_present(record);
	error = *argv ? child_begin(&record->child) : 0;
	if (error) {
		record->status = child_not_executed(&record->child, *argv, error);
		record->child.pid = 0;
		record->over = true;
	} else if (*argv) {
		child_report(&record->child);
		recorder_look(&record->recorder, record->child.pid);
	}
	ret = record_until_end(record, err);
	return finish(record, ret, err);
}

/* The command's output must not mix with the records. */
static int take_stdout(struct record *record, struct htmm_error *err)
{
	if (isatty(STDOUT_FILENO))
		return htmm_error_set(err, EINVAL, "give a file, or a pipe to 'perf script -i -'",
				      "records cannot go to a terminal");
	record->pipe = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (record->pipe < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return htmm_error_set(err, errno, NULL, "cannot write to stdout: %s",
				      strerror(errno));
	return 0;
}

/* Called while signals still end this program: opening a named pipe waits for its reader. */
static int open_output(struct record *record, struct htmm_error *err)
{
	return strcmp(record->path, "-") ?
		perfdata_open_special(&record->pipe, record->path, err) :
		take_stdout(record, err);
}

static void warn_of_namespace(void)
{
	struct stat st;

	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != INIT_PID_NS)
		notice("this is not the initial pid namespace: processes will have wrong names");
}

static int run_record(const struct command *cmd, int argc, char **argv)
{
	struct record record = {
		.path = "perf.data",
		.buffer = BUFFER_DEFAULT,
	};
	struct opt session[SESSION_OPTS];
	struct session none;
	const struct opt opts[] = {
		{ OPT_TEXT, 'o', "output", "FILE", "the file; '-': a pipe on stdout (perf.data)",
		  &record.path },
		{ OPT_SIZE, 0, "buffer", "SIZE", "kernel memory for records, a power of two (8M)",
		  &record.buffer, HTMM_MIN_STREAM_BYTES, HTMM_MAX_STREAM_BYTES, .rare = true },
		{ OPT_SECONDS, 0, "join", "SECONDS", "the running session instead, for so long",
		  &record.join_ms, 1, 4000000000 },
		{ OPT_END },
	};
	const struct opt *const tables[] = { session, opts, NULL };
	struct htmm_error err = {};
	int ret, rest, failed;

	record.recorder.writer.argv = argv;
	record.recorder.writer.argc = argc;
	session_opts(&record.session, session);
	/* -o is a file here, as with perf. */
	session[SESSION_OPTS - 2].key = 0;
	none = record.session;
	ret = opts_parse(cmd, argc, argv, tables, &rest);
	if (ret != OPTS_GO_ON)
		return ret;
	if (record.join_ms && (argv[rest] || memcmp(&none, &record.session, sizeof(none))))
		return usage_error(cmd, NULL,
				   "give no program or options of a session with --join");
	if (session_check(&record.session, &err))
		return usage_error(cmd, NULL, "%s", err.what);
	signals_accept();
	if (open_output(&record, &err))
		return print_error(&err);
	record.recorder.writer.wait = wait_for_reader;
	record.recorder.writer.waiter = &record;
	record.progress = isatty(STDERR_FILENO) && !verbosity.quiet;
	warn_of_namespace();
	record.fd = htmm_device_open(NULL, &err);
	if (record.fd < 0)
		return print_error(&err);
	failed = fcntl(record.fd, F_SETFL, O_NONBLOCK) || record_with(&record, argv + rest, &err);
	if (failed)
		print_error(&err);
	/* Stop sampling while the command goes on. */
	close(record.fd);
	wait_for_command(&record);
	child_leave(&record.child);
	return failed && !record.status ? EXIT_FAILED : record.status;
}

static const struct command cmd_record = {
	.name = "record",
	.synopsis = "[options] [[--] PROGRAM...]",
	.help = "Samples PROGRAM and all its children, as run does, until it ends; without one,\n"
		"all processes (or those of -p), until a signal comes.  Exits with its status.\n"
		"'perf script', 'perf report --mem-mode' and 'perf mem report' read the file,\n"
		"even if it is incomplete.  An existing file is renamed to FILE.old.",
	.run = run_record,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_record, argc, argv);
}
