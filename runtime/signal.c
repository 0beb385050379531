/*
 * Signals. A trampoline replaces each handler of the program and gives the activation a stream of
 * its own: the stream of the interrupted thread does not change. The stream is made at the first
 * call of traced code, so handlers that are not traced cost nothing.
 *
 * A jump may leave a handler. Then the progress of the interrupted code is unknown, and both
 * streams end: that of the thread at its last record.
 *
 * Fatal signals that the program leaves at their default get a handler that notes them and lets
 * them happen again.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "runtime/enforce.h"
#include "runtime/runtime.h"

typedef void (*handler_t)(int, siginfo_t *, void *);

struct action { /* the handler that the program has set */
	_Atomic(handler_t) handler;
	_Atomic int flags;
};
static struct action actions[_NSIG];
static _Atomic uint32_t actions_lock; /* taken with all signals blocked */

__thread struct signal_frame *signal_top __attribute__((tls_model("initial-exec")));
enum { NFRAMES = 16 };
static __thread struct signal_frame frames[NFRAMES] __attribute__((tls_model("initial-exec")));

/* ---- activations ------------------------------------------------------------------------ */

struct log_ctl *signal_meet(struct signal_frame *f)
{
	struct log_ctl *in = f->interrupted;
	bool recorded = !in->scratch; /* else the activation could not be ordered */
	struct thread_info info = {
		.kind = LOG_T_SIGNAL, .signo = (uint16_t)f->signo, .parent = in->id};
	f->met = true;
	return thread_begin(recorded ? thread_take() : LOG_NONE, &info);
}

/* A frame must survive a jump out of its handler, whose stack is then reused. So frames are not on
 * the stack, except those of more than NFRAMES nested handlers. */
static struct signal_frame *frame_take(struct signal_frame *outer, struct signal_frame *deep)
{
	if (!outer)
		return frames;
	if (outer >= frames && outer < frames + NFRAMES - 1)
		return outer + 1;
	return deep;
}

static void frame_stack(struct signal_frame *f, const ucontext_t *uc)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	uint64_t lo = (uint64_t)uc->uc_stack.ss_sp, n = uc->uc_stack.ss_size;
	f->hi = here;
	f->lo = !(uc->uc_stack.ss_flags & SS_DISABLE) && here >= lo && here < lo + n ? lo : 0;
}

static void trampoline(int signo, siginfo_t *info, void *context)
{
	handler_t handler = atomic_load(&actions[signo].handler);
	if (unlikely(sys3(SYS_getpid, 0, 0, 0) != rt.pid))
		process_is_child();
	struct signal_frame deep, *f = frame_take(signal_top, &deep);
	struct signal_frame filled = {
		.outer = signal_top, .interrupted = __heddle_ctl, .signo = signo};
	frame_stack(&filled, context);
	*f = filled;
	atomic_signal_fence(memory_order_seq_cst);
	signal_top = f;
	atomic_signal_fence(memory_order_seq_cst);
	*f = filled; /* another signal may have used it in between */
	__heddle_ctl = &rt_unknown;
	enforce_handler(signo == SIGSEGV || signo == SIGBUS);
	handler(signo, info, context);
	enforce_handled();
	if (ctl_known(__heddle_ctl))
		thread_end(__heddle_ctl);
	__heddle_ctl = filled.interrupted;
	atomic_signal_fence(memory_order_seq_cst);
	signal_top = filled.outer;
}

void signal_jumped(uint64_t sp)
{
	while (signal_top && (sp > signal_top->hi || sp < signal_top->lo)) {
		struct log_ctl *inside = __heddle_ctl, *ctl = signal_top->interrupted;
		/* another signal may come and jump between any two of these statements */
		__heddle_ctl = ctl;
		atomic_signal_fence(memory_order_seq_cst);
		signal_top = signal_top->outer;
		enforce_handled();
		if (ctl_known(inside) && inside != ctl) {
			ctl_stop(inside, LOG_STOP_JUMP_OUT_OF_SIGNAL, !inside->native);
			chunk_last(inside);
		}
		if (ctl_known(ctl))
			ctl = __heddle_ctl = ctl_torn(ctl, LOG_STOP_JUMP_OUT_OF_SIGNAL);
		ctl->native = 1;
	}
}

/* ---- setting handlers ------------------------------------------------------------------- */

static void lock_actions(uint64_t *mask)
{
	uint64_t all = UINT64_MAX;
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, mask, sizeof(all));
	while (atomic_exchange(&actions_lock, 1))
		sys3(SYS_sched_yield, 0, 0, 0);
}

