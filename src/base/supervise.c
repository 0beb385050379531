#include "base/supervise.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/process_tree.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds that a stage has after a signal has asked the command to end. */
static const double seconds_after_signal = 1.2;
/* Seconds from the request to stop until the stage is killed: a part of its time, within bounds. */
static const double grace_part = 0.05, grace_least = 0.3, grace_most = 1;

enum { FAILED_STATUS = 3 }; /* of a stage whose work() failed; other processes end with 1 or 127 */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static bool ends_command(int signo)
{
	return signo != SIGUSR1 && signo != SIGUSR2;
}

/* ---- in a stage ------------------------------------------------------------------------------ */

static volatile int stop;

const volatile int *stage_stop(void)
{
	return &stop;
}

static void on_signal(int signo)
{
	(void)signo;
	stop = 1;
}

/* The caller of the command wants it to live on (nohup). */
static bool is_ignored(int signo)
{
	struct sigaction old;

	return !sigaction(signo, NULL, &old) && old.sa_handler == SIG_IGN;
}

static void handle_signals(const struct supervisor *s)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (signals[i] == SIGTERM || (ends_command(signals[i]) && !is_ignored(signals[i])))
			sigaction(signals[i], &sa, NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

bool stage_send(int fd, const void *message, size_t n)
{
	uint64_t size = n;

	return !file_write_fd(fd, &size, sizeof size) && !file_write_fd(fd, message, n);
}

static NORETURN void become_stage(const struct supervisor *s, const struct supervised *st, int fd)
{
	int result;

	handle_signals(s);
	close(s->signals);
	result = st->work(st->ctx, fd);
	fflush(NULL);
	_exit(result ? FAILED_STATUS : 0);
}

/* ---- in the caller --------------------------------------------------------------------------- */

struct watched { /* the stage that runs */
	struct supervisor *s;
	struct supervised *st;
	pid_t pid;
	int pidfd, pipe;
	struct strbuf in; /* bytes that are not a whole message yet */
	struct process_tree tree;
	double stop_at, kill_at, look_at; /* in clock_seconds() */
	bool asked;                       /* to stop */
	enum stage_end end;               /* the reason why it has to end; STAGE_DONE: none */
};

int supervisor_open(struct supervisor *s, double seconds, uint64_t memory)
{
	sigset_t set;

	*s = (struct supervisor){
		.seconds = seconds, .deadline = clock_seconds() + seconds, .memory = memory};
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!is_ignored(signals[i]))
			sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, &s->mask);
	s->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return s->signals < 0 ? -1 : 0;
}

