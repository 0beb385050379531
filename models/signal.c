/*
 * Signals that the program sends to itself. A handler runs in the calling thread, at once, or
 * when the signal is unblocked. Signals of other processes are not delivered. A signal that kill()
 * sends to the process may go to any thread that does not block it: where that is not the caller
 * alone, in this order of the threads or in another one, it is not modelled.
 */
#include "model.h"
#include "model_signal.h"
#include "model_thread.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char *__strsignal(int sig); /* strerror.c */

static struct sigaction actions[_NSIG];
static __thread sigset_t pending;
static sigset_t sent; /* by kill(), beside other threads, to its caller */

/* ---- sets -------------------------------------------------------------------------------- */

static bool valid(int sig)
{
	return sig > 0 && sig < _NSIG;
}

static bool in(const sigset_t *set, int sig)
{
	return set->__val[(sig - 1) / 64] >> ((sig - 1) % 64) & 1;
}

static void add(sigset_t *set, int sig)
{
	set->__val[(sig - 1) / 64] |= 1UL << ((sig - 1) % 64);
}

static void del(sigset_t *set, int sig)
{
	set->__val[(sig - 1) / 64] &= ~(1UL << ((sig - 1) % 64));
}

int sigemptyset(sigset_t *set)
{
	__builtin_memset(set, 0, sizeof *set);
	return 0;
}

/* All but the two that glibc keeps for itself. */
int sigfillset(sigset_t *set)
{
	__builtin_memset(set, 0xff, sizeof *set);
	del(set, 32);
	del(set, 33);
	return 0;
}

int sigaddset(sigset_t *set, int sig)
{
	if (!valid(sig) || sig == 32 || sig == 33)
		return m_fail(EINVAL);
	add(set, sig);
	return 0;
}

int sigdelset(sigset_t *set, int sig)
{
	if (!valid(sig) || sig == 32 || sig == 33)
		return m_fail(EINVAL);
	del(set, sig);
	return 0;
}

int sigismember(const sigset_t *set, int sig)
{
	if (!valid(sig))
		return m_fail(EINVAL);
	return in(set, sig);
}

int sigisemptyset(const sigset_t *set)
{
	return set->__val[0] == 0;
}

int sigorset(sigset_t *to, const sigset_t *a, const sigset_t *b)
{
	to->__val[0] = a->__val[0] | b->__val[0];
	return 0;
}

int sigandset(sigset_t *to, const sigset_t *a, const sigset_t *b)
{
	to->__val[0] = a->__val[0] & b->__val[0];
	return 0;
}

/* ---- delivery ---------------------------------------------------------------------------- */

static bool ignored_by_default(int sig)
{
	return sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
}

static _Noreturn void die(int sig)
{
	char text[64];

	if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)
		__heddle_unmodelled("a signal that stops the process");
	snprintf(text, sizeof text, "killed by signal %d (%s)", sig, __strsignal(sig));
	__heddle_fault(HEDDLE_FAULT_FATAL_SIGNAL, text, NULL);
}

/* Before the mask of the thread changes: notes what it does not block, for kill() by others. */
static void note_open(struct model_thread *t)
{
	if (__m_thread(2)) /* else there was never another thread */
		t->opened.__val[0] |= ~t->blocked.__val[0];
}

/* The handler runs with its mask; SA_RESETHAND and SA_NODEFER as POSIX has them. */
static void run_handler(int sig)
{
	struct sigaction act = actions[sig];
	struct model_thread *t = __m_self();
	sigset_t old = t->blocked;

	if (act.sa_flags & (int)SA_RESETHAND)
		actions[sig].sa_handler = SIG_DFL;
	note_open(t);
	t->blocked.__val[0] |= act.sa_mask.__val[0];
	if (!(act.sa_flags & SA_NODEFER))
		add(&t->blocked, sig);
	if (act.sa_flags & SA_SIGINFO) {
		siginfo_t info;
		__builtin_memset(&info, 0, sizeof info);
		info.si_signo = sig;
		info.si_code = SI_TKILL;
		info.si_pid = (pid_t)M_RAW(SYS_getpid);
		info.si_uid = (uid_t)M_RAW(SYS_getuid);
		act.sa_sigaction(sig, &info, NULL);
	} else {
		act.sa_handler(sig);
	}
	__m_sigmask(SIG_SETMASK, &old, NULL);
}

