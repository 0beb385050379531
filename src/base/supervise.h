/*
 * Parts of a command's work in a process of their own (a *stage*), so that limits of time and
 * memory hold whatever the work does: the caller keeps the clock, adds up the memory of all
 * processes, asks the stage to stop and at last kills it with everything that it started. The stage
 * sends messages; what was sent before its end is not lost.
 *
 * The caller has no other children than those of its stages. Signals that end a command (INT, TERM,
 * HUP, QUIT) and USR1, USR2 are blocked while a supervisor is open, and read here, except those
 * that the command ignores (nohup).
 *
 * Lifetime: supervisor_open(), supervisor_close().
 */
#ifndef HEDDLE_BASE_SUPERVISE_H
#define HEDDLE_BASE_SUPERVISE_H

#include "base/base.h"

#include <signal.h>

struct supervisor {
	double seconds;  /* for the whole command */
	double deadline; /* its end, in clock_seconds(); earlier after a signal */
	uint64_t memory; /* bytes of all processes together; 0: no limit */
	int interrupted; /* the signal that asked the command to end; 0: none */
	int signals;     /* signalfd */
	sigset_t mask;   /* of the caller before */
};

/* seconds: from now on. -1: errno. */
int supervisor_open(struct supervisor *s, double seconds, uint64_t memory);
void supervisor_close(struct supervisor *s);
/* Seconds until the deadline; negative behind it. */
double supervisor_left(const struct supervisor *s);

enum stage_end {
	STAGE_DONE,   /* it returned */
	STAGE_TIME,   /* it was asked to stop at its limit of time, and soon after that killed */
	STAGE_MEMORY, /* it was killed: all processes together exceeded the limit */
	STAGE_SIGNAL, /* as STAGE_TIME, because a signal asked the command to end */
	STAGE_DIED,   /* it died by itself */
};

struct supervised {
	/* in the stage: sends messages to fd. Its result is the stage's result. */
	int (*work)(void *ctx, int fd);
	/* in the caller: one message */
	void (*receive)(void *ctx, const char *message, size_t n);
	void *ctx;
	double until;  /* the stage is asked to stop then, in clock_seconds(), or at the deadline */
	bool forwards; /* work() handles signals itself, and gets all signals that the caller gets
			*/
	/* results */
	bool returned; /* work() returned */
	int result;    /* of work(); -1 if it did not return */
	int status;    /* of waitpid() */
};

/* Runs the stage to its end. No process of it is left when this returns. */
enum stage_end supervisor_run(struct supervisor *s, struct supervised *st);

/* In a stage: sends a message. False: the caller is gone. */
bool stage_send(int fd, const void *message, size_t n);
/* In a stage: not 0 once it has to end. */
const volatile int *stage_stop(void);

#endif