static void unlock_actions(const uint64_t *mask)
{
	atomic_store(&actions_lock, 0);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof(*mask));
}

/* Another thread of the parent may have held the lock. */
void signal_after_fork(void)
{
	atomic_store(&actions_lock, 0);
}

static void note_fatal(int signo, siginfo_t *info, void *context);

/* Signals of faults, whose default ends the process. */
static bool is_fatal(int signo)
{
	return signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE || signo == SIGILL ||
	       signo == SIGABRT || signo == SIGTRAP || signo == SIGSYS;
}

static bool is_noted(int signo)
{
	return is_fatal(signo) && (atomic_load(&rt.on) || enforce_watches());
}

static const struct sigaction fatal_action = {
	.sa_sigaction = note_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};

static bool is_ours(const void *handler)
{
	return handler == (const void *)trampoline || handler == (const void *)note_fatal;
}

static bool is_function(const void *handler)
{
	return handler != (void *)SIG_DFL && handler != (void *)SIG_IGN &&
	       handler != (void *)SIG_HOLD && handler != (void *)SIG_ERR;
}

static void old_action(struct sigaction *old, handler_t handler, int flags)
{
	if (old->sa_sigaction == note_fatal) {
		*old = (struct sigaction){.sa_handler = SIG_DFL};
	} else if (old->sa_sigaction == trampoline) {
		old->sa_sigaction = handler;
		old->sa_flags = (old->sa_flags & ~SA_SIGINFO) | (flags & SA_SIGINFO);
	}
}

static int set_action(int signo, const struct sigaction *act, struct sigaction *old)
{
	struct action *a = &actions[signo];
	handler_t had = atomic_load(&a->handler);
	int had_flags = atomic_load(&a->flags);
	struct sigaction ours, before;
	if (act) {
		copy_bytes(&ours, act, sizeof(ours));
		if (is_function((void *)act->sa_sigaction)) {
			ours.sa_sigaction = trampoline;
			ours.sa_flags |= SA_SIGINFO;
			atomic_store(&a->flags, act->sa_flags);
			atomic_store(&a->handler, act->sa_sigaction);
		} else if (act->sa_handler == SIG_DFL && is_noted(signo)) {
			copy_bytes(&ours, &fatal_action, sizeof(ours));
		}
	}
	int r = sigaction(signo, act ? &ours : NULL, &before);
	if (r && act) {
		atomic_store(&a->flags, had_flags);
		atomic_store(&a->handler, had);
	} else if (!r && old) {
		copy_bytes(old, &before, sizeof(before));
		old_action(old, had, had_flags);
	}
	return r;
}

WRAP(int, sigaction)(int signo, const struct sigaction *act, struct sigaction *old)
{
	struct log_ctl *ctl = __heddle_ctl;
	int r;
	if (!ctl->native)
		enforce_point(LOG_S_SIGACTION, NULL);
	if (signo <= 0 || signo >= _NSIG) {
		r = sigaction(signo, act, old);
	} else {
		uint64_t mask;
		lock_actions(&mask);
		r = set_action(signo, act, old);
		unlock_actions(&mask);
	}
	if (ctl->native)
		return r;
	bool items = !r && old;
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_SIGACTION,
				   .result = r,
				   .flags = LOG_F_EXTRA | (items ? LOG_F_ITEMS : 0),
				   .extra = (uint32_t)signo});
	if (items) {
		put_item(ctl, LOG_ITEM_WRITE, old, sizeof(*old));
		put_items_end(ctl);
	}
	return r;
}

static sighandler_t set_signal(
	sighandler_t (*real)(int, sighandler_t), int signo, sighandler_t handler)
{
	if (signo <= 0 || signo >= _NSIG)
		return real(signo, handler);
	struct action *a = &actions[signo];
	uint64_t mask;
	lock_actions(&mask);
	handler_t had = atomic_load(&a->handler);
	int had_flags = atomic_load(&a->flags);
	bool function = is_function((void *)handler);
	if (function) {
		atomic_store(&a->flags, 0);
		atomic_store(&a->handler, (handler_t)(void *)handler);
	}
	sighandler_t r = real(signo, function ? (sighandler_t)(void *)trampoline : handler);
	if (r == SIG_ERR) {
		atomic_store(&a->flags, had_flags);
		atomic_store(&a->handler, had);
	} else if (is_ours((void *)r)) {
		r = r == (sighandler_t)(void *)note_fatal ? SIG_DFL : (sighandler_t)(void *)had;
	}
	if (r != SIG_ERR && handler == SIG_DFL && is_noted(signo))
		sigaction(signo, &fatal_action, NULL);
	unlock_actions(&mask);
	return r;
}