void supervisor_close(struct supervisor *s)
{
	struct signalfd_siginfo info;

	if (s->signals <= 0)
		return;
	while (read(s->signals, &info, sizeof info) == sizeof info)
		; /* signals that came during the last words are of no use any more */
	close(s->signals);
	s->signals = -1;
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

double supervisor_left(const struct supervisor *s)
{
	return s->deadline - clock_seconds();
}

static void take_messages(struct watched *w)
{
	size_t at = 0;
	uint64_t n;

	while (w->in.n - at >= sizeof n) {
		memcpy(&n, w->in.s + at, sizeof n);
		if (w->in.n - at - sizeof n < n)
			break;
		w->st->receive(w->st->ctx, w->in.s + at + sizeof n, n);
		at += sizeof n + n;
	}
	if (at) {
		memmove(w->in.s, w->in.s + at, w->in.n - at);
		w->in.n -= at;
	}
}

/* False at the end of the pipe, or if it is empty. */
static bool read_messages(struct watched *w)
{
	char buf[1 << 16];
	ssize_t k = read(w->pipe, buf, sizeof buf);

	if (k < 0)
		return errno == EINTR;
	strbuf_add(&w->in, buf, (size_t)k);
	take_messages(w);
	return k > 0;
}

static void ask_to_stop(struct watched *w, enum stage_end why, double kill_at)
{
	if (w->end == STAGE_DONE)
		w->end = why;
	w->kill_at = MIN(w->kill_at, kill_at);
	if (!w->asked)
		kill(w->pid, SIGTERM);
	w->asked = true;
}

/* A signal from the terminal reaches all processes of its group; others are forwarded. */
static void take_signal(struct watched *w, const struct signalfd_siginfo *info)
{
	int signo = (int)info->ssi_signo;
	double now = clock_seconds();

	if (w->st->forwards && info->ssi_code <= 0)
		kill(w->pid, signo);
	if (!ends_command(signo))
		return;
	if (w->s->interrupted) /* the second one */
		w->kill_at = now;
	w->s->interrupted = signo;
	w->s->deadline = MIN(w->s->deadline, now + seconds_after_signal);
	if (w->st->forwards) { /* what it does with the signal is its end */
		w->stop_at = w->kill_at = MIN(w->kill_at, w->s->deadline);
		w->end = STAGE_SIGNAL;
	} else {
		ask_to_stop(w, STAGE_SIGNAL, w->s->deadline);
	}
}

/* Kills the largest worker of the stage, which loses one of its questions. False: no worker has a
 * large part of the memory. */
static bool kill_largest_worker(const struct watched *w)
{
	const struct process *largest = NULL;

	vec_each (&w->tree.at, i) {
		const struct process *p = &w->tree.at.at[i];

		if (p->same && p->pid != w->pid && (!largest || p->memory > largest->memory))
			largest = p;
	}
	if (!largest || largest->memory < w->s->memory / 4)
		return false;
	kill(largest->pid, SIGKILL);
	return true;
}

enum { LOOK_MS = 100, LOOK_CLOSELY_MS = 20 };

static void look_at_memory(struct watched *w, double now)
{
	uint64_t limit = w->s->memory, used;

	if (!limit || now < w->look_at)
		return;
	process_tree_read(&w->tree, getpid());
	used = process_tree_memory(&w->tree, limit);
	w->look_at = now + (used > limit / 2 ? LOOK_CLOSELY_MS : LOOK_MS) / 1000.0;
	if (used <= limit || kill_largest_worker(w))
		return;
	w->end = STAGE_MEMORY;
	w->kill_at = now;
}

static int get_pause(const struct watched *w, double now)
{
	double next = MIN(w->asked ? w->kill_at : w->stop_at, now + LOOK_MS / 1000.0);

	next = w->s->memory ? MIN(next, w->look_at) : next;
	return next > now ? (int)((next - now) * 1000) + 1 : 0;
}

static void watch_stage(struct watched *w)
{
	struct pollfd p[] = {
		{w->pidfd, POLLIN, 0}, {w->pipe, POLLIN, 0}, {w->s->signals, POLLIN, 0}};
	struct signalfd_siginfo info;

	for (;;) {
		double now = clock_seconds();

		if (now >= w->kill_at) {
			w->end = w->end == STAGE_DONE ? STAGE_TIME : w->end;
			kill(w->pid, SIGKILL);
			break;
		}
		if (now >= w->stop_at && !w->asked)
			ask_to_stop(w, STAGE_TIME, w->kill_at);
		look_at_memory(w, now);
		if (w->kill_at <= now || poll(p, ARRAY_SIZE(p), get_pause(w, now)) <= 0)
			continue;
		while (read(w->s->signals, &info, sizeof info) == sizeof info)
			take_signal(w, &info);
		if (p[1].revents && !read_messages(w))
			p[1].fd = -1;
		if (p[0].revents)
			break;
	}
}

/* The stage has ended or was killed: reads what it sent, and ends what it left behind. */
static enum stage_end finish_stage(struct watched *w)
{
	struct supervised *st = w->st;

	while (waitpid(w->pid, &st->status, 0) < 0 && errno == EINTR)
		;
	process_tree_kill_own();
	fcntl(w->pipe, F_SETFL, O_NONBLOCK);
	while (read_messages(w))
		;
	if (!WIFEXITED(st->status))
		return w->end == STAGE_DONE ? STAGE_DIED : w->end;
	if (WEXITSTATUS(st->status) && WEXITSTATUS(st->status) != FAILED_STATUS)
		return STAGE_DIED;
	st->returned = true;
	st->result = WEXITSTATUS(st->status) ? -1 : 0;
	return w->end;
}

enum stage_end supervisor_run(struct supervisor *s, struct supervised *st)
{
	struct watched w = {.s = s, .st = st, .stop_at = MIN(st->until, s->deadline)};
	double grace = (w.stop_at - clock_seconds()) * grace_part;
	pid_t caller = getpid();
	enum stage_end end;
	int ends[2];

	w.kill_at = w.stop_at + MIN(MAX(grace, grace_least), grace_most);
	st->result = -1;
	st->returned = false;
	if (pipe2(ends, O_CLOEXEC))
		return STAGE_DIED;
	fflush(NULL);
	w.pid = fork();
	if (!w.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		if (getppid() == caller)
			become_stage(s, st, ends[1]);
		_exit(1);
	}
	close(ends[1]);
	w.pipe = ends[0];
	w.pidfd = w.pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, w.pid, 0);
	end = STAGE_DIED;
	if (w.pid > 0) {
		watch_stage(&w);
		end = finish_stage(&w);
	}
	if (w.pidfd >= 0)
		close(w.pidfd);
	close(w.pipe);
	strbuf_release(&w.in);
	process_tree_release(&w.tree);
	return end;
}
