#include "object/spawn.h"

#include "base/base.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

pid_t spawn_start(const struct spawn *s)
{
	const int from[] = {s->in, s->out, s->err, s->report};
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int rc;

	posix_spawn_file_actions_init(&fa);
	for (int i = 0; i < 4; i++)
		if (from[i] >= 0)
			posix_spawn_file_actions_adddup2(&fa, from[i], i);
	for (uint32_t i = 0; i < s->nkeep; i++)
		posix_spawn_file_actions_adddup2(&fa, s->keep[i], s->keep[i]);
	rc = posix_spawn(&pid, s->argv[0], &fa, NULL, (char *const *)s->argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	if (rc) {
		errno = rc;
		return -1;
	}
	return pid;
}

/* The child reports a failed exec through a pipe that a successful exec closes. */
pid_t spawn_call(void (*become)(void *ctx), void *ctx, bool dies_with_parent)
{
	int ends[2], err = 0;
	pid_t pid, parent = getpid();

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		if (dies_with_parent && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
			_exit(127);
		become(ctx);
		err = errno;
		(void)!write(ends[1], &err, sizeof err);
		_exit(127);
	}
	if (pid < 0)
		err = errno;
	close(ends[1]);
	if (pid > 0 && read(ends[0], &err, sizeof err) == sizeof err) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ends[0]);
	errno = err;
	return pid;
}

int spawn_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void spawn_kill(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	spawn_wait(pid);
}

int spawn_run(const struct spawn *s)
{
	pid_t pid = spawn_start(s);

	return pid < 0 ? 127 : spawn_wait(pid);
}

/* A child gets descriptors 0 to 3: the sources must not be among them. */
static int move_above_9(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10);

	if (high < 0)
		BUG("no descriptor: %s", strerror(errno));
	close(fd);
	return high;
}

int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	return move_above_9(fd < 0 ? open(temporary_root(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)
				   : fd);
}

void socket_pair(int ends[2])
{
	int s[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s))
		s[0] = s[1] = -1;
	ends[0] = move_above_9(s[0]);
	ends[1] = move_above_9(s[1]);
}

void memory_read(int fd, struct strbuf *out)
{
	lseek(fd, 0, SEEK_SET);
	if (strbuf_read_fd(out, fd))
		BUG("cannot read a memory file: %s", strerror(errno));
}
