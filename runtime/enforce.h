/*
 * Where the enforcing runtime (runtime/enforce) takes part in what it shares with the recording
 * one. In the recording object these do nothing (enforce_none.c); wrappers that run by the million
 * or wait are not shared, so that recording does not pay for them.
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_H
#define HEDDLE_RUNTIME_ENFORCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct controlled; /* a thread under a schedule */

/* The descriptor of log/schedule.h; -1 if there is none. Before the first thread is known. */
void enforce_attach(int fd);
/* The main thread is known. */
void enforce_main(void);
/* Traced code is about to do an operation that never waits and makes one record of log/sync.def. */
void enforce_point(uint8_t kind, const volatile void *object);

/* Around the creation of a thread by traced code; NULL if that is not under control. */
struct controlled *enforce_create(void);
void enforce_created(struct controlled *child, uint64_t self, bool done);
/* The attributes that it is created with, if not those that the program gives: with a stack of the
 * runtime's. attr may be NULL. They are not destroyed. */
bool enforce_stack(const struct controlled *child, const pthread_attr_t *attr, pthread_attr_t *own);
/* In the new thread, before everything of the program. */
void enforce_begin(struct controlled *me);
/* The calling thread calls traced code, and has no stream: it was made by others, or its own has
 * ended. */
void enforce_meet(void);

/* A handler of the program runs, and ended or was left: what it does are no points. */
void enforce_handler(void);
void enforce_handled(void);
/* Fatal signals are to be noted, whether the run is recorded or not. */
bool enforce_watches(void);

/* How the process ends: kind as process_exits() has it; a fatal signal; a false heddle_assert. */
void enforce_exit(uint32_t kind, int status);
void enforce_crash(int signo, uint64_t addr);
void enforce_assert(const char *expression, const char *file, int line, const char *function);
/* The program says that these bytes are an input: they become those of the schedule, if it has some. */
void enforce_input(void *object, size_t size, const char *name);
/* This process is the child of a fork: it is left alone. */
void enforce_child(void);

#endif
