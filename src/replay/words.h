/* Threads, places and runs in words, for what replays say. Each appends. */
#ifndef HEDDLE_REPLAY_WORDS_H
#define HEDDLE_REPLAY_WORDS_H

#include "base/strbuf.h"
#include "replay/replay.h"

/* "the main thread", "thread 2 ('worker')"; "a thread" for SCHED_NONE */
void words_thread(struct strbuf *out, const struct finding *f, uint32_t thread);
/* "bank.c:31 in 'deposit'"; false if it is not known, then nothing is appended */
bool words_place(struct strbuf *out, const struct finding_place *p);
/* "SIGSEGV" */
void words_signal(struct strbuf *out, int signo);

/* The expression in "file:line: function: Assertion `expression' failed": where it begins and how long
 * it is; NULL if there is none. */
const char *words_assertion(const char *text, size_t *n);

/* The step of the finding at that point of the thread that has a place, or the nearest one before it;
 * NULL. */
const struct finding_step *step_near(const struct finding *f, uint32_t thread, uint64_t point);

#endif
