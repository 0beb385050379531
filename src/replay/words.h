/* Threads, places and outcomes in words, for the messages of replays. Each function appends. */
#ifndef HEDDLE_REPLAY_WORDS_H
#define HEDDLE_REPLAY_WORDS_H

#include "base/strbuf.h"
#include "replay/replay.h"

/* "the main thread", "thread 2 ('worker')"; "a thread" for SCHED_NONE */
void words_thread(struct strbuf *out, const struct finding *f, uint32_t thread);
/* "bank.c:31 in 'deposit'"; false if the place is not known, then nothing is appended */
bool words_place(struct strbuf *out, const struct finding_place *p);
/* "SIGSEGV" */
void words_signal(struct strbuf *out, int signo);

/* The expression in "file:line: function: Assertion `expression' failed": its start, and its
 * length in *n; NULL: none. */
const char *words_assertion(const char *text, size_t *n);

/* The last step of the thread with a source file at or before the point; NULL: none. */
const struct finding_step *step_near(const struct finding *f, uint32_t thread, uint64_t point);

#endif
