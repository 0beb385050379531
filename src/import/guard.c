#include "import/guard.h"

#include <llvm-c/ErrorHandling.h>

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM};

/* Global state is needed: handlers of signals and of LLVM's fatal errors get no context pointer. */
static _Thread_local sigjmp_buf *landing;
static char fatal[160];

static void on_signal(int sig)
{
	if (landing)
		siglongjmp(*landing, sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_fatal(const char *reason)
{
	strncpy(fatal, reason, sizeof fatal - 1);
	for (char *s = fatal; *s; s++)
		if (*s == '\n')
			*s = ' ';
	if (landing)
		siglongjmp(*landing, SIGABRT);
}

struct saved {
	struct sigaction act[ARRAY_SIZE(signals)];
	stack_t stack;
	void *memory;
	int err; /* the real stderr */
};

/* Sends stderr to /dev/null, because LLVM prints some messages without calling a handler (broken
 * debug information, out of memory). The caller reports the error in one line. Returns the real
 * stderr. */
static int mute_stderr(void)
{
	int keep = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (keep >= 0 && null >= 0)
		dup2(null, STDERR_FILENO);
	if (null >= 0)
		close(null);
	return keep;
}

static void unmute_stderr(int keep)
{
	if (keep < 0)
		return;
	dup2(keep, STDERR_FILENO);
	close(keep);
}

static void install_handlers(struct saved *s, unsigned seconds)
{
	struct itimerval limit = {.it_value.tv_sec = seconds};
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
	stack_t stack = {.ss_size = 1 << 16};

	/* handlers need their own stack: the fault may be a stack overflow */
	stack.ss_sp = s->memory = xmalloc(stack.ss_size);
	sigaltstack(&stack, &s->stack);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &act, &s->act[i]);
	memset(fatal, 0, sizeof fatal);
	LLVMInstallFatalErrorHandler(on_fatal);
	s->err = mute_stderr();
	setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

static void restore_handlers(struct saved *s)
{
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, NULL);
	unmute_stderr(s->err);
	LLVMResetFatalErrorHandler();
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &s->act[i], NULL);
	sigaltstack(&s->stack, NULL);
	free(s->memory);
}

bool guard_run(void (*fn)(void *ctx), void *ctx, unsigned seconds, const char **why)
{
	struct saved saved;
	sigjmp_buf here;
	int sig;

	install_handlers(&saved, seconds);
	sig = sigsetjmp(here, 1);
	if (!sig) {
		landing = &here;
		fn(ctx);
	}
	landing = NULL;
	restore_handlers(&saved);
	if (!sig)
		return true;
	*why = fatal[0] ? fatal : "damaged so that LLVM cannot read it";
	return false;
}
