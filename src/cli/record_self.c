/*
 * Programs that record themselves. A program built by heddle-cc that is started with
 * HEDDLE_OPTIONS=record=DIR in its environment executes `heddle record-self` from its start-up hook
 * (runtime/plain/start_plain.c). That keeps the process: it executes the record image in it, and
 * starts a collector as a daemon, in a session of its own and without a parent. After any error the
 * program runs without being recorded.
 */
#include "cli/command.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"
#include "cli/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Holds the number of a process in which the hook must let the program run unrecorded. */
#define PLAIN_ENV "HEDDLE_PLAIN"

struct self_options {
	struct recording_options rec;
	const char *dir; /* record= */
};

/* ---- HEDDLE_OPTIONS ------------------------------------------------------------------------ */

static int set_record(struct self_options *o, const char *value)
{
	o->dir = value;
	return *value ? 0 : error_("HEDDLE_OPTIONS: 'record' needs a directory (record=DIR)");
}

static int set_limit(struct self_options *o, const char *value)
{
	return opt_size("HEDDLE_OPTIONS: 'limit'", value, 1 << 20, UINT64_MAX / 2, &o->rec.limit);
}

static int set_window(struct self_options *o, const char *value)
{
	return opt_number("HEDDLE_OPTIONS: 'window'", value, 1, UINT32_MAX, &o->rec.window);
}

static int set_exclude(struct self_options *o, const char *value)
{
	vec_push(&o->rec.exclude, value);
	return 0;
}

static int set_nothing(struct self_options *o, const char *value)
{
	(void)o, (void)value;
	return 0;
}

static const struct {
	const char *key;
	int (*set)(struct self_options *o, const char *value);
} keys[] = {
	{"record", set_record}, {"limit", set_limit}, {"window", set_window},
	{"exclude", set_exclude}, {"heddle", set_nothing}, /* for the hook: path of heddle */
	{"dump", set_nothing},                             /* for the recording runtime: tests */
};

static int set_option(struct self_options *o, char *word)
{
	char *eq = strchr(word, '=');
	struct opt_nearest near;

	if (eq)
		*eq = 0;
	opt_nearest_init(&near, word);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!strcmp(word, keys[i].key))
			return keys[i].set(o, eq ? eq + 1 : "");
		opt_nearest_offer(&near, keys[i].key);
	}
	if (near.best)
		warn_("HEDDLE_OPTIONS: unknown key '%s' (did you mean '%s'?)", word, near.best);
	else
		warn_("HEDDLE_OPTIONS: unknown key '%s'", word);
	return 0;
}

/* Parses the text in place; the options point into it. -1 after error_(). */
static int read_options(struct self_options *o, char *text)
{
	char *next;

	for (char *word = text; word; word = next) {
		next = strchr(word, ':');
		if (next)
			*next++ = 0;
		if (*word && set_option(o, word))
			return -1;
	}
	if (o->rec.limit && o->rec.window)
		return error_("HEDDLE_OPTIONS: 'limit' and 'window' exclude each other");
	return o->dir ? 0 : error_("HEDDLE_OPTIONS: 'record=DIR' is missing");
}

/* ---- the directory ----------------------------------------------------------------------- */

/* The first process gets DIR, every other one DIR.PID, so that no trace is replaced. Creates the
 * directory, which reserves the name. Free it; NULL after error_(). */
static char *take_place(const char *dir)
{
	char *name = xstrdup(dir);

	for (uint32_t i = 0; mkdir(name, 0777); i++) {
		if (errno != EEXIST || i > 1000) {
			error_("cannot make the directory '%s': %s", name, strerror(errno));
			free(name);
			return NULL;
		}
		free(name);
		if (i)
			name = xasprintf("%s.%d.%u", dir, (int)getpid(), i);
		else
			name = xasprintf("%s.%d", dir, (int)getpid());
	}
	return name;
}

/* ---- two processes ----------------------------------------------------------------------- */

/* Closes the descriptors that the program inherited: the collector must not keep a pipe open. Those
 * of heddle have FD_CLOEXEC, the inherited ones do not. */
static void close_foreign(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		int fd = atoi(e->d_name);

		if (fd > 2 && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
			close(fd);
	}
	if (d)
		closedir(d);
}

/* The collector process. Its error messages go to the program's standard error; it prints nothing
 * else. */
static NORETURN void collect_log(struct recording *r, int pidfd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
	}
	close_foreign();
	signal(SIGPIPE, SIG_IGN);
	recording_collect(r, pidfd);
	recording_finish(r, NULL);
	recording_release(r);
	_exit(0);
}

/* Forks twice, so that the collector is not a child of the program: wait() does not see it. */
static int start_collector(struct recording *r)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0), status = 0;
	pid_t pid = pidfd < 0 ? -1 : fork();

	if (!pid) {
		setsid();
		pid = fork();
		if (!pid)
			collect_log(r, pidfd);
		if (pid > 0)
			collector_adopt(r->c, pid);
		_exit(pid < 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		return error_("cannot start the collector: %s", strerror(errno));
	close(pidfd);
	return 0;
}

static void become_image(const char *exe, int argc, char **argv)
{
	char *options = getenv("HEDDLE_OPTIONS"), *text = xstrdup(options ? options : ""),
	     *dir = NULL;
	struct self_options o = {0};
	struct recording r;

	if (!read_options(&o, text) && (dir = take_place(o.dir))) {
		if (recording_open(&r, exe, argc, argv, dir, &o.rec)) {
			rmdir(dir);
		} else if (start_collector(&r)) {
			recording_abandon(&r);
			rmdir(dir);
		} else {
			recording_exec(&r, argv);
			error_("cannot start '%s': %s", r.image.path, strerror(errno));
		}
	}
	free(dir);
	free(text);
	vec_release(&o.rec.exclude);
}

int record_self(int argc, char **argv)
{
	char number[16];

	if (argc < 2) {
		error_("'heddle " SELF_COMMAND
		       "' is internal (to record a program, set HEDDLE_OPTIONS)");
		return STATUS_USAGE;
	}
	diag_set_program("heddle");
	become_image(argv[0], argc - 1, argv + 1);
	note_("'%s' runs, but is not recorded", argv[0]);
	snprintf(number, sizeof number, "%d", (int)getpid());
	setenv(PLAIN_ENV, number, 1);
	execv(argv[0], argv + 1);
	error_("cannot start '%s': %s", argv[0], strerror(errno));
	return STATUS_FAILED;
}
