/*
 * A replay inside gdb: the image of the program under its schedule, stopped at every switch. A
 * script that gdb is started with adds two commands: heddle-next goes on to the next switch,
 * heddle-where says which step of the witness it is and where every thread stands. Everything else
 * is gdb's own.
 */
#ifndef HEDDLE_REPLAY_GDB_H
#define HEDDLE_REPLAY_GDB_H

#include "base/strbuf.h"
#include "replay/replay.h"

/* Starts gdb in the program's directory and waits for its end; words: more arguments for gdb, NULL
 * at the end. gdb's exit status, or -1 after error_(). */
int gdb_replay(const struct finding *f, char **words);

/* The script, for tests. */
void gdb_script(const struct finding *f, struct strbuf *out);

#endif
