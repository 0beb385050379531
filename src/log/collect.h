/*
 * The collector: creates the shared memory that the target logs to (format.h). While the target
 * runs, it compresses full chunks, writes them to the trace and frees them. When the target is
 * dead, it writes the last chunk of each thread: up to the thread's last record, or up to its last
 * byte if a fatal signal ended the thread.
 *
 * A trace that cannot be written does not block the target: from then on chunks are discarded. The
 * target can write anything to the shared memory, by mistake or on purpose, and at any time: its
 * size is sealed, each value is read once and checked before use, and chunks are copied.
 *
 * Lifetime: heap, owner the caller. The writer belongs to the caller.
 */
#ifndef HEDDLE_LOG_COLLECT_H
#define HEDDLE_LOG_COLLECT_H

#include "log/store.h"

#include <sys/types.h>

struct collector;

/* NULL after error_(). */
struct collector *collector_new(struct store_writer *w);
void collector_free(struct collector *c);
/* Descriptor of the shared memory, for the target to inherit. It has close-on-exec set. */
int collector_fd(const struct collector *c);
/* The process pid, forked from the one that called collector_new(), will collect. */
void collector_adopt(struct collector *c, pid_t pid);
/* Sets a function that collector_run() calls once, when the runtime in the target has started and
 * before the first chunk is written. */
void collector_on_start(struct collector *c, void (*started)(void *ctx), void *ctx);
/* Collects until the process of the descriptor (pidfd_open) is dead, then writes all remaining
 * chunks. The process may be a child or not; a child is not waited for. */
void collector_run(struct collector *c, int pidfd);
/* Sets the fields of *m that come from the shared memory and the crashes. Status and exited are as
 * the target recorded them; a status of waitpid() is more reliable. */
void collector_describe(const struct collector *c, struct store_meta *m);
/* Whether the runtime in the target has started. */
bool collector_met_target(const struct collector *c);

#endif
