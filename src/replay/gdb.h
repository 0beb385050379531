/*
 * A replay inside gdb: the enforce image under its schedule, stopped at every context switch. gdb
 * is started with a script that adds two commands: heddle-next continues to the next context
 * switch; heddle-where shows the current segment of the schedule and the place of every thread.
 */
#ifndef HEDDLE_REPLAY_GDB_H
#define HEDDLE_REPLAY_GDB_H

#include "base/strbuf.h"
#include "replay/replay.h"

/* Starts gdb in the program's directory and waits for its end. words: more arguments for gdb,
 * NULL at the end; may be NULL. Returns gdb's exit status (128 if a signal killed gdb), or -1
 * after error_(). */
int gdb_replay(const struct finding *f, char **words);

/* The script for gdb, and the shell script `starter` with which gdb starts the image: the arguments,
 * environment and input of opt and f->test are words of the shell there, whatever bytes they have. */
void gdb_script(const struct finding *f, const char *starter, struct strbuf *out);
void gdb_starter(const struct finding *f, const struct replay_options *opt, struct strbuf *out);

#endif
