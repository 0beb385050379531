#include "cli/target.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/process_tree.h"
#include "cli/hang_detector.h"
#include "object/spawn.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- signals ----------------------------------------------------------------------------- */

static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static struct sigaction before[ARRAY_SIZE(forwarded)];
static bool forwarding;
static volatile pid_t target;

static void forward_signal(int signo, siginfo_t *info, void *context)
{
	int err = errno;

	(void)context;
	if (info->si_code <= 0 && target > 0)
		kill(target, signo);
	errno = err;
}

static void block_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

static void forward_signals(const sigset_t *mask)
{
	struct sigaction sa = {.sa_sigaction = forward_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++)
		sigaction(forwarded[i], &sa, forwarding ? NULL : &before[i]);
	forwarding = true;
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

void target_signals_back(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(forwarded) && forwarding; i++)
		sigaction(forwarded[i], &before[i], NULL);
	forwarding = false;
}

/* ---- the program ------------------------------------------------------------------------- */

struct start {
	const struct recording *r;
	char **argv;
	const sigset_t *mask; /* signals that the program starts with blocked */
};

static void become_program(void *ctx)
{
	const struct start *s = ctx;

	sigprocmask(SIG_SETMASK, s->mask, NULL);
	recording_exec(s->r, s->argv);
}

static int open_process(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		BUG("cannot watch the program: %s", strerror(errno));
	return fd;
}

/* ---- detection of hangs ------------------------------------------------------------------ */

enum { LOOK_MS = 50 };

struct watch {
	const struct target_options *opt;
	pid_t pid;
	int pidfd;
	enum target_end end;
	pthread_t thread;
	bool on;
};

/* Uses SIGKILL, because a process that hangs may not react to another signal, and its log survives
 * in shared memory. */
static void *watch_run(void *ctx)
{
	struct watch *w = ctx;
	struct pollfd p = {w->pidfd, POLLIN, 0};
	struct hang_detector h = {0};
	double until = clock_seconds() + w->opt->seconds;

	while (!poll(&p, 1, LOOK_MS)) {
		if (w->opt->watch && hang_detector_look(&h, w->pid))
			w->end = TARGET_HUNG;
		else if (w->opt->seconds > 0 && clock_seconds() > until)
			w->end = TARGET_TIMEOUT;
		else if (w->opt->until > 0 && clock_seconds() > w->opt->until)
			w->end = TARGET_CUT;
		else
			continue;
		kill(w->pid, SIGKILL);
		break;
	}
	return NULL;
}

static void watch_start(struct watch *w)
{
	w->on = (w->opt->watch || w->opt->seconds > 0 || w->opt->until > 0) &&
		!pthread_create(&w->thread, NULL, watch_run, w);
}

static enum target_end watch_end(struct watch *w)
{
	if (w->on)
		pthread_join(w->thread, NULL);
	return w->end;
}

/* ---- processes that the program left behind ---------------------------------------------- */

static const double grace_seconds = 1; /* seconds that they have to end by themselves */

static void kill_left_behind(struct process_tree *before, double grace)
{
	uint32_t n = process_tree_kill_others(before, grace);

	process_tree_release(before);
	if (n)
		note_("%u process%s that the program left behind %s killed", n, n == 1 ? "" : "es",
			n == 1 ? "was" : "were");
}

/* ---- the run ------------------------------------------------------------------------------- */

int target_run(struct recording *r, char **argv, const struct target_options *opt, int *status,
	enum target_end *end)
{
	struct watch w = {.opt = opt};
	struct process_tree before = {0};
	sigset_t mask;
	struct start s = {r, argv, &mask};

	fflush(NULL);
	block_signals(&mask);
	process_tree_adopt(&before);
	target = spawn_call(become_program, &s, opt->with_us);
	if (target < 0)
		error_("cannot start '%s': %s", r->image.path, strerror(errno));
	forward_signals(&mask);
	if (target < 0) {
		process_tree_release(&before);
		recording_abandon(r);
		return -1;
	}
	store_settle(r->w);
	w.pid = target;
	w.pidfd = open_process(target);
	watch_start(&w);
	recording_collect(r, w.pidfd);
	*end = watch_end(&w);
	close(w.pidfd);
	while (waitpid(target, status, 0) < 0)
		BUG_ON(errno != EINTR);
	target = 0;
	kill_left_behind(&before, opt->with_us ? 0 : grace_seconds);
	return 0;
}

void target_fate(struct strbuf *b, int status)
{
	const char *name;

	if (WIFEXITED(status)) {
		strbuf_addf(b, "program exited with %d", WEXITSTATUS(status));
		return;
	}
	name = sigabbrev_np(WTERMSIG(status));
	if (name)
		strbuf_addf(b, "program was killed by SIG%s", name);
	else
		strbuf_addf(b, "program was killed by signal %d", WTERMSIG(status));
}
