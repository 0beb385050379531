/* A directory for a trace that is only looked at once. */
#ifndef HEDDLE_REPLAY_SCRATCH_H
#define HEDDLE_REPLAY_SCRATCH_H

/* Makes one under TMPDIR, called heddle-NAME-…; free it. NULL after error_(). */
char *scratch_new(const char *name);
/* With everything in it; silent if it is not there. */
void scratch_remove(const char *dir);

#endif
