/*
 * Child processes: started, awaited, ended; and the files in memory and sockets that connect them.
 */
#ifndef HEDDLE_OBJECT_SPAWN_H
#define HEDDLE_OBJECT_SPAWN_H

#include "base/strbuf.h"

#include <sys/types.h>

/* The words of a command, for vec.h; the strings are not owned. */
struct words {
	const char **at;
	uint32_t n, cap;
};

struct spawn {
	const char *const *argv; /* argv[0] is the path; NULL at the end */
	int in, out, err;        /* descriptors above 9 that become 0, 1, 2; -1 = inherited */
	int report;              /* descriptor that becomes 3; -1 = none */
	const int *keep;         /* descriptors that stay open under their own numbers */
	uint32_t nkeep;
};
#define SPAWN_INIT ((struct spawn){.in = -1, .out = -1, .err = -1, .report = -1})

/* The id of the process, or -1 and errno. */
pid_t spawn_start(const struct spawn *s);
/* Forks. The child calls become(), which executes a program or returns with errno set. The id of the
 * process, or -1 and errno if fork or exec failed. dies_with_parent: the kernel kills the process when
 * this one ends. */
pid_t spawn_call(void (*become)(void *ctx), void *ctx, bool dies_with_parent);
/* The exit status, or 128 + the number of the signal that ended the process. */
int spawn_wait(pid_t pid);
/* Kills a process that spawn_start() gave and waits for it; does nothing for pid <= 0. */
void spawn_kill(pid_t pid);
/* Starts and waits; 127 if the process cannot be started. */
int spawn_run(const struct spawn *s);

/* A file in memory, and a pair of connected sockets. Children do not inherit them unless they are
 * passed in struct spawn. BUG if the system has no descriptors left. */
int memory_file(const char *name);
void socket_pair(int ends[2]);
/* Appends the whole contents of a memory file. */
void memory_read(int fd, struct strbuf *out);

#endif