static bool has_handler(int sig)
{
	return actions[sig].sa_handler != SIG_DFL && actions[sig].sa_handler != SIG_IGN;
}

void __m_signal_raise(int sig)
{
	if (has_handler(sig) || actions[sig].sa_handler == SIG_DFL) {
		if (in(&__m_self()->blocked, sig) && sig != SIGKILL)
			add(&pending, sig);
		else if (has_handler(sig))
			run_handler(sig);
		else if (!ignored_by_default(sig))
			die(sig);
	}
}

void __m_signal_abort(void)
{
	if (has_handler(SIGABRT))
		run_handler(SIGABRT);
}

/* If the reader of the program's standard output has closed it, the program exits, as natively,
 * without a finding: this is not a bug of the program. */
long __m_written(int fd, long r)
{
	if (r == -EPIPE) {
		if (fd <= STDERR_FILENO && actions[SIGPIPE].sa_handler == SIG_DFL)
			__heddle_exit(128 + SIGPIPE);
		__m_signal_raise(SIGPIPE);
	}
	return m_ret(r);
}

static void deliver_pending(void)
{
	sigset_t *blocked = &__m_self()->blocked;

	for (int sig = 1; sig < _NSIG && pending.__val[0]; sig++) {
		if (!in(&pending, sig) || in(blocked, sig))
			continue;
		del(&pending, sig);
		__m_signal_raise(sig);
	}
}

int __m_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t *blocked = &__m_self()->blocked, before = *blocked;

	if (set) {
		unsigned long new = set->__val[0];
		note_open(__m_self());
		switch (how) {
		case SIG_BLOCK: blocked->__val[0] |= new; break;
		case SIG_UNBLOCK: blocked->__val[0] &= ~new; break;
		case SIG_SETMASK: blocked->__val[0] = new; break;
		default: return EINVAL;
		}
		del(blocked, SIGKILL);
		del(blocked, SIGSTOP);
		if (sent.__val[0] & ~blocked->__val[0] & ~__m_self()->opened.__val[0])
			__heddle_unmodelled("kill with a signal that another thread unblocks");
	}
	if (old)
		*old = before;
	if (pending.__val[0])
		deliver_pending();
	return 0;
}

/* ---- the calls --------------------------------------------------------------------------- */

int raise(int sig)
{
	if (sig < 0 || sig >= _NSIG)
		return m_fail(EINVAL);
	if (sig)
		__m_signal_raise(sig);
	return 0;
}

M_ALIAS(gsignal, raise);

/* Whether a thread other than the caller may get the signal. A thread that has ended counts unless
 * the caller joined it: its end may come later in another order. */
static bool others_may_take(int sig)
{
	struct model_thread *me = __m_self(), *t;
	bool others = false;

	for (pthread_t handle = 1; (t = __m_thread(handle)); handle++) {
		if (t == me || (t->joined && t->joiner == me))
			continue;
		if (!in(&t->blocked, sig) || in(&t->opened, sig))
			return true;
		others = true;
	}
	if (others)
		add(&sent, sig);
	return others && in(&me->blocked, sig); /* then it is pending for all of them */
}

static void kill_self(int sig)
{
	bool ends = actions[sig].sa_handler == SIG_DFL && !ignored_by_default(sig);

	if ((has_handler(sig) || (ends && in(&__m_self()->blocked, sig))) && others_may_take(sig))
		__heddle_unmodelled("kill with a signal that several threads may take");
	__m_signal_raise(sig);
}

int kill(pid_t pid, int sig)
{
	if (sig < 0 || sig >= _NSIG)
		return m_fail(EINVAL);
	if (!sig)
		return (int)M_SYS(SYS_kill, pid, 0);
	if (pid != (pid_t)M_RAW(SYS_getpid))
		__heddle_unmodelled("kill of another process");
	kill_self(sig);
	return 0;
}

