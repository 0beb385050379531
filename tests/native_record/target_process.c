/* Scenarios of signals, and of the process: exits, forks, exec. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "target.h"
#include "traced.h"

static void must(bool ok)
{
	if (!ok)
		_exit(99);
}

/* ---- signals
 * ------------------------------------------------------------------------------------- */

static volatile int handled;
THUNK(70, handler, (int signo), signo)
{
	(void)signo;
	value(70);
	handled++;
}

void scenario_signals(void)
{
	value(1);
	must(__heddle_signal(SIGUSR1, handler) == SIG_DFL);
	must(!__heddle_raise(SIGUSR1));
	must(handled == 1);
	value(2);
	NATIVE(kill(getpid(), SIGUSR1));
	must(handled == 2);
	value(3);
}

/* A timer in the middle of everything. */
void scenario_signal_storm(void)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct itimerval tv = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
	must(!__heddle_sigaction(SIGALRM, &sa, NULL));
	NATIVE(setitimer(ITIMER_REAL, &tv, NULL));
	uint64_t i;
	for (i = 0; handled < 500 || i < 100000; i++) {
		value(i);
		__heddle_free(__heddle_malloc(8));
	}
	NATIVE(setitimer(ITIMER_REAL, &off, NULL));
}

static sigjmp_buf out;
THUNK(71, jumper, (int signo), signo)
{
	(void)signo;
	sigjmp_buf inner;
	if (SETJMP(inner) == 0)
		LONGJMP(inner, 1); /* inside of the handler: nothing special */
	value(71);
	LONGJMP(out, 3);
}

void scenario_signal_jump(void)
{
	__heddle_signal(SIGUSR1, jumper);
	value(1);
	int r = SETJMP(out);
	if (!r) {
		value(2);
		__heddle_raise(SIGUSR1);
	}
	must(r == 3);
	for (int i = 0; i < 100000; i++)
		value(5);
	must(!__heddle_raise(0));
}

THUNK(73, jumper_any, (int signo), signo)
{
	(void)signo;
	value(73);
	LONGJMP(out, 4);
}

/* Jumps come out of any place, refills included; afterwards more of them, on scratch memory. */
void scenario_signal_jump_any(void)
{
	static volatile int jumps;
	struct itimerval tv = {{0, 300}, {0, 300}}, off = {{0, 0}, {0, 0}};
	__heddle_signal(SIGALRM, jumper_any);
	if (SETJMP(out))
		jumps++;
	else
		NATIVE(setitimer(ITIMER_REAL, &tv, NULL));
	for (uint64_t i = 0; jumps < 20; i++)
		value(i);
	NATIVE(setitimer(ITIMER_REAL, &off, NULL));
}

static void native_handler(int signo, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	handled += signo;
}

/* What the program sees of its handlers is what it set. */
void scenario_signal_old(void)
{
	struct sigaction sa = {.sa_sigaction = native_handler, .sa_flags = SA_SIGINFO | SA_RESTART},
			 old;
	must(!__heddle_sigaction(SIGSEGV, NULL, &old) && old.sa_handler == SIG_DFL &&
		old.sa_flags == 0);
	must(!__heddle_sigaction(SIGUSR2, &sa, &old) && old.sa_handler == SIG_DFL);
	must(!__heddle_sigaction(SIGUSR2, NULL, &old) && old.sa_sigaction == native_handler);
	must((old.sa_flags & (SA_SIGINFO | SA_RESTART)) == (SA_SIGINFO | SA_RESTART));
	must(!__heddle_raise(SIGUSR2) && handled == SIGUSR2);
	must(__heddle_signal(SIGUSR2, handler) == (sighandler_t)(void *)native_handler);
	must(__heddle_signal(SIGUSR2, SIG_IGN) == handler);
	must(__heddle_signal(SIGUSR2, SIG_DFL) == SIG_IGN);
	errno = 0;
	must(__heddle_signal(SIGKILL, handler) == SIG_ERR && errno == EINVAL);
	must(__heddle_sigaction(1000, &sa, NULL) == -1 && errno == EINVAL);
}

static pid_t forked;
THUNK(72, forker, (int signo), signo)
{
	(void)signo;
	forked = __heddle_fork();
	value(72);
}

/* The child goes on where the parent was interrupted, and its parent must not notice. */
void scenario_signal_fork(void)
{
	__heddle_signal(SIGUSR1, forker);
	forked = -1;
	for (uint64_t i = 0; i < 50000; i++) {
		value(i);
		if (i == 1000)
			raise(SIGUSR1); /* not as a call: as if it came by itself */
	}
	if (!forked)
		_exit(5);
	int status;
	NATIVE(waitpid(forked, &status, 0));
	must(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

void scenario_crash(void)
{
	value(1);
	NATIVE((void)0);
	value(2);
	*(volatile int *)0x1238 = 1;
}

void scenario_divide(void)
{
	volatile int zero = 0, one = 1;
	value(1);
	value((uint64_t)(one / zero));
}

void scenario_kill_self(void)
{
	value(1);
	NATIVE(kill(getpid(), SIGBUS));
}

void scenario_raised(void)
{
	value(1);
	__heddle_raise(SIGTERM);
}

/* ---- the process
 * --------------------------------------------------------------------------------- */

static void quick(void)
{
	__heddle_callback(80, NULL, 0);
	value(80);
	__heddle_callback_end();
}

void scenario_exit(void)
{
	value(1);
	__heddle_exit(3);
}

void scenario_exit_now(void)
{
	value(1);
	__heddle__exit(4);
}

void scenario_exit_quick(void)
{
	NATIVE(at_quick_exit(quick));
	__heddle_quick_exit(6);
}

void scenario_abort(void)
{
	value(1);
	__heddle_abort();
}

void scenario_exec(void)
{
	value(1);
	__heddle_execl("/bin/sh", "sh", "-c", "exit 7", NULL);
	_exit(99);
}

void scenario_exec_fails(void)
{
	char *argv[] = {"none", NULL};
	must(__heddle_execv("/no/such/program", argv) == -1 && errno == ENOENT);
	value(1);
}

static void fork_with(pid_t (*forking)(void))
{
	value(1);
	pid_t pid = forking();
	if (!pid) {
		for (int i = 0; i < 100000; i++)
			value(66);
		pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		__heddle_pthread_mutex_lock(&m);
		__heddle_exit(11);
	}
	for (uint64_t i = 0; i < 100000; i++)
		value(i);
	int status;
	NATIVE(waitpid(pid, &status, 0));
	must(WIFEXITED(status) && WEXITSTATUS(status) == 11);
}

static void prepare(void)
{
	__heddle_callback(81, NULL, 0);
	value(81);
	__heddle_callback_end();
}

void scenario_fork(void)
{
	NATIVE(pthread_atfork(prepare, NULL, prepare));
	fork_with(__heddle_fork);
	fork_with(__heddle_vfork);
}

static pid_t native_fork(void)
{
	pid_t pid;
	NATIVE(pid = fork());
	return pid;
}

void scenario_fork_native(void)
{
	fork_with(native_fork);
}

/* Until it is killed. */
void scenario_endless(void)
{
	for (uint64_t i = 0;; i++) {
		value(i);
		if (i % 100 == 0)
			__heddle_free(__heddle_malloc(16));
	}
}
