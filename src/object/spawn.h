/*
 * Programs that the driver runs: the compiler, and the worker.
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
	int in, out, err;        /* descriptors for 0, 1, 2, above 9; -1 = the same as ours */
	int report;              /* becomes descriptor 3; -1 = none */
	const int *keep;         /* descriptors that stay open under their own number */
	uint32_t nkeep;
};
#define SPAWN_INIT ((struct spawn){.in = -1, .out = -1, .err = -1, .report = -1})

/* The process, or -1 and errno. */
pid_t spawn_start(const struct spawn *s);
/* Its exit status; 128 + signal if it was killed. */
int spawn_wait(pid_t pid);
/* Ends a process that spawn_start() gave and waits for it. */
void spawn_kill(pid_t pid);
/* start and wait; 127 if it cannot be started */
int spawn_run(const struct spawn *s);

/* A nameless file in memory, and a pair of connected sockets; closed in children unless given to
 * them. BUG if the system has no more. */
int memory_file(const char *name);
void socket_pair(int ends[2]);
/* The whole of it from the start. */
void memory_read(int fd, struct strbuf *out);

#endif
