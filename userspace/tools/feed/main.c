// SPDX-License-Identifier: GPL-2.0
/* The command `feed`: hands the samples of a recording to a session. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "htmmctl/session.h"
#include "htmmctl/view.h"
#include "perfdata/decode_thread.h"
#include "feeder.h"

/* A ring that is filled as fast as it goes: more pages mean fewer waits. */
#define RING_PAGES	256

/**
 * struct replay - the options and the state of feed
 * @path: the recording
 * @session: the session, with its options
 * @reader: reads the recording
 * @feeder: hands it in
 * @json: print JSON
 * @guard: the process that ends the session if this one cannot
 * @alive: open as long as it is not to do so
 */
struct replay {
	const char *path;
	struct session session;
	struct perfdata_reader *reader;
	struct feeder feeder;
	bool json;
	pid_t guard;
	int alive;
};

static int call_pace(void *value, const char *text, struct htmm_error *err)
{
	static const char *const words[] = { "fast", "recorded" };
	int word = opt_word(words, ARRAY_SIZE(words), text, "there is no pace", err);

	if (word >= 0)
		*(bool *)value = word;
	return word < 0 ? word : 0;
}

/* Or it would have the device open for a moment longer, so that the module cannot be removed. */
static void end_guard(const struct replay *replay)
{
	close(replay->alive);
	waitpid(replay->guard, NULL, 0);
}

/*
 * However this process ends, the session ends with it: else it would run on without samples, and
 * be in the way of the next one. A child waits for that, out of reach of the terminal's signals
 * and of those for a process group. It is there before the session is, and sees in the shared
 * memory if one was started. A session that is stopped already is not stopped again.
 */
static int begin_guard(struct replay *replay, struct htmm_error *err)
{
	struct htmm_session_id id = { .size = sizeof(id) };
	int ends[2];
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return htmm_error_set(err, errno, NULL, "socketpair: %s", strerror(errno));
	replay->guard = fork();
	if (replay->guard < 0)
		return htmm_error_set(err, errno, NULL, "fork: %s", strerror(errno));
	if (!replay->guard) {
		setsid();
		close(ends[1]);
		send(ends[0], "", 1, MSG_NOSIGNAL);
		/* Whoever reads what this process prints does not wait for the child. */
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		while (read(ends[0], &c, 1) < 0 && errno == EINTR)
			;
		id.session = replay->session.start.session;
		if (id.session)
			ioctl(replay->feeder.fd, HTMM_IOC_STOP, &id);
		_exit(0);
	}
	close(ends[0]);
	replay->alive = ends[1];
	/* From now on no signal to both ends it. The socket is closed when this process ends. */
	if (recv(ends[1], &c, 1, 0) == 1)
		return 0;
	end_guard(replay);
	return htmm_error_set(err, EIO, NULL, "the process that guards the session has ended");
}

/* One CPU has one ring, which keeps the order of the samples: so all replays are the same. */
static int choose_cpu(struct htmm_cpus *cpus, struct htmm_error *err)
{
	char cpu[16];

	snprintf(cpu, sizeof(cpu), "%d", sched_getcpu());
	return htmm_cpus_parse(cpus, cpu, err);
}

static int begin(struct replay *replay, struct htmm_error *err)
{
	const struct perfdata_notes *notes = perfdata_reader_notes(replay->reader);
	struct session *session = &replay->session;
	struct htmm_start *start = &session->start;
	int ret = choose_cpu(&session->cpus, err);

	if (ret)
		return ret;
	session->events.event[session->events.nr++] = (struct htmm_event) {
		.type = HTMM_TYPE_FEED,
		.period = perfdata_events_period(perfdata_reader_events(replay->reader)),
		.name = "recording",
	};
	if (!start->capacity_pages)
		start->capacity_pages = (notes->fast_mem ? notes->fast_mem : notes->total_mem) >>
					HTMM_PAGE_SHIFT;
	if (!start->ring_pages)
		start->ring_pages = RING_PAGES;
	start->sample_type |= PERF_SAMPLE_TIME;
	if (session->sources != CHOICE_NO) {
		session->sources = CHOICE_YES;
		start->sample_type |= PERF_SAMPLE_DATA_SRC;
	}
	ret = begin_guard(replay, err);
	if (ret)
		return ret;
	/* The results are read by other commands, too. */
	ret = session_start(session, replay->feeder.fd,
			    HTMM_START_KEEP_EXITED | HTMM_START_DETACHED, err);
	if (ret)
		end_guard(replay);
	replay->feeder.session = start->session;
	return ret;
}

static int feed_records(struct replay *replay, struct htmm_error *err)
{
	struct decode_thread *ahead = decode_thread_new(replay->reader, err);
	const struct perfdata_batch *batch;
	int ret, failed = 0;

	if (!ahead)
		return -err->code;
	while (!failed && (ret = decode_thread_next(ahead, &batch, err)) > 0) {
		failed = feeder_add(&replay->feeder, batch->sample, batch->nr, err);
		/* Do not let samples wait for others that come late, as those of a pipe do. */
		if (!failed && replay->feeder.recorded_pace)
			failed = feeder_flush(&replay->feeder, err);
	}
	if (!failed && !ret)
		failed = feeder_flush(&replay->feeder, err);
	decode_thread_free(ahead);
	return failed ? failed : ret;
}

