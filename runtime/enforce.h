/*
 * The places at which the enforcing runtime (runtime/enforce) takes part in code that it shares
 * with the recording runtime. In the recording runtime these functions do nothing (enforce_none.c).
 * Wrappers that wait or are called very often are not shared, so that recording does not pay for
 * the calls.
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_H
#define HEDDLE_RUNTIME_ENFORCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct controlled; /* a thread under a schedule */

/* fd: the schedule (log/schedule.h); -1 if there is none. Before the first thread is known. */
void enforce_attach(int fd);
/* The main thread is known. */
void enforce_main(void);
/* A scheduling point before an operation of traced code that never waits and makes one record. */
void enforce_point(uint8_t kind, const volatile void *object);

/* A library function that traced code called has accessed the range. */
void enforce_range(uint64_t addr, uint64_t n);
/* The program goes on after memory could not be accessed: a call returned with EFAULT. */
void enforce_survives(void);

/* Before and after traced code creates a thread; NULL if the thread is not under control. */
struct controlled *enforce_create(void);
void enforce_created(struct controlled *child, uint64_t self, bool done);
/* Makes attributes with a stack of the runtime; false if the program's are to be used. attr may be
 * NULL. The new attributes need not be destroyed. */
bool enforce_stack(const struct controlled *child, const pthread_attr_t *attr, pthread_attr_t *own);
/* In the new thread, before code of the program. */
void enforce_begin(struct controlled *me);
/* The calling thread calls traced code and has no stream: native code created it, or its stream has
 * ended. */
void enforce_meet(void);

/* A signal handler of the program begins, and has ended or was left. It has no scheduling points.
 * fault: its signal is that of an access to memory that failed. */
void enforce_handler(bool fault);
void enforce_handled(void);
/* Whether fatal signals must be noted even if the run is not recorded. */
bool enforce_watches(void);

/* The calling thread is about to end the process: it waits until no other thread can go on, so that a
 * schedule decides how far the others get. `twice`: only if another thread waits there already. */
void enforce_end(bool twice);
/* How the process ends: kind as in process_exits(); a fatal signal; a failed heddle_assert. */
void enforce_exit(uint32_t kind, int status);
void enforce_crash(int signo, uint64_t addr);
void enforce_assert(const char *expression, const char *file, int line, const char *function);
/* heddle_input(): replaces the bytes by those of the schedule, if it has some for the name. */
void enforce_input(void *object, size_t size, const char *name);
/* This process is the child of a fork: it runs without a schedule. */
void enforce_child(void);

#endif
