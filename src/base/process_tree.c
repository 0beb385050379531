#include "base/process_tree.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void process_tree_release(struct process_tree *t)
{
	vec_release(&t->at);
}

/* Appends the file to b. False: there is no such file, or the process has ended. */
static bool read_proc(struct strbuf *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok;

	strbuf_clear(b);
	if (fd < 0)
		return false;
	ok = !strbuf_read_fd(b, fd) && b->n;
	close(fd);
	return ok;
}

static bool executes_same_file(pid_t pid)
{
	char path[64], own[4096], other[4096];
	ssize_t n, k;

	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	n = readlink("/proc/self/exe", own, sizeof own);
	k = readlink(path, other, sizeof other);
	return n > 0 && n == k && !memcmp(own, other, (size_t)n);
}

static void add_children(struct process_tree *t, pid_t pid, struct strbuf *text)
{
	char path[96];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((d = readdir(dir))) {
		char file[sizeof path + sizeof d->d_name];

		if (d->d_name[0] == '.')
			continue;
		snprintf(file, sizeof file, "/proc/%d/task/%s/children", (int)pid, d->d_name);
		if (!read_proc(text, file))
			continue;
		for (char *at = text->s, *end; *at; at = end) {
			pid_t child = (pid_t)strtol(at, &end, 10);

			if (end == at)
				break;
			vec_push(&t->at, (struct process){.pid = child});
		}
	}
	closedir(dir);
}

void process_tree_read(struct process_tree *t, pid_t root)
{
	struct strbuf text = {0};

	vec_clear(&t->at);
	add_children(t, root, &text);
	for (uint32_t i = 0; i < t->at.n; i++)
		add_children(t, t->at.at[i].pid, &text);
	strbuf_release(&text);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t get_resident(pid_t pid, struct strbuf *text)
{
	unsigned long all, here = 0;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	if (!read_proc(text, path) || sscanf(text->s, "%lu %lu", &all, &here) != 2)
		return 0;
	return (uint64_t)here * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t process_memory(pid_t pid)
{
	struct strbuf text = {0};
	uint64_t n = get_resident(pid, &text);

	strbuf_release(&text);
	return n;
}

/* The resident set with each shared page divided by the number of its users. 0: not known. */
static uint64_t get_proportional(pid_t pid, struct strbuf *text)
{
	char path[64];
	const char *at;

	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
	at = read_proc(text, path) ? strstr(text->s, "\nPss:") : NULL;
	return at ? strtoull(at + 5, NULL, 10) << 10 : 0;
}

uint64_t process_tree_memory(struct process_tree *t, uint64_t limit)
{
	struct strbuf text = {0};
	uint64_t sum = 0;

	vec_each (&t->at, i)
		sum += t->at.at[i].memory = get_resident(t->at.at[i].pid, &text);
	if (sum > limit) {
		sum = 0;
		vec_each (&t->at, i) {
			struct process *p = &t->at.at[i];
			uint64_t own = get_proportional(p->pid, &text);

			p->memory = own ? own : p->memory;
			p->same = executes_same_file(p->pid);
			sum += p->memory;
		}
	}
	strbuf_release(&text);
	return sum;
}

/* ---- the end --------------------------------------------------------------------------------- */

enum { ROUND_MS = 2, EMPTY_ROUNDS = 3, EMPTY_MOST = 500 };
static const double kill_seconds = 10; /* a chain of forks may be faster than one round */

static bool has_children(void)
{
	siginfo_t info;

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || errno != ECHILD;
}

void process_tree_adopt(struct process_tree *before)
{
	struct strbuf text = {0};

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	vec_clear(&before->at);
	if (!has_children())
		return;
	add_children(before, getpid(), &text);
	strbuf_release(&text);
}

static bool contains(const struct process_tree *t, pid_t pid)
{
	vec_each (&t->at, i)
		if (t->at.at[i].pid == pid)
			return true;
	return false;
}

/* Replaces *t by the children of the caller that are not in `spared` and have not ended, and the
 * descendants of these. Reaps the ended ones, and returns their number. */
static uint32_t read_others(
	struct process_tree *t, const struct process_tree *spared, struct strbuf *text)
{
	struct process_tree own = {0};
	uint32_t ended = 0;

	add_children(&own, getpid(), text);
	vec_clear(&t->at);
	vec_each (&own.at, i) {
		if (contains(spared, own.at.at[i].pid))
			continue;
		if (waitpid(own.at.at[i].pid, NULL, WNOHANG))
			ended++;
		else
			vec_push(&t->at, own.at.at[i]);
	}
	for (uint32_t i = 0; i < t->at.n; i++)
		add_children(t, t->at.at[i].pid, text);
	process_tree_release(&own);
	return ended;
}

/*
 * A process that is killed, or that ended while the list was read, may have made another one, which
 * is found in a later round. So that no process escapes, a list is trusted to be empty only if
 * the kernel says that there is no child; or, with children to spare, if several lists in a row are.
 */
uint32_t process_tree_kill_others(const struct process_tree *spared, double grace)
{
	struct timespec pause = {.tv_nsec = ROUND_MS * 1000000};
	double until = clock_seconds() + grace, now;
	struct process_tree t = {0};
	struct strbuf text = {0};
	uint32_t killed = 0, empty = 0;

	while (has_children() && (now = clock_seconds()) < until + kill_seconds) {
		uint32_t ended = read_others(&t, spared, &text);

		empty = t.at.n || ended ? 0 : empty + 1;
		if (empty == (spared->at.n ? EMPTY_ROUNDS : EMPTY_MOST))
			break; /* EMPTY_MOST: the kernel has no lists of children */
		if (now >= until) {
			killed = MAX(killed, t.at.n);
			vec_each (&t.at, i)
				kill(t.at.at[i].pid, SIGKILL);
		}
		if (now < until || !t.at.n)
			nanosleep(&pause, NULL);
	}
	strbuf_release(&text);
	process_tree_release(&t);
	return killed;
}

void process_tree_kill_own(void)
{
	process_tree_kill_others(&(struct process_tree){0}, 0);
}
