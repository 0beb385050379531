#include "base/child.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 1 }; /* exit status of a child whose work() failed */

/* ---- in the child ------------------------------------------------------------------------ */

static void set_limit(int which, uint64_t n)
{
	setrlimit(which, &(struct rlimit){n, n});
}

/* Bytes of address space in use; 0: not known. */
static uint64_t get_address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static NORETURN void become_child(const struct child_call *c, int fd)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU};
	int null = c->quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
	uint64_t now = get_address_space();

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	set_limit(RLIMIT_CORE, 0);
	/* the soft limit raises SIGXCPU */
	setrlimit(RLIMIT_CPU, &(struct rlimit){c->seconds, c->seconds + 1});
	if (now)
		set_limit(RLIMIT_AS, now + c->memory);
	_exit(c->work(c->ctx, fd) ? FAILED : 0);
}

/* ---- in the caller ----------------------------------------------------------------------- */

static void read_text(int fd, struct strbuf *text)
{
	size_t left = CHILD_TEXT;
	char buf[4096];
	ssize_t k;

	/* what is too long is read, so that the child does not wait, and dropped */
	while ((k = read(fd, buf, sizeof buf)) > 0 || (k < 0 && errno == EINTR)) {
		size_t n = k < 0 ? 0 : MIN((size_t)k, left);

		strbuf_add(text, buf, n);
		left -= n;
	}
}

static void describe_death(const struct child_call *c, int status, struct strbuf *death)
{
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		strbuf_addf(death, "it took more than %u seconds", c->seconds);
	else if (name)
		strbuf_addf(death, "it crashed (SIG%s)", name);
	else
		strbuf_adds(death, "it crashed");
}

int child_run(const struct child_call *c, struct strbuf *text, struct strbuf *death)
{
	pid_t caller = getpid(), pid = -1;
	int ends[2], status;

	fflush(NULL);
	if (!pipe2(ends, O_CLOEXEC)) {
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() == caller)
				become_child(c, ends[1]);
			_exit(FAILED);
		}
		close(ends[1]);
	}
	if (pid > 0)
		read_text(ends[0], text);
	if (pid < 0)
		strbuf_addf(death, "no process could be made for it: %s", strerror(errno));
	else
		close(ends[0]);
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		BUG_ON(errno != EINTR);
	if (WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) == FAILED))
		return WEXITSTATUS(status) ? -1 : 0;
	describe_death(c, status, death);
	return -1;
}