static void say(const struct replay *replay)
{
	const struct feeder *feeder = &replay->feeder;
	const __u64 lost = perfdata_lost(&feeder->losses);
	struct perfdata_status status;

	perfdata_reader_status(replay->reader, &status);
	notice("%llu samples of '%s' were handed in", feeder->fed, replay->path);
	if (feeder->filtered)
		notice("%llu of other processes were left out", feeder->filtered);
	if (feeder->guest)
		notice("%llu that were taken in virtual machines were left out", feeder->guest);
	if (feeder->no_process)
		notice("%llu of processes that the recording does not know were left out",
		       feeder->no_process);
	if (status.malformed || status.unknown)
		notice("%llu malformed records and %llu samples of unknown events were left out",
		       status.malformed, status.unknown);
	if (status.late)
		notice("%llu records came too late to be put in order of time", status.late);
	if (lost)
		notice("%llu samples were lost when it was recorded", lost);
	if (status.truncated && !status.damaged)
		notice("the file is incomplete; what is in it was handed in");
}

/* The results stay with the module, for all other commands. */
static int print_results(struct replay *replay, struct htmm_error *err)
{
	const int fd = replay->feeder.fd;
	struct results res = {};
	int ret = results_read(&res, fd, HOT_PAGES_DEFAULT, err);

	if (!ret)
		ret = results_hit(&res, fd, err);
	if (!ret)
		ret = session_is(replay->feeder.session, fd, err);
	if (!ret && (replay->json || !verbosity.quiet))
		results_print(stdout, &res, replay->json, -1);
	if (!ret && !replay->feeder.fed)
		ret = htmm_error_set(err, ENODATA, "'htmmctl report' says why",
				     "no sample of '%s' was handed in", replay->path);
	else if (!ret && !res.stats.stats.total.counted &&
		 res.stats.stats.stats[HTMM_STAT_PAUSED_NS])
		ret = htmm_error_set(err, ENODATA, "leave out -o paused=yes",
				     "no sample of '%s' was counted: the session was paused",
				     replay->path);
	else if (!ret && !res.stats.stats.total.counted)
		ret = htmm_error_set(err, ENODATA,
				     "record with 'htmmctl record' or 'perf record -d'",
				     "no sample of '%s' was counted: they have no data address in user space",
				     replay->path);
	results_free(&res);
	return ret;
}

static int replay_all(struct replay *replay, struct htmm_error *err)
{
	struct perfdata_status status;
	struct htmm_error ignored;
	int ret, stopped;

	ret = begin(replay, err);
	if (ret)
		return ret;
	ret = feed_records(replay, err);
	say(replay);
	stopped = session_stop(&replay->session, replay->feeder.fd, ret ? &ignored : err);
	end_guard(replay);
	if (!ret)
		ret = stopped;
	if (!ret)
		ret = print_results(replay, err);
	perfdata_reader_status(replay->reader, &status);
	if (!ret && status.damaged)
		ret = htmm_error_set(err, EBADMSG, NULL, "'%s' is damaged at byte %llu",
				     replay->path, status.offset);
	return ret;
}

static int replay_file(int fd, void *arg, struct htmm_error *err)
{
	struct replay *replay = arg;
	int ret = perfdata_reader_open(&replay->reader, replay->path, err);

	if (ret)
		return ret;
	replay->feeder.fd = fd;
	ret = replay_all(replay, err);
	feeder_free(&replay->feeder);
	perfdata_reader_close(replay->reader);
	return ret;
}

static int run_feed(const struct command *cmd, int argc, char **argv)
{
	/* Its guard sees what becomes of it. */
	struct replay *replay = mmap(NULL, sizeof(*replay), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct opt setup[SETUP_OPTS];
	const struct opt opts[] = {
		{ OPT_TEXT, 'i', "input", "FILE", "a file, a directory or '-': a pipe (perf.data)",
		  &replay->path },
		{ OPT_LIST, 'p', "pid", "PID,...", "only these processes", &replay->feeder.pids,
		  .call = perfdata_pids_add },
		{ OPT_CALL, 0, "pace", "PACE", "fast, or as recorded (fast)",
		  &replay->feeder.recorded_pace, .call = call_pace, .words = "fast or recorded" },
		OPT_JSON(&replay->json),
		{ OPT_END },
	};
	const struct opt *const tables[] = { opts, setup, NULL };
	struct htmm_error err = {};
	int ret;

	if (replay == MAP_FAILED) {
		no_memory(&err);
		return print_error(&err);
	}
	replay->path = "perf.data";
	setup_opts(&replay->session, setup);
	ret = opts_parse(cmd, argc, argv, tables, NULL);
	return ret == OPTS_GO_ON ? device_call(replay_file, replay) : ret;
}

static const struct command cmd_feed = {
	.name = "feed",
	.synopsis = "[options]",
	.help = "Hands the samples of a perf.data file of 'htmmctl record' or 'perf record -d' to\n"
		"a session of their own, which counts them as if they were taken now: with\n"
		"another capacity or cooling period, for example.  Prints the results, which\n"
		"'htmmctl hot', 'hist' and others can read, too, until another session starts.",
	.run = run_feed,
};

int main(int argc, char **argv)
{
	return command_main(&cmd_feed, argc, argv);
}