int __sigaction(int sig, const struct sigaction *restrict act, struct sigaction *restrict old)
{
	if (!valid(sig) || (act && (sig == SIGKILL || sig == SIGSTOP)) || sig == 32 || sig == 33)
		return m_fail(EINVAL);
	if (old)
		*old = actions[sig];
	if (act) {
		actions[sig] = *act;
		if (!has_handler(sig) && (act->sa_handler == SIG_IGN || ignored_by_default(sig)))
			del(&pending, sig);
	}
	return 0;
}
M_ALIAS(sigaction, __sigaction);

static __sighandler_t set_handler(int sig, __sighandler_t handler, int flags)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = flags}, old;

	if (handler == SIG_ERR || !valid(sig)) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (!(flags & (int)SA_RESETHAND))
		add(&act.sa_mask, sig);
	return __sigaction(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

__sighandler_t signal(int sig, __sighandler_t handler)
{
	return set_handler(sig, handler, SA_RESTART);
}
M_ALIAS(bsd_signal, signal);
M_ALIAS(ssignal, signal);

__sighandler_t __sysv_signal(int sig, __sighandler_t handler)
{
	return set_handler(sig, handler, (int)(SA_RESETHAND | SA_NODEFER));
}
M_ALIAS(sysv_signal, __sysv_signal);

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	int e = __m_sigmask(how, set, old);

	return e ? m_fail(e) : 0;
}

int sigpending(sigset_t *set)
{
	*set = pending;
	return 0;
}

int siginterrupt(int sig, int flag)
{
	if (!valid(sig))
		return m_fail(EINVAL);
	actions[sig].sa_flags =
		flag ? actions[sig].sa_flags & ~SA_RESTART : actions[sig].sa_flags | SA_RESTART;
	return 0;
}

int sigaltstack(const stack_t *restrict new, stack_t *restrict old)
{
	static __thread stack_t current = {.ss_flags = SS_DISABLE};

	if (old)
		*old = current;
	if (new)
		current = *new;
	return 0;
}

/* ---- waiting ----------------------------------------------------------------------------- */

/* Takes one of the signals that are pending; 0 if there is none. */
static int take(const sigset_t *set)
{
	for (int s = 1; s < _NSIG; s++)
		if (in(set, s) && in(&pending, s)) {
			del(&pending, s);
			return s;
		}
	return 0;
}

/* A blocked thread gets no signal: if none is pending, it waits for ever. */
int sigwait(const sigset_t *restrict set, int *restrict sig)
{
	while (!(*sig = take(set)))
		__heddle_wait(&pending, "sigwait");
	return 0;
}

static int take_info(const sigset_t *set, siginfo_t *info)
{
	int sig = take(set);

	if (sig && info) {
		__builtin_memset(info, 0, sizeof *info);
		info->si_signo = sig;
		info->si_code = SI_TKILL;
	}
	return sig;
}

int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	int sig;

	while (!(sig = take_info(set, info)))
		__heddle_wait(&pending, "sigwaitinfo");
	return sig;
}

int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
	const struct timespec *restrict timeout)
{
	int sig = take_info(set, info);

	if (sig)
		return sig;
	__m_sleep((uint64_t)timeout->tv_sec * M_NS_PER_S + (uint64_t)timeout->tv_nsec,
		"sigtimedwait");
	return m_fail(EAGAIN);
}

/* Returns after a handler has run. */
int sigsuspend(const sigset_t *set)
{
	sigset_t was, deliverable = pending;

	deliverable.__val[0] &= ~set->__val[0];
	if (!deliverable.__val[0])
		for (;;)
			__heddle_wait(&pending, "sigsuspend");
	__m_sigmask(SIG_SETMASK, set, &was);
	__m_sigmask(SIG_SETMASK, &was, NULL);
	return m_fail(EINTR);
}

int pause(void)
{
	for (;;)
		__heddle_wait(&pending, "pause");
}

int __libc_current_sigrtmin(void)
{
	return 34;
}

int __libc_current_sigrtmax(void)
{
	return 64;
}

/* Signals that arrive asynchronously (killpg, alarms, timers) are not modelled. */
unsigned alarm(unsigned seconds)
{
	if (seconds)
		__heddle_unmodelled("alarm");
	return 0;
}
