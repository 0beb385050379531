/*
 * The collector: makes the memory that the target logs into (format.h), takes full chunks out of it
 * while the target runs, compresses and writes them, and gives them back. When the target is dead
 * it takes what its threads left behind: of each the chunk under way up to its last record, or,
 * where the thread itself ended by a fatal signal, up to its last byte.
 *
 * The target is never held up by a trace that cannot be written: from then on chunks are thrown
 * away. Whatever stands in the shared memory may have been written over by the target's own
 * mistakes: it is checked before it is used.
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
/* The memory file: the target inherits it (it is closed by exec unless that is changed). */
int collector_fd(const struct collector *c);
/* Another process than the one that made it will collect: that one, after a fork. */
void collector_adopt(struct collector *c, pid_t pid);
/* Called once, in collector_run(), when the runtime in the target came to life, before the first chunk
 * is written. */
void collector_on_start(struct collector *c, void (*started)(void *ctx), void *ctx);
/* Works until the process is dead: a child, which stays to be waited for, or any other whose
 * descriptor (pidfd_open) is given. Then everything left is written. */
void collector_run(struct collector *c, int pidfd);
/* What the run tells about itself: what struct store_meta wants to know from the shared memory and
 * the crashes. Status and exited are as the target told them; waitpid() knows better. */
void collector_describe(const struct collector *c, struct store_meta *m);
/* The runtime in the target came to life. */
bool collector_met_target(const struct collector *c);
/* Threads that logged something. */
uint32_t collector_nthreads(const struct collector *c);

#endif