sighandler_t bsd_signal(int signo, sighandler_t handler) WEAK;
sighandler_t __sysv_signal(int signo, sighandler_t handler) WEAK;
sighandler_t sysv_signal(int signo, sighandler_t handler) WEAK;
sighandler_t ssignal(int signo, sighandler_t handler) WEAK;
/* the declaration of libc is deprecated */
sighandler_t libc_sigset(int signo, sighandler_t handler) __asm__("sigset") WEAK;

#define SIGNAL(NAME, REAL)                                                                         \
	WRAP(sighandler_t, NAME)(int signo, sighandler_t handler)                                  \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (!ctl->native)                                                                  \
			enforce_point(LOG_S_SIGACTION, NULL);                                      \
		sighandler_t r = set_signal(REAL, signo, handler);                                 \
		if (!ctl->native)                                                                  \
			put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_SIGACTION,            \
						   .flags = LOG_F_VALUE | LOG_F_EXTRA,             \
						   .extra = (uint32_t)signo,                       \
						   .result = r == SIG_ERR ? -1 : 0,                \
						   .value = (uint64_t)r});                         \
		return r;                                                                          \
	}

SIGNAL(signal, signal)
SIGNAL(bsd_signal, bsd_signal)
SIGNAL(__sysv_signal, __sysv_signal)
SIGNAL(sysv_signal, sysv_signal)
SIGNAL(ssignal, ssignal)
SIGNAL(sigset, libc_sigset)

#define RAISE(NAME, P, A)                                                                          \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		enforce_point(LOG_S_RAISE, NULL);                                                  \
		ctl->native = 1;                                                                   \
		int r = NAME A;                                                                    \
		put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_RAISE,                        \
					   .result = r,                                            \
					   .flags = LOG_F_EXTRA,                                   \
					   .extra = (uint32_t)signo});                             \
		ctl->native = 0;                                                                   \
		return r;                                                                          \
	}

RAISE(raise, (int signo), (signo))
RAISE(pthread_kill, (pthread_t thread, int signo), (thread, signo))

/* ---- fatal signals ---------------------------------------------------------------------- */

/* Whether the address is in instrumented code or the runtime, where values may not be written yet.
 * In other code, all values of the thread up to the cursor of its ctl are written. */
static bool in_image(uint64_t pc)
{
	extern const char __executable_start[], etext[];
	return pc - (uint64_t)__executable_start < (uint64_t)(etext - __executable_start);
}

/* Restores the default and lets the signal happen again: the cause of a fault is still there when
 * the handler returns; a signal that was sent is sent again, and is blocked until then. */
static void note_fatal(int signo, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	struct log_ctl *ctl = __heddle_ctl;
	if (!ctl_known(ctl) && signal_top) /* in a handler that is not traced */
		ctl = signal_top->interrupted;
	if (ctl_known(ctl)) {
		ctl->crash_addr = info->si_code == SI_KERNEL ? UINT64_MAX
				  : info->si_code > 0        ? (uint64_t)info->si_addr
							     : 0;
		ctl->crash_pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
		if (!in_image(ctl->crash_pc) && !ctl->scratch && ctl->commit_seq == ctl->seq)
			ctl->commit = ctl->cur;
		__atomic_store_n(&ctl->crash_signo, signo, __ATOMIC_RELEASE);
	}
	enforce_crash(signo, info->si_code > 0 ? (uint64_t)info->si_addr : 0);
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	sigaction(signo, &dfl, NULL);
	bool again = info->si_code > 0 && signo != SIGTRAP && signo != SIGSYS;
	if (again)
		return;
	long pid = sys3(SYS_getpid, 0, 0, 0), tid = sys3(SYS_gettid, 0, 0, 0);
	if (sys4(SYS_rt_tgsigqueueinfo, pid, tid, signo, info) < 0)
		sys3(SYS_tgkill, pid, tid, signo);
}

void signal_start_up(void)
{
	for (int signo = 1; signo < 32; signo++) {
		struct sigaction was;
		if (is_fatal(signo) && !sigaction(signo, NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(signo, &fatal_action, NULL);
	}
}
